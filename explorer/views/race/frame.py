"""A race in numbers: each learner's best objective and lower bound over one clock, and its standing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.learners import by_name
from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Array
from explorer.wording import number

MOST_POINTS = 600
FAR = 20
"""A lower bound this many times below the best objective is not drawn: it would squeeze everything else."""


@dataclass(frozen=True, slots=True, eq=False)
class Lane:
    """One learner's curves and where it stands."""

    name: str
    x: Array
    primal: Array
    dual: Array
    passes: float
    seconds: float
    best: float
    low: float
    gap: float
    certified: bool
    why: str
    objective: str = ""


NOBODY = Lane("", np.zeros(0), np.zeros(0), np.zeros(0), 0.0, 0.0, np.nan, np.nan, np.nan, False, "")


def frame(traces: Mapping[str, Trace], clock: str) -> list[Lane]:
    """Best primal so far and best dual so far of every learner, thinned to what a screen can show."""
    return [lane(name, trace, clock) for name, trace in traces.items()]


def lane(name: str, trace: Trace, clock: str) -> Lane:
    """One learner's lane."""
    n = len(trace)
    keep = (
        np.unique(np.linspace(0, max(0, n - 1), min(n, MOST_POINTS)).astype(int)) if n else np.zeros(0, int)
    )
    x = trace.column(clock)
    primal = np.fmin.accumulate(trace.column("primal")) if n else np.zeros(0)
    dual = np.fmax.accumulate(trace.column("dual")) if n else np.zeros(0)
    best = float(primal[-1]) if n else np.nan
    low = float(dual[-1]) if n else np.nan
    dual = np.where(dual < best / FAR, np.nan, dual)
    gap = (best - low) / abs(best) if n and best else np.nan
    why = trace.stops[-1][1].sentence if trace.stops else "running" if n else ""
    calls, seconds = (float(trace.column(c)[-1]) if n else 0.0 for c in ("oracle_calls", "seconds"))
    start, objective = (trace.starts[0][1].n, trace.starts[0][1].objective) if trace.starts else (1, "")
    certified = bool(n) and trace.certified(n - 1)
    curves = x[keep], primal[keep], dual[keep]
    return Lane(name, *curves, calls / max(1, start), seconds, best, low, gap, certified, why, objective)


def sentence(lanes: list[Lane]) -> str:
    """Who leads, and how low the optimum may still be; one line, so that the figure below keeps its place.

    Values of different objectives are not compared: each has a leader of its own.
    """
    known = [one for one in lanes if not np.isnan(one.best)]
    if not known:
        return "All learners are at the start."
    objectives = list(dict.fromkeys(one.objective for one in known))
    if len(objectives) == 1:
        return leader(known, "objective")
    return " ".join(leader([one for one in known if one.objective == each], each) for each in objectives)


def leader(known: list[Lane], objective: str) -> str:
    """Who of those that minimise the same leads."""
    first = min(known, key=lambda one: one.best)
    text = f"{by_name(first.name).title} has the lowest {objective} so far, {number(first.best)}"
    low = max((one.low for one in known if one.certified and not np.isnan(one.low)), default=np.nan)
    return (
        f"{text}; none below {number(low)} is possible."
        if low == low
        else f"{text}; how low it can get is not proved."
    )


def table(lanes: list[Lane]) -> dict[str, list[Any]]:
    """Where every learner stands."""
    return {
        "learner": [by_name(one.name).title for one in lanes],
        "objective": [one.best if len(one.x) else "at the start" for one in lanes],
        "relative gap": [relative_gap(one) for one in lanes],
        "passes": [one.passes for one in lanes],
        "seconds": [one.seconds for one in lanes],
        "why it stopped": [one.why for one in lanes],
    }


def relative_gap(one: Lane) -> float | str:
    """The gap that a learner has proved, or why there is none."""
    if not len(one.x):
        return ""
    if np.isnan(one.gap):
        return "no lower bound"
    return one.gap if one.certified else f"{number(one.gap)}, no certificate"


__all__ = ["FAR", "NOBODY", "Lane", "frame", "sentence", "table"]
