"""The local-polytope optimum of every field of a stack: messages first, an interior point where they leave a doubt.

1. Tree-reweighted sweeps lower the bound D(m) and propose labellings. Where a labelling's score meets the bound, it is the
   optimum of the program and of the field. With s_u, s_e >= 0 the slacks of a labelling's nodes and edges at m,
   D(m) - score = sum s: the parts without slack are proven, the others are in doubt.
2. The nodes in doubt are the core. Outside it the labelling stays; what the edges across the border can offer goes into the core's
   unary scores, and the program of the core alone is solved by `interior_point`. The union is feasible, and D at the new
   messages bounds it (after Savchynskyy et al. 2013, who search the core exhaustively). While the two differ, the border
   moves out to where they differ; at the latest the core is the whole field, and the answer is its optimum.

Cost: e K^2 for a sweep; mostly nothing else.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorer.engine.kernels.compiled import compiled
from explorer.engine.kernels.incidence import Field, field_at, scratch
from explorer.engine.kernels.interior_point import interior_point, start
from explorer.engine.kernels.tree_reweighted import collect, dual_bound, edge_rest, own_scores, score_of, sweep
from explorer.engine.vectors import Array, Ints

Flags = NDArray[np.bool_]


class Answer(NamedTuple):
    """A field's shares and the best labelling met."""

    node: Array
    edge: Array
    labels: Ints


@compiled
def scale_of(field: Field) -> float:
    """The largest score in size."""
    top = 0.0
    for value in field.unary.flat:
        top = max(top, abs(value))
    for t in field.table:
        for value in field.pair[t].flat:
            top = max(top, abs(value))
    return top


@compiled
def sweeps(field: Field, m: Array, labels: Ints, most: int, tolerance: float, scale: float) -> tuple[float, float]:
    """Up to `most` sweeps while they help; `labels` is the best labelling met. Returns the bound and its score."""
    found = labels.copy()
    best, bound, earlier = -np.inf, np.inf, np.inf
    for k in range(most):
        bound = sweep(field, m, found, k % 2 == 0)
        score = score_of(field, found)
        if score > best:
            best = score
            labels[:] = found
        if bound - best <= tolerance * max(abs(bound), scale):
            break
        if k % 5 == 4:
            if earlier - bound < 0.2 * (bound - best):
                break
            earlier = bound
    return bound, best


@compiled
def even_out(field: Field, m: Array) -> None:
    """Spread what every node has evenly over itself and its edges; D does not rise."""
    n, K = field.unary.shape
    own = np.empty(K)
    for u in range(n):
        for k in range(field.at[u], field.at[u + 1]):
            collect(field.pair, field.table[field.halves[k] >> 1], m, field.halves[k])
        own_scores(field, m, u, own)
        share = 1.0 / (field.at[u + 1] - field.at[u] + 1)
        for k in range(field.at[u], field.at[u + 1]):
            for s in range(K):
                m[field.halves[k], s] -= share * own[s]


@compiled
def slacks(field: Field, m: Array, labels: Ints, out: Array) -> None:
    """out = the slack of each node's label, then of each edge's pair of labels; their sum is D(m) - score."""
    n, K = field.unary.shape
    own = np.empty(K)
    for u in range(n):
        own_scores(field, m, u, own)
        out[u] = np.max(own) - own[labels[u]]
    for e in range(len(field.ends)):
        s, t = labels[field.ends[e, 0]], labels[field.ends[e, 1]]
        value = field.pair[field.table[e], s, t] - m[2 * e, s] - m[2 * e + 1, t]
        out[n + e] = edge_rest(field, m, e) - value


@compiled
def threshold(values: Array, allowance: float) -> float:
    """A level such that the values up to it sum to at most `allowance`."""
    level = allowance / max(len(values), 1)
    while True:
        total = 0.0
        for v in values:
            if v <= 2.0 * level:
                total += v
        if total > allowance or level > allowance:
            return level
        level *= 2.0


@compiled
def in_doubt(field: Field, slack: Array, level: float, core: Flags) -> None:
    """Nodes and ends of edges with a slack above the level, and their neighbours."""
    n = len(core)
    for u in range(n):
        core[u] = core[u] or slack[u] > level
    for e in range(len(field.ends)):
        if slack[n + e] > level:
            core[field.ends[e, 0]] = True
            core[field.ends[e, 1]] = True
    widen(field, core)


