"""Subgradient descent on the objective itself, by whole passes or by single random examples.

    J(w) = 1/2 |w|^2 + C mean_i cost(xi_i):    v = w - C mean_i c_i a_i,    w -= step v

where a_i is the priced feature difference of the most violated labelling (u psi, see `Pricing`) and c_i = 1
for a violated example, or its slack xi_i under a squared penalty. A single random example i stands for the
mean with v = w - C c_i a_i. Iglesias 2013, Algorithms 3.2 and 3.3, print the sign of the feature difference
the wrong way round: kept as an exhibit. In his C * sum the same v is reached with C = n C_sum. Steps:
constant eta; eta / t; or Pegasos (Shalev-Shwartz, Singer, Srebro 2007), 1 / t: w <- (1 - 1/t) w + (C/t) c_i
a_i, which is 1 / (lambda t) in the scale of lambda = 1 / C.

Cost of an update: n oracle calls, or 1. Precision eps takes O(1 / eps^2) updates, O(1 / eps) with Pegasos.
There is no lower bound and so no certificate; a step of the batch form carries the objective at its w, and
then moves on.
"""

from collections.abc import Generator, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from explorer.engine.contracts import Objective, Problem, generator_at
from explorer.engine.events import Bounds, Cut, Step, Stopped
from explorer.engine.knobs import knob, settings
from explorer.engine.objective import HINGE, anchor_of, norm2, plane_of, touching_plane
from explorer.engine.refusals import needs_examples, needs_finite, needs_no_rules
from explorer.engine.vectors import Array, Vector, add_into, dot, scale

BATCHES = ("all", "one")
RULES = ("constant", "1/t", "pegasos")
SIGNS = ("corrected", "as printed")


class Place(NamedTuple):
    """Where t moves have led: the last w, and the mean of all; neither array is ever changed."""

    w: Array
    mean: Array
    t: int


@settings
class Subgradient:
    """Batch and stochastic subgradient descent."""

    title: ClassVar[str] = "Subgradient descent"
    paper: ClassVar[str] = "Iglesias 2013, Alg. 3.2 and 3.3; Shalev-Shwartz, Singer, Srebro 2007"
    certifies: ClassVar[bool] = False
    objective: ClassVar[Objective | None] = HINGE

    C: float = knob(1.0, "Price of the mean slack: larger fits the data harder.", low=1e-12, log=True)
    batch: str = knob(
        "one", "Examples asked before each move: all of them, or one at random.", choices=BATCHES
    )
    rule: str = knob("pegasos", "Step size: eta, eta / t, or 1 / t (Pegasos, no eta).", choices=RULES)
    eta: float = knob(0.01, "Step size of the first two rules.", low=1e-9, high=1e3, log=True)
    average: bool = knob(False, "Answer with the mean of all weights so far instead of the last.")
    sign: str = knob("corrected", "The direction as it should be, or as the thesis prints it.", choices=SIGNS)
    every: int = knob(0, "Moves per step shown; 0: as many as make a pass.", low=0, high=10_000_000)

    def refuses(self, problem: Problem) -> str | None:
        """Examples, a finite C, and no further constraints."""
        return needs_examples(problem) or needs_no_rules(problem) or needs_finite(self.C)

    def steps(
        self, problem: Problem, rng: np.random.Generator, state: Mapping[str, Any] | None = None
    ) -> Generator[Step, None, Stopped]:
        """Moves for ever; who listens decides when to stop."""
        w = mean = np.zeros(problem.dim)
        at = Place(w, mean, 0) if state is None else Place(state["w"], state["mean"], state["t"])
        k = state["k"] + 1 if state else 0
        if self.batch == "all":
            return (yield from self._by_pass(problem, generator_at(rng, state), at, k))
        return (yield from self._by_example(problem, generator_at(rng, state), at, k))

    def _by_pass(
        self, problem: Problem, rng: np.random.Generator, at: Place, k: int
    ) -> Generator[Step, None, Stopped]:
        """Ask every example at w, show w with its objective, then move (Algorithm 3.2)."""
        while True:
            risk, plane = touching_plane(problem, at.w)
            upper = 0.5 * norm2(problem, at.w) + self.C * risk
            here, at = at, self._moved(problem, at, plane.a)
            if here.t % max(1, self.every) == 0:
                bounds = Bounds() if self.average else Bounds(upper, certificate=problem.oracle_is_exact)
                yield self._step(k, here, bounds, at, rng)
                k += 1

    def _by_example(
        self, problem: Problem, rng: np.random.Generator, at: Place, k: int
    ) -> Generator[Step, None, Stopped]:
        """Move after every example, drawn at random (Algorithm 3.3)."""
        while True:
            for _ in range(self.every or problem.n):
                cut = problem.oracle(at.w, int(rng.integers(problem.n)))
                at = self._moved(problem, at, pull_of(problem, at.w, cut))
            yield self._step(k, at, Bounds(), at, rng)
            k += 1

    def _step(self, k: int, here: Place, bounds: Bounds, then: Place, rng: np.random.Generator) -> Step:
        """What is shown about one place, and the place to go on from."""
        keyframe = {"w": then.w, "mean": then.mean, "t": then.t, "k": k, "rng": rng.bit_generator.state}
        w = here.mean if self.average else here.w
        return Step(k, w.copy(), bounds=bounds, detail={"moves": here.t}, state=keyframe)

    def _moved(self, problem: Problem, at: Place, pull: Vector) -> Place:
        """w - step * (w - C pull), and the mean with it; a free bias does not shrink."""
        t = at.t + 1
        step = {"constant": self.eta, "1/t": self.eta / t, "pegasos": 1.0 / t}[self.rule]
        w = (1.0 - step) * at.w
        if anchor_of(problem) is not None:
            w[0] = at.w[0]
        add_into(w, step * self.C * (1.0 if self.sign == "corrected" else -1.0), pull)
        return Place(w, at.mean + (w - at.mean) / t if self.average else at.mean, t)


def pull_of(problem: Problem, w: Array, cut: Cut) -> Vector:
    """c a: minus a subgradient of the cost of one example; nothing when its cut is not violated."""
    plane = plane_of(problem, cut)
    xi = max(0.0, plane.b - dot(w, plane.a))
    return scale(xi if problem.pricing.penalty == "squared" else float(xi > 0.0), plane.a)
