"""The risk and its lower model along one direction: every cut a line, the model their maximum.

    w(t) = w + t d,     cut j:  b_j - a_j . w(t),     model:  max(0, max_j cut j)  <=  risk R(w(t))

With one slack per example the model is the mean over examples of the cost of the largest of their own cuts.
`whole` shows 1/2 |w|^2 + C times either instead. In one dimension t is w itself: the textbook picture of the
bundle method, function, tangents and model (Pfahler 2015, section 2.2.2). With an exact oracle the model
never exceeds the risk, and a cut touches it at the w that found it. Cost: POINTS oracle passes for the risk,
remembered per step and direction, over a part of the examples when there are many; one dot product per cut.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param
from bokeh.models import (
    BasicTicker,
    ColumnDataSource,
    FixedTicker,
    HoverTool,
    Legend,
    LegendItem,
    Range1d,
    Span,
)
from bokeh.plotting import figure

from explorer.engine.objective import slacks, sweep, touching_plane, violation
from explorer.engine.protocols import Batch, Convex, Problem, Refused
from explorer.engine.trace import Trace
from explorer.engine.vectors import Array, Ints, dense, dot, squared_norm
from explorer.engine.working_set import FIRST_RULE
from explorer.session.state import Session
from explorer.views.theme import Theme
from explorer.views.view import View, number
from explorer.views.working_set import held, joined, pending, settings_at, slope

POINTS = 25
CURVE = 101
"""Points at which a risk without examples is drawn: it costs one function call each."""
FINE = 601
"""Points of the model: every point of the risk is one of them, so nothing is interpolated."""
MOST_CUTS = 4000
MOST_LINES = 40
MOST_POSITIONS = 40_000
"""Positions of all examples together up to which every point asks all of them."""
MOST_SINGLE = 2_000
"""The same, for problems that answer one example at a time."""
MOST_EXAMPLES = 100
PATIENCE = 1.0
"""Seconds after which no further points of the risk, or vectors of cuts, are computed."""

DIRECTIONS = ("next step", "previous step", "last step", "negative subgradient", "random")
VERBS = {
    "next step": "Along the step",
    "previous step": "Back along the step",
    "last step": "Straight",
}
EVERYONE = "all examples"
FLAT = {"padding": "1px 8px", "textTransform": "none", "fontSize": "0.8rem", "whiteSpace": "nowrap"}
FIELD = {
    "& input": {"fontSize": "0.8rem", "padding": "3px 6px"},
    "& .MuiInputLabel-root": {"fontSize": "0.8rem"},
    "& .MuiInputAdornment-root": {"display": "none"},
}


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """The line w + t d that is walked, from `lo` to `hi`; `here` is the step's t, `there` its goal's."""

    w: Array
    d: Array
    lo: float
    hi: float
    here: float
    there: float
    step: int
    goal: str
    words: str


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Cuts along a way: cut j is start_j - t fall_j. `new` were found at the step's own w."""

    start: Array
    fall: Array
    example: Ints
    new: Any
    missing: int

    def __len__(self) -> int:
        return len(self.start)

    def at(self, t: Array) -> Array:
        """All cuts at all t."""
        return self.start[:, None] - self.fall[:, None] * t

    def only(self, keep: Any) -> "Lines":
        """Some of the cuts."""
        return Lines(self.start[keep], self.fall[keep], self.example[keep], self.new[keep], self.missing)


def no_numbers() -> Array:
    """An empty column."""
    return np.zeros(0)


@dataclass(frozen=True, slots=True, eq=False)
class Low:
    """Where the model is compared: at its lowest point, or at the goal when that lies outside the slice."""

    t: float
    before: float
    after: float
    risk: float
    inside: bool


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """The curves of one slice; `line_t` and `lines` are the cuts drawn, `newest` says which are new.

    `keeps`: the learner has a working set; `apart`: every example has cuts of its own.
    """

    at: int
    way: Way | None = None
    t: Array = field(default_factory=no_numbers)
    model: Array = field(default_factory=no_numbers)
    before: Array = field(default_factory=no_numbers)
    line_t: Array = field(default_factory=no_numbers)
    lines: Array = field(default_factory=lambda: np.zeros((0, 0)))
    newest: Any = field(default_factory=lambda: np.zeros(0, dtype=bool))
    risk_t: Array = field(default_factory=no_numbers)
    risk: Array = field(default_factory=no_numbers)
    cuts: int = 0
    new: int = 0
    low: Low | None = None
    waits: bool = False
    whole: bool = False
    scope: str = EVERYONE
    notes: tuple[str, ...] = ()
    keeps: bool = False
    apart: bool = False


