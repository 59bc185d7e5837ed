"""What each learner does in a step, in a plain sentence and in formulas, phase by phase.

A phase of 1, 2 or 3 tells what has just been found, added or solved on the way to the next step; 0 tells the
whole step and its bounds. Only what takes one oracle call or a few inner products is computed here.
"""

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from explorer.engine.learners import LEARNERS
from explorer.engine.objective import cut_of, violation
from explorer.engine.vectors import dot
from explorer.views.inspector.step_formulas import (
    MEAN_SLACK,
    TINY,
    Facts,
    Line,
    are_known,
    bounds_lines,
    dual_line,
    less,
    num,
    tidy,
)
from explorer.views.kit.words.glossary import sym
from explorer.wording import number, quantity

Told = tuple[str, list[Line]]


def one_slack(f: Facts, phase: int) -> Told:
    """The 1-slack cutting plane, and its sampled form."""
    asked, xi, eps = f.get("violation"), f.get("xi"), f.eps
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
    new = [Line("Slack asked for", html, asked)] if are_known(size) else []
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
    if not f.get("added"):
        eps = number(f.eps)
        return f"{what}, no more than eps = {eps} above the current {tidy(xi)}: it stays out."
    name = f"cut {int(np.nansum(f.trace.column('added')[: f.at]))}"
    return f"{what}, above the current {tidy(xi)} by {tidy(asked - xi)}: it enters the working set as {name}."


def solved_again(f: Facts) -> Told:
    """What the quadratic program over the larger working set brought: the next step's w."""
    after = f.other(f.at + 1)
    if after is None or after.started is not f.started:
        return "The next w is not known: it is still being computed, or training has ended here.", []
    planes, active = after.get("planes"), after.get("active")
    if f.started.learner == "NSlack":
        planes = f.get("planes")
    over = f"over {quantity(planes, 'cut')}" if are_known(planes) else "over the working set"
    length = math.sqrt(2 * after.half) if are_known(after.half) else math.nan
    text = f"Solving again {over} moves w by {tidy(moved_by(f, after))}, to length {tidy(length)}"
    if are_known(f.get("dual"), after.get("dual")):
        text += f"; the dual goes from {tidy(f.get('dual'))} to {tidy(after.get('dual'))}"
    if are_known(active):
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
    lines = (
        [Line("Mean slack in the working set", f"{MEAN_SLACK} = {num(mean)}", mean)]
        if are_known(mean)
        else []
    )
    each = f.setting("order", "") == "each"
    example = [] if each else one_cut(f)
    found = f"Of the {f.started.n} labellings that the oracle found, "
    found += f"{added:.0f} ask for more slack than their example has" if added else "none asks for more slack"
    enter = f"{quantity(added, 'cut')} entered the working set, which now holds {held:.0f}"
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
    base = f"At this w the risk is {tidy(risk)}, and the lower model of {quantity(planes, 'plane')} "
    base += f"says {tidy(model)}"
    ends = risk - model <= f.eps
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
        asks = "One example at a time, the oracle finds its most tempting labelling at the current w."
        moves = "No cut is kept: a share gamma of the example's weight moves onto that labelling at once."
        return onward(f, phase, asks, moves)
    moves, still = f.started.n * f.setting("passes_per_step", 1), f.get("still")
    text = f"Pass {f.get('passes'):.0f} made {quantity(moves, 'move')}, one per oracle call"
    text += f"; {still:.0f} of them stayed, with step size 0." if are_known(still) else "."
    return text + dual_gain(f), [*block_gaps(f), *bounds_lines(f)]


def sequential_dual(f: Facts, phase: int) -> Told:
    """The sequential dual method."""
    if phase:
        asks = "One example at a time, the oracle finds its most tempting labelling at the newest w."
        moves = "The labelling joins its example's own cuts, and mass moves between these at once."
        return onward(f, phase, asks, moves)
    held = f"{quantity(f.get('planes'), 'cut')} are held, {f.get('active'):,.0f} of them with weight."
    text = f"This pass found {quantity(f.get('added'), 'cut')}; {held}"
    return text + dual_gain(f), [*block_gaps(f), *bounds_lines(f)]


def dual_gain(f: Facts) -> str:
    """By how much the moves of a step raised the dual."""
    before = f.other(f.at - 1)
    rise = math.nan if before is None else f.get("dual") - before.get("dual")
    return f" Its moves raised the dual by {tidy(rise)}." if are_known(rise) else ""


def block_gaps(f: Facts) -> list[Line]:
    """The sum of the gaps that single examples leave, each at another w."""
    estimate = f.get("gap_estimate")
    return (
        [Line("Sum of block gaps", f"{num(estimate)}: estimates the gap", estimate)]
        if are_known(estimate)
        else []
    )


def perceptron(f: Facts, phase: int) -> Told:
    """The perceptrons and MIRA."""
    if phase:
        asks = "Each example is predicted at the current w, without the loss."
        return onward(f, phase, asks, "No cut is kept: every mistake changes w at once.")
    mistakes, updates = f.get("mistakes"), f.get("updates")
    text = f"{quantity(mistakes, 'mistake')} in this pass so far, {quantity(updates, 'update')} in all."
    if not mistakes:
        text = f"A full pass without a mistake, after {quantity(updates, 'update')}: training ends."
    elif f.started.learner == "MIRA":
        text += " Each is the smallest change of w that gives the truth a margin as large as the loss."
    return text, [*proof_lines(f), *bounds_lines(f)]


