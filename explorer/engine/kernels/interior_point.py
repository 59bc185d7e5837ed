"""The local-polytope program of one field, by a primal-dual interior-point method that keeps both sides feasible.

    max   sum_u c_u . x_u + sum_e <c_e, x_e>         x >= 0
    s.t.  sum_s x_u[s] = 1 (h_u),   sum_t x_e[s, t] = x_a[s] (p_e[s]),   sum_s x_e[s, t] = x_b[t] (q_e[t])      e = (a, b)
    z_u[s] = h_u - c_u[s] - sum_e p_e[s] >= 0,    z_e[s, t] = p_e[s] + q_e[t] - c_e[s, t] >= 0

(degree thesis, 3.26 to 3.30, with both marginalisations; its multipliers p, q are the messages of `tree_reweighted`).
Newton's equations (Mehrotra 1992: predictor and corrector, one factor for both) are reduced edge by edge: an edge's part
is the Laplacian of a bipartite graph with conductances x_e / z_e, eliminated by sums of positive terms only. What is left
has K - 1 unknowns for each node and the pattern of the graph. The distance to the optimum is sum x z. Cost of a step:
e K^3 and a sparse factor; 10 to 20 steps, whatever the size.
"""

from typing import NamedTuple

import numpy as np

from explorer.engine.kernels.block_cholesky import factorise, solve
from explorer.engine.kernels.compiled import compiled
from explorer.engine.kernels.elimination import Pattern, minimum_degree
from explorer.engine.vectors import Array, Ints

MOST_STEPS = 60
RES=0.0
NEARLY = 0.995
"""How far to go towards the nearest bound."""


class Point(NamedTuple):
    """A strictly feasible pair: shares and slacks of nodes (n, K) and edges (e, K, K), and messages (2 e, K)."""

    x: Array
    z: Array
    xe: Array
    ze: Array
    p: Array


class _System(NamedTuple):
    """The reduced Newton equations: each edge's elimination, the factor, and the state that each node leaves out."""

    pivot: Array
    share: Array
    lower: Array
    diagonal: Array
    below: Array
    left_out: Ints


@compiled
def start(unary: Array, ends: Ints, pair: Array, p: Array, warmth: float) -> Point:
    """The point that messages p suggest: slacks at least `warmth`, node shares in inverse proportion to them."""
    n, K = unary.shape
    h, x, z, xe, ze = p.copy(), np.empty((n, K)), unary.copy(), np.empty(pair.shape), np.empty(pair.shape)
    for e in range(len(ends)):
        top = -np.inf
        for s in range(K):
            for t in range(K):
                top = max(top, pair[e, s, t] - p[2 * e, s] - p[2 * e + 1, t])
        for s in range(K):
            h[2 * e, s] += top + warmth
            z[ends[e, 0], s] += h[2 * e, s]
            z[ends[e, 1], s] += h[2 * e + 1, s]
    for u in range(n):
        top = np.max(z[u])
        for s in range(K):
            z[u, s] = top - z[u, s] + warmth
            x[u, s] = 1.0 / z[u, s]
        x[u] /= np.sum(x[u])
    for e in range(len(ends)):
        for s in range(K):
            for t in range(K):
                xe[e, s, t] = x[ends[e, 0], s] * x[ends[e, 1], t]
                ze[e, s, t] = h[2 * e, s] + h[2 * e + 1, t] - pair[e, s, t]
    return Point(x, z, xe, ze, h)


@compiled
def _ground(W: Array, ground: int, L: Array, out: Array) -> None:
    """out = inverse of the Laplacian with conductances W (overwritten) without the grounded vertex's row and column."""
    K = len(W)
    out[:] = 0.0
    L[:] = 0.0
    for t in range(K):
        if t == ground:
            continue
        total = W[t, ground]
        for i in range(t + 1, K):
            if i != ground:
                total += W[t, i]
        L[t, t] = total
        for i in range(K):
            if i == ground or i > t:
                L[i, t] = W[t, i] / total
        for i in range(K):
            for j in range(K):
                if i != j and (i == ground or i > t) and (j == ground or j > t):
                    W[i, j] += L[i, t] * W[t, j]
    for c in range(K):
        if c == ground:
            continue
        for r in range(c, K):
            if r == ground:
                continue
            out[r, c] = 1.0 if r == c else 0.0
            for i in range(c, r):
                if i != ground:
                    out[r, c] += L[r, i] * out[i, c]
        for r in range(c, K):
            if r != ground:
                out[r, c] /= L[r, r]
        for r in range(K - 1, -1, -1):
            if r == ground:
                continue
            for i in range(r + 1, K):
                if i != ground:
                    out[r, c] += L[i, r] * out[i, c]


