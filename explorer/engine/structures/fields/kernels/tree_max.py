"""The best labelling of fields without cycles: max-product from the leaves to the roots, and back.

    up[u, s] = unary[u, s] + sum over children c of max_r (up[c, r] + pair[r, s])
        best score below u when y_u = s
    y_root = argmax_s up[root, s],      y_c = argmax_r (up[c, r] + pair[r, y_parent])

Every component hangs from its node of the largest number, so that on a chain in order this is Viterbi's
recursion with Viterbi's tie rule: of all best labellings, the first when read from the last node back. On
other trees a tie goes to the smaller state of the parent, then of the child. Source: Pearl, "Probabilistic
Reasoning in Intelligent Systems" (1988), section 5; max-sum form in Koller and Friedman (2009), section 13.3.
Cost O(m K^2) time, O(m K) memory.
"""

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.incidence import Field, field_at, first_best, pair_score, scratch
from explorer.engine.vectors import Array, Ints


@compiled
def hang(field: Field, order: Ints, parent: Ints) -> int:
    """Write the nodes so that parents come before children, and the half-edge from each to its parent (-1:
    root).

    Returns the number of components.
    """
    parent[:] = -2
    filled, done, components = 0, 0, 0
    for root in range(len(order) - 1, -1, -1):
        if parent[root] != -2:
            continue
        components += 1
        parent[root], order[filled] = -1, root
        filled += 1
        while done < filled:
            u = order[done]
            done += 1
            for k in range(field.at[u], field.at[u + 1]):
                h = field.halves[k]
                v = field.ends[h >> 1, 1 - (h & 1)]
                if parent[v] == -2:
                    parent[v], order[filled] = h ^ 1, v
                    filled += 1
    return components


@compiled
def first_cyclic(
    unary: Array, nodes: Ints, ends: Ints, edges: Ints, table: Ints, pair: Array, lo: int, hi: int
) -> int:
    """The first of the stacked fields lo .. hi - 1 that has a cycle: more edges than nodes without their
    roots; or -1.
    """
    at, halves = scratch(nodes, edges, lo, hi)
    order, parent = np.empty(len(at), np.int64), np.empty(len(at), np.int64)
    for i in range(lo, hi):
        m, e = nodes[i + 1] - nodes[i], edges[i + 1] - edges[i]
        if e == 0:
            continue
        if e >= m:
            return i
        field = field_at(i, unary, nodes, ends, edges, table, pair, at, halves)
        if e != m - hang(field, order[:m], parent[:m]):
            return i
    return -1


@compiled
def _lift(field: Field, order: Ints, parent: Ints, up: Array) -> None:
    """Fill up from the leaves to the roots."""
    up[:] = field.unary
    for k in range(len(order) - 1, -1, -1):
        u = order[k]
        h = parent[u]
        if h < 0:
            continue
        p = field.ends[h >> 1, 1 - (h & 1)]
        for s in range(up.shape[1]):
            best = up[u, 0] + pair_score(field, h, 0, s)
            for r in range(1, up.shape[1]):
                best = max(best, up[u, r] + pair_score(field, h, r, s))
            up[p, s] += best


@compiled
def tree_best(field: Field, labels: Ints) -> None:
    """Write the best labelling of one field without cycles."""
    order, parent = np.empty(len(labels), np.int64), np.empty(len(labels), np.int64)
    hang(field, order, parent)
    up = np.empty_like(field.unary)
    _lift(field, order, parent, up)
    for u in order:
        h = parent[u]
        if h >= 0:
            state = labels[field.ends[h >> 1, 1 - (h & 1)]]
            for r in range(up.shape[1]):
                up[u, r] += pair_score(field, h, r, state)
        labels[u] = first_best(up[u])


@compiled
def tree_best_all(
    unary: Array,
    nodes: Ints,
    ends: Ints,
    edges: Ints,
    table: Ints,
    pair: Array,
    lo: int,
    hi: int,
    labels: Ints,
) -> None:
    """The best labelling of each of the stacked fields lo .. hi - 1, none of which has a cycle."""
    at, halves = scratch(nodes, edges, lo, hi)
    for i in range(lo, hi):
        field = field_at(i, unary, nodes, ends, edges, table, pair, at, halves)
        tree_best(field, labels[nodes[i] : nodes[i + 1]])
