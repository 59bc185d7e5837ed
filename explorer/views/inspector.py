"""The current step in a plain sentence, and in its formulas with this step's numbers in them.

    J(w) = 1/2 |w|^2 + C mean slack,    dual = b . alpha - 1/2 |w|^2,    gap = J(w) - dual,
    mean loss <= mean slack

Every figure is read from the trace; the inspector computes only what takes one oracle call or a few inner
products. It follows the session's phase: after "Find most violated", "Add cut" and "Solve again" it tells
what has just happened on the way to the next step, at rest it tells the whole step and its bounds. Words a
student may not know carry their meaning as a tooltip, and all of them are listed below.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, ClassVar

import numpy as np
import panel as pn

from explorer.engine.events import Cut, Started
from explorer.engine.learners import LEARNERS
from explorer.engine.objective import cut_of, plane_of, violation
from explorer.engine.protocols import Problem
from explorer.engine.trace import Trace
from explorer.engine.vectors import Array, add_into, blend, dot, squared_norm
from explorer.session.state import PHASES
from explorer.views.theme import Theme
from explorer.views.view import View, number

GLOSSARY: Mapping[str, str] = {
    "oracle": "Finds, for an example and weights w, the wrong labelling that asks for the most slack.",
    "most violated": "Asking for the most slack: a large loss together with a small margin.",
    "labelling": "One complete answer for an example, for instance a state for every position.",
    "cut": "A wrong labelling, kept as a condition on w: slack is at least its loss minus its margin.",
    "working set": "The cuts found so far. Training solves the problem for these only.",
    "margin": "How much higher w scores the truth than a wrong labelling.",
    "loss": "How wrong a labelling is; 0 for the truth.",
    "slack": "By how much the worst labelling of an example falls short of its margin; never below its loss.",
    "primal": "The objective at this step's weights: an upper bound of the best value possible.",
    "dual": "A lower bound of the best value possible, proved by the cuts found so far.",
    "gap": "Primal minus dual: how far from the best this step can be at most.",
    "certificate": "A proof that does not trust the program: an exact oracle and both bounds.",
    "objective": "What training makes small: half the squared length of w, plus C times the mean slack.",
    "C": "The price of slack: a larger C fits the training data harder.",
    "eps": "The tolerance: a cut counts only when it asks for more slack than this beyond the current slack.",
    "active": "A cut is active when it carries weight alpha: it holds w back.",
    "multiplier": "alpha: how strongly a cut holds w back; 0 when it does not matter.",
    "pass": "One round over all training examples.",
    "update": "One change of w.",
    "step size": "How far one move goes.",
    "block gap": "The part of the gap that one example's labellings still leave open.",
    "risk": "The mean cost of the slacks, as a function of w.",
    "lower model": "The largest of all planes found so far: it lies below the risk everywhere.",
}

SYMBOLS: Mapping[str, str] = {
    "J": "J(w): the objective at these weights.",
    "w": "w: the weights.",
    "C": "C: the price of slack.",
    "ξ": "xi: slack.",
    "Δ": "Delta: loss of a wrong labelling.",
    "ψ": "psi: features of the truth minus features of the wrong labelling.",
    "α": "alpha: the multipliers of the cuts.",
    "b": "b: the slack that each cut asks for at w = 0.",
    "γ": "gamma: step size between 0 and 1.",
    "ℓ": "l: the mean loss of the mixed labellings, times C.",
    "η": "eta: step size.",
    "R": "R: the risk; for the perceptron, the largest length of psi.",
    "δ": "delta: the widest margin by which a unit vector separates all truths.",
    "ŵ": "The unit vector with the widest margin.",
    "k": "k: number of updates.",
}

TINY = 1e-9
MOST_NUMBERS = 5_000_000
"""KKT conditions are checked only when that takes no more multiplications than this."""

TERMS = "|".join(sorted((re.escape(term) for term in GLOSSARY if len(term) > 1), key=len, reverse=True))
WORDS = re.compile(rf"\b((?i:{TERMS})|C)((?:e?s)?)\b")
"""Terms of the glossary, capital or not, and their plurals; C only as it is."""


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A formula with numbers in it: what it is about, as HTML, and the number it ends with."""

    name: str
    html: str
    value: float


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """What is said about one step."""

    at: int
    learner: str
    phase: str
    sentence: str
    lines: tuple[Line, ...]
    verdict: str
    meaning: str
    conditions: tuple[Line, ...]
    moved: str


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
    example: int = 0

    def get(self, name: str) -> float:
        """A figure; NaN when it is not known."""
        return float(self.figures.get(name, math.nan))

    def setting(self, name: str, default: Any = math.nan) -> Any:
        """A setting of the learner."""
        return self.started.settings.get(name, default)

    def other(self, at: int) -> "Facts | None":
        """The facts of another step, if it was recorded."""
        return facts(self.problem, self.trace, at, self.example) if 0 <= at < len(self.trace) else None


