"""Small problems with known answers, and a loop that runs a learner to its end."""

from collections.abc import Iterator, Mapping
from itertools import combinations, islice
from typing import Any

import numpy as np

from explorer.engine.contracts import Dataset, Learner, Problem
from explorer.engine.data.toys import circle, four_points
from explorer.engine.events import Step, Stopped
from explorer.engine.pricing import Pricing, Scaling
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.structures.classes.own import Listed
from explorer.engine.vectors import Array


def run(
    learner: Learner, problem: Problem, seed: int = 0, state: Mapping[str, Any] | None = None
) -> tuple[list[Step], Stopped]:
    """All steps of a learner that ends by itself, and why it ended."""
    steps, generator = [], learner.steps(problem, np.random.default_rng(seed), state)
    while True:
        try:
            steps.append(next(generator))
        except StopIteration as end:
            return steps, end.value


def first(
    learner: Learner, problem: Problem, count: int, seed: int = 0, state: Mapping[str, Any] | None = None
) -> list[Step]:
    """The first steps of a learner."""
    return list(islice(learner.steps(problem, np.random.default_rng(seed), state), count))


def line_toy(pricing: Pricing | None = None) -> Multiclass:
    """x = -10, -4 labelled +1 and 6, 5 labelled -1; class -1 has the first weight, +1 the second."""
    return Multiclass(four_points(), 2, pricing=pricing or Pricing())


def circle_toy(pricing: Pricing | None = None) -> Multiclass:
    """Twelve points on a circle, one of them mislabelled."""
    return Multiclass(circle(), 3, pricing=pricing or Pricing())


def noisy(n: int = 60, classes: int = 4, seed: int = 0, noise: float = 1.0, **settings: Any) -> Multiclass:
    """Random points whose classes are linear up to noise."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    y = np.argmax(x @ rng.normal(size=(3, classes)) + noise * rng.normal(size=(n, classes)), axis=1)
    return Multiclass(Dataset("noisy", np.column_stack([x, np.ones(n)]), y), classes, **settings)


def partitions(items: int) -> Iterator[tuple[int, ...]]:
    """Every way to put items into clusters, clusters numbered in the order of their first item."""

    def grown(head: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(head) == items:
            yield head
            return
        for cluster in range(max(head) + 2):
            yield from grown((*head, cluster))

    yield from grown((0,))


PAIRS = tuple(combinations(range(5), 2))
PARTITIONS = tuple(partitions(5))


def together(y: tuple[int, ...]) -> Array:
    """For each pair of five items, whether they share a cluster."""
    return np.array([float(y[a] == y[b]) for a, b in PAIRS])


def within(psi: Array, y: tuple[int, ...]) -> Array:
    """Psi(x, y): the pair features inside clusters, over the squared number of items."""
    return together(y) @ psi / 25.0


def disagreement(truth: tuple[int, ...], y: tuple[int, ...]) -> float:
    """The share of pairs, in per cent, on which two clusterings disagree."""
    return 100.0 * float(np.mean(together(truth) != together(y)))


def tiny_clustering(scaling: Scaling = "margin") -> Listed:
    """Six sets of five items with four pair features; the truth is the best partition under noise."""
    rng = np.random.default_rng(3)
    inputs, labels = [], []
    for _ in range(6):
        psi = rng.normal(size=(10, 4))
        K = psi @ [1.0, -1.0, 0.5, -0.3] + 0.8 * rng.normal(size=10)
        inputs.append(psi)
        labels.append(max(PARTITIONS, key=lambda y, K=K: float(together(y) @ K)))
    return Listed(
        Dataset("tiny clustering", inputs, labels),
        within,
        disagreement,
        lambda x: PARTITIONS,
        4,
        Pricing(scaling),
    )