@compiled
def _edge_inverse(
    x: Array, z: Array, ground: int, pivot: Array, share: Array, lower: Array, aa: Array, ab: Array, bb: Array
) -> None:
    """The blocks of the edge's grounded inverse, by eliminating the vertices of end a and then those of end b."""
    K = len(x)
    for s in range(K):
        total = 0.0
        for t in range(K):
            ab[s, t] = x[s, t] / z[s, t]
            total += ab[s, t]
        for t in range(K):
            share[s, t] = ab[s, t] / total
        pivot[s] = total
    for t in range(K):
        for i in range(K):
            aa[t, i] = 0.0
            for s in range(K):
                aa[t, i] += share[s, t] * ab[s, i]
    _ground(aa, ground, lower, bb)
    for s in range(K):
        for t in range(K):
            ab[s, t] = 0.0
            for i in range(K):
                ab[s, t] += share[s, i] * bb[i, t]
    for s in range(K):
        for r in range(K):
            aa[s, r] = 1.0 / pivot[s] if r == s else 0.0
            for t in range(K):
                aa[s, r] += ab[s, t] * share[r, t]


@compiled
def _add(target: Array, G: Array, row_out: int, column_out: int, sign: float) -> None:
    """target += sign * G, seen by moves of mass between each state and the one left out."""
    r = 0
    for s in range(len(G)):
        if s == row_out:
            continue
        c = 0
        for t in range(len(G)):
            if t != column_out:
                target[r, c] += sign * (
                    (G[s, t] - G[s, column_out]) - (G[row_out, t] - G[row_out, column_out])
                )
                c += 1
        r += 1


@compiled
def _prepare(ends: Ints, point: Point, pattern: Pattern, system: _System, work: Array) -> None:
    """The factor of Newton's equations at the point."""
    n, K = point.x.shape
    system.diagonal[:] = 0.0
    system.below[:] = 0.0
    for u in range(n):
        out = int(np.argmax(point.x[u]))
        system.left_out[u] = out
        work[0] = 0.0
        for s in range(K):
            work[0, s, s] = point.z[u, s] / point.x[u, s]
        _add(system.diagonal[u], work[0], out, out, 1.0)
    for e in range(len(ends)):
        a, b = ends[e]
        out_a, out_b = system.left_out[a], system.left_out[b]
        aa, ab, bb = work
        _edge_inverse(
            point.xe[e], point.ze[e], out_b, system.pivot[e], system.share[e], system.lower[e], aa, ab, bb
        )
        _add(system.diagonal[a], aa, out_a, out_a, 1.0)
        _add(system.diagonal[b], bb, out_b, out_b, 1.0)
        if pattern.rank[a] < pattern.rank[b]:
            _add(system.below[pattern.place[e]], ab.T, out_b, out_a, -1.0)
        else:
            _add(system.below[pattern.place[e]], ab, out_a, out_b, -1.0)
    factorise(pattern, system.diagonal, system.below)


