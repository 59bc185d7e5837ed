"""MIRA, the margin-infused relaxed algorithm (1-best): the smallest change of w that mends a mistake.

    y^ = argmax_y w . Psi(x_i, y),   psi = Psi(x_i, y_i) - Psi(x_i, y^),   L = loss(y_i, y^)
    w' = argmin |w' - w|^2  s.t.  w' . psi >= L:    w' = w + tau psi,  tau = max(0, (L - w . psi) / |psi|^2)

Crammer and Singer 2003; McDonald, Crammer, Pereira 2005 (in Pfahler 2015, equation 6.1, the constraint is
meant for the new w and the argmax over y'). A cap on tau makes it passive-aggressive. The answer is the mean
of w over all examples seen, kept as  w - late / seen  as for the averaged perceptron. Cost of a pass: n
predictions. No bounds.
"""

import math
from collections.abc import Generator, Mapping
from typing import Any, ClassVar

import numpy as np

from explorer.engine.contracts import Objective, Problem
from explorer.engine.events import Cut, Step, Stopped
from explorer.engine.knobs import knob, settings
from explorer.engine.objective import cut_of
from explorer.engine.refusals import needs_examples, needs_no_rules
from explorer.engine.vectors import Array, add_into, dot, squared_norm


@settings
class MIRA:
    """1-best MIRA."""

    title: ClassVar[str] = "MIRA"
    paper: ClassVar[str] = "Crammer, Singer 2003; McDonald, Crammer, Pereira 2005"
    certifies: ClassVar[bool] = False
    objective: ClassVar[Objective | None] = None

    averaged: bool = knob(True, "Answer with the mean of all weights so far instead of the last.")
    cap: float = knob(math.inf, "Largest factor by which one example may pull.", low=1e-9, log=True)
    passes: int = knob(100, "End after this many passes.", low=1, high=1_000_000)

    def refuses(self, problem: Problem) -> str | None:
        """Examples, and no further constraints."""
        return needs_examples(problem) or needs_no_rules(problem)

    def steps(
        self, problem: Problem, rng: np.random.Generator, state: Mapping[str, Any] | None = None
    ) -> Generator[Step, None, Stopped]:
        """One step per pass, until a pass makes no mistake or the last pass is over."""
        w, late = np.zeros(problem.dim), np.zeros(problem.dim)
        k = updates = 0
        if state:
            w, late, k, updates = state["w"].copy(), state["late"].copy(), state["k"] + 1, state["updates"]
        while k < self.passes:
            mistakes = 0
            for i, x in enumerate(problem.dataset.inputs):
                guess = problem.predict(w, x)
                if problem.loss(i, guess) > 0.0:
                    cut = cut_of(problem, i, guess)
                    tau = min(self.cap, tau_of(w, cut))
                    add_into(w, tau, cut.psi)
                    add_into(late, tau * (k * problem.n + i), cut.psi)
                    mistakes += 1
            updates += mistakes
            shown = w - late / ((k + 1) * problem.n) if self.averaged else w.copy()
            keyframe = {"w": w.copy(), "late": late.copy(), "k": k, "updates": updates}
            yield Step(k, shown, detail={"mistakes": mistakes, "updates": updates}, state=keyframe)
            if mistakes == 0:
                return Stopped("separated", "a full pass made no mistake", k)
            k += 1
        return Stopped("passes", f"all {self.passes} passes are over", k - 1)


def tau_of(w: Array, cut: Cut) -> float:
    """How far to go along psi until its margin is the loss; 0 when it already is, or when psi is 0."""
    size = squared_norm(cut.psi)
    return max(0.0, (cut.loss - dot(w, cut.psi)) / size) if size > 0.0 else 0.0
