"""The 1-slack learner with sampled cuts."""

import math
from dataclasses import replace

import pytest

from explorer.engine.learners import OneSlack, SampledCuts
from explorer.engine.losses import CostMatrix
from explorer.engine.objective import cut_of, plane_of, value
from explorer.engine.pricing import Pricing
from tests.engine.learners.toys import circle_toy, first, line_toy, noisy, run

OPTIMUM = 5.088641
"""Of the circle toy at C = 10, rounded."""


@pytest.mark.spec("F58")
@pytest.mark.parametrize("seed", range(5))
def test_a_quarter_of_the_examples_per_plane_ends_within_five_per_cent(seed: int) -> None:
    problem = circle_toy()
    steps, stopped = run(SampledCuts(C=10.0, fraction=0.25), problem, seed)
    assert value(problem, steps[-1].w, 10.0) == pytest.approx(OPTIMUM, rel=0.05)
    assert all(len(step.detail["asked"]) == 3 < problem.n for step in steps)
    whole = problem.n * len(run(OneSlack(C=10.0), problem)[0])
    assert 3 * len(steps) < whole
    assert stopped.reason == "patience"


def test_planes_with_last_answers_are_a_lower_bound() -> None:
    for step in run(SampledCuts(C=10.0, eps=1e-6), circle_toy(), 1)[0]:
        assert step.bounds.dual <= OPTIMUM + 5e-7
        assert not step.bounds.certificate


def test_the_mean_over_a_sample_alone_claims_no_bound() -> None:
    steps, _ = run(SampledCuts(C=10.0, rest="left out"), circle_toy())
    assert all(math.isnan(step.bounds.dual) for step in steps)


def test_the_published_plane_is_the_mean_over_the_sample() -> None:
    problem = circle_toy()
    for step in first(SampledCuts(C=10.0, rest="left out"), problem, 4):
        cut = step.cuts[0]
        parts = [plane_of(problem, cut_of(problem, i, label)) for i, label in cut.label]
        assert [i for i, _ in cut.label] == list(step.detail["asked"])
        assert cut.psi == pytest.approx(sum(part.a for part in parts) / 3)
        assert cut.loss == pytest.approx(sum(part.b for part in parts) / 3)


def test_asking_everyone_is_the_one_slack_learner() -> None:
    sampled, _ = run(SampledCuts(C=10.0, fraction=1.0, patience=1), circle_toy())
    whole, _ = run(OneSlack(C=10.0), circle_toy())
    assert [step.bounds.dual for step in sampled] == pytest.approx([step.bounds.dual for step in whole])


@pytest.mark.parametrize("rest", ["last", "left out"])
def test_another_loss_prices_the_planes_anew(rest: str) -> None:
    problem = noisy(24, 3)
    state = first(SampledCuts(C=5.0, rest=rest), problem, 6)[-1].state
    costly = replace(problem, delta=CostMatrix(((0, 1, 5), (1, 0, 5), (2, 2, 0))))
    step = first(SampledCuts(C=5.0, rest=rest), costly, 1, state=state)[0]
    for plane in step.state["planes"]:
        pairs = plane.label if rest == "left out" else enumerate(plane.label)
        losses = [costly.loss(i, label) for i, label in pairs]
        assert plane.b == pytest.approx(sum(losses) / len(losses))


def test_it_refuses_squared_slacks() -> None:
    assert "n-slack" in str(SampledCuts().refuses(line_toy(Pricing("margin", "squared"))))
