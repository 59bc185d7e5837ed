"""The numbers behind a step that are folded away: optimality of the working set, C in other conventions,
theorems.

The optimality (KKT) conditions are those of the quadratic program over the working set, checked outside its
solver (`dual.optimality.residuals`) when the step was made, each off by a share of the program's own size.
"""

import math
from dataclasses import dataclass

from explorer.engine.dual.optimality import Residuals
from explorer.engine.objective import HINGE, conventions
from explorer.engine.runs.promises import Promise
from explorer.engine.theory.bounds import Extent
from explorer.views.inspector.step_formulas import NORM, Facts, Line, num
from explorer.views.kit.words.glossary import sym

WORKING_SET = (
    "What holds exactly at the best w for the cuts found so far, computed again outside the solver; every "
    "number is a share "
    "of the problem's own size."
)


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Lines under one heading, and what they are about."""

    title: str
    about: str
    lines: tuple[Line, ...]


def groups(f: Facts, known: Extent | None, most: Promise | None) -> tuple[Group, ...]:
    """All that has anything to say about this step."""
    found = (optimality(f), other_conventions(f), theorem(f, known, most))
    return tuple(group for group in found if group is not None)


def optimality(f: Facts) -> Group | None:
    """How far the multipliers are from the optimality conditions of their own program, where a learner solves
    one.
    """
    if "residuals" not in f.detail or not f.get("planes"):
        return None
    off, (w, alpha, xi) = Residuals(*map(float, f.detail["residuals"])), map(sym, "wαξ")
    shared = f.started.learner != "NSlack"
    price, asks = (sym("C") if shared else f"{sym('C')}/n"), f"{sym('b')} − {w}·{sym('a')}"
    squared = f.problem.pricing.penalty == "squared" and not shared
    paid = f"{price} {xi}" if squared else f"{price} where {xi} &gt; 0, never more"
    rows = (
        ("No cut asks for more slack", f"{asks} ≤ {xi}", off.primal_feasibility),
        ("No multiplier is negative", f"{alpha} ≥ 0", off.dual_feasibility),
        ("Only tight cuts have weight", f"{alpha} ({asks} − {xi}) = 0", off.complementarity),
        ("Slack is fully priced", f"Σ {alpha} = {paid}", off.stationarity),
        ("No gap over these cuts", "primal = dual", off.gap),
    )
    lines = tuple(Line(name, f"{formula}: off by {num(value)}", value) for name, formula, value in rows)
    return Group("Optimality of the working set", WORKING_SET, lines)


def other_conventions(f: Facts) -> Group | None:
    """The same objective as other texts write it."""
    C, n = float(f.setting("C")), f.started.n
    if not (math.isfinite(C) and n) or f.started.objective != HINGE.name:
        return None
    same, slack = conventions(C, n), "ξ<sub>i</sub>"
    square = f"‖{sym('w')}‖<sup>2</sup>"
    cost = f"{slack}<sup>2</sup>/2" if f.problem.pricing.penalty == "squared" else slack
    lines = (
        Line("C on the mean slack (here)", f"{NORM} + {num(same.mean)} · mean {cost}", same.mean),
        Line("C on the sum of slacks", f"{NORM} + {num(same.sum)} · Σ {cost}", same.sum),
        Line("Lambda on half the square", f"{num(same.lam)} · {NORM} + mean {cost}", same.lam),
        Line("Lambda on the square", f"{num(same.lam_unhalved)} · {square} + mean {cost}", same.lam_unhalved),
        Line("Regularisation of hidden Markov SVMs", f"{num(same.reg)} · {NORM} + Σ {cost}", same.reg),
    )
    return Group("C in other texts", "One and the same problem: only the factor in front differs.", lines)


def theorem(f: Facts, known: Extent | None, most: Promise | None) -> Group | None:
    """What the theorem's bound is made of."""
    if known is None or most is None:
        return None
    lines = [
        Line("Longest feature difference", f"max ‖{sym('ψ')}‖ = {num(known.radius)}", known.radius),
        Line("Largest loss", f"max {sym('Δ')} = {num(known.loss)}", known.loss),
        Line(most.theorem, f"at most {most.most:,.0f} {most.unit}, so far {most.so_far:,}", most.most),
    ]
    if not math.isnan(most.older):
        lines.append(
            Line(f"Older form, {most.older_theorem}", f"at most {most.older:,.0f} {most.unit}", most.older)
        )
    over = "at least those over every relaxed answer to" if known.relaxed else "over every labelling of"
    about = f"Finley 2009; both maxima are {over} every example."
    return Group("Iteration bound", about, tuple(lines))
