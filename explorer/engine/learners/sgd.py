"""Stochastic gradient descent on the three costs of the lecture, one example at a time.

    plain     C^i = max_y  w . Psi(x_i, y)                  - w . Psi(x_i, y_i)
    margin    C^i = max_y [Delta(y_i, y) + w . Psi(x_i, y)] - w . Psi(x_i, y_i)
    slack     C^i = max_y  Delta(y_i, y) [1 + w . Psi(x_i, y) - w . Psi(x_i, y_i)]

With y~ the maximiser:  w <- w - eta [Psi(x_i, y~) - Psi(x_i, y_i)],  the bracket times Delta for *slack*;
*regularised*, on 1/2 |w|^2 + C mean C^i:  w <- (1 - eta) w - eta C [...] (the slide drops the factor).
Lecture "Structured Learning", gradient descent. With eta = 1 the plain cost makes the structured perceptron.
w-space is cut into regions by which y~ wins, and inside each of them the gradient does not change. Cost of a
move: one oracle call (a prediction for *plain*). No bounds, no certificate.
"""

from collections.abc import Generator, Mapping
from typing import Any, ClassVar

import numpy as np

from explorer.engine.contracts import Objective, Problem, generator_at
from explorer.engine.events import Step, Stopped
from explorer.engine.knobs import knob, settings
from explorer.engine.objective import HINGE, anchor_of, cut_of, plane_of, violation
from explorer.engine.refusals import needs_examples, needs_finite, needs_no_rules
from explorer.engine.vectors import Array, Vector, add_into

COSTS = ("plain", "margin", "slack")
ORDERS = ("random", "cyclic")


@settings
class SGD:
    """Stochastic gradient descent."""

    title: ClassVar[str] = "Stochastic gradient descent"
    paper: ClassVar[str] = "Lecture Structured Learning, gradient descent on C(w)"
    certifies: ClassVar[bool] = False
    objective: ClassVar[Objective | None] = HINGE

    cost: str = knob(
        "margin", "What one example costs: no loss, or the loss by margin or slack.", choices=COSTS
    )
    eta: float = knob(0.1, "Step size.", low=1e-9, high=1e3, log=True)
    regularised: bool = knob(True, "Pull w towards 0 as well.")
    C: float = knob(1.0, "Price of the mean cost, when regularised.", low=1e-12, log=True)
    order: str = knob("random", "Examples at random, or in turn.", choices=ORDERS)
    every: int = knob(0, "Moves per step shown; 0: as many as make a pass.", low=0, high=10_000_000)

    def refuses(self, problem: Problem) -> str | None:
        """The problem's oracle must be the one that the cost asks for."""
        scaling, penalty = problem.pricing.scaling, problem.pricing.penalty
        if self.cost != "plain" and (scaling, penalty) != (self.cost, "linear"):
            return f"The cost is {self.cost!r} but the problem has {scaling} scaling, {penalty}: match them."
        endless = needs_finite(self.C) if self.regularised else None
        return needs_examples(problem) or needs_no_rules(problem) or endless

    def steps(
        self, problem: Problem, rng: np.random.Generator, state: Mapping[str, Any] | None = None
    ) -> Generator[Step, None, Stopped]:
        """Moves for ever; who listens decides when to stop."""
        rng = generator_at(rng, state)
        w, t, k = (state["w"].copy(), state["t"], state["k"] + 1) if state else (np.zeros(problem.dim), 0, 0)
        keep, length = (1.0 - self.eta, self.eta * self.C) if self.regularised else (1.0, self.eta)
        free = int(anchor_of(problem) is not None)
        while True:
            i = t % problem.n if self.order == "cyclic" else int(rng.integers(problem.n))
            pull = self._pull(problem, w, i)
            w[free:] *= keep
            if pull is not None:
                add_into(w, length, pull)
            t += 1
            if t % (self.every or problem.n) == 0:
                keyframe = {"w": w.copy(), "t": t, "k": k, "rng": rng.bit_generator.state}
                yield Step(k, w.copy(), detail={"moves": t, "example": i}, state=keyframe)
                k += 1

    def _pull(self, problem: Problem, w: Array, i: int) -> Vector | None:
        """Minus the gradient of C^i; None where it is 0."""
        if self.cost == "plain":
            guess = problem.predict(w, problem.dataset.inputs[i])
            return cut_of(problem, i, guess).psi if problem.loss(i, guess) > 0.0 else None
        cut = problem.oracle(w, i)
        return plane_of(problem, cut).a if violation(problem, w, cut) > 0.0 else None
