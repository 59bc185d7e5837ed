"""Small instances of every problem in every supported pricing, for the suites that run over all of them."""

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from explorer.engine.contracts import Dataset
from explorer.engine.data.readers.treebank import micro_treebank
from explorer.engine.losses import CostMatrix, FScore, Hamming, IoU, ZeroOne
from explorer.engine.pricing import Pricing
from explorer.engine.structures.boxes.oracles import EveryWindow, WindowBranching
from explorer.engine.structures.boxes.problem import BoxDetection
from explorer.engine.structures.chains.oracles import Enumerate
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.structures.classes.own import Listed, Plain
from explorer.engine.structures.clusterings.item_sets import item_set
from explorer.engine.structures.clusterings.link_oracles import AllForests
from explorer.engine.structures.clusterings.losses import Mitre, Normalised, Pairwise
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.structures.clusterings.single_link import SingleLink
from explorer.engine.structures.fields.graph_map import GraphMap
from explorer.engine.structures.fields.graphs import graph, graphs
from explorer.engine.structures.fields.label_map import LabelMap, all_pairs
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.structures.trees.edge_hashes import EdgeHash
from explorer.engine.structures.trees.input_kernels import BagOfWords
from explorer.engine.structures.trees.oracles import EveryTree
from explorer.engine.structures.trees.problem import DependencyTrees

PRICINGS = (Pricing(), Pricing("slack"), Pricing("margin", "squared"), Pricing("slack", "squared"))
THREE = ((0.0, 1.0, 4.0), (2.0, 0.0, 3.0), (0.5, 4.0, 0.0))
TWO = ((0.0, 3.0), (0.5, 0.0))


