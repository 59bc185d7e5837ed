"""Clusterers with a known number of clusters: moves of items, eigenvectors, and Lloyd's batches."""

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.losses import Mitre, Normalised, Pairwise
from explorer.engine.structures.clusterings.oracles import (
    AllPartitions,
    BatchKMeans,
    Discrete,
    Iterative,
    Spectral,
)
from explorer.engine.structures.clusterings.oracles.batch_k_means import nearest
from explorer.engine.structures.clusterings.oracles.spectral import top
from explorer.engine.structures.clusterings.partitions import canonical, clusters, indicator
from explorer.engine.structures.clusterings.question import Question
from explorer.engine.vectors import Array
from tests.engine.structures.clusterings.oracles.figures import gaussian

PRICINGS = [Pricing(a, b) for a, b in product(("margin", "slack"), ("linear", "squared"))]


def kernel(m: int, seed: int) -> Array:
    """Positive semidefinite: inner products of points."""
    X = np.random.default_rng(seed).normal(size=(m, 3))
    return X @ X.T


def blocks(*sizes: int) -> Array:
    """The ideal similarity of a clustering into blocks."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return (labels[:, None] == labels[None]).astype(float)


@pytest.mark.spec("C36")
@pytest.mark.parametrize("delta", [None, Normalised(), Pairwise(), Mitre()], ids=repr)
def test_every_move_raises_the_value_by_what_it_says_for_indefinite_similarities(delta: Any) -> None:
    for seed, pricing in enumerate(PRICINGS):
        truth = canonical(np.arange(14) % 4)
        asked = (None, None) if delta is None else (truth, delta)
        question = Question(gaussian(14, seed, 5.0), 4, *asked, pricing)
        assert np.linalg.eigvalsh(question.K)[0] < 0.0 < np.linalg.eigvalsh(question.K)[-1]
        labels, moves = Iterative(seed=seed).moves(question)
        value = question.value(canonical(labels))
        assert moves
        for _, item, old, new, gain, after in moves:
            assert labels[item] == old
            labels[item] = new
            assert len(np.unique(labels)) == 4, "no cluster is emptied"
            direct = question.value(canonical(labels))
            size = 1.0 + abs(direct) + abs(value)
            assert gain > 0.0
            assert gain == pytest.approx(direct - value, abs=1e-9 * size)
            assert after == pytest.approx(direct, abs=1e-9 * size)
            value = direct
        assert np.array_equal(canonical(labels), Iterative(seed=seed).solve(question).label)


@pytest.mark.spec("C36")
def test_no_single_move_betters_the_answer() -> None:
    for seed in range(6):
        question = Question(gaussian(9, seed), 3)
        label = Iterative(seed=seed).solve(question).label
        value = question.value(label)
        for item, to in product(range(9), range(3)):
            tried = label.copy()
            tried[item] = to
            if len(np.unique(tried)) == 3:
                assert question.value(canonical(tried)) <= value + 1e-9


@pytest.mark.spec("C36")
def test_adding_to_the_diagonal_changes_nothing_but_the_value_by_k_times_that() -> None:
    for seed in range(5):
        K = gaussian(10, seed)
        plain, lifted = Question(K, 3), Question(K + 7.0 * np.eye(10), 3)
        label = Iterative(seed=seed).solve(plain).label
        assert np.array_equal(Iterative(seed=seed).solve(lifted).label, label)
        assert lifted.value(label) == pytest.approx(plain.value(label) + 3 * 7.0, abs=1e-9)
        assert Spectral().solve(lifted).bound == pytest.approx(Spectral().solve(plain).bound + 21.0, abs=1e-9)


def test_more_starts_never_make_the_answer_worse_and_the_seed_decides_it() -> None:
    question = Question(gaussian(30, 0), 5)
    values = [question.value(Iterative(restarts).solve(question).label) for restarts in (1, 2, 5, 20)]
    assert values == sorted(values)
    assert values[0] < values[-1]
    labels = [tuple(Iterative(seed=seed).solve(question).label) for seed in (0, 0, 1)]
    assert labels[0] == labels[1]
    assert labels[0] != labels[2]
    for bad in ({"restarts": 0}, {"seed": -1}):
        with pytest.raises(Refused):
            Iterative(**bad)


@pytest.mark.spec("C38")
def test_spectral_is_worth_the_sum_of_the_largest_eigenvalues_and_no_clustering_exceeds_it() -> None:
    for seed in range(6):
        m, k = 8, seed % 4 + 1
        question = Question(gaussian(m, seed), k)
        label, bound = Spectral().solve(question)
        largest = np.sort(np.linalg.eigvalsh(question.K))[-k:].sum()
        assert question.value(label) == pytest.approx(largest, abs=1e-9)
        assert bound == pytest.approx(largest, abs=1e-9)
        assert bound >= AllPartitions().solve(question).bound


def test_the_spectrum_is_that_of_the_similarity_with_the_loss_folded_in() -> None:
    truth = canonical(np.arange(7) % 3)
    K, Y = gaussian(7, 0), indicator(truth)
    values, vectors = Spectral().spectrum(Question(K, 3, truth, Normalised()))
    folded = K - (100.0 / 3.0) * Y @ Y.T
    assert values == pytest.approx(np.sort(np.linalg.eigvalsh(folded))[::-1], abs=1e-9)
    assert pytest.approx(vectors * values, abs=1e-9) == folded @ vectors


@pytest.mark.spec("C39")
def test_discrete_finds_the_blocks_of_an_ideal_similarity() -> None:
    rng = np.random.default_rng(0)
    for sizes in ((3, 4), (5, 2, 6), (4, 4, 4, 4)):
        truth, order = np.repeat(np.arange(len(sizes)), sizes), rng.permutation(sum(sizes))
        K = blocks(*sizes)[np.ix_(order, order)]
        found = Discrete(restarts=10).solve(Question(K, len(sizes))).label
        assert np.array_equal(found, canonical(truth[order]))


@pytest.mark.spec("C40")
def test_iterative_discrete_exact_and_spectral_values_are_in_this_order() -> None:
    for seed in range(6):
        truth = canonical(np.random.default_rng(seed).permutation(np.arange(8) % 3))
        question = Question(gaussian(8, seed, 10.0), 3, truth, Normalised())
        best = AllPartitions().solve(question).bound
        for oracle in (Iterative(), Discrete(), BatchKMeans()):
            assert question.value(oracle.solve(question).label) <= best + 1e-9
        assert question.value(Spectral().solve(question).label) >= best - 1e-9
        assert question.value(Iterative(restarts=30).solve(question).label) == pytest.approx(best, abs=1e-9)


@pytest.mark.spec("C37")
def test_batches_rise_and_settle_on_kernels() -> None:
    for seed in range(6):
        history = BatchKMeans(seed=seed).history(Question(kernel(25, seed), 4))
        assert np.array_equal(history[-1].labels, history[-2].labels)
        values = [stage.value for stage in history]
        assert all(b >= a - 1e-9 for a, b in pairwise(values))


@pytest.mark.spec("C37")
def test_batches_go_round_in_circles_on_some_indefinite_similarities() -> None:
    circles, falls = 0, 0
    for seed in range(10):
        question = Question(gaussian(12, seed), 3)
        history = BatchKMeans(seed=seed).history(question)
        values = [stage.value for stage in history]
        assert values == pytest.approx([question.value(stage.labels) for stage in history], abs=1e-9)
        same = [np.array_equal(stage.labels, history[-1].labels) for stage in history[:-1]]
        assert any(same) or len(history) == 101
        circles += any(same) and not same[-1]
        falls += any(b < a - 1e-9 for a, b in pairwise(values))
        assert question.value(BatchKMeans(seed=seed).solve(question).label) == pytest.approx(
            max(values), abs=1e-9
        )
    assert circles > 0
    assert falls > 0


def test_batches_put_items_to_their_nearest_centre() -> None:
    X = np.random.default_rng(1).normal(size=(20, 2))
    labels = canonical(np.arange(20) % 4)
    centres = np.stack([X[c].mean(axis=0) for c in clusters(labels)])
    distances = np.linalg.norm(X[:, None] - centres[None], axis=2)
    found, _ = nearest(X @ X.T, labels, 4)
    assert np.array_equal(found, np.argmin(distances, axis=1))


def test_a_cluster_left_empty_takes_the_item_farthest_from_its_centre() -> None:
    X = np.array([[-1.0], [1.0], [-1.1], [0.9], [9.0]])
    found, _ = nearest(X @ X.T, np.array([0, 0, 1, 1, 2]), 3)
    assert sorted(np.bincount(found, minlength=3))[0] >= 1


def test_one_cluster_and_single_items_are_answered() -> None:
    for oracle in (Iterative(), Discrete(), BatchKMeans()):
        assert np.array_equal(oracle.solve(Question(gaussian(5, 0), 1)).label, np.zeros(5))
        assert np.array_equal(oracle.solve(Question(gaussian(5, 0), 5)).label, np.arange(5))


def test_what_needs_a_number_of_clusters_says_so() -> None:
    for oracle in (Iterative(), Spectral(), Discrete(), BatchKMeans()):
        assert "number of clusters" in (oracle.refuses(Question(gaussian(5, 0))) or "")
        assert "1 to 5" in (oracle.refuses(Question(gaussian(5, 0), 6)) or "")
    truth = canonical(np.arange(5) % 2)
    for oracle in (Spectral(), Discrete(), BatchKMeans()):
        reason = oracle.refuses(Question(gaussian(5, 0), 2, truth, Normalised(), Pricing("slack")))
        assert (
            "choose the normalised loss with margin scaling and a linear penalty, or iterative k-means"
            in (reason or "")
        )


@pytest.mark.spec("C38")
def test_coinciding_eigenvalues_are_all_found() -> None:
    for seed in range(60, 200):
        Z = np.random.default_rng(seed).normal(size=(24, 3))
        K = Z @ Z.T - 1.1195 * np.eye(24)  # three distinct eigenvalues above twenty-one equal ones
        found = top(K, 4)
        assert np.allclose(found.values, np.linalg.eigvalsh(K)[::-1][:4])
        assert np.allclose(found.Y.T @ found.Y, np.eye(4), atol=1e-8)