def facts(problem: Problem, trace: Trace, at: int, example: int = 0) -> Facts:
    """Everything kept about step `at`; formulas that need an example take this one."""
    moment = trace.at(at)
    runs = [(i, started) for i, started in trace.starts if i <= at]
    started = runs[-1][1] if runs else Started("", "", problem.n, problem.dim, 0, problem.oracle_is_exact)
    detail, state = trace.details.kept.get(at, {}), trace.states.kept.get(at, {})
    cuts, w, current = trace.cuts.kept.get(at, ()), trace.weights.kept.get(at), len(runs) == len(trace.starts)
    half = math.nan if w is None else 0.5 * float(np.einsum("i,i->", w, w))
    return Facts(problem, trace, at, started, moment.figures, detail, state, cuts, w, half, current, example)


# formulas --------------------------------------------------------------------------------------------------


def num(value: float) -> str:
    """A number for HTML: four digits, a real minus sign, escaped."""
    return escape(number(float(value))).replace("-", "\N{MINUS SIGN}")


def less(value: float) -> str:
    """A number that is subtracted: minus, and parentheses around a negative one."""
    return f"− ({num(value)})" if value < 0 else f"− {num(value)}"


def tidy(value: float) -> str:
    """A number in a sentence; what only rounding keeps from 0 is 0."""
    return number(0.0 if abs(value) < TINY else float(value))


def many(count: float, thing: str) -> str:
    """A count with its noun."""
    return f"{count:.0f} {thing}" if count == 1 else f"{count:.0f} {thing}s"


def sym(letter: str, below: str = "") -> str:
    """A symbol with its meaning as a tooltip."""
    under = f"<sub>{escape(below)}</sub>" if below else ""
    return f"<abbr class='symbol' title='{escape(SYMBOLS[letter], quote=True)}'>{letter}</abbr>{under}"


NORM = f"½‖{sym('w')}‖<sup>2</sup>"
MEAN_SLACK = f"mean {sym('ξ')}"


def known(*values: float) -> bool:
    """Whether none of the numbers is NaN."""
    return not any(math.isnan(value) for value in values)


def objective_line(f: Facts) -> list[Line]:
    """J(w) = 1/2 |w|^2 + C * mean slack, with the price of broken rules where there is one."""
    J, C, half = f.get("primal"), float(f.setting("C")), f.half
    if not known(J, C):
        return []
    head = f"{sym('J')}({sym('w')})"
    if not known(half) or not math.isfinite(C):
        return [Line("Objective (primal)", f"{head} = {num(J)}", J)]
    cost = f"mean {sym('ξ')}<sup>2</sup>/2" if f.problem.pricing.penalty == "squared" else MEAN_SLACK
    slack = priced_slack(f)
    rest = J - half - C * slack
    rules = f" + {num(rest)} for broken rules" if abs(rest) > 1e-6 * max(1.0, abs(J)) else ""
    formula = f"{head} = {NORM} + {sym('C')} · {cost}"
    html = f"{formula} = ½ · {num(2 * half)} + {num(C)} · {num(slack)}{rules} = {num(J)}"
    return [Line("Objective (primal)", html, J)]


def priced_slack(f: Facts) -> float:
    """The mean cost of the slacks at this w, measured where it was, else what the objective implies."""
    if f.problem.pricing.penalty == "linear":
        exact = f.started.exact and f.started.learner == "OneSlack" and f.get("cached") == 0.0
        for name in ("risk", "mean_slack", *(("violation",) if exact else ())):
            if known(f.get(name)):
                return f.get(name)
    return (f.get("primal") - f.half) / float(f.setting("C"))


