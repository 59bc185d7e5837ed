"""The working set as plain arrays: how it grows and is pruned, which cuts carry weight, and what each of them
says.

    w = sum_j alpha_j a_j,   a_j = u psi_j,   sum_j alpha_j <= C  (C / n for each example, linear penalty)
    violation of cut j = b_j - a_j . w: what it asks of its slack at the step's w

Cost of a frame: a dot product for each row of the table.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.contracts import Problem
from explorer.engine.dual.working_set import FIRST_RULE
from explorer.engine.events import EVERY_EXAMPLE, Cut
from explorer.engine.objective import cut_of, violation
from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Array, Ints, dot
from explorer.views.kit.cuts import (
    PATIENCE,
    KeptCuts,
    count_differing,
    cuts_in_phase,
    memory_of,
    pairs_of,
    price_at,
    recorded_cut,
    slope,
)
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.thinning import evenly
from explorer.wording import counted, number

MOST_POINTS = 1000
MOST_BARS = 200
MOST_ROWS = 100
NOISE = 1e-8
"""A violation smaller than this is shown as 0: quadratic programs are not solved more exactly."""


@dataclass(frozen=True, slots=True, eq=False)
class Growth:
    """Sizes of the working set over the steps; `cached` says which steps asked no oracle."""

    step: Array
    kept: Array
    active: Array
    pruned: Array
    cached: Any


@dataclass(frozen=True, slots=True, eq=False)
class CutBars:
    """Weights as bars: every cut at a place of its own, or the cuts of an example on top of each other."""

    x: Array
    bottom: Array
    top: Array
    newest: Any
    names: tuple[str, ...]
    of: str
    total: int
    capacity: float


@dataclass(frozen=True, slots=True, eq=False)
class CutRows:
    """The table's columns; `total` counts the cuts it was taken from, `late`: margins are still to be
    computed.
    """

    number: Ints
    example: Ints
    labelling: tuple[str, ...]
    loss: Array
    margin: Array
    violation: Array
    alpha: Array
    found: Ints
    total: int
    late: bool = False

    def __len__(self) -> int:
        return len(self.number)


@dataclass(frozen=True, slots=True, eq=False)
class WorkingSetFrame:
    """Everything shown about one step; `keeps`: the learner has a working set, that of step `kept_at`."""

    at: int
    growth: Growth
    bars: CutBars
    rows: CutRows
    keeps: bool
    kept_at: int
    active: int
    figures: Mapping[str, float]


def frame(
    problem: Problem, trace: Trace, at: int, phase: int = 0, example: int | None = 0, margins: bool = True
) -> WorkingSetFrame:
    """The working set at a step; without `margins` nothing is asked of the problem."""
    cuts, C = cuts_in_phase(trace, at, phase), price_at(trace, at)
    names = ("xi", "violation", "added", "cached", "risk", "model", "dropped")
    figures = {name: float(trace.column(name)[at]) if at < len(trace) else np.nan for name in names} | {
        "C": C
    }
    if cuts is None:
        rows = last_cuts(problem, trace, at, example or 0) if len(trace) and problem.n else no_rows()
        figures["met"] = float(len(trace) > 0 and len(trace.at(at).cuts))
        return WorkingSetFrame(at, growth(trace), no_bars(), rows, not len(trace), at, 0, figures)
    w = trace.at(cuts.at).w if margins else None
    each = bool(np.any(cuts.example >= 0))
    capacity = C / problem.n if each and problem.pricing.penalty == "linear" else np.nan
    shown, rows = bars(cuts, capacity, example), rows_of(problem, trace, cuts, w)
    return WorkingSetFrame(
        at, growth(trace), shown, rows, True, cuts.at, int(np.count_nonzero(cuts.alpha)), figures
    )


def growth(trace: Trace) -> Growth:
    """Sizes over the whole run, thinned to what a screen can show."""
    keep = evenly(len(trace), MOST_POINTS)
    kept, active, pruned, cached = (
        trace.column(name)[keep] for name in ("planes", "active", "dropped", "cached")
    )
    return Growth(keep.astype(float), kept, active, pruned, cached > 0)


def no_bars() -> CutBars:
    """Nothing to draw."""
    nothing = np.zeros(0)
    return CutBars(nothing, nothing, nothing, nothing > 0, (), "cut", 0, np.nan)


def bars(cuts: KeptCuts, capacity: float, example: int | None) -> CutBars:
    """One bar per cut, or per example a pile of its cuts; at most MOST_BARS places."""
    if not len(cuts):
        return no_bars()
    by_example = bool(np.any(cuts.example >= 0))
    group = cuts.example if by_example else np.arange(len(cuts))
    places, where = np.unique(group, return_inverse=True)
    mass = np.bincount(where, weights=cuts.alpha)
    fresh = np.bincount(where, weights=cuts.newest) > 0
    rank = np.lexsort((fresh, mass, places == example if by_example else fresh))[::-1]
    chosen = np.zeros(len(places), dtype=bool)
    chosen[rank[:MOST_BARS]] = True
    row = np.flatnonzero(chosen[where])
    row = row[np.argsort(where[row], kind="stable")]
    top = np.zeros(len(row))
    for place in np.unique(where[row]):
        mine = where[row] == place
        top[mine] = np.cumsum(cuts.alpha[row[mine]])
    names = tuple(str(p) if p >= 0 else "rule" for p in (places if by_example else cuts.ids)[chosen])
    x, of = (np.cumsum(chosen) - 1.0)[where[row]], "example" if by_example else "cut"
    return CutBars(x, top - cuts.alpha[row], top, cuts.newest[row], names, of, len(places), capacity)


def no_rows() -> CutRows:
    """An empty table."""
    none, nothing = np.zeros(0, dtype=np.int64), np.zeros(0)
    return CutRows(none, none, (), nothing, nothing, nothing, nothing, none, 0)


def rows_of(problem: Problem, trace: Trace, cuts: KeptCuts, w: Array | None) -> CutRows:
    """The cuts with the largest weights, the newest first among equals; margins at w where w is given."""
    order = np.lexsort((-cuts.ids, -cuts.alpha))[:MOST_ROWS]
    products, ends = np.full(len(order), np.nan), time.perf_counter() + PATIENCE
    for r, j in enumerate(order if w is not None else ()):
        a = slope(problem, trace, cuts, int(j)) if time.perf_counter() < ends else None
        products[r] = np.nan if a is None or w is None else dot(w, a)
    mine, pricing = cuts.only(order), problem.pricing
    joint = mine.example < 0
    unit = np.where(joint | (pricing.scaling != "slack"), 1.0, mine.b)
    margin = np.divide(products, unit, out=np.full(len(order), np.nan), where=unit != 0.0)
    loss = np.where(joint | (pricing.penalty == "linear"), mine.b, mine.b**2)
    words = tuple(claim_text(problem, trace, cuts, int(j)) for j in order)
    late, excess = w is not None and time.perf_counter() > ends, mine.b - products
    return CutRows(
        mine.ids, mine.example, words, loss, margin, excess, mine.alpha, mine.born, len(cuts), late
    )


def last_cuts(problem: Problem, trace: Trace, at: int, example: int) -> CutRows:
    """Where no cuts are kept: those the step met, or else the most violated one of an example at its w."""
    moment = trace.at(at)
    light = list(moment.cuts[-MOST_ROWS:])
    if not light or light[0].i == EVERY_EXAMPLE:
        light = [problem.oracle(moment.w, min(example, problem.n - 1))]
    cuts = [cut_of(problem, c.i, c.label) for c in light]
    margin = np.array([dot(moment.w, c.psi) for c in cuts])
    excess = np.array([violation(problem, moment.w, c) for c in cuts])
    words, m = tuple(labelling_text(problem, c) for c in cuts), len(cuts)
    who, loss = np.array([c.i for c in cuts]), np.array([c.loss for c in cuts])
    step = moment.cuts_at if moment.cuts else moment.w_at
    return CutRows(np.full(m, -1), who, words, loss, margin, excess, np.full(m, np.nan), np.full(m, step), m)


def worst_example(problem: Problem, w: Array, pairs: list[tuple[int, Any]]) -> int:
    """Whose labelling in a joint cut is the most violated at w."""
    return max(pairs, key=lambda pair: violation(problem, w, cut_of(problem, *pair)))[0]


# the table --------------------------------------------------------------------------------------------------

COLUMNS = {
    "number": "cut",
    "example": "example",
    "labelling": "labelling",
    "loss": "loss",
    "margin": "margin w·ψ",
    "violation": "violation",
    "alpha": "weight α",
    "found": "found at",
}


def row_order(rows: CutRows, by: str = "alpha", falling: bool = True) -> Ints:
    """The order of the table's rows by one column; unknown values come last, equal ones stay as they were."""
    keys = np.asarray(getattr(rows, by))
    if by == "labelling":
        keys = np.unique(keys, return_inverse=True)[1]
    keys = keys.astype(float)
    return np.argsort(np.where(np.isnan(keys), np.inf, -keys if falling else keys), kind="stable")