# the way ----------------------------------------------------------------------------------------------------


def way(problem: Problem, trace: Trace, at: int, direction: str = DIRECTIONS[0], seed: int = 0) -> Way:
    """The line to walk from step `at`; where the direction leads nowhere, a neighbour, or a random one."""
    kept = sorted(trace.weights.kept)
    step, w = trace.weights.nearest(at)
    later, earlier = [s for s in kept if s > step], [s for s in kept if s < step]
    if len(w) == 1:
        return axis(trace, step, w, later)
    goals = {"next step": later[:1], "previous step": earlier[-1:], "last step": later[-1:]}
    tried = [direction, *(("previous step",) if direction != "random" else ())]
    for name in tried:
        for goal in goals.get(name, ()):
            d = trace.weights.kept[goal] - w
            if np.any(d):
                words = f"{VERBS[name]} from {step} to {goal}"
                return Way(w, d, -0.5, 1.5, 0.0, 1.0, step, f"step {goal}", words)
        if name == "negative subgradient":
            d = pull(problem, trace, step, w)
            if np.any(d):
                d *= reach(trace, w) / np.linalg.norm(d)
                return Way(w, d, -0.5, 1.5, 0.0, np.nan, step, "", f"Down the subgradient from step {step}")
    d = np.random.default_rng(seed).normal(size=len(w))
    d *= reach(trace, w) / np.linalg.norm(d)
    return Way(w, d, -0.5, 1.5, 0.0, np.nan, step, "", f"In random direction {seed} from step {step}")


def axis(trace: Trace, step: int, w: Array, later: list[int]) -> Way:
    """One dimension: t is w, over everything that was visited."""
    seen = np.concatenate([trace.weights.kept[s] for s in sorted(trace.weights.kept)])
    pad = 0.2 * float(np.ptp(seen)) or 1.0
    there = float(trace.weights.kept[later[0]][0]) if later else np.nan
    lo, hi, goal = float(seen.min()) - pad, float(seen.max()) + pad, f"step {later[0]}" if later else ""
    return Way(np.zeros(1), np.ones(1), lo, hi, float(w[0]), there, step, goal, f"At step {step}")


def reach(trace: Trace, w: Array) -> float:
    """How far to look where no step gives a length: as far as the last w, else as w is long, else 1."""
    _, last = trace.weights.nearest(len(trace))
    return float(np.linalg.norm(last - w) or np.linalg.norm(w) or 1.0)


def pull(problem: Problem, trace: Trace, step: int, w: Array) -> Array:
    """Minus a subgradient of the objective at w: C a - w; of the risk alone when C is not finite."""
    C = float(settings_at(trace, step).get("C", np.nan))
    a = dense(touching_plane(problem, w)[1].a)
    return C * a - w if np.isfinite(C) else a.copy()


# the model --------------------------------------------------------------------------------------------------


def lines_along(problem: Problem, trace: Trace, at: int, walked: Way) -> Lines | None:
    """The step's working set with what it just found, along the way; None for a learner without one."""
    now = held(trace, at)
    if now is None:
        return None
    cuts = joined(now, pending(trace, now))
    cuts = cuts.only(cuts.example > FIRST_RULE)
    told = trace.details.kept[now.at].get("slopes", ())
    start, fall = np.full(len(cuts), np.nan), np.full(len(cuts), np.nan)
    first = np.lexsort((-cuts.ids, -cuts.alpha, cuts.born != now.at))[:MOST_CUTS]
    ends = time.perf_counter() + PATIENCE
    for count, j in enumerate(first):
        if count > 50 and time.perf_counter() > ends:
            break
        a = -told[j] if j < len(told) else slope(problem, trace, cuts, int(j))
        if a is not None:
            start[j], fall[j] = cuts.b[j] - dot(walked.w, a), dot(walked.d, a)
    known = ~np.isnan(start)
    new, missing = cuts.born == now.at, int(np.count_nonzero(~known))
    return Lines(start, fall, cuts.example, new, missing).only(known)