@compiled
def _edge_pull(
    system: _System, e: int, ground: int, g: Array, row: Array, column: Array, flow: Array, p: Array, q: Array
) -> None:
    """p, q = the edge's inverse applied to currents g[s, t] from t to s, and to `row` and `column` that enter or leave.

    Currents are handed on from an eliminated vertex to the others, never summed first: they may be many orders of
    magnitude above what reaches a weakly joined part. By substitution, so that the errors of p and q cancel in p + q.
    """
    pivot, share, lower = system.pivot[e], system.share[e], system.lower[e]
    K = len(p)
    flow[:] = 0.0
    for t in range(K):
        q[t] = -column[t]
    for s in range(K):
        p[s] = row[s] / pivot[s]
        for t in range(K):
            q[t] += share[s, t] * row[s]
            p[s] += g[s, t] / pivot[s]
            for i in range(K):
                if i != t:
                    flow[t, i] += g[s, t] * share[s, i]
    for t in range(K):
        if t == ground:
            continue
        for i in range(t + 1, K):
            if i != ground:
                q[i] += lower[i, t] * q[t]
        for i in range(K):
            if i > t or i == ground:
                net = flow[t, i] - flow[i, t]
                q[t] -= net
                for j in range(K):
                    if j != i and (j > t or j == ground):
                        flow[j, i] += net * lower[j, t]
    for t in range(K):
        q[t] = 0.0 if t == ground else q[t] / lower[t, t]
    for t in range(K - 1, -1, -1):
        if t != ground:
            for i in range(t + 1, K):
                if i != ground:
                    q[t] += lower[i, t] * q[i]
    for s in range(K):
        for t in range(K):
            p[s] += share[s, t] * q[t]
    for t in range(K):
        q[t] = -q[t]


@compiled
def _currents(x: Array, z: Array, r: Array, out: Array) -> None:
    """out = r / z."""
    for s in range(len(out)):
        for t in range(len(out)):
            out[s, t] = r[s, t] / z[s, t]


@compiled
def _residual(x: Array, a: Array, b: Array, row: Array, column: Array) -> None:
    """By how much an edge's sums exceed its ends' shares, where that is not rounding."""
    for s in range(len(a)):
        row[s] = -a[s]
        column[s] = -b[s]
        for t in range(len(a)):
            row[s] += x[s, t]
            column[s] += x[t, s]
        if abs(row[s]) < RES:
            row[s] = 0.0
        if abs(column[s]) < RES:
            column[s] = 0.0


@compiled
def _newton(
    ends: Ints, point: Point, pattern: Pattern, system: _System, r: Array, re: Array, move: Point, work: Array
) -> None:
    """The move for which x dz + z dx = r at every share; r, re and the fields of move have the shapes of the point's."""
    n, K = point.x.shape
    rhs, y = np.empty((n, K)), np.zeros((n, K - 1))
    for u in range(n):
        for s in range(K):
            rhs[u, s] = r[u, s] / point.x[u, s]
    row, column, g = work[0, 0], work[0, 1], work[1]
    sums = np.zeros((2 * len(ends), K))
    for e in range(len(ends)):
        a, b = ends[e]
        _currents(point.xe[e], point.ze[e], re[e], g)
        _residual(point.xe[e], point.x[a], point.x[b], sums[2 * e], sums[2 * e + 1])
        _edge_pull(system, e, system.left_out[b], g, sums[2 * e], sums[2 * e + 1], work[2], move.p[2 * e], move.p[2 * e + 1])
        rhs[a] += move.p[2 * e]
        rhs[b] += move.p[2 * e + 1]
    for u in range(n):
        c = 0
        for s in range(K):
            if s != system.left_out[u]:
                y[u, c] = rhs[u, s] - rhs[u, system.left_out[u]]
                c += 1
    solve(pattern, system.diagonal, system.below, y)
    for u in range(n):
        out, c = system.left_out[u], 0
        move.x[u, out] = 0.0
        for s in range(K):
            if s != out:
                move.x[u, s] = y[u, c]
                move.x[u, out] -= y[u, c]
                c += 1
    move.z[:] = 0.0
    for e in range(len(ends)):
        a, b = ends[e]
        for s in range(K):
            row[s] = sums[2 * e, s] - move.x[a, s]
            column[s] = sums[2 * e + 1, s] - move.x[b, s]
        _currents(point.xe[e], point.ze[e], re[e], g)
        _edge_pull(system, e, system.left_out[b], g, row, column, work[2], move.p[2 * e], move.p[2 * e + 1])
        move.z[a] -= move.p[2 * e]
        move.z[b] -= move.p[2 * e + 1]
        for s in range(K):
            for t in range(K):
                dz = move.p[2 * e, s] + move.p[2 * e + 1, t]
                move.ze[e, s, t] = dz
                move.xe[e, s, t] = (re[e, s, t] - point.xe[e, s, t] * dz) / point.ze[e, s, t]
    for u in range(n):
        out = system.left_out[u]
        rise = (r[u, out] - point.z[u, out] * move.x[u, out]) / point.x[u, out] - move.z[u, out]
        for s in range(K):
            move.z[u, s] += rise


