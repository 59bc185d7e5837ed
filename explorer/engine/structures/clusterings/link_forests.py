"""Forests of links between m items: what single-link clustering answers with.

    parents    m whole numbers: the item that i hangs on, -1 for the smallest item of each tree (so links
               decide parents)
    links      the pairs (i, parent of i), smaller item first
    partition  the trees as clusters

Single link (Finley 2009, Algorithm 8) starts from single items and again and again links the most similar
pair in different clusters, while its similarity is at least 0. That is Kruskal's maximum spanning forest, cut
at 0, and of all forests it has the largest sum of K over its links. Parents have a -1 somewhere and cluster
numbers never do, so the two are told apart. There are 1, 2, 7, 38, 291, 2932, 36961 forests of 1 to 7 items:
s^(s - 2) trees for a cluster of s (Cayley).
"""

from collections.abc import Iterator
from itertools import product
from math import comb
from typing import Any

import numpy as np

from explorer.engine.checks import read_only
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.kernels.pair_sums import pair_numbers
from explorer.engine.structures.clusterings.kernels.spanning_forest import (
    components,
    kruskal,
    merges,
    parents_of,
)
from explorer.engine.structures.clusterings.partitions import (
    all_partitions,
    clusters,
    pair_count,
    pair_vector,
    together,
)
from explorer.engine.vectors import Array, Ints


def is_forest(label: Any) -> bool:
    """Whether a label consists of parents instead of cluster numbers."""
    given = np.asarray(label)
    return bool(given.size and given.dtype.kind in "iu" and given.min() < 0)


def single_link(K: Array, least: float = 0.0) -> Ints:
    """Algorithm 8: the parents that merging makes while the best similarity is at least `least`."""
    return _spanning(pair_vector(K), np.arange(pair_count(len(K))), least, len(K))


def trees_inside(K: Array, labels: Any) -> Ints:
    """The best spanning tree of every cluster, whatever the signs of K."""
    return _spanning(pair_vector(K), np.flatnonzero(together(labels)), -np.inf, len(K))


def _spanning(scores: Array, allowed: Any, least: float, m: int) -> Ints:
    order = allowed[np.argsort(-scores[allowed], kind="stable")]
    first, second = np.triu_indices(m, 1)
    chosen = kruskal(order, first, second, scores, least, m)
    return parents_of(np.column_stack([first[chosen], second[chosen]]), m)


def merge_table(K: Array) -> Array:
    """All m - 1 merges of single link in the form of scipy's linkage, with the similarity of the link for a
    height.

    Heights fall from row to row; a drawing cuts where they fall below 0. `largest - height` makes distances
    of them.
    """
    scores = pair_vector(K)
    first, second = np.triu_indices(len(K), 1)
    return merges(np.argsort(-scores, kind="stable"), first, second, scores, len(K))


def links_of(parents: Any) -> Ints:
    """The links as pairs, smaller item first, sorted."""
    given = np.asarray(parents, dtype=np.int64)
    item = np.flatnonzero(given >= 0)
    ends = np.sort(np.column_stack([item, given[item]]), axis=1)
    return np.ascontiguousarray(ends[np.lexsort((ends[:, 1], ends[:, 0]))])


def from_links(links: Any, m: int) -> Ints:
    """The parents of a forest given by its links, or Refused where they close a circle."""
    ends = np.sort(np.asarray(links, dtype=np.int64).reshape(-1, 2), axis=1)
    if len(ends) and (ends.min() < 0 or ends.max() >= m):
        raise Refused(
            f"a link names item {ends.max() if ends.max() >= m else ends.min()}; items are numbered 0 to "
            f"{m - 1}"
        )
    parents = parents_of(ends, m)
    if np.count_nonzero(parents >= 0) != len(ends):
        raise Refused(
            f"{len(ends)} links close a circle; give each pair once, and at most one way between two items"
        )
    return parents


def partition_of(parents: Any) -> Ints:
    """The trees as clusters, numbered by first appearance."""
    return components(np.asarray(parents, dtype=np.int64))


def link_shares(parents: Any) -> Array:
    """1 for every pair i < j that is linked, else 0."""
    m, ends = len(parents), links_of(parents)
    out = np.zeros(pair_count(m))
    out[pair_numbers(ends[:, 0].copy(), ends[:, 1].copy(), m)] = 1.0
    return out


def checked_parents(label: Any, m: int, where: str) -> Ints:
    """Parents from outside as read-only parents that point to the smallest item of each tree, or Refused."""
    given = np.asarray(label)
    if given.shape != (m,) or given.dtype.kind not in "iu" or np.any((given < -1) | (given >= m)):
        raise Refused(
            f"{where} is no forest of {m} items; give each item's parent, 0 to {m - 1}, or -1 for a root"
        )
    found = given.astype(np.int64)
    if np.any(components(found) < 0):
        raise Refused(
            f"{where}: parents run in a circle at item {int(np.argmin(components(found)))}; give each tree "
            "a root"
        )
    return read_only(parents_of(links_of(found), m))


def all_forests(m: int) -> Iterator[Ints]:
    """Every forest of m items, partition by partition."""
    for labels in all_partitions(m):
        for trees in product(*(list(_trees(members)) for members in clusters(labels))):
            yield parents_of(np.concatenate([np.zeros((0, 2), dtype=np.int64), *trees]), m)


def _trees(members: Ints) -> Iterator[Ints]:
    """The links of every tree on these items, from all sequences of s - 2 of them (Pruefer)."""
    s = len(members)
    if s == 1:
        yield np.zeros((0, 2), dtype=np.int64)
        return
    for sequence in product(range(s), repeat=s - 2):
        degree = np.bincount(np.array(sequence, dtype=np.int64), minlength=s) + 1
        ends: list[Any] = []
        for node in sequence:
            leaf = int(np.argmax(degree == 1))
            ends.append((leaf, node))
            degree[leaf] -= 1
            degree[node] -= 1
        ends.append(tuple(np.flatnonzero(degree == 1)))
        yield members[np.sort(np.array(ends, dtype=np.int64), axis=1)]


def forest_count(m: int) -> int:
    """How many forests m items have: the tree of the first item has s of them and s^(s - 2) shapes."""
    counts = [1]
    for n in range(1, m + 1):
        shapes = (
            comb(n - 1, s - 1) * (s ** (s - 2) if s > 1 else 1) * counts[n - s] for s in range(1, n + 1)
        )
        counts.append(sum(shapes))
    return counts[m]
