"""The best path with a given number of errors, for losses that are any function of that number.

    errors(y) = number of positions t with y_t != truth_t
    best[c]   = max { score(y) : errors(y) = c }  for c < cap
    best[cap] = max { score(y) : errors(y) >= cap }

    chi[t, c, s] = unary[t, s] + max { chi[t-1, d, a] + trans[a, s] : a, d with min(d + e, cap) = c }
    where e = 1 if s != truth_t else 0

For any f, max_y score(y) + f(errors(y)) = max_c best[c] + f(c) when cap = T: the oracles of zero-one loss, of
the square root of Hamming loss and of slack rescaling become exact. cap = 1 gives the best right and the best
wrong path, and cap = 0 is plain Viterbi.

Source: the recursion of the degree thesis, section 3.3.1, algorithm 3.4, on pairs of state and error count.
Cost O(T cap K^2) time, O(T cap K) memory. Score of a path as in `viterbi`.

Ties: the smallest last state, then at every step back the smallest previous state, then the smaller count.
"""

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.structures.chains.kernels.viterbi import best_last, max_step
from explorer.engine.vectors import Array, Ints


@compiled
def _sources(count: int, cap: int, wrong: bool) -> tuple[int, int]:
    """The first class before `count`, and one past the last; only the class cap can have two."""
    if not wrong:
        return count, count + 1
    return max(count - 1, 0), count + 1 if count == cap else count


@compiled
def _enter(step: Array, unary: Array, truth: int, chi: Array) -> None:
    """Fill one position of chi; step[c, s] is the best score of a prefix of class c that moves to s."""
    cap = chi.shape[0] - 1
    for c in range(cap + 1):
        for s in range(chi.shape[1]):
            low, past = _sources(c, cap, s != truth)
            best = -np.inf
            for source in range(low, past):
                best = max(best, step[source, s])
            chi[c, s] = best + unary[s]


@compiled
def _fill(unary: Array, trans: Array, start: Array, truth: Ints, chi: Array) -> None:
    length, classes, states = chi.shape
    for s in range(states):
        count = 1 if s != truth[0] else 0
        chi[0, min(count, classes - 1), s] = start[s] + unary[0, s]
    step = np.full((classes, states), -np.inf)
    for t in range(1, length):
        # t positions cannot hold more than t errors: higher classes are still -inf
        for c in range(min(t + 1, classes)):
            max_step(chi[t - 1, c], trans, step[c])
        _enter(step, unary[t], truth[t], chi[t])


@compiled
def _back(prev: Array, trans: Array, count: int, state: int, wrong: bool) -> tuple[int, int]:
    """The class and state before (count, state) on its best prefix."""
    low, past = _sources(count, prev.shape[0] - 1, wrong)
    from_count, from_state = low, 0
    best = prev[low, 0] + trans[0, state]
    for a in range(prev.shape[1]):
        for c in range(low, past):
            score = prev[c, a] + trans[a, state]
            if score > best:
                best, from_count, from_state = score, c, a
    return from_count, from_state


@compiled
def _trace(chi: Array, trans: Array, truth: Ints, count: int, state: int, path: Ints) -> None:
    last = chi.shape[0] - 1
    path[last] = state
    for t in range(last, 0, -1):
        count, state = _back(chi[t - 1], trans, count, state, state != truth[t])
        path[t - 1] = state


@compiled
def count_best(
    unary: Array,
    trans: Array,
    start: Array,
    stop: Array,
    truth: Ints,
    cap: int,
    scores_out: Array,
    paths_out: Ints,
) -> None:
    """Write best[c] and its path for c = 0 .. cap; a class without a path gets -inf and a row of -1."""
    if unary.shape[0] == 0:
        scores_out[:] = -np.inf
        scores_out[0] = 0.0
        return
    chi = np.full((unary.shape[0], cap + 1, unary.shape[1]), -np.inf)
    _fill(unary, trans, start, truth, chi)
    for c in range(cap + 1):
        y = best_last(chi[-1, c], stop)
        scores_out[c] = chi[-1, c, y] + stop[y]
        if scores_out[c] == -np.inf:
            paths_out[c] = -1
        else:
            _trace(chi, trans, truth, c, y, paths_out[c])
