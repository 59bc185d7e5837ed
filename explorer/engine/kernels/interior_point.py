"""The local-polytope program of one field, by a primal-dual interior-point method that starts feasible on both sides.

    max   sum_u c_u . x_u + sum_e <c_e, x_e>         x >= 0
    s.t.  sum_s x_u[s] = 1 (h_u),   sum_t x_e[s, t] = x_a[s] (p_e[s]),   sum_s x_e[s, t] = x_b[t] (q_e[t])      e = (a, b)
    z_u[s] = h_u - c_u[s] - sum_e p_e[s] >= 0,    z_e[s, t] = p_e[s] + q_e[t] - c_e[s, t] >= 0

Degree thesis, 3.26 to 3.30, with both marginalisations; the multipliers p, q are the messages of `tree_reweighted`.
Newton's equations (Mehrotra 1992: predictor and corrector with one factor) are first reduced edge by edge, see
`edge_laplacian`; what is left has K - 1 unknowns for each node and the pattern of the graph, see `block_cholesky`. The
distance to the optimum is sum x z. Cost of a step: e K^3 and a sparse factor; 5 to 20 steps, whatever the size.
"""

from typing import NamedTuple

import numpy as np

from explorer.engine.kernels.block_cholesky import factorise, solve
from explorer.engine.kernels.compiled import compiled
from explorer.engine.kernels.edge_laplacian import eliminate, invert, potentials
from explorer.engine.kernels.elimination import Pattern, minimum_degree
from explorer.engine.kernels.incidence import Field
from explorer.engine.vectors import Array, Ints

NEARLY = 0.995
"""How far to go towards the nearest bound."""
SLOW = 0.9
"""A step that leaves more than this of the gap is a slow one; the fifth is the last."""


class Point(NamedTuple):
    """Shares x and slacks z of nodes (n, K) and edges (e, K, K), and the multipliers p, q in turn (2 e, K)."""

    x: Array
    z: Array
    xe: Array
    ze: Array
    p: Array


class System(NamedTuple):
    """Newton's equations: each edge eliminated, the factor of the rest, the state that each node leaves out, scratch."""

    pivot: Array
    share: Array
    lower: Array
    diagonal: Array
    below: Array
    out: Ints
    work: Array


@compiled
def start(field: Field, m: Array, warmth: float) -> Point:
    """The strictly feasible point that messages m suggest: slacks of at least `warmth`, shares that go with 1 / slack."""
    n, K = field.unary.shape
    e_count = len(field.ends)
    p, z, ze = m.copy(), field.unary.copy(), np.empty((e_count, K, K))
    for e in range(e_count):
        a, b = field.ends[e]
        for s in range(K):
            for t in range(K):
                ze[e, s, t] = m[2 * e, s] + m[2 * e + 1, t] - field.pair[field.table[e], s, t]
        rise = warmth - np.min(ze[e])
        ze[e] += rise
        p[2 * e] += rise
        z[a] += p[2 * e]
        z[b] += p[2 * e + 1]
    x, xe = np.empty((n, K)), np.empty((e_count, K, K))
    for u in range(n):
        z[u] = np.max(z[u]) - z[u] + warmth
        x[u] = (1.0 / z[u]) / np.sum(1.0 / z[u])
    for e in range(e_count):
        for s in range(K):
            xe[e, s] = x[field.ends[e, 0], s] * x[field.ends[e, 1]]
    return Point(x, z, xe, ze, p)


@compiled
def _add(target: Array, G: Array, row_out: int, column_out: int, sign: float) -> None:
    """target += sign * G, as moves of mass between each state and the one left out see it."""
    r = 0
    for s in range(len(G)):
        if s == row_out:
            continue
        c = 0
        for t in range(len(G)):
            if t != column_out:
                target[r, c] += sign * ((G[s, t] - G[s, column_out]) - (G[row_out, t] - G[row_out, column_out]))
                c += 1
        r += 1


