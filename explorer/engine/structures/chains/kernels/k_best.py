"""The k best paths of a chain (list Viterbi).

    top[0, s] = (start[s] + unary[0, s])
    top[t, s] = the k largest of { top[t-1, a][r] + trans[a, s] : a, r } + unary[t, s]
    answer    = the k largest of { top[T-1, s][r] + stop[s] : s, r }

Each list is sorted, so the k largest of K lists are found by taking the largest head k times. Source:
Seshadri and Sundberg, "List Viterbi decoding algorithms with applications", IEEE Trans. Communications 42
(1994), the parallel algorithm. Cost O(T K^2 k) time, O(T K k) memory. Score of a path as in `viterbi`.

A path of score -inf is forbidden and is not counted. Ties: among equal heads the smallest state, so paths of
equal score come in the order in which they sort when read from the last position to the first, and the very
first path is that of `viterbi`.
"""

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.structures.chains.kernels.viterbi import best_last
from explorer.engine.vectors import Array, Ints


@compiled
def _merge(prev: Array, move: Array, rank: Ints, head: Array, scores: Array, origin: Ints) -> None:
    """Write the k largest prev[a, r] + move[a] in descending order, -inf when used up; origin = a k + r."""
    k = prev.shape[1]
    rank[:] = 0
    head[:] = prev[:, 0]
    scores[:] = -np.inf
    for place in range(k):
        a = best_last(head, move)
        if head[a] + move[a] == -np.inf:
            return
        scores[place] = head[a] + move[a]
        origin[place] = a * k + rank[a]
        rank[a] += 1
        head[a] = prev[a, rank[a]] if rank[a] < k else -np.inf


@compiled
def _trace(origin: Ints, last: int, k: int, path: Ints) -> None:
    """Follow the codes a k + r from the one of the last position to the first position."""
    code = last
    for t in range(path.shape[0] - 1, -1, -1):
        state, rank = code // k, code % k
        path[t] = state
        code = origin[t, state, rank]


@compiled
def _fill(unary: Array, trans: Array, start: Array, origin: Ints) -> Array:
    """Fill origin and return the lists of the last position (K x k)."""
    length, states, k = origin.shape
    into = np.ascontiguousarray(trans.T)
    old, new = np.full((states, k), -np.inf), np.empty((states, k))
    old[:, 0] = start + unary[0]
    rank, head = np.empty(states, np.int64), np.empty(states)
    for t in range(1, length):
        for s in range(states):
            _merge(old, into[s], rank, head, new[s], origin[t, s])
            new[s] += unary[t, s]
        old, new = new, old
    return old


@compiled
def k_best(
    unary: Array, trans: Array, start: Array, stop: Array, k: int, scores_out: Array, paths_out: Ints
) -> int:
    """Write the k >= 1 best paths, best first, and return how many there are; the rest is -inf and -1."""
    length, states = unary.shape
    if length == 0:
        scores_out[:] = -np.inf
        scores_out[0] = 0.0
        return 1
    origin = np.zeros((length, states, k), np.int64)
    lists = _fill(unary, trans, start, origin)
    last = np.zeros(k, np.int64)
    _merge(lists, stop, np.empty(states, np.int64), np.empty(states), scores_out, last)
    found = 0
    paths_out[:] = -1
    while found < k and scores_out[found] > -np.inf:
        _trace(origin, last[found], k, paths_out[found])
        found += 1
    return found
