"""Piecewise training: every unary and pairwise term is made likely by itself.

    J(w) = 1/2 |w|^2 + C mean_i sum_a [ log sum exp(score of term a) - its score in the truth ]

Sutton and McCallum 2005: an upper bound of the random field's objective, since the sum over all labellings is
at most the product of the terms' own sums. The emissions are logistic regression, the transitions relative
frequencies but for the regulariser. Minimised by L-BFGS, with the same certificate as the likelihood. Cost of
a trial: one look at every term.
"""

from collections.abc import Generator, Mapping
from typing import Any, ClassVar

import numpy as np

from explorer.engine.contracts import Objective, Problem
from explorer.engine.descent import descend
from explorer.engine.events import Step, Stopped
from explorer.engine.knobs import knob, settings
from explorer.engine.likelihoods import PieceLikelihood, local_risk, needs_local_sums
from explorer.engine.refusals import needs_examples, needs_finite, needs_no_rules


@settings
class PiecewiseField:
    """Random field by pieces."""

    title: ClassVar[str] = "Piecewise training"
    paper: ClassVar[str] = "Sutton, McCallum 2005; L-BFGS: Nocedal 1980"
    certifies: ClassVar[bool] = True
    objective: ClassVar[Objective | None] = PieceLikelihood()

    C: float = knob(1.0, "Price of the mean log loss: larger fits the data harder.", low=1e-12, log=True)
    memory: int = knob(10, "Earlier moves from which the curvature is estimated.", low=1, high=100)

    def refuses(self, problem: Problem) -> str | None:
        """Label sequences, a finite C, and no further constraints."""
        lacking = needs_examples(problem) or needs_local_sums(problem)
        return lacking or needs_no_rules(problem) or needs_finite(self.C)

    def steps(
        self, problem: Problem, rng: np.random.Generator, state: Mapping[str, Any] | None = None
    ) -> Generator[Step, None, Stopped]:
        """Step down by L-BFGS until no step leads lower."""
        risk = local_risk(problem, "pieces")
        return (yield from descend(risk, problem.dim, self.C, self.memory, state))
