"""Greedy merges by rows and by pairs, against the best merger by definition at every step."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from explorer.engine.pricing import Pricing
from explorer.engine.structures.clusterings.kernels.merges import merge_by_pairs, merge_by_rows
from explorer.engine.structures.clusterings.kernels.tables import Merged
from explorer.engine.structures.clusterings.losses import Mitre, Normalised, Pairwise
from explorer.engine.structures.clusterings.oracles._kernel_question import KernelQuestion, kernel_question
from explorer.engine.structures.clusterings.partitions import canonical
from explorer.engine.structures.clusterings.question import Question
from tests.engine.structures.clusterings.oracles.figures import gaussian, pairs_of

PRICINGS = [Pricing(a, b) for a, b in product(("margin", "slack"), ("linear", "squared"))]


def greedy(question: Question) -> list[tuple[int, int]]:
    """The mergers by definition."""
    names, made = np.arange(question.m), list[tuple[int, int]]()
    while True:
        alive = np.unique(names)
        pairs = [(a, b) for a in alive for b in alive if a < b]
        values = [question.value(canonical(np.where(names == b, a, names))) for a, b in pairs]
        if not pairs or max(values) <= question.value(canonical(names)) + 1e-9:
            return made
        a, b = pairs[int(np.argmax(values))]
        names = np.where(names == b, a, names)
        made.append((int(a), int(b)))


def run(kernel: Any, told: KernelQuestion, most: int) -> list[tuple[int, int]]:
    log = Merged(np.empty((most + 1, 2), np.int64), np.empty((most + 1, 2)))
    count = kernel(told.K, told.stake, most, log)
    return [(int(a), int(b)) for a, b in log.ends[:count]]


@pytest.mark.parametrize("delta", [None, Pairwise(), Mitre(), Normalised()], ids=repr)
def test_rows_make_the_mergers_of_the_definition(delta: Any) -> None:
    for m, scale in product((1, 2, 7), (0.01, 1.0, 50.0)):
        question = Question(gaussian(m, m, scale), None, None if delta is None else pairs_of(m, 1), delta)
        told = kernel_question(question)
        assert told is not None
        assert run(merge_by_rows, told, m) == greedy(question)


@pytest.mark.parametrize("pricing", PRICINGS, ids=repr)
def test_pairs_make_the_mergers_of_the_definition(pricing: Pricing) -> None:
    for delta, scale in product((Pairwise(), Mitre(), Normalised()), (0.1, 20.0)):
        question = Question(gaussian(7, 4, scale), None, pairs_of(7, 1), delta, pricing)
        told = kernel_question(question)
        assert told is not None
        if told.stake.loss:  # what folds is left to rows
            assert run(merge_by_pairs, told, 7) == greedy(question)


def test_rows_and_pairs_agree_and_can_be_stopped_early() -> None:
    rng = np.random.default_rng(2)
    for m in (6, 12):
        truth = canonical(rng.integers(0, m // 2, m))
        for delta in (Mitre(), Normalised()):
            told = kernel_question(Question(gaussian(m, m, 0.5), None, truth, delta))
            assert told is not None
            full = run(merge_by_rows, told, m)
            assert full == run(merge_by_pairs, told, m)
            assert run(merge_by_rows, told, 2) == full[:2]


def test_of_equal_mergers_the_one_with_the_smallest_clusters_is_made() -> None:
    question = Question(np.ones((4, 4)), None, None, None)
    told = kernel_question(question)
    assert told is not None
    # All pairs are alike: 0 and 1 first; then 0, now of two items, gains most with 2 and as much with 3.
    assert run(merge_by_rows, told, 4) == [(0, 1), (0, 2), (0, 3)]
