"""Pseudo-likelihood: every position is made likely given its true neighbours.

    J(w) = 1/2 |w|^2 + C mean_i sum_t [ log sum_k exp s_i(y_i with k at t) - s_i(y_i) ]

Besag 1975; for discriminative random fields Kumar and Hebert 2003. No sum over labellings is needed, so it
takes no longer on graphs where that sum cannot be had; but training never sees a wrong neighbour, and
transitions tend to be trusted too much. Minimised by L-BFGS, with the same certificate as the likelihood.
Cost of a trial: K scores for every position.
"""

from collections.abc import Generator, Mapping
from typing import Any, ClassVar

import numpy as np

from explorer.engine.contracts import Objective, Problem
from explorer.engine.descent import descend
from explorer.engine.events import Step, Stopped
from explorer.engine.knobs import knob, settings
from explorer.engine.likelihoods import PseudoLikelihood, local_risk, needs_local_sums
from explorer.engine.refusals import needs_examples, needs_finite, needs_no_rules


@settings
class PseudoLikelihoodField:
    """Random field by pseudo-likelihood."""

    title: ClassVar[str] = "Pseudo-likelihood"
    paper: ClassVar[str] = "Besag 1975; L-BFGS: Nocedal 1980"
    certifies: ClassVar[bool] = True
    objective: ClassVar[Objective | None] = PseudoLikelihood()

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
        risk = local_risk(problem, "conditionals")
        return (yield from descend(risk, problem.dim, self.C, self.memory, state))
