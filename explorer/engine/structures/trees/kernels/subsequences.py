"""Common symbols, and gappy common subsequences, of two sequences: bag of words and string kernel.

    K_l(s, t) = sum over sequences u of length l, places I of u in s and J of u in t: lam^(span(I) + span(J))

with span = last place - first place + 1 (Lodhi et al. 2002; Pfahler 2015, section 3.2.2). For l = 1, 2, ...:

    K''(i, j) = lam K''(i, j - 1) + [s_i = t_j] lam^2 P(i - 1, j - 1),
        P'(i, j) = lam P'(i - 1, j) + K''(i, j)
    K_l = sum over i, j with s_i = t_j of lam^2 P(i - 1, j - 1),
        P = 1 for l = 1, then P' of the length before

Cost: O(longest |s| |t|) for each pair.
"""

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.vectors import Array, Ints


@compiled
def subsequence_sums(s: Ints, t: Ints, longest: int, lam: float, out: Array) -> None:
    """out[l - 1] = K_l(s, t) for l = 1 .. longest."""
    n, m, square = len(s), len(t), lam * lam
    before, after = np.ones((n + 1, m + 1)), np.zeros((n + 1, m + 1))
    for length in range(longest):
        total = 0.0
        after[:] = 0.0
        for i in range(1, n + 1):
            run = 0.0
            for j in range(1, m + 1):
                met = square * before[i - 1, j - 1] if s[i - 1] == t[j - 1] else 0.0
                total += met
                run = lam * run + met
                after[i, j] = lam * after[i - 1, j] + run
        out[length] = total
        before, after = after, before


@compiled
def subsequence_row(s: Ints, others: Ints, ends: Ints, longest: int, lam: float, out: Array) -> None:
    """out[j] = K_1 + ... + K_longest of s with each of the stacked sequences."""
    sums = np.empty(longest)
    for j in range(len(ends) - 1):
        subsequence_sums(s, others[ends[j] : ends[j + 1]], longest, lam, sums)
        out[j] = np.sum(sums)


@compiled
def common_row(s: Ints, others: Ints, ends: Ints, out: Array) -> None:
    """out[j] = how many pairs of equal symbols s has with each of the stacked sequences."""
    top = 0
    for a in s:
        top = max(top, a + 1)
    count = np.zeros(top)
    for a in s:
        count[a] += 1.0
    for j in range(len(ends) - 1):
        total = 0.0
        for b in others[ends[j] : ends[j + 1]]:
            if b < top:
                total += count[b]
        out[j] = total
