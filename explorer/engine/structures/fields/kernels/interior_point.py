"""The local-polytope program of one field, by a primal-dual interior-point method that starts feasible on
both sides.

    max   sum_u c_u . x_u + sum_e <c_e, x_e>         x >= 0
    s.t.  sum_s x_u[s] = 1 (h_u),   sum_t x_e[s, t] = x_a[s] (p_e[s]),   sum_s x_e[s, t] = x_b[t] (q_e[t])
        e = (a, b)
    z_u[s] = h_u - c_u[s] - sum_e p_e[s] >= 0,    z_e[s, t] = p_e[s] + q_e[t] - c_e[s, t] >= 0

Degree thesis, 3.26 to 3.30, with both marginalisations; the multipliers p, q are the messages of
`tree_reweighted`. Newton's equations (Mehrotra 1992: predictor and corrector with one factor) are first
reduced edge by edge, see `edge_laplacian`; what is left has K - 1 unknowns for each node and the pattern of
the graph, see `block_cholesky`. The distance to the optimum is sum x z. Cost of a step: e K^3 and a sparse
factor; 5 to 20 steps, whatever the size.
"""

from typing import NamedTuple

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.incidence import Field
from explorer.engine.structures.fields.kernels.block_cholesky import Factor, factorise, solve
from explorer.engine.structures.fields.kernels.edge_laplacian import (
    Eliminated,
    eliminate,
    elimination_memory,
    invert,
    potentials,
)
from explorer.engine.structures.fields.kernels.elimination import minimum_degree
from explorer.engine.vectors import Array, Ints

NEARLY = 0.995
"""How far to go towards the nearest bound."""
SLOW = 0.9
"""A step that leaves more than this of the gap is a slow one; the fifth is the last."""


class Point(NamedTuple):
    """Shares x and slacks z, flat: n K of the nodes, then e K^2 of the edges; multipliers p and q in turn, (2
    e, K).
    """

    x: Array
    z: Array
    p: Array


@compiled
def start(field: Field, m: Array, warmth: float) -> Point:
    """The strictly feasible point that messages m suggest: slacks of at least `warmth`, shares that go with 1
    / slack.
    """
    n, K = field.unary.shape
    x, z, p = np.empty(n * K + len(field.ends) * K * K), np.empty(n * K + len(field.ends) * K * K), m.copy()
    for u in range(n):
        for s in range(K):
            z[u * K + s] = field.unary[u, s]
    at = n * K
    for e in range(len(field.ends)):
        least = np.inf
        for s in range(K):
            for t in range(K):
                z[at + s * K + t] = m[2 * e, s] + m[2 * e + 1, t] - field.pair[field.table[e], s, t]
                least = min(least, z[at + s * K + t])
        for k in range(at, at + K * K):
            z[k] += warmth - least
        at += K * K
        for s in range(K):
            p[2 * e, s] += warmth - least
            z[field.ends[e, 0] * K + s] += p[2 * e, s]
            z[field.ends[e, 1] * K + s] += p[2 * e + 1, s]
    _start_shares(field.ends, n, K, warmth, x, z)
    return Point(x, z, p)


@compiled
def _start_shares(ends: Ints, n: int, K: int, warmth: float, x: Array, z: Array) -> None:
    """Node slacks out of scores, shares out of slacks, and edge shares as products."""
    for u in range(n):
        top, total = -np.inf, 0.0
        for k in range(u * K, u * K + K):
            top = max(top, z[k])
        for k in range(u * K, u * K + K):
            z[k] = top - z[k] + warmth
            total += 1.0 / z[k]
        for k in range(u * K, u * K + K):
            x[k] = 1.0 / (z[k] * total)
    for e in range(len(ends)):
        for s in range(K):
            for t in range(K):
                x[n * K + (e * K + s) * K + t] = x[ends[e, 0] * K + s] * x[ends[e, 1] * K + t]


