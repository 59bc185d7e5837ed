"""Losses of clusterings: hand-made values, their definitions, and their folded forms."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from explorer.engine.structures.clusterings.losses import CLUSTER_LOSSES, Mitre, Normalised, Pairwise
from explorer.engine.structures.clusterings.partitions import (
    all_partitions,
    canonical,
    clusters,
    indicator,
    pair_count,
    together,
)
from explorer.engine.structures.clusterings.question import Question, loss_of, score
from explorer.engine.vectors import Ints
from tests.engine.structures.clusterings.oracles.figures import FIG_3_2_TRUTH, gaussian, spelt


def drawn(rng: np.random.Generator, m: int, most: int) -> Ints:
    return canonical(rng.integers(0, most, m))


def recall(one: Ints, other: Ints) -> float:
    """R of the model-theoretic score by its definition; 1 where there is no link to find."""
    links = sum(len(c) - 1 for c in clusters(one))
    kept = sum(len(c) - len(set(other[c].tolist())) for c in clusters(one))
    return kept / links if links else 1.0


def mitre_by_definition(truth: Ints, label: Ints) -> float:
    r, p = recall(truth, label), recall(label, truth)
    return 100.0 * (1.0 - (2.0 * r * p / (r + p) if r + p else 0.0))


@pytest.mark.spec("C9")
def test_pairwise_loss_of_the_worked_example() -> None:
    assert Pairwise().value(FIG_3_2_TRUTH, spelt("a/bcde")) == pytest.approx(60.0, abs=1e-12)


@pytest.mark.spec("C9")
def test_pairwise_loss_is_the_complement_of_the_rand_index_and_spans_0_to_100() -> None:
    rng = np.random.default_rng(0)
    for m in (2, 3, 7, 12):
        truth, label = drawn(rng, m, 4), drawn(rng, m, 3)
        agree = sum(
            (truth[i] == truth[j]) == (label[i] == label[j]) for i, j in product(range(m), range(m)) if i < j
        ) / pair_count(m)
        assert Pairwise().value(truth, label) == pytest.approx(100.0 * (1.0 - agree), abs=1e-12)
        assert Pairwise().value(np.zeros(m, int), np.arange(m)) == 100.0
        assert Pairwise().value(truth, truth) == 0.0


@pytest.mark.spec("C10", "D35")
@pytest.mark.parametrize(
    ("label", "loss"),
    [("a/bcde", 100.0 / 3.0), ("a/b/c/d/e", 100.0), ("abcde", 100.0 / 7.0), ("abc/de", 0.0)],
)
def test_mitre_of_the_hand_made_cases(label: str, loss: float) -> None:
    assert Mitre().value(FIG_3_2_TRUTH, spelt(label)) == pytest.approx(loss, abs=1e-12)


@pytest.mark.spec("D35")
def test_single_items_against_one_pair_have_mitre_loss_100() -> None:
    assert Mitre().value(spelt("ab/c/d/e"), np.arange(5)) == 100.0


@pytest.mark.spec("C10")
def test_mitre_is_its_definition_on_a_thousand_pairs_of_clusterings() -> None:
    rng = np.random.default_rng(1)
    for _ in range(1000):
        m = int(rng.integers(1, 11))
        truth, label = drawn(rng, m, int(rng.integers(1, m + 1))), drawn(rng, m, int(rng.integers(1, m + 1)))
        assert Mitre().value(truth, label) == pytest.approx(mitre_by_definition(truth, label), abs=1e-9)


@pytest.mark.spec("C10")
def test_a_truth_of_single_items_has_full_recall() -> None:
    assert recall(np.arange(4), spelt("ab/cd")) == 1.0
    assert Mitre().value(np.arange(4), np.arange(4)) == 0.0
    assert Mitre().value(np.arange(4), spelt("ab/cd")) == 100.0, "none of its links is right"


@pytest.mark.spec("C11")
def test_normalised_loss_of_the_hand_made_cases() -> None:
    value = Normalised().value(np.array([0, 1, 0, 1, 1]), np.array([0, 0, 1, 1, 1]))
    by_hand = 100.0 * (1.0 - 0.5 * (1 / 4 + 1 / 6 + 1 / 6 + 4 / 9))
    assert value == pytest.approx(by_hand, abs=1e-12)
    assert round(value, 2) == 48.61
    for k in (2, 5, 6, 10):
        truth = np.arange(20) % k
        assert Normalised().value(truth, np.arange(20)) == pytest.approx(0.0, abs=1e-10)
        assert Normalised().value(truth, np.zeros(20, int)) == pytest.approx(100.0 * (k - 1) / k, abs=1e-10)


@pytest.mark.spec("C11")
def test_normalised_loss_is_symmetric_and_knows_no_numbering() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        a, b = canonical(rng.permutation(np.arange(12) % 3)), canonical(rng.permutation(np.arange(12) % 3))
        assert Normalised().value(a, b) == pytest.approx(Normalised().value(b, a), abs=1e-12)
        assert Normalised().value(a, canonical(2 - b)) == pytest.approx(Normalised().value(a, b), abs=1e-12)


@pytest.mark.spec("C11")
def test_random_clusterings_of_a_hundred_items_into_five_cost_about_77() -> None:
    rng = np.random.default_rng(3)
    truth = np.arange(100) % 5
    losses = [Normalised().value(truth, rng.permutation(truth)) for _ in range(200)]
    assert np.mean(losses) == pytest.approx(76.7, abs=1.0)


@pytest.mark.spec("C12")
def test_a_clustering_as_a_matrix_of_orthonormal_columns() -> None:
    Y = indicator(np.array([0, 1, 0, 1, 1]))
    two, three = 1.0 / np.sqrt(2.0), 1.0 / np.sqrt(3.0)
    assert pytest.approx(np.array([[two, 0], [0, three], [two, 0], [0, three], [0, three]])) == Y
    rng = np.random.default_rng(4)
    for m in (1, 4, 9):
        labels, K = drawn(rng, m, 3), gaussian(m, m)
        Y = indicator(labels)
        assert pytest.approx(np.eye(Y.shape[1]), abs=1e-12) == Y.T @ Y
        by_sums = sum(K[np.ix_(c, c)].sum() / len(c) for c in clusters(labels))
        assert np.trace(Y.T @ K @ Y) == pytest.approx(by_sums, abs=1e-9)
        assert score(K, labels, Y.shape[1]) == pytest.approx(by_sums, abs=1e-9)


@pytest.mark.spec("C8")
def test_relaxed_scores_and_losses_are_the_hard_ones_on_whole_shares() -> None:
    rng = np.random.default_rng(5)
    for m in (2, 5, 8):
        truth, label, K = drawn(rng, m, 3), drawn(rng, m, 4), gaussian(m, m)
        e, Y, k = together(label), indicator(label), int(label.max()) + 1
        assert score(K, e, None) == pytest.approx(score(K, label, None), abs=1e-12)
        assert score(K, Y.reshape(-1), k) == pytest.approx(score(K, label, k), abs=1e-12)
        wrong = 100.0 / pair_count(m) * np.sum(np.abs(together(truth) - e))
        assert loss_of(Pairwise(), truth, e, None) == pytest.approx(wrong, abs=1e-12)
        assert Pairwise().value(truth, label) == pytest.approx(wrong, abs=1e-12)
        apart = loss_of(Normalised(), truth, Y.reshape(-1), k)
        assert apart == pytest.approx(Normalised().value(truth, label), abs=1e-10)


@pytest.mark.parametrize(("delta", "groups"), [(Pairwise(), None), (Normalised(), 3)])
def test_a_folded_loss_gives_every_clustering_the_same_value(delta: Any, groups: int | None) -> None:
    truth = canonical([0, 1, 1, 2, 0, 2])
    question = Question(gaussian(6, 0, 10.0), groups, truth, delta)
    folded = question.fold()
    assert folded is not None
    for label in all_partitions(6, groups):
        assert folded[0] + score(folded[1], label, groups) == pytest.approx(question.value(label), abs=1e-9)


@pytest.mark.spec("C40")
def test_the_normalised_loss_joins_k_means_as_100_minus_100_over_k_times_the_truths_matrix() -> None:
    rng = np.random.default_rng(6)
    for _ in range(20):
        m, k = 9, 3
        truth, label = (
            canonical(rng.permutation(np.arange(m) % k)),
            canonical(rng.permutation(np.arange(m) % k)),
        )
        K, Y, Z = gaussian(m, 1), indicator(truth), indicator(label)
        left = np.trace(Z.T @ K @ Z) + Normalised().value(truth, label)
        assert left == pytest.approx(np.trace(Z.T @ (K - (100.0 / k) * Y @ Y.T) @ Z) + 100.0, abs=1e-9)


def test_relaxed_clusterings_need_a_loss_that_folds() -> None:
    with pytest.raises(TypeError, match="relaxed"):
        loss_of(Mitre(), np.zeros(3, int), np.zeros(3), None)


def test_the_normalised_loss_is_never_negative_on_refinements() -> None:
    rng = np.random.default_rng(0)
    for _ in range(2000):
        truth = canonical(rng.integers(0, 3, 9))
        finer = canonical(3 * truth + rng.integers(0, 2, 9))
        assert Normalised().value(truth, finer) >= 0.0


def test_every_loss_says_from_what_it_comes_about() -> None:
    truth, other = spelt("abc/de"), spelt("a/bcde")
    assert Pairwise().details(truth, other) == "6 of 10 pairs differ, Rand index 0.4"
    assert Mitre().details(truth, other) == "R 0.6667, P 0.6667"
    assert Mitre().details(np.arange(3), np.arange(3)) == "R 1, P 1"
    assert Normalised().details(truth, spelt("a/b/cde")) == "2 true clusters, 3 here"
    assert len({loss.title for loss in CLUSTER_LOSSES}) == len(CLUSTER_LOSSES) == 3
