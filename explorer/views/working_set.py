"""The working set: how it grows and is pruned, which cuts carry weight, and what each of them says.

    w = sum_j alpha_j a_j,   a_j = u psi_j,   sum_j alpha_j <= C  (C / n for each example, linear penalty)
    violation of cut j = b_j - a_j . w: what it asks of its slack at the step's w

A cut's number counts the cuts found before it, so it survives pruning. The cumulative sum of the trace's
"added" column says which step found it; that step's kept cuts give its labelling, and the labelling gives psi
again (traces drop it). Learners that tell no numbers are matched by the offsets of their cuts. A joint cut
(1-slack) is the mean over all examples: one oracle pass at the w that found it, if it still finds the same
labellings, else one feature map per example; it is remembered per trace. Cost of a frame: a dot product for
each row of the table.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param
from bokeh.models import (
    BasicTicker,
    ColumnDataSource,
    FixedTicker,
    HoverTool,
    Label,
    Legend,
    LegendItem,
    Range1d,
    Span,
)
from bokeh.plotting import figure
from panel.custom import JSComponent

from explorer.engine.events import EVERY_EXAMPLE, Cut
from explorer.engine.objective import cut_of, mean_plane, plane_of, sweep, touching_plane, violation
from explorer.engine.protocols import Problem, Ruled
from explorer.engine.trace import Trace
from explorer.engine.vectors import Array, Ints, Vector, dot, nbytes, scaled, total
from explorer.engine.working_set import FIRST_RULE
from explorer.session.state import Session
from explorer.views.theme import Theme
from explorer.views.view import View, number

MOST_POINTS = 1000
MOST_BARS = 200
MOST_ROWS = 100
MOST_MARKS = 40
NOISE = 1e-8
"""A violation smaller than this is shown as 0: quadratic programs are not solved more exactly."""
PATIENCE = 1.0
"""Seconds after which no further cut vectors are made; the next look goes on from there."""
REMEMBERED = 32_000_000
"""Bytes of cut vectors remembered per trace."""

# what a trace knows about its cuts --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """The cuts in the working set of step `at`, oldest first.

    `born` is the step that found a cut (-1: a rule, or not known), `place` its place among that step's cuts;
    `example` is EVERY_EXAMPLE for a joint cut and below that for a rule.
    """

    at: int
    ids: Ints
    born: Ints
    place: Ints
    example: Ints
    alpha: Array
    b: Array

    def __len__(self) -> int:
        return len(self.ids)

    def only(self, keep: Any) -> "Held":
        """Some of the cuts."""
        parts = (self.ids, self.born, self.place, self.example, self.alpha, self.b)
        return Held(self.at, *(part[keep] for part in parts))

    @property
    def newest(self) -> Any:
        """Which cuts the latest step with a cut in the set has found."""
        return (self.born >= 0) & (self.born == self.born.max(initial=-1))


def held(trace: Trace, at: int) -> Held | None:
    """The working set at the nearest kept step up to `at`; None for a learner that keeps no cuts."""
    if not len(trace):
        return None
    step, detail = trace.details.nearest(at)
    alpha = detail.get("alpha")
    if not isinstance(alpha, np.ndarray):
        return None
    b = np.asarray(detail.get("b", detail.get("offsets")), dtype=float)
    example = np.asarray(detail.get("example", np.full(len(b), EVERY_EXAMPLE)))
    if "ids" not in detail:
        born = matched(trace, b, step)
        return Held(step, born, born, np.zeros(len(b), dtype=np.int64), example, alpha, b)
    ids = np.asarray(detail["ids"])
    found = np.nancumsum(trace.column("added")).astype(np.int64)
    born = np.searchsorted(found, ids, side="right")
    place = ids - np.concatenate([[0], found])[born]
    known = (ids >= 0) & (born < len(trace))
    example = np.where((ids < 0) & (example == EVERY_EXAMPLE), FIRST_RULE, example)
    return Held(step, ids, np.where(known, born, -1), np.where(known, place, 0), example, alpha, b)


def matched(trace: Trace, b: Array, before: int) -> Ints:
    """The steps that found the cuts with these offsets, for learners that number none; -1: not known.

    Where pruning has left several cuts of one offset to choose from, none of them is guessed.
    """
    quiet, kept = trace.column("quiet"), trace.cuts.kept
    found = [step for step, cuts in kept.items() if step < before and cuts and not quiet[step] > 0]
    offset = np.array([kept[step][0].loss for step in found])
    prunes = "prune_after" in settings_at(trace, before) and len(found) != len(b)
    if not prunes and np.array_equal(offset[-len(b) :], b):
        return np.array(found[-len(b) :], dtype=np.int64)
    born = np.full(len(b), -1, dtype=np.int64)
    for value in np.unique(b):
        steps, mine = np.flatnonzero(offset == value), np.flatnonzero(b == value)
        if len(steps) == len(mine):
            born[mine] = np.array(found, dtype=np.int64)[steps]
    return born


def pending(trace: Trace, now: Held) -> Held | None:
    """The cut that step `now.at` found and that its record does not hold yet (1-slack and its kin)."""
    cuts = trace.cuts.kept.get(now.at)
    joins = bool(cuts) and cuts[0].i == EVERY_EXAMPLE  # type: ignore[index]  # bool(cuts) says there is one
    left_out = trace.column("added")[now.at] == 0 or trace.column("quiet")[now.at] > 0
    if not joins or left_out or np.any(now.born == now.at):
        return None
    numbered = "added" in trace.names
    number = int(np.nansum(trace.column("added")[: now.at])) if numbered else now.at
    b = cuts[0].loss  # type: ignore[index]
    one = [np.array([v], dtype=np.int64) for v in (number, now.at, 0, EVERY_EXAMPLE)]
    return Held(now.at, *one, np.zeros(1), np.array([b]))


def joined(first: Held, second: Held | None) -> Held:
    """Both sets of cuts as one."""
    if second is None:
        return first
    names = ("ids", "born", "place", "example", "alpha", "b")
    return Held(first.at, *(np.concatenate([getattr(first, n), getattr(second, n)]) for n in names))


def held_in_phase(trace: Trace, at: int, phase: int) -> Held | None:
    """The working set on the way to the next step: found (1), with the new cuts (2), solved again (3)."""
    now = held(trace, at)
    if now is None or phase == 0:
        return now
    if phase == 3 and at + 1 < len(trace):
        then = held(trace, at + 1)
        return None if then is None else then.only(then.born <= at)
    if phase == 1:
        return now.only(now.born < now.at)
    return joined(now, pending(trace, now))


def behind(trace: Trace, cuts: Held, j: int) -> Cut | None:
    """The labelling of cut j, without psi; None when the trace let it go."""
    kept = trace.cuts.kept.get(int(cuts.born[j]))
    place = int(cuts.place[j])
    if not kept or not 0 <= place < len(kept) or kept[place].i != cuts.example[j]:
        return None
    return kept[place]


def settings_at(trace: Trace, at: int) -> Mapping[str, Any]:
    """The learner's settings under which step `at` was made."""
    found: Mapping[str, Any] = {}
    for first, start in trace.starts:
        if first <= at:
            found = start.settings
    return found