def cells(rows: CutRows) -> list[list[str]]:
    """The table as text."""
    numbers = [str(j) if j >= 0 else "open" for j in rows.number]
    who = [str(i) if i >= 0 else "all" if i == EVERY_EXAMPLE else "–" for i in rows.example]
    columns = (np.where(np.abs(v) < NOISE, 0.0, v) for v in (rows.loss, rows.margin, rows.violation))
    figures = [[number(float(v)) for v in column] for column in columns]
    alpha = ["none" if np.isnan(a) else number(float(a)) for a in rows.alpha]
    found = [str(step) if step >= 0 else "–" for step in rows.found]
    return [list(row) for row in zip(numbers, who, rows.labelling, *figures, alpha, found, strict=True)]


def claim_text(problem: Problem, trace: Trace, cuts: KeptCuts, j: int) -> str:
    """What cut j claims, next to the truth."""
    if cuts.example[j] <= FIRST_RULE:
        return "rule"
    cut, born = recorded_cut(trace, cuts, j), int(cuts.born[j])
    if cut is None:
        return "not kept"
    if cut.i != EVERY_EXAMPLE:
        return labelling_text(problem, cut)
    if cut.label is None:
        return "tangent of the risk"

    def wrong() -> str:
        pairs, truths = pairs_of(trace, born, cut), problem.dataset.labels
        count = count_differing([y for _, y in pairs], [truths[i] for i, _ in pairs])
        return f"{count} of {len(pairs)} examples wrong"

    return memory_of(problem, trace).get(("words", born), wrong)