@compiled
def _room(at: Array, move: Array, most: float) -> float:
    """The largest step up to `most` that keeps every entry from going below 0."""
    flat, by = at.ravel(), move.ravel()
    for i in range(len(flat)):
        if by[i] < 0.0 and flat[i] + most * by[i] < 0.0:
            most = -flat[i] / by[i]
    return most


@compiled
def _product(x: Array, z: Array) -> float:
    """sum x z."""
    total = 0.0
    left, right = x.ravel(), z.ravel()
    for i in range(len(left)):
        total += left[i] * right[i]
    return total


@compiled
def _target(x: Array, z: Array, dx: Array, dz: Array, level: float, corrected: bool, out: Array) -> None:
    """out = level - x z, less what the predicted moves make together."""
    a, b, c, d, o = x.ravel(), z.ravel(), dx.ravel(), dz.ravel(), out.ravel()
    for i in range(len(o)):
        o[i] = level - a[i] * b[i]
        if corrected:
            o[i] -= c[i] * d[i]


@compiled
def _step(at: Array, move: Array, t: float) -> None:
    flat, by = at.ravel(), move.ravel()
    for i in range(len(flat)):
        flat[i] += t * by[i]


@compiled
def interior_point(ends: Ints, point: Point, goal: float) -> int:
    """Bring the point to a gap of at most `goal`, in place; returns the steps taken (it may stop short at rounding)."""
    n, K = point.x.shape
    if K == 1:
        return 0
    pattern = minimum_degree(ends, n)
    size, k = len(ends), K - 1
    system = _System(
        np.empty((size, K)),
        np.empty((size, K, K)),
        np.empty((size, K, K)),
        np.empty((n, k, k)),
        np.empty((len(pattern.rows), k, k)),
        np.empty(n, np.int64),
    )
    work = np.empty((3, K, K))
    r, re = np.empty((n, K)), np.empty((size, K, K))
    move = Point(np.empty((n, K)), np.empty((n, K)), np.empty((size, K, K)), np.empty((size, K, K)), np.empty((2 * size, K)))
    count = n * K + size * K * K
    for k in range(MOST_STEPS):
        gap = _product(point.x, point.z) + _product(point.xe, point.ze)
        if gap <= goal:
            return k
        _prepare(ends, point, pattern, system, work)
        _target(point.x, point.z, move.x, move.z, 0.0, False, r)
        _target(point.xe, point.ze, move.xe, move.ze, 0.0, False, re)
        _newton(ends, point, pattern, system, r, re, move, work)
        t = _room(point.xe, move.xe, _room(point.x, move.x, 1.0))
        w = _room(point.ze, move.ze, _room(point.z, move.z, 1.0))
        ahead = 0.0
        for i in range(n):
            for s in range(K):
                ahead += (point.x[i, s] + t * move.x[i, s]) * (point.z[i, s] + w * move.z[i, s])
        for e in range(size):
            for s in range(K):
                for j in range(K):
                    ahead += (point.xe[e, s, j] + t * move.xe[e, s, j]) * (point.ze[e, s, j] + w * move.ze[e, s, j])
        level = (max(ahead, 0.0) / gap) ** 3 * gap / count
        _target(point.x, point.z, move.x, move.z, level, True, r)
        _target(point.xe, point.ze, move.xe, move.ze, level, True, re)
        _newton(ends, point, pattern, system, r, re, move, work)
        t = NEARLY * _room(point.xe, move.xe, _room(point.x, move.x, 1.0 / NEARLY))
        w = NEARLY * _room(point.ze, move.ze, _room(point.z, move.z, 1.0 / NEARLY))
        if max(t, w) < 1e-6:
            return k
        _step(point.x, move.x, t)
        _step(point.xe, move.xe, t)
        _step(point.z, move.z, w)
        _step(point.ze, move.ze, w)
        _step(point.p, move.p, w)
    return MOST_STEPS