def pairs_of(trace: Trace, born: int, cut: Cut) -> list[tuple[int, Any]]:
    """The examples that a joint cut joins, each with its labelling."""
    sample = settings_at(trace, born).get("rest") == "left out"
    return list(cut.label) if sample else list(enumerate(cut.label))


class Memory:
    """Vectors of cuts, the least used forgotten first."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.kept: OrderedDict[tuple[int, int], Vector] = OrderedDict()
        self.words: dict[int, str] = {}
        self.nbytes = 0

    def slope(self, key: tuple[int, int], make: Callable[[], Vector | None]) -> Vector | None:
        """What is remembered under the key, or what `make` makes now."""
        if key in self.kept:
            self.kept.move_to_end(key)
            return self.kept[key]
        made = make()
        if made is not None:
            self.kept[key] = made
            self.nbytes += nbytes(made)
            while self.nbytes > REMEMBERED and len(self.kept) > 1:
                self.nbytes -= nbytes(self.kept.popitem(last=False)[1])
        return made


_memories: "WeakKeyDictionary[Trace, Memory]" = WeakKeyDictionary()


def memory_of(problem: Problem, trace: Trace) -> Memory:
    """What is remembered about the cuts of a trace, made by this problem."""
    found = _memories.get(trace)
    if found is None or found.problem is not problem:
        found = _memories[trace] = Memory(problem)
    return found


def slope(problem: Problem, trace: Trace, cuts: Held, j: int) -> Vector | None:
    """a of cut j, so that it asks a slack of at least b - a . w; None when it cannot be known."""
    if cuts.example[j] <= FIRST_RULE:
        earlier = int(np.count_nonzero(cuts.example[:j] <= FIRST_RULE))
        return problem.rules[earlier].a if isinstance(problem, Ruled) else None
    cut = behind(trace, cuts, j)
    if cut is None:
        return None
    born, memory = int(cuts.born[j]), memory_of(problem, trace)
    key = (born, int(cuts.place[j]))
    if cut.i == EVERY_EXAMPLE:
        return memory.slope(key, lambda: joint_slope(problem, trace, born, cut))
    psi = memory.slope(key, lambda: cut_of(problem, cut.i, cut.label).psi)
    # The recorded offset is r at that time, and u = r under slack scaling, whatever the loss is today.
    return scaled(float(cuts.b[j]), psi) if psi is not None and problem.pricing.scaling == "slack" else psi


def joint_slope(problem: Problem, trace: Trace, born: int, cut: Cut) -> Vector | None:
    """The mean priced psi of a joint cut."""
    w = trace.weights.kept.get(born)
    if cut.label is None:
        return None if w is None else touching_plane(problem, w)[1].a
    pairs = pairs_of(trace, born, cut)
    if w is not None and len(pairs) == problem.n:
        part = sweep(problem, w)
        if not differing([y for _, y in pairs], part.labels):
            return mean_plane(problem, part).a
    parts = [plane_of(problem, cut_of(problem, i, y)).a for i, y in pairs]
    return scaled(1.0 / len(parts), total(parts, problem.dim))


def same(first: Any, second: Any) -> bool:
    """Whether two labellings are equal."""
    if isinstance(first, np.ndarray):
        return first.shape == np.shape(second) and bool((first == second).all())
    return bool(np.all(first == second))


def differing(first: Sequence[Any], second: Sequence[Any]) -> int:
    """How many labellings of one list differ from those of another."""
    if len(first) and np.ndim(first[0]) == 0:
        return int(np.count_nonzero(np.asarray(first) != np.asarray(second)))
    return sum(not same(y, z) for y, z in zip(first, second, strict=True))


def worst_example(problem: Problem, w: Array, pairs: list[tuple[int, Any]]) -> int:
    """Whose labelling in a joint cut is the most violated at w."""
    return max(pairs, key=lambda pair: violation(problem, w, cut_of(problem, *pair)))[0]


# words ------------------------------------------------------------------------------------------------------


def spelled(problem: Problem, label: Any, most: int = 36) -> str:
    """A labelling in the names of its states, shortened."""
    states = problem.dataset.meta.get("states", ())

    def name(y: Any) -> str:
        known = isinstance(y, int | np.integer) and 0 <= y < len(states)
        return str(states[y]) if known else str(y)

    if np.ndim(label) != 1:
        text = name(label)
    else:
        gap = "" if states and all(len(str(s)) == 1 for s in states) else " "
        text = gap.join(name(y) for y in label[: most + 1])
    return text if len(text) <= most else text[: most - 1] + "…"


def worded(problem: Problem, trace: Trace, cuts: Held, j: int) -> str:
    """What cut j claims, next to the truth."""
    if cuts.example[j] <= FIRST_RULE:
        return "rule"
    cut = behind(trace, cuts, j)
    if cut is None:
        return "not kept"
    if cut.i != EVERY_EXAMPLE:
        return compared(problem, cut)
    if cut.label is None:
        return "tangent of the risk"
    words, born = memory_of(problem, trace).words, int(cuts.born[j])
    if born not in words:
        pairs, truths = pairs_of(trace, born, cut), problem.dataset.labels
        wrong = differing([y for _, y in pairs], [truths[i] for i, _ in pairs])
        words[born] = f"{wrong} of {len(pairs)} examples wrong"
    return words[born]


def compared(problem: Problem, cut: Cut) -> str:
    """One example's labelling and how it differs from the truth."""
    truth = problem.dataset.labels[cut.i]
    if same(cut.label, truth):
        return f"{spelled(problem, truth)}, the truth"
    if np.ndim(cut.label) != 1 or np.shape(truth) != np.shape(cut.label):
        return f"{spelled(problem, cut.label)} for {spelled(problem, truth)}"
    wrong = int(np.count_nonzero(np.asarray(cut.label) != np.asarray(truth)))
    return f"{spelled(problem, cut.label)} ({wrong} of {len(truth)} wrong)"


