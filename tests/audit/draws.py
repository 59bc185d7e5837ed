"""Random cases of every kind, and two more kinds of them: forests of links, and trees known by kernels alone.

forests        features are added up over the links; the loss is that of the partition they make
kernel trees   the machine knows inner products k(x, x') counts(y) . counts(y') only; the table writes them
               out as words(x) (x) counts(y), with k the number of common words
"""

from itertools import combinations
from typing import Any

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.structures.clusterings.item_sets import item_set
from explorer.engine.structures.clusterings.link_oracles import AllForests, LinkSearch
from explorer.engine.structures.clusterings.single_link import SingleLink
from explorer.engine.structures.trees.dual_problem import KernelTrees
from explorer.engine.structures.trees.edge_hashes import EdgeHash
from explorer.engine.structures.trees.input_kernels import BagOfWords
from explorer.engine.structures.trees.oracles import Arborescence, EveryTree
from explorer.engine.structures.trees.sentences import sentence, treebank
from tests.audit.cases import (
    Array,
    Case,
    binary,
    chain,
    clustering,
    head_lists,
    labelled_graphs,
    multiclass,
    own,
    pricing,
    scale,
    trees,
    values,
)

Links = tuple[tuple[int, int], ...]


def clusters_of(links: Links, m: int) -> list[int]:
    """The smallest item that each item is linked to, however far."""
    least = list(range(m))
    for _ in range(m):
        for u, v in links:
            least[u] = least[v] = min(least[u], least[v])
    return least


def forests_of(m: int) -> list[Links]:
    """Every set of links without a circle: each link joins two clusters, so that m - clusters are left."""
    pairs = list(combinations(range(m), 2))
    sets = [links for count in range(m) for links in combinations(pairs, count)]
    return [links for links in sets if m - len(set(clusters_of(links, m))) == len(links)]


def parents_of(links: Links, m: int) -> Array:
    """The item that each item hangs on when every tree hangs from its smallest item, -1 for that one."""
    parents, left = np.full(m, -1), list(links)
    reached = {i for i in range(m) if clusters_of(links, m)[i] == i}
    while left:
        for u, v in list(left):
            if (u in reached) != (v in reached):
                top, low = (u, v) if u in reached else (v, u)
                parents[low] = top
                reached.add(low)
                left.remove((u, v))
    return parents


def forests(rng: np.random.Generator, size: float, loss: float, exact: bool = True) -> Case:
    n, m, F = int(rng.integers(1, 3)), int(rng.integers(2, 4)), int(rng.integers(1, 4))
    both = list(combinations(range(m), 2))
    pairs = [values(rng, (len(both), F), size) for _ in range(n)]
    every = forests_of(m)
    truth = [every[int(rng.integers(len(every)))] for _ in range(n)]
    data = Dataset(
        "links", tuple(item_set(m, pairs=p) for p in pairs), tuple(parents_of(y, m) for y in truth)
    )
    at = pricing(rng)
    problem = SingleLink(data, pricing=at, separator=AllForests() if exact else LinkSearch())

    def features(p: Array, links: Links) -> Array:
        return sum((p[both.index(link)] for link in links), np.zeros(F))

    def differing(t: Links, y: Links) -> float:
        one, other = clusters_of(t, m), clusters_of(y, m)
        return 100.0 * sum((one[u] == one[v]) != (other[u] == other[v]) for u, v in both) / len(both)

    table = [
        [(parents_of(y, m), features(p, y), differing(t, y)) for y in every]
        for p, t in zip(pairs, truth, strict=True)
    ]
    labels = [parents_of(y, m) for y in truth]
    return Case("forests" if exact else "forests, approximate", problem, table, labels, exact=exact)


def kernel_trees(rng: np.random.Generator, size: float, loss: float) -> Case:
    n, m = int(rng.integers(1, 4)), int(rng.integers(2, 4))
    words = [tuple(str(t) for t in rng.choice(["a", "b", "c"], m)) for _ in range(n)]
    tags = [tuple(str(t) for t in rng.choice(["N", "V"], m)) for _ in range(n)]
    labels = [head_lists(m)[int(rng.integers(len(head_lists(m))))] for _ in range(n)]
    data = treebank("trees", [sentence(x, t) for x, t in zip(words, tags, strict=True)], labels)
    at = pricing(rng)
    separator = Arborescence() if at.adds_up else EveryTree()
    hashes = (EdgeHash("tags", "exact"),)
    problem = KernelTrees(data, hashes, BagOfWords(), pricing=at, separator=separator)
    kinds = sorted({edge for t in tags for heads in head_lists(m) for edge in edges_of(t, heads)})

    def features(i: int, heads: Any) -> Array:
        counts = np.array([float(edges_of(tags[i], heads).count(kind)) for kind in kinds])
        return np.kron([float(words[i].count(word)) for word in "abc"], counts)

    table = [
        [
            (heads, features(i, heads), sum(p != q for p, q in zip(truth, heads, strict=True)) / m)
            for heads in head_lists(m)
        ]
        for i, truth in enumerate(labels)
    ]
    return Case("kernel trees", problem, table, labels, own_layout=False)


def edges_of(tags: tuple[str, ...], heads: Any) -> list[tuple[str, str, int]]:
    """Tag of the head, tag of the dependent, signed distance of every edge."""
    return [("root" if h == 0 else tags[h - 1], tags[d - 1], d - h) for d, h in enumerate(heads, start=1)]


EXACT = (binary, multiclass, chain, labelled_graphs, clustering, trees, own, forests, kernel_trees)
APPROXIMATE = tuple(
    lambda rng, size, loss, make=make: make(rng, size, loss, exact=False)
    for make in (labelled_graphs, clustering, trees, forests)
)


def random_case(seed: int) -> Case:
    """One in twelve has an approximate oracle."""
    rng = np.random.default_rng(seed)
    size, loss = scale(rng), scale(rng)
    makers = APPROXIMATE if rng.random() < 1 / 12 else EXACT
    return makers[int(rng.integers(len(makers)))](rng, size, loss)
