"""A step beside an independent solver: over the cuts that it knows, and over all labellings.

    for said in compare(problem, claim_of(trace, at)):      Doing, then Comparison or Declined, twice

Both solutions are judged by the same conditions. They agree when no bound of one contradicts the other: the
larger dual is at most the smaller objective, up to CLOSE; a step that says it has solved the program over its
cuts must also have its optimum. Cost: that of the solver, bounded by the limits of `program`.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from explorer.engine.contracts import Problem
from explorer.engine.refusals import Refused
from explorer.engine.runs.referee.claim import Claim
from explorer.engine.runs.referee.conditions import (
    Conditions,
    ProgramPoint,
    conditions,
    likelihood_conditions,
    value,
)
from explorer.engine.runs.referee.program import Program, over_cuts, over_labellings
from explorer.engine.runs.referee.solving import solve
from explorer.engine.vectors import Array

CLOSE = 1e-5
"""Two ways to one number may differ by this share of it: solvers end at a tolerance."""

CUTS, LABELLINGS = "the cuts of this step", "all labellings"


@dataclass(frozen=True, slots=True)
class Doing:
    """What is being done now."""

    text: str


@dataclass(frozen=True, slots=True)
class Declined:
    """A program that is not solved, and why."""

    over: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """One program, how good the step and the independent solver are on it, and whether they agree."""

    over: str
    program: Program
    ours: Conditions
    theirs: Conditions
    agrees: bool
    sentence: str


Said = Doing | Declined | Comparison


def compare(problem: Problem, claim: Claim, pulse: Callable[[], None] = lambda: None) -> Iterator[Said]:
    """Both programs in turn; `pulse` is called often, and may raise to end it."""
    for over, make, judge in ((CUTS, over_cuts, judged_cuts), (LABELLINGS, over_labellings, judged_list)):
        yield Doing(f"writing down {over}")
        try:
            program, w = make(problem, claim, pulse)
            yield Doing(f"cvxpy solves the program over {over}: {len(program.b):,} rows")
            yield judge(problem, claim, program, w, solve(program))
        except Refused as reason:
            yield Declined(over, str(reason))


def judged_cuts(problem: Problem, claim: Claim, program: Program, w: Array, theirs: Conditions) -> Comparison:
    """The step on the program over its own cuts."""
    ours = conditions(program, ProgramPoint(w, claim.alpha, program.needed_slack(w)))
    agrees = consistent(ours, theirs)
    if math.isfinite(claim.tolerance):
        room = max(CLOSE, claim.tolerance)
        agrees = (
            agrees and same(ours.objective, theirs.objective, room) and same(ours.dual, theirs.dual, room)
        )
    return Comparison(CUTS, program, ours, theirs, agrees, distance(ours, theirs))


def judged_list(problem: Problem, claim: Claim, program: Program, w: Array, theirs: Conditions) -> Comparison:
    """The step on the whole program; its multipliers are those of its own cuts, which are among the rows."""
    ours = likelihood_conditions(program, w) if claim.likelihood else hinge_claim(problem, claim, program, w)
    bounds = ours._replace(dual=math.nan) if claim.relaxed else ours
    known = claim.exact and not math.isnan(claim.primal)
    agrees = consistent(bounds, theirs) and (not known or same(claim.primal, ours.objective, CLOSE))
    note = " Its bounds are those of the relaxed problem." if claim.relaxed else ""
    return Comparison(LABELLINGS, program, ours, theirs, agrees, distance(ours, theirs) + note)


def hinge_claim(problem: Problem, claim: Claim, program: Program, w: Array) -> Conditions:
    """The conditions of a step over all labellings, as far as it knows multipliers and slacks."""
    objective = value(program, w)
    if claim.no_cuts or not claim.cuts:
        return Conditions(objective, claim.dual)
    part, own = over_cuts(problem, claim, lambda: None)
    known = part.needed_slack(own)
    beyond = program.needed_slack(w)
    shared = any(cut.joint for cut in claim.cuts)
    worst = float(np.mean(beyond[: problem.n])) - float(known[0]) if shared else float(np.max(beyond - known))
    found = conditions(part, ProgramPoint(own, claim.alpha, known))
    dual = math.nan if math.isnan(claim.dual) else found.dual
    return found._replace(objective=objective, dual=dual, violation=max(0.0, worst))


def consistent(ours: Conditions, theirs: Conditions) -> bool:
    """Whether no lower bound is above an upper one."""
    lower, upper = np.fmax(ours.dual, theirs.dual), np.fmin(ours.objective, theirs.objective)
    return bool(lower <= upper + CLOSE * max(abs(lower), abs(upper), 1e-12))


def same(a: float, b: float, room: float) -> bool:
    """Whether two ways led to one number, up to a share of it."""
    return abs(a - b) <= room * max(abs(a), abs(b), 1e-12)


def distance(ours: Conditions, theirs: Conditions) -> str:
    """How far the step is from the optimum that the other solver found."""
    best = theirs.objective
    above = (ours.objective - best) / max(abs(best), 1e-300)
    if not math.isfinite(above):
        return f"The optimum is {best:.8g}; this step breaks a constraint that allows no slack."
    if above <= CLOSE:
        return f"Both find the optimum {best:.8g}."
    share = f"{100 * above:.3g}" if above < 1.0 else f"{100 * above:,.0f}"
    return f"The optimum is {best:.8g}; this step is {share}% above it."
