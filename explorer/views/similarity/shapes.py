"""The same similarity as places in the plane and as a tree.

    map    the items' own places, else u_1 sqrt|l_1|, u_2 sqrt|l_2| of the two eigenvectors of K with the
           largest |l|
    tree   agglomeration by mean similarity (average link), or by the largest one (single link); heights are
           similarities

Eigenvectors are turned so that they agree with a fixed direction: from step to step a map does not flip.
Cost: O(m^3) for the map of at most `SMALL` items, a few products with K above that; O(m^2) for the tree, of
at most `MOST_LEAVES` items.
"""

from dataclasses import dataclass

import numpy as np
from scipy.cluster.hierarchy import dendrogram, linkage
from scipy.sparse.linalg import eigsh
from scipy.spatial.distance import squareform

from explorer.engine.structures.clusterings.link_forests import merge_table
from explorer.engine.vectors import Array, Ints
from explorer.views.similarity.frame import SimilarityFrame

SMALL = 300
"""This many items have all their eigenvectors computed."""

MOST_LEAVES = 300
"""A tree of more leaves is not drawn."""


def is_given(shown: SimilarityFrame) -> bool:
    """Whether the data say where items lie."""
    place = shown.items.place
    return place is not None and place.shape[1] >= 2


def places(shown: SimilarityFrame) -> Array:
    """Where each item lies (m, 2)."""
    if is_given(shown):
        return np.asarray(shown.items.place)[:, :2]
    return embed(shown.K)


def embed(K: Array) -> Array:
    """Two eigenvectors of the largest absolute values, each as long as the root of its value."""
    m = len(K)
    if m < 3 or not np.any(K):
        return np.stack([np.arange(m, dtype=float), np.zeros(m)], axis=1)
    if m <= SMALL:
        values, vectors = np.linalg.eigh(K)
    else:
        values, vectors = eigsh(K, k=2, which="LM", v0=np.ones(m))
    largest = np.argsort(-np.abs(values), kind="stable")[:2]
    found = vectors[:, largest]
    along = np.cos(np.arange(m) * 2.399963) @ found
    return np.asarray(found * np.where(along < 0.0, -1.0, 1.0) * np.sqrt(np.abs(values[largest])))


@dataclass(frozen=True, slots=True, eq=False)
class SimilarityTree:
    """Brackets as lines (n, 4) in x and y; `leaves` from left to right; `cut` makes the clusters shown.

    Single link is cut at 0, as its problem does.
    """

    x: Array
    y: Array
    leaves: Ints
    cut: float
    single: bool


def tree(shown: SimilarityFrame) -> SimilarityTree | None:
    """The agglomeration of the items; None for too many or a single one."""
    m = len(shown)
    if not 2 <= m <= MOST_LEAVES:
        return None
    top = float(shown.K[~np.eye(m, dtype=bool)].max())
    single = shown.problem.model == "single link"
    merges = merge_table(shown.K) if single else _average(shown.K, top)
    if single:
        merges[:, 2] = top - merges[:, 2]
    made = dendrogram(merges, no_plot=True)
    x, y = np.array(made["icoord"]) / 10.0, top - np.array(made["dcoord"])
    cut = 0.0 if single else top - _between(merges[:, 2], shown.shown.count)
    return SimilarityTree(x, y, np.array(made["leaves"]), cut, single)


def _average(K: Array, top: float) -> Array:
    """The merges of average link, where top - K is the distance."""
    apart = top - K
    np.fill_diagonal(apart, 0.0)
    return np.asarray(linkage(squareform(apart, checks=False), "average"))


def _between(heights: Array, count: int) -> float:
    """A height between the merges that leave more than `count` clusters and those that leave fewer."""
    falling = np.sort(heights)[::-1]
    m = len(heights) + 1
    above = falling[count - 2] if count >= 2 else 1.1 * falling[0]
    below = falling[count - 1] if count < m else 0.0
    return 0.5 * float(above + below)
