"""Networks in chains: gradients, decoding by enumeration, and data that no linear emission can label."""

from itertools import product

import numpy as np
import pytest

from explorer.baselines.neural_chains import (
    EMISSIONS,
    SCORER,
    NeuralChain,
    NeuralTraining,
    begin,
    best_path,
    counts_of,
    hidden_rows,
    hinge,
)
from explorer.engine.contracts import Dataset
from explorer.engine.learners import SequentialDual
from explorer.engine.runs.streams import Until, train
from explorer.engine.structures.chains.problem import Chain
from explorer.studies import BeyondLinear
from explorer.studies.support.study import HELD

KINDS = (EMISSIONS, SCORER)


def exclusive_or(n: int, seed: int, length: int = 6) -> Dataset:
    """The label says whether the two numbers have different signs."""
    rng = np.random.default_rng(seed)
    signs = rng.integers(0, 2, (n, length, 2))
    labels = signs[..., 0] ^ signs[..., 1]
    seen = 2.0 * signs - 1.0 + 0.3 * rng.normal(size=signs.shape)
    rows = np.concatenate([seen, np.ones((n, length, 1))], axis=2)
    return Dataset("exclusive or", list(rows), list(labels))


@pytest.mark.spec("A48")
@pytest.mark.parametrize("kind", KINDS)
def test_gradients_agree_with_finite_differences(kind: str) -> None:
    rng = np.random.default_rng(0)
    net, x, y = begin(kind, 2, 3, 4, rng), rng.normal(size=(5, 2)), rng.integers(0, 3, 5)
    _, gradient = hinge(net, x, y)
    assert set(gradient) == set(net.parameters)
    for name, values in net.parameters.items():
        for at in np.ndindex(values.shape):
            ends = []
            for change in (1e-6, -1e-6):
                moved = {other: p.copy() for other, p in net.parameters.items()}
                moved[name][at] += change
                ends.append(hinge(NeuralChain(kind, 3, moved), x, y)[0])
            assert gradient[name][at] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-5)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("kind", KINDS)
def test_decoding_and_the_most_violated_labelling_are_those_of_enumeration(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    T, K = int(rng.integers(1, 5)), 3
    net, x, y = begin(kind, 2, K, 3, rng), rng.normal(size=(T, 2)), rng.integers(0, K, T)
    scores = net.scores(x)
    every = [np.array(path) for path in product(range(K), repeat=T)]
    totals = np.array([np.sum(scores * counts_of(path, K)) for path in every])
    assert np.sum(scores * counts_of(best_path(scores), K)) == pytest.approx(totals.max())
    wrong = np.array([np.count_nonzero(path != y) for path in every])
    assert hinge(net, x, y)[0] == pytest.approx((totals + wrong).max() - np.sum(scores * counts_of(y, K)))


def accuracy(predicted: list[np.ndarray], data: Dataset) -> float:
    return float(np.mean(np.concatenate(predicted) == np.concatenate(list(data.labels))))


def linear(data: Dataset, test: Dataset) -> float:
    """The accuracy of a structural SVM of these rows."""
    problem, rule = Chain(data, 2), Until(relative_gap=0.02, passes=300.0)
    *_, last = (e for e in train(problem, SequentialDual(C=100.0), rule=rule) if hasattr(e, "w"))
    return accuracy(problem.on(test).predictions(last.w), test)


@pytest.mark.spec("A48")
def test_on_exclusive_or_every_use_of_a_network_beats_linear_emissions_by_ten_points() -> None:
    data, test = exclusive_or(40, 0), exclusive_or(60, 1)
    plain = linear(data, test)
    nets = {}
    for kind in KINDS:
        *_, (_, nets[kind]) = NeuralTraining(kind=kind, passes=40).fit(data, 2)
        found = accuracy([nets[kind].predict(x) for x in test.inputs], test)
        assert found >= plain + 0.10
    fixed = linear(hidden_rows(nets[EMISSIONS], data), hidden_rows(nets[EMISSIONS], test))
    assert fixed >= plain + 0.10


def test_the_same_seed_trains_the_same_network_and_the_cost_falls() -> None:
    data = exclusive_or(10, 2)
    first, again = (list(NeuralTraining(passes=15).fit(data, 2)) for _ in range(2))
    assert [met for met, _ in first] == [met for met, _ in again]
    assert first[-1][0] < first[0][0]


@pytest.mark.spec("A48")
def test_the_study_finds_the_same() -> None:
    study = BeyondLinear(draws=1)
    rows = list(study.rows())
    assert [finding.verdict for finding in study.findings(rows)] == [HELD]
