"""Cholesky factors of sparse symmetric matrices made of k x k blocks, one row of blocks for each node of a
graph.

    A = L L'

A is given by its diagonal blocks and one block below the diagonal for each pair of a `Pattern`; L overwrites
it.

Right-looking: column j is finished, then subtracted from the columns of its rows (Duff, Erisman and Reid
1986). Cost: k^3 for every two rows of a column. A pivot that rounding has made tiny is replaced by one so
large that its unknown becomes 0.
"""

from typing import NamedTuple

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.structures.fields.kernels.elimination import Pattern
from explorer.engine.vectors import Array

TINY, HUGE = 1e-14, 1e64


class Factor(NamedTuple):
    """A matrix, or its factor: diagonal blocks by node (n, k, k), those below by the pattern's entries."""

    pattern: Pattern
    diagonal: Array
    below: Array


@compiled
def _pivot(blocks: Array, u: int, floor: Array) -> None:
    """The Cholesky factor of diagonal block u, in its lower triangle."""
    k = blocks.shape[1]
    for c in range(k):
        for r in range(c, k):
            total = blocks[u, r, c]
            for i in range(c):
                total -= blocks[u, r, i] * blocks[u, c, i]
            if r > c:
                blocks[u, r, c] = total / blocks[u, c, c]
            else:
                blocks[u, c, c] = np.sqrt(total) if total > floor[u, c] else HUGE


@compiled
def _divide(blocks: Array, p: int, pivots: Array, u: int) -> None:
    """Block p <- block p times the transposed inverse of pivot u."""
    k = blocks.shape[1]
    for r in range(k):
        for c in range(k):
            total = blocks[p, r, c]
            for i in range(c):
                total -= blocks[p, r, i] * pivots[u, c, i]
            blocks[p, r, c] = total / pivots[u, c, c]


@compiled
def _subtract(target: Array, at: int, blocks: Array, p: int, q: int) -> None:
    """target[at] <- target[at] - block p times block q transposed."""
    k = blocks.shape[1]
    for r in range(k):
        for c in range(k):
            total = target[at, r, c]
            for i in range(k):
                total -= blocks[p, r, i] * blocks[q, c, i]
            target[at, r, c] = total


@compiled
def factorise(factor: Factor) -> None:
    """L in place of A."""
    order, rank, start, rows = (
        factor.pattern.order,
        factor.pattern.rank,
        factor.pattern.start,
        factor.pattern.rows,
    )
    diagonal, below = factor.diagonal, factor.below
    where, floor = np.empty(len(order), np.int64), np.empty(diagonal.shape[:2])
    for u in range(len(order)):
        for c in range(diagonal.shape[1]):
            floor[u, c] = TINY * diagonal[u, c, c]
    for j in range(len(order)):
        u = order[j]
        _pivot(diagonal, u, floor)
        for r in range(start[j], start[j + 1]):
            _divide(below, r, diagonal, u)
        for r in range(start[j], start[j + 1]):
            at = rank[rows[r]]
            _subtract(diagonal, rows[r], below, r, r)
            for p in range(start[at], start[at + 1]):
                where[rows[p]] = p
            for p in range(start[j], start[j + 1]):
                if rank[rows[p]] > at:
                    _subtract(below, where[rows[p]], below, p, r)


@compiled
def solve(factor: Factor, x: Array) -> None:
    """x <- A^-1 x, one row of x for each node."""
    order, start, rows = factor.pattern.order, factor.pattern.start, factor.pattern.rows
    diagonal, below = factor.diagonal, factor.below
    n, k = x.shape
    for j in range(n):
        u = order[j]
        for r in range(k):
            for i in range(r):
                x[u, r] -= diagonal[u, r, i] * x[u, i]
            x[u, r] /= diagonal[u, r, r]
        for p in range(start[j], start[j + 1]):
            for r in range(k):
                for i in range(k):
                    x[rows[p], r] -= below[p, r, i] * x[u, i]
    for j in range(n - 1, -1, -1):
        u = order[j]
        for p in range(start[j], start[j + 1]):
            for r in range(k):
                for i in range(k):
                    x[u, i] -= below[p, r, i] * x[rows[p], r]
        for r in range(k - 1, -1, -1):
            for i in range(r + 1, k):
                x[u, r] -= diagonal[u, i, r] * x[u, i]
            x[u, r] /= diagonal[u, r, r]
