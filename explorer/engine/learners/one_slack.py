"""1-slack cutting plane: one slack for the whole sample, one plane per pass.

    min_{w, xi >= 0} 1/2 |w|^2 + C xi   s.t. for every tuple of labellings:  xi >= b - w . a,
    a = mean_i u_i psi_i,  b = mean_i r_i

Joachims, Finley and Yu, "Cutting-plane training of structural SVMs", 2009, Algorithm 3 (OP 8 and 9 of the
clustering dissertation, Algorithm 2 there). Repeat: solve the dual over the planes found so far; find every
example's most violated labelling at that w; add their average as one plane; until the new plane is violated
by no more than eps beyond xi. Then the gap is at most C * eps. Iterations do not depend on n. eps is in the
units of the loss, and where all losses are below 1, a share of the largest (`objective.tolerance`).
Cost of an iteration: n oracle calls and one small QP.

With a poor oracle it matters what becomes of an answer that is worse than the truth. The published algorithm
takes answers *as they come*: bad answers of some examples then cancel the violations of others, and it
declares victory early. *Never below the truth* puts the truth in their place. With an exact oracle both are
the same.

The cache (section 3.6 there) keeps the last labellings of each example and tries to build a violated plane
from them before asking the oracle; such iterations cost no oracle call and prove no upper bound. Planes
without mass in the last `prune_after` solves are dropped; that never lowers the bound, because the optimum
over the rest is the same.
"""

from collections.abc import Generator, Mapping
from typing import Any, ClassVar

import numpy as np

from explorer.engine.contracts import Objective, Problem, pulse_of
from explorer.engine.dual.endings import ending
from explorer.engine.dual.working_set import restore
from explorer.engine.events import EVERY_EXAMPLE, Bounds, Cut, Step, Stopped, Sweep
from explorer.engine.knobs import knob, settings
from explorer.engine.objective import (
    HINGE,
    all_cuts,
    bounds_of,
    cut_of,
    lift,
    mean_plane,
    norm2,
    primal,
    rule_cost,
    slacks,
    sweep,
    sweep_of,
    tolerance,
)
from explorer.engine.refusals import needs_examples
from explorer.engine.vectors import Array, dot

NEVER_BELOW, AS_THEY_COME = "never below the truth", "as they come"
ANSWERS = (NEVER_BELOW, AS_THEY_COME)