# the frame --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Growth:
    """Sizes of the working set over the steps; `cached` says which steps asked no oracle."""

    step: Array
    kept: Array
    active: Array
    pruned: Array
    cached: Any


@dataclass(frozen=True, slots=True, eq=False)
class Bars:
    """Weights as bars: every cut at a place of its own, or the cuts of an example on top of each other."""

    x: Array
    bottom: Array
    top: Array
    newest: Any
    row: Ints
    names: tuple[str, ...]
    of: str
    total: int
    capacity: float


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The table's columns; `total` counts the cuts it was taken from."""

    number: Ints
    example: Ints
    labelling: tuple[str, ...]
    loss: Array
    margin: Array
    violation: Array
    alpha: Array
    found: Ints
    total: int

    def __len__(self) -> int:
        return len(self.number)


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Everything shown about one step."""

    at: int
    growth: Growth
    bars: Bars
    rows: Rows
    keeps: bool
    kept_at: int
    figures: Mapping[str, float] = field(default_factory=dict)


def frame(problem: Problem, trace: Trace, at: int, phase: int = 0, example: int = 0, margins: bool = True) -> Frame:
    """The working set at a step; without `margins` nothing is asked of the problem."""
    cuts, figures = held_in_phase(trace, at, phase), figures_of(problem, trace, at)
    if cuts is None:
        rows = last_cuts(problem, trace, at, example) if len(trace) and problem.n else no_rows()
        figures["met"] = float(len(trace) > 0 and len(trace.at(at).cuts))
        return Frame(at, growth(trace), bars(None, np.nan, example), rows, not len(trace), at, figures)
    w = trace.at(cuts.at).w if margins else None
    capacity = figures["C"] / problem.n if problem.n and problem.pricing.penalty == "linear" else np.nan
    shown = bars(cuts, capacity, example)
    return Frame(at, growth(trace), shown, rows_of(problem, trace, cuts, w), True, cuts.at, figures)


def figures_of(problem: Problem, trace: Trace, at: int) -> dict[str, float]:
    """The scalars that the sentence needs."""
    out = {"C": float(settings_at(trace, at).get("C", np.nan)), "n": float(problem.n)}
    for name in ("xi", "violation", "added", "cached", "quiet", "risk", "model"):
        out[name] = float(trace.column(name)[at]) if at < len(trace) else np.nan
    return out


def growth(trace: Trace) -> Growth:
    """Sizes over the whole run, thinned to what a screen can show."""
    n = len(trace)
    kept = trace.column("planes")
    keep = np.arange(n) if n <= MOST_POINTS else np.unique(np.linspace(0, n - 1, MOST_POINTS).astype(int))
    active = trace.column("active")[keep]
    if "active" not in trace.names:
        active = np.array([weighted(trace, int(k)) for k in keep], dtype=float)
    cached = trace.column("cached")[keep] > 0
    return Growth(keep.astype(float), kept[keep], active, pruned_so_far(trace, kept)[keep], cached)


def weighted(trace: Trace, at: int) -> float:
    """How many cuts carry weight at a kept step."""
    alpha = trace.details.kept.get(at, {}).get("alpha")
    return float(np.count_nonzero(alpha)) if isinstance(alpha, np.ndarray) else np.nan


def pruned_so_far(trace: Trace, kept: Array) -> Array:
    """How many cuts were dropped up to each step."""
    if "pruned" in trace.names:
        return np.nancumsum(trace.column("pruned"))
    if "added" in trace.names:
        _, detail = trace.details.nearest(len(trace))
        rules = int(np.count_nonzero(np.asarray(detail.get("ids", ())) < 0))
        return np.maximum(np.nancumsum(trace.column("added")) + rules - kept, 0.0)
    entered = np.concatenate([[0.0], trace.column("quiet")[:-1] == 0]) if "quiet" in trace.names else None
    if entered is None:
        return np.where(np.isnan(kept), np.nan, 0.0)
    return np.maximum(np.cumsum(entered) - kept, 0.0)


def bars(cuts: Held | None, capacity: float, example: int) -> Bars:
    """One bar per cut, or per example a pile of its cuts; at most MOST_BARS places."""
    if cuts is None or not len(cuts):
        nothing, none = np.zeros(0), np.zeros(0, dtype=np.int64)
        return Bars(nothing, nothing, nothing, none > 0, none, (), "cut", 0, np.nan)
    by_example = bool(np.any(cuts.example >= 0))
    group = cuts.example if by_example else np.arange(len(cuts))
    places, where = np.unique(group, return_inverse=True)
    mass = np.bincount(where, weights=cuts.alpha)
    fresh = np.bincount(where, weights=cuts.newest) > 0
    rank = np.lexsort((fresh, mass, places == example if by_example else fresh))[::-1]
    chosen = np.zeros(len(places), dtype=bool)
    chosen[rank[:MOST_BARS]] = True
    at = np.cumsum(chosen) - 1
    row = np.flatnonzero(chosen[where])
    row = row[np.argsort(where[row], kind="stable")]
    top = np.zeros(len(row))
    for place in np.unique(where[row]):
        mine = where[row] == place
        top[mine] = np.cumsum(cuts.alpha[row[mine]])
    names = tuple(str(p) if p >= 0 else "rule" for p in (places if by_example else cuts.ids)[chosen])
    of = "example" if by_example else "cut"
    x, newest = at[where[row]].astype(float), cuts.newest[row]
    limit = capacity if by_example and np.isfinite(capacity) else np.nan
    return Bars(x, top - cuts.alpha[row], top, newest, row, names, of, len(places), limit)


def no_rows() -> Rows:
    """An empty table."""
    none, nothing = np.zeros(0, dtype=np.int64), np.zeros(0)
    return Rows(none, none, (), nothing, nothing, nothing, nothing, none, 0)


def rows_of(problem: Problem, trace: Trace, cuts: Held, w: Array | None) -> Rows:
    """The cuts with the largest weights, the newest first among equals; margins at w where w is given."""
    order = np.lexsort((-cuts.ids, -cuts.alpha))[:MOST_ROWS]
    products, ends = np.full(len(order), np.nan), time.perf_counter() + PATIENCE
    for r, j in enumerate(order if w is not None else ()):
        a = slope(problem, trace, cuts, int(j)) if time.perf_counter() < ends else None
        products[r] = np.nan if a is None or w is None else dot(w, a)
    b = cuts.b[order]
    joint = cuts.example[order] < 0
    by_slack = problem.pricing.scaling == "slack"
    unit = np.where(joint | (not by_slack), 1.0, b)
    margin = np.divide(products, unit, out=np.full(len(b), np.nan), where=unit != 0.0)
    loss = np.where(joint | (problem.pricing.penalty == "linear"), b, b**2)
    words = tuple(worded(problem, trace, cuts, int(j)) for j in order)
    mine, excess = cuts.only(order), b - products
    return Rows(mine.ids, mine.example, words, loss, margin, excess, mine.alpha, mine.born, len(cuts))


def last_cuts(problem: Problem, trace: Trace, at: int, example: int) -> Rows:
    """Where no cuts are kept: those the step met, or else the most violated one of an example at its w."""
    moment = trace.at(at)
    light = list(moment.cuts[-MOST_ROWS:])
    if not light or light[0].i == EVERY_EXAMPLE:
        light = [problem.oracle(moment.w, min(example, problem.n - 1))]
    cuts = [cut_of(problem, c.i, c.label) for c in light]
    margin = np.array([dot(moment.w, c.psi) for c in cuts])
    excess = np.array([violation(problem, moment.w, c) for c in cuts])
    words, m = tuple(compared(problem, c) for c in cuts), len(cuts)
    who, loss = np.array([c.i for c in cuts]), np.array([c.loss for c in cuts])
    step = moment.cuts_at if moment.cuts else moment.w_at
    return Rows(np.full(m, -1), who, words, loss, margin, excess, np.full(m, np.nan), np.full(m, step), m)


COLUMNS = {
    "number": "cut", "example": "example", "labelling": "labelling", "loss": "loss", "margin": "margin w·ψ",
    "violation": "violation", "alpha": "weight α", "found": "found at",
}  # fmt: skip


def ordered(rows: Rows, by: str = "alpha", falling: bool = True) -> Ints:
    """The order of the table's rows by one column; unknown values come last, equal ones stay as they were."""
    values = getattr(rows, by)
    if by == "labelling":
        keys = np.unique(np.array(values, dtype=str), return_inverse=True)[1].astype(float)
    else:
        keys = np.asarray(values, dtype=float)
    return np.argsort(np.where(np.isnan(keys), np.inf, -keys if falling else keys), kind="stable")


