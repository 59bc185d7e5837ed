"""The conditional random field: the same scores as a structural SVM, trained to make the truths likely
instead of winners.

    J(w) = 1/2 |w|^2 + C R(w),     R(w) = mean_i [ log Z_i(w) - w . Psi(x_i, y_i) ],
        Z_i = sum_y exp(w . Psi(x_i, y))
    g = w + C mean_i ( E_w[Psi(x_i, y)] - Psi(x_i, y_i) )

Lafferty, McCallum, Pereira 2001, with a Gaussian prior; on single points it is logistic regression. Loss and
pricing of the problem play no part. Minimised by L-BFGS, whose gradient certifies how far the optimum can be
(`descent`). Cost of a trial: all examples' marginals.
"""

from collections.abc import Generator, Mapping
from typing import Any, ClassVar

import numpy as np

from explorer.engine.contracts import Objective, Problem
from explorer.engine.descent import descend
from explorer.engine.enumeration import needs_marginals
from explorer.engine.events import Step, Stopped
from explorer.engine.knobs import knob, settings
from explorer.engine.likelihoods import Likelihood, log_risk
from explorer.engine.refusals import needs_every_weight, needs_examples, needs_finite, needs_no_rules


@settings
class CRF:
    """Conditional random field."""

    title: ClassVar[str] = "Conditional random field"
    paper: ClassVar[str] = "Lafferty, McCallum, Pereira 2001; L-BFGS: Nocedal 1980"
    certifies: ClassVar[bool] = True
    objective: ClassVar[Objective | None] = Likelihood()

    C: float = knob(1.0, "Price of the mean log loss: larger fits the data harder.", low=1e-12, log=True)
    memory: int = knob(10, "Earlier moves from which the curvature is estimated.", low=1, high=100)

    def refuses(self, problem: Problem) -> str | None:
        """Examples, sums over all their labellings, a finite C, and no further constraints."""
        lacking = needs_examples(problem) or needs_marginals(problem)
        flat = needs_every_weight(
            problem, "The lower bound needs a norm that counts every weight, the bias too"
        )
        return lacking or needs_no_rules(problem) or needs_finite(self.C) or flat

    def steps(
        self, problem: Problem, rng: np.random.Generator, state: Mapping[str, Any] | None = None
    ) -> Generator[Step, None, Stopped]:
        """Step down by L-BFGS until no step leads lower; the gradient says how low it can still get."""
        return (yield from descend(log_risk(problem), problem.dim, self.C, self.memory, state))