@compiled
def widen(field: Field, core: Flags) -> None:
    """Add the neighbours of the core; all nodes where that is half of them."""
    first = core.copy()
    for e in range(len(field.ends)):
        a, b = field.ends[e]
        if first[a]:
            core[b] = True
        if first[b]:
            core[a] = True
    if 2 * np.sum(core) > len(core):
        core[:] = True


@compiled
def settle_border(field: Field, m: Array, labels: Ints, core: Flags) -> None:
    """Let outside nodes spend their margins on the border, then give the core all that the border's edges hold."""
    n, K = field.unary.shape
    own = np.empty(K)
    for v in range(n):
        if core[v]:
            continue
        own_scores(field, m, v, own)
        crossing = 0
        for k in range(field.at[v], field.at[v + 1]):
            h = field.halves[k]
            crossing += core[field.ends[h >> 1, 1 - (h & 1)]]
        for k in range(field.at[v], field.at[v + 1]):
            h = field.halves[k]
            if core[field.ends[h >> 1, 1 - (h & 1)]]:
                for t in range(K):
                    m[h, t] += max(own[labels[v]] - own[t], 0.0) / crossing
                collect(field.pair, field.table[h >> 1], m, h ^ 1)


@compiled
def solve_core(field: Field, m: Array, labels: Ints, core: Flags, goal: float, warmth: float, answer: Answer) -> None:
    """The program of the core at these messages; its multipliers become messages."""
    n, K = field.unary.shape
    number, inside = np.full(n, -1), np.empty(n, np.int64)
    size = 0
    for u in range(n):
        if core[u]:
            number[u] = size
            inside[size] = u
            size += 1
    unary = np.empty((size, K))
    for c in range(size):
        unary[c] = field.unary[inside[c]]
    kept, count = np.empty(len(field.ends), np.int64), 0
    ends = np.empty((len(field.ends), 2), np.int64)
    for e in range(len(field.ends)):
        a, b = number[field.ends[e, 0]], number[field.ends[e, 1]]
        if a >= 0 and b >= 0:
            ends[count, 0], ends[count, 1], kept[count] = a, b, e
            count += 1
        elif a >= 0:
            unary[a] += m[2 * e]
        elif b >= 0:
            unary[b] += m[2 * e + 1]
    pair, p = np.empty((count, K, K)), np.empty((2 * count, K))
    for c in range(count):
        pair[c] = field.pair[field.table[kept[c]]]
        p[2 * c], p[2 * c + 1] = m[2 * kept[c]], m[2 * kept[c] + 1]
    point = start(unary, ends[:count], pair, p, warmth)
    interior_point(ends[:count], point, goal)
    for c in range(count):
        m[2 * kept[c]], m[2 * kept[c] + 1] = point.p[2 * c], point.p[2 * c + 1]
    fill(field, labels, number, inside[:size], kept[:count], point.x, point.xe, answer)


@compiled
def fill(
    field: Field, labels: Ints, number: Ints, inside: Ints, kept: Ints, x: Array, xe: Array, answer: Answer
) -> None:
    """The core's shares, made exactly feasible, and the labelling outside."""
    hard_shares(field, labels, answer)
    for c in range(len(inside)):
        u = inside[c]
        total = 0.0
        for s in range(x.shape[1]):
            answer.node[u, s] = snapped(x[c, s])
            total += answer.node[u, s]
        answer.node[u] /= total
    for c in range(len(kept)):
        answer.edge[kept[c]] = xe[c]
    for e in range(len(field.ends)):
        a, b = field.ends[e]
        if number[a] >= 0 and number[b] >= 0:
            couple(answer.edge[e], answer.node[a], answer.node[b])
        elif number[a] >= 0 or number[b] >= 0:
            for s in range(x.shape[1]):
                for t in range(x.shape[1]):
                    answer.edge[e, s, t] = answer.node[a, s] * answer.node[b, t]


@compiled
def snapped(share: float) -> float:
    """0, 1/2 or 1 where a share is next to it: what an interior point only comes near to."""
    near = np.rint(2.0 * share) / 2.0
    return near if abs(share - near) < 1e-4 else share


