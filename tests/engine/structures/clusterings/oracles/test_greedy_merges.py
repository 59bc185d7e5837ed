"""Greedy merges: worked examples, monotone values, and incremental numbers that are the direct ones."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from explorer.engine.pricing import Pricing
from explorer.engine.structures.clusterings.losses import Mitre, Normalised, Pairwise
from explorer.engine.structures.clusterings.oracles import AllPartitions, GreedyMerges
from explorer.engine.structures.clusterings.oracles.greedy_merges import _plain, mergers
from explorer.engine.structures.clusterings.partitions import canonical, together
from explorer.engine.structures.clusterings.question import Question
from tests.engine.structures.clusterings.oracles.figures import (
    FIG_1_1_PRINTED,
    FIG_1_1_TRUTH,
    FIG_3_1,
    FIG_3_2,
    FIG_3_2_TRUTH,
    PATH,
    fig_1_1,
    gaussian,
    listed,
    pairs_of,
    spelt,
)

LOSSES = (Pairwise(), Mitre(), Normalised())
PRICINGS = [Pricing(a, b) for a, b in product(("margin", "slack"), ("linear", "squared"))]


@pytest.mark.spec("C3")
def test_greedy_finds_the_optimum_of_figure_3_1_and_misses_that_of_the_path() -> None:
    found = GreedyMerges().solve(Question(FIG_3_1)).label
    assert np.array_equal(found, spelt("abcd/efg/hi"))
    assert Question(FIG_3_1).value(found) == 47.0
    path = Question(PATH)
    assert path.value(GreedyMerges().solve(path).label) == 5.0
    assert path.value(AllPartitions().solve(path).label) == 8.0


@pytest.mark.spec("C32")
def test_greedy_on_figure_1_1() -> None:
    assert np.array_equal(GreedyMerges().solve(Question(fig_1_1())).label, FIG_1_1_TRUTH)
    printed = GreedyMerges().solve(Question(FIG_1_1_PRINTED)).label
    assert np.array_equal(printed, spelt("ab/cde/fgh"))


@pytest.mark.spec("C7")
def test_greedy_finds_the_most_violated_clustering_of_figure_3_2() -> None:
    question = Question(FIG_3_2, None, FIG_3_2_TRUTH, Pairwise())
    assert np.array_equal(GreedyMerges().solve(question).label, spelt("a/bcde"))
    merges = GreedyMerges().merges(question)
    assert listed(merges) == [("c", "d"), ("c", "e"), ("b", "c")]
    assert [merge.gain for merge in merges] == pytest.approx([12.0, 5.0, 6.0])
    assert merges[-1].value == pytest.approx(42.0)


@pytest.mark.spec("C3", "C7")
def test_greedy_never_beats_enumeration_and_its_values_are_direct_ones() -> None:
    rng = np.random.default_rng(0)
    for n in range(500):
        m = int(rng.integers(2, 8))
        truth, K = canonical(rng.integers(0, 3, m)), gaussian(m, n, float(rng.choice([0.3, 3.0, 30.0])))
        pricing = PRICINGS[n % 4]
        delta = LOSSES[n // 4 % 3] if pricing.penalty == "linear" else LOSSES[n // 4 % 2]
        question = Question(K, None, truth, delta, pricing)
        best = AllPartitions().solve(question).bound
        names, value = np.arange(m), question.value(np.arange(m))
        for first, second, gain, after in GreedyMerges().merges(question):
            names = np.where(names == second, first, names)
            direct = question.value(canonical(names))
            size = 1.0 + max(abs(direct), abs(value))
            assert after == pytest.approx(direct, abs=1e-9 * size)
            assert gain == pytest.approx(direct - value, abs=1e-9 * size)
            assert gain > 0.0
            value = direct
        assert np.array_equal(GreedyMerges().solve(question).label, canonical(names))
        assert value <= best + 1e-9 * (1.0 + abs(best))


@pytest.mark.parametrize("delta", LOSSES, ids=lambda loss: loss.title)
@pytest.mark.parametrize("pricing", PRICINGS, ids=lambda pricing: f"{pricing.scaling} {pricing.penalty}")
def test_every_merger_is_the_best_one(delta: Any, pricing: Pricing) -> None:
    for seed, scale in ((0, 0.1), (1, 3.0), (2, 40.0)):
        question = Question(gaussian(9, seed, scale), None, pairs_of(9, seed), delta, pricing)
        assert np.array_equal(mergers(question).ends, _plain(question).ends)


def test_larger_sets_are_merged_as_by_definition() -> None:
    rng = np.random.default_rng(3)
    for m, scale in ((13, 0.02), (16, 1.0)):
        truth = canonical(rng.integers(0, m // 3, m))
        K = scale * (gaussian(m, m) + 4.0 * (truth[:, None] == truth[None]) - 1.0)
        for delta in LOSSES:
            question = Question(K, None, truth, delta)
            assert np.array_equal(mergers(question).ends, _plain(question).ends)


def test_ties_are_broken_for_the_smallest_items() -> None:
    merges = GreedyMerges().merges(Question(np.ones((5, 5))))
    assert [(a, b) for a, b, _, _ in merges] == [(0, 1), (0, 2), (0, 3), (0, 4)]
    K = np.kron(np.eye(3), np.ones((2, 2))) * 2.0 - 1.0
    assert [(a, b) for a, b, _, _ in GreedyMerges().merges(Question(K))] == [(0, 1), (2, 3), (4, 5)]


def test_what_gains_nothing_is_not_merged() -> None:
    assert np.array_equal(GreedyMerges().solve(Question(np.zeros((4, 4)))).label, np.arange(4))
    assert GreedyMerges().merges(Question(-np.ones((4, 4)))) == []


def test_the_diagonal_plays_no_part() -> None:
    K = gaussian(8, 0)
    for size in (0.0, -1e3, 1e3):
        np.fill_diagonal(K, size)
        found = GreedyMerges().solve(Question(K)).label
        assert Question(K).value(found) == pytest.approx(K[np.triu_indices(8, 1)] @ together(found))
        assert np.array_equal(found, GreedyMerges().solve(Question(gaussian(8, 0))).label)
