"""Ways to cluster new item sets, from all that is known of training sets to nothing at all, behind one call.

    supervised clustering   training partitions -> similarity, by a structural machine, the perceptron or
                            eigenspaces
    pair classifier         training pairs -> similarity, from all pairs or those that are near a priori (a
                            canopy)
    metric learning         pairs, comparisons or labels of training sets -> metric; then k-means in it
    semi-supervised         nothing of training sets, but the clusters of some items of each test set
    untrained               nothing

Finley 2009, sections 1.3 to 1.7. Items are points (the `place` of a set), pairs have features. Correlation
clustering and pair classifiers find the number of clusters themselves; all others are told it. C is chosen by
cross validation over whole training sets. What metric learners see is drawn from pairs inside one training
set. LMNN knows of no sets: a coordinate along which sets lie far apart, where no step changes anything, keeps
their items from being compared. Cost: that of each.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from explorer.baselines.clustering import (
    LINKED,
    LMNN,
    METRICS,
    Canopy,
    EigenMetric,
    KernelLinks,
    KMeans,
    Linkage,
    Metric,
    Mixture,
    PairClassifier,
    Relative,
    Seeded,
    SpectralLearning,
    Uniform,
)
from explorer.engine.contracts import Dataset, Learner
from explorer.engine.data.marbles import nearest_class
from explorer.engine.halting import Cancelled
from explorer.engine.learners import Perceptron
from explorer.engine.runs.streams import metered
from explorer.engine.structures.clusterings.item_sets import ItemSet, pair_rows
from explorer.engine.structures.clusterings.losses import Normalised
from explorer.engine.structures.clusterings.oracles import Discrete, GreedyMerges, Iterative, Spectral
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.structures.clusterings.question import ClusterOracle, Question
from explorer.engine.vectors import Array, Ints
from explorer.studies.support.correlation_sets import Manner, Trained, correlation, fold_losses, machine
from explorer.studies.support.selection import best_price
from explorer.studies.support.study import Pulse

SUPERVISED, PAIRS, METRIC, SEMI = (
    "supervised clustering",
    "pair classifier",
    "metric learning",
    "semi-supervised",
)
CLASSIFIER, UNTRAINED = "classifier of items", "untrained"
GREEDY, MOVED, EIGEN = "correlation clustering", "k-means, iterative", "k-means, spectral"
PLAIN, ALL_PAIRS, NEAREST = KMeans.title, "pairs: all", "nearest class"
FAR = 1e3
"""How far apart sets lie along the coordinate added for LMNN, in units of the largest distance from the
middle.
"""


@dataclass(frozen=True, slots=True)
class Trial:
    """How every way is tried: training of machines, passes of the perceptron, examples of metric learners,
    told items.
    """

    manner: Manner
    passes: int
    examples: int
    told: int
    restarts: int


class Given(NamedTuple):
    """What a way gets: training sets, test sets (labels only to tell some of), its settings and its random
    draws.
    """

    train: Dataset
    test: Dataset
    asked: Trial
    rng: np.random.Generator
    pulse: Pulse

    def groups(self) -> list[int]:
        """The number of clusters of every test set."""
        return [len(np.unique(y)) for y in self.test.labels]


class Way(NamedTuple):
    """A method: what it is called, what kind it is, and how it clusters all test sets."""

    title: str
    kind: str
    cluster: Callable[[Given], Sequence[Ints]]


def points(x: ItemSet) -> Array:
    """The items as vectors."""
    return np.asarray(x.place)


def ways(marbles: bool) -> tuple[Way, ...]:
    """All of them; marbles can be classified one by one too."""
    metrics: tuple[Any, ...] = tuple(kind() for kind in METRICS)
    linked: tuple[Any, ...] = tuple(kind() for kind in LINKED if kind is not Seeded)
    links = ("single", "complete", "average")
    return (
        Way(GREEDY, SUPERVISED, lambda given: _machine(given, _greedy(given))),
        Way(
            MOVED,
            SUPERVISED,
            lambda given: _machine(given, _k_means(given, Iterative(seed=given.asked.manner.seed))),
        ),
        Way(EIGEN, SUPERVISED, lambda given: _machine(given, _k_means(given, Spectral()))),
        Way("structured perceptron", SUPERVISED, _perceptron),
        Way(SpectralLearning.title, SUPERVISED, _spectral_learning),
        Way(ALL_PAIRS, PAIRS, partial(_pairs, canopy=False)),
        Way("pairs: canopies", PAIRS, partial(_pairs, canopy=True)),
        *(Way(f"k-means, {metric.title}", METRIC, partial(_metric, learner=metric)) for metric in metrics),
        Way(Seeded.title, SEMI, partial(_seeded, method=Seeded())),
        Way("constrained k-means", SEMI, partial(_seeded, method=Seeded(keep=True))),
        *(Way(method.title, SEMI, partial(_linked, method=method)) for method in linked),
        Way(PLAIN, UNTRAINED, lambda given: _free(given, KMeans(given.asked.restarts))),
        Way(Mixture.title, UNTRAINED, lambda given: _free(given, Mixture(restarts=given.asked.restarts))),
        *(Way(f"{link} linkage", UNTRAINED, partial(_linkage, link=link)) for link in links),
        Way("all weights 1", UNTRAINED, _uniform),
        *(
            (Way(NEAREST, CLASSIFIER, lambda given: nearest_class(given.train, given.test)),)
            if marbles
            else ()
        ),
    )


def _greedy(given: Given) -> Clustering:
    return correlation(given.train)


def _k_means(given: Given, separator: ClusterOracle) -> Clustering:
    kind = Discrete if isinstance(separator, Spectral) else Iterative
    predictor = kind(given.asked.restarts, given.asked.manner.seed)
    return Clustering(given.train, "k-means", Normalised(), separator=separator, predictor=predictor)


def _machine(given: Given, problem: Clustering) -> list[Ints]:
    found = machine(problem, given.asked.manner, given.pulse)
    return problem.on(given.test).predictions(found.w)


def _perceptron(given: Given) -> list[Ints]:
    problem = _greedy(given)
    learner = Perceptron(passes=given.asked.passes, proof=False)
    return problem.on(given.test).predictions(_last(problem, learner, given))


def _last(problem: Clustering, learner: Learner, given: Given) -> Array:
    """The weights where a learner ends; a pulse that says no ends everything."""

    def cancelled() -> bool:
        given.pulse("training")
        return False

    steps = metered(problem, learner, np.random.default_rng(given.asked.manner.seed), cancelled=cancelled)
    w = np.zeros(problem.dim)
    while True:
        try:
            w = next(steps).w
        except StopIteration as end:
            if end.value.reason == "cancelled":
                raise Cancelled from None
            return w


def _spectral_learning(given: Given) -> list[Ints]:
    given.pulse("training")
    found = SpectralLearning().fit([pair_rows(x) for x in given.train.inputs], given.train.labels)
    return _k_means(given, Spectral()).on(given.test).predictions(found.w)


def _pairs(given: Given, canopy: bool) -> list[Ints]:
    """Greedy merges of a pair classifier's output."""
    problem, manner = _greedy(given), given.asked.manner

    def fit(part: Clustering, prices: Sequence[float], pulse: Pulse) -> Iterator[Trained]:
        data = part.dataset
        psis, chosen = [pair_rows(x) for x in data.inputs], near_rows(data) if canopy else None
        for C in prices:
            pulse(f"C = {C:g}")
            yield Trained(PairClassifier(C=C).fit(psis, data.labels, chosen).w, C, 1, 0.0)

    best = manner.prices[0]
    if len(manner.prices) > 1:
        best = best_price(list(fold_losses(problem, manner.prices, fit, manner, given.pulse)))
    (found,) = fit(problem, [best], given.pulse)
    return problem.on(given.test).predictions(found.w)