def cells(rows: Rows) -> list[list[str]]:
    """The table as text."""
    numbers = [str(j) if j >= 0 else "open" for j in rows.number]
    who = [str(i) if i >= 0 else "all" if i == EVERY_EXAMPLE else "–" for i in rows.example]
    columns = (np.where(np.abs(v) < NOISE, 0.0, v) for v in (rows.loss, rows.margin, rows.violation))
    figures = [[number(float(v)) for v in column] for column in columns]
    alpha = ["none" if np.isnan(a) else number(float(a)) for a in rows.alpha]
    found = [str(step) if step >= 0 else "–" for step in rows.found]
    return [list(row) for row in zip(numbers, who, rows.labelling, *figures, alpha, found, strict=True)]


def sentence(shown: Frame) -> str:
    """Size, weights and the latest find."""
    if not len(shown.growth.step):
        return "Nothing trained yet: press play."
    if not shown.keeps:
        return without_cuts(shown)
    cuts, bars = shown.rows.total, shown.bars
    j = int(np.searchsorted(shown.growth.step, shown.kept_at).clip(0, len(shown.growth.step) - 1))
    dropped = shown.growth.pruned[j]
    size = f"Step {shown.at}: {counted(cuts, 'cut')} kept, {active_of(shown):,} with weight"
    size += f", {int(dropped):,} pruned so far" if dropped > 0 else ""
    parts = [size + capacity_words(shown) + ".", found_words(shown)]
    if shown.kept_at not in (shown.at, shown.at + 1):
        parts.append(f"Cuts are those of step {shown.kept_at}, the nearest that was kept.")
    if cuts > len(shown.rows):
        parts.append(f"The table has the {len(shown.rows)} of {cuts:,} cuts with the largest weights.")
    if bars.total > len(bars.names):
        parts.append(f"{len(bars.names)} of {bars.total:,} {bars.of}s have bars: the largest weights.")
    if shown.growth.cached.any():
        share = float(np.mean(shown.growth.cached))
        parts.append(f"{share:.0%} of the iterations took their cut from the cache.")
    return " ".join(part for part in parts if part)


