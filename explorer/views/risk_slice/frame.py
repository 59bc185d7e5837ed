"""The risk and its lower model along one direction: every cut a line, the model their maximum.

    w(t) = w + t d,     cut j:  b_j - a_j . w(t),     model:  max(0, max_j cut j)  <=  risk R(w(t))

`whole` shows 1/2 |w|^2 + C times either instead. In one dimension t is w itself: the textbook picture of
the bundle method, function, tangents and model (Pfahler 2015, section 2.2.2). With an exact oracle the
model never exceeds the risk, and a cut touches it at the w that found it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from explorer.engine.contracts import Convex, Problem, is_relaxed, oracle_kind
from explorer.engine.refusals import Refused
from explorer.engine.runs.kept_cuts import cuts_at, price_at, settings_at
from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Array, dot, squared_norm
from explorer.views.kit.memory import Memory
from explorer.views.risk_slice.cut_lines import (
    NO_LINES,
    Curve,
    CutLines,
    lines_along,
    lower_model,
    lowest,
    nearest_to,
)
from explorer.views.risk_slice.risk import POINTS, Asking, examples_to_ask
from explorer.views.risk_slice.walk import DIRECTIONS, Walk, way

FINE = 601
"""Points of the model: every point of the risk is one of them, so nothing is interpolated."""
EVERYONE = "all examples"


@dataclass(frozen=True, slots=True, eq=False)
class Low:
    """Where the model is compared: at its lowest point, or at the goal when that lies outside the slice."""

    t: float
    before: float
    after: float
    risk: float
    inside: bool


@dataclass(frozen=True, slots=True, eq=False)
class RiskSliceFrame:
    """The curves of one slice; `line_t` and `lines` are the cuts drawn, `newest` says which are new.

    `keeps`: the learner has a working set; `apart`: every example has cuts of its own.
    """

    at: int
    way: Walk
    t: Array
    model: Array
    before: Array
    line_t: Array
    lines: Array
    newest: Any
    risk_t: Array
    risk: Array
    cuts: int
    new: int
    low: Low
    waits: bool
    whole: bool
    scope: str
    notes: tuple[str, ...]
    keeps: bool
    apart: bool

    @property
    def what(self) -> str:
        """The quantity that is shown."""
        return "objective" if self.whole else "risk"


def frame(
    problem: Problem,
    trace: Trace,
    at: int,
    phase: int = 0,
    direction: str = DIRECTIONS[0],
    seed: int = 0,
    whole: bool = False,
    one: int | None = None,
    known: Memory | None = None,
) -> RiskSliceFrame | None:
    """The slice at a step, None if untrained; with `one`, of that example, where each has its own cuts.

    `known` remembers what oracle passes found, by step, direction and scope; it serves one trace and problem.
    """
    if not len(trace):
        return None
    begun = trace.start_of(at)
    if begun and not begun.measures_slack:
        raise Refused(
            f"The slice is of slacks and their cuts; this learner minimises the {begun.objective}, without "
            "either."
        )
    walked, now = way(problem, trace, at, direction, seed), cuts_at(trace, at)
    lines = NO_LINES if now is None else lines_along(problem, trace, now, walked)
    apart = len(lines) > 0 and bool(lines.example[0] >= 0)
    one = one if apart and one is not None and one < problem.n else None
    lines = lines if one is None else lines.only(lines.example == one)
    whole = whole and bool(np.isfinite(price_at(trace, walked.step)))
    lift, waits = lift_along(price_at(trace, walked.step), walked, whole), phase == 1
    before, after = lower_model(problem, lines.only(~lines.new), one), lower_model(problem, lines, one)
    model = before if waits else after
    ask = Asking(problem, walked, one, known or Memory(4), (at, direction, seed))
    t, (risk_t, risk) = np.linspace(walked.lo, walked.hi, FINE), ask.curve()
    line_t = t[::10] if whole else t[[0, -1]]
    drawn = lines.only(slice(0)) if apart and one is None else nearest_to(lines, model, t)
    return RiskSliceFrame(
        at,
        walked,
        t,
        model=lift(t, model(t)),
        before=lift(t, before(t)),
        line_t=line_t,
        lines=lift(line_t, drawn.at(line_t)),
        newest=drawn.new,
        risk_t=risk_t,
        risk=lift(risk_t, risk),
        cuts=len(lines),
        new=int(np.count_nonzero(lines.new)),
        waits=waits,
        whole=whole,
        low=compare_models(walked, lift, before, after, ask.point),
        scope=EVERYONE if one is None else f"example {one}",
        notes=notes(problem, trace, at, lines, drawn, one, risk),
        keeps=now is not None,
        apart=apart,
    )


def lift_along(C: float, walked: Walk, whole: bool) -> Callable[[Array, Array], Array]:
    """What turns risks along the way into the quantity that is shown."""
    if not whole:
        return lambda t, risk: risk
    half, across, along = 0.5 * squared_norm(walked.w), dot(walked.w, walked.d), 0.5 * squared_norm(walked.d)
    return lambda t, risk: half + t * across + t**2 * along + C * risk


def _lifted(lift: Callable[[Array, Array], Array], curve: Curve) -> Curve:
    return lambda x: lift(x, curve(x))


def compare_models(
    walked: Walk,
    lift: Callable[[Array, Array], Array],
    before: Curve,
    after: Curve,
    risk: Callable[[float], float],
) -> Low:
    """The model with and without the new cuts at its lowest points, and the risk there."""
    (_, low), (t, high) = (
        lowest(_lifted(lift, f), walked.lo, walked.hi, walked.here) for f in (before, after)
    )
    edge = min(t - walked.lo, walked.hi - t) < 1e-6 * (walked.hi - walked.lo)
    if edge and not np.isnan(walked.there):
        t = walked.there
        low, high = (float(lift(np.array([t]), f(np.array([t])))[0]) for f in (before, after))
    there = float(lift(np.array([t]), np.array([risk(t)]))[0])
    tiny = 1e-9 * max(abs(there), 1e-3)
    return Low(t, 0.0 if abs(low) < tiny else low, 0.0 if abs(high) < tiny else high, there, not edge)


def notes(
    problem: Problem, trace: Trace, at: int, lines: CutLines, drawn: CutLines, one: int | None, risk: Array
) -> tuple[str, ...]:
    """What the reader must know to trust the picture."""
    out, examples = [], examples_to_ask(problem)
    if examples is not None and one is None:
        out.append(f"The risk is that of a sample of {len(examples)} of {problem.n:,} examples.")
    if oracle_kind(problem) == "over, untold":
        out.append("The oracle is relaxed and not told the loss: the risk may be lower or higher than shown.")
    elif is_relaxed(problem):
        out.append("The oracle is relaxed: the risk may be lower than shown.")
    elif not problem.oracle_is_exact:
        out.append("The oracle may miss labellings: the risk may be higher than shown.")
    if settings_at(trace, at).get("rest") == "left out":
        out.append("These cuts are means of samples and no lower bounds of the risk.")
    if lines.missing:
        out.append(f"{lines.missing:,} cuts are missing: too many to look at in time, or no longer recorded.")
    if 0 < len(drawn) < len(lines):
        out.append(f"The {len(drawn)} cuts nearest to the model are drawn.")
    if any(i > at and a.settings == b.settings for (_, a), (i, b) in pairwise(trace.starts)):
        out.append("Loss or oracle changed after this step; the risk is asked with today's.")
    step, _ = trace.weights.nearest(at)
    if step != at:
        out.append(f"The weights of step {at} were not kept; step {step} is shown.")
    if not isinstance(problem, Convex) and len(risk) < POINTS:
        out.append(f"The oracle is slow: the risk is drawn from {len(risk)} points.")
    return tuple(out)
