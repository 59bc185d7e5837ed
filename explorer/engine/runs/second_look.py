"""A recorded run looked at again, with code that did not train it.

Each look is a sentence with the numbers of both sides, and whether they agree:

    objective     J(w) at the last weights, by a new pass of the oracle, and if possible over all labellings
    risk          mean loss of the predictions <= mean slack (Theorem 1)
    tolerance     no labelling asks for more than its example's slack and eps (Theorem 2)
    theorem       how long the run may take at most, and how long it has taken (Theorems 4, 7, 8)
    one program   the optimum of training without cuts: the oracle's linear program folded in, from both sides
    approximation the share rho of the best value that the oracle and the predictor reach (Theorem 9)
    pairs         w of a clustering machine as a sum over its training pairs (equation 6.9)

Theorems as in Finley 2009. Looks that have nothing to say of a run are silent. Programs over the cuts and
over all labellings are the referee's (`referee.compare`), which stands beside these looks wherever they are
shown.
Cost: some oracle passes; and for small problems the list of all labellings, or one large program.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.contracts import Decomposes, Learner, Problem, oracle_kind
from explorer.engine.enumeration import listable
from explorer.engine.events import Started
from explorer.engine.learners import NSlack, OneSlack
from explorer.engine.objective import HINGE, primal, sweep
from explorer.engine.refusals import Refused
from explorer.engine.runs.promises import promise
from explorer.engine.runs.streams import price_of
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.clusterings.dual_expansion import Weighs, expansion
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.theory.approximation import interval, mean_answer, measured_rho, predicted_rho
from explorer.engine.theory.bounds import risk_bound, worst_slacks, worst_violation
from explorer.engine.theory.one_program import markov_network, train_as_one_program
from explorer.engine.theory.relaxed_extent import known_extent
from explorer.engine.vectors import Array

CLOSE = 1e-5
"""Two ways to one number may differ by this share of it: solvers end at a tolerance."""


@dataclass(frozen=True, slots=True)
class Look:
    """What was found, and whether it agrees; None where there is nothing to agree with."""

    title: str
    sentence: str
    holds: bool | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Ended:
    """The last step of a run."""

    problem: Problem
    learner: Learner
    trace: Trace
    started: Started
    w: Array
    C: float
    upper: float
    lower: float
    state: Mapping[str, Any]
    detail: Mapping[str, Any]


def second_look(problem: Problem, learner: Learner, trace: Trace) -> Iterator[Look]:
    """Everything that can be said again about the last step of a run."""
    if not len(trace) or not trace.starts:
        raise Refused("the run has no steps to look at; train it first")
    last = trace.at(-1)
    bounds = last.figures["primal"], last.figures["dual"]
    end = Ended(
        problem,
        learner,
        trace,
        trace.starts[-1][1],
        last.w,
        price_of(learner),
        *bounds,
        trace.keyframe()[1],
        last.detail,
    )
    for look in LOOKS:
        yield from look(end)


def objective(end: Ended) -> Iterator[Look]:
    """J(w) by a new pass, and by listing every labelling."""
    if end.learner.objective is None or math.isnan(end.C):
        return
    again = end.learner.objective.measure(end.problem, end.w, end.C).value
    told = f"{again:.8g} by a new pass of the oracle, {end.upper:.8g} in the file"
    yield Look("objective", told, None if math.isnan(end.upper) else same(again, end.upper))
    if end.learner.objective is HINGE and listable(end.problem):
        every = primal(end.problem, end.w, end.C, worst_slacks(end.problem, end.w))
        kind = oracle_kind(end.problem)
        less, more = every >= again - CLOSE * abs(again), every <= again + CLOSE * abs(again)
        agrees = {"exact": same(every, again), "over": more, "over, untold": None}.get(kind, less)
        told = f"{every:.8g} over all labellings; the oracle in training is {WORDS[kind]}"
        yield Look("objective", told, agrees)


WORDS = {
    "exact": "exact",
    "under": "approximate: it may find less",
    "under, untold": "not told the loss: it may find less",
    "over": "relaxed: it may find more",
    "over, untold": "relaxed and not told the loss: it may find less or more",
    "unclaimed": "not claimed exact: it may find less",
}


def risk(end: Ended) -> Iterator[Look]:
    """The slack of training bounds the loss of the predictions."""
    if end.problem.n:
        loss, bound = risk_bound(end.problem, end.w, sweep(end.problem, end.w))
        power = " squared" if end.problem.pricing.penalty == "squared" else ""
        sign = "<=" if loss <= bound * (1.0 + 1e-9) else ">"
        # A theorem only with exact search in training and prediction; a predictor does not say which it is.
        yield Look("risk", f"mean loss {loss:.6g} {sign} mean slack{power} {bound:.6g}")


def tolerance(end: Ended) -> Iterator[Look]:
    """At the end of the n-slack learner no labelling asks for more than its slack and eps."""
    if not isinstance(end.learner, NSlack) or not listable(end.problem) or "slack" not in end.detail:
        return
    most = worst_violation(end.problem, end.w, end.detail["slack"])
    eps = float(end.detail.get("eps", end.learner.eps))
    ended = end.trace.stops and end.trace.stops[-1][1].reason == "no new cut" and end.problem.oracle_is_exact
    top = max(end.detail["b"], default=1.0)
    told = f"no labelling asks for more than {max(most, 0.0):.3g} beyond its example's slack; eps = {eps:g}"
    yield Look("tolerance", told, most <= eps * (1.0 + 1e-6) + 1e-9 * min(1.0, top) if ended else None)


def theorem(end: Ended) -> Iterator[Look]:
    """How long the run may take."""
    due = promise(end.problem, end.trace, len(end.trace) - 1, known_extent(end.problem))
    if due is not None:
        older = "" if math.isnan(due.older) else f" ({due.older_theorem}, an older form: {due.older:,.0f})"
        yield Look("theorem", f"{due.sentence[:-1]}{older}", due.so_far <= due.most)


def one_program(end: Ended) -> Iterator[Look]:
    """The optimum without cuts, between the values of a primal and a dual program."""
    problem = end.problem
    if not isinstance(problem, FieldLabelling) or math.isnan(end.lower) or not math.isfinite(end.C):
        return
    if (
        not (problem.pricing.adds_up and isinstance(problem.delta, Decomposes))
        or end.learner.objective is not HINGE
    ):
        return
    try:
        above, below = train_as_one_program(problem, end.C), markov_network(problem, end.C)
    except Refused as reason:
        yield Look("one program", str(reason))
        return
    told = f"the optimum of {KINDS[above.kind]} is between {below.value:.8g} and {above.value:.8g}"
    comparable = above.kind == end.started.oracle or (above.kind == "relaxed" and end.started.relaxed)
    reached = above.value >= end.lower * (1.0 - CLOSE)  # the relaxed optimum is never below the exact one
    agrees = reached and (not comparable or below.value <= end.upper * (1.0 + CLOSE))
    yield Look("one program", f"{told}; the run's is at least {end.lower:.8g}", agrees)


KINDS = {"exact": "this problem", "relaxed": "its relaxation"}


def approximation(end: Ended) -> Iterator[Look]:
    """How much of the best value an approximate oracle reaches, and where the exact optimum lies for all
    that.
    """
    problem = end.problem
    if (
        not isinstance(problem, FieldLabelling)
        or oracle_kind(problem) != "under"
        or problem.exact_twin is None
    ):
        return
    exact = problem.exact_twin
    rho, found = measured_rho(problem, exact, end.w), predicted_rho(problem, exact, end.w)
    yield Look(
        "approximation",
        f"the oracle reaches {rho:.4f} of the best value, the predictor {found:.4f} of the best score",
    )
    slack = shared_slack(end)
    if not math.isnan(slack) and rho > 0.0:
        where = interval(end.w, slack, end.C, mean_answer(problem, end.w), rho)
        told = f"Theorem 9: with an exact oracle the optimum is between {where.low:.6g} and {where.high:.6g}"
        yield Look("approximation", told, where.low <= where.high * (1.0 + CLOSE))


def shared_slack(end: Ended) -> float:
    """The mean slack of the cuts found so far, at their optimum; NaN for learners that solve no such
    program.
    """
    if isinstance(end.learner, OneSlack):
        return float(end.detail.get("xi", math.nan))
    return float(np.mean(end.detail.get("slack", math.nan))) if isinstance(end.learner, NSlack) else math.nan


def pairs(end: Ended) -> Iterator[Look]:
    """w of a clustering machine, once more as a sum over training pairs."""
    if not isinstance(end.problem, Weighs) or "planes" not in end.state:
        return
    try:
        made = expansion(end.problem, end.state)
    except Refused as reason:
        yield Look("pairs", str(reason))
        return
    support, _ = made.support()
    off = float(np.linalg.norm(made.w() - end.w)) / max(1e-300, float(np.linalg.norm(end.w)))
    yield Look("pairs", f"w is a sum over {len(support):,} training pairs, off by {off:.1e}", off <= CLOSE)


def same(a: float, b: float) -> bool:
    """Whether two ways led to one number."""
    return abs(a - b) <= CLOSE * max(abs(a), abs(b), 1e-12)


LOOKS: tuple[Callable[[Ended], Iterator[Look]], ...] = (
    objective,
    risk,
    tolerance,
    theorem,
    one_program,
    approximation,
    pairs,
)

__all__ = ["Look", "second_look"]