def near_rows(data: Dataset) -> list[Ints]:
    """The pairs of every set in a canopy that takes the nearer half of all."""
    priors = [alike(points(x)) for x in data.inputs]
    every = np.concatenate([K[np.triu_indices(len(K), 1)] for K in priors])
    canopy = Canopy(float(np.median(every)), 0.0)
    return [canopy.rows(y, K) for y, K in zip(data.labels, priors, strict=True)]


def alike(X: Array) -> Array:
    """Squared distances of all items, negated."""
    return -np.sum((X[:, None, :] - X[None, :, :]) ** 2, axis=2)


def _metric(given: Given, learner: Any) -> list[Ints]:
    given.pulse("metric")
    found = metric_of(given.train, learner, given.asked.examples, given.rng)
    return _free(given, KMeans(given.asked.restarts), found.transform)


def metric_of(train: Dataset, learner: Any, examples: int, rng: np.random.Generator) -> Metric:
    """A metric from at most this many pairs of each kind, or comparisons, inside the training sets."""
    X = np.vstack([points(x) - points(x).mean(axis=0) for x in train.inputs])
    of = np.repeat(np.arange(len(train)), [x.m for x in train.inputs])
    y = np.concatenate([1000 * s + label for s, label in enumerate(train.labels)])
    if isinstance(learner, LMNN):
        apart = FAR * max(float(np.abs(X).max()), 1.0)
        fewest = min(int(np.bincount(label).min()) for label in train.labels)
        found = replace(learner, targets=max(1, min(learner.targets, fewest - 1))).fit(
            np.column_stack([X, apart * of]), y
        )
        return Metric(found.A[:-1, :-1], found.trace)
    pairs = np.column_stack(np.triu_indices(len(X), 1))
    pairs = pairs[of[pairs[:, 0]] == of[pairs[:, 1]]]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    similar, dissimilar = _some(pairs[same], examples, rng), _some(pairs[~same], examples, rng)
    if isinstance(learner, EigenMetric):
        return learner.fit(X, similar)
    if isinstance(learner, Relative):
        return learner.fit(X, _compared(similar, y, of, rng))
    fitted: Metric = learner.fit(X, similar, dissimilar)
    return fitted


