"""Gibbs sampling of chains: every position in turn is drawn given its neighbours.

    p(y_t = k | rest) = exp(u_k) / sum_j exp(u_j),
        u_k = unary[t, k] + trans[y_{t-1}, k] + trans[k, y_{t+1}]      (start and stop at the ends)

The caller gives one uniform number for each position and sweep, so that draws do not depend on where they are
made; the label is the one whose share of the unit interval holds it. Geman and Geman 1984. Cost O(T K) a
sweep.
"""

import math

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.vectors import Array, Ints


@compiled
def gibbs_sweep(
    unary: Array, offsets: Ints, trans: Array, start: Array, stop: Array, paths: Ints, uniforms: Array
) -> None:
    """Draw every label of every stacked chain anew, from first to last; `paths` is changed."""
    states = unary.shape[1]
    u = np.empty(states)
    for i in range(offsets.shape[0] - 1):
        for t in range(offsets[i], offsets[i + 1]):
            for k in range(states):
                u[k] = unary[t, k]
                u[k] += trans[paths[t - 1], k] if t > offsets[i] else start[k]
                u[k] += trans[k, paths[t + 1]] if t + 1 < offsets[i + 1] else stop[k]
            peak = np.max(u)
            total = 0.0
            for k in range(states):
                u[k] = math.exp(u[k] - peak)
                total += u[k]
            left = uniforms[t] * total
            drawn = states - 1
            for k in range(states):
                left -= u[k]
                if left < 0.0:
                    drawn = k
                    break
            paths[t] = drawn
