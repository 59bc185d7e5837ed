"""The perceptron on two classes: turn the line at every point on its wrong side.

    for each point:  if y (w . x + b) <= 0:  (w, b) += eta (y x, y)          until a pass makes no mistake

Rosenblatt 1958; Iglesias 2013, section 2.1.1.1: gradient steps on -sum y (w . x + b) over the misclassified
points. The bias b is the weight of the problem's constant feature 1, and psi = (y, y x) with the features of
the problem. Which of the separating lines it finds depends on where it starts and on the order of the points;
a larger eta takes fewer, rougher steps away from the start; on points that no line separates it never ends,
so there is a cap. Cost of a pass: n inner products. It knows no bound and certifies nothing but "separated".
"""

from collections.abc import Generator, Mapping
from typing import Any, ClassVar

import numpy as np

from explorer.engine.contracts import Objective, Problem, TwoSided, pulse_of
from explorer.engine.events import Step, Stopped
from explorer.engine.knobs import knob, settings
from explorer.engine.objective import cut_of
from explorer.engine.refusals import needs_examples, needs_no_rules
from explorer.engine.vectors import add_into, dot

STARTS = ("zero", "random")


@settings
class BinaryPerceptron:
    """Rosenblatt's perceptron."""

    title: ClassVar[str] = "Perceptron (two classes)"
    paper: ClassVar[str] = "Rosenblatt 1958; Iglesias 2013, section 2.1.1.1"
    certifies: ClassVar[bool] = False
    objective: ClassVar[Objective | None] = None

    eta: float = knob(1.0, "How far one mistake moves the line.", low=1e-6, high=1e6, log=True)
    passes: int = knob(1000, "Give up after this many passes.", low=1, high=1_000_000)
    init: str = knob("zero", "Where to start: at 0, or at random numbers between 0 and 1.", choices=STARTS)

    def refuses(self, problem: Problem) -> str | None:
        """Two classes; since nothing is minimised, a free bias is learned like a regularised one."""
        if not isinstance(problem, TwoSided):
            return "Only a binary problem has a line between two classes; use the structured perceptron."
        return needs_examples(problem) or needs_no_rules(problem)

    def steps(
        self, problem: Problem, rng: np.random.Generator, state: Mapping[str, Any] | None = None
    ) -> Generator[Step, None, Stopped]:
        """One step per pass, until a pass makes no mistake or the cap is reached."""
        truth = problem.dataset.labels
        psi = [cut_of(problem, i, 1 - truth[i]).psi for i in range(problem.n)]
        w = np.zeros(problem.dim) if self.init == "zero" or state else rng.random(problem.dim)
        k, updates = 0, 0
        if state:
            w, k, updates = state["w"].copy(), state["k"] + 1, state["updates"]
        while k < self.passes:
            pulse_of(problem)()
            mistakes = 0
            for x in psi:
                if dot(w, x) <= 0.0:
                    add_into(w, self.eta, x)
                    mistakes += 1
            updates += mistakes
            detail = {"mistakes": mistakes, "updates": updates}
            yield Step(k, w.copy(), detail=detail, state={"w": w.copy(), "k": k, "updates": updates})
            if mistakes == 0:
                return Stopped("separated", "a full pass made no mistake", k)
            k += 1
        sentence = (
            f"not converging: mistakes remain after {self.passes} passes; the data may not be separable"
        )
        return Stopped("passes", sentence, k - 1)