def modelled(problem: Problem, lines: Lines, one: int | None) -> Callable[[Array], Array]:
    """The lower model of the risk along the way, or of example `one`'s cost."""
    if not len(lines):
        return lambda t: np.zeros(len(t))
    if lines.example[0] < 0:
        return lambda t: np.maximum(lines.at(t).max(axis=0), 0.0)
    order = np.argsort(lines.example, kind="stable")
    mine = lines.only(order)
    first = np.flatnonzero(np.r_[True, np.diff(mine.example) != 0])
    n = 1 if one is not None else problem.n

    def mean_cost(t: Array) -> Array:
        slack = np.maximum(np.maximum.reduceat(mine.at(t), first, axis=0), 0.0)
        return np.asarray(problem.pricing.cost(slack).sum(axis=0) / n)

    return mean_cost


def lowest(curve: Callable[[Array], Array], lo: float, hi: float, near: float) -> tuple[float, float]:
    """Where a convex curve is lowest, and its value there; of equal places the one nearest to `near`."""
    t, value = near, np.inf
    for _ in range(8):
        grid = np.linspace(lo, hi, 41)
        values = curve(grid)
        ties = np.flatnonzero(values <= values.min() + 1e-12 * max(1.0, abs(values.min())))
        j = int(ties[np.argmin(np.abs(grid[ties] - near))])
        t, value = float(grid[j]), float(values[j])
        lo, hi = float(grid[max(j - 1, 0)]), float(grid[min(j + 1, 40)])
    return t, value


# the risk ---------------------------------------------------------------------------------------------------


def asked(problem: Problem) -> Ints | None:
    """Which examples a point of the risk asks: None for all, or a fixed sample when there are too many."""
    labels = problem.dataset.labels
    length = float(np.mean([np.size(labels[i]) for i in range(min(20, problem.n))])) if problem.n else 0.0
    most = MOST_POSITIONS if isinstance(problem, Batch) else MOST_SINGLE
    if problem.n * length <= most:
        return None
    m = int(np.clip(most / length, min(10, problem.n), min(MOST_EXAMPLES, problem.n)))
    return np.sort(np.random.default_rng(0).choice(problem.n, m, replace=False))


def risk_at(problem: Problem, w: Array, examples: Ints | None, one: int | None) -> float:
    """The mean cost of the slacks at w, over all examples, a sample, or one."""
    if isinstance(problem, Convex):
        return float(problem.risk(w)[0])
    if one is not None:
        slack = np.array([max(0.0, violation(problem, w, problem.oracle(w, one)))])
    else:
        chosen = None if examples is None else [int(i) for i in examples]
        slack = slacks(problem, sweep(problem, w, chosen))
    return float(np.mean(problem.pricing.cost(slack)))


def risk_along(
    problem: Problem, walked: Way, t: Array, examples: Ints | None, one: int | None, seconds: float = PATIENCE
) -> Array:
    """The risk at every t, coarse points first; NaN at those that would have taken too long."""
    out, began = np.full(len(t), np.nan), time.perf_counter()
    strides = [s for s in (24, 12, 6, 3) if s < len(t)]
    rank = [next((k for k, s in enumerate(strides) if j % s == 0), len(strides)) for j in range(len(t))]
    for count, j in enumerate(np.argsort(rank, kind="stable")):
        if count >= 5 and time.perf_counter() - began > seconds:
            break
        out[j] = risk_at(problem, walked.w + t[j] * walked.d, examples, one)
    return out


# the frame --------------------------------------------------------------------------------------------------


