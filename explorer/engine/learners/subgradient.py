"""Subgradient descent on the objective itself, by whole passes or by single random examples.

    J(w) = 1/2 |w|^2 + C mean_i cost(xi_i):    v = w - C mean_i c_i a_i,    w -= step v

where a_i is the priced feature difference of the most violated labelling (u psi, see `Pricing`) and c_i = 1 for a violated
example, or its slack xi_i under a squared penalty. A single random example i stands for the mean with v = w - C c_i a_i.
Iglesias 2013, Algorithms 3.2 and 3.3, print the sign of the feature difference the wrong way round: kept as an exhibit.
In his C * sum the same v is reached with C = n C_sum. Steps: constant eta; eta / t; or Pegasos (Shalev-Shwartz, Singer,
Srebro 2007), 1 / t: w <- (1 - 1/t) w + (C/t) c_i a_i, which is 1 / (lambda t) in the scale of lambda = 1 / C.

Cost of an update: n oracle calls, or 1. Precision eps takes O(1 / eps^2) updates, O(1 / eps) with Pegasos. There is
no lower bound and so no certificate; a step of the batch form carries the objective at its w, and then moves on.
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from explorer.engine.events import Bounds, Cut, Step
from explorer.engine.objective import plane_of, touching_plane
from explorer.engine.protocols import (
    Problem,
    check_knobs,
    knob,
    needs_examples,
    needs_finite,
    needs_no_rules,
    resumed,
)
from explorer.engine.vectors import Array, Vector, add_into, dot, scaled, squared_norm

BATCHES = ("all", "one")
RULES = ("constant", "1/t", "pegasos")
SIGNS = ("corrected", "as printed")


@dataclass(frozen=True, slots=True)
class Subgradient:
    """Batch and stochastic subgradient descent."""

    title: ClassVar[str] = "Subgradient descent"
    paper: ClassVar[str] = "Iglesias 2013, Alg. 3.2 and 3.3; Shalev-Shwartz, Singer, Srebro 2007"
    certifies: ClassVar[bool] = False

    C: float = knob(1.0, "Price of the mean slack: larger fits the data harder.", low=1e-6, log=True)
    batch: str = knob("one", "Examples asked before each move: all of them, or one at random.", choices=BATCHES)
    rule: str = knob("pegasos", "Step size: eta, eta / t, or 1 / t (Pegasos, no eta).", choices=RULES)
    eta: float = knob(0.01, "Step size of the first two rules.", low=1e-9, high=1e3, log=True)
    average: bool = knob(False, "Answer with the mean of all weights so far instead of the last.")
    sign: str = knob("corrected", "The direction as it should be, or as the thesis prints it.", choices=SIGNS)
    every: int = knob(0, "Moves per step shown; 0: as many as make a pass.", low=0, high=10_000_000)

    def __post_init__(self) -> None:
        check_knobs(self)

    def refuses(self, problem: Problem) -> str | None:
        """Examples, a finite C, and no further constraints."""
        return needs_examples(problem) or needs_no_rules(problem) or needs_finite(self.C)

    def steps(
        self, problem: Problem, rng: np.random.Generator, state: Mapping[str, Any] | None = None
    ) -> Generator[Step, None, str]:
        """Moves for ever; who listens decides when to stop."""
        rng = resumed(rng, state)
        w = mean = np.zeros(problem.dim)
        t = k = 0
        if state:
            w, mean, t, k = state["w"], state["mean"], state["t"], state["k"] + 1
        every = self.every or (1 if self.batch == "all" else problem.n)
        while True:
            here, here_mean, bounds, due = w, mean, Bounds(), (t + 1) % every == 0
            if self.batch == "all":
                due = t % every == 0
                risk, plane = touching_plane(problem, w)
                bounds = Bounds(0.5 * squared_norm(w) + self.C * risk, certificate=problem.oracle_is_exact)
                pull = plane.a
            else:
                pull = pull_of(problem, w, problem.oracle(w, int(rng.integers(problem.n))))
            t += 1
            w = self._moved(w, pull, t)
            mean = mean + (w - mean) / t if self.average else mean
            if self.batch == "one":
                here, here_mean = w, mean
            if due:
                keyframe = {"w": w, "mean": mean, "t": t, "k": k, "rng": rng.bit_generator.state}
                shown, bounds = (here_mean, Bounds()) if self.average else (here, bounds)
                yield Step(k, shown.copy(), bounds=bounds, detail={"moves": t}, state=keyframe)
                k += 1

    def _moved(self, w: Array, pull: Vector, t: int) -> Array:
        """w - step * (w - C pull)."""
        step = {"constant": self.eta, "1/t": self.eta / t, "pegasos": 1.0 / t}[self.rule]
        out = (1.0 - step) * w
        add_into(out, step * self.C * (1.0 if self.sign == "corrected" else -1.0), pull)
        return out


def pull_of(problem: Problem, w: Array, cut: Cut) -> Vector:
    """c a: minus a subgradient of the cost of one example; nothing when its cut is not violated."""
    plane = plane_of(problem, cut)
    xi = max(0.0, plane.b - dot(w, plane.a))
    return scaled(xi if problem.pricing.penalty == "squared" else float(xi > 0.0), plane.a)
