"""Feature vectors, dense or sparse, that are never changed once made.

A vector is either a float64 array or a `Sparse` of sorted, unique positions and their values. Learners use
only the functions below, so the same algorithm runs on 2 features and on 250,000 per state. Cost: the number
of stored entries.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Sparse:
    """A vector of length `dim` that is zero except at `index` (sorted, unique), where it is `value`."""

    index: Ints
    value: Array
    dim: int


Vector = Array | Sparse


def sparse(index: Ints, value: Array, dim: int) -> Sparse:
    """Sum the values of repeated positions, sort, and drop exact zeros."""
    unique, where = np.unique(index, return_inverse=True)
    total = np.bincount(where, weights=value, minlength=len(unique))
    keep = total != 0
    return Sparse(unique[keep], total[keep], dim)


def dense(x: Vector) -> Array:
    """The vector as an array; an array is returned as it is."""
    if isinstance(x, Sparse):
        out = np.zeros(x.dim)
        out[x.index] = x.value
        return out
    return x


def dot(x: Vector, y: Vector) -> float:
    """The inner product of two vectors of equal length."""
    if isinstance(x, Sparse):
        if isinstance(y, Sparse):
            _, at, bt = np.intersect1d(x.index, y.index, assume_unique=True, return_indices=True)
            return float(x.value[at] @ y.value[bt])
        return float(y[x.index] @ x.value)
    return dot(y, x) if isinstance(y, Sparse) else float(x @ y)


def squared_norm(x: Vector) -> float:
    """|x|^2."""
    values = x.value if isinstance(x, Sparse) else x
    return float(values @ values)


def scale(t: float, x: Vector) -> Vector:
    """t * x as a new vector (x itself when t is 1)."""
    if t == 1.0:
        return x
    return Sparse(x.index, t * x.value, x.dim) if isinstance(x, Sparse) else t * x


def blend(s: float, x: Vector, t: float, y: Vector) -> Vector:
    """s * x + t * y; sparse only when both are."""
    if isinstance(x, Sparse) and isinstance(y, Sparse):
        index = np.concatenate([x.index, y.index])
        return sparse(index, np.concatenate([s * x.value, t * y.value]), x.dim)
    out = s * dense(x)
    add_into(out, t, y)
    return out


def add_into(total: Array, t: float, x: Vector) -> None:
    """total += t * x, in place: for accumulators that their maker still owns."""
    if isinstance(x, Sparse):
        total[x.index] += t * x.value
    else:
        total += t * x


def combine(weights: Sequence[float] | Array, vectors: Sequence[Vector], dim: int) -> Array:
    """The dense vector sum_j weights_j vectors_j."""
    total = np.zeros(dim)
    for t, x in zip(weights, vectors, strict=True):
        if t != 0.0:
            add_into(total, float(t), x)
    return total


def total(vectors: Iterable[Vector], dim: int) -> Vector:
    """The sum of many vectors; sparse when every one of them is."""
    rows = list(vectors)
    parts = [x for x in rows if isinstance(x, Sparse)]
    if rows and len(parts) == len(rows):
        return sparse(np.concatenate([x.index for x in parts]), np.concatenate([x.value for x in parts]), dim)
    return combine(np.ones(len(rows)), rows, dim)


def nbytes(x: Vector) -> int:
    """The memory that the vector's numbers take."""
    return x.index.nbytes + x.value.nbytes if isinstance(x, Sparse) else x.nbytes
