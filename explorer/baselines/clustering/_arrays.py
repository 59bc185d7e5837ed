"""What goes in and out: items, pairs and partitions as plain arrays, refused with the place and the fix.

    nodes       (m, F) float64, one row of features per item
    psi         (m (m - 1) / 2, N) float64 or CSR, one row per pair i < j, in the order of np.triu_indices(m,
                1)
    similarity  (m, m) float64, symmetric; the diagonal is never read
    partition   (m,) int64, clusters numbered 0, 1, ... by first appearance

Cost: one look at every number.
"""

import math
from typing import Any

import numpy as np
from scipy import sparse as sp

from explorer.engine.refusals import Refused
from explorer.engine.rows import Rows, is_sparse
from explorer.engine.vectors import Array, Ints


def nodes(X: Any, what: str = "the items") -> Array:
    """One row of finite features per item, or Refused."""
    rows = _numbers(X, what)
    if rows.ndim != 2 or 0 in rows.shape:
        raise Refused(f"{what} have shape {rows.shape}; give (m, F), one row of features per item")
    return finite(rows, what)


def finite(values: Array, what: str) -> Array:
    """The values themselves, or Refused with the place of the first that is not finite."""
    if not np.isfinite(values).all():
        at = tuple(int(a) for a in np.argwhere(~np.isfinite(values))[0])
        raise Refused(
            f"{what} hold {values[at]} at {at}; replace it by a finite number or leave the item out"
        )
    return values


def items_of(pairs: int, what: str = "psi") -> int:
    """m such that m (m - 1) / 2 is the number of pairs, or Refused."""
    m = (1 + math.isqrt(1 + 8 * pairs)) // 2
    if pairs < 1 or m * (m - 1) // 2 != pairs:
        raise Refused(
            f"{what} has {pairs} rows, which no number of items has as pairs; give m (m - 1) / 2 rows"
        )
    return m


def pair_features(psi: Any, what: str = "psi") -> Rows:
    """One row of finite features per pair, dense or CSR, or Refused."""
    rows: Rows = sp.csr_array(psi, dtype=np.float64) if is_sparse(psi) else _numbers(psi, what)
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise Refused(f"{what} has shape {rows.shape}; give (m (m - 1) / 2, N), one row of features per pair")
    items_of(rows.shape[0], what)
    if not is_sparse(rows):
        return finite(rows, what)
    if not np.isfinite(rows.data).all():
        at = int(np.argmin(np.isfinite(rows.data)))
        place = int(np.searchsorted(rows.indptr, at, side="right") - 1), int(rows.indices[at])
        raise Refused(
            f"{what} hold {rows.data[at]} at {place}; replace it by a finite number or leave the item out"
        )
    return rows


def similarity(K: Any, what: str = "the similarity") -> Array:
    """A finite, symmetric square matrix, or Refused."""
    values = _numbers(K, what)
    if values.ndim != 2 or values.shape[0] != values.shape[1] or values.size == 0:
        raise Refused(f"{what} has shape {values.shape}; give a square matrix (m, m)")
    finite(values, what)
    uneven = np.argwhere(~np.isclose(values, values.T, rtol=1e-9, atol=1e-12))
    if len(uneven):
        i, j = (int(a) for a in uneven[0])
        raise Refused(
            f"{what} is {values[i, j]:g} at ({i}, {j}) but {values[j, i]:g} at ({j}, {i}); make it symmetric"
        )
    return values


def partition(y: Any, m: int | None = None, what: str = "the partition") -> Ints:
    """Whole numbers, one per item, as clusters numbered by first appearance, or Refused."""
    labels = np.asarray(y)
    if labels.ndim != 1 or labels.dtype.kind not in "biu" or len(labels) == 0:
        raise Refused(
            f"{what} is of type {labels.dtype} and shape {labels.shape}; give one whole number per item"
        )
    if m is not None and len(labels) != m:
        raise Refused(
            f"{what} has {len(labels)} entries but there are {m} items; give one cluster number per item"
        )
    return renumber(labels)


def renumber(labels: Any) -> Ints:
    """The same clusters, numbered 0, 1, ... by first appearance."""
    _, first, where = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[where]


def clusters(k: int, m: int) -> int:
    """k itself if m items can fill k clusters, or Refused."""
    if not 1 <= k <= m:
        raise Refused(f"k is {k} but there are {m} items; choose k from 1 to {m}")
    return int(k)


def together(y: Ints) -> Array:
    """1.0 for every pair of the same cluster, 0.0 for the others, in pair order."""
    i, j = np.triu_indices(len(y), 1)
    return (y[i] == y[j]).astype(np.float64)


def square(values: Array) -> Array:
    """One number per pair as a symmetric matrix with zero diagonal."""
    m = items_of(len(values), "the list of pair values")
    out = np.zeros((m, m))
    out[np.triu_indices(m, 1)] = values
    return out + out.T


def ideal(y: Ints) -> Array:
    """Z = Y Y': 1 / |cluster| for two items of the same cluster, 0 otherwise."""
    same = (y[:, None] == y[None, :]).astype(np.float64)
    return same / same.sum(axis=1, keepdims=True)


def index_pairs(pairs: Any, m: int, what: str) -> Ints:
    """Pairs of two different items among 0..m-1 as (p, 2), smaller first, each once; or Refused."""
    rows = np.asarray(pairs)
    rows = rows.reshape(0, 2).astype(np.int64) if rows.size == 0 else rows
    if rows.ndim != 2 or rows.shape[1] != 2 or rows.dtype.kind not in "iu":
        raise Refused(f"the {what} have type {rows.dtype} and shape {rows.shape}; give (p, 2) whole numbers")
    for a, b in rows.tolist():
        if not (0 <= a < m and 0 <= b < m):
            raise Refused(
                f"the {what} name the pair ({a}, {b}) but items go from 0 to {m - 1}; correct the pair"
            )
        if a == b:
            raise Refused(f"the {what} name the pair ({a}, {b}), an item with itself; leave it out")
    return np.unique(np.sort(rows, axis=1), axis=0).astype(np.int64)


def _numbers(values: Any, what: str) -> Array:
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise Refused(f"{what} have rows of different lengths; give every row the same length") from error
    if array.dtype.kind not in "biuf":
        raise Refused(f"{what} are of type {array.dtype}; give real numbers")
    return np.asarray(array, dtype=np.float64)
