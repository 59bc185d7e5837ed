"""Oracles that compiled visits can ask: one field at a time, answers as whole numbers.

`decode` finds a labelling of largest score (exhaustive) or looks for one, by the method of that number. Two states: twice
the share of state 1 of each node, then twice the share of (1, 1) of each edge; more states: the state of each node.
"""

import numpy as np

from explorer.engine.cache import Labels
from explorer.engine.kernels.belief import propagate_one
from explorer.engine.kernels.compiled import compiled
from explorer.engine.kernels.field_moves import climb, icm
from explorer.engine.kernels.incidence import Field, incidence
from explorer.engine.kernels.tree_max import tree_best
from explorer.engine.vectors import Array, Ints

EXHAUSTIVE, INDEPENDENT, TREE, GREEDY, MODES, BELIEF, COMBINE = range(7)


@compiled
def decode(oracle: int, effort: Array, unary: Array, ends: Ints, pair: Array, numbers: Labels) -> None:
    """Write the oracle's labelling of one field into `numbers`."""
    labels = np.zeros(len(unary), np.int64)
    if oracle == EXHAUSTIVE:
        every_labelling(unary, ends, pair, labels)
    elif oracle == INDEPENDENT:
        each_node(unary, labels)
    else:
        by_field(oracle, effort, unary, ends, pair, labels)
    write_hard(labels, ends, unary.shape[1] == 2, numbers)


@compiled
def by_field(oracle: int, effort: Array, unary: Array, ends: Ints, pair: Array, labels: Ints) -> None:
    """The decoders that walk along edges. `effort`: whether a search starts nodewise, sweeps, damping, tolerance."""
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
    """The best of all labellings, the first of equals when read from the last node back to the first."""
    m, K = unary.shape
    count = K**m
    now = np.zeros(m, np.int64)
    best = -np.inf
    for _ in range(count):
        here = score(unary, ends, pair, now)
        if here > best:
            best = here
            labels[:] = now
        u = 0
        while u < m:
            now[u] += 1
            if now[u] < K:
                break
            now[u] = 0
            u += 1
