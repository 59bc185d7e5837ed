"""Oracles that compiled visits can ask: one field at a time, answers as whole numbers.

`decode` finds a labelling of largest score (exhaustive) or looks for one, by the method of that number. Two
states: twice the share of state 1 of each node, then twice the share of (1, 1) of each edge; more states: the
state of each node.
"""

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.incidence import Field, incidence
from explorer.engine.structures.fields.kernels.belief import propagate_one
from explorer.engine.structures.fields.kernels.moves import climb, icm
from explorer.engine.structures.fields.kernels.roof_duality import attraction, roof_fields
from explorer.engine.structures.fields.kernels.tree_max import tree_best
from explorer.engine.vectors import Array, Ints
from explorer.engine.visits import Labels

EXHAUSTIVE, INDEPENDENT, TREE, GREEDY, MODES, BELIEF, COMBINE, ROOF = range(8)


@compiled
def decode(oracle: int, effort: Array, unary: Array, ends: Ints, pair: Array, numbers: Labels) -> None:
    """Write the oracle's labelling of one field into `numbers`."""
    labels = np.zeros(len(unary), np.int64)
    if oracle == ROOF:
        by_cut(unary, ends, pair, labels, numbers)
        return
    if oracle == EXHAUSTIVE:
        every_labelling(unary, ends, pair, labels)
    elif oracle == INDEPENDENT:
        each_node(unary, labels)
    else:
        by_field(oracle, effort, unary, ends, pair, labels)
    write_hard(labels, ends, unary.shape[1] == 2, numbers)


@compiled
def by_cut(unary: Array, ends: Ints, pair: Array, twice: Ints, numbers: Labels) -> None:
    """Roof duality: twice the best shares of the nodes, and of the edges what attains its bound with them."""
    m, e = len(unary), len(ends)
    table = np.arange(e)
    roof_fields(unary, np.array([0, m]), ends, np.array([0, e]), table, pair, 0, 1, twice, np.empty(1))
    for u in range(m):
        numbers[u] = twice[u]
    for k in range(e):
        y, z = twice[ends[k, 0]], twice[ends[k, 1]]
        numbers[m + k] = min(y, z) if attraction(pair, k) >= 0.0 else max(0, y + z - 2)


@compiled
def by_field(oracle: int, effort: Array, unary: Array, ends: Ints, pair: Array, labels: Ints) -> None:
    """The decoders that walk along edges. `effort`: whether a search starts nodewise, sweeps, damping,
    tolerance.
    """
    m, table = len(unary), np.arange(len(ends))
    at, halves = np.empty(m + 1, np.int64), np.empty(2 * len(ends), np.int64)
    incidence(ends, at, halves)
    field = Field(unary, ends, table, pair, at, halves)
    if oracle == TREE:
        tree_best(field, labels)
    elif oracle == MODES:
        each_node(unary, labels)
        icm(field, labels)
    if oracle in (GREEDY, COMBINE):
        if effort[0] > 0.0:
            each_node(unary, labels)
        climb(field, -1, labels)
    if oracle in (BELIEF, COMBINE):
        other = np.empty(m, np.int64)
        propagate_one(unary, ends, table, pair, int(effort[1]), effort[2], effort[3], other)
        if oracle == BELIEF or score(unary, ends, pair, other) > score(unary, ends, pair, labels):
            labels[:] = other


@compiled
def score(unary: Array, ends: Ints, pair: Array, labels: Ints) -> float:
    """The score of one hard labelling."""
    total = 0.0
    for u in range(len(unary)):
        total += unary[u, labels[u]]
    for e in range(len(ends)):
        total += pair[e, labels[ends[e, 0]], labels[ends[e, 1]]]
    return float(total)


@compiled
def write_hard(labels: Ints, ends: Ints, two: bool, numbers: Labels) -> None:
    """A hard labelling as numbers."""
    m = len(labels)
    for u in range(m):
        numbers[u] = 2 * labels[u] if two else labels[u]
    if two:
        for e in range(len(ends)):
            numbers[m + e] = 2 * labels[ends[e, 0]] * labels[ends[e, 1]]


@compiled
def each_node(unary: Array, labels: Ints) -> None:
    """The best state of every node by itself; ties go to the smaller state."""
    for u in range(len(unary)):
        labels[u] = np.argmax(unary[u])


@compiled
def every_labelling(unary: Array, ends: Ints, pair: Array, labels: Ints) -> None:
    """The best of all labellings, the first of equals when read from the last node back to the first.

    Labelling number sum_u y_u K^u has the score total[number]; one more node multiplies their number by K,
    and what it adds to each is built up in the same way from its edges to the nodes before it. Cost: O(K^m),
    whatever the edges.
    """
    m, K = unary.shape
    # What each pair of nodes adds, whichever way its edges point, several edges as one.
    joint = np.zeros((m, m, K, K))
    for e in range(len(ends)):
        a, b = ends[e, 0], ends[e, 1]
        for r in range(K):
            for s in range(K):
                if a < b:
                    joint[a, b, r, s] += pair[e, r, s]
                else:
                    joint[b, a, s, r] += pair[e, r, s]
    # Grow: scores of all labellings of the first nodes, one more node at a time.
    total, added = np.zeros(K**m), np.empty(K ** max(m - 1, 0))
    size = 1
    for u in range(m):
        for s in range(K - 1, -1, -1):  # state 0 last: it takes the place of what was there before
            added[0] = unary[u, s]
            part = 1
            for v in range(u):
                for t in range(K - 1, -1, -1):
                    for p in range(part):
                        added[t * part + p] = added[p] + joint[v, u, t, s]
                part *= K
            for p in range(size):
                total[s * size + p] = total[p] + added[p]
        size *= K
    # The number of the best labelling, digit by digit.
    best = np.argmax(total)
    for u in range(m):
        labels[u] = best % K
        best //= K