@compiled
def _add(target: Array, at: int, G: Array, which: int, row_out: int, column_out: int, sign: float) -> None:
    """target[at] += sign * G[which], as moves of mass between each state and the one left out see it."""
    K = G.shape[1]
    for r in range(K - 1):
        s = r if r < row_out else r + 1
        for c in range(K - 1):
            t = c if c < column_out else c + 1
            direct = G[which, s, t] - G[which, s, column_out]
            target[at, r, c] += sign * (direct - (G[which, row_out, t] - G[which, row_out, column_out]))


@compiled
def _prepare(ends: Ints, point: Point, edges: Eliminated, factor: Factor, out: Ints) -> None:
    """The factor of Newton's equations at the point; out[u] is the state that node u leaves out, its
    largest.
    """
    n, K = len(out), point.p.shape[1]
    rank, place, work = factor.pattern.rank, factor.pattern.place, edges.work
    factor.diagonal[:] = 0.0
    factor.below[:] = 0.0
    # Nodes: z / x on the diagonal, in terms of all states but the largest.
    for u in range(n):
        out[u] = 0
        for s in range(1, K):
            if point.x[u * K + s] > point.x[u * K + out[u]]:
                out[u] = s
        work[0] = 0.0
        for s in range(K):
            work[0, s, s] = point.z[u * K + s] / point.x[u * K + s]
        _add(factor.diagonal, u, work, 0, out[u], out[u], 1.0)
    # Edges: eliminate their own unknowns, and add what is left to both ends' blocks and the one
    # between them.
    for e in range(len(ends)):
        a, b = ends[e, 0], ends[e, 1]
        eliminate(edges, e, out[b], point.x, point.z, n * K + e * K * K)
        invert(edges, e, out[b])
        _add(factor.diagonal, a, work, 0, out[a], out[a], 1.0)
        _add(factor.diagonal, b, work, 2, out[b], out[b], 1.0)
        # The block belongs to the column of the end that is eliminated first.
        if rank[a] > rank[b]:
            _add(factor.below, place[e], work, 1, out[a], out[b], -1.0)
            continue
        for s in range(K):
            for t in range(K):
                work[0, t, s] = work[1, s, t]
        _add(factor.below, place[e], work, 0, out[b], out[a], -1.0)
    factorise(factor)


@compiled
def _pull(ends: Ints, point: Point, edges: Eliminated, out: Ints, r: Array, dx: Array, dp: Array) -> None:
    """The moves dp of the edges' multipliers for moves dx of the node shares; r is what x z is to grow by."""
    n, K, work = len(out), point.p.shape[1], edges.work
    for e in range(len(ends)):
        a, b, at = ends[e, 0] * K, ends[e, 1] * K, n * K + e * K * K
        for s in range(K):
            # What rounding has left between the edge's sums and its ends' shares is made good as well: before
            # the far
            # smaller dx, which would drown in it.
            row, column = -point.x[a + s], -point.x[b + s]
            for t in range(K):
                row += point.x[at + s * K + t]
                column += point.x[at + t * K + s]
                work[0, s, t] = r[at + s * K + t] / point.z[at + s * K + t]
            work[1, 0, s] = row - dx[a + s]
            work[1, 1, s] = column - dx[b + s]
        potentials(edges, e, out[ends[e, 1]], dp)


@compiled
def _node_moves(ends: Ints, point: Point, factor: Factor, out: Ints, r: Array, move: Point) -> None:
    """The moves of the node shares; move.p holds those of the multipliers if the shares stayed."""
    n, K = len(out), point.p.shape[1]
    pull, y = np.empty((n, K)), np.empty((n, K - 1))
    for u in range(n):
        for s in range(K):
            pull[u, s] = r[u * K + s] / point.x[u * K + s]
    for e in range(len(ends)):
        for s in range(K):
            pull[ends[e, 0], s] += move.p[2 * e, s]
            pull[ends[e, 1], s] += move.p[2 * e + 1, s]
    for u in range(n):
        for c in range(K - 1):
            y[u, c] = pull[u, c if c < out[u] else c + 1] - pull[u, out[u]]
    solve(factor, y)
    for u in range(n):
        move.x[u * K + out[u]] = 0.0
        for c in range(K - 1):
            move.x[u * K + (c if c < out[u] else c + 1)] = y[u, c]
            move.x[u * K + out[u]] -= y[u, c]


