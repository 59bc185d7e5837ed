"""Parts of a field in which an answer is in doubt, cut out so that they can be solved alone.

At messages m, with D as in `tree_reweighted`, an answer (shares of nodes and edges) lacks l_u, l_e >= 0 of
each node's and each edge's part of D, and D(m) - score = sum of all l: where they are 0 the answer is proven.
The others, and what is around them, are the *core*. Outside it the answer stays. Nodes outside spend their
margins on the edges across the border, which then give all that they hold to the core; so a component of the
core is a field of its own, and what the whole may lack is what border and outside lack (after Savchynskyy et
al. 2013). Where that is too much, the core grows. Cost: e K^2 each.
"""

import numpy as np
from numpy.typing import NDArray

from explorer.engine.compiled import compiled
from explorer.engine.incidence import Field, first_best
from explorer.engine.structures.fields.kernels.tree_reweighted import collect, edge_rest, own_scores
from explorer.engine.vectors import Array, Ints

Flags = NDArray[np.bool_]


@compiled
def even_out(field: Field, m: Array) -> None:
    """Spread what every node has evenly over itself and its edges; D does not rise."""
    n, K = field.unary.shape
    own = np.empty(K)
    for u in range(n):
        for k in range(field.at[u], field.at[u + 1]):
            h = field.halves[k]
            collect(field.pair, field.table[h >> 1], m, h)
        own_scores(field, m, u, own)
        share = 1.0 / (field.at[u + 1] - field.at[u] + 1)
        for k in range(field.at[u], field.at[u + 1]):
            for s in range(K):
                m[field.halves[k], s] -= share * own[s]


@compiled
def lacks(field: Field, m: Array, node: Array, edge: Array, out: Array) -> None:
    """out = l of each node, then of each edge, of the answer with these shares."""
    n, K = field.unary.shape
    own = np.empty(K)
    for u in range(n):
        own_scores(field, m, u, own)
        top, total = own[first_best(own)], 0.0
        for s in range(K):
            total += node[u, s] * (top - own[s])
        out[u] = total
    for e in range(len(field.ends)):
        top, total = edge_rest(field, m, e), 0.0
        for s in range(K):
            for t in range(K):
                if edge[e, s, t] > 0.0:
                    here = field.pair[field.table[e], s, t] - m[2 * e, s] - m[2 * e + 1, t]
                    total += edge[e, s, t] * (top - here)
        out[n + e] = total


@compiled
def only_outside(field: Field, core: Flags, lack: Array) -> float:
    """Set to 0 what nodes and edges inside the core lack; returns what the rest lacks together."""
    n, total = len(core), 0.0
    for u in range(n):
        lack[u] = 0.0 if core[u] else lack[u]
        total += lack[u]
    for e in range(len(field.ends)):
        if core[field.ends[e, 0]] and core[field.ends[e, 1]]:
            lack[n + e] = 0.0
        total += lack[n + e]
    return total


@compiled
def negligible(values: Array, allowance: float) -> float:
    """A level such that the values up to it sum to at most `allowance`."""
    level = allowance / max(len(values), 1)
    while level < allowance:
        total = 0.0
        for v in values:
            if v <= 2.0 * level:
                total += v
        if total > allowance:
            break
        level *= 2.0
    return level


@compiled
def grow(field: Field, lack: Array, level: float, rings: int, core: Flags) -> None:
    """Add what lacks more than the level, and this many rings of neighbours; all nodes when nothing or half
    is added.
    """
    n, before, after = len(core), 0, 0
    ring = np.full(n, rings + 1)
    for u in range(n):
        before += core[u]
        if lack[u] > level:
            ring[u] = 0
    for e in range(len(field.ends)):
        if lack[n + e] > level:
            ring[field.ends[e, 0]] = ring[field.ends[e, 1]] = 0
    for k in range(rings):
        for e in range(len(field.ends)):
            a, b = field.ends[e, 0], field.ends[e, 1]
            if ring[a] == k or ring[b] == k:
                ring[a], ring[b] = min(ring[a], k + 1), min(ring[b], k + 1)
    for u in range(n):
        # Not `core[u] = core[u] or ...`: some processors' vector code for that forgets flags that were set.
        if ring[u] <= rings:
            core[u] = True
        after += core[u]
    if after == before or 2 * after > n:
        core[:] = True


@compiled
def settle_border(field: Field, m: Array, labels: Ints, core: Flags) -> None:
    """Let outside nodes spend their margins on the border, then give the core all that the border's edges
    hold.
    """
    n, K = field.unary.shape
    own = np.empty(K)
    for v in range(n):
        crossing = 0
        for k in range(field.at[v], field.at[v + 1]):
            h = field.halves[k]
            crossing += core[field.ends[h >> 1, 1 - (h & 1)]]
        if core[v] or crossing == 0:
            continue
        own_scores(field, m, v, own)
        for k in range(field.at[v], field.at[v + 1]):
            h = field.halves[k]
            if core[field.ends[h >> 1, 1 - (h & 1)]]:
                for t in range(K):
                    m[h, t] += max(own[labels[v]] - own[t], 0.0) / crossing
                collect(field.pair, field.table[h >> 1], m, h ^ 1)


@compiled
def components(field: Field, core: Flags, of: Ints) -> int:
    """Number the components of the core: of[u] is node u's, or -1 outside; returns how many there are."""
    n, count = len(core), 0
    stack = np.empty(n, np.int64)
    of[:] = -1
    for root in range(n):
        if not core[root] or of[root] >= 0:
            continue
        stack[0], size, of[root] = root, 1, count
        while size:
            size -= 1
            u = stack[size]
            for k in range(field.at[u], field.at[u + 1]):
                h = field.halves[k]
                v = field.ends[h >> 1, 1 - (h & 1)]
                if core[v] and of[v] < 0:
                    of[v] = count
                    stack[size] = v
                    size += 1
        count += 1
    return count


@compiled
def is_whole(core: Flags) -> bool:
    """Whether every node is in the core."""
    inside = 0
    for flag in core:
        inside += flag
    return inside == len(core)
