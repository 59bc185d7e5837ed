"""Our own contestants: train to a relative gap that the learner has proved, and stop the clock there.

The problem is built from arrays on the clock, and so is the proof. Compiled code is loaded before, on the
first few examples. Looks from outside (test error, risk on the training set) are left to the referee.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from explorer.bench.work import Clock, Outcome
from explorer.engine.contracts import Learner, Problem
from explorer.engine.events import Bounds, Step
from explorer.engine.objective import primal
from explorer.engine.runs.streams import metered

CURVE_NUMBERS = 50_000
"""Longer weight vectors are not kept for the curve: they would count as memory of training."""


def train_to(
    problem: Problem, learner: Any, goal: float, look_every: int = 0, state: Mapping[str, Any] | None = None
) -> tuple[Step, list[tuple[float, Any]]]:
    """Steps until a proved relative gap of at most `goal`; also w against processor seconds.

    Where a learner does not prove the upper bound itself, every `look_every`th step gets one, on the clock.
    """
    curve = []
    with Clock() as clock:
        for step in metered(problem, learner, np.random.default_rng(0), state):
            if look_every and (step.k + 1) % look_every == 0:
                step = replace(step, bounds=Bounds(upper(problem, learner, step.w), step.bounds.dual))
            if step.bounds.relative_gap < np.inf and problem.dim <= CURVE_NUMBERS:
                curve.append((clock.now, step.w))
            if step.bounds.relative_gap <= goal:
                break
    return step, curve


def upper(problem: Any, learner: Any, w: Any) -> float:
    """The objective at w, by one pass of compiled decoding."""
    return primal(problem, w, learner.C, np.maximum(problem.worst(w), 0.0))


def contestant(
    build: Callable[[Any], Problem],
    few: Callable[[Any], Any],
    learner: Callable[[int], Learner],
    goal: float,
    look_every: int = 0,
) -> Callable[[Any], Outcome]:
    """Train with learner(n) on build(data); few(data) is a small piece of the data, to load compiled code
    with.
    """

    def run(data: Any) -> Outcome:
        warm = build(few(data))
        train_to(warm, learner(warm.n), 0.5, look_every)
        with Clock() as clock:
            problem = build(data)
            built = clock.now
            step, curve = train_to(problem, learner(problem.n), goal, look_every)
        facts = {"passes": step.oracle_calls / problem.n, "steps": step.k + 1, "built": built}
        facts |= {"oracle_seconds": step.oracle_seconds, "claimed_gap": step.bounds.relative_gap}
        return Outcome(clock, step.w, None, step.bounds.dual, [(built + at, w) for at, w in curve], facts)

    return run
