"""Subgradient descent, by passes and by single examples."""

import math

import numpy as np
import pytest

from explorer.engine.contracts import Rule
from explorer.engine.learners import Subgradient
from explorer.engine.objective import from_sum, value
from explorer.engine.pricing import Penalty, Pricing, Scaling
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.convex_risk import ConvexRisk
from tests.engine.learners.toys import circle_toy, first, line_toy, noisy


@pytest.mark.spec("A19")
def test_two_thousand_batch_steps_reach_the_optimum_of_the_line_toy() -> None:
    learner = Subgradient(C=from_sum(0.01, 4), batch="all", rule="constant", eta=0.01)
    step = first(learner, line_toy(), 2001)[-1]
    assert step.bounds.primal == pytest.approx(0.0119, abs=1e-4)
    assert step.detail["moves"] == 2000


@pytest.mark.spec("A19")
def test_the_printed_sign_ends_at_the_wrong_place() -> None:
    learner = Subgradient(C=from_sum(0.01, 4), batch="all", rule="constant", eta=0.01, sign="as printed")
    step = first(learner, line_toy(), 2001)[-1]
    assert step.w == pytest.approx([-0.25, 0.25], abs=1e-4)
    assert step.bounds.primal == pytest.approx(0.2275, abs=1e-4)


@pytest.mark.spec("A19")
def test_single_examples_reach_the_optimum_of_the_line_toy_too() -> None:
    learner = Subgradient(C=from_sum(0.01, 4), batch="one", rule="pegasos", every=20_000)
    problem = line_toy()
    assert value(problem, first(learner, problem, 1)[0].w, learner.C) == pytest.approx(0.0119, abs=1e-4)


@pytest.mark.spec("A20")
def test_a_constant_step_oscillates() -> None:
    learner = Subgradient(C=from_sum(0.1, 4), batch="all", rule="constant", eta=0.01)
    found = [step.bounds.primal for step in first(learner, line_toy(), 2001)]
    assert found[-1] > 0.0159
    assert min(found) < 0.01563


@pytest.mark.spec("F56")
def test_pegasos_closes_in_on_the_optimum_of_the_circle_toy() -> None:
    problem = circle_toy()
    steps = first(Subgradient(C=10.0, every=10_000), problem, 10)
    assert value(problem, steps[0].w, 10.0) <= 5.15
    assert value(problem, steps[9].w, 10.0) <= 5.10


@pytest.mark.parametrize("scaling", ["margin", "slack"])
@pytest.mark.parametrize("penalty", ["linear", "squared"])
def test_a_batch_move_follows_the_slope_of_the_objective(scaling: Scaling, penalty: Penalty) -> None:
    problem = noisy(30, 3, pricing=Pricing(scaling, penalty))
    learner = Subgradient(C=3.0, batch="all", rule="constant", eta=0.05)
    start, moved = first(learner, problem, 6)[-2:]
    direction = (start.w - moved.w) / 0.05
    h = 1e-6 * np.eye(problem.dim)
    slope = [(value(problem, start.w + e, 3.0) - value(problem, start.w - e, 3.0)) / 2e-6 for e in h]
    assert direction == pytest.approx(slope, abs=1e-5)
    assert start.bounds.primal == pytest.approx(value(problem, start.w, 3.0))


def test_the_averaged_answer_is_the_mean_of_the_iterates_and_claims_no_bound() -> None:
    settings = {"C": 2.0, "rule": "1/t", "eta": 0.5, "every": 1}
    plain = first(Subgradient(**settings), noisy(), 20)
    mean = first(Subgradient(average=True, **settings), noisy(), 20)
    assert mean[-1].w == pytest.approx(np.mean([step.w for step in plain], axis=0))
    batch = first(Subgradient(C=2.0, batch="all", average=True), noisy(), 3)
    assert all(math.isnan(step.bounds.primal) for step in batch)


def test_it_refuses_rules_an_infinite_price_and_missing_examples() -> None:
    ruled = Binary(line_toy().dataset, rules=(Rule(np.ones(2), 0.0),))
    assert "rules" in str(Subgradient().refuses(ruled))
    assert "infinite" in str(Subgradient(C=math.inf).refuses(line_toy()))
    assert "examples" in str(Subgradient().refuses(ConvexRisk()))
