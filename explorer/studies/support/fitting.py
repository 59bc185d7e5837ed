"""A trained field model, by the learner that is faster at the same certificate.

1-slack cutting planes as published, with answers as they come, for most oracles: on Synth2 at C = 3e4 they
need some 650 passes, the sequential dual method 110 to 160, but a pass of stacked fields is cheaper than one
of visits, so that with exhaustive search they take 13 against 34 seconds for the same gap, with greedy search
8 against 10. Where asking the oracle is what costs (combine, the relaxations: 63 against 20 seconds for
combine), the sequential dual method is taken, if its visits know the oracle. What belief propagation ends at
depends on the algorithm, so it keeps the published one.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.events import Step
from explorer.engine.halting import Cancelled
from explorer.engine.learners import OneSlack, SequentialDual
from explorer.engine.learners.one_slack import AS_THEY_COME
from explorer.engine.runs.streams import metered
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.vectors import Array
from explorer.studies.support.study import Pulse, quiet

ONE_SLACK, SEQUENTIAL, FASTER = "one-slack", "sequential-dual", "faster"
LEARNERS = (FASTER, ONE_SLACK, SEQUENTIAL)
COSTLY = ("combine", "roof duality", "fast relaxation")
"""Oracles whose passes take longer than the quadratic programs."""


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A model: w, the lower bound `low` and the slack xi that its own oracle led to, and what it took."""

    w: Array
    low: float
    xi: float
    passes: float
    seconds: float
    learner: str


def fit(
    problem: FieldLabelling,
    C: float,
    eps: float = 0.1,
    learner: str = FASTER,
    seed: int = 0,
    pulse: Pulse = quiet,
) -> Fitted:
    """Train until the oracle knows no violation above eps, or by the other learner a gap of C eps, which is
    the same.
    """
    own = problem.separator.title in COSTLY and problem.visitable
    if learner == SEQUENTIAL or (learner == FASTER and own):
        return sequential(problem, C, eps, seed, pulse)
    last = final_step(cutting_planes(problem, C, eps, pulse=pulse))
    return Fitted(last.w, last.bounds.dual, last.detail["xi"], float(last.k + 1), last.seconds, ONE_SLACK)


def final_step(steps: Iterator[Step]) -> Step:
    """The last of them; the others are not kept on the way."""
    return deque(steps, maxlen=1).pop()


def cutting_planes(
    problem: FieldLabelling,
    C: float,
    eps: float,
    most: int = 0,
    state: Mapping[str, Any] | None = None,
    pulse: Pulse = quiet,
) -> Iterator[Step]:
    """The steps of 1-slack cutting planes as published (Finley 2009, Algorithm 2); with `most`, no more."""
    learner = OneSlack(C=C, eps=eps, answers=AS_THEY_COME)
    for count, step in enumerate(metered(problem, learner, np.random.default_rng(0), state), start=1):
        yield step
        if count == most:
            return
        xi, violation = step.detail["xi"], step.detail["violation"]
        pulse(f"round {step.k + 1}, violation {violation:.3g}, slack {xi:.3g}")


def sequential(problem: FieldLabelling, C: float, eps: float, seed: int, pulse: Pulse) -> Fitted:
    """The sequential dual method, to a gap of C eps."""
    learner, note = SequentialDual(C=C), "pass 0"

    def cancelled() -> bool:
        pulse(note)
        return False

    for step in metered(problem, learner, np.random.default_rng(seed), cancelled=cancelled):
        passes = step.oracle_calls / problem.n
        note = f"pass {passes:.0f}, lower bound {step.bounds.dual:.5g}"
        if step.bounds.gap <= C * eps:
            half = 0.5 * float(step.w @ step.w)
            return Fitted(
                step.w, step.bounds.dual, (step.bounds.dual - half) / C, passes, step.seconds, SEQUENTIAL
            )
    raise Cancelled