def frame(
    problem: Problem,
    trace: Trace,
    at: int,
    phase: int = 0,
    direction: str = DIRECTIONS[0],
    seed: int = 0,
    whole: bool = False,
    one: int | None = None,
    known: dict[Any, Any] | None = None,
) -> Frame:
    """The slice at a step; with `one` of that example alone, where each has cuts of its own.

    `known` remembers what oracle passes found, by step, direction and scope; it serves one trace and problem.
    """
    if not len(trace):
        return Frame(at)
    walked = way(problem, trace, at, direction, seed)
    every = lines_along(problem, trace, at, walked)
    apart = every is not None and len(every) > 0 and bool(every.example[0] >= 0)
    one = one if apart and one is not None and one < problem.n else None
    lines = every if every is not None and one is None else only_of(every, one)
    whole = whole and bool(np.isfinite(price_of(trace, walked.step)))
    lift, waits = lifted(trace, walked, whole), phase == 1
    before, after = modelled(problem, lines.only(~lines.new), one), modelled(problem, lines, one)
    model = before if waits else after
    ask = Asking(problem, walked, one, {} if known is None else known, (at, direction, seed))
    t, (risk_t, risk) = np.linspace(walked.lo, walked.hi, FINE), ask.curve()
    line_t = t[::10] if whole else t[[0, -1]]
    drawn = lines.only(slice(0)) if apart and one is None else nearest_to(lines, model, t)
    return Frame(
        at,
        walked,
        t,
        lift(t, model(t)),
        lift(t, before(t)),
        line_t,
        lift(line_t, drawn.at(line_t)),
        drawn.new,
        risk_t,
        lift(risk_t, risk),
        len(lines),
        int(np.count_nonzero(lines.new)),
        compared(walked, lift, before, after, ask.point),
        waits,
        whole,
        EVERYONE if one is None else f"example {one}",
        notes(problem, trace, at, lines, drawn, one, risk),
        every is not None,
        apart,
    )


def only_of(lines: Lines | None, one: int | None) -> Lines:
    """The cuts of one example; none at all without a working set."""
    if lines is None:
        empty = np.zeros(0)
        return Lines(empty, empty, empty.astype(np.int64), empty > 0, 0)
    return lines.only(lines.example == one)


def price_of(trace: Trace, step: int) -> float:
    """C at a step."""
    return float(settings_at(trace, step).get("C", np.nan))


def lifted(trace: Trace, walked: Way, whole: bool) -> Callable[[Array, Array], Array]:
    """What turns risks along the way into the quantity that is shown."""
    if not whole:
        return lambda t, risk: risk
    C, half = price_of(trace, walked.step), 0.5 * squared_norm(walked.w)
    across, along = dot(walked.w, walked.d), 0.5 * squared_norm(walked.d)
    return lambda t, risk: half + t * across + t**2 * along + C * risk


@dataclass(frozen=True, slots=True, eq=False)
class Asking:
    """The risk along a way, asked once for each step, direction and scope."""

    problem: Problem
    way: Way
    one: int | None
    known: dict[Any, Any]
    key: tuple[Any, ...]

    def curve(self) -> tuple[Array, Array]:
        """The points of the risk that were reached in time."""
        walked, m = self.way, CURVE if isinstance(self.problem, Convex) else POINTS
        t = np.linspace(walked.lo, walked.hi, m)
        key = (*self.key, walked.step, self.one)
        if key not in self.known:
            self.known[key] = risk_along(self.problem, walked, t, asked(self.problem), self.one)
        risk = self.known[key]
        return t[~np.isnan(risk)], risk[~np.isnan(risk)]

    def point(self, t: float) -> float:
        """The risk at one more point."""
        key = (*self.key, self.way.step, self.one, round(t, 9))
        if key not in self.known:
            w = self.way.w + t * self.way.d
            self.known[key] = risk_at(self.problem, w, asked(self.problem), self.one)
        return float(self.known[key])


def compared(
    walked: Way,
    lift: Callable[[Array, Array], Array],
    before: Callable[[Array], Array],
    after: Callable[[Array], Array],
    risk: Callable[[float], float],
) -> Low:
    """The model with and without the new cuts at its lowest points, and the risk there."""
    (_, low), (t, high) = (
        lowest(lambda x, f=f: lift(x, f(x)), walked.lo, walked.hi, walked.here) for f in (before, after)
    )
    edge = min(t - walked.lo, walked.hi - t) < 1e-6 * (walked.hi - walked.lo)
    if edge and not np.isnan(walked.there):
        t = walked.there
        low, high = (float(lift(np.array([t]), f(np.array([t])))[0]) for f in (before, after))
    there = float(lift(np.array([t]), np.array([risk(t)]))[0])
    tiny = 1e-9 * max(abs(there), 1e-3)
    return Low(t, 0.0 if abs(low) < tiny else low, 0.0 if abs(high) < tiny else high, there, not edge)


def nearest_to(lines: Lines, model: Callable[[Array], Array], t: Array) -> Lines:
    """The cuts to draw: the new ones, then those that come nearest to the model."""
    if len(lines) <= MOST_LINES:
        return lines
    coarse = t[::8]
    away = (model(coarse) - lines.at(coarse)).min(axis=1)
    return lines.only(np.sort(np.lexsort((away, ~lines.new))[:MOST_LINES]))