def proof_lines(f: Facts) -> list[Line]:
    """|w|^2 <= k R^2, w_hat . w >= k delta, and the bound on the updates, where the separator is known."""
    k, norm2, along = f.get("updates"), f.get("norm2"), f.get("along")
    R, delta, bound = f.get("R"), f.get("delta"), f.get("bound")
    if not are_known(k, norm2, along, R, delta, bound):
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
        asks = f"The oracle finds the most tempting labelling of {who} at the current w."
        moves = "No cut is kept: w moves a little towards the truth and away from that labelling."
        return onward(f, phase, asks, moves)
    t, before = f.get("moves"), f.other(f.at - 1)
    text = f"{quantity(t, 'move')} so far, each after asking the oracle about {who}."
    length, html = move_length(f, t)
    lines = [Line("Step size of the last move", html, length)] if are_known(length) else []
    if before is not None and are_known(moved_by(before, f)):
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
        return (
            (moves, []) if phase == 2 else ("There is no program to solve, and the next w is not known.", [])
        )
    if phase == 2:
        mistakes = after.get("mistakes")
        return moves + (f" There will be {quantity(mistakes, 'mistake')}." if are_known(mistakes) else ""), []
    far = tidy(moved_by(f, after))
    return f"There is no program to solve: the moves have taken w {far} further.", dual_line(after)


def crf(f: Facts, phase: int) -> Told:
    """The conditional random field."""
    if phase:
        asks = (
            "Of every example the probabilities of all labellings under the current w are summed up: log "
            "Z and marginals."
        )
        moves = (
            "No cut is kept: the difference between expected and true features is the slope of the objective."
        )
        return onward(f, phase, asks, moves)
    size, length, moves = f.get("gradient"), f.get("length"), f.get("moves")
    text = "The search begins at w = 0, where all labellings are equally likely."
    if are_known(length) and length:
        text = (
            f"A step of length {tidy(length)} along the search direction lowered the {f.started.objective}."
        )
    if are_known(moves) and moves:
        text = f"So far {quantity(int(moves), 'move')}, each along the gradient of a few examples."
    html = f"{sym('J')}({sym('w')}) − ½‖g‖<sup>2</sup> = {num(f.get('primal'))} {less(0.5 * size * size)}"
    slope = Line("No w lies below", f"{html} = {num(f.get('primal') - 0.5 * size * size)}", 0.5 * size * size)
    return f"{text} The slope is {tidy(size)} there.", [*bounds_lines(f), slope]


def hidden_markov(f: Facts, phase: int) -> Told:
    """A hidden Markov model."""
    if phase:
        asks = "Starts, transitions and emissions are counted: how often each state does what."
        return onward(f, phase, asks, "Counts become shares, and shares their logarithms: the weights.")
    counted = f.started.settings.get("parameters") != "true"
    how = "counted in the training data" if counted else "those that made the data"
    text = f"The weights are logarithms of probabilities, {how}: nothing is searched, and no loss is asked."
    return text, bounds_lines(f)


def anything(f: Facts, phase: int) -> Told:
    """A learner that is not known here."""
    return f"Step {f.at} of {title_of(f)}.", bounds_lines(f)


class Words(NamedTuple):
    """How a learner's steps are told: what happens in one, why the dual rises, and why the primal may
    rise.
    """

    tell: Callable[[Facts, int], Told]
    dual_rises: str = "a minimum over more cuts cannot be lower"
    primal_rises: str = "the new w suits the cuts it knows, but other labellings now ask for more"


BY_MOVES = "every move goes as far as the dual rises"
BY_SLOPE = "a smaller slope leaves less room below"
NOT_DOWN = "a step along a subgradient need not go down"

EXPLAINED: Mapping[str, Words] = {
    "OneSlack": Words(one_slack),
    "SampledCuts": Words(one_slack),
    "NSlack": Words(n_slack),
    "Bundle": Words(bundle),
    "FrankWolfe": Words(frank_wolfe, BY_MOVES),
    "SequentialDual": Words(sequential_dual, BY_MOVES),
    "Perceptron": Words(perceptron),
    "BinaryPerceptron": Words(perceptron),
    "MIRA": Words(perceptron),
    "Subgradient": Words(subgradient, primal_rises=NOT_DOWN),
    "SGD": Words(subgradient, primal_rises=NOT_DOWN),
    "CRF": Words(crf, BY_SLOPE),
    "StochasticCRF": Words(crf, BY_SLOPE, "a gradient of a few examples need not lead down"),
    "PseudoLikelihoodField": Words(crf, BY_SLOPE),
    "PiecewiseField": Words(crf, BY_SLOPE),
    "HiddenMarkovModel": Words(hidden_markov),
}


def words_of(f: Facts) -> Words:
    """Those of the learner that made the step."""
    return EXPLAINED.get(f.started.learner, Words(anything))


def title_of(f: Facts) -> str:
    """What the learner is called."""
    name = f.started.learner or "this learner"
    return next((learner.title for learner in LEARNERS if learner.__name__ == name), name)