def _some(rows: Ints, most: int, rng: np.random.Generator) -> Ints:
    return rows if len(rows) <= most else rows[np.sort(rng.choice(len(rows), most, replace=False))]


def _compared(similar: Ints, y: Ints, of: Ints, rng: np.random.Generator) -> Ints:
    """(i, j, k): i is with j, and apart from a k drawn from the same set."""
    others = ((i, j, np.flatnonzero((of == of[i]) & (y != y[i]))) for i, j in similar.tolist())
    return np.array([(i, j, int(rng.choice(k))) for i, j, k in others if len(k)], dtype=np.int64).reshape(
        -1, 3
    )


def told_items(y: Ints, told: int, rng: np.random.Generator) -> Ints:
    """This many items of every cluster, or all where it has fewer."""
    each = (np.flatnonzero(y == c) for c in np.unique(y))
    return np.sort(np.concatenate([rng.permutation(members)[:told] for members in each]))


def _told(given: Given) -> Iterator[tuple[Array, Ints, Ints, int]]:
    """Points, truth, told items and number of clusters of every test set: the same items for every way."""
    rng = np.random.default_rng(given.asked.manner.seed)
    for x, y, k in zip(given.test.inputs, given.test.labels, given.groups(), strict=True):
        given.pulse("test set")
        yield points(x), y, told_items(y, given.asked.told, rng), k


def _seeded(given: Given, method: Seeded) -> list[Ints]:
    out = []
    for X, y, known, _ in _told(given):
        seeds = np.full(len(y), -1, dtype=np.int64)
        seeds[known] = y[known]
        out.append(method.cluster(X, seeds).partition)
    return out


def _linked(given: Given, method: Any) -> list[Ints]:
    out = []
    for X, y, known, k in _told(given):
        must, cannot = links_among(y, known)
        if isinstance(method, KernelLinks):
            middle = X - X.mean(axis=0)
            X = middle @ middle.T
        out.append(method.cluster(X, k, given.rng, must, cannot).partition)
    return out


def links_among(y: Ints, known: Ints) -> tuple[Ints, Ints]:
    """Must-links and cannot-links between all told items."""
    i, j = np.triu_indices(len(known), 1)
    pairs = np.column_stack([known[i], known[j]])
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    return pairs[same], pairs[~same]


def _free(given: Given, method: KMeans | Mixture, moved: Callable[[Array], Array] = np.asarray) -> list[Ints]:
    """A clustering of the points, or of what a metric makes of them."""
    out = []
    for x, k in zip(given.test.inputs, given.groups(), strict=True):
        given.pulse("test set")
        out.append(method.cluster(moved(points(x)), k, given.rng).partition)
    return out


def _linkage(given: Given, link: str) -> list[Ints]:
    method = Linkage(link)
    sets = zip(given.test.inputs, given.groups(), strict=True)
    return [method.cluster(alike(points(x))).into(k) for x, k in sets]


def _uniform(given: Given) -> list[Any]:
    asked = (Question(Uniform().similarity(pair_rows(x))) for x in given.test.inputs)
    return [GreedyMerges().solve(question).label for question in asked]