def notes(
    problem: Problem, trace: Trace, at: int, lines: Lines, drawn: Lines, one: int | None, risk: Array
) -> tuple[str, ...]:
    """What the reader must know to trust the picture."""
    out, examples = [], asked(problem)
    if examples is not None and one is None:
        out.append(f"The risk is that of a sample of {len(examples)} of {problem.n:,} examples.")
    if not problem.oracle_is_exact:
        out.append("The oracle is approximate: the risk may be higher than shown.")
    if settings_at(trace, at).get("rest") == "left out":
        out.append("These cuts are means of samples and no lower bounds of the risk.")
    if lines.missing:
        out.append(f"{lines.missing:,} cuts are missing: too many, or not told apart by the record.")
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


def sentence(shown: Frame) -> str:
    """What the cuts say along the way, what the new ones change, and how far the risk lies above."""
    if shown.way is None or shown.low is None:
        return "Nothing trained yet: press play."
    what = "objective" if shown.whole else "risk"
    whose = "" if shown.scope == EVERYONE else f" of {shown.scope}"
    words, there = shown.way.words, number(shown.low.risk)
    here = number(float(np.interp(shown.way.here, shown.risk_t, shown.risk)))
    if not shown.keeps:
        text = f"{words}: this learner keeps no cuts, so there is no lower model; the {what} here is {here}."
    elif not shown.cuts:
        text = f"{words} the model{whose} has no cut yet; the true {what} here is {here}."
    else:
        cuts = f"{shown.cuts:,} cut{'' if shown.cuts == 1 else 's'}"
        middle = change(shown, shown.low, shown.way)
        text = f"{words} the model{whose} has {cuts}; {middle}; the true {what} there is {there}."
    return " ".join([text, *shown.notes])


def change(shown: Frame, low: Low, walked: Way) -> str:
    """What the new cuts do to the model where it is compared."""
    place = "its minimum" if low.inside or np.isnan(walked.there) else f"its value at {walked.goal}"
    if not shown.new:
        return f"{place} is {number(low.after)}"
    new, s = ("the new cut", "s") if shown.new == 1 else (f"the {shown.new:,} new cuts", "")
    if number(low.before) == number(low.after):
        return f"{new} leave{s} {place} at {number(low.after)}"
    verb = "would raise" if shown.waits else f"raise{s}"
    return f"{new} {verb} {place} from {number(low.before)} to {number(low.after)}"


def table(shown: Frame) -> dict[str, Any]:
    """The curves at the points where the risk was asked."""
    at = "w" if shown.way is not None and len(shown.way.w) == 1 else "t"
    what = "objective" if shown.whole else "risk"
    columns = {at: shown.risk_t, f"true {what}": shown.risk}
    if not shown.keeps:
        return columns
    for name, curve in (("model", shown.model), ("model without the new cuts", shown.before)):
        columns[name] = np.interp(shown.risk_t, shown.t, curve) if len(shown.t) else curve
    return columns


# the view ---------------------------------------------------------------------------------------------------


