"""The generic bundle method."""

import math
from dataclasses import replace

import numpy as np
import pytest

from explorer.engine.learners import Bundle, NSlack, OneSlack
from explorer.engine.losses import CostMatrix
from explorer.engine.objective import from_sum
from explorer.engine.pricing import Pricing
from explorer.engine.structures.classes.convex_risk import ConvexRisk
from tests.engine.learners.toys import circle_toy, line_toy, noisy, run

LAM = 0.1
C = 1.0 / (2.0 * LAM)


@pytest.mark.spec("F06")
def test_the_curve_is_minimised_through_the_published_lower_bounds() -> None:
    steps, stopped = run(Bundle(C=C, eps=1e-13, qp_tolerance=1e-13), ConvexRisk())
    lower, best = np.array([(s.bounds.dual, s.detail["best"]) for s in steps]).T / C
    assert lower[:6] == pytest.approx([0.0, 0.065927, 0.227331, 0.296866, 0.304855, 0.309946], abs=1e-6)
    assert steps[-1].w == pytest.approx([1.253579], abs=1e-6)
    assert best[-1] == pytest.approx(0.310137, abs=1e-6)
    assert stopped.reason == "eps-violation"


@pytest.mark.spec("F06")
def test_both_bounds_are_monotone_and_meet_at_iteration_eight() -> None:
    steps, _ = run(Bundle(C=C, eps=1e-9), ConvexRisk())
    lower, best = np.array([(s.bounds.dual, s.detail["best"]) for s in steps]).T / C
    assert np.all(np.diff(lower) >= -1e-12)
    assert np.all(np.diff(best) <= 0.0)
    assert (best - lower)[7] < 1e-4


def test_the_model_lies_below_the_risk_everywhere() -> None:
    problem = ConvexRisk()
    detail = run(Bundle(C=C, eps=1e-6), problem)[0][-1].detail
    for x in np.linspace(-3.0, 5.0, 50):
        model = max(0.0, float(np.max(detail["slopes"] @ [x] + detail["b"])))
        assert model <= problem.risk(np.array([x]))[0] + 1e-9


@pytest.mark.spec("A21")
@pytest.mark.parametrize("C_sum", [0.01, 1.0])
def test_it_finds_the_optimum_of_the_line_toy(C_sum: float) -> None:
    problem, price = line_toy(), from_sum(C_sum, 4)
    steps, _ = run(Bundle(C=price, eps=1e-6), problem)
    assert steps[-1].bounds.primal == pytest.approx({0.01: 0.0119, 1.0: 1 / 64}[C_sum], rel=0.01)
    assert all(step.bounds.gap >= 0.0 for step in steps)


def test_on_examples_it_makes_the_steps_of_the_one_slack_learner() -> None:
    mine, _ = run(Bundle(C=10.0, eps=1e-4), circle_toy())
    other, _ = run(OneSlack(C=10.0, eps=1e-4), circle_toy())
    assert len(mine) == len(other)
    for a, b in zip(mine, other, strict=True):
        assert a.bounds.primal == pytest.approx(b.bounds.primal, rel=1e-6)
        assert a.bounds.dual == pytest.approx(b.bounds.dual, rel=1e-6, abs=1e-9)


def test_it_takes_squared_slacks_as_just_another_convex_risk() -> None:
    problem = noisy(20, 3, pricing=Pricing("margin", "squared"))
    steps, _ = run(Bundle(C=5.0, eps=1e-6), problem)
    best = run(NSlack(C=5.0, eps=1e-6), problem)[0][-1].bounds.primal
    assert steps[-1].bounds.primal == pytest.approx(best, rel=1e-4)


@pytest.mark.parametrize("penalty", ["linear", "squared"])
def test_another_price_or_loss_ends_where_a_cold_start_does(penalty) -> None:
    problem = noisy(20, 3, pricing=Pricing("margin", penalty))
    state = run(Bundle(C=1.0, eps=1e-5), problem)[0][-1].state
    costly = replace(problem, delta=CostMatrix(((0, 1, 5), (1, 0, 5), (2, 2, 0))))
    for changed in (problem, costly):
        warm, cold = (run(Bundle(C=5.0, eps=1e-5), changed, state=start)[0] for start in (state, None))
        assert warm[-1].bounds.primal == pytest.approx(cold[-1].bounds.primal, abs=1e-4)
        assert warm[0].k == state["k"] + 1
        assert warm[-1].detail["best"] == min(step.bounds.primal for step in warm)


def test_it_refuses_an_infinite_price_but_no_missing_examples() -> None:
    assert "infinite" in str(Bundle(C=math.inf).refuses(line_toy()))
    assert Bundle().refuses(ConvexRisk()) is None
