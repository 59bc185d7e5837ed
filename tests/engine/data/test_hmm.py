"""The hidden Markov data against the model that made it."""

from typing import Any

import numpy as np
import pytest

from explorer.engine.data.hmm import gaussian_hmm, markov_chains
from explorer.engine.refusals import Refused


def moves(labels: Any, states: int) -> Any:
    """How often each state follows each state, as a share of its row."""
    count = np.zeros((states, states))
    for y in labels:
        np.add.at(count, (y[:-1], y[1:]), 1)
    return count / count.sum(axis=1, keepdims=True)


def test_the_default_shapes_are_those_of_the_thesis() -> None:
    train, test = gaussian_hmm()
    assert (len(train), len(test)) == (100, 100)
    assert {x.shape for x in train.inputs} == {x.shape for x in test.inputs} == {(250, 10)}


@pytest.mark.parametrize("seed", range(4))
def test_start_and_transitions_sum_to_one_and_staying_is_likely(seed: int) -> None:
    meta = gaussian_hmm(n=2, n_test=2, seed=seed)[0].meta
    assert meta["start"].sum() == 1.0
    assert meta["transitions"].sum(axis=1) == pytest.approx([1, 1], abs=1e-15)
    assert (np.diag(meta["transitions"]) >= 0.90).all()
    assert (np.diag(meta["transitions"]) <= 0.99).all()


def test_the_data_show_the_parameters_in_meta() -> None:
    train, _ = gaussian_hmm(n=400, n_test=1, seed=2)
    x, y = np.concatenate(train.inputs), np.concatenate(train.labels)
    assert moves(train.labels, 2) == pytest.approx(train.meta["transitions"], abs=0.01)
    for state in (0, 1):
        assert x[y == state].mean(axis=0) == pytest.approx(train.meta["means"][state], abs=0.03)
        assert x[y == state].var(axis=0) == pytest.approx(train.meta["variances"][state], rel=0.06)


def test_plus_has_positive_means_and_variances_lie_between_zero_and_one() -> None:
    meta = gaussian_hmm(n=1, n_test=1)[0].meta
    assert meta["means"].tolist() == [[-1.0] * 10, [1.0] * 10]
    assert ((meta["variances"] >= 0) & (meta["variances"] <= 1)).all()


def test_train_and_test_come_from_one_model() -> None:
    train, test = gaussian_hmm(n=1, n_test=1)
    assert all(np.array_equal(train.meta[name], test.meta[name]) for name in ("transitions", "variances"))


def test_chains_start_and_move_as_told() -> None:
    rng = np.random.default_rng(0)
    start = np.array([0.2, 0.5, 0.3])
    transitions = np.array([[0.0, 1.0, 0.0], [0.5, 0.0, 0.5], [0.1, 0.2, 0.7]])
    chains = markov_chains(rng, start, transitions, 4000, 12)
    assert np.bincount(chains[:, 0]) / 4000 == pytest.approx(start, abs=0.03)
    assert moves(chains, 3) == pytest.approx(transitions, abs=0.02)


@pytest.mark.parametrize("stay", [(0.9, 0.8), (-0.1, 0.5), (0.5, 1.2), (float("nan"), 0.9)])
def test_impossible_probabilities_are_refused(stay: tuple[float, float]) -> None:
    with pytest.raises(Refused, match="stay is"):
        gaussian_hmm(stay=stay)
