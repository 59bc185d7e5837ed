"""The referee against enumeration of every labelling."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from explorer.bench import referee


def psi(x: Any, y: Any, states: int, ends: bool) -> Any:
    """The joint features, position by position."""
    emissions, trans = np.zeros((x.shape[1], states)), np.zeros((states, states))
    for t, k in enumerate(y):
        emissions[:, k] += x[t]
        if t:
            trans[y[t - 1], k] += 1
    edges = np.zeros((2, states))
    edges[0, y[0]] += 1
    edges[1, y[-1]] += 1
    return np.concatenate([emissions.ravel(), trans.ravel(), edges.ravel() if ends else []])


def tiny(seed: int, states: int, ends: bool) -> tuple[Any, Any, Any]:
    """Chains of one to four positions, and random weights."""
    rng = np.random.default_rng(seed)
    inputs = [rng.normal(size=(length, 2)) for length in (1, 2, 4)]
    labels = [rng.integers(0, states, len(x)) for x in inputs]
    return inputs, labels, rng.normal(size=2 * states + states**2 + 2 * states * ends)


@pytest.mark.parametrize("ends", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_objective_is_that_of_enumeration(seed: int, ends: bool) -> None:
    inputs, labels, w = tiny(seed, 3, ends)
    slack = 0.0
    for x, y in zip(inputs, labels, strict=True):
        every = [np.array(path) for path in product(range(3), repeat=len(y))]
        slack += max(np.sum(path != y) + w @ (psi(x, path, 3, ends) - psi(x, y, 3, ends)) for path in every)
    found = referee.chain_objective(inputs, labels, w, 3, ends, 0.7)
    assert found == pytest.approx(0.5 * w @ w + 0.7 * slack, rel=1e-12)


@pytest.mark.parametrize("ends", [False, True])
def test_predictions_have_the_largest_score_of_all_labellings(ends: bool) -> None:
    inputs, _, w = tiny(5, 3, ends)
    for x, path in zip(inputs, referee.chain_predictions(inputs, w, 3, ends), strict=True):
        best = max(product(range(3), repeat=len(path)), key=lambda y: w @ psi(x, np.array(y), 3, ends))
        assert tuple(path) == best


def test_sparse_rows_have_the_same_objective() -> None:
    inputs, labels, w = tiny(1, 3, True)
    sparse = [csr_array(x) for x in inputs]
    dense = referee.chain_objective(inputs, labels, w, 3, True, 0.1)
    assert referee.chain_objective(sparse, labels, w, 3, True, 0.1) == pytest.approx(dense, rel=1e-13)


def test_a_class_is_a_chain_of_one_position_without_transitions() -> None:
    rng = np.random.default_rng(0)
    X, y, w = rng.normal(size=(6, 2)), rng.integers(0, 3, 6), rng.normal(size=6)
    chained = referee.chain_objective(
        [x[None] for x in X], y[:, None], np.concatenate([w, np.zeros(9)]), 3, False, 0.3
    )
    assert referee.class_objective(X, y, w, 3, 0.3) == pytest.approx(chained, rel=1e-13)


def test_weights_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        referee.split(np.zeros(7), 2, 3, False)
