"""A trained field model, by the learner that is faster at the same certificate.

1-slack cutting planes to the letter (`cutting.py`) for most oracles: on Synth2 at C = 3e4 they need some 650
passes, the sequential dual method 110 to 160, but a pass of stacked fields is cheaper than one of visits, so
that with exhaustive search they take 13 against 34 seconds for the same gap, with greedy search 8 against 10.
Where asking the oracle is what costs (combine, the relaxations: 63 against 20 seconds for combine), the
sequential dual method is taken, if its visits know the oracle. What belief propagation ends at depends on the
algorithm, so it keeps the published one.
"""

import time
from dataclasses import dataclass

import numpy as np

from explorer.engine.learners import SequentialDual
from explorer.engine.runs.streams import Cancelled, metered
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.vectors import Array
from explorer.studies.support.cutting import rounds
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


def fitted(
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
    began = time.perf_counter()
    *_, last = rounds(problem, C, eps, pulse=pulse)
    return Fitted(last.w, last.low, last.xi, float(last.k + 1), time.perf_counter() - began, ONE_SLACK)


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