@compiled
def _prepare(ends: Ints, point: Point, pattern: Pattern, system: System) -> None:
    """The factor of Newton's equations at the point."""
    n, K = point.x.shape
    aa, ab, bb = system.work[0], system.work[1], system.work[2]
    system.diagonal[:] = 0.0
    system.below[:] = 0.0
    for u in range(n):
        out = int(np.argmax(point.x[u]))
        system.out[u] = out
        aa[:] = 0.0
        for s in range(K):
            aa[s, s] = point.z[u, s] / point.x[u, s]
        _add(system.diagonal[u], aa, out, out, 1.0)
    for e in range(len(ends)):
        a, b = ends[e]
        i, j = system.out[a], system.out[b]
        eliminate(point.xe[e], point.ze[e], j, system.pivot[e], system.share[e], system.lower[e], aa)
        invert(j, system.pivot[e], system.share[e], system.lower[e], aa, ab, bb)
        _add(system.diagonal[a], aa, i, i, 1.0)
        _add(system.diagonal[b], bb, j, j, 1.0)
        if pattern.rank[a] < pattern.rank[b]:
            bb[:] = ab.T
            _add(system.below[pattern.place[e]], bb, j, i, -1.0)
        else:
            _add(system.below[pattern.place[e]], ab, i, j, -1.0)
    factorise(pattern, system.diagonal, system.below)


@compiled
def _pull(e: int, ends: Ints, point: Point, system: System, re: Array, dx: Array, move: Point) -> None:
    """The move of edge e's multipliers for a move dx of its ends' shares."""
    a, b = ends[e]
    row, column, current, flow = system.work[0, 0], system.work[1, 0], system.work[2], system.work[3]
    for s in range(len(row)):
        # What rounding has left between the edge's sums and its ends' shares is made good as well: before the far
        # smaller dx, which would drown in it.
        row[s] = -point.x[a, s]
        column[s] = -point.x[b, s]
        for t in range(len(row)):
            row[s] += point.xe[e, s, t]
            column[s] += point.xe[e, t, s]
            current[s, t] = re[e, s, t] / point.ze[e, s, t]
        row[s] -= dx[a, s]
        column[s] -= dx[b, s]
    p, q = move.p[2 * e], move.p[2 * e + 1]
    pivot, share, lower = system.pivot[e], system.share[e], system.lower[e]
    potentials(system.out[b], pivot, share, lower, current, row, column, flow, p, q)


@compiled
def _node_moves(r: Array, ends: Ints, point: Point, pattern: Pattern, system: System, move: Point) -> None:
    """The move of the node shares; move.p holds what the multipliers would do if they stayed."""
    n, K = point.x.shape
    rhs, y = r / point.x, np.empty((n, K - 1))
    for e in range(len(ends)):
        rhs[ends[e, 0]] += move.p[2 * e]
        rhs[ends[e, 1]] += move.p[2 * e + 1]
    for u in range(n):
        out = system.out[u]
        for c in range(K - 1):
            y[u, c] = rhs[u, c if c < out else c + 1] - rhs[u, out]
    solve(pattern, system.diagonal, system.below, y)
    for u in range(n):
        out = system.out[u]
        move.x[u, out] = -np.sum(y[u])
        for c in range(K - 1):
            move.x[u, c if c < out else c + 1] = y[u, c]


@compiled
def _newton(ends: Ints, point: Point, pattern: Pattern, system: System, r: Array, re: Array, move: Point) -> None:
    """The move after which x z would have grown by r at nodes and re at edges, to first order."""
    n, K = point.x.shape
    move.x[:] = 0.0
    for e in range(len(ends)):
        _pull(e, ends, point, system, re, move.x, move)
    _node_moves(r, ends, point, pattern, system, move)
    move.z[:] = 0.0
    for e in range(len(ends)):
        _pull(e, ends, point, system, re, move.x, move)
        for s in range(K):
            move.z[ends[e, 0], s] -= move.p[2 * e, s]
            move.z[ends[e, 1], s] -= move.p[2 * e + 1, s]
            for t in range(K):
                dz = move.p[2 * e, s] + move.p[2 * e + 1, t]
                move.ze[e, s, t] = dz
                move.xe[e, s, t] = (re[e, s, t] - point.xe[e, s, t] * dz) / point.ze[e, s, t]
    for u in range(n):
        out = system.out[u]
        rise = (r[u, out] - point.z[u, out] * move.x[u, out]) / point.x[u, out] - move.z[u, out]
        for s in range(K):
            move.z[u, s] += rise


