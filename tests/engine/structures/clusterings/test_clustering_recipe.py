"""The tiny clustering problem: six sets of five items, four features of pairs, all 52 partitions looked at.

Its numbers were found with an independent prototype that lists every partition; the referee solves the whole
program.
"""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.events import Step
from explorer.engine.learners import NSlack, OneSlack, Perceptron
from explorer.engine.objective import mean_loss, value
from explorer.engine.pricing import Pricing
from explorer.engine.structures.clusterings.item_sets import item_set
from explorer.engine.structures.clusterings.partitions import all_partitions, together
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.theory.bounds import extent, n_slack_bound, one_slack_bound, separator, worst_violation
from tests.engine.learners.toys import run
from tests.referee import optimum

HIDDEN = np.array([1.0, -1.0, 0.5, -0.3])


def tiny(seed: int = 3, n: int = 6, noise: float = 0.8) -> Clustering:
    """The truth of a set is the best partition under a hidden similarity with noise."""
    rng = np.random.default_rng(seed)
    inputs, labels = [], []
    for _ in range(n):
        psi = rng.normal(size=(10, 4))
        K = psi @ HIDDEN + noise * rng.normal(size=10)
        inputs.append(item_set(5, pairs=psi))
        labels.append(max(all_partitions(5), key=lambda y, K=K: float(together(y) @ K)))
    return Clustering(Dataset("tiny", tuple(inputs), tuple(labels)))


@cache
def trained(kind: type, C: float, eps: float) -> tuple[Step, ...]:
    return tuple(kind(C=C, eps=eps).steps(tiny(), np.random.default_rng(0)))


def slack_of(kind: type, step: Step) -> float:
    return float(step.detail["xi"]) if kind is OneSlack else float(np.mean(step.detail["slack"]))


@pytest.mark.spec("C13", "C18")
@pytest.mark.parametrize("kind", [NSlack, OneSlack])
@pytest.mark.parametrize(("C", "eps", "expected"), [(100.0, 0.1, 6769.1637), (1000.0, 0.01, 62229.540)])
def test_both_programs_reach_the_known_optimum(kind: type, C: float, eps: float, expected: float) -> None:
    last = trained(kind, C, eps)[-1]
    assert last.bounds.primal == pytest.approx(expected, abs=C * eps)
    assert last.bounds.primal == pytest.approx(expected, rel=1e-3)
    assert last.bounds.dual <= expected + 1e-3
    assert value(tiny(), last.w, C) == pytest.approx(last.bounds.primal, rel=1e-9)


@pytest.mark.spec("C13", "C18")
def test_solved_finely_the_optimum_has_all_printed_digits_and_is_the_referees() -> None:
    for C, printed in ((100.0, 6769.1637), (1000.0, 62229.540)):
        best = optimum(tiny(), C)
        assert best.value == pytest.approx(printed, rel=1e-7)
        for kind in (NSlack, OneSlack):
            assert trained(kind, C, 1e-6)[-1].bounds.primal == pytest.approx(best.value, rel=1e-7)


@pytest.mark.spec("C18")
@pytest.mark.parametrize(("C", "eps"), [(100.0, 0.1), (1000.0, 0.01)])
def test_the_one_slack_is_the_mean_of_all_slacks(C: float, eps: float) -> None:
    one, many = (slack_of(kind, trained(kind, C, eps)[-1]) for kind in (OneSlack, NSlack))
    assert one == pytest.approx(many, abs=eps)


@pytest.mark.spec("C15")
@pytest.mark.parametrize("kind", [NSlack, OneSlack])
def test_the_empirical_risk_of_fifteen_is_below_the_slack(kind: type) -> None:
    last = trained(kind, 1000.0, 0.01)[-1]
    assert mean_loss(tiny(), last.w) == pytest.approx(15.0)
    assert slack_of(kind, last) + 0.01 == pytest.approx(57.99, abs=0.02)


@pytest.mark.spec("C16")
@pytest.mark.parametrize("kind", [NSlack, OneSlack])
def test_no_partition_is_violated_by_more_than_eps(kind: type) -> None:
    last = trained(kind, 1000.0, 0.01)[-1]
    if kind is NSlack:
        assert worst_violation(tiny(), last.w, last.detail["slack"]) <= 0.01 + 1e-6
    else:
        slack = (last.bounds.primal - 0.5 * last.w @ last.w) / 1000.0
        assert slack - last.detail["xi"] <= 0.01 + 1e-6


@pytest.mark.spec("C17")
def test_the_bounds_of_both_theorems_are_kept_with_room() -> None:
    found = extent(tiny())
    R, D = found.radius, found.loss
    steps = trained(OneSlack, 1000.0, 0.1)
    assert one_slack_bound(1000.0, 0.1, D, R, "margin") == 31_514
    assert len(steps) <= 20, "the prototype took 7 iterations"
    added = sum(step.detail["added"] for step in trained(NSlack, 1000.0, 0.1))
    assert added <= n_slack_bound(1000.0, 0.1, D, R, 6, "margin")


@pytest.mark.spec("C13")
@pytest.mark.parametrize(
    "pricing", [Pricing("slack"), Pricing("margin", "squared"), Pricing("slack", "squared")]
)
def test_other_prices_end_at_the_referees_optimum(pricing: Pricing) -> None:
    problem: Any = replace(tiny(), pricing=pricing)
    best = optimum(problem, 100.0)
    for learner in (NSlack(C=100.0, eps=0.01), OneSlack(C=100.0, eps=0.01)):
        if learner.refuses(problem) is None:
            *_, last = learner.steps(problem, np.random.default_rng(0))
            assert last.bounds.primal == pytest.approx(best.value, rel=1e-3)


@pytest.mark.spec("C51")
@pytest.mark.parametrize("seed", range(4))
def test_the_perceptron_separates_clusterings_without_noise_within_its_bound(seed: int) -> None:
    problem = tiny(seed, noise=0.0)
    steps, stopped = run(Perceptron(passes=100_000), problem)
    last = steps[-1]
    assert stopped.reason == "separated"
    assert 0 < last.detail["updates"] <= last.detail["bound"]
    for x, truth in zip(problem.dataset.inputs, problem.dataset.labels, strict=True):
        best = max(all_partitions(5), key=lambda y, x=x: float(together(y) @ (x.pairs @ last.w)))
        assert best.tolist() == truth.tolist()


@pytest.mark.spec("C51")
def test_the_perceptron_gives_up_on_clusterings_that_nothing_separates() -> None:
    assert separator(tiny()) is None
    steps, stopped = run(Perceptron(passes=50), tiny())
    assert stopped.reason == "passes"
    assert steps[-1].detail["mistakes"] > 0
