"""Which inequalities of clusterings do shares e of pairs break?

    triangle   e_ij + e_ik - e_jk <= 1                                        i with j and with k, so j with k
    star       sum_{t in T} e_it - sum_{t < u in T} e_tu <= 1
        i with several that are apart; T has 3 or more

Finley 2009, OP 10 (triangles); Groetschel & Wakabayashi 1990 (stars: their 2-partition inequalities with one
item on one side). Of three items at most one triangle can be broken. Stars are grown greedily from every
pair, so some may be missed. Cost: O(m^3) for triangles, O(m^3 |T|) for stars.
"""

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.vectors import Array, Ints


@compiled
def broken_triangle(e: Array, i: int, j: int, k: int) -> tuple[int, float]:
    """Which of three items (0, 1, 2) has shares with the two others that are too large, and by how much at
    most.
    """
    a, b, c = e[i, j], e[i, k], e[j, k]
    first, second, third = a + b - c - 1.0, a + c - b - 1.0, b + c - a - 1.0
    if first >= second and first >= third:
        return 0, first
    return (1, second) if second >= third else (2, third)


@compiled
def broken_triangles(e: Array, least: float) -> tuple[Ints, Array]:
    """Every triangle (i, j, k) broken by more than `least`, item i being the one between, and by how much."""
    m, count = len(e), 0
    for i in range(m):
        for j in range(i + 1, m):
            for k in range(j + 1, m):
                if broken_triangle(e, i, j, k)[1] > least:
                    count += 1
    triples, excess = np.empty((count, 3), np.int64), np.empty(count)
    count = 0
    for i in range(m):
        for j in range(i + 1, m):
            for k in range(j + 1, m):
                which, by = broken_triangle(e, i, j, k)
                if by > least:
                    triples[count, 0] = i if which == 0 else (j if which == 1 else k)
                    triples[count, 1] = j if which == 0 else i
                    triples[count, 2] = j if which == 2 else k
                    excess[count] = by
                    count += 1
    return triples, excess


@compiled
def choose(triples: Ints, order: Ints, m: int, most: int) -> Ints:
    """Of triangles in this order, those whose pairs are all in fewer than `most` chosen before."""
    used, count = np.zeros((m, m), np.int64), 0
    out = np.empty(len(order), np.int64)
    for n in order:
        i, j, k = triples[n, 0], triples[n, 1], triples[n, 2]
        if used[i, j] < most and used[i, k] < most and used[j, k] < most:
            for a, b in ((i, j), (i, k), (j, k)):
                used[a, b] += 1
                used[b, a] += 1
            out[count] = n
            count += 1
    return out[:count]


@compiled
def grow_star(e: Array, i: int, j: int, inside: Ints, free: Array) -> tuple[int, float]:
    """T from j on: the item that adds most, while one adds; writes T into `inside`, returns its size and left
    side.
    """
    m = len(e)
    inside[0], size, total = j, 1, e[i, j]
    for k in range(m):
        free[k] = e[i, k] - e[j, k]
    free[i], free[j] = -np.inf, -np.inf
    while True:
        best = 0
        for k in range(m):
            if free[k] > free[best]:
                best = k
        if free[best] <= 1e-9:
            return size, total
        inside[size] = best
        size, total = size + 1, total + free[best]
        for k in range(m):
            free[k] -= e[best, k]
        free[best] = -np.inf


@compiled
def broken_stars(e: Array, least: float) -> tuple[Ints, Array]:
    """Stars broken by more than `least`: rows (i, |T|, T sorted, -1 ...) and by how much; some come more than
    once.
    """
    m, count = len(e), 0
    rows, excess = np.full((m * (m - 1), m + 2), -1), np.empty(m * (m - 1))
    inside, free = np.empty(m, np.int64), np.empty(m)
    for i in range(m):
        for j in range(m):
            if i != j and 1e-6 < e[i, j] < 1.0 - 1e-6:
                size, total = grow_star(e, i, j, inside, free)
                if size > 2 and total > 1.0 + least:
                    rows[count, 0], rows[count, 1] = i, size
                    rows[count, 2 : size + 2] = np.sort(inside[:size])
                    excess[count] = total - 1.0
                    count += 1
    return rows[:count], excess[:count]
