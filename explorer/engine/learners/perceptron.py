"""The structured perceptron, plain and averaged.

    w = 0; for each example:  y~ = argmax_y w . Psi(x_i, y);  if y~ != y_i:  w += Psi(x_i, y_i) - Psi(x_i, y~)

Collins 2002, Algorithm of figure 1 and section 2.3; lecture "Structured Learning", structured perceptron. The
*averaged* form predicts with the mean of w over all examples seen, which is kept as  w - late / seen,  late =
sum over updates of (examples seen before it) psi, so that an example without a mistake costs nothing.

The proof that it ends: with unit w_hat and delta such that w_hat . psi >= delta for every wrong labelling,
and R = max |psi|, after k updates  w_hat . w_k >= k delta  and  |w_k|^2 <= k R^2,  hence  sqrt(k) delta / R
<= cos(w_hat, w_k) <= 1 and k <= (R / delta)^2. Where all labellings can be listed the plain form shows both
sides. Cost of a pass: n predictions. It certifies nothing but "no mistake".
"""

from collections.abc import Generator, Mapping
from typing import Any, ClassVar

import numpy as np

from explorer.engine.contracts import Objective, Problem
from explorer.engine.enumeration import listable
from explorer.engine.events import Cut, Step, Stopped
from explorer.engine.knobs import knob, settings
from explorer.engine.objective import cut_of
from explorer.engine.refusals import needs_examples, needs_no_rules
from explorer.engine.theory.bounds import Separator, perceptron_bound, separator
from explorer.engine.vectors import Array, add_into, squared_norm

EVERY = ("update", "pass")


@settings
class Perceptron:
    """Structured perceptron."""

    title: ClassVar[str] = "Structured perceptron"
    paper: ClassVar[str] = "Collins 2002, fig. 1"
    certifies: ClassVar[bool] = False
    objective: ClassVar[Objective | None] = None

    averaged: bool = knob(False, "Answer with the mean of all weights so far instead of the last.")
    passes: int = knob(1000, "Give up after this many passes.", low=1, high=1_000_000)
    every: str = knob("pass", "Show a step after every update, or after every pass.", choices=EVERY)
    proof: bool = knob(True, "Compare with the widest separation, where all labellings can be listed.")

    def refuses(self, problem: Problem) -> str | None:
        """Examples, and no further constraints."""
        return needs_examples(problem) or needs_no_rules(problem)

    def steps(
        self, problem: Problem, rng: np.random.Generator, state: Mapping[str, Any] | None = None
    ) -> Generator[Step, None, Stopped]:
        """Examples in order, pass after pass, until one makes no mistake or the cap is reached."""
        n, inputs = problem.n, problem.dataset.inputs
        w, late = np.zeros(problem.dim), np.zeros(problem.dim)
        k = seen = updates = mistakes = 0
        if state:
            w, late, k = state["w"].copy(), state["late"].copy(), state["k"] + 1
            seen, updates, mistakes = state["seen"], state["updates"], state["mistakes"]
        known = separator(problem) if self.proof and not self.averaged and listable(problem) else None
        while seen < self.passes * n:
            i = seen % n
            mistakes = mistakes if i else 0
            cuts: tuple[Cut, ...] = ()
            guess = problem.predict(w, inputs[i])
            if problem.loss(i, guess) > 0.0:
                cuts = (cut_of(problem, i, guess),)
                add_into(w, 1.0, cuts[0].psi)
                add_into(late, seen, cuts[0].psi)
                updates, mistakes = updates + 1, mistakes + 1
            seen += 1
            clean = i == n - 1 and mistakes == 0
            if clean or (cuts if self.every == "update" else i == n - 1):
                keyframe = {"w": w.copy(), "late": late.copy(), "k": k}
                keyframe |= {"seen": seen, "updates": updates, "mistakes": mistakes}
                shown = w - late / seen if self.averaged else w.copy()
                detail = {"updates": updates, "mistakes": mistakes} | figures(shown, known)
                yield Step(k, shown, cuts if self.every == "update" else (), detail=detail, state=keyframe)
                k += 1
            if clean:
                return Stopped("separated", "a full pass made no mistake", k - 1)
        sentence = (
            f"not converging: mistakes remain after {self.passes} passes; the data may not be separable"
        )
        return Stopped("passes", sentence, k - 1)


def figures(w: Array, known: Separator | None) -> dict[str, float]:
    """|w|^2 and, beside a known separator, the quantities of the proof."""
    norm2 = squared_norm(w)
    if known is None:
        return {"norm2": norm2}
    along = float(known.w_hat @ w)
    cosine = along / norm2**0.5 if norm2 else 0.0
    sizes = {"R": known.R, "delta": known.delta, "bound": perceptron_bound(known)}
    return {"norm2": norm2, "along": along, "cosine": cosine} | sizes