def dual_line(f: Facts) -> list[Line]:
    """dual = b . alpha - 1/2 |w|^2, less what squared slacks cost; l stands for b . alpha without cuts."""
    dual, half = f.get("dual"), f.half
    if not known(dual):
        return []
    if not known(half):
        return [Line("Dual", f"dual = {num(dual)}", dual)]
    alpha, b = f.detail.get("alpha"), f.detail.get("b", f.detail.get("offsets"))
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
    if not known(J, dual):
        return []
    share = f" ({(J - dual) / abs(J):.2%} of the primal)" if J else ""
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
        if not known(cost):
            return []
        right, what = 2.0 * cost, f"mean {sym('ξ')}<sup>2</sup>"
    holds = float(loss[at]) <= right + 1e-9 * max(1.0, right)
    word = "✓ holds" if holds else "✗ broken: the oracle missed a labelling"
    when = "" if at == f.at else f" (step {at}, the last look)"
    html = f"mean {sym('Δ')} ≤ {what}: {num(loss[at])} ≤ {num(right)} {word}{when}"
    return [Line("Slack bounds the loss", html, float(loss[at]))]


def bounds_lines(f: Facts) -> list[Line]:
    """All that is known about the bounds of a step."""
    return [*objective_line(f), *dual_line(f), *gap_line(f), *bound_line(f)]


# cutting planes --------------------------------------------------------------------------------------------

Told = tuple[str, list[Line]]


def one_slack(f: Facts, phase: int) -> Told:
    """The 1-slack cutting plane, and its sampled form."""
    asked, xi, eps = f.get("violation"), f.get("xi"), float(f.setting("eps", 0.0))
    size = f.cuts[0].loss if f.cuts else math.nan
    margin = size - asked
    beyond = f"{num(asked)} {less(xi)} = {num(asked - xi)}, tolerance eps = {num(eps)}"
    excess = Line("Excess over the slack", beyond, asked - xi)
    if phase == 3:
        return solved_again(f)
    if phase == 2:
        return f"The {joining(f)}", [excess]
    weighted = "loss-weighted mean margin" if f.problem.pricing.scaling == "slack" else "mean margin"
    found = f"{asked_whom(f)} found labellings with mean loss {tidy(size)} and {weighted} {tidy(margin)}"
    html = f"mean {sym('Δ')} − mean {sym('w')}·{sym('ψ')} = {num(size)} {less(margin)} = {num(asked)}"
    new = [Line("Slack asked for", html, asked)] if known(size) else []
    if phase == 1:
        told = f"{found}: together they ask for slack {tidy(asked)}, the working set for {tidy(xi)}."
        return told, [*new, excess]
    return f"{found}, so the {joining(f)}", [*new, *bounds_lines(f)]


def asked_whom(f: Facts) -> str:
    """Who answered in this step."""
    if f.get("cached") == 1.0:
        return "The memory of earlier labellings, without the oracle,"
    if "asked" in f.detail:
        return f"The oracle, asked about {len(f.detail['asked'])} of {f.started.n} examples,"
    return "The oracle"


def joining(f: Facts) -> str:
    """Whether the new cut enters the working set."""
    asked, xi = f.get("violation"), f.get("xi")
    what = f"new cut asks for slack {tidy(asked)}"
    ends = not f.get("added") if known(f.get("added")) else bool(f.get("quiet"))
    if ends:
        eps = number(float(f.setting("eps", 0.0)))
        return f"{what}, no more than eps = {eps} above the current {tidy(xi)}: it stays out."
    ids = f.detail.get("ids")
    name = f" as cut {int(np.max(ids, initial=-1)) + 1}" if ids is not None else ""
    return f"{what}, above the current {tidy(xi)} by {tidy(asked - xi)}: it enters the working set{name}."


def solved_again(f: Facts) -> Told:
    """What the quadratic program over the larger working set brought: the next step's w."""
    after = f.other(f.at + 1)
    if after is None or after.started is not f.started:
        return "The next w is not known: it is still being computed, or training has ended here.", []
    planes, active = after.get("planes"), after.get("active")
    if f.started.learner == "NSlack":
        planes = f.get("planes")
    over = f"over {many(planes, 'cut')}" if known(planes) else "over the working set"
    length = math.sqrt(2 * after.half) if known(after.half) else math.nan
    text = f"Solving again {over} moves w by {tidy(moved_by(f, after))}, to length {tidy(length)}"
    if known(f.get("dual"), after.get("dual")):
        text += f"; the dual goes from {tidy(f.get('dual'))} to {tidy(after.get('dual'))}"
    if known(active):
        text += f"; {active:.0f} of them {'is' if active == 1 else 'are'} active"
    return text + ".", dual_line(after)


