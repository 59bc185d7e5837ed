"""Hard, flat partitions of m items, and the forms in which clusterings are written.

    labels    m whole numbers, equal where two items are together, numbered by first appearance: 0 0 1 0 2
    pairs     one number for each of the m (m - 1) / 2 pairs i < j, row by row of the upper triangle: 1 if
              together
    Y         (m, k), column c holds |c|^(-1/2) at the members of cluster c: Y' Y = I, and Y Y' is the
              co-membership
    relaxed   shares of the pairs in [0, 1], or a Y of which only Y' Y = I is asked; flat floats instead of
              whole numbers

Finley 2009, sections 1.1 and 4.3.1. There are Bell(m) partitions (52, 4140, 21147 for m = 5, 8, 9), of which
Stirling(m, k) have k clusters. What comes from outside is checked here and refused with the place and the
fix.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import comb
from typing import Any

import numpy as np

from explorer.engine.checks import read_only
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints


def canonical(labels: Any) -> Ints:
    """The same partition with its clusters numbered by first appearance."""
    given = np.asarray(labels)
    _, first, where = np.unique(given, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[where.reshape(-1)]


def checked_labels(labels: Any, m: int, where: str = "the clustering") -> Ints:
    """A cluster number for each of m items as a read-only canonical partition, or Refused."""
    given = np.asarray(labels)
    if given.shape != (m,):
        raise Refused(f"{where} has shape {given.shape}; give one cluster for each of the {m} items")
    if given.dtype.kind == "f" and not np.isfinite(given).all():
        raise Refused(
            f"{where} gives item {int(np.argmin(np.isfinite(given)))} no number; give each item a cluster"
        )
    return read_only(canonical(given))


def from_clusters(
    clusters: Sequence[Sequence[int]], m: int, names: Sequence[str] = (), where: str = "the clustering"
) -> Ints:
    """The partition that lists of item numbers make: each of 0 .. m - 1 in exactly one of them, or
    Refused.
    """
    out = np.full(m, -1, dtype=np.int64)
    for number, members in enumerate(clusters):
        for item in members:
            if not 0 <= item < m:
                raise Refused(
                    f"{where}: cluster {number} names item {item}, but items are numbered 0 to {m - 1}"
                )
            if out[item] >= 0:
                called = _called(item, names)
                raise Refused(
                    f"{where}: item {called} is in clusters {out[item]} and {number}; put it in one only"
                )
            out[item] = number
    if np.any(out < 0):
        missing = _called(int(np.argmax(out < 0)), names)
        raise Refused(f"{where}: item {missing} is in no cluster; add it, or give it a cluster of its own")
    return read_only(canonical(out))


def _called(item: int, names: Sequence[str]) -> str:
    return repr(names[item]) if len(names) else str(item)


def clusters(labels: Any) -> list[Ints]:
    """The members of every cluster."""
    given = np.asarray(labels)
    return [np.flatnonzero(given == c) for c in range(int(given.max()) + 1)] if len(given) else []


def spoken(labels: Any, names: Sequence[str] = ()) -> str:
    """A partition in words: "a b c / d e"."""
    return " / ".join(
        " ".join(names[i] if names else str(i) for i in members) for members in clusters(labels)
    )


def pair_count(m: int) -> int:
    """How many unordered pairs m items make."""
    return m * (m - 1) // 2


@lru_cache(maxsize=4)
def upper(m: int) -> tuple[Ints, Ints]:
    """Rows and columns of all pairs i < j, row by row; kept for the last few sizes, since every score asks
    for them.
    """
    i, j = np.triu_indices(m, 1)
    return read_only(i), read_only(j)


def together(labels: Any) -> Array:
    """1 for every pair i < j in the same cluster, else 0."""
    given = np.asarray(labels)
    i, j = upper(len(given))
    return (given[i] == given[j]).astype(np.float64)


def pair_matrix(values: Array, m: int, diagonal: float = 0.0) -> Array:
    """Numbers of pairs as a symmetric matrix."""
    out = np.full((m, m), 0.0)
    i, j = upper(m)
    out[i, j] = out[j, i] = values
    np.fill_diagonal(out, diagonal)
    return out


def pair_vector(matrix: Array) -> Array:
    """The upper triangle of a symmetric matrix, row by row."""
    return np.ascontiguousarray(matrix[upper(len(matrix))])


def indicator(labels: Any, groups: int | None = None) -> Array:
    """Y: |c|^(-1/2) where an item is in cluster c, else 0; clusters without items have a column of zeros."""
    given = np.asarray(labels)
    k = int(given.max()) + 1 if groups is None else groups
    sizes = np.maximum(np.bincount(given, minlength=k), 1)
    out = np.zeros((len(given), k))
    out[np.arange(len(given)), given] = 1.0 / np.sqrt(sizes[given])
    return out


def contingency(truth: Any, labels: Any) -> Ints:
    """How many items each true cluster (rows) shares with each other cluster (columns)."""
    a, b = np.asarray(truth), np.asarray(labels)
    out = np.zeros((int(a.max()) + 1, int(b.max()) + 1), dtype=np.int64)
    np.add.at(out, (a, b), 1)
    return out


def is_relaxed(label: Any) -> bool:
    """Whether a clustering consists of shares instead of cluster numbers."""
    return bool(np.asarray(label).dtype.kind == "f")


def all_partitions(m: int, groups: int | None = None) -> Iterator[Ints]:
    """Every partition of m items (into exactly `groups` clusters), in the order of their labels."""
    labels, most = (
        np.zeros(m, dtype=np.int64),
        np.zeros(m, dtype=np.int64),
    )  # most[i]: the largest label before i
    while True:
        if groups is None or labels.max(initial=-1) + 1 == groups:
            yield labels.copy()
        at = m - 1
        while at > 0 and labels[at] > most[at]:
            at -= 1
        if at <= 0:
            return
        labels[at] += 1
        labels[at + 1 :] = 0
        most[at + 1 :] = max(most[at], labels[at])


def bell(m: int) -> int:
    """How many partitions m items have."""
    row = [1]
    for n in range(m):
        row.append(sum(comb(n, k) * row[k] for k in range(n + 1)))
    return row[m]


def stirling(m: int, k: int) -> int:
    """How many partitions of m items have exactly k clusters."""
    row = [1] + [0] * k
    for _ in range(m):
        row = [0] + [c * row[c] + row[c - 1] for c in range(1, k + 1)]
    return row[k]