@settings
class OneSlack:
    """1-slack cutting plane with plane cache and pruning."""

    title: ClassVar[str] = "1-slack cutting plane"
    paper: ClassVar[str] = "Joachims, Finley, Yu 2009, Alg. 3"
    certifies: ClassVar[bool] = True
    objective: ClassVar[Objective | None] = HINGE

    C: float = knob(
        1.0, "Price of the mean slack: larger fits the training data harder.", low=1e-12, log=True
    )
    eps: float = knob(
        1e-3, "A cut must be violated by more than this to count.", low=0.0, high=10.0, log=True
    )
    prune_after: int = knob(50, "Drop a plane after this many solves without mass.", low=1, high=10_000)
    cache: int = knob(0, "Labellings remembered per example, tried before the oracle.", low=0, high=100)
    qp_tolerance: float = knob(
        1e-10, "Relative gap to which each quadratic program is solved.", low=1e-14, high=1e-2
    )
    answers: str = knob(
        NEVER_BELOW,
        "An oracle's answer that is worse than the truth: give way to it, or count.",
        choices=ANSWERS,
    )

    def refuses(self, problem: Problem) -> str | None:
        """The average over examples is only the same problem when slack costs are linear."""
        if problem.pricing.penalty == "squared":
            return (
                "One shared slack cannot stand for squared slacks of single examples; use the n-slack "
                "learner."
            )
        return needs_examples(problem)

    def steps(
        self, problem: Problem, rng: np.random.Generator, state: Mapping[str, Any] | None = None
    ) -> Generator[Step, None, Stopped]:
        """Solve, ask every example for its most violated labelling, add their mean, until none is worth
        adding.
        """
        working = restore(problem, state, self.C)
        memory = CutMemory(problem, self.cache, self.answers == NEVER_BELOW, state)
        k = state["k"] + 1 if state else 0
        while True:
            solution = working.solve(problem, self.C, 1, self.qp_tolerance, pulse_of(problem))
            pruned = working.prune(self.prune_after)
            w, xi = working.w(), float(solution.slack[0])
            eps = tolerance(self.eps, working.largest, self.C)
            part, cached = memory.recall(problem, w, xi + max(eps, solution.resolution / self.C)), True
            if part is None:
                part, cached = memory.ask(problem, w), False
            plane = mean_plane(problem, part)
            worst = plane.b - dot(lift(problem, w), plane.a)
            working.largest = max(working.largest, problem.pricing.size(float(np.max(part.losses))))
            eps = tolerance(self.eps, working.largest, self.C)
            upper = np.nan if cached else primal(problem, w, self.C, slacks(problem, part), working.largest)
            # What the new plane could gain, beside what the program over the known ones is off by at this w.
            excess, height = worst - xi, self._height(problem, w, upper, worst)
            off = height - solution.dual - self.C * max(excess, 0.0)
            done = not cached and excess <= max(eps, solution.resolution / self.C, off / self.C)
            detail = {
                "xi": xi,
                "eps": eps,
                "violation": worst,
                "pruned": pruned,
                "cached": cached,
                "added": int(not done),
            }
            detail |= working.report()
            if not done:
                working.add(plane)
            exact = problem.oracle_is_exact and not cached
            bounds = bounds_of(problem, self.C, upper, solution.dual, exact)
            cut = Cut(EVERY_EXAMPLE, plane.label, plane.a, plane.b)
            keyframe = working.snapshot(problem, self.C) | memory.snapshot() | {"k": k}
            yield Step(k, w, (cut,), bounds, detail, keyframe)
            if done:
                sentence = f"no cut is violated by more than eps = {max(eps, excess):g} beyond the slack"
                return ending("eps-violation", sentence, k, Bounds(height, solution.dual), self.C * eps)
            k += 1

    def _height(self, problem: Problem, w: Array, upper: float, worst: float) -> float:
        """The objective at w as the new plane has it: the upper bound, unless answers count as they come."""
        if self.answers == NEVER_BELOW:
            return upper
        return 0.5 * norm2(problem, w) + self.C * max(worst, 0.0) + rule_cost(problem, w)


class CutMemory:
    """The last few cuts of every example; makes a plane of the best of them without an oracle call."""

    def __init__(self, problem: Problem, size: int, floor: bool, state: Mapping[str, Any] | None) -> None:
        self.size, self.floor = size, floor
        nothing: tuple[tuple[Any, ...], ...] = ((),) * problem.n
        labels = state.get("memory", nothing) if state and size else nothing
        self.cuts = [[cut_of(problem, i, label) for label in kept] for i, kept in enumerate(labels)]

    def recall(self, problem: Problem, w: Array, bar: float) -> Sweep | None:
        """The most violated remembered cuts at w, when together they are violated by more than `bar`."""
        if not self.size or not all(self.cuts):
            return None
        g = lift(problem, w)
        best = [
            max(cuts, key=lambda c: problem.pricing.violation(dot(g, c.psi), c.loss)) for cuts in self.cuts
        ]
        part = sweep_of(problem, w, best, floor=self.floor)
        return part if float(np.mean(problem.pricing.violations(part.margins, part.losses))) > bar else None

    def ask(self, problem: Problem, w: Array) -> Sweep:
        """A real oracle pass, remembered."""
        if not self.size:
            return sweep(problem, w, floor=self.floor)
        found = all_cuts(problem, w)
        for cut in found:
            others = [c for c in self.cuts[cut.i] if not np.array_equal(c.label, cut.label)]
            same = [c for c in self.cuts[cut.i] if np.array_equal(c.label, cut.label)]
            # Made from the labelling, as a resumed run makes it: the oracle's own psi may differ in its last
            # bits.
            mine = same or [cut_of(problem, cut.i, cut.label)]
            self.cuts[cut.i] = [*others, *mine][-self.size :]
        return sweep_of(problem, w, found, floor=self.floor)

    def snapshot(self) -> dict[str, Any]:
        """The remembered labellings."""
        return {"memory": tuple(tuple(c.label for c in kept) for kept in self.cuts)} if self.size else {}