class RiskSlice(View):
    """The risk, its cuts and their maximum along a line through w."""

    title: ClassVar[str] = "Risk slice"
    name_key: ClassVar[str] = "risk_slice"
    help: ClassVar[str] = (
        "Walk from this step's w in a straight line. Each cut is a line below the risk and touches it where "
        "it was found; their maximum is what the learner knows of the risk."
    )

    direction = param.Selector(
        objects={name.removeprefix("negative ").removesuffix(" step"): name for name in DIRECTIONS},
        default=DIRECTIONS[0],
        doc="Where the line leads; the subgradient is walked downwards.",
    )
    seed = param.Integer(0, bounds=(0, 9999), doc="Which random direction.")
    whole = param.Boolean(False, doc="The whole objective, 1/2 |w|^2 + C times the risk.")
    alone = param.Boolean(False, doc="One example with cuts of its own instead of the mean.")

    def __init__(self, session: Session, **params: Any) -> None:
        self._known: dict[Any, Any] = {}
        self._known_of: tuple[Any, Any] = (None, None)
        super().__init__(session, **params)
        self._watchers.append(session.param.watch(lambda *_: self.refresh(), ["status"]))
        self.param.watch(lambda *_: self.refresh(), ["direction", "seed", "whole", "alone"])

    def build(self) -> Any:
        curves = {
            "curve": ("t", "model", "before"),
            "risk": ("t", "risk"),
            "dots": ("t", "risk"),
            "low": ("t", "y"),
            "here": ("t", "y"),
        }
        self.sources = {name: ColumnDataSource({c: [] for c in columns}) for name, columns in curves.items()}
        self.sources |= {name: ColumnDataSource({"xs": [], "ys": []}) for name in ("lines", "new")}
        self.plot = plot = figure(
            sizing_mode="stretch_both", tools="pan,wheel_zoom,box_zoom,reset,save", active_scroll=None,
            toolbar_location=None, x_range=Range1d(-0.5, 1.5), y_range=Range1d(0, 1), y_axis_label="risk",
            x_axis_label="t",
        )  # fmt: skip
        self.spans = [Span(dimension="height", line_width=2, line_dash=dash) for dash in ("solid", "dotted")]
        for span in self.spans:
            plot.add_layout(span)
        sources = self.sources
        self.parts = {
            "lines": plot.multi_line("xs", "ys", source=sources["lines"], line_width=1),
            "before": plot.line("t", "before", source=sources["curve"], line_dash="dotted"),
            "model": plot.line("t", "model", source=sources["curve"]),
            "new": plot.multi_line("xs", "ys", source=sources["new"], line_dash=[10, 8]),
            "risk": plot.line("t", "risk", source=sources["risk"]),
            "dots": plot.scatter("t", "risk", source=sources["dots"], marker="circle", size=6),
            "low": plot.scatter("t", "y", source=sources["low"], marker="diamond", size=13),
            "here": plot.scatter("t", "y", source=sources["here"], marker="square", size=10),
        }
        self._legend()
        tips = [("t", "@t{0.00}"), ("true value", "@risk{0.0000}")]
        plot.add_tools(HoverTool(renderers=[self.parts["dots"]], tooltips=tips))
        tips = [("t", "@t{0.00}"), ("model", "@model{0.0000}"), ("before", "@before{0.0000}")]
        plot.add_tools(HoverTool(renderers=[self.parts["model"]], tooltips=tips))
        plot.yaxis.ticker = BasicTicker(desired_num_ticks=3)
        self.step_ticks, self.free_ticks = FixedTicker(ticks=[0, 0.5, 1]), BasicTicker()
        self.figures.append(plot)
        pane = pn.pane.Bokeh(plot, sizing_mode="stretch_both", min_height=140, margin=0)
        return pn.Column(self._controls(), pane, sizing_mode="stretch_both", margin=0)

    def _controls(self) -> Any:
        small = {"size": "small", "margin": (0, 4), "description": ""}
        ways = pmui.RadioButtonGroup.from_param(
            self.param.direction,
            label="",
            sx={"& button": FLAT},
            **small,
        )
        self.seed_field = pmui.IntInput.from_param(self.param.seed, width=56, sx=FIELD, visible=False, **small)
        whole = pmui.Toggle.from_param(self.param.whole, label="Objective", sx=FLAT, **small)
        self.alone_button = pmui.Toggle.from_param(
            self.param.alone, label="This example", sx=FLAT, visible=False, **small
        )
        wraps = {"flex-wrap": "wrap", "row-gap": "2px"}
        return pn.Row(
            ways, self.seed_field, whole, self.alone_button, sizing_mode="stretch_width", margin=(0, 4), styles=wraps
        )  # fmt: skip

    def _legend(self) -> None:
        parts = self.parts
        items = {
            "risk": [parts["risk"], parts["dots"]],
            "model": [parts["model"]],
            "before": [parts["before"]],
        }
        items |= {"cuts": [parts["lines"]], "newest": [parts["new"]], "lowest": [parts["low"]]}
        made = [LegendItem(label=label, renderers=renderers) for label, renderers in items.items()]
        self.items = dict(zip(items, made, strict=True))
        self.plot.add_layout(Legend(items=made, orientation="horizontal", location="left"), "above")

    def frame(self) -> Frame:
        s = self.session
        if s.status == "running" and not 0.0 < s.speed <= 2.0:
            raise Refused("Training runs; the slice is drawn again when it pauses, or at two steps a second.")
        same = self._known_of[0] is s.trace and self._known_of[1] is s.problem
        if len(self._known) > 400 or not same:
            self._known, self._known_of = {}, (s.trace, s.problem)
        one = s.example if self.alone else None
        return frame(s.problem, s.trace, s.cursor, s.phase, self.direction, self.seed, self.whole, one, self._known)

    def show(self, shown: Frame) -> None:
        self.sources["curve"].data = {"t": shown.t, "model": shown.model, "before": shown.before}
        self.sources["risk"].data = {"t": shown.risk_t, "risk": shown.risk}
        for name, which in (("lines", ~shown.newest), ("new", shown.newest)):
            ys = [np.asarray(y) for y in shown.lines[which]] if len(shown.lines) else []
            self.sources[name].data = {"xs": [shown.line_t] * len(ys), "ys": ys}
        self.seed_field.visible = self.direction == "random"
        self.alone_button.visible = shown.apart
        self._show_marks(shown)
        self._show_axes(shown)

    def _show_marks(self, shown: Frame) -> None:
        models, low, walked = shown.keeps and shown.cuts > 0, shown.low, shown.way
        marked = models and low is not None and low.inside and not shown.waits
        point = {"t": [low.t], "y": [low.after]} if marked and low else {"t": [], "y": []}
        self.sources["low"].data = point
        every = 1 + len(shown.risk_t) // 30
        self.sources["dots"].data = {"t": shown.risk_t[::every], "risk": shown.risk[::every]}
        here, there = (walked.here, walked.there) if walked else (np.nan, np.nan)
        y = [float(np.interp(here, shown.risk_t, shown.risk))] if len(shown.risk_t) else []
        self.sources["here"].data = {"t": [here] * len(y), "y": y}
        for span, t in zip(self.spans, (here, there), strict=True):
            span.location = None if np.isnan(t) else float(t)
        changed = models and shown.new > 0 and not shown.waits and not np.allclose(shown.before, shown.model)
        self.parts["model"].visible, self.parts["before"].visible = models, changed
        shows = {"model": models, "before": changed, "lowest": marked}
        shows |= {"cuts": bool((~shown.newest).any()), "newest": bool(shown.newest.any())}
        for name, visible in shows.items():
            self.items[name].visible = visible

    def _show_axes(self, shown: Frame) -> None:
        plot, walked = self.plot, shown.way
        what = "objective" if shown.whole else "risk"
        plot.yaxis.axis_label = what if shown.scope == EVERYONE else f"{what}, {shown.scope}"
        self.items["risk"].label = {"value": what}
        if walked is None:
            return
        plot.x_range.start, plot.x_range.end = walked.lo, walked.hi
        curves = [shown.risk, *([shown.model, shown.before] if shown.keeps and shown.cuts else [])]
        top, bottom = max(float(c.max()) for c in curves), min(float(c.min()) for c in curves)
        room = 0.06 * ((top - bottom) or max(abs(top), 1.0))
        plot.y_range.start, plot.y_range.end = bottom - room, top + room
        line = len(walked.w) == 1
        plot.xaxis.ticker = self.free_ticks if line or not walked.goal else self.step_ticks
        names = {0: f"step {walked.step}", 0.5: "half way", 1: walked.goal}
        plot.xaxis.major_label_overrides = names if walked.goal and not line else {}
        length = f"t, 0 = step {walked.step}, 1 = a distance of {number(float(np.linalg.norm(walked.d)))}"
        plot.xaxis.axis_label = "w" if line else None if walked.goal else length

    def sentence(self, shown: Frame) -> str:
        return sentence(shown)

    def table(self, shown: Frame) -> dict[str, Any]:
        return table(shown)

    def recolour(self, theme: Theme) -> None:
        colours = {"lines": theme.neutral, "before": theme.dual, "model": theme.dual, "new": theme.accent}
        for name, colour in (colours | {"risk": theme.primal}).items():
            self.parts[name].glyph.line_color, self.parts[name].glyph.line_width = colour, theme.line
        self.parts["lines"].glyph.update(line_width=theme.line / 2, line_alpha=0.6)
        self.parts["model"].glyph.line_width = 1.8 * theme.line
        for name, colour in (("dots", theme.primal), ("low", theme.dual), ("here", theme.text)):
            glyph = self.parts[name].glyph
            glyph.update(fill_color=theme.background, line_color=colour, line_width=theme.line)
        for span in self.spans:
            span.line_color = theme.accent
        for legend in self.plot.legend:
            legend.update(spacing=9, glyph_width=17, label_standoff=3)