@compiled
def _reach(at: Array, move: Array, most: float) -> float:
    """The largest step up to `most` that keeps every entry from going below 0."""
    flat, by = at.ravel(), move.ravel()
    for i in range(len(flat)):
        if by[i] < 0.0 and flat[i] + most * by[i] < 0.0:
            most = -flat[i] / by[i]
    return most


@compiled
def _product(x: Array, dx: Array, t: float, z: Array, dz: Array, w: float) -> float:
    """sum (x + t dx) (z + w dz)."""
    total = 0.0
    a, b, c, d = x.ravel(), dx.ravel(), z.ravel(), dz.ravel()
    for i in range(len(a)):
        total += (a[i] + t * b[i]) * (c[i] + w * d[i])
    return total


@compiled
def _gap(point: Point, move: Point, t: float, w: float) -> float:
    """sum x z after a step t of the shares and w of the slacks."""
    nodes = _product(point.x, move.x, t, point.z, move.z, w)
    return nodes + _product(point.xe, move.xe, t, point.ze, move.ze, w)


@compiled
def _steps(point: Point, move: Point, part: float) -> tuple[float, float]:
    """The part of the way to the nearest bound, at most 1, for shares and for slacks."""
    t = part * _reach(point.xe, move.xe, _reach(point.x, move.x, 1.0 / part))
    return t, part * _reach(point.ze, move.ze, _reach(point.z, move.z, 1.0 / part))


@compiled
def _still(n: int, size: int, K: int) -> Point:
    """No move."""
    x, xe = np.zeros((n, K)), np.zeros((size, K, K))
    return Point(x, x.copy(), xe, xe.copy(), np.zeros((2 * size, K)))


@compiled
def _room_for(n: int, size: int, K: int, blocks: int) -> System:
    """Memory for Newton's equations."""
    k = K - 1
    share, diagonal, below = np.empty((size, K, K)), np.empty((n, k, k)), np.empty((blocks, k, k))
    return System(np.empty((size, K)), share, share.copy(), diagonal, below, np.empty(n, np.int64), np.empty((4, K, K)))


@compiled
def interior_point(field: Field, point: Point, goal: float, most: int) -> None:
    """Bring the point to a gap of at most `goal` in at most `most` steps, in place; rounding may stop it earlier."""
    n, K = field.unary.shape
    ends = field.ends
    pattern = minimum_degree(ends, n)
    system, move = _room_for(n, len(ends), K, len(pattern.rows)), _still(n, len(ends), K)
    gap, slow = _gap(point, move, 0.0, 0.0), 0
    for _ in range(most if K > 1 else 0):
        if gap <= goal or slow == 5:
            return
        _prepare(ends, point, pattern, system)
        _newton(ends, point, pattern, system, -point.x * point.z, -point.xe * point.ze, move)
        t, w = _steps(point, move, 1.0)
        level = (max(_gap(point, move, t, w), 0.0) / gap) ** 3 * gap / (point.x.size + point.xe.size)
        r, re = level - point.x * point.z - move.x * move.z, level - point.xe * point.ze - move.xe * move.ze
        _newton(ends, point, pattern, system, r, re, move)
        t, w = _steps(point, move, NEARLY)
        after = _gap(point, move, t, w)
        if not after < gap:
            return
        slow += after > SLOW * gap
        gap = after
        point.x[:] += t * move.x
        point.xe[:] += t * move.xe
        point.z[:] += w * move.z
        point.ze[:] += w * move.ze
        point.p[:] += w * move.p
