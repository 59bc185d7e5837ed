"""What a trace knows about one step, and the formulas of its bounds with the step's numbers in them.

J(w) = 1/2 |w|^2 + C mean slack,    dual = b . alpha - 1/2 |w|^2,    gap = J(w) - dual,
mean loss <= mean slack
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from explorer.engine.contracts import Problem, oracle_kind
from explorer.engine.events import Cut, Started
from explorer.engine.runs.trace import TRUE_SLACK, Trace
from explorer.engine.vectors import Array, squared_norm
from explorer.views.kit.words.glossary import sym
from explorer.wording import number

TINY = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A formula with numbers in it: what it is about, as HTML, and the number it ends with."""

    name: str
    html: str
    value: float


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """What the trace knows about one step: `half` is 1/2 |w|^2, NaN without w; `current`: priced as now."""

    problem: Problem
    trace: Trace
    at: int
    started: Started
    figures: Mapping[str, float]
    detail: Mapping[str, Any]
    state: Mapping[str, Any]
    cuts: tuple[Cut, ...]
    w: Array | None
    half: float
    current: bool

    def get(self, name: str) -> float:
        """A figure; NaN when it is not known."""
        return float(self.figures.get(name, math.nan))

    def setting(self, name: str, default: Any = math.nan) -> Any:
        """A setting of the learner."""
        return self.started.settings.get(name, default)

    @property
    def eps(self) -> float:
        """The tolerance as it counts in this step; older runs tell only the setting."""
        known = self.get("eps")
        return float(self.setting("eps", 0.0)) if math.isnan(known) else known

    def other(self, at: int) -> "Facts | None":
        """The facts of another step, if it was recorded."""
        return facts(self.problem, self.trace, at) if 0 <= at < len(self.trace) else None


def facts(problem: Problem, trace: Trace, at: int) -> Facts:
    """Everything kept about step `at`."""
    unknown = Started("", "", problem.n, problem.dim, 0, problem.oracle_is_exact, oracle=oracle_kind(problem))
    started, w = trace.start_of(at) or unknown, trace.weights.kept.get(at)
    detail, state = trace.details.kept.get(at, {}), trace.states.kept.get(at, {})
    half = math.nan if w is None else 0.5 * squared_norm(w)
    current = started is unknown or started is trace.starts[-1][1]
    cuts = trace.cuts.kept.get(at, ())
    return Facts(problem, trace, at, started, trace.at(at).figures, detail, state, cuts, w, half, current)


# formulas --------------------------------------------------------------------------------------------------


def num(value: float) -> str:
    """A number for HTML: four digits, a real minus sign, escaped."""
    return escape(number(float(value) + 0.0)).replace("-", "\N{MINUS SIGN}")


def less(value: float) -> str:
    """A number that is subtracted: minus, and parentheses around a negative one."""
    return f"− ({num(value)})" if value < 0 else f"− {num(value)}"


def tidy(value: float) -> str:
    """A number in a sentence; what only rounding keeps from 0 is 0."""
    return number(0.0 if abs(value) < TINY else float(value))


NORM = f"½‖{sym('w')}‖<sup>2</sup>"
MEAN_SLACK = f"mean {sym('ξ')}"


def are_known(*values: float) -> bool:
    """Whether none of the numbers is NaN."""
    return not any(math.isnan(value) for value in values)


def objective_line(f: Facts) -> list[Line]:
    """J(w) = 1/2 |w|^2 + C * mean slack, with the price of broken rules where there is one."""
    J, C, half = f.get("primal"), float(f.setting("C")), f.half
    if not are_known(J, C):
        return []
    head = f"{sym('J')}({sym('w')})"
    if not are_known(half) or not math.isfinite(C):
        return [Line("Objective (primal)", f"{head} = {num(J)}", J)]
    cost = f"mean {sym('ξ')}<sup>2</sup>/2" if f.problem.pricing.penalty == "squared" else MEAN_SLACK
    cost = cost if f.started.measures_slack else escape(f.started.risk)
    slack = priced_slack(f)
    rest = J - half - C * slack
    rules = f" + {num(rest)} for broken rules" if abs(rest) > 1e-6 * max(1.0, abs(J)) else ""
    formula = f"{head} = {NORM} + {sym('C')} · {cost}"
    html = f"{formula} = ½ · {num(2 * half)} + {num(C)} · {num(slack)}{rules} = {num(J)}"
    return [Line("Objective (primal)", html, J)]


