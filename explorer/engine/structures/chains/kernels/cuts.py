"""Cuts of chains as vectors that are never stored: added to w, multiplied with it, and with each other.

    a = features(truth) - features(path):
        x_t in column truth_t and -x_t in column path_t of the emissions where the two
    differ, and +1 / -1 for the transitions (and ends) of either

A labelling of one position is a class: multiclass problems are chains of length 1 without transitions.
Products of two cuts spread one over zeros, read it with the other, and wipe it. Cost: O(entries of the
positions that differ), once for each wrong state of a position among all cuts read.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorer.engine.compiled import compiled
from explorer.engine.dual.slots import Own
from explorer.engine.vectors import Array, Ints
from explorer.engine.visits import Labels


class Corpus(NamedTuple):
    """CSR rows of all positions, true labels, where each chain begins, and its loss: factor[i] cost[truth,
    label].
    """

    start: NDArray[np.int32]
    column: NDArray[np.int32]
    value: Array
    truth: Ints
    offsets: Ints
    cost: Array
    factor: Array
    ends: bool


class Views(NamedTuple):
    """A weight vector seen as its parts: emissions F x K, transitions K x K, start and stop weights."""

    emissions: Array
    trans: Array
    begin: Array
    end: Array


@compiled
def parts(w: Array, features: int, states: int, ends: bool) -> Views:
    """Views into w; for length-1 chains without transitions, and without end weights, empty or zero parts."""
    at = features * states
    rows = states if len(w) > at else 0
    emissions = w[:at].reshape((features, states))
    trans = w[at : at + rows * states].reshape((rows, states))
    if ends:
        at += states * states
        return Views(emissions, trans, w[at : at + states], w[at + states : at + 2 * states])
    return Views(emissions, trans, np.zeros(states), np.zeros(states))


@compiled
def add_cut(corpus: Corpus, i: int, path: Labels, by: float, views: Views) -> None:
    """views += by * (features of the truth - features of the path)."""
    first, last = corpus.offsets[i], len(path) - 1
    for t in range(len(path)):
        a, b = corpus.truth[first + t], path[t]
        if a != b:
            for e in range(corpus.start[first + t], corpus.start[first + t + 1]):
                f, x = corpus.column[e], by * corpus.value[e]
                views.emissions[f, a] += x
                views.emissions[f, b] -= x
        if t > 0 and (a != b or corpus.truth[first + t - 1] != path[t - 1]):
            views.trans[corpus.truth[first + t - 1], a] += by
            views.trans[path[t - 1], b] -= by
    if corpus.ends:
        views.begin[corpus.truth[first]] += by
        views.begin[path[0]] -= by
        views.end[corpus.truth[first + last]] += by
        views.end[path[last]] -= by


@compiled
def cut_product(corpus: Corpus, i: int, path: Labels, views: Views, known: Array) -> float:
    """views . (features of the truth - features of the path); known[t, state] keeps what a wrong state at
    position t contributes, NaN until it is first asked for.
    """
    first, last, total = corpus.offsets[i], len(path) - 1, 0.0
    for t in range(len(path)):
        a, b = corpus.truth[first + t], path[t]
        if a != b:
            if np.isnan(known[t, b]):
                product = 0.0
                for e in range(corpus.start[first + t], corpus.start[first + t + 1]):
                    f = corpus.column[e]
                    product += corpus.value[e] * (views.emissions[f, a] - views.emissions[f, b])
                known[t, b] = product
            total += known[t, b]
        if t > 0 and (a != b or corpus.truth[first + t - 1] != path[t - 1]):
            total += views.trans[corpus.truth[first + t - 1], a] - views.trans[path[t - 1], b]
    if corpus.ends:
        total += views.begin[corpus.truth[first]] - views.begin[path[0]]
        total += views.end[corpus.truth[first + last]] - views.end[path[last]]
    return float(total)


@compiled
def wipe_cut(corpus: Corpus, i: int, path: Labels, views: Views) -> None:
    """Set to 0 what add_cut changed, exactly."""
    first, last = corpus.offsets[i], len(path) - 1
    for t in range(len(path)):
        a, b = corpus.truth[first + t], path[t]
        if a != b:
            for e in range(corpus.start[first + t], corpus.start[first + t + 1]):
                f = corpus.column[e]
                views.emissions[f, a] = 0.0
                views.emissions[f, b] = 0.0
        if t > 0:
            views.trans[corpus.truth[first + t - 1], a] = 0.0
            views.trans[path[t - 1], b] = 0.0
    if corpus.ends:
        views.begin[corpus.truth[first]] = 0.0
        views.begin[path[0]] = 0.0
        views.end[corpus.truth[first + last]] = 0.0
        views.end[path[last]] = 0.0


@compiled
def gram_column(corpus: Corpus, i: int, mine: Own, held: int, q: int, blank: Views, known: Array) -> None:
    """Products of cut q of example i with itself and with every older one: always the newer spread, the older
    read. `known` is room to work in, a row for each position: an example's cuts share most of their mistakes.
    """
    known[: mine.labels.shape[1]] = np.nan
    add_cut(corpus, i, mine.labels[q], 1.0, blank)
    for r in range(held):
        if mine.ids[r] <= mine.ids[q]:
            product = cut_product(corpus, i, mine.labels[r], blank, known)
            mine.gram[q, r] = product
            mine.gram[r, q] = product
    wipe_cut(corpus, i, mine.labels[q], blank)