def points(n: int = 8, features: int = 3, classes: int = 3, seed: int = 0) -> Dataset:
    """Random points with random labels; every class occurs when n is at least `classes`."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(n) % classes)
    return Dataset("points", rng.normal(size=(n, features)), labels)


def chains(n: int = 5, longest: int = 4, features: int = 2, states: int = 3, seed: int = 0) -> Dataset:
    """Random sequences of different lengths with random labels; one of them has length 1."""
    rng = np.random.default_rng(seed)
    lengths = [1, *rng.integers(1, longest + 1, n - 1)]
    inputs = tuple(rng.normal(size=(t, features)) for t in lengths)
    return Dataset("chains", inputs, tuple(rng.integers(0, states, t) for t in lengths))


def sparse_chains(n: int = 5, longest: int = 4, features: int = 6, states: int = 3, seed: int = 0) -> Dataset:
    """The same with CSR rows, about half of whose entries are stored."""
    whole = chains(n, longest, features, states, seed)
    rng = np.random.default_rng(seed + 1)
    rows = tuple(csr_array(x * (rng.random(x.shape) < 0.5)) for x in whole.inputs)
    return Dataset("sparse chains", rows, whole.labels)


# A problem as its user writes it: rank three items; outputs are orders, the loss counts swapped pairs.

ORDERS = ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))


def order_features(x: Any, y: Any) -> Any:
    """Items weighed by their place: sum over items of (1 - place) x_item."""
    return sum((1.0 - place) * x[item] for place, item in enumerate(y))


def swapped_pairs(truth: Any, label: Any) -> float:
    """How many pairs of items stand in another order."""
    pairs = ((0, 1), (0, 2), (1, 2))
    return float(
        sum((truth.index(a) < truth.index(b)) != (label.index(a) < label.index(b)) for a, b in pairs)
    )


def every_order(x: Any) -> Any:
    """All six orders."""
    return ORDERS


def best_order(w: Any, x: Any) -> Any:
    """argmax_y w . psi(x, y)."""
    return max(ORDERS, key=lambda y: float(w @ order_features(x, y)))


def worst_order(pricing: Pricing, w: Any, x: Any, truth: Any) -> Any:
    """argmax_y H(y), written by hand for the four pricings."""

    def violation(y: Any) -> float:
        margin = float(w @ (order_features(x, truth) - order_features(x, y)))
        r = swapped_pairs(truth, y) ** (0.5 if pricing.penalty == "squared" else 1.0)
        return r * (1.0 - margin) if pricing.scaling == "slack" else r - margin

    return max(ORDERS, key=violation)


def orders(n: int = 6, features: int = 3, seed: int = 0) -> Dataset:
    """Triples of items, each with a random order."""
    rng = np.random.default_rng(seed)
    return Dataset("orders", rng.normal(size=(n, 3, features)), [ORDERS[k] for k in rng.integers(0, 6, n)])


def plain(pricing: Pricing, **made: Any) -> Plain:
    """The ranking problem in plain Python with its two oracles."""
    data = orders(**made)
    worst = partial(worst_order, pricing)
    dim = data.inputs.shape[2]
    return Plain(data, order_features, swapped_pairs, best_order, worst, dim, exact=True, pricing=pricing)


def listed(pricing: Pricing, **made: Any) -> Listed:
    """The ranking problem with its outputs listed."""
    data = orders(**made)
    return Listed(data, order_features, swapped_pairs, every_order, data.inputs.shape[2], pricing=pricing)


def small_graphs(n: int = 4, states: int = 3, features: int = 2, marks: int = 1, seed: int = 0) -> Dataset:
    """A grid, a triangle, two nodes without an edge and a single node, with random features and labels."""
    rng = np.random.default_rng(seed)
    made = []
    shapes = (
        (4, [(0, 1), (2, 3), (0, 2), (1, 3)]),
        (3, [(0, 1), (1, 2), (2, 0)]),
        (2, []),
        (1, []),
    )
    for m, edges in shapes[:n]:
        given = None if marks == 1 else rng.normal(size=(len(edges), marks))
        made.append(graph(rng.normal(size=(m, features)), edges, given))
    return graphs("small graphs", made, [rng.integers(0, states, len(x)) for x in made], "abc"[:states])


def labels_of_rows(n: int = 5, features: int = 3, labels: int = 3, seed: int = 0) -> Dataset:
    """Random rows, each with a random subset of the labels."""
    rng = np.random.default_rng(seed)
    return Dataset(
        "labels", rng.normal(size=(n, features)), rng.integers(0, 2, (n, labels)), {"states": ("off", "on")}
    )


def _fields(found: dict[str, Callable[[], Any]]) -> None:
    """Graph labelling and multi-label problems, with the exhaustive oracle."""
    for tie, states, marks in (("full", 3, 1), ("symmetric", 2, 2), ("none", 3, 1)):
        found[f"graphs {tie} {states} states {marks} marks"] = partial(
            FieldLabelling, small_graphs(states=states, marks=marks), GraphMap(states, tie)
        )
    found["graphs slack"] = partial(FieldLabelling, small_graphs(), GraphMap(3), Hamming(), Pricing("slack"))
    found["graphs squared zero-one"] = partial(
        FieldLabelling, small_graphs(), GraphMap(3), ZeroOne(), Pricing("margin", "squared")
    )
    per_cent = Hamming(normalised=True, times=100.0)
    found["labels connected"] = partial(FieldLabelling, labels_of_rows(), LabelMap(3, all_pairs(3)), per_cent)
    found["labels apart"] = partial(FieldLabelling, labels_of_rows(), LabelMap(3, ()))


def small_sets(sparse: bool = False, seed: int = 0) -> Dataset:
    """Four, three, two and one item with features of items and pairs, one relation, and random partitions."""
    rng = np.random.default_rng(seed)
    kept = csr_array if sparse else np.asarray
    made = []
    for m in (4, 3, 2, 1):
        nodes, pairs = rng.normal(size=(m, 2)), rng.normal(size=(m * (m - 1) // 2, 2))
        made.append(item_set(m, kept(nodes), [[(0, m - 1)]], kept(pairs)))
    return Dataset("small sets", tuple(made), tuple(rng.integers(0, 2, x.m) for x in made))


def _clusterings(found: dict[str, Callable[[], Any]]) -> None:
    """Correlation clustering and k-means, looking at all partitions."""
    for delta, pricing in (
        (Pairwise(), Pricing()),
        (Mitre(), Pricing("slack")),
        (Mitre(), Pricing("margin", "squared")),
    ):
        name = f"correlation {delta.title} {_named(pricing)}"
        found[name] = partial(Clustering, small_sets(), "correlation", delta, pricing)
    found["correlation sparse plain"] = partial(Clustering, small_sets(sparse=True), normalise=False)
    for diagonal in (False, True):
        whole = partial(Clustering, small_sets(), "k-means", Normalised(), diagonal=diagonal)
        found[f"k-means {'ordered' if diagonal else 'unordered'} pairs"] = whole
    for delta, pricing in ((Pairwise(), Pricing()), (Mitre(), Pricing("slack"))):
        found[f"single link {delta.title}"] = partial(SingleLink, small_sets(), delta, pricing, AllForests())
    found["k-means slack"] = partial(
        Clustering, small_sets(sparse=True), "k-means", Normalised(), Pricing("slack")
    )


def _trees(found: dict[str, Callable[[], Any]]) -> None:
    """Dependency trees, with and without an input kernel, by Chu-Liu/Edmonds and by listing."""
    two = (EdgeHash("tags", "direction"), EdgeHash("words", "none"))
    found["parses"] = partial(DependencyTrees, micro_treebank())
    found["parses two hashes bag of words"] = partial(
        DependencyTrees, micro_treebank(), two, BagOfWords(), Hamming()
    )
    for pricing in PRICINGS[1:]:
        found[f"parses listed {_named(pricing)}"] = partial(
            DependencyTrees, micro_treebank(), two[:1], BagOfWords(2), ZeroOne(), pricing, EveryTree()
        )


def small_pictures() -> Dataset:
    """Four pictures of three to five rows and columns, and a box in each."""
    rng = np.random.default_rng(8)
    sizes, boxes = ((3, 4), (5, 3), (4, 4), (3, 3)), ((0, 1, 2, 3), (1, 0, 3, 4), (0, 0, 4, 4), (2, 1, 3, 2))
    return Dataset("pictures", [rng.integers(0, 3, size) for size in sizes], [np.array(box) for box in boxes])


def _boxes(found: dict[str, Callable[[], Any]]) -> None:
    """Boxes in pictures, by branch and bound and through every window."""
    for pricing, oracle in product(PRICINGS, (WindowBranching(), EveryWindow())):
        found[f"boxes {oracle.title} {_named(pricing)}"] = partial(
            BoxDetection, small_pictures(), 3, IoU(), pricing, oracle, oracle
        )
    found["boxes zero-one"] = partial(BoxDetection, small_pictures(), 3, ZeroOne())


def _named(pricing: Pricing) -> str:
    return f"{pricing.scaling} {pricing.penalty}"


def _all() -> dict[str, Callable[[], Any]]:
    found: dict[str, Callable[[], Any]] = {}
    two = points(classes=2)
    for pricing, bias in product(PRICINGS, ("none", "regularised", "free")):
        if pricing == Pricing() or bias == "regularised":
            found[f"binary {bias} ZeroOne {_named(pricing)}"] = partial(Binary, two, bias, ZeroOne(), pricing)
    for pricing in PRICINGS:
        found[f"binary free CostMatrix {_named(pricing)}"] = partial(
            Binary, two, "free", CostMatrix(TWO), pricing
        )
    for pricing, delta in product(PRICINGS, (ZeroOne(), CostMatrix(THREE))):
        name = f"multiclass {type(delta).__name__} {_named(pricing)}"
        found[name] = partial(Multiclass, points(), 3, delta, pricing)
    counted = (Hamming(), Hamming(normalised=True), ZeroOne())
    for at, (delta, pricing) in enumerate(product(counted, PRICINGS)):
        ends = at % 2 == 0
        name = f"{delta!r} {_named(pricing)} {'ends' if ends else 'no ends'}"
        found[f"chains {name}"] = partial(Chain, chains(), 3, delta, pricing, ends)
        if isinstance(delta, Hamming) and not delta.normalised:
            found[f"sparse chains {name}"] = partial(Chain, sparse_chains(), 3, delta, pricing, ends)
    for delta in (CostMatrix(THREE), CostMatrix(THREE, normalised=True)):
        found[f"chains cost matrix normalised={delta.normalised}"] = partial(Chain, chains(), 3, delta)
    for pricing in PRICINGS:
        binary = chains(states=2, seed=3)
        found[f"chains enumerated FScore {_named(pricing)}"] = partial(
            Chain, binary, 2, FScore(), pricing, True, Enumerate(), Enumerate()
        )
        found[f"chains enumerated cost matrix {_named(pricing)}"] = partial(
            Chain, chains(), 3, CostMatrix(THREE), pricing, False, Enumerate()
        )
        found[f"plain {_named(pricing)}"] = partial(plain, pricing)
        found[f"listed {_named(pricing)}"] = partial(listed, pricing)
    _fields(found)
    _clusterings(found)
    _trees(found)
    _boxes(found)
    return found


PROBLEMS = _all()
"""Name -> maker of a small problem."""


def labellings(problem: Any, i: int) -> Any:
    """Every labelling of example i; the plain problem does not list its own."""
    return ORDERS if isinstance(problem, Plain) else problem.labellings(i)
