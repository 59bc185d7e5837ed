"""Tiny random problems of every structure, written twice: for the engine, and as tables of all labellings.

A table lists every labelling of every example with its features and loss, made from the formulas of the
papers; nothing of it comes from the engine. Features and losses are drawn at any scale from 1e-8 to 1e8, some
examples are doubled, some features constant, some losses of wrong answers zero.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.engine.contracts import Dataset
from explorer.engine.losses import CostMatrix
from explorer.engine.pricing import Pricing
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.structures.classes.own import Listed, Plain
from explorer.engine.structures.clusterings.item_sets import item_set
from explorer.engine.structures.clusterings.oracles import GreedyMerges
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.structures.fields.graph_map import GraphMap
from explorer.engine.structures.fields.graphs import graph
from explorer.engine.structures.fields.oracles import ICM, BranchAndBound, Exhaustive
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.structures.trees.oracles import GreedyHeads
from explorer.engine.structures.trees.problem import DependencyTrees
from explorer.engine.structures.trees.sentences import sentence, treebank

Array = NDArray[np.float64]
Listing = list[tuple[Any, Array, float]]


@dataclass
class Case:
    """A problem, its table (label, features, loss) for every example, and the place of the truth in each.

    `bias` tells a free bias: its factor is the entry of each feature vector at this place, else None. `rules`
    are further constraints a . w >= b without slack.
    """

    structure: str
    problem: Any
    table: list[Listing]
    truth: list[Any]
    bias: int | None = None
    exact: bool = True
    own_layout: bool = True
    rules: tuple[tuple[Array, float], ...] = ()

    def rows(self) -> tuple[Array, Array, NDArray[np.int64], Array | None]:
        """a, b, example of every wrong labelling as it is priced, and the factors of a free bias."""
        a, b, example = [], [], []
        for i, listing in enumerate(self.table):
            own = next(f for label, f, _ in listing if same(label, self.truth[i]))
            for label, features, loss in listing:
                if same(label, self.truth[i]):
                    continue
                r = np.sqrt(loss) if self.problem.pricing.penalty == "squared" else loss
                u = r if self.problem.pricing.scaling == "slack" else 1.0
                a.append(u * (own - features))
                b.append(r)
                example.append(i)
        for line, least in self.rules:
            a.append(line)
            b.append(least)
            example.append(-1)
        rows = np.array(a)
        if self.bias is None:
            return rows, np.array(b), np.array(example), None
        return np.delete(rows, self.bias, axis=1), np.array(b), np.array(example), rows[:, self.bias]


def same(x: Any, y: Any) -> bool:
    """Whether two labellings are equal."""
    return bool(np.array_equal(np.asarray(x), np.asarray(y)))


def scale(rng: np.random.Generator) -> float:
    """A power of ten between 1e-8 and 1e8; half of the time 1."""
    return 1.0 if rng.random() < 0.4 else float(10.0 ** rng.integers(-8, 9))


def values(rng: np.random.Generator, shape: tuple[int, ...], size: float) -> Array:
    """Random features: normal, or small whole numbers with ties; sometimes the first column is constant."""
    out = rng.normal(size=shape) if rng.random() < 0.6 else rng.integers(-2, 3, shape).astype(float)
    if rng.random() < 0.2:
        out[..., 0] = 1.0
    if len(shape) > 1 and shape[0] > 1 and rng.random() < 0.3:
        out[1] = out[0]
    return out * size


def costs(rng: np.random.Generator, states: int, size: float) -> tuple[tuple[float, ...], ...]:
    """A cost matrix of that size: all ones, or uneven."""
    M = np.ones((states, states)) if rng.random() < 0.5 else rng.integers(1, 5, (states, states)) / 2.0
    return tuple(tuple(row) for row in size * (M * (1.0 - np.eye(states))))


def pricing(rng: np.random.Generator) -> Pricing:
    """Mostly the plain one."""
    if rng.random() < 0.6:
        return Pricing()
    return Pricing("slack" if rng.random() < 0.5 else "margin", "squared" if rng.random() < 0.5 else "linear")


def summed(matrix: Any, truth: Any, label: Any) -> float:
    """The cost matrix added up over positions."""
    return float(sum(matrix[t][s] for t, s in zip(truth, label, strict=True)))


def binary(rng: np.random.Generator, size: float, loss: float) -> Case:
    n, F = int(rng.integers(2, 6)), int(rng.integers(1, 4))
    bias = str(rng.choice(["none", "regularised", "free"]))
    x, y = values(rng, (n, F), size), rng.integers(0, 2, n)
    y[:2] = 0, 1
    if bias == "free":
        x = x + size * float(rng.choice([0.0, 1.0, 1e4, 1e6]))
    M = costs(rng, 2, loss)
    problem = Binary(Dataset("points", x, y), bias, CostMatrix(M), pricing(rng))
    front = np.ones((n, 1)) if bias != "none" else np.zeros((n, 0))
    seen = np.hstack([front, x])
    table = [[(k, (k - 0.5) * seen[i], M[y[i]][k]) for k in (0, 1)] for i in range(n)]
    return Case("binary " + bias, problem, table, list(y), 0 if bias == "free" else None)


def multiclass(rng: np.random.Generator, size: float, loss: float) -> Case:
    n, F, K = int(rng.integers(1, 5)), int(rng.integers(1, 4)), int(rng.integers(2, 4))
    x, y = values(rng, (n, F), size), rng.integers(0, K, n)
    M = costs(rng, K, loss)
    problem = Multiclass(Dataset("points", x, y), K, CostMatrix(M), pricing(rng))
    table = [[(k, np.outer(x[i], np.eye(K)[k]).ravel(), M[y[i]][k]) for k in range(K)] for i in range(n)]
    return Case("multiclass", problem, table, list(y))


def sequence_features(x: Array, y: tuple[int, ...], K: int, ends: bool) -> Array:
    """Emissions, transitions, first and last state."""
    emit, move = np.zeros((x.shape[1], K)), np.zeros((K, K))
    for t, s in enumerate(y):
        emit[:, s] += x[t]
    for s, r in pairwise(y):
        move[s, r] += 1.0
    tail = [np.eye(K)[y[0]], np.eye(K)[y[-1]]] if ends else []
    return np.concatenate([emit.ravel(), move.ravel(), *tail])


def chain(rng: np.random.Generator, size: float, loss: float) -> Case:
    n, F, K = int(rng.integers(1, 4)), int(rng.integers(1, 3)), 2
    ends = bool(rng.random() < 0.5)
    lengths = rng.integers(1, 4, n)
    inputs = tuple(values(rng, (int(t), F), size) for t in lengths)
    labels = tuple(rng.integers(0, K, int(t)) for t in lengths)
    M = costs(rng, K, loss)
    problem = Chain(Dataset("chains", inputs, labels), K, CostMatrix(M), Pricing(), ends)
    table = [
        [
            (y, sequence_features(x, y, K, ends), summed(M, truth, y))
            for y in product(range(K), repeat=len(truth))
        ]
        for x, truth in zip(inputs, labels, strict=True)
    ]
    return Case("chain", problem, table, list(labels))


def graph_features(x: Array, edges: Any, y: tuple[int, ...], K: int) -> Array:
    """Node features by state, edges by pair of states."""
    node, pair = np.zeros((x.shape[1], K)), np.zeros((K, K))
    for u, s in enumerate(y):
        node[:, s] += x[u]
    for u, v in edges:
        pair[y[u], y[v]] += 1.0
    return np.concatenate([node.ravel(), pair.ravel()])


def labelled_graphs(rng: np.random.Generator, size: float, loss: float, exact: bool = True) -> Case:
    n, F, K, m = int(rng.integers(1, 3)), int(rng.integers(1, 3)), 2, 3
    edges = [(0, 1), (1, 2), (0, 2)][: int(rng.integers(1, 4))]
    rows = [values(rng, (m, F), size) for _ in range(n)]
    labels = tuple(rng.integers(0, K, m) for _ in range(n))
    M = costs(rng, K, loss)
    separator = (Exhaustive() if rng.random() < 0.5 else BranchAndBound()) if exact else ICM()
    data = Dataset("graphs", tuple(graph(x, edges) for x in rows), labels)
    problem = FieldLabelling(data, GraphMap(K), CostMatrix(M), Pricing(), separator)
    table = [
        [(y, graph_features(x, edges, y, K), summed(M, truth, y)) for y in product(range(K), repeat=m)]
        for x, truth in zip(rows, labels, strict=True)
    ]
    return Case("field" if exact else "field, approximate", problem, table, list(labels), exact=exact)


def partitions(m: int) -> Iterator[tuple[int, ...]]:
    """All partitions of m items, clusters numbered by first item."""
    grown: list[tuple[int, ...]] = [()]
    for _ in range(m):
        grown = [(*y, k) for y in grown for k in range(max(y, default=-1) + 2)]
    yield from grown


def clustering(rng: np.random.Generator, size: float, loss: float, exact: bool = True) -> Case:
    n, m, F = int(rng.integers(1, 3)), int(rng.integers(2, 5)), int(rng.integers(1, 4))
    pairs = [values(rng, (m * (m - 1) // 2, F), size) for _ in range(n)]
    labels = [list(partitions(m))[int(rng.integers(0, 5 if m > 2 else 2))] for _ in range(n)]
    data = Dataset("sets", tuple(item_set(m, pairs=p) for p in pairs), tuple(np.array(y) for y in labels))
    spread = bool(rng.random() < 0.5)
    separators = {} if exact else {"separator": GreedyMerges()}
    ruled = exact and bool(rng.random() < 0.4)
    problem = Clustering(data, normalise=spread, nonnegative=ruled, **separators)
    both = list(combinations(range(m), 2))

    def features(p: Array, y: Any) -> Array:
        s = 1.0 / m**2 if spread else 1.0
        return s * sum((p[k] for k, (u, v) in enumerate(both) if y[u] == y[v]), np.zeros(F))

    def differing(t: Any, y: Any) -> float:
        return 100.0 * sum((t[u] == t[v]) != (y[u] == y[v]) for u, v in both) / len(both)

    table = [
        [(y, features(p, y), differing(t, y)) for y in partitions(m)]
        for p, t in zip(pairs, labels, strict=True)
    ]
    truth = [np.array(y) for y in labels]
    name = ("clustering" if exact else "clustering, approximate") + (", w >= 0" if ruled else "")
    rules = tuple((line, 0.0) for line in np.eye(F)) if ruled else ()
    return Case(name, problem, table, truth, exact=exact, rules=rules)


def head_lists(m: int) -> list[tuple[int, ...]]:
    """Every tree: from each token the root is reached."""

    def rooted(heads: tuple[int, ...]) -> bool:
        return all(reaches(heads, d) for d in range(1, m + 1))

    return [heads for heads in product(range(m + 1), repeat=m) if rooted(heads)]


def reaches(heads: tuple[int, ...], d: int) -> bool:
    for _ in heads:
        d = heads[d - 1] if d else 0
    return d == 0


def trees(rng: np.random.Generator, size: float, loss: float, exact: bool = True) -> Case:
    n, m = int(rng.integers(1, 3)), int(rng.integers(2, 4))
    tags = [tuple(str(t) for t in rng.choice(["N", "V"], m)) for _ in range(n)]
    labels = [head_lists(m)[int(rng.integers(len(head_lists(m))))] for _ in range(n)]
    data = treebank("trees", [sentence(t, t) for t in tags], labels)
    problem = DependencyTrees(data, **({} if exact else {"separator": GreedyHeads()}))

    def edges(t: Any, heads: Any) -> list[tuple[str, str, int]]:
        return [("root" if h == 0 else t[h - 1], t[d - 1], d - h) for d, h in enumerate(heads, start=1)]

    every = sorted({e for t in tags for heads in head_lists(m) for e in edges(t, heads)})

    def features(t: Any, heads: Any) -> Array:
        return np.array([float(edges(t, heads).count(e)) for e in every])

    table = [
        [(y, features(t, y), sum(p != q for p, q in zip(truth, y, strict=True)) / m) for y in head_lists(m)]
        for t, truth in zip(tags, labels, strict=True)
    ]
    return Case(
        "trees" if exact else "trees, approximate", problem, table, labels, exact=exact, own_layout=False
    )


def own(rng: np.random.Generator, size: float, loss: float) -> Case:
    """Functions of a user: any features, any losses, also zero for wrong answers."""
    n, F, K = int(rng.integers(1, 4)), int(rng.integers(1, 4)), int(rng.integers(2, 5))
    features = values(rng, (n, K, F), size)
    prices = loss * (rng.random((n, K)) * (rng.random((n, K)) < 0.7))
    truth = rng.integers(0, K, n)
    prices[np.arange(n), truth] = 0.0
    at = Pricing() if rng.random() < 0.7 else Pricing("slack", "linear")

    def psi(x: int, y: int) -> Array:
        return features[x, y]

    def worst(w: Array, x: int, y: int) -> int:
        margin = (features[x, y] - features[x]) @ w
        H = prices[x] - margin if at.scaling == "margin" else prices[x] * (1.0 - margin)
        return int(np.argmax(H))

    # The loss of this family depends on the example, so the labels carry it along.
    labels = [Answer(i, int(t)) for i, t in enumerate(truth)]

    def delta(y: Any, guess: Any) -> float:
        return float(prices[y.i, guess.k])

    data = Dataset("own", list(range(n)), labels)
    if rng.random() < 0.5:
        problem: Any = Listed(
            data, lambda x, y: psi(x, y.k), delta, lambda x: [Answer(x, k) for k in range(K)], F, at
        )
    else:
        problem = Plain(
            data,
            lambda x, y: psi(x, y.k),
            delta,
            lambda w, x: Answer(x, int(np.argmax(features[x] @ w))),
            lambda w, x, y: Answer(x, worst(w, x, y.k)),
            F,
            pricing=at,
        )
    table = [[(Answer(i, k), features[i, k], float(prices[i, k])) for k in range(K)] for i in range(n)]
    return Case("own", problem, table, labels)


@dataclass(frozen=True)
class Answer:
    """A label that knows its example."""

    i: int
    k: int