@compiled
def _newton(
    ends: Ints, point: Point, edges: Eliminated, factor: Factor, out: Ints, r: Array, move: Point
) -> None:
    """The move after which x z has grown by r, to first order."""
    n, K = len(out), point.p.shape[1]
    for both in range(2):
        if both == 0:
            move.x[: n * K] = 0.0
        else:
            _node_moves(ends, point, factor, out, r, move)
        _pull(ends, point, edges, out, r, move.x, move.p)
    move.z[: n * K] = 0.0
    for e in range(len(ends)):
        at = n * K + e * K * K
        for s in range(K):
            move.z[ends[e, 0] * K + s] -= move.p[2 * e, s]
            move.z[ends[e, 1] * K + s] -= move.p[2 * e + 1, s]
            for t in range(K):
                k = at + s * K + t
                move.z[k] = move.p[2 * e, s] + move.p[2 * e + 1, t]
                move.x[k] = (r[k] - point.x[k] * move.z[k]) / point.z[k]
    for u in range(n):
        k = u * K + out[u]
        rise = (r[k] - point.z[k] * move.x[k]) / point.x[k] - move.z[k]
        for s in range(K):
            move.z[u * K + s] += rise


@compiled
def _reach(at: Array, move: Array, part: float) -> float:
    """This part of the way to where the first entry would become 0, at most 1."""
    most = 1.0 / part
    for i in range(len(at)):
        if at[i] + most * move[i] < 0.0:
            most = -at[i] / move[i]
    return part * most


@compiled
def _gap(point: Point, move: Point, t: float, w: float) -> float:
    """sum x z after a step t of the shares and w of the slacks."""
    total = 0.0
    for i in range(len(point.x)):
        total += (point.x[i] + t * move.x[i]) * (point.z[i] + w * move.z[i])
    return total


@compiled
def interior_point(field: Field, point: Point, goal: float, most: int) -> None:
    """Bring the point to a gap of at most `goal` in at most `most` steps, in place; rounding may stop it
    earlier.
    """
    n, K = field.unary.shape
    pattern = minimum_degree(field.ends, n)
    factor = Factor(pattern, np.empty((n, K - 1, K - 1)), np.empty((len(pattern.rows), K - 1, K - 1)))
    edges, out, r = elimination_memory(len(field.ends), K), np.empty(n, np.int64), np.empty(len(point.x))
    move = Point(np.zeros(len(point.x)), np.zeros(len(point.x)), np.zeros(point.p.shape))
    gap, slow, t, w = _gap(point, move, 0.0, 0.0), 0, 0.0, 0.0
    for _ in range(most if K > 1 else 0):
        if gap <= goal or slow == 5:
            return
        _prepare(field.ends, point, edges, factor, out)
        level = 0.0
        for phase in range(2):
            for i in range(len(r)):
                r[i] = level - point.x[i] * point.z[i] - (move.x[i] * move.z[i] if phase else 0.0)
            _newton(field.ends, point, edges, factor, out, r, move)
            part = NEARLY if phase else 1.0
            t, w = _reach(point.x, move.x, part), _reach(point.z, move.z, part)
            ahead = _gap(point, move, t, w)
            level = (max(ahead, 0.0) / gap) ** 3 * gap / len(r)
        if not ahead < gap:
            return
        slow += ahead > SLOW * gap
        gap = ahead
        _advance(point, move, t, w)


@compiled
def _advance(point: Point, move: Point, t: float, w: float) -> None:
    """A step t of the shares and w of the slacks and multipliers."""
    for i in range(len(point.x)):
        point.x[i] += t * move.x[i]
        point.z[i] += w * move.z[i]
    for h in range(len(point.p)):
        for s in range(point.p.shape[1]):
            point.p[h, s] += w * move.p[h, s]