def moved_by(f: Facts, after: Facts) -> float:
    """|w' - w|; NaN when one of them was not kept."""
    return math.nan if f.w is None or after.w is None else float(np.linalg.norm(after.w - f.w))


def n_slack(f: Facts, phase: int) -> Told:
    """The n-slack cutting plane."""
    if phase == 3:
        return solved_again(f)
    added, held, slack = f.get("added"), f.get("planes"), f.detail.get("slack")
    mean = float(np.mean(slack)) if slack is not None and len(slack) else math.nan
    lines = [Line("Mean slack in the working set", f"{MEAN_SLACK} = {num(mean)}", mean)] if known(mean) else []
    each = f.setting("order", "") == "each"
    example = [] if each else one_cut(f)
    found = f"Of the {f.started.n} labellings that the oracle found, "
    found += f"{added:.0f} ask for more slack than their example has" if added else "none asks for more slack"
    enter = f"{many(added, 'cut')} entered the working set, which now holds {held:.0f}"
    if phase == 2:
        return f"{enter}.", lines
    if phase == 1:
        return f"{found}.", [*example, *lines]
    if not added:
        return f"{found} than its example has: nothing is left to add.", bounds_lines(f)
    after = "; w was solved again after each of them" if each else ""
    return f"{found}: {enter}{after}.", [*example, *bounds_lines(f)]


def one_cut(f: Facts) -> list[Line]:
    """The added cut of the largest loss, with what it asks for at this w."""
    if not f.cuts or f.w is None or not f.current:
        return []
    cut = max(f.cuts, key=lambda c: c.loss)
    cut = cut_of(f.problem, cut.i, cut.label)
    asked = violation(f.problem, f.w, cut)
    margin = dot(f.w, cut.psi)
    slack = f.detail.get("slack")
    has = "" if slack is None else f", it has {num(slack[cut.i])}"
    if f.problem.pricing.scaling == "margin" and f.problem.pricing.penalty == "linear":
        html = f"{sym('Δ')} − {sym('w')}·{sym('ψ')} = {num(cut.loss)} {less(margin)} = {num(asked)}{has}"
    else:
        html = f"{sym('Δ')} = {num(cut.loss)}, {sym('w')}·{sym('ψ')} = {num(margin)}: asks {num(asked)}{has}"
    return [Line(f"For example {cut.i}", html, asked)]


def bundle(f: Facts, phase: int) -> Told:
    """The bundle method."""
    risk, model, planes = f.get("risk"), f.get("model"), f.get("planes")
    if phase == 3:
        return solved_again(f)
    html = f"{sym('R')}({sym('w')}) − model = {num(risk)} {less(model)} = {num(risk - model)}"
    line = Line("Risk above its model", html, risk - model)
    base = f"At this w the risk is {tidy(risk)}, and the lower model of {many(planes, 'plane')} "
    base += f"says {tidy(model)}"
    ends = risk - model <= float(f.setting("eps", 0.0))
    so = "that is close enough" if ends else "a plane that touches the risk here joins the model"
    if phase == 1:
        return base + ".", [line]
    if phase == 2:
        return f"Risk and lower model differ by {tidy(risk - model)}: {so}.", [line]
    return f"{base}; they differ by {tidy(risk - model)}: {so}.", [line, *bounds_lines(f)]


# learners that move at once --------------------------------------------------------------------------------


def frank_wolfe(f: Facts, phase: int) -> Told:
    """Block-coordinate Frank-Wolfe."""
    if phase:
        asks = "One example at a time, the oracle finds its most violated labelling at the current w."
        moves = "No cut is kept: a share gamma of the example's weight moves onto that labelling at once."
        return onward(f, phase, asks, moves)
    moves, still, before = f.started.n * f.setting("passes_per_step", 1), f.get("still"), f.other(f.at - 1)
    text = f"Pass {f.get('passes'):.0f} made {many(moves, 'move')}, one per oracle call"
    text += f"; {still:.0f} of them stayed, with step size 0." if known(still) else "."
    rise = math.nan if before is None else f.get("dual") - before.get("dual")
    if known(rise):
        text += f" Together they raised the dual by {tidy(rise)}."
    estimate = f.get("gap_estimate")
    lines = [Line("Sum of block gaps", f"{num(estimate)}: estimates the gap", estimate)] if known(estimate) else []
    return text, [*step_size(f), *lines, *bounds_lines(f)]


