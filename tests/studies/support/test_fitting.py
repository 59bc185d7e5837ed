"""Models of the studies: cutting planes as published, planes that are kept, and the faster learner."""

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.studies.support.fitting import cutting_planes, final_step, fit
from explorer.studies.support.sets import problem_of
from tests import referee


def small(oracle: str, seed: int = 0, labels: int = 4) -> FieldLabelling:
    """Random rows and labels."""
    rng = np.random.default_rng(seed)
    data = Dataset("small", rng.normal(size=(6, 3)), rng.integers(0, 2, (6, labels)))
    return problem_of(data, oracle, "exhaustive")


def test_planes_are_kept_for_the_next_price() -> None:
    problem = small("exhaustive")
    first = final_step(cutting_planes(problem, 1.0, 1e-3))
    again = list(cutting_planes(problem, 10.0, 1e-3, state=first.state))
    alone = list(cutting_planes(problem, 10.0, 1e-3))
    assert again[-1].bounds.dual == pytest.approx(alone[-1].bounds.dual, rel=1e-3)
    assert len(again) < len(alone)
    assert first.bounds.dual < again[-1].bounds.dual


def test_steps_end_when_there_have_been_enough() -> None:
    notes: list[str] = []
    found = list(cutting_planes(small("exhaustive"), 100.0, 1e-6, most=3, pulse=notes.append))
    assert [step.k for step in found] == [0, 1, 2]
    assert all(step.detail["added"] for step in found)
    assert found[0].detail["violation"] == pytest.approx(100.0), "at w = 0 the worst labelling is all wrong"
    assert notes[0] == "round 1, violation 100, slack 0"


def test_a_poor_oracle_ends_at_a_model_that_it_believes_in() -> None:
    problem = small("known approximation(rho=0.5)")
    last = final_step(cutting_planes(problem, 20.0, 1e-3))
    exact = final_step(cutting_planes(small("exhaustive"), 20.0, 1e-3))
    assert last.detail["violation"] <= last.detail["xi"] + 1e-3 + 1e-9
    assert last.bounds.dual < 0.9 * exact.bounds.dual


@pytest.mark.parametrize("learner", ["one-slack", "sequential-dual", "faster"])
def test_both_learners_end_at_the_optimum(learner: str) -> None:
    problem, C, eps = small("exhaustive"), 20.0, 1e-3
    found = fit(problem, C, eps, learner)
    best = referee.optimum(problem, C)
    assert best.lower - C * eps - 1e-6 <= found.low <= best.upper + 1e-6
    assert found.learner == ("sequential-dual" if learner == "sequential-dual" else "one-slack")
    assert found.passes >= 1.0
    assert fit(small("combine"), C, eps).learner == "sequential-dual"