def priced_slack(f: Facts) -> float:
    """The mean cost of the slacks at this w, measured where it was, else what the objective implies."""
    if f.problem.pricing.penalty == "linear" or not f.started.measures_slack:
        exact = f.started.exact and f.started.learner == "OneSlack" and f.get("cached") == 0.0
        for name in ("risk", "mean_slack", *(("violation",) if exact else ())):
            if are_known(f.get(name)):
                return f.get(name)
    return (f.get("primal") - f.half) / float(f.setting("C"))


def dual_line(f: Facts) -> list[Line]:
    """dual = b . alpha - 1/2 |w|^2, less what squared slacks cost; l stands for b . alpha without cuts."""
    dual, half = f.get("dual"), f.half
    if not are_known(dual):
        return []
    if not are_known(half) or not f.started.measures_slack:
        return [Line("Dual", f"dual = {num(dual)}", dual)]
    alpha, b = f.detail.get("alpha"), f.detail.get("b")
    gain, what = dual + half, sym("ℓ")
    if alpha is not None and b is not None:
        gain, what = float(np.dot(b, alpha)), f"{sym('b')}·{sym('α')}"
    rest = gain - half - dual
    price, paid = "", ""
    if rest > 1e-6 * max(1.0, abs(dual)):
        price, paid = " − price of squared slacks", f" {less(rest)}"
    html = f"dual = {what} − {NORM}{price} = {num(gain)} {less(half)}{paid} = {num(dual)}"
    return [Line("Dual", html, dual)]


def gap_line(f: Facts) -> list[Line]:
    """gap = primal - dual."""
    J, dual = f.get("primal"), f.get("dual")
    if not are_known(J, dual):
        return []
    share = f" ({(J - dual) / abs(J):z.2%} of the primal)" if J else ""
    html = f"gap = primal − dual = {num(J)} {less(dual)} = {num(J - dual)}{escape(share)}"
    return [Line("Gap", html, J - dual)]


def bound_line(f: Facts) -> list[Line]:
    """mean loss <= mean slack at the last step that was looked at, and whether it holds."""
    loss, slack = f.trace.column("train_loss")[: f.at + 1], f.trace.column("mean_slack")[: f.at + 1]
    seen = np.flatnonzero(~np.isnan(loss) & ~np.isnan(slack))
    if not len(seen):
        return []
    at = int(seen[-1])
    right, what = float(slack[at]), MEAN_SLACK
    if f.problem.pricing.penalty == "squared":
        then = f.other(at)
        cost = math.nan if then is None else priced_slack(then)
        if not are_known(cost):
            return []
        right, what = 2.0 * cost, f"mean {sym('ξ')}<sup>2</sup>"
    holds = float(loss[at]) <= right + 1e-9 * max(1.0, right)
    word = "✓ holds" if holds else "✗ broken: the oracle missed a labelling"
    when = "" if at == f.at else f" (step {at}, the last look)"
    html = f"mean {sym('Δ')} ≤ {what}: {num(loss[at])} ≤ {num(right)} {word}{when}"
    return [Line("Slack bounds the loss", html, float(loss[at]))]


def recheck_line(f: Facts) -> list[Line]:
    """What an exact oracle finds at the last step that was looked at, beside what the training oracle
    found.
    """
    if TRUE_SLACK not in f.trace.names:
        return []
    true, slack = (f.trace.column(name)[: f.at + 1] for name in (TRUE_SLACK, "mean_slack"))
    seen = np.flatnonzero(~np.isnan(true))
    if not len(seen):
        return []
    at = int(seen[-1])
    missed = float(true[at]) > float(slack[at]) + 1e-6 * max(1.0, float(true[at]))
    word = "✗ the training oracle missed labellings" if missed else "✓ nothing was missed"
    when = "" if at == f.at else f" (step {at}, the last look)"
    html = f"exact {MEAN_SLACK} = {num(true[at])}, found in training {num(slack[at])} {word}{when}"
    return [Line("Exact re-check", html, float(true[at]))]


def bounds_lines(f: Facts) -> list[Line]:
    """All that is known about the bounds of a step."""
    shared = [*objective_line(f), *dual_line(f), *gap_line(f)]
    return [*shared, *bound_line(f), *recheck_line(f)] if f.started.measures_slack else shared