def step_size(f: Facts) -> list[Line]:
    """How far the next move on one example would go: gamma = clip(g / ((C/n) |a' - a|^2), 0, 1)."""
    blocks, i = f.state.get("planes"), f.example
    if not blocks or i >= len(blocks) or f.w is None or not f.current or f.setting("averaged", False):
        return []
    share, block = float(f.setting("C")) / f.started.n, blocks[i]
    corner = plane_of(f.problem, f.problem.oracle(f.w, i))
    way = blend(1.0, corner.a, -1.0, block.a)
    gain, bend = (corner.b - block.b) - dot(f.w, way), share * squared_norm(way)
    gamma = min(1.0, max(0.0, gain / bend)) if bend > 0.0 else float(gain > 0.0)
    html = f"{sym('γ')} = min(1, max(0, {num(gain)} / {num(bend)})) = {num(gamma)}"
    return [Line(f"Step size of the next move on example {i}", html, gamma)]


def perceptron(f: Facts, phase: int) -> Told:
    """The perceptrons and MIRA."""
    if phase:
        asks = "Each example is predicted at the current w, without the loss."
        return onward(f, phase, asks, "No cut is kept: every mistake changes w at once.")
    mistakes, updates = f.get("mistakes"), f.get("updates")
    text = f"{many(mistakes, 'mistake')} in this pass so far, {many(updates, 'update')} in all."
    if not mistakes:
        text = f"A full pass without a mistake, after {many(updates, 'update')}: training ends."
    elif f.started.learner == "MIRA":
        text += " Each is the smallest change of w that gives the truth a margin as large as the loss."
    return text, [*proof_lines(f), *bounds_lines(f)]


def proof_lines(f: Facts) -> list[Line]:
    """|w|^2 <= k R^2, w_hat . w >= k delta, and the bound on the updates, where the separator is known."""
    k, norm2, along = f.get("updates"), f.get("norm2"), f.get("along")
    R, delta, bound = f.get("R"), f.get("delta"), f.get("bound")
    if not known(k, norm2, along, R, delta, bound):
        return []
    small, large = norm2 <= k * R * R * (1 + TINY), along >= k * delta * (1 - TINY)
    length = f"‖{sym('w')}‖<sup>2</sup> ≤ {sym('k')} {sym('R')}<sup>2</sup>"
    progress = f"{sym('ŵ')}·{sym('w')} ≥ {sym('k')} {sym('δ')}"
    least = f"{sym('k')} ≤ ({sym('R')}/{sym('δ')})<sup>2</sup>"
    return [
        Line("Length stays small", f"{length}: {num(norm2)} ≤ {num(k * R * R)} {tick(small)}", norm2),
        Line("Progress along the best", f"{progress}: {num(along)} ≥ {num(k * delta)} {tick(large)}", along),
        Line("Mistake bound", f"{least}: {num(k)} ≤ {num(bound)} {tick(k <= bound)}", bound),
    ]


def tick(holds: bool) -> str:
    """A sign and a word."""
    return "✓ holds" if holds else "✗ broken"


def subgradient(f: Facts, phase: int) -> Told:
    """Subgradient descent, and stochastic gradient descent."""
    who = "all examples" if f.setting("batch", "one") == "all" else "one example"
    if phase:
        asks = f"The oracle finds the most violated labelling of {who} at the current w."
        moves = "No cut is kept: w moves a little towards the truth and away from that labelling."
        return onward(f, phase, asks, moves)
    t, before = f.get("moves"), f.other(f.at - 1)
    text = f"{many(t, 'move')} so far, each after asking the oracle about {who}."
    length, html = move_length(f, t)
    lines = [Line("Step size of the last move", html, length)] if known(length) else []
    if before is not None and known(moved_by(before, f)):
        text += f" Since the step before, w moved by {tidy(moved_by(before, f))}."
    return text, [*lines, *bounds_lines(f)]


