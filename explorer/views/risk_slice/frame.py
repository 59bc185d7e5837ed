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
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from explorer.engine.contracts import Batch, Convex, Problem, oracle_kind
from explorer.engine.dual.working_set import FIRST_RULE
from explorer.engine.objective import slacks, sweep, touching_plane, violation
from explorer.engine.refusals import Refused
from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Array, Ints, dense, dot, squared_norm
from explorer.views.kit.cuts import PATIENCE, KeptCuts, cuts_at, price_at, settings_at, slope, with_pending
from explorer.views.kit.memory import Memory
from explorer.wording import counted, number

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

DIRECTIONS = ("next step", "previous step", "last step", "negative subgradient", "random")
VERBS = {
    "next step": "Along the step",
    "previous step": "Back along the step",
    "last step": "Straight",
}
EVERYONE = "all examples"


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
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
class CutLines:
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

    def only(self, keep: Any) -> "CutLines":
        """Some of the cuts."""
        return CutLines(self.start[keep], self.fall[keep], self.example[keep], self.new[keep], self.missing)


NOTHING = np.zeros(0)
NO_LINES = CutLines(NOTHING, NOTHING, NOTHING.astype(np.int64), NOTHING > 0, 0)
Curve = Callable[[Array], Array]


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


# the way ----------------------------------------------------------------------------------------------------


def way(problem: Problem, trace: Trace, at: int, direction: str = DIRECTIONS[0], seed: int = 0) -> Walk:
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
                return Walk(w, d, -0.5, 1.5, 0.0, 1.0, step, f"step {goal}", words)
        if name == "negative subgradient":
            d = pull(problem, trace, step, w)
            if np.any(d):
                d *= reach(trace, w) / np.linalg.norm(d)
                return Walk(w, d, -0.5, 1.5, 0.0, np.nan, step, "", f"Down the subgradient from step {step}")
    d = np.random.default_rng(seed).normal(size=len(w))
    d *= reach(trace, w) / np.linalg.norm(d)
    return Walk(w, d, -0.5, 1.5, 0.0, np.nan, step, "", f"In random direction {seed} from step {step}")


def axis(trace: Trace, step: int, w: Array, later: list[int]) -> Walk:
    """One dimension: t is w, over everything that was visited."""
    seen = np.concatenate([trace.weights.kept[s] for s in sorted(trace.weights.kept)])
    pad = 0.2 * float(np.ptp(seen)) or 1.0
    there = float(trace.weights.kept[later[0]][0]) if later else np.nan
    lo, hi, goal = float(seen.min()) - pad, float(seen.max()) + pad, f"step {later[0]}" if later else ""
    return Walk(np.zeros(1), np.ones(1), lo, hi, float(w[0]), there, step, goal, f"At step {step}")


def reach(trace: Trace, w: Array) -> float:
    """How far to look where no step gives a length: as far as the last w, else as w is long, else 1."""
    _, last = trace.weights.nearest(len(trace))
    return float(np.linalg.norm(last - w) or np.linalg.norm(w) or 1.0)


def pull(problem: Problem, trace: Trace, step: int, w: Array) -> Array:
    """Minus a subgradient of the objective at w: C a - w; of the risk alone when C is not finite."""
    C, a = price_at(trace, step), dense(touching_plane(problem, w)[1].a)
    return C * a - w if np.isfinite(C) else a.copy()


# the model --------------------------------------------------------------------------------------------------


def lines_along(problem: Problem, trace: Trace, now: KeptCuts, walked: Walk) -> CutLines:
    """The step's working set with what it just found, along the way; rules are no part of the risk."""
    every = with_pending(trace, now)
    cuts = every.only(every.example > FIRST_RULE)
    told = trace.details.kept[now.at].get("slopes", ())
    start, fall = np.full(len(cuts), np.nan), np.full(len(cuts), np.nan)
    ends = time.perf_counter() + PATIENCE
    for j in np.lexsort((-cuts.ids, -cuts.alpha, cuts.born != now.at))[:MOST_CUTS]:
        if time.perf_counter() > ends:
            break
        a = -told[j] if j < len(told) else slope(problem, trace, cuts, int(j))
        if a is not None:
            start[j], fall[j] = cuts.b[j] - dot(walked.w, a), dot(walked.d, a)
    known = ~np.isnan(start)
    missing = int(np.count_nonzero(~known))
    return CutLines(start, fall, cuts.example, cuts.born == now.at, missing).only(known)


def lower_model(problem: Problem, lines: CutLines, one: int | None) -> Curve:
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


def lowest(curve: Curve, lo: float, hi: float, near: float) -> tuple[float, float]:
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