def labelling_text(problem: Problem, cut: Cut) -> str:
    """One example's labelling and how it differs from the truth."""
    depiction = depiction_of(problem)
    if np.array_equal(cut.label, problem.dataset.labels[cut.i]):
        return f"{depiction.label_text(problem, cut.label, cut.i)}, the truth"
    return depiction.mistake(problem, cut.i, cut.label)


# words ------------------------------------------------------------------------------------------------------


def sentence(shown: WorkingSetFrame) -> str:
    """Size, weights and the latest find."""
    if not len(shown.growth.step):
        return "Nothing trained yet: press play."
    if not shown.keeps:
        return without_cuts(shown)
    cuts, bars, dropped = shown.rows.total, shown.bars, shown.figures["dropped"]
    size = f"Step {shown.at}: {counted(cuts, 'cut')} kept, {shown.active:,} with weight"
    size += f", {int(dropped):,} pruned so far" if dropped > 0 else ""
    parts = [size + capacity_words(shown) + ".", found_words(shown.figures)]
    if shown.kept_at not in (shown.at, shown.at + 1):
        parts.append(f"Cuts are those of step {shown.kept_at}, the nearest that was kept.")
    if bars.total > len(bars.names):
        parts.append(f"{len(bars.names)} of {bars.total:,} {bars.of}s have bars: the largest weights.")
    if shown.growth.cached.any():
        parts.append(f"{np.mean(shown.growth.cached):.0%} of the iterations took their cut from the cache.")
    return " ".join(part for part in parts if part)


def left_out(rows: CutRows) -> list[str]:
    """What the table's caption says of cuts that it has no row for; nothing when it has all."""
    return [f"{len(rows)} of {rows.total:,} cuts, largest weights"] if rows.total > len(rows) else []


def capacity_words(shown: WorkingSetFrame) -> str:
    """How much of the weight that C allows is used."""
    bars, C = shown.bars, shown.figures["C"]
    if bars.of == "cut":
        used = number(float(np.sum(bars.top - bars.bottom)))
        told = np.isfinite(C) and 0 < bars.total == len(bars.names)
        return f"; weights sum to {used} of C = {number(C)}" if told else ""
    if not np.isfinite(bars.capacity):
        return ""
    full = len(np.unique(bars.x[bars.top >= bars.capacity * (1.0 - 1e-6)]))
    verb = "has" if full == 1 else "have"
    return f"; {counted(full, 'example')} {verb} all the weight that C / n = {number(bars.capacity)} allows"


def found_words(figures: Mapping[str, float]) -> str:
    """What the step's oracle pass brought."""
    if not np.isnan(figures["violation"]):
        source = "cache's" if figures["cached"] > 0 else "new"
        verdict = "it enters" if figures["added"] > 0 else "left out"
        tiny = abs(figures["xi"]) <= 1e-9 * abs(figures["violation"])  # what a sum of rounded numbers leaves
        found, slack = number(figures["violation"]), number(0.0 if tiny else figures["xi"])
        return f"The {source} cut is violated by {found}, the slack is {slack}: {verdict}."
    if not np.isnan(figures["risk"]):
        return f"Risk {number(figures['risk'])}, lower model {number(figures['model'])}."
    if not np.isnan(figures["added"]):
        return f"This pass added {counted(figures['added'], 'cut')}."
    return ""


def without_cuts(shown: WorkingSetFrame) -> str:
    """What there is to say about a learner without a working set."""
    text = f"Step {shown.at}: this learner keeps no cuts; it moves w and forgets what it was told."
    if not len(shown.rows):
        return text
    found, who = int(shown.rows.found[-1]), int(shown.rows.example[-1])
    if not shown.figures["met"]:
        return f"{text} The table has the most violated labelling of example {who} at step {found}."
    return f"{text} The table has the {counted(len(shown.rows), 'cut')} met at step {found}."


def table(shown: WorkingSetFrame) -> dict[str, Any]:
    """The sizes over time; the cuts have a table of their own."""
    g = shown.growth
    sizes = {"kept": g.kept, "with weight": g.active, "pruned so far": g.pruned}
    return {"step": g.step.astype(int), **sizes, "asked": np.where(g.cached, "cache", "oracle")}
