"""A chain's trellis cut down to the states that have been seen: at each position the truth, and what any cut
had there.

    max over y with y_t in S_t of   score(y) + loss(y),       S_t = {truth_t} + {states seen at t}

are the labellings that earlier answers of the oracle can be recombined to: exponentially many, of which a few
at most have been met. Viterbi on the small trellis finds the best of them. A position where only the truth
has been seen adds the same to every score and is not scored at all. Cost: O(entries |S| + T |S|^2) in place
of O(entries K + T K^2).
"""

import numpy as np
from numpy.typing import NDArray

from explorer.engine.compiled import compiled
from explorer.engine.vectors import Array, Ints
from explorer.engine.visits import Labels


@compiled
def list_states(truth: Ints, seen: NDArray[np.bool_], states: Ints, count: Ints) -> None:
    """states[t, : count[t]] = S_t, the truth first and then the others by number."""
    for t in range(len(truth)):
        states[t, 0] = truth[t]
        many = 1
        for s in range(seen.shape[1]):
            if seen[t, s] and s != truth[t]:
                states[t, many] = s
                many += 1
        count[t] = many


@compiled
def score_listed(
    start: NDArray[np.int32],
    column: NDArray[np.int32],
    value: Array,
    emissions: Array,
    states: Ints,
    count: Ints,
    unary: Array,
) -> None:
    """unary[t, s] = x_t . W_s for the listed states of one chain, whose rows begin at start[t]; 0 where one
    is listed.
    """
    for t in range(len(start) - 1):
        if count[t] == 1:
            unary[t, states[t, 0]] = 0.0
            continue
        for j in range(count[t]):
            s, total = states[t, j], 0.0
            for e in range(start[t], start[t + 1]):
                total += value[e] * emissions[column[e], s]
            unary[t, s] = total


@compiled
def best_listed(
    unary: Array, cost: Array, trans: Array, begin: Array, end: Array, states: Ints, count: Ints, path: Labels
) -> None:
    """The listed labelling with the largest score plus cost[t, s]; of equals, the one whose states are listed
    first.
    """
    length = len(path)
    chi, back = np.empty(states.shape), np.zeros(states.shape, np.int64)
    for t in range(length):
        for j in range(count[t]):
            s, best = states[t, j], begin[states[t, j]]
            if t > 0:
                best = -np.inf
                for p in range(count[t - 1]):
                    reached = chi[t - 1, p] + trans[states[t - 1, p], s]
                    if reached > best:
                        best = reached
                        back[t, j] = p
            chi[t, j] = best + unary[t, s] + cost[t, s]
    last, top = 0, -np.inf
    for j in range(count[length - 1]):
        if chi[length - 1, j] + end[states[length - 1, j]] > top:
            top, last = chi[length - 1, j] + end[states[length - 1, j]], j
    for t in range(length - 1, -1, -1):
        path[t] = states[t, last]
        last = back[t, last]