def move_length(f: Facts, t: float) -> tuple[float, str]:
    """The step size of move t under the learner's rule, and its formula."""
    rule, eta = f.setting("rule", "constant"), float(f.setting("eta"))
    if t <= 0:
        return math.nan, ""
    if rule == "pegasos":
        return 1.0 / t, f"{sym('η')} = 1 / t = 1 / {num(t)} = {num(1.0 / t)}"
    if rule == "1/t":
        return eta / t, f"{sym('η')} / t = {num(eta)} / {num(t)} = {num(eta / t)}"
    return eta, f"{sym('η')} = {num(eta)}"


def onward(f: Facts, phase: int, asks: str, moves: str) -> Told:
    """The three phases of a learner without a working set."""
    after = f.other(f.at + 1)
    if phase == 1:
        return asks, []
    if after is None or after.started is not f.started:
        return (moves, []) if phase == 2 else ("There is no program to solve, and the next w is not known.", [])
    if phase == 2:
        mistakes = after.get("mistakes")
        return moves + (f" There will be {many(mistakes, 'mistake')}." if known(mistakes) else ""), []
    far = tidy(moved_by(f, after))
    return f"There is no program to solve: the moves have taken w {far} further.", dual_line(after)


def anything(f: Facts, phase: int) -> Told:
    """A learner that is not known here."""
    return f"Step {f.at} of {title_of(f)}.", bounds_lines(f)


EXPLAINED: Mapping[str, Callable[[Facts, int], Told]] = {
    "OneSlack": one_slack,
    "SampledCuts": one_slack,
    "NSlack": n_slack,
    "Bundle": bundle,
    "FrankWolfe": frank_wolfe,
    "Perceptron": perceptron,
    "BinaryPerceptron": perceptron,
    "MIRA": perceptron,
    "Subgradient": subgradient,
    "SGD": subgradient,
}


def title_of(f: Facts) -> str:
    """What the learner is called."""
    name = f.started.learner or "this learner"
    return next((learner.title for learner in LEARNERS if learner.__name__ == name), name)


# what the bounds prove -------------------------------------------------------------------------------------


def verdict(f: Facts) -> tuple[str, str]:
    """Whether the gap is a certificate, and what that means."""
    J, dual = f.get("primal"), f.get("dual")
    if not f.started.exact:
        why = "It may miss the most violated labelling, so the true objective can lie above the primal shown."
        return "not a certificate: the oracle is approximate", why
    if not known(dual):
        return "no certificate", "No lower bound is known here: how much better the best w is stays open."
    if not known(J):
        return "no certificate at this step", "The objective of this w was not computed: no upper bound."
    if not f.trace.certified(f.at):
        return "not a certificate", "The primal of this step is not from a full pass of an exact oracle."
    most = f"no w has an objective below {tidy(dual)}, so this one is at most {number(J - dual)} above the best"
    return "certificate", f"The oracle is exact: {most}."


def conditions(f: Facts) -> list[Line]:
    """The optimality (KKT) conditions of the working set's program, where its planes were kept."""
    planes, alpha = f.state.get("planes"), f.state.get("alpha")
    if f.w is None or planes is None or alpha is None or f.problem.pricing.penalty != "linear":
        return []
    used = np.flatnonzero(np.asarray(alpha) > 0.0)
    if not len(used) or len(used) * len(f.w) > MOST_NUMBERS or max(used) >= len(planes):
        return []
    total = np.zeros(len(f.w))
    for j in used:
        add_into(total, float(alpha[j]), planes[j].a)
    off = float(np.linalg.norm(f.w - total))
    out = [Line("w is made of its cuts", f"‖{sym('w')} − Σ {sym('α')} a‖ = {num(off)}", off)]
    slack = f.detail.get("slack", np.array([f.get("xi") if known(f.get("xi")) else f.get("model")]))
    examples = [j for j in used if planes[j].group >= -1]
    far = [abs(planes[j].b - dot(f.w, planes[j].a) - float(slack[max(0, planes[j].group)])) for j in examples]
    if far and known(max(far)):
        html = f"active cuts ask for exactly {sym('ξ')}: off by at most {num(max(far))}"
        out.append(Line("Active cuts are tight", html, max(far)))
    return [*out, *spent(f, [float(alpha[j]) for j in examples], [planes[j].group for j in examples])]


