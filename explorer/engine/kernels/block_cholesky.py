"""Cholesky factors of sparse symmetric matrices made of k x k blocks, one row of blocks for each node of a graph.

    A = L L',    A given by its diagonal blocks and one block below it for each pair of a `Pattern`, overwritten by L

Right-looking: column j is finished, then subtracted from the columns of its rows (Duff, Erisman and Reid 1986). Cost: k^3 for
every two rows of a column. A pivot that rounding has made tiny is replaced by one so large that its unknown becomes 0.
"""

import numpy as np

from explorer.engine.kernels.compiled import compiled
from explorer.engine.kernels.elimination import Pattern
from explorer.engine.vectors import Array

HUGE = 1e64


@compiled
def _pivot(block: Array, floor: Array) -> None:
    """The Cholesky factor of one diagonal block, in its lower triangle."""
    k = len(block)
    for c in range(k):
        for r in range(c, k):
            total = block[r, c]
            for i in range(c):
                total -= block[r, i] * block[c, i]
            if r == c:
                block[c, c] = np.sqrt(total) if total > floor[c] else HUGE
            else:
                block[r, c] = total / block[c, c]


@compiled
def _divide(block: Array, pivot: Array) -> None:
    """block <- block pivot^-T."""
    k = len(block)
    for r in range(k):
        for c in range(k):
            total = block[r, c]
            for i in range(c):
                total -= block[r, i] * pivot[c, i]
            block[r, c] = total / pivot[c, c]


@compiled
def _subtract(target: Array, left: Array, right: Array) -> None:
    """target <- target - left right'."""
    k = len(target)
    for r in range(k):
        for c in range(k):
            total = 0.0
            for i in range(k):
                total += left[r, i] * right[c, i]
            target[r, c] -= total


@compiled
def factorise(pattern: Pattern, diagonal: Array, below: Array) -> None:
    """L in place of A: `diagonal` by node, `below` by the pattern's entries."""
    n, k = len(diagonal), diagonal.shape[1]
    where, floor = np.empty(n, np.int64), np.empty((n, k))
    for u in range(n):
        for s in range(k):
            floor[u, s] = 1e-14 * diagonal[u, s, s]
    for j in range(n):
        u = pattern.order[j]
        _pivot(diagonal[u], floor[u])
        lo, hi = pattern.start[j], pattern.start[j + 1]
        for r in range(lo, hi):
            _divide(below[r], diagonal[u])
        for r in range(lo, hi):
            i = pattern.rows[r]
            at = pattern.rank[i]
            _subtract(diagonal[i], below[r], below[r])
            for p in range(pattern.start[at], pattern.start[at + 1]):
                where[pattern.rows[p]] = p
            for p in range(lo, hi):
                if pattern.rank[pattern.rows[p]] > at:
                    _subtract(below[where[pattern.rows[p]]], below[p], below[r])


@compiled
def solve(pattern: Pattern, diagonal: Array, below: Array, x: Array) -> None:
    """x <- A^-1 x, one row of x for each node."""
    n, k = x.shape
    for j in range(n):
        u = pattern.order[j]
        for r in range(k):
            for i in range(r):
                x[u, r] -= diagonal[u, r, i] * x[u, i]
            x[u, r] /= diagonal[u, r, r]
        for p in range(pattern.start[j], pattern.start[j + 1]):
            v = pattern.rows[p]
            for r in range(k):
                for i in range(k):
                    x[v, r] -= below[p, r, i] * x[u, i]
    for j in range(n - 1, -1, -1):
        u = pattern.order[j]
        for p in range(pattern.start[j], pattern.start[j + 1]):
            v = pattern.rows[p]
            for r in range(k):
                for i in range(k):
                    x[u, i] -= below[p, r, i] * x[v, r]
        for r in range(k - 1, -1, -1):
            for i in range(r + 1, k):
                x[u, r] -= diagonal[u, i, r] * x[u, i]
            x[u, r] /= diagonal[u, r, r]
