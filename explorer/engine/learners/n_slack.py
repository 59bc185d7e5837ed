"""n-slack cutting plane: one slack per example, in the three published orders.

    min_{w, xi >= 0} 1/2 |w|^2 + C mean_i cost(xi_i)   s.t.  xi_i >= r - u (w . psi)
        for every cut of example i

A *batch* iteration asks the oracle for every example at the same w, then solves once (degree thesis,
Algorithm 3.1): a cut enters when it is more violated than every cut its example already has (xi_i >= 0 is
always there). The lecture deck's order, *solve first*, also asks all at one w but joins whatever the oracle
returns, until the sets stop changing. SVM-struct (*each*; Tsochantaridis et al. 2005, Algorithm 1) solves
again at once after every cut that is violated by more than xi_i + eps, so later examples of the pass see the
newer w. All three end at the optimum of the full problem within their tolerance. Cost of a pass: n oracle
calls, and one QP (or one per added cut with *each*).

A Step of the first two orders carries both bounds, at the w that was asked. With *each*, w moves during the
pass, so a Step has an upper bound only when its pass added nothing.
"""

from collections.abc import Generator, Mapping
from typing import Any, ClassVar

import numpy as np

from explorer.engine.contracts import Objective, Problem, pulse_of
from explorer.engine.dual.qp import Solution
from explorer.engine.dual.working_set import WorkingSet, restored
from explorer.engine.events import Bounds, Cut, Step, Stopped
from explorer.engine.knobs import knob, settings
from explorer.engine.objective import HINGE, all_cuts, check_oracle, label_key, plane_of, primal, violation
from explorer.engine.refusals import needs_examples
from explorer.engine.vectors import Array, squared_norm

ORDERS = ("batch", "solve first", "each")


@settings
class NSlack:
    """n-slack cutting plane."""

    title: ClassVar[str] = "n-slack cutting plane"
    paper: ClassVar[str] = "Tsochantaridis, Joachims, Hofmann, Altun 2005, Alg. 1"
    certifies: ClassVar[bool] = True
    objective: ClassVar[Objective | None] = HINGE

    C: float = knob(1.0, "Price of the mean slack: larger fits the training data harder.", low=1e-6, log=True)
    eps: float = knob(
        1e-3,
        "Violation below which a cut is left out (not used by 'solve first').",
        low=0.0,
        high=10.0,
        log=True,
    )
    order: str = knob(
        "batch", "When to solve again: after a pass, before it, or after each cut.", choices=ORDERS
    )
    prune_after: int = knob(50, "Drop a plane after this many solves without mass.", low=1, high=10_000)
    qp_tolerance: float = knob(
        1e-8, "Relative gap to which each quadratic program is solved.", low=1e-14, high=1e-2
    )

    def refuses(self, problem: Problem) -> str | None:
        """Takes every problem that has examples."""
        return needs_examples(problem)

    def steps(
        self, problem: Problem, rng: np.random.Generator, state: Mapping[str, Any] | None = None
    ) -> Generator[Step, None, Stopped]:
        """Passes over the examples until one adds no cut."""
        working = restored(problem, state, self.C)
        k = state["k"] + 1 if state else 0
        while True:
            solution = self._solve(problem, working)
            if self.order == "each":
                w, solution, cuts, added = self._pass_each(problem, working, solution)
                slack = None if added else np.array([max(0.0, violation(problem, w, c)) for c in cuts])
            else:
                w = working.w()
                cuts = all_cuts(problem, w)
                slack = np.array([max(0.0, violation(problem, w, c)) for c in cuts])
                added = self._add(problem, working, w, cuts, solution, slack)
            upper = np.nan if slack is None else primal(problem, w, self.C, slack)
            detail = {"added": len(added), "slack": solution.slack[: problem.n]} | working.told()
            detail["example"] = np.array([p.group for p in working.planes])
            bounds = Bounds(upper, solution.dual, problem.oracle_is_exact)
            yield Step(k, w, tuple(added), bounds, detail, working.snapshot(problem, self.C) | {"k": k})
            if not added:
                found = f"no cut of a full pass is violated by more than eps = {self.eps:g} beyond its slack"
                return Stopped("no new cut", f"{found}, up to rounding", k)
            k += 1

    def _solve(self, problem: Problem, working: WorkingSet) -> Solution:
        """Solve over the working set, then drop what has been idle."""
        solution = working.solve(problem, self.C, problem.n, self.qp_tolerance, pulse_of(problem))
        working.prune(self.prune_after)
        return solution

    def _add(
        self,
        problem: Problem,
        working: WorkingSet,
        w: Array,
        cuts: list[Cut],
        solution: Solution,
        asked: Array,
    ) -> list[Cut]:
        """Add the cuts that this order lets in, all found at the same w, where each example asks for its
        slack.
        """
        known = {(p.group, label_key(p.label)) for p in working.planes}
        slack, added, pulse = working.slacks(w, problem.n), [], pulse_of(problem)
        settled = primal(problem, w, self.C, asked) - solution.dual <= solution.resolution
        for cut in cuts:
            check_oracle(problem, w, cut, float(slack[cut.i]))
            if self.order == "batch":
                enters = not settled and asked[cut.i] > slack[cut.i] + self.eps
            else:
                # Not the truth; a wrong labelling may lose nothing, where the loss does not see every
                # mistake.
                wrong = cut.loss > 0.0 or squared_norm(cut.psi) > 0.0
                enters = wrong and (cut.i, label_key(cut.label)) not in known
            if enters:
                pulse()
                working.add(plane_of(problem, cut))
                added.append(cut)
        return added

    def _pass_each(
        self, problem: Problem, working: WorkingSet, solution: Solution
    ) -> tuple[Array, Solution, list[Cut], list[Cut]]:
        """One pass of SVM-struct: add and solve example by example."""
        w = working.w()
        slack = working.slacks(w, problem.n)
        cuts, added = [], []
        for i in range(problem.n):
            cut = problem.oracle(w, i)
            cuts.append(cut)
            check_oracle(problem, w, cut, float(slack[i]))
            if violation(problem, w, cut) > slack[i] + max(
                self.eps, solution.resolution * problem.n / self.C
            ):
                working.add(plane_of(problem, cut))
                added.append(cut)
                solution = self._solve(problem, working)
                w = working.w()
                slack = working.slacks(w, problem.n)
        return w, solution, cuts, added
