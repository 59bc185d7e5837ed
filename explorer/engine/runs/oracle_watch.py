"""An oracle that is said to be exact is trusted, but watched: cheap proofs that it is not.

    an answer at w is violated less than the truth (H = 0), or than an earlier answer of the same example;
    the lowest primal value of a run lies below its highest dual value, although primal >= optimum >= dual;
    a prediction at w, being a labelling too, is violated more than its example's slack. As w . psi <= 0 for
        the labelling that scores most, its H is no less than its loss: only where the loss is above the
        slack is there anything to look at (Tsochantaridis et al. 2005, proposition 1).

Each of them needs numbers that the run has anyway. None proves that an oracle is exact; `explorer check`,
which tries other labellings, comes nearer. Single answers are watched where a problem answers one by one, as
those that users write do; our own answer in batches, are proved against enumeration by our tests, and are
watched as a whole. Cost: up to `KEPT` + 1 inner products for each single answer, one comparison for each
step.
"""

import math
from typing import Any

import numpy as np

from explorer.engine.contracts import Batch, Geometry, Learner, Measured, Predicts, Problem
from explorer.engine.events import Bounds, Cut, Sweep
from explorer.engine.objective import HINGE, check_oracle, cut_of, has_tolerance, label_key, violation
from explorer.engine.refusals import NotExact
from explorer.engine.vectors import Array, Sparse

KEPT = 3
"""Earlier answers of each example that a new one is compared with."""

MEMORY = 32_000_000
"""Bytes of feature differences that are kept to compare with."""

ROUNDING = 1e-6
"""Share of a value by which it may be off: far more than sums in doubles are, far less than a missed cut."""

MEND = "mend it (`explorer check` tries it), or do not claim that it is exact"


class OracleWatch:
    """What a run's oracle has answered so far, and the bounds that stand on it."""

    def __init__(self, problem: Problem, learner: Learner, C: float) -> None:
        objective = learner.objective or HINGE
        self.problem, self.claimed = problem, objective.kind(problem) == "exact"
        self.singly = problem.oracle_is_exact and not isinstance(problem, Batch | Geometry)
        # A hard constraint may be broken by a little, and multiplied by anything.
        self.comparable = self.claimed and not has_tolerance(problem, C)
        self.predicts_best = not isinstance(problem, Predicts) or problem.predictor.kind == "exact"
        self.answers: dict[int, list[Cut]] = {}
        self.left = MEMORY
        self.upper, self.lower = math.inf, -math.inf

    def see_answer(self, cut: Cut, w: Array, *_: Any) -> None:
        """A single answer at w."""
        if not self.singly:
            return
        check_oracle(self.problem, w, cut, 0.0, "the truth")
        kept = self.answers.setdefault(cut.i, [])
        for earlier in kept:
            check_oracle(self.problem, w, cut, violation(self.problem, w, earlier))
        key = label_key(cut.label)
        if self.left > 0 and all(label_key(earlier.label) != key for earlier in kept):
            self.left -= size_of(cut)
            self.left += sum(size_of(old) for old in kept[: 1 - KEPT])
            self.answers[cut.i] = [*kept[1 - KEPT :], cut]

    def see_sweep(self, found: Sweep, w: Array, lo: int, hi: int) -> None:
        """The answers of examples lo..hi-1 at w, joined."""
        if not self.problem.oracle_is_exact:
            return
        H = self.problem.pricing.violations(found.margins, found.losses)
        below = np.flatnonzero(-ROUNDING * np.maximum(1.0, np.abs(found.margins)) > H)
        if len(below):
            raise NotExact(
                f"the oracle's answer for example {lo + below[0]} is violated by {H[below[0]]:.6g}, the "
                f"truth by 0: it does not return the most violated labelling; {MEND}"
            )

    def see_bounds(self, bounds: Bounds) -> None:
        """A primal and a dual value of the run, NaN where one is not known."""
        if not self.comparable or not bounds.certificate:
            return
        self.upper, self.lower = np.fmin(self.upper, bounds.primal), np.fmax(self.lower, bounds.dual)
        if self.upper < self.lower - ROUNDING * max(abs(self.upper), abs(self.lower)) - 1e-12:
            raise NotExact(
                f"the primal value {self.upper:.8g} lies below the dual value {self.lower:.8g}, so the "
                f"oracle does not return the most violated labellings; {MEND}"
            )

    def see_predictions(self, w: Array, labels: list[Any], losses: Array, measured: Measured) -> None:
        """What is predicted at w, what it loses, and the slacks that the oracle found there."""
        if not (self.claimed and self.predicts_best) or measured.slack is None:
            return
        r, slack = self.problem.pricing.violations(np.zeros(len(losses)), losses), measured.slack
        for i in np.flatnonzero(r > slack + ROUNDING * np.maximum(1.0, slack))[:KEPT]:
            needed = violation(self.problem, w, cut_of(self.problem, int(i), labels[i]))
            if needed > slack[i] + ROUNDING * max(1.0, abs(needed)):
                raise NotExact(
                    f"the prediction for example {i} is violated by {needed:.6g}, the oracle's answer by "
                    f"{slack[i]:.6g} at most: it does not return the most violated labelling; {MEND}"
                )


def size_of(cut: Cut) -> int:
    """Bytes of a cut's features."""
    return 2 * cut.psi.value.nbytes if isinstance(cut.psi, Sparse) else cut.psi.nbytes
