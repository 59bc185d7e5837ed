"""Cuts along a line are lines themselves, and the lower model of the risk is their maximum.

    cut j:  b_j - a_j . w(t),     model:  max(0, max_j cut j)

With one slack per example the model is the mean over examples of the cost of the largest of their own cuts.
Cost: one dot product per cut.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.contracts import Problem
from explorer.engine.dual.working_set import FIRST_RULE
from explorer.engine.runs.kept_cuts import KeptCuts, with_pending
from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Array, Ints, dot
from explorer.views.kit.cuts import PATIENCE, slope
from explorer.views.risk_slice.walk import Walk

MOST_CUTS = 4000
MOST_LINES = 40


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


def nearest_to(lines: CutLines, model: Curve, t: Array) -> CutLines:
    """The cuts to draw: the new ones, then those that come nearest to the model."""
    if len(lines) <= MOST_LINES:
        return lines
    coarse = t[::8]
    away = (model(coarse) - lines.at(coarse)).min(axis=1)
    return lines.only(np.sort(np.lexsort((away, ~lines.new))[:MOST_LINES]))