def counted(n: int, thing: str) -> str:
    """A number and its noun."""
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def active_of(shown: Frame) -> int:
    """How many of the cuts shown carry weight."""
    if shown.bars.total == len(shown.bars.names):
        return int(np.count_nonzero(shown.bars.top > shown.bars.bottom))
    j = int(np.searchsorted(shown.growth.step, shown.kept_at).clip(0, len(shown.growth.step) - 1))
    return int(np.nan_to_num(shown.growth.active[j]))


def capacity_words(shown: Frame) -> str:
    """How much of the weight that C allows is used."""
    bars, C = shown.bars, shown.figures["C"]
    if not np.isfinite(C) or not len(bars.x):
        return ""
    if bars.of == "cut":
        used = number(float(np.sum(bars.top - bars.bottom)))
        return f"; weights sum to {used} of C = {number(C)}" if bars.total == len(bars.names) else ""
    if not np.isfinite(bars.capacity):
        return ""
    sums = np.zeros(len(bars.names))
    np.maximum.at(sums, bars.x.astype(int), bars.top)
    full = int(np.count_nonzero(sums >= bars.capacity * (1.0 - 1e-6)))
    verb = "has" if full == 1 else "have"
    return f"; {counted(full, 'example')} {verb} all the weight that C / n = {number(bars.capacity)} allows"


def found_words(shown: Frame) -> str:
    """What the step's oracle pass brought."""
    f = shown.figures
    if not np.isnan(f["violation"]):
        source = "cache's" if f["cached"] > 0 else "new"
        verdict = "it enters" if f["added"] > 0 or f["quiet"] == 0 else "left out"
        found, slack = number(f["violation"]), number(f["xi"])
        return f"The {source} cut is violated by {found}, the slack is {slack}: {verdict}."
    if not np.isnan(f["risk"]):
        return f"Risk {number(f['risk'])}, lower model {number(f['model'])}."
    if not np.isnan(f["added"]):
        return f"This pass added {counted(int(f['added']), 'cut')}."
    return ""


def without_cuts(shown: Frame) -> str:
    """What there is to say about a learner without a working set."""
    text = f"Step {shown.at}: this learner keeps no cuts; it moves w and forgets what it was told."
    if not len(shown.rows):
        return text
    found, who = int(shown.rows.found[-1]), int(shown.rows.example[-1])
    if not shown.figures["met"]:
        return f"{text} The table has the most violated labelling of example {who} at step {found}."
    return f"{text} The table has the {counted(len(shown.rows), 'cut')} met at step {found}."


def table(shown: Frame) -> dict[str, Any]:
    """The sizes over time; the cuts have a table of their own."""
    g = shown.growth
    sizes = {"kept": g.kept, "with weight": g.active, "pruned so far": g.pruned}
    return {"step": g.step.astype(int), **sizes, "asked": np.where(g.cached, "cache", "oracle")}


# the view ---------------------------------------------------------------------------------------------------