def spent(f: Facts, masses: list[float], groups: list[int]) -> list[Line]:
    """The multipliers of one slack sum to no more than its price."""
    if not masses:
        return []
    sums: dict[int, float] = {}
    for mass, group in zip(masses, groups, strict=True):
        sums[group] = sums.get(group, 0.0) + mass
    most, price = max(sums.values()), float(f.setting("C"))
    name = sym("C")
    if min(groups) >= 0:
        price, name = price / f.started.n, f"{sym('C')}/n"
    return [Line("Price of slack", f"Σ {sym('α')} = {num(most)} ≤ {name} = {num(price)}", most)]


def moved(f: Facts) -> str:
    """Why the bounds are where they are, compared with the step before."""
    before = f.other(f.at - 1)
    if before is None:
        return "This is the first step: there is nothing to compare with."
    if before.started is not f.started:
        return "The settings changed before this step: the bounds before it belong to another problem."
    return " ".join(filter(None, (dual_moved(before, f), primal_moved(before, f)))) or "No bound is known here."


def dual_moved(before: Facts, f: Facts) -> str:
    """How the lower bound moved, and why."""
    old, new = before.get("dual"), f.get("dual")
    if not known(old, new):
        return ""
    if abs(new - old) <= 1e-12 * max(1.0, abs(new)):
        return "The dual did not move."
    if new < old:
        return f"The dual fell by {number(old - new)}: this learner does not promise that it rises."
    cuts = f.started.learner != "FrankWolfe"
    why = "a minimum over more cuts cannot be lower" if cuts else "every move goes as far as the dual rises"
    return f"The dual rose by {number(new - old)}, from {tidy(old)} to {tidy(new)}: {why}."


def primal_moved(before: Facts, f: Facts) -> str:
    """How the upper bound moved, and what that says."""
    old, new = before.get("primal"), f.get("primal")
    if not known(old, new, float(f.setting("C"))):
        return ""
    if new == old:
        return "The primal did not move."
    if new < old:
        return f"The primal fell by {number(old - new)} to {tidy(new)}."
    best = float(np.nanmin(f.trace.column("primal")[: f.at + 1]))
    why = "the new w suits the cuts it knows, but other labellings now ask for more"
    if f.started.learner in ("Subgradient", "SGD"):
        why = "a step along a subgradient need not go down"
    return f"The primal rose by {number(new - old)} to {tidy(new)}: {why}. The best so far is {tidy(best)}."


# the frame and its page ------------------------------------------------------------------------------------


def frame(problem: Problem, trace: Trace, at: int, phase: int = 0, example: int = 0) -> Frame | None:
    """What is to be said about step `at`, `phase` phases on the way to the next; None if untrained."""
    if not len(trace):
        return None
    f = facts(problem, trace, min(at, len(trace) - 1), example)
    told, lines = EXPLAINED.get(f.started.learner, anything)(f, phase)
    proof, meaning = verdict(f)
    ago = PHASES[phase - 1]  # a phase of 0 is the end of the last one
    return Frame(f.at, title_of(f), ago, told, tuple(lines), proof, meaning, tuple(conditions(f)), moved(f))


def sentence(shown: Frame | None) -> str:
    """The step in one plain sentence."""
    if shown is None:
        return "Nothing trained yet: press play, or find the first most violated labellings step by step."
    phase = "" if shown.phase == PHASES[-1] else f", {shown.phase.lower()}"
    return f"Step {shown.at}{phase}: {shown.sentence}"


def table(shown: Frame | None) -> dict[str, Any]:
    """The numbers in the formulas."""
    lines = () if shown is None else (*shown.lines, *shown.conditions)
    return {"quantity": [line.name for line in lines], "value": [line.value for line in lines]}


def marked(text: str) -> str:
    """The text, escaped, each word of the glossary carrying its meaning where it first occurs."""
    seen: set[str] = set()

    def mark(match: re.Match[str]) -> str:
        term = match[1] if match[1] in GLOSSARY else match[1].lower()
        if term in seen:
            return match[0]
        seen.add(term)
        return f"<abbr title='{escape(GLOSSARY[term], quote=True)}'>{match[0]}</abbr>"

    return WORDS.sub(mark, escape(text))


