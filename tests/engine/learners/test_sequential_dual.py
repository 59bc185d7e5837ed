"""The sequential dual method after a change of C or loss: what was seen is solved again before the oracle is
asked.
"""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Problem
from explorer.engine.events import Step
from explorer.engine.learners import SequentialDual
from explorer.engine.losses import Hamming
from explorer.engine.runs.streams import metered
from explorer.engine.structures.chains.problem import Chain
from tests import referee
from tests.catalogue import chains

GOAL = 1e-3


def trained(problem: Problem, learner: SequentialDual, state=None, goal: float = GOAL) -> Step:
    steps = islice(metered(problem, learner, np.random.default_rng(0), state), 500)
    return next(step for step in steps if step.bounds.relative_gap <= goal)


@pytest.mark.parametrize("factor", [2.0, 0.5])
def test_after_c_moved_by_two_recombining_asks_the_oracle_ten_times_less(factor: float) -> None:
    recipe = Recipe("digit-words")
    problem, _ = recipe.problem()
    learner = recipe.make_learner()
    assert isinstance(learner, SequentialDual)
    first, other = trained(problem, learner), replace(learner, C=factor * learner.C, seen_passes=50)
    cold, warm = trained(problem, other), trained(problem, other, first.state)
    assert cold.oracle_calls >= 10 * (warm.oracle_calls - first.oracle_calls)
    assert warm.bounds.dual <= cold.bounds.primal * (1 + 1e-9)
    assert cold.bounds.dual <= warm.bounds.primal * (1 + 1e-9)


@pytest.mark.parametrize(("factor", "share"), [(1.1, 0.6), (1 / 1.1, 0.75), (2.0, 1.0), (0.5, 1.0)])
def test_going_on_after_c_moved_is_less_work_than_a_new_run(factor: float, share: float) -> None:
    # Both take the same passes over cached cuts after each exact one, so that passes stand for time.
    problem, learner = Recipe("digit-words").problem()[0], SequentialDual(C=100.0)
    first, other = trained(problem, learner), replace(learner, C=factor * learner.C)
    cold, warm = trained(problem, other), trained(problem, other, first.state)
    assert warm.oracle_calls - first.oracle_calls <= share * cold.oracle_calls
    assert warm.bounds.dual <= cold.bounds.primal * (1 + 1e-9)


@pytest.mark.parametrize("seen_passes", [0, 50])
@pytest.mark.parametrize("change", ["C", "loss"])
def test_what_a_change_ends_in_is_the_optimum(change: str, seen_passes: int) -> None:
    problem = Chain(chains(10, longest=5, seed=2), 3)
    learner = SequentialDual(C=5.0, seen_passes=seen_passes)
    first = trained(problem, learner)
    if change == "C":
        learner = replace(learner, C=40.0)
    else:
        problem = replace(problem, delta=Hamming(normalised=True))
    last = trained(problem, learner, first.state, goal=1e-6)
    optimum = referee.optimum(problem, learner.C).value
    assert last.bounds.primal == pytest.approx(optimum, rel=1e-5)
    assert last.bounds.dual <= optimum * (1 + 1e-7)


def test_steps_after_a_change_are_the_same_from_any_keyframe() -> None:
    problem = Chain(chains(12, longest=6, seed=1), 3)
    first = trained(problem, SequentialDual(C=5.0))
    changed = SequentialDual(C=50.0, seen_passes=3)
    run = list(islice(metered(problem, changed, np.random.default_rng(0), first.state), 5))
    again = list(islice(metered(problem, changed, np.random.default_rng(7), run[1].state), 3))
    assert [step.w.tolist() for step in again] == [step.w.tolist() for step in run[2:]]
    assert [step.bounds for step in again] == [step.bounds for step in run[2:]]
    assert [step.oracle_calls for step in again] == [step.oracle_calls for step in run[2:]]
    assert all(step.bounds.dual <= step.bounds.primal for step in run)


def test_the_numbers_of_planes_count_the_cuts_that_steps_tell() -> None:
    problem = Chain(chains(12, longest=6, seed=1), 3)
    first = trained(problem, SequentialDual(C=5.0))
    told = first.detail["planes"] + first.detail["dropped"]
    changed = SequentialDual(C=50.0, seen_passes=50)
    for step in islice(metered(problem, changed, np.random.default_rng(0), first.state), 4):
        told += len(step.cuts)
        assert step.detail["added"] == len(step.cuts)
        assert step.detail["ids"].max() < told
        assert step.detail["planes"] + step.detail["dropped"] == told
