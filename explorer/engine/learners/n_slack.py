"""n-slack cutting plane: one slack per example, in the three published orders.

    min_{w, xi >= 0} 1/2 |w|^2 + C mean_i cost(xi_i)   s.t.  xi_i >= r - u (w . psi)
        for every cut of example i

A *batch* pass solves over the cuts known so far, then asks the oracle for every example at that w (degree
thesis, Algorithm 3.1): a cut enters when it needs more slack than every cut its example already has (xi_i >=
0 is always there). The lecture deck's order, *solve first*, also asks all at one w but joins whatever the
oracle returns, until the sets stop changing. SVM-struct (*each*; Tsochantaridis et al. 2005, Algorithm 1)
solves again at once after every cut that is violated by more than xi_i + eps, so later examples of the pass
see the newer w. All three end at the optimum of the full problem within their tolerance. Cost of a pass: n
oracle calls, and one QP (or one per added cut with *each*).

Three slacks of an example, equal at the optimum: xi of the quadratic program (`solution.slack`), what the
*known* cuts ask for at w (xi but for rounding), and what the oracle's cut shows to be *needed* there.

eps is in the units of the slack, and where no loss reaches 1, a share of the largest (`objective.tolerance`).

A Step of the first two orders carries both bounds, at the w that was asked. With *each*, w moves during the
pass, so a Step has an upper bound only when its pass added nothing.
"""

from collections.abc import Generator, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from explorer.engine.contracts import Objective, Problem, pulse_of
from explorer.engine.dual.endings import ending
from explorer.engine.dual.qp import Solution
from explorer.engine.dual.working_set import WorkingSet, restore
from explorer.engine.events import Cut, Step, Stopped
from explorer.engine.knobs import knob, settings
from explorer.engine.objective import (
    HINGE,
    all_cuts,
    bounds_of,
    check_oracle,
    label_key,
    plane_of,
    primal,
    tolerance,
    violation,
)
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

    C: float = knob(
        1.0, "Price of the mean slack: larger fits the training data harder.", low=1e-12, log=True
    )
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
        working = restore(problem, state, self.C)
        k = state["k"] + 1 if state else 0
        one_pass = {"batch": self._batch, "solve first": self._solve_first, "each": self._each}[self.order]
        while True:
            w, solution, added, needed = one_pass(problem, working)
            eps = self._eps(working)
            upper = np.nan if needed is None else primal(problem, w, self.C, needed, working.largest)
            detail = {
                "added": len(added),
                "slack": solution.slack[: problem.n],
                "eps": eps,
            } | working.report()
            detail["example"] = np.array([p.group for p in working.planes])
            bounds = bounds_of(problem, self.C, upper, solution.dual, problem.oracle_is_exact)
            yield Step(k, w, tuple(added), bounds, detail, working.snapshot(problem, self.C) | {"k": k})
            if not added and needed is not None:
                found = f"no cut of a full pass is violated by more than eps = {eps:g} beyond its slack"
                spared = primal(problem, w, self.C, np.maximum(needed - eps, 0.0), working.largest)
                return ending("no new cut", f"{found}, up to rounding", k, bounds, upper - spared)
            k += 1

    def _batch(self, problem: Problem, working: WorkingSet) -> "Pass":
        """Solve, ask all examples at w, and add the cuts that need more slack than the known ones do."""
        solution, w = self._solve(problem, working), working.w()
        cuts, known = ask_all(problem, working, w)
        needed = slacks_for(problem, w, cuts)
        settled = primal(problem, w, self.C, needed, working.largest) - solution.dual <= solution.resolution
        eps = self._eps(working)
        added = [] if settled else [cut for cut in cuts if needed[cut.i] > known[cut.i] + eps]
        add_all(problem, working, added)
        return Pass(w, solution, added, needed)

    def _solve_first(self, problem: Problem, working: WorkingSet) -> "Pass":
        """Solve, ask all examples at w, and add every wrong labelling that is not in the set yet."""
        solution, w = self._solve(problem, working), working.w()
        cuts, _ = ask_all(problem, working, w)
        there = {(p.group, label_key(p.label)) for p in working.planes}
        added = [cut for cut in cuts if is_wrong(cut) and (cut.i, label_key(cut.label)) not in there]
        add_all(problem, working, added)
        return Pass(w, solution, added, slacks_for(problem, w, cuts))

    def _each(self, problem: Problem, working: WorkingSet) -> "Pass":
        """Ask one example after the other, and solve again at once after every cut that is added."""
        solution, w = self._solve(problem, working), working.w()
        known = working.known_slacks(w, problem.n)
        cuts, added = [], []
        for i in range(problem.n):
            cut = problem.oracle(w, i)
            cuts.append(cut)
            check_oracle(problem, w, cut, float(known[i]))
            note_size(problem, working, cut)
            eps = max(self._eps(working), solution.resolution * problem.n / self.C)
            if violation(problem, w, cut) > known[i] + eps:
                added.append(cut)
                working.add(plane_of(problem, cut))
                solution, w = self._solve(problem, working), working.w()
                known = working.known_slacks(w, problem.n)
        return Pass(w, solution, added, None if added else slacks_for(problem, w, cuts))

    def _eps(self, working: WorkingSet) -> float:
        """eps as it counts here, by the largest loss seen so far."""
        return tolerance(self.eps, working.largest, self.C)

    def _solve(self, problem: Problem, working: WorkingSet) -> Solution:
        """Solve over the working set, then drop what has been idle."""
        solution = working.solve(problem, self.C, problem.n, self.qp_tolerance, pulse_of(problem))
        working.prune(self.prune_after)
        return solution


class Pass(NamedTuple):
    """What a pass over all examples did: it ended at w, the solution over the cuts known there, and added
    some.

    `needed` is the slack that each example needs at w by the oracle's word, if all were asked at w.
    """

    w: Array
    solution: Solution
    added: list[Cut]
    needed: Array | None


def ask_all(problem: Problem, working: WorkingSet, w: Array) -> tuple[list[Cut], Array]:
    """The oracle's cut of every example at w, and the slack that the known cuts of each ask for there."""
    cuts, known = all_cuts(problem, w), working.known_slacks(w, problem.n)
    for cut in cuts:
        check_oracle(problem, w, cut, float(known[cut.i]))
        note_size(problem, working, cut)
    return cuts, known


def note_size(problem: Problem, working: WorkingSet, cut: Cut) -> None:
    """Remember how large losses are: eps goes by the largest."""
    working.largest = max(working.largest, problem.pricing.size(cut.loss))


def slacks_for(problem: Problem, w: Array, cuts: list[Cut]) -> Array:
    """The slack that each of these cuts needs at w."""
    return np.array([max(0.0, violation(problem, w, cut)) for cut in cuts])


def add_all(problem: Problem, working: WorkingSet, cuts: list[Cut]) -> None:
    """Add these cuts to the working set, which takes a while if there are many."""
    pulse = pulse_of(problem)
    for cut in cuts:
        pulse()
        working.add(plane_of(problem, cut))


def is_wrong(cut: Cut) -> bool:
    """Whether a cut is not the truth; where a loss does not see every mistake, a wrong labelling may lose
    nothing.
    """
    return cut.loss > 0.0 or squared_norm(cut.psi) > 0.0