class CutTable(JSComponent):
    """A table that sorts by its headings and opens a row: real buttons, real headings, no library."""

    titles = param.List([], doc="Headings, as [name, title, is it a number].")
    rows = param.List([], doc="Cells as text, row by row.")
    keys = param.List([], doc="What a row is called when it is opened.")
    chosen = param.Integer(-2, doc="The key of the row that is marked.")
    sort = param.String("alpha")
    falling = param.Boolean(True)
    caption = param.String("")
    look = param.Dict({}, doc="Colours and font size.")

    _esm = """
    export function render({ model }) {
      const make = (tag, parent, text) => {
        const e = document.createElement(tag)
        if (text) e.textContent = text
        if (parent) parent.append(e)
        return e
      }
      const box = make("div"); box.className = "cuts"; box.tabIndex = 0; box.setAttribute("role", "region")
      const table = make("table", box), caption = make("caption", table)
      const head = make("tr", make("thead", table)), body = make("tbody", table)
      const heads = () => {
        head.replaceChildren()
        for (const [name, title, numeric] of model.titles) {
          const th = make("th", head), button = make("button", th)
          th.scope = "col"; if (numeric) th.className = "number"
          const mine = model.sort === name
          th.setAttribute("aria-sort", mine ? (model.falling ? "descending" : "ascending") : "none")
          button.type = "button"; button.textContent = title + (mine ? (model.falling ? " ▼" : " ▲") : "")
          button.dataset.name = name
          button.onclick = () => model.send_msg({ sort: name })
        }
      }
      const sorted = () => {
        const focused = head.getRootNode().activeElement?.dataset?.name
        heads()
        if (focused) head.querySelector(`[data-name="${focused}"]`)?.focus()
      }
      const fill = () => {
        while (body.rows.length > model.rows.length) body.deleteRow(-1)
        model.rows.forEach((cells, r) => {
          const row = body.rows[r] ?? body.insertRow()
          const key = model.keys[r], here = key === model.chosen
          row.className = here ? "chosen" : ""
          if (here) row.setAttribute("aria-current", "true"); else row.removeAttribute("aria-current")
          row.onclick = () => model.send_msg({ open: key })
          while (row.cells.length > cells.length) row.deleteCell(-1)
          cells.forEach((text, c) => {
            const cell = row.cells[c] ?? row.insertCell()
            const numeric = model.titles[c]?.[2]
            cell.className = numeric ? "number" : ""
            if (c > 0) { if (cell.textContent !== text) cell.textContent = text; return }
            const button = cell.firstChild ?? make("button", cell)
            button.type = "button"
            button.textContent = (here ? "▸ " : "") + text
            button.setAttribute("aria-label", `cut ${text}: open its example`)
          })
        })
      }
      const words = () => {
        caption.textContent = model.caption
        box.setAttribute("aria-label", model.caption)
      }
      const dress = () => {
        for (const [k, v] of Object.entries(model.look)) box.style.setProperty("--" + k, v)
      }
      heads(); fill(); words(); dress()
      model.on("titles", () => { heads(); fill() })
      model.on("sort", sorted); model.on("falling", sorted)
      for (const name of ["rows", "keys", "chosen"]) model.on(name, fill)
      model.on("caption", words); model.on("look", dress)
      return box
    }
    """
    _stylesheets: ClassVar[list[str]] = [
        """
        :host { overflow: hidden }
        .cuts { height: 100%; overflow: auto; color: var(--text); background: var(--back) }
        .cuts { font-size: var(--font) }
        table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
        caption { text-align: left; padding: 2px 6px; color: var(--muted) }
        th { position: sticky; top: 0; padding: 0; background: var(--back); text-align: left }
        th { box-shadow: inset 0 -2px var(--line) }
        th button { all: unset; cursor: pointer; padding: 3px 6px; font-weight: 600; white-space: nowrap }
        td { padding: 2px 6px; border-bottom: 1px solid var(--line); white-space: nowrap }
        th.number, td.number { text-align: right }
        td button { all: unset; cursor: pointer; text-decoration: underline; text-underline-offset: 2px }
        :is(button, .cuts):focus-visible { outline: 2px solid var(--accent) }
        tbody tr { cursor: pointer }
        tbody tr:hover { background: var(--hover) }
        tr.chosen { background: var(--hover); outline: 2px solid var(--accent); outline-offset: -2px }
        """
    ]

    def __init__(self, act: Callable[[Mapping[str, Any]], None], **params: Any) -> None:
        super().__init__(**params)
        self._act = act

    def _handle_msg(self, msg: Mapping[str, Any]) -> None:
        self._act(msg)


PARTS = ("all", "growth", "weights", "cuts")
SMALL = {"& button": {"padding": "1px 10px", "textTransform": "none", "fontSize": "0.8rem", "whiteSpace": "nowrap"}}


