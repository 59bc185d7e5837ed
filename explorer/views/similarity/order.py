"""The order of a clustering's items, so that a matrix falls into blocks and steps can be compared.

Clusters come in the order of the true clusters that they share most items with, those that share more first;
items within a cluster by true cluster, then as the data has them. So the order depends on the clustering
alone, and a step that moves one item moves one row. A relaxed clustering is ordered by the items that it
holds together for more than a half. Matrices of more than `MOST_CELLS` rows are drawn as means over blocks.
Cost: O(m log m), and one look at each pair.
"""

from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from explorer.engine.structures.clusterings.partitions import canonical, is_relaxed, pair_matrix
from explorer.engine.vectors import Array, Ints
from explorer.views.kit.words.label_words import partition

MOST_CELLS = 400
"""A matrix is drawn with at most this many rows and columns."""

HALF = 0.5 + 1e-6
"""Two items of a relaxed clustering stand together when they share more than this."""

SURE = 1e-6
"""A share that is nearer to 0 or to 1 is counted as whole."""


@dataclass(frozen=True, slots=True, eq=False)
class Clustered:
    """A clustering as drawn: hard labels, and co-membership (m, m) where relaxed, with `open` pairs."""

    labels: Ints
    shares: Array | None = None
    open: int = 0

    @property
    def count(self) -> int:
        """How many clusters there are."""
        return int(self.labels.max(initial=-1)) + 1


def read_clustering(label: Any, m: int, model: str) -> Clustered:
    """A hard clustering as it is; a relaxed one with its shares and what mostly holds together."""
    if not is_relaxed(label):
        return Clustered(partition(label))
    if model == "correlation":
        Z = pair_matrix(np.asarray(label), m, 1.0)
        held = Z
    else:
        Y = np.asarray(label).reshape(m, -1)
        Z = Y @ Y.T
        length = np.sqrt(np.maximum(np.diag(Z), 1e-300))
        held = Z / length[:, None] / length[None, :]
    _, labels = connected_components(csr_array(held > HALF), directed=False)
    open_pairs = int(np.count_nonzero(np.triu((held > SURE) & (held < 1.0 - SURE), 1)))
    hard = canonical(labels)
    return Clustered(hard, Z, open_pairs) if open_pairs else Clustered(hard)


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """`items` from top to bottom, and per cluster in that order its number, begin, best truth and hue."""

    items: Ints
    clusters: Ints
    begins: Ints
    best: Ints
    hues: Ints

    @property
    def ends(self) -> Ints:
        """Where each cluster ends."""
        return np.append(self.begins[1:], len(self.items))

    @property
    def rank(self) -> Ints:
        """The place of every cluster number among the clusters."""
        out = np.empty(len(self.clusters), dtype=np.int64)
        out[self.clusters] = np.arange(len(self.clusters))
        return out

    @property
    def places(self) -> Ints:
        """The position of every item."""
        out = np.empty(len(self.items), dtype=np.int64)
        out[self.items] = np.arange(len(self.items))
        return out


def order_of(labels: Ints, truth: Ints) -> Order:
    """Items by cluster, clusters by the true cluster that they overlap most."""
    width = int(truth.max()) + 1
    codes, overlap = np.unique(labels * width + truth, return_counts=True)
    cluster, other = np.divmod(codes, width)
    by = np.lexsort((other, -overlap, cluster))
    _, first = np.unique(cluster[by], return_index=True)
    best, shared = other[by][first], overlap[by][first]
    leader = np.unique(labels, return_index=True)[1]
    clusters = np.lexsort((leader, -shared, best))
    rank = np.empty(len(clusters), dtype=np.int64)
    rank[clusters] = np.arange(len(clusters))
    items = np.lexsort((np.arange(len(labels)), truth, rank[labels]))
    begins = np.searchsorted(rank[labels][items], np.arange(len(clusters)))
    return Order(items, clusters, begins, best[clusters], _hues(best[clusters], width))


def _hues(best: Ints, width: int) -> Ints:
    """The first cluster of each truth takes its hue; each further one a hue of its own."""
    repeated = np.append(False, best[1:] == best[:-1])
    return np.where(repeated, width + np.cumsum(repeated) - 1, best)


def letters(number: int) -> str:
    """What a true cluster is called: A, B, ..., Z, AA, AB, ..."""
    out = ""
    while number >= 0:
        out = ascii_uppercase[number % 26] + out
        number = number // 26 - 1
    return out


def bins(m: int) -> Ints:
    """The first positions of at most MOST_CELLS blocks of nearly equal size."""
    count = min(m, MOST_CELLS)
    return np.arange(count) * m // count


def block_means(matrix: Array, items: Ints) -> Array:
    """The matrix in an order of items, as means over blocks where it is large."""
    m = len(items)
    if m <= MOST_CELLS:
        return np.asarray(matrix[np.ix_(items, items)])
    starts = bins(m)
    size = np.diff(np.append(starts, m))
    rows = np.add.reduceat(matrix[items], starts, axis=0)
    return np.asarray(np.add.reduceat(rows[:, items], starts, axis=1) / size[:, None] / size[None, :])
