"""What labellings of many stacked chains are worth and what they count.

    score(y) = start[y_0] + sum_t unary[t, y_t] + sum_t trans[y_{t-1}, y_t] + stop[y_last]

Chains lie below each other: chain i has rows offsets[i] .. offsets[i + 1]. Cost: one look per position.
"""

import numpy as np
from numpy.typing import NDArray

from explorer.engine.compiled import compiled

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


@compiled
def path_scores(
    unary: Array, offsets: Ints, paths: Ints, trans: Array, start: Array, stop: Array, out: Array
) -> None:
    """out_i = score of chain i's labelling."""
    for i in range(len(offsets) - 1):
        lo, hi = offsets[i], offsets[i + 1]
        total = 0.0
        if hi > lo:
            total = start[paths[lo]] + stop[paths[hi - 1]]
        for t in range(lo, hi):
            total += unary[t, paths[t]]
            if t > lo:
                total += trans[paths[t - 1], paths[t]]
        out[i] = total


@compiled
def add_transitions(
    offsets: Ints, paths: Ints, weight: Array, trans: Array, start: Array, stop: Array
) -> None:
    """Add weight_i times the transition, start and stop counts of every chain's labelling."""
    for i in range(len(offsets) - 1):
        lo, hi = offsets[i], offsets[i + 1]
        u = weight[i]
        if hi > lo:
            start[paths[lo]] += u
            stop[paths[hi - 1]] += u
        for t in range(lo + 1, hi):
            trans[paths[t - 1], paths[t]] += u


@compiled
def path_costs(offsets: Ints, truth: Ints, paths: Ints, cost: Array, out: Array) -> None:
    """out_i = sum over chain i's positions of cost[truth, label]."""
    for i in range(len(offsets) - 1):
        total = 0.0
        for t in range(offsets[i], offsets[i + 1]):
            total += cost[truth[t], paths[t]]
        out[i] = total