class WorkingSetView(View):
    """The working set over time, its weights, its cuts."""

    title: ClassVar[str] = "Working set"
    name_key: ClassVar[str] = "working_set"
    help: ClassVar[str] = (
        "The cuts that the learner keeps. w is their weighted sum: a cut without weight could be dropped "
        "without changing w. Click a step to travel to it, a cut to see its labelling."
    )

    part = param.Selector(objects=list(PARTS), default="all", doc="What is shown; one part fits a small tile.")
    sort = param.Selector(objects=list(COLUMNS), default="alpha", doc="The column that orders the cuts.")
    falling = param.Boolean(True, doc="Largest first.")

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(session, **params)
        self._watchers.append(session.param.watch(lambda *_: self.refresh(), ["status"]))
        self.param.watch(lambda *_: self.refresh(), ["sort", "falling"])
        self.param.watch(lambda *_: self._arrange(), ["part"])

    def build(self) -> Any:
        self._chosen, self._shown = -2, no_rows()
        self._build_growth()
        self._build_bars()
        self.cut_table = CutTable(
            self._told, sizing_mode="stretch_both", min_height=100, margin=(4, 8),
            titles=[[k, t, k != "labelling"] for k, t in COLUMNS.items()],
        )  # fmt: skip
        panes = [pn.pane.Bokeh(p, sizing_mode="stretch_both", min_height=150, margin=0) for p in self.figures]
        self.pictures = pn.Row(*panes, sizing_mode="stretch_both", min_height=150, margin=0)
        self.parts = pmui.RadioButtonGroup.from_param(
            self.param.part, size="small", margin=(0, 8), label="", description="", sx=SMALL
        )
        self._keeps = True
        self._arrange()
        return pn.Column(self.parts, self.pictures, self.cut_table, sizing_mode="stretch_both", margin=0)

    def _plot(self, x: str, y: str, **more: Any) -> Any:
        plot = figure(
            sizing_mode="stretch_both", tools="pan,wheel_zoom,box_zoom,reset,save", active_scroll=None,
            toolbar_location=None, x_axis_label=x, y_axis_label=y, min_border_top=0, **more,
        )  # fmt: skip
        plot.xaxis.axis_label_standoff, plot.xaxis.major_label_standoff = 1, 4
        self.figures.append(plot)
        return plot

    def _legend(self, plot: Any, *items: tuple[str, list[Any]]) -> Legend:
        made = [LegendItem(label=label, renderers=renderers) for label, renderers in items]
        legend = Legend(items=made, orientation="horizontal", location="left")
        plot.add_layout(legend, "above")
        return legend

    def _build_growth(self) -> None:
        names = ("step", "kept", "active", "pruned")
        self.growth_source = ColumnDataSource({name: [] for name in names})
        self.real_source, self.cached_source = (ColumnDataSource({"step": [], "kept": []}) for _ in "rc")
        plot = self._plot("iteration", "cuts", y_range=Range1d(0, 1), x_range=Range1d(0, 1))
        lines = {
            name: plot.step("step", name, source=self.growth_source, mode="after", line_dash=dash)
            for name, dash in (("pruned", "dotted"), ("active", "dashed"), ("kept", "solid"))
        }
        real = plot.scatter("step", "kept", source=self.real_source, size=5, marker="circle")
        cached = plot.scatter("step", "kept", source=self.cached_source, size=9, marker="diamond")
        plot.xaxis.ticker = BasicTicker(min_interval=1)
        plot.yaxis.ticker = BasicTicker(min_interval=1, desired_num_ticks=3)
        self.growth_cursor = Span(dimension="height", line_width=2)
        plot.add_layout(self.growth_cursor)
        tips = [("step", "@step{0}"), ("kept", "@kept{0}"), ("with weight", "@active{0}")]
        tips += [("pruned", "@pruned{0}")]
        plot.add_tools(HoverTool(renderers=[lines["kept"]], tooltips=tips, mode="vline"))
        items = [("kept", [lines["kept"], real]), ("with weight", [lines["active"]])]
        legend = self._legend(plot, *items, ("pruned", [lines["pruned"]]), ("from cache", [cached]))
        self._growth = {**lines, "real": real, "cached": cached}
        self._cached_item = legend.items[-1]
        self.on_tap(plot, self._seek)

    def _build_bars(self) -> None:
        columns = ("x", "bottom", "top", "name", "alpha")
        self.old_source, self.new_source = (ColumnDataSource({c: [] for c in columns}) for _ in range(2))
        self.idle_source, self.fresh_source = (ColumnDataSource({"x": [], "y": []}) for _ in range(2))
        plot = self._plot("cut", "weight α", x_range=Range1d(-0.5, 0.5), y_range=Range1d(0, 1))
        box = {"x": "x", "bottom": "bottom", "top": "top", "width": 0.8}
        old = plot.vbar(**box, source=self.old_source)
        new = plot.vbar(**box, source=self.new_source, hatch_pattern="/", hatch_scale=9, hatch_weight=1.5)
        idle = plot.scatter("x", "y", source=self.idle_source, marker="dash", size=4)
        fresh = plot.scatter("x", "y", source=self.fresh_source, marker="triangle", size=9)
        self.capacity = Span(dimension="width", line_dash="dashed", line_width=2)
        self.capacity_label = Label(x=0, y=0, text="", text_align="right", text_baseline="bottom", y_offset=2)
        self.here = Span(dimension="height", line_dash="dotted", line_width=2)
        for mark in (self.capacity, self.capacity_label, self.here):
            plot.add_layout(mark)
        plot.xaxis.ticker = self.bar_ticks = FixedTicker(ticks=[])
        plot.yaxis.ticker = BasicTicker(desired_num_ticks=3)
        plot.add_tools(HoverTool(renderers=[old, new], tooltips=[("", "@name"), ("weight", "@alpha{0.0000}")]))
        self._legend(plot, ("weight", [old]), ("newest", [new, fresh]), ("no weight", [idle]))
        self._bars = {"old": old, "new": new, "idle": idle, "fresh": fresh}
        self.on_tap(plot, self._pick)

    # what the user does -------------------------------------------------------------------------------------

    def _seek(self, x: float, y: float) -> None:
        """Take all views to the step nearest to a click."""
        if len(self.session.trace):
            self.session.seek(round(x))

    def _pick(self, x: float, y: float) -> None:
        """Open the cut, or the example, whose bar was clicked."""
        place, names = round(x), self._names
        if 0 <= place < len(names) and names[place].isdigit():
            if self._of == "example":
                self._open_example(int(names[place]))
            else:
                self.choose(int(names[place]))

    def _told(self, message: Mapping[str, Any]) -> None:
        """Carry out what the table asks for."""
        name, key = message.get("sort"), message.get("open")
        if name in COLUMNS:
            first = name not in ("number", "example", "labelling", "found")
            self.param.update(sort=name, falling=not self.falling if name == self.sort else first)
        elif isinstance(key, int):
            self.choose(key)

    def choose(self, key: int) -> None:
        """Open the example of a row: its own, or the one that a joint cut is most violated by."""
        trace, problem = self.session.trace, self.session.problem
        rows = self._shown
        where = np.flatnonzero(self._keys == key)
        if not len(where):
            return
        self._chosen = key
        example = int(rows.example[where[0]])
        if example == EVERY_EXAMPLE:
            born = int(rows.found[where[0]])
            kept = trace.cuts.kept.get(born)
            if kept and kept[0].label is not None:
                w = self.session.trace.at(self.session.cursor).w
                example = worst_example(problem, w, pairs_of(trace, born, kept[0]))
        if example >= 0:
            self._open_example(example)
        self.refresh()

    def _open_example(self, example: int) -> None:
        if example < self.session.problem.n:
            self.session.example = example

    # drawing ------------------------------------------------------------------------------------------------

    @property
    def _hurried(self) -> bool:
        """Whether steps come too fast to look at every cut."""
        return self.session.status == "running" and not 0.0 < self.session.speed <= 2.0

    def frame(self) -> Frame:
        s = self.session
        return frame(s.problem, s.trace, s.cursor, s.phase, s.example, margins=not self._hurried)

    def _arrange(self) -> None:
        """Show the chosen part; a learner without a working set has a table only."""
        part = self.part
        # Not the panes' own switch: a Bokeh pane that is shown again takes over its figure's old value.
        self.figures[0].visible = part in ("all", "growth")
        self.figures[1].visible = part in ("all", "weights")
        pictures, cuts = self._keeps and part != "cuts", not self._keeps or part in ("all", "cuts")
        # A hidden child still counts towards its column's least height.
        self.pictures.param.update(visible=pictures, min_height=150 * pictures)
        self.parts.visible = self._keeps
        self.cut_table.param.update(visible=cuts, min_height=100 * cuts)

    def show(self, shown: Frame) -> None:
        if shown.keeps != self._keeps:
            self._keeps = shown.keeps
            self._arrange()
        self._show_growth(shown)
        self._show_bars(shown.bars)
        self._show_rows(shown.rows)

    def _show_growth(self, shown: Frame) -> None:
        g = shown.growth
        self.growth_source.data = {"step": g.step, "kept": g.kept, "active": g.active, "pruned": g.pruned}
        some = np.arange(len(g.step)) % (1 + len(g.step) // MOST_MARKS) == 0
        for source, which in ((self.real_source, ~g.cached), (self.cached_source, g.cached)):
            source.data = {"step": g.step[some & which], "kept": g.kept[some & which]}
        self._cached_item.visible = bool(g.cached.any())
        self._growth["real"].visible = len(g.step) <= MOST_MARKS or bool(g.cached.any())
        self.growth_cursor.location = float(shown.at) if len(g.step) else None
        plot, last = self.figures[0], float(g.step[-1]) if len(g.step) else 1.0
        sizes = np.concatenate([g.kept, g.active, g.pruned])
        most = float(np.nanmax(sizes)) if np.any(sizes > 0) else 1.0
        plot.x_range.update(start=-0.03 * max(last, 1.0), end=1.03 * max(last, 1.0))
        plot.y_range.update(start=-0.03 * most, end=1.08 * most)

    def _show_bars(self, b: Bars) -> None:
        alpha = b.top - b.bottom
        name = np.array([f"{b.of} {b.names[int(x)]}" for x in b.x], dtype=object)
        columns = {"x": b.x, "bottom": b.bottom, "top": b.top, "alpha": alpha, "name": name}
        for source, which in ((self.old_source, ~b.newest), (self.new_source, b.newest)):
            source.data = {key: values[which & (alpha > 0)] for key, values in columns.items()}
        idle, fresh = (alpha == 0) & ~b.newest, (alpha == 0) & b.newest
        idle &= ~np.isin(b.x, b.x[alpha > 0])
        self.idle_source.data = {"x": np.unique(b.x[idle]), "y": np.zeros(len(np.unique(b.x[idle])))}
        self.fresh_source.data = {"x": b.x[fresh], "y": b.top[fresh]}
        self._scale_bars(b)

    def _scale_bars(self, b: Bars) -> None:
        plot, count = self.figures[1], len(b.names)
        self._names, self._of = b.names, b.of
        most = max(float(b.top.max(initial=0.0)), b.capacity if np.isfinite(b.capacity) else 0.0) or 1.0
        plot.x_range.start, plot.x_range.end = -0.7, max(count, 1) - 0.3
        plot.y_range.start, plot.y_range.end = -0.04 * most, (1.2 if np.isfinite(b.capacity) else 1.08) * most
        every = next(step for step in (1, 2, 5, 10, 20, 25, 50) if count <= 10 * step)
        ticks = list(range(0, count, every))
        plot.xaxis.major_label_overrides = {t: b.names[t] for t in ticks}
        self.bar_ticks.ticks = ticks
        plot.xaxis.axis_label = "example" if b.of == "example" else "number of the cut"
        known = bool(np.isfinite(b.capacity)) and count > 0
        self.capacity.location = b.capacity if known else None
        self.capacity_label.visible = known
        if known:
            self.capacity_label.update(x=count - 0.3, y=b.capacity, text=f"C / n = {number(b.capacity)}")
        mine = str(self.session.example)
        self.here.location = b.names.index(mine) if b.of == "example" and mine in b.names else None

    def _show_rows(self, rows: Rows) -> None:
        self._shown = rows
        self._keys = np.where(rows.number >= 0, rows.number, -10 - np.arange(len(rows)))
        order, text = ordered(rows, self.sort, self.falling), cells(rows)
        note = f"{len(rows)} of {rows.total:,} cuts, largest weights" if rows.total > len(rows) else ""
        unknown = int(np.count_nonzero(np.isnan(rows.margin)))
        pause = "margins come when the run pauses" if self._hurried else ""
        missing = f"{unknown} margins not known yet" if unknown and not pause else ""
        more = ", ".join(part for part in (note, pause, missing) if part)
        self.cut_table.param.update(
            rows=[text[r] for r in order], keys=[int(k) for k in self._keys[order]], chosen=self._chosen,
            sort=self.sort, falling=self.falling, caption="Cuts" + (f": {more}" if more else ""),
        )  # fmt: skip

    def sentence(self, shown: Frame) -> str:
        return sentence(shown)

    def table(self, shown: Frame) -> dict[str, Any]:
        return table(shown)

    def recolour(self, theme: Theme) -> None:
        colours = {"kept": theme.dual, "active": theme.truth, "pruned": theme.neutral}
        for name, colour in colours.items():
            self._growth[name].glyph.line_color, self._growth[name].glyph.line_width = colour, theme.line
        for name, fill in (("real", theme.dual), ("cached", theme.background)):
            self._growth[name].glyph.update(fill_color=fill, line_color=theme.dual, line_width=theme.line)
        self._bars["old"].glyph.update(fill_color=theme.dual, line_color=theme.background, line_width=0.5)
        for name in ("new", "fresh"):
            glyph = self._bars[name].glyph
            glyph.update(fill_color=theme.background, line_color=theme.accent, line_width=theme.line)
        self._bars["new"].glyph.hatch_color = theme.accent
        self._bars["idle"].glyph.update(fill_color=theme.muted, line_color=theme.muted, line_width=2)
        self.growth_cursor.line_color = theme.accent
        self.here.line_color = theme.text
        self.capacity.line_color = theme.primal
        self.capacity_label.text_color, self.capacity_label.text_font_size = theme.text, f"{theme.font}px"
        for plot in self.figures:
            plot.legend[0].update(spacing=7, glyph_width=16, label_standoff=3)
        self.cut_table.look = {
            "font": f"{theme.font}px", "text": theme.text, "muted": theme.muted, "back": theme.background,
            "line": theme.grid, "hover": theme.panel, "accent": theme.accent,
        }  # fmt: skip
