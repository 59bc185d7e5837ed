"""The best labelling of a chain: Viterbi's recursion on sums of scores.

    score(y) = start[y_0] + sum_t unary[t, y_t] + sum_{t>=1} trans[y_{t-1}, y_t] + stop[y_{T-1}]

    chi[0, s]  = start[s] + unary[0, s]
    chi[t, s]  = unary[t, s] + max_a (chi[t-1, a] + trans[a, s])     best score of a prefix that ends in s
    zeta[t, s] = argmax_a (chi[t-1, a] + trans[a, s])                the state before s on that prefix
    max_y score(y) = max_s (chi[T-1, s] + stop[s])

Source: the degree thesis, section 3.3.1, algorithm 3.4, in the log domain (products there are sums here).
Forbidden moves are -inf. Cost O(T K^2) time, O(T K) memory for T positions and K states.

Ties: every argmax takes the smallest state. Of all best paths, that is the one which sorts first when read
from the last position to the first. Stacked chains lie one below the other: chain i has the rows
offsets[i] .. offsets[i+1]-1. The empty chain has one labelling, of score 0.
"""

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.vectors import Array, Ints


@compiled
def max_step(prev: Array, trans: Array, out: Array) -> None:
    """Set out[b] = max_a (prev[a] + trans[a, b]); `out` must not overlap `prev`."""
    states = prev.shape[0]
    for b in range(states):
        out[b] = prev[0] + trans[0, b]
    # Four rows of trans per sweep: the inner loop runs along memory and touches out a quarter as often.
    whole = 1 + (states - 1) // 4 * 4
    for a in range(1, whole, 4):
        p0, p1, p2, p3 = prev[a], prev[a + 1], prev[a + 2], prev[a + 3]
        for b in range(states):
            s0, s1 = p0 + trans[a, b], p1 + trans[a + 1, b]
            s2, s3 = p2 + trans[a + 2, b], p3 + trans[a + 3, b]
            left = s1 if s1 > s0 else s0
            right = s3 if s3 > s2 else s2
            best = right if right > left else left
            out[b] = best if best > out[b] else out[b]
    for a in range(whole, states):
        p0 = prev[a]
        for b in range(states):
            s0 = p0 + trans[a, b]
            out[b] = s0 if s0 > out[b] else out[b]


@compiled
def prefix_scores(unary: Array, first: int, length: int, trans: Array, start: Array, chi: Array) -> None:
    """Fill rows 0 .. length-1 of chi for the chain that begins at row `first` of unary; length >= 1."""
    states = trans.shape[0]
    for s in range(states):
        chi[0, s] = start[s] + unary[first, s]
    for t in range(1, length):
        max_step(chi[t - 1], trans, chi[t])
        for s in range(states):
            chi[t, s] += unary[first + t, s]


@compiled
def best_previous(prev: Array, trans: Array, state: int) -> int:
    """The smallest a that attains max_a (prev[a] + trans[a, state])."""
    arg = 0
    best = prev[0] + trans[0, state]
    for a in range(1, prev.shape[0]):
        score = prev[a] + trans[a, state]
        if score > best:
            best, arg = score, a
    return arg


@compiled
def best_last(prefix: Array, stop: Array) -> int:
    """The smallest s that attains max_s (prefix[s] + stop[s])."""
    arg = 0
    best = prefix[0] + stop[0]
    for s in range(1, prefix.shape[0]):
        score = prefix[s] + stop[s]
        if score > best:
            best, arg = score, s
    return arg


@compiled
def _decode(
    unary: Array, first: int, length: int, trans: Array, start: Array, stop: Array, chi: Array, path: Ints
) -> float:
    """Write the best path of the chain at rows first .. first+length-1 to the same rows of `path`."""
    if length == 0:
        return 0.0
    prefix_scores(unary, first, length, trans, start, chi)
    y = best_last(chi[length - 1], stop)
    score = float(chi[length - 1, y] + stop[y])
    path[first + length - 1] = y
    # Comparing the K sums into the chosen state again is cheaper than keeping T K back pointers. They are the
    # very sums of the forward pass, so the argmax is exact.
    for t in range(length - 1, 0, -1):
        y = best_previous(chi[t - 1], trans, y)
        path[first + t - 1] = y
    return score


@compiled
def viterbi(unary: Array, trans: Array, start: Array, stop: Array, path_out: Ints) -> float:
    """Return the best score of any path and write the first such path to path_out."""
    chi = np.empty(unary.shape)
    return _decode(unary, 0, unary.shape[0], trans, start, stop, chi, path_out)


@compiled
def viterbi_tables(unary: Array, trans: Array, start: Array, stop: Array, chi: Array, zeta: Ints) -> float:
    """Fill chi and zeta (-1 in row 0) and return the best score; `stop` is in the score, not in chi."""
    length, states = unary.shape
    if length == 0:
        return 0.0
    prefix_scores(unary, 0, length, trans, start, chi)
    zeta[0] = -1
    for t in range(1, length):
        for s in range(states):
            zeta[t, s] = best_previous(chi[t - 1], trans, s)
    y = best_last(chi[length - 1], stop)
    return float(chi[length - 1, y] + stop[y])


@compiled
def viterbi_all(
    unary: Array, offsets: Ints, trans: Array, start: Array, stop: Array, paths: Ints, scores: Array
) -> None:
    """Decode every stacked chain; the same paths and scores, bit for bit, as `viterbi` on each alone."""
    n = offsets.shape[0] - 1
    longest = 0
    for i in range(n):
        longest = max(longest, offsets[i + 1] - offsets[i])
    chi = np.empty((longest, trans.shape[0]))
    for i in range(n):
        scores[i] = _decode(unary, offsets[i], offsets[i + 1] - offsets[i], trans, start, stop, chi, paths)


@compiled
def augment(
    unary: Array, offsets: Ints, truth: Ints, cost: Array, out: Array, factor: Array | None = None
) -> None:
    """Set out[t, k] = unary[t, k] + factor[i] cost[truth[t], k] for the rows t of chain i; out may be unary.

    With cost = 1 - identity this adds the number of wrong positions, with factor[i] = 1 / length also their
    share. Without factor it is 1.
    """
    for i in range(offsets.shape[0] - 1):
        scale = 1.0
        if factor is not None:
            scale = factor[i]
        for t in range(offsets[i], offsets[i + 1]):
            y = truth[t]
            for k in range(unary.shape[1]):
                out[t, k] = unary[t, k] + scale * cost[y, k]
