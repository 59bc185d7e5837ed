"""Oracles that compiled visits can ask: one field at a time, answers as whole numbers.

`decode` finds a labelling of largest score (exhaustive) or looks for one, by the method of that number. Two states: twice
the share of state 1 of each node, then twice the share of (1, 1) of each edge; more states: the state of each node.
"""

import numpy as np

from explorer.engine.cache import Labels
from explorer.engine.kernels.compiled import compiled
from explorer.engine.vectors import Array, Ints

EXHAUSTIVE, INDEPENDENT = 0, 1


@compiled
def decode(oracle: int, effort: Array, unary: Array, ends: Ints, pair: Array, numbers: Labels) -> None:
    """Write the oracle's labelling of one field into `numbers`."""
    labels = np.empty(len(unary), np.int64)
    if oracle == EXHAUSTIVE:
        every_labelling(unary, ends, pair, labels)
    else:
        each_node(unary, labels)
    write_hard(labels, ends, unary.shape[1] == 2, numbers)


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
    best, score = -np.inf, 0.0
    for _ in range(count):
        score = 0.0
        for u in range(m):
            score += unary[u, now[u]]
        for e in range(len(ends)):
            score += pair[e, now[ends[e, 0]], now[ends[e, 1]]]
        if score > best:
            best = score
            labels[:] = now
        u = 0
        while u < m:
            now[u] += 1
            if now[u] < K:
                break
            now[u] = 0
            u += 1