def examples_to_ask(problem: Problem) -> Ints | None:
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
    problem: Problem,
    walked: Walk,
    t: Array,
    examples: Ints | None,
    one: int | None,
    seconds: float = PATIENCE,
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
    known: Memory | None = None,
) -> RiskSliceFrame | None:
    """The slice at a step, None if untrained; with `one` of that example alone, where each has cuts of its
    own.

    `known` remembers what oracle passes found, by step, direction and scope; it serves one trace and problem.
    """
    if not len(trace):
        return None
    begun = trace.started(at)
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


@dataclass(frozen=True, slots=True, eq=False)
class Asking:
    """The risk along a way, asked once for each step, direction and scope."""

    problem: Problem
    way: Walk
    one: int | None
    known: Memory
    key: tuple[Any, ...]

    def curve(self) -> tuple[Array, Array]:
        """The points of the risk that were reached in time."""
        t = np.linspace(self.way.lo, self.way.hi, CURVE if isinstance(self.problem, Convex) else POINTS)
        key = (*self.key, self.way.step, self.one)
        risk = self.known.get(
            key, lambda: risk_along(self.problem, self.way, t, examples_to_ask(self.problem), self.one)
        )
        return t[~np.isnan(risk)], risk[~np.isnan(risk)]

    def point(self, t: float) -> float:
        """The risk at one more point."""
        key, w = (*self.key, self.way.step, self.one, round(t, 9)), self.way.w + t * self.way.d
        return self.known.get(key, lambda: risk_at(self.problem, w, examples_to_ask(self.problem), self.one))


def compare_models(
    walked: Walk,
    lift: Callable[[Array, Array], Array],
    before: Curve,
    after: Curve,
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


def nearest_to(lines: CutLines, model: Curve, t: Array) -> CutLines:
    """The cuts to draw: the new ones, then those that come nearest to the model."""
    if len(lines) <= MOST_LINES:
        return lines
    coarse = t[::8]
    away = (model(coarse) - lines.at(coarse)).min(axis=1)
    return lines.only(np.sort(np.lexsort((away, ~lines.new))[:MOST_LINES]))


def notes(
    problem: Problem, trace: Trace, at: int, lines: CutLines, drawn: CutLines, one: int | None, risk: Array
) -> tuple[str, ...]:
    """What the reader must know to trust the picture."""
    out, examples = [], examples_to_ask(problem)
    if examples is not None and one is None:
        out.append(f"The risk is that of a sample of {len(examples)} of {problem.n:,} examples.")
    if oracle_kind(problem) == "over":
        out.append("The oracle is relaxed: the risk may be lower than shown.")
    elif not problem.oracle_is_exact:
        out.append("The oracle is approximate: the risk may be higher than shown.")
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


def sentence(shown: RiskSliceFrame | None) -> str:
    """What the cuts say along the way, what the new ones change, and how far the risk lies above."""
    if shown is None:
        return "Nothing trained yet: press play."
    what = shown.what
    whose = "" if shown.scope == EVERYONE else f" of {shown.scope}"
    words, there = shown.way.words, number(shown.low.risk)
    here = number(float(np.interp(shown.way.here, shown.risk_t, shown.risk)))
    if not shown.keeps:
        text = f"{words}: this learner keeps no cuts, so there is no lower model; the {what} here is {here}."
    elif not shown.cuts:
        text = f"{words} the model{whose} has no cut yet; the true {what} here is {here}."
    else:
        cuts, middle = counted(shown.cuts, "cut"), change(shown)
        text = f"{words} the model{whose} has {cuts}; {middle}; the true {what} there is {there}."
    return " ".join([text, *shown.notes])


def change(shown: RiskSliceFrame) -> str:
    """What the new cuts do to the model where it is compared."""
    low, walked = shown.low, shown.way
    place = "its minimum" if low.inside or np.isnan(walked.there) else f"its value at {walked.goal}"
    if not shown.new:
        return f"{place} is {number(low.after)}"
    new, s = ("the new cut", "s") if shown.new == 1 else (f"the {shown.new:,} new cuts", "")
    if number(low.before) == number(low.after):
        return f"{new} leave{s} {place} at {number(low.after)}"
    verb = "would raise" if shown.waits else f"raise{s}"
    return f"{new} {verb} {place} from {number(low.before)} to {number(low.after)}"


def table(shown: RiskSliceFrame | None) -> dict[str, Any]:
    """The curves at the points where the risk was asked."""
    if shown is None:
        return {"t": [], "true risk": []}
    columns = {"w" if len(shown.way.w) == 1 else "t": shown.risk_t, f"true {shown.what}": shown.risk}
    if shown.keeps:
        curves = {"model": shown.model, "model without the new cuts": shown.before}
        columns |= {name: np.interp(shown.risk_t, shown.t, curve) for name, curve in curves.items()}
    return columns
