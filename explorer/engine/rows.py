"""Stacked feature rows, dense or CSR: scores of all rows at once, and the feature sums that labellings make
of them.

A weight vector begins with an F x K matrix W (feature-major: the K scores of one feature lie together), so
that scores = X W for dense and sparse X alike. Sums over wrong positions come back dense or, for CSR rows,
sparse whenever that is smaller; no dense copy of a sparse row is ever made.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from scipy import sparse as sp

from explorer.engine.row_sums import add_outer, add_outer_csr
from explorer.engine.vectors import Array, Ints, Sparse, Vector, sparse

Rows = Any
"""A float64 array or a CSR matrix, one row per position."""

MAY_BE_DENSE = 4096
"""Feature differences no longer than this are kept dense even when the rows are sparse."""


def is_sparse(rows: Rows) -> bool:
    """Whether rows are stored as CSR."""
    return bool(sp.issparse(rows))


@dataclass(frozen=True, slots=True, eq=False)
class RowBlocks(Sequence[Rows]):
    """Matrices that lie below each other in one: block i has rows offsets[i] .. offsets[i + 1] and is cut out
    when asked for, so that a corpus is stored once.
    """

    whole: Rows
    offsets: Ints

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, i: int) -> Rows: ...
    @overload
    def __getitem__(self, i: slice) -> tuple[Rows, ...]: ...
    def __getitem__(self, i: int | slice) -> Any:
        if isinstance(i, slice):
            return tuple(self[k] for k in range(len(self))[i])
        k = range(len(self))[i]
        return self.whole[self.offsets[k] : self.offsets[k + 1]]


def stack(inputs: Sequence[Rows]) -> Rows:
    """All rows below each other, in the storage that they already have."""
    if isinstance(inputs, RowBlocks):
        return inputs.whole
    if is_sparse(inputs[0]):
        whole = sp.csr_array(sp.vstack(list(inputs), format="csr"))
        whole.indices, whole.indptr = whole.indices.astype(np.int32), whole.indptr.astype(np.int32)
        return whole
    return np.ascontiguousarray(np.vstack(list(inputs)))


def scores(rows: Rows, W: Array) -> Array:
    """X W as a dense array of one score per row and state."""
    return np.ascontiguousarray(rows @ W)


def difference(rows: Rows, truth: Ints, label: Ints, weight: Array, states: int, tail: Array) -> Vector:
    """sum_t weight_t x_t (e_truth - e_label)' flattened feature-major, followed by `tail`."""
    size = rows.shape[1] * states
    dim = size + len(tail)
    wrong = np.flatnonzero(truth != label)
    if is_sparse(rows) and dim > MAY_BE_DENSE and 8 * len(wrong) < rows.shape[1]:
        return _sparse_difference(rows, truth, label, weight, states, tail, wrong)
    out = np.zeros(dim)
    matrix = out[:size].reshape(-1, states)
    if is_sparse(rows):
        add_outer_csr(rows.data, rows.indices, rows.indptr, truth, label, weight, matrix)
    else:
        add_outer(rows, truth, label, weight, matrix)
    out[size:] = tail
    return slim(out) if is_sparse(rows) else out


def _sparse_difference(
    rows: Rows, truth: Ints, label: Ints, weight: Array, states: int, tail: Array, wrong: Any
) -> Sparse:
    """The same from the stored entries of the wrong rows alone."""
    part = rows[wrong]
    row = np.repeat(np.arange(len(wrong)), np.diff(part.indptr))
    base = part.indices.astype(np.int64) * states
    value = part.data * weight[wrong][row]
    end = np.flatnonzero(tail)
    index = np.concatenate([base + truth[wrong][row], base + label[wrong][row], rows.shape[1] * states + end])
    return sparse(index, np.concatenate([value, -value, tail[end]]), rows.shape[1] * states + len(tail))


def slim(x: Array) -> Vector:
    """A long, mostly zero vector as a Sparse one."""
    index = np.flatnonzero(x)
    if len(x) <= MAY_BE_DENSE or 4 * len(index) > len(x):
        return x
    return Sparse(index.astype(np.int64), x[index], len(x))


def csr(rows: Rows) -> tuple[Any, Any, Array]:
    """Where each row's entries start, their columns and their values, for kernels: zeros left out, arrays
    writable.
    """
    whole = rows if is_sparse(rows) else sp.csr_array(rows)
    start, column = (np.require(part, np.int32, ["C", "W"]) for part in (whole.indptr, whole.indices))
    return start, column, np.require(whole.data, np.float64, ["C", "W"])


def label_sum(rows: Rows, label: Ints, states: int, tail: Array) -> Vector:
    """sum_t x_t e_label(t)' flattened feature-major, followed by `tail`: the features of one labelling."""
    if is_sparse(rows):
        coo = sp.coo_array(rows)
        end = np.flatnonzero(tail)
        index = np.concatenate(
            [coo.col.astype(np.int64) * states + label[coo.row], rows.shape[1] * states + end]
        )
        return sparse(index, np.concatenate([coo.data, tail[end]]), rows.shape[1] * states + len(tail))
    out = np.zeros((rows.shape[1], states))
    for k in np.unique(label):
        out[:, k] = rows[label == k].sum(axis=0)
    return np.concatenate([out.ravel(), tail])
