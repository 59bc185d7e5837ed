"""The working set as plain arrays: how it grows and is pruned, which cuts carry weight, what they say.

    w = sum_j alpha_j a_j,   a_j = u psi_j,   sum_j alpha_j <= C  (C / n for each example, linear penalty)

Cost of a frame: that of its `rows`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.contracts import Problem
from explorer.engine.runs.kept_cuts import KeptCuts, cuts_in_phase, price_at
from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Array
from explorer.views.kit.drawing.thinning import evenly
from explorer.views.working_set.rows import (
    CutRows,
    last_cuts,
    no_rows,
    rows_of,
)

MOST_POINTS = 1000
MOST_BARS = 200


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
        return WorkingSetFrame(
            at,
            growth(trace, at if phase else None),
            no_bars(),
            rows,
            not len(trace),
            at,
            0,
            figures,
        )
    w = trace.at(cuts.at).w if margins else None
    each = bool(np.any(cuts.example >= 0))
    capacity = C / problem.n if each and problem.pricing.penalty == "linear" else np.nan
    shown, rows = bars(cuts, capacity, example), rows_of(problem, trace, cuts, w)
    return WorkingSetFrame(
        at,
        growth(trace, at if phase else None),
        shown,
        rows,
        True,
        cuts.at,
        int(np.count_nonzero(cuts.alpha)),
        figures,
    )


def growth(trace: Trace, until: int | None = None) -> Growth:
    """Sizes over the run up to step `until`, thinned to what a screen can show."""
    keep = evenly(len(trace) if until is None else min(until + 1, len(trace)), MOST_POINTS)
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