def formulas(lines: Iterable[Line]) -> str:
    """Formula lines as a list."""
    rows = "".join(f"<li><span>{marked(line.name)}</span><div>{line.html}</div></li>" for line in lines)
    return f"<ul class='formulas'>{rows}</ul>" if rows else ""


def page(shown: Frame | None) -> str:
    """Everything below the sentence, as HTML."""
    if shown is None:
        return ""
    now = {shown.phase: " aria-current='step'"}
    phases = "".join(f"<li{now.get(name, '')}>{escape(name)}</li>" for name in PHASES)
    proof = f"<h4>{marked(shown.verdict)}</h4><p>{marked(shown.meaning)}</p>{formulas(shown.conditions)}"
    return (
        f"<h4>{escape(shown.learner)}</h4><ol class='phases'>{phases}</ol>{formulas(shown.lines)}"
        f"<section class='box'>{proof}</section>"
        f"<h4>Since the step before</h4><p>{marked(shown.moved)}</p>"
    )


def words_page() -> str:
    """The whole glossary, folded away."""
    rows = "".join(f"<dt>{escape(term)}</dt><dd>{escape(text)}</dd>" for term, text in GLOSSARY.items())
    return f"<details class='glossary'><summary>Words used here</summary><dl>{rows}</dl></details>"


def style(theme: Theme) -> str:
    """The page's look in a theme."""
    return f"""
    :host {{ color: {theme.text}; font-size: {theme.font + 1}px; line-height: 1.35; }}
    h4 {{ margin: 6px 0 2px; font-size: 1em; }}  p {{ margin: 2px 0; }}
    abbr {{ text-decoration: underline dotted {theme.muted}; text-underline-offset: 2px; cursor: help; }}
    abbr.symbol {{ text-decoration: none; color: {theme.dual}; font: italic 1.1em Georgia, "Times New Roman", serif; }}
    .phases {{ display: flex; flex-wrap: wrap; gap: 2px 6px; list-style: none; margin: 4px 0; padding: 0; }}
    .phases li {{ color: {theme.muted}; border: 1px solid {theme.grid}; border-radius: 4px; padding: 0 5px; }}
    .phases li[aria-current] {{ color: {theme.background}; background: {theme.accent}; font-weight: 600; }}
    .phases li[aria-current]::before {{ content: "▸ "; }}
    .formulas {{ list-style: none; margin: 4px 0; padding: 0; }}
    .formulas li {{ margin: 4px 0; padding-left: 6px; border-left: 3px solid {theme.grid}; }}
    .formulas span {{ color: {theme.muted}; }}  .formulas div {{ overflow-wrap: anywhere; }}
    .box {{ border: 1px solid {theme.muted}; border-radius: 6px; padding: 2px 8px; margin: 6px 0; }}
    dt {{ font-weight: 600; }} dd {{ margin: 0 0 4px 10px; }} sup, sub {{ line-height: 0; }}
    """


class Inspector(View):
    """The current step in words and formulas."""

    title: ClassVar[str] = "This step"
    name_key: ClassVar[str] = "inspector"
    help: ClassVar[str] = (
        "What happens in the step under the cursor, with its own numbers. Hover a dotted word or a "
        "coloured letter for its meaning."
    )

    def build(self) -> Any:
        wide = {"sizing_mode": "stretch_width", "margin": (0, 8)}
        self.page = pn.pane.HTML("", **wide)
        self.glossary = pn.pane.HTML(words_page(), **wide)
        return pn.Column(self.page, self.glossary, sizing_mode="stretch_both", margin=0, scroll=True)

    def frame(self) -> Frame | None:
        session = self.session
        return frame(session.problem, session.trace, session.cursor, session.phase, session.example)

    def show(self, shown: Frame | None) -> None:
        text = page(shown)
        if self.page.object != text:
            self.page.object = text

    def _say(self, sentence: str) -> None:
        """The sentence with its words explained."""
        text = f"<p role='status' aria-live='polite'>{marked(sentence)}</p>"
        if self.words.object != text:
            self.words.object = text

    def sentence(self, shown: Frame | None) -> str:
        return sentence(shown)

    def table(self, shown: Frame | None) -> dict[str, Any]:
        return table(shown)

    def recolour(self, theme: Theme) -> None:
        for pane in (self.page, self.glossary):
            pane.stylesheets = [style(theme)]