@compiled
def couple(shares: Array, a: Array, b: Array) -> None:
    """Scale an edge's shares down where its sums exceed a and b, then add what is missing (Altschuler et al. 2017)."""
    K = len(a)
    for s in range(K):
        total = np.sum(shares[s])
        if total > a[s]:
            shares[s] *= a[s] / total
    for t in range(K):
        total = np.sum(shares[:, t])
        if total > b[t]:
            shares[:, t] *= b[t] / total
    row, missing = np.empty(K), 0.0
    for s in range(K):
        row[s] = max(a[s] - np.sum(shares[s]), 0.0)
        missing += row[s]
    if missing > 0.0:
        for t in range(K):
            rest = max(b[t] - np.sum(shares[:, t]), 0.0)
            for s in range(K):
                shares[s, t] += row[s] * rest / missing


@compiled
def hard_shares(field: Field, labels: Ints, answer: Answer) -> None:
    """The shares of a labelling."""
    answer.node[:] = 0.0
    answer.edge[:] = 0.0
    for u in range(len(labels)):
        answer.node[u, labels[u]] = 1.0
    for e in range(len(field.ends)):
        answer.edge[e, labels[field.ends[e, 0]], labels[field.ends[e, 1]]] = 1.0


@compiled
def value_of(field: Field, answer: Answer) -> float:
    """The score of the shares."""
    total = np.sum(field.unary * answer.node)
    for e in range(len(field.ends)):
        total += np.sum(field.pair[field.table[e]] * answer.edge[e])
    return total


@compiled
def losses(field: Field, m: Array, answer: Answer, out: Array) -> None:
    """out = what each node and edge lacks of its part of D(m); their sum is D(m) - value."""
    n, K = field.unary.shape
    own = np.empty(K)
    for u in range(n):
        own_scores(field, m, u, own)
        out[u] = np.max(own) - np.sum(own * answer.node[u])
    for e in range(len(field.ends)):
        out[n + e] = edge_rest(field, m, e)
        for s in range(K):
            for t in range(K):
                out[n + e] -= answer.edge[e, s, t] * (
                    field.pair[field.table[e], s, t] - m[2 * e, s] - m[2 * e + 1, t]
                )


@compiled
def spread(field: Field, loss: Array, level: float, core: Flags) -> None:
    """Take the far ends of border edges that lack more than the level into the core, and what is around them."""
    n = len(core)
    more = np.zeros(n, np.bool_)
    for e in range(len(field.ends)):
        a, b = field.ends[e]
        if loss[n + e] > level and core[a] != core[b]:
            more[a] = True
            more[b] = True
    for u in range(n):
        more[u] = more[u] or (loss[u] > level and not core[u])
    widen(field, more)
    widen(field, more)
    for u in range(n):
        core[u] = core[u] or more[u]
    if 2 * np.sum(core) > n:
        core[:] = True


@compiled
def relax(field: Field, most: int, tolerance: float, answer: Answer) -> float:
    """Fill the answer; returns the bound."""
    n, K = field.unary.shape
    scale = scale_of(field)
    m = np.zeros((2 * len(field.ends), K))
    answer.labels[:] = 0
    bound, best = sweeps(field, m, answer.labels, most, tolerance, scale)
    hard_shares(field, answer.labels, answer)
    bound = dual_bound(field, m)
    goal = tolerance * max(abs(bound), scale)
    if bound - best <= goal:
        return bound
    even_out(field, m)
    loss = np.empty(n + len(field.ends))
    core = np.zeros(n, np.bool_)
    labels = answer.labels.copy()
    slacks(field, m, labels, loss)
    in_doubt(field, loss, threshold(loss, 0.25 * goal), core)
    while True:
        settle_border(field, m, labels, core)
        solve_core(field, m, labels, core, 0.1 * goal, 0.2 * scale, answer)
        bound = min(bound, dual_bound(field, m))
        if bound - value_of(field, answer) <= goal or np.all(core):
            return bound
        losses(field, m, answer, loss)
        spread(field, loss, threshold(loss, 0.25 * goal), core)


@compiled
def relax_fields(
    unary: Array,
    nodes: Ints,
    ends: Ints,
    edges: Ints,
    table: Ints,
    pair: Array,
    lo: int,
    hi: int,
    most: int,
    tolerance: float,
    node: Array,
    edge: Array,
    labels: Ints,
    bound: Array,
) -> None:
    """Shares, labels and bounds of fields lo .. hi - 1, each at its place in the stack."""
    at, halves = scratch(nodes, edges, lo, hi)
    for i in range(lo, hi):
        field = field_at(i, unary, nodes, ends, edges, table, pair, at, halves)
        a, b, c, d = nodes[i], nodes[i + 1], edges[i], edges[i + 1]
        bound[i] = relax(field, most, tolerance, Answer(node[a:b], edge[c:d], labels[a:b]))
