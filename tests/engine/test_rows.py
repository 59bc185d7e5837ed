"""Dense and CSR rows say the same thing, and a sparse row is never written out."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from explorer.engine import rows
from explorer.engine.contracts import Dataset
from explorer.engine.learners import OneSlack, Subgradient
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.vectors import Sparse, dense

WIDE, STATES = 250_000, 9


def random_rows(rng: Any, count: int, features: int, density: float) -> Any:
    return rng.normal(size=(count, features)) * (rng.random((count, features)) < density)


def difference_by_hand(X: Any, truth: Any, label: Any, weight: Any, states: int, tail: Any) -> Any:
    out = np.zeros((X.shape[1], states))
    for t, (a, b) in enumerate(zip(truth, label, strict=True)):
        out[:, a] += weight[t] * X[t]
        out[:, b] -= weight[t] * X[t]
    return np.concatenate([out.ravel(), tail])


@pytest.mark.parametrize("features", [3, 40, 2000], ids=["short", "medium", "long"])
def test_feature_differences_do_not_depend_on_the_storage(features: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(10):
        T = int(rng.integers(1, 12))
        X, tail = random_rows(rng, T, features, 0.1), rng.normal(size=9)
        truth, label, weight = rng.integers(0, 3, T), rng.integers(0, 3, T), rng.uniform(0, 2, T)
        by_hand = difference_by_hand(X, truth, label, weight, 3, tail)
        for form in (X, csr_array(X)):
            found = rows.difference(rows.stack([form]), truth, label, weight, 3, tail)
            assert dense(found) == pytest.approx(by_hand, abs=1e-13)


@pytest.mark.parametrize("features", [3, 2000])
def test_label_sums_do_not_depend_on_the_storage(features: int) -> None:
    rng = np.random.default_rng(1)
    X, label, tail = random_rows(rng, 7, features, 0.2), rng.integers(0, 4, 7), rng.normal(size=16)
    nobody = np.zeros(7)
    by_hand = difference_by_hand(X, label, label, nobody, 4, tail)
    for t, k in enumerate(label):
        by_hand[: features * 4].reshape(features, 4)[:, k] += X[t]
    for form in (X, csr_array(X)):
        assert dense(rows.label_sum(form, label, 4, tail)) == pytest.approx(by_hand, abs=1e-13)


def test_scores_and_stacking_keep_the_storage() -> None:
    rng = np.random.default_rng(2)
    parts = [random_rows(rng, t, 5, 0.4) for t in (1, 3, 2)]
    W = rng.normal(size=(5, 3))
    whole, sparse_whole = rows.stack(parts), rows.stack([csr_array(x) for x in parts])
    assert rows.is_sparse(sparse_whole)
    assert not rows.is_sparse(whole)
    assert rows.scores(whole, W) == pytest.approx(np.vstack(parts) @ W)
    assert rows.scores(sparse_whole, W) == pytest.approx(np.vstack(parts) @ W)


def test_long_mostly_zero_vectors_become_sparse_and_short_ones_stay() -> None:
    x = np.zeros(rows.MAY_BE_DENSE + 1)
    x[3] = 2.0
    slim = rows.slim(x)
    assert isinstance(slim, Sparse)
    assert np.array_equal(dense(slim), x)
    assert rows.slim(x[:-1]) is not None
    assert isinstance(rows.slim(x[:-1]), np.ndarray)
    assert isinstance(rows.slim(np.ones(len(x))), np.ndarray)


@pytest.mark.parametrize("pricing", [Pricing(), Pricing("slack")])
def test_training_on_dense_and_sparse_rows_is_the_same_run(pricing: Pricing) -> None:
    rng = np.random.default_rng(3)
    inputs = [random_rows(rng, int(t), 30, 0.2) for t in rng.integers(2, 6, 8)]
    labels = [rng.integers(0, 3, len(x)) for x in inputs]
    runs = []
    for form in (np.asarray, csr_array):
        problem = Chain(Dataset("d", tuple(form(x) for x in inputs), tuple(labels)), 3, pricing=pricing)
        steps = OneSlack(C=5.0, eps=1e-4).steps(problem, np.random.default_rng(0))
        runs.append([step.bounds for step in steps])
    assert len(runs[0]) == len(runs[1])
    for a, b in zip(*runs, strict=True):
        assert a.primal == pytest.approx(b.primal, rel=1e-6)
        assert a.dual == pytest.approx(b.dual, rel=1e-6, abs=1e-12)


def wide_tagging(n: int = 40, length: int = 6, per_row: int = 8) -> Dataset:
    """Sentences whose rows have a quarter of a million columns, eight of them stored."""
    rng = np.random.default_rng(4)
    inputs, labels = [], []
    for _ in range(n):
        y = rng.integers(0, STATES, length)
        columns = np.array([rng.choice(WIDE // STATES, per_row, replace=False) * STATES + k for k in y])
        start = np.arange(length + 1) * per_row
        inputs.append(csr_array((np.ones(length * per_row), columns.ravel(), start), shape=(length, WIDE)))
        labels.append(y)
    return Dataset("wide tagging", tuple(inputs), tuple(labels))


def test_a_quarter_of_a_million_features_per_state_are_trained_in_the_memory_of_a_few_weight_vectors() -> (
    None
):
    data = wide_tagging()
    problem = Chain(data, STATES)
    assert problem.dim == WIDE * STATES + STATES**2 + 2 * STATES
    vector = 8 * problem.dim
    tracemalloc.start()
    try:
        base = tracemalloc.get_traced_memory()[0]
        cuts = problem.cuts(np.zeros(problem.dim), 0, problem.n)
        part = problem.sweep(np.zeros(problem.dim), 0, problem.n)
        assert tracemalloc.get_traced_memory()[1] - base < 6 * vector, "dense rows would take 240 matrices"
        assert all(isinstance(cut.psi, Sparse) for cut in cuts)
        assert isinstance(part.psi, Sparse)
        # A wrong position touches its row's columns in two states, a transition a few more entries.
        assert max(len(cut.psi.index) for cut in cuts) <= 2 * 6 * 8 + 2 * 6 + 4
        del cuts, part
        tracemalloc.reset_peak()
        steps = OneSlack(C=10.0).steps(problem, np.random.default_rng(0))
        found = [next(steps) for _ in range(5)]
        assert found[-1].bounds.dual > found[1].bounds.dual > 0.0
        assert tracemalloc.get_traced_memory()[1] - base < 16 * vector
        stochastic = Subgradient(C=10.0).steps(problem, np.random.default_rng(0))
        assert np.count_nonzero(next(stochastic).w) > 0
    finally:
        tracemalloc.stop()
    losses = [problem.loss(i, y) for i, y in enumerate(problem.predictions(found[-1].w))]
    assert np.mean(losses) < np.mean(
        [problem.loss(i, y) for i, y in enumerate(problem.predictions(found[0].w))]
    )


def test_blocks_of_one_matrix_make_the_same_problem_as_matrices_of_their_own() -> None:
    rng = np.random.default_rng(3)
    lengths = [2, 5, 1]
    whole, offsets = random_rows(rng, 8, 40, 0.2), np.array([0, 2, 7, 8])
    labels = [rng.integers(0, 3, length) for length in lengths]
    w = rng.normal(size=40 * 3 + 9 + 6)
    for stored in (whole, csr_array(whole)):
        blocks = rows.RowBlocks(stored, offsets)
        assert [part.shape for part in blocks] == [(2, 40), (5, 40), (1, 40)]
        assert [part.shape for part in blocks[1:]] == [(5, 40), (1, 40)]
        one = Chain(Dataset("blocks", blocks, labels), 3)
        apart = Chain(Dataset("apart", [stored[a:b] for a, b in ((0, 2), (2, 7), (7, 8))], labels), 3)
        assert np.array_equal(one.worst(w), apart.worst(w))
        assert dense(one.features(1, labels[1])) == pytest.approx(dense(apart.features(1, labels[1])))
    with pytest.raises(Refused, match="example 1 is empty"):
        Chain(Dataset("blocks", rows.RowBlocks(whole, np.array([0, 2, 2, 8])), labels), 3)
    whole[3, 7] = np.nan
    for stored in (whole, csr_array(whole)):
        with pytest.raises(Refused, match="row 3 of all examples has the value nan in feature 7"):
            Chain(Dataset("blocks", rows.RowBlocks(stored, offsets), labels), 3)
