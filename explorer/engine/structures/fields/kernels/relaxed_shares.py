"""Points of the local polytope of one field: shares x_u of every node's states and x_e of every edge's pairs
of states.

    x >= 0,   sum_s x_u[s] = 1,   sum_t x_e[s, t] = x_a[s],   sum_s x_e[s, t] = x_b[t]         e = (a, b)

A labelling is the point with whole shares. `fit` turns shares that nearly are a point into one: an edge's are
scaled down where their sums are too large, and what is then missing is added as a product (Altschuler, Weed
and Rigollet 2017, algorithm 2).
"""

import numpy as np
from numpy.typing import NDArray

from explorer.engine.compiled import compiled
from explorer.engine.incidence import Field
from explorer.engine.vectors import Array, Ints

Flags = NDArray[np.bool_]


@compiled
def whole_shares(field: Field, labels: Ints, node: Array, edge: Array) -> None:
    """The shares of a labelling."""
    node[:] = 0.0
    edge[:] = 0.0
    for u in range(len(labels)):
        node[u, labels[u]] = 1.0
    for e in range(len(field.ends)):
        edge[e, labels[field.ends[e, 0]], labels[field.ends[e, 1]]] = 1.0


@compiled
def border_shares(ends: Ints, core: Flags, node: Array, edge: Array) -> None:
    """Make an edge's shares the products of its ends', where one end is in the core and the other is
    whole.
    """
    for e in range(len(ends)):
        a, b = ends[e, 0], ends[e, 1]
        if core[a] != core[b]:
            for s in range(node.shape[1]):
                for t in range(node.shape[1]):
                    edge[e, s, t] = node[a, s] * node[b, t]


@compiled
def score_of_shares(field: Field, node: Array, edge: Array) -> float:
    """The score of a point: linear in its shares."""
    total, K = 0.0, field.unary.shape[1]
    for u in range(len(node)):
        for s in range(K):
            total += field.unary[u, s] * node[u, s]
    for e in range(len(edge)):
        for s in range(K):
            for t in range(K):
                total += field.pair[field.table[e], s, t] * edge[e, s, t]
    return total


@compiled
def snap(share: float, near: float) -> float:
    """0, 1/2 or 1 where the share is that near to it; never negative."""
    target = np.rint(2.0 * share) / 2.0
    return float(target) if abs(share - target) <= near else max(share, 0.0)


@compiled
def _couple(e: int, a: int, b: int, node: Array, edge: Array) -> None:
    """Make the sums of edge e's shares those of nodes a and b."""
    K = node.shape[1]
    for s in range(K):
        total = 0.0
        for t in range(K):
            total += edge[e, s, t]
        for t in range(K):
            edge[e, s, t] *= node[a, s] / total if total > node[a, s] else 1.0
    rest, missing = np.empty((2, K)), 0.0
    for t in range(K):
        total = 0.0
        for s in range(K):
            total += edge[e, s, t]
        for s in range(K):
            edge[e, s, t] *= node[b, t] / total if total > node[b, t] else 1.0
        rest[1, t] = max(node[b, t] - total, 0.0)
    for s in range(K):
        rest[0, s] = node[a, s]
        for t in range(K):
            rest[0, s] -= edge[e, s, t]
        rest[0, s] = max(rest[0, s], 0.0)
        missing += rest[0, s]
    if missing > 0.0:
        for s in range(K):
            for t in range(K):
                edge[e, s, t] += rest[0, s] * rest[1, t] / missing


@compiled
def fit(ends: Ints, core: Flags, near: float, node: Array, edge: Array) -> None:
    """Make the shares of the core's nodes and edges a point; those that are `near` 0, 1/2 or 1 become that
    first.
    """
    K = node.shape[1]
    for u in range(len(node)):
        if core[u]:
            total = 0.0
            for s in range(K):
                node[u, s] = snap(node[u, s], near)
                total += node[u, s]
            for s in range(K):
                node[u, s] /= total
    for e in range(len(ends)):
        if core[ends[e, 0]] or core[ends[e, 1]]:
            for s in range(K):
                for t in range(K):
                    edge[e, s, t] = snap(edge[e, s, t], near)
            _couple(e, ends[e, 0], ends[e, 1], node, edge)
