"""The objective between its bounds: primal above, dual below, over iterations, oracle calls or seconds.

Primal values are those of the steps' own w; the best so far is their running minimum. A step whose primal
nobody computed has a gap in the line. A learner without an objective (the perceptron) is shown by the mean
slack of the looks at it. Where a theorem says how long the learner can take at most, the last step that it
allows is a line, named at the axis of steps, where it covers no curve.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.events import MEAN_SLACK
from explorer.engine.runs.promises import Promise
from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Array
from explorer.views.kit.drawing.thinning import evenly
from explorer.wording import number

ITERATION = "iteration"
CLOCKS = {ITERATION: "k", "oracle calls": "oracle_calls", "seconds": "seconds"}
OBJECTIVE = "objective"
MOST_POINTS = 2000
ARROW = "\N{RIGHTWARDS ARROW}"


@dataclass(frozen=True, slots=True, eq=False)
class BoundsFrame:
    """The curves up to now, and where the cursor is."""

    x: Array
    primal: Array
    dual: Array
    best: Array
    step: Array
    at: int
    doubt: str
    clock: str
    what: str = OBJECTIVE
    due: Promise | None = None
    bounded: bool = True


def frame(
    trace: Trace, at: int, clock: str = ITERATION, due: Promise | None = None, until: int | None = None
) -> BoundsFrame:
    """The run's bounds up to step `until` against one clock, thinned to what a screen can show.

    `due` is when a theorem ends the run.
    """
    n = len(trace)
    x, primal, dual = times(trace, clock), trace.column("primal"), trace.column("dual")
    begun = trace.start_of(min(at, n - 1)) if n else None
    known, what = np.arange(n), (begun and begun.objective) or OBJECTIVE
    bounded = not n or not (np.isnan(primal).all() and np.isnan(dual).all())
    if not bounded:
        primal, what = trace.column("mean_slack"), begun.risk if begun else MEAN_SLACK
        known = np.flatnonzero(np.isfinite(primal))
    if until is not None:
        known = known[known <= until]
    best = np.fmin.accumulate(primal) if n else primal
    keep = known[evenly(len(known), MOST_POINTS)]
    doubt = trace.doubt(min(at, n - 1)) if n else ""
    curves = (x[keep], primal[keep], dual[keep], best[keep], keep.astype(float))
    return BoundsFrame(*curves, at, doubt, clock, what, due, bounded)


def times(trace: Trace, clock: str) -> Array:
    """Every step's place on a clock."""
    return np.arange(len(trace), dtype=float) if clock == ITERATION else trace.column(CLOCKS[clock])


def place(shown: BoundsFrame, step: int) -> int:
    """Where a step is among the points that are drawn: the first that is not before it."""
    return int(np.searchsorted(shown.step, step).clip(0, len(shown.x) - 1))


def at_cursor(shown: BoundsFrame) -> tuple[float, float]:
    """Primal and dual of the step under the cursor; NaN where unknown."""
    if not len(shown.x):
        return np.nan, np.nan
    j = place(shown, shown.at)
    return float(shown.primal[j]), float(shown.dual[j])


def sentence(shown: BoundsFrame) -> str:
    """Bounds and gap at the cursor, and what they prove."""
    if not shown.bounded:
        return without_objective(shown)
    if not len(shown.x):
        return "Nothing trained yet: press play."
    primal, dual = at_cursor(shown)
    if np.isnan(primal):
        return f"Step {shown.at}: dual {number(dual)}; the primal value of this step was not computed."
    if np.isnan(dual):
        return f"Step {shown.at}: primal {number(primal)}; this learner gives no lower bound."
    kind = f"not a certificate: {shown.doubt}" if shown.doubt else "a certificate"
    share = (primal - dual) / abs(primal) if primal else 0.0
    return (
        f"Step {shown.at}: primal {number(primal)}, dual {number(dual)}, gap {share:z.2%} of the primal "
        f"({kind})."
    )


def axis_words(shown: BoundsFrame) -> str:
    """What the horizontal axis counts and, where it counts steps, the step at which the run has ended by a
    theorem, with an arrow while no step so far is as far to the right.
    """
    if shown.due is None or shown.clock != ITERATION:
        return shown.clock
    far = not len(shown.x) or shown.due.last_step > shown.step[-1]
    return f"{shown.clock}; {shown.due.theorem}: ends by {shown.due.last_step:,}{f' {ARROW}' if far else ''}"


def without_objective(shown: BoundsFrame) -> str:
    """What is measured instead, at the last look up to the cursor."""
    seen = np.searchsorted(shown.step, shown.at, side="right") - 1
    told = (
        f"the {shown.what} at step {int(shown.step[seen])} is {number(shown.primal[seen])}"
        if seen >= 0
        else "no look yet"
    )
    return f"Step {shown.at}: this learner has no objective to bound; {told}."


def table(shown: BoundsFrame) -> dict[str, Any]:
    """The curves as columns."""
    if not shown.bounded:
        return {"step": shown.step.astype(int), shown.clock: shown.x, shown.what: shown.primal}
    gap = shown.primal - shown.dual
    return {
        "step": shown.step.astype(int),
        shown.clock: shown.x,
        "primal": shown.primal,
        "dual": shown.dual,
        "gap": gap,
    }
