"""The two hot loops of supervised clustering, over stored pairs in CSR: scores of all pairs, and weighted
sums of their rows.

    K_ij = sum_f w_f psi_ij,f            total_f = sum_{i < j} beta_ij psi_ij,f

Rows of pairs lie in the order of the upper triangle, row by row; cost: the stored numbers. `related_*` do the
same for the node products x_i x_j of the pairs that a relation holds for, listed once each as (first,
second).
"""

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.vectors import Array, Ints


@compiled
def fill_pairs(lo: int, hi: int, scores: Array, K: Array) -> None:
    """Write the scores of all pairs of rows lo .. hi - 1 into both triangles of K."""
    m = len(K)
    for i in range(lo, hi):
        at = i * m - (i * (i + 1)) // 2
        for j in range(i + 1, m):
            K[i, j] = scores[at + j - i - 1]
            K[j, i] = scores[at + j - i - 1]


@compiled
def csr_scores(lo: int, hi: int, start: Ints, column: Ints, value: Array, w: Array, out: Array) -> None:
    """out[p] = row p . w for rows lo .. hi - 1."""
    for p in range(lo, hi):
        total = 0.0
        for at in range(start[p], start[p + 1]):
            total += value[at] * w[column[at]]
        out[p] = total


@compiled
def csr_total(start: Ints, column: Ints, value: Array, beta: Array, total: Array) -> None:
    """total += sum_p beta_p row_p."""
    for p in range(len(beta)):
        if beta[p] != 0.0:
            for at in range(start[p], start[p + 1]):
                total[column[at]] += beta[p] * value[at]


@compiled
def related_scores(
    start: Ints, column: Ints, value: Array, first: Ints, second: Ints, w: Array, constant: float, K: Array
) -> None:
    """K[i, j] += constant + sum_f w_f x_i,f x_j,f for every related pair, in both triangles; columns of rows
    are sorted.
    """
    for r in range(len(first)):
        i, j = first[r], second[r]
        a, b, total = start[i], start[j], constant
        while a < start[i + 1] and b < start[j + 1]:
            if column[a] == column[b]:
                total += w[column[a]] * value[a] * value[b]
                a += 1
                b += 1
            elif column[a] < column[b]:
                a += 1
            else:
                b += 1
        K[i, j] += total
        K[j, i] += total


@compiled
def related_total(
    start: Ints, column: Ints, value: Array, first: Ints, second: Ints, beta: Array, total: Array
) -> None:
    """total += sum over related pairs r of beta_r x_i x_j."""
    for r in range(len(first)):
        i, j = first[r], second[r]
        a, b = start[i], start[j]
        while beta[r] != 0.0 and a < start[i + 1] and b < start[j + 1]:
            if column[a] == column[b]:
                total[column[a]] += beta[r] * value[a] * value[b]
                a += 1
                b += 1
            elif column[a] < column[b]:
                a += 1
            else:
                b += 1


@compiled
def pair_numbers(first: Ints, second: Ints, m: int) -> Ints:
    """Where the pair (first, second), first < second, lies in the upper triangle."""
    out = np.empty(len(first), dtype=np.int64)
    for r in range(len(first)):
        i = first[r]
        out[r] = i * m - (i * (i + 1)) // 2 + second[r] - i - 1
    return out
