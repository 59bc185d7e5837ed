"""The generic cutting-plane (bundle) method for any convex risk R >= 0.

    J(w) = 1/2 |w|^2 + C R(w),     lower model  R_i(w) = max(0, max_{j <= i} a_j . w + b_j)
    w_i = argmin 1/2 |w|^2 + C R_{i-1}(w);    a_i in dR(w_i),   b_i = R(w_i) - a_i . w_i

Teo, Vishwanathan, Smola, Le 2010; Pfahler 2015, Algorithm 1 (where b_i is misprinted), who writes lambda
|w|^2 + R: lambda = 1 / (2C), so his J is ours divided by C. The best J(w_j) so far falls, the model's minimum
J_{i-1}(w_i) rises, and the optimum lies between them; it ends when R(w_i) - R_{i-1}(w_i) <= eps, that is,
with a gap of at most C eps; where R(0) is below 1, eps is a share of it (`objective.tolerance`). On a problem
with a risk of its own that is asked; otherwise R is the mean slack (or mean cost) of one oracle pass, and the
method is the 1-slack cutting plane. Cost of an iteration: one risk, and a small quadratic program.
"""

import math
from collections.abc import Generator, Mapping
from typing import Any, ClassVar

import numpy as np

from explorer.engine.contracts import Convex, Objective, Problem, pulse_of
from explorer.engine.dual.endings import ending
from explorer.engine.dual.working_set import WorkingSet, restore
from explorer.engine.events import EVERY_EXAMPLE, Cut, Step, Stopped
from explorer.engine.knobs import knob, settings
from explorer.engine.objective import HINGE, anchor_of, bounds_of, norm2, priced_as, tolerance, touching_plane
from explorer.engine.refusals import needs_examples, needs_finite, needs_no_rules
from explorer.engine.vectors import dense

DRAWABLE = 2
"""The planes' slopes are told only where they can be drawn: in at most this many dimensions."""


@settings
class Bundle:
    """Bundle method."""

    title: ClassVar[str] = "Bundle method"
    paper: ClassVar[str] = "Teo, Vishwanathan, Smola, Le 2010; Pfahler 2015, Alg. 1"
    certifies: ClassVar[bool] = True
    objective: ClassVar[Objective | None] = HINGE

    C: float = knob(1.0, "Price of the risk: larger fits the data harder.", low=1e-12, log=True)
    eps: float = knob(1e-3, "End when risk and lower model differ by no more.", low=0.0, high=10.0, log=True)
    qp_tolerance: float = knob(
        1e-10, "Relative gap of each quadratic program.", low=1e-14, high=1e-2, log=True
    )

    def refuses(self, problem: Problem) -> str | None:
        """A risk, or examples to make one of; a finite C; no further constraints."""
        lacking = None if isinstance(problem, Convex) else needs_examples(problem)
        return lacking or needs_no_rules(problem) or needs_finite(self.C)

    def steps(
        self, problem: Problem, rng: np.random.Generator, state: Mapping[str, Any] | None = None
    ) -> Generator[Step, None, Stopped]:
        """Minimise the model, touch the risk there with one more plane, until both agree."""
        model = model_of(problem, state, self.C)
        same = state is not None and (state["C"], state["priced_as"]) == (self.C, priced_as(problem))
        best = state["best"] if state and same else math.inf
        k = state["k"] + 1 if state else 0
        while True:
            group, price = np.zeros(len(model), dtype=np.int64), np.array([self.C])
            solution = model.solve_for(price, group, "linear", self.qp_tolerance, pulse_of(problem))
            w, lower = model.w(), float(solution.slack[0])
            risk, plane = touching_plane(problem, w)
            upper = 0.5 * norm2(problem, w) + self.C * risk
            best = min(best, upper)
            eps = tolerance(self.eps, max(model.largest, risk), self.C)
            # What a new plane could gain, beside what the model's own program is off by at this w.
            excess, off = risk - lower, upper - solution.dual - self.C * max(risk - lower, 0.0)
            done = excess <= max(eps, solution.resolution / self.C, off / self.C)
            detail = {"risk": risk, "model": lower, "best": best, "eps": eps, "added": int(not done)}
            detail |= pieces(model)
            if not done:
                model.add(plane)
            cut = Cut(EVERY_EXAMPLE, plane.label, plane.a, plane.b)
            bounds = bounds_of(problem, self.C, upper, solution.dual, problem.oracle_is_exact)
            yield Step(k, w, (cut,), bounds, detail, model.snapshot(problem, self.C) | {"k": k, "best": best})
            if done:
                sentence = f"risk and lower model differ by no more than eps = {max(eps, excess):g}"
                return ending("eps-violation", sentence, k, bounds, self.C * eps)
            k += 1


def pieces(model: WorkingSet) -> dict[str, Any]:
    """The lower model R_i(w) = max(0, max_j slopes_j . w + b_j), and each piece's multiplier."""
    told = model.report()
    if model.dim <= DRAWABLE:
        slopes = [-dense(plane.a) for plane in model.planes]
        told["slopes"] = np.array(slopes).reshape(len(model), model.dim)
    return told


def model_of(problem: Problem, state: Mapping[str, Any] | None, C: float) -> WorkingSet:
    """The planes of a keyframe; under another loss, priced anew if they name their labellings."""
    if state is None:
        return WorkingSet(problem.dim, anchor=anchor_of(problem))
    if state["priced_as"] != priced_as(problem):
        nameless = any(plane.label is None for plane in state["planes"])
        if nameless or problem.pricing.penalty == "squared":
            return WorkingSet(problem.dim, found=state["found"], anchor=anchor_of(problem))
    return restore(problem, state, C)
