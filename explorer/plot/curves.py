"""Curves over the steps of a run, or over C: bounds, the working set, several runs, the path."""

from collections.abc import Iterable
from typing import Any

import holoviews as hv
import numpy as np

from explorer.engine.runs.path import PathPoint
from explorer.engine.runs.trace import Trace
from explorer.plot.style import THEME, line, with_style
from explorer.views.bounds.frame import CLOCKS
from explorer.views.bounds.frame import frame as bounds_frame
from explorer.views.path.frame import curves
from explorer.views.race.frame import frame as race_frame
from explorer.views.working_set.frame import growth

COLOURS = (THEME.primal, THEME.dual, THEME.truth, THEME.accent, THEME.neutral, THEME.high)
OTHERS = [THEME.truth, THEME.accent, THEME.neutral, THEME.high]
PRIMALS, DUALS = hv.Cycle([THEME.primal, *OTHERS]), hv.Cycle([THEME.dual, *OTHERS])
"""The first run has the colours that it has everywhere; of each other run both curves have the same.
"""


def bounds(trace: Trace, clock: str = "iteration", label: str = "") -> Any:
    """Primal and dual, dashed, against iterations, "oracle calls" or "seconds"; `label` names the run. Runs
    that are laid over each other have colours of their own.
    """
    shown = bounds_frame(trace, len(trace) - 1, clock)
    name = f"{label} " if label else ""
    above = hv.Curve((shown.x, shown.primal), clock, shown.what, label=f"{name}primal", group="Primal")
    if not shown.bounded:
        return line(above, PRIMALS)
    below = hv.Curve((shown.x, shown.dual), clock, shown.what, label=f"{name}dual", group="Dual")
    proved = "not certified" if shown.doubt else "certified"
    both = line(above, PRIMALS) * line(below, DUALS, dash=True)
    return with_style(both).relabel(f"{label or 'Bounds'}, {proved}" if len(trace) else label or "Bounds")


def working_set(trace: Trace) -> Any:
    """How many cuts are kept, and how many of them carry weight."""
    grown = growth(trace)
    kept = hv.Curve((grown.step, grown.kept), "iteration", "cuts", label="kept")
    active = hv.Curve((grown.step, grown.active), "iteration", "cuts", label="with weight")
    return with_style(line(kept, THEME.neutral) * line(active, THEME.accent)).relabel("Working set")


def race(*runs: Trace, clock: str = "oracle calls", **traces: Trace) -> Any:
    """Several runs: the best objective so far of each, its lower bound dashed. Those without a name of their
    own are called by number and learner.
    """
    shown = None
    numbered = {f"{n}: {run.starts[-1][1].learner}": run for n, run in enumerate(runs, start=1) if run.starts}
    traces = numbered | traces
    for colour, lane in zip(_cycle(len(traces)), race_frame(traces, CLOCKS[clock]), strict=True):
        above = line(hv.Curve((lane.x, lane.primal), clock, "objective", label=lane.name), colour)
        below = line(hv.Curve((lane.x, lane.dual), clock, "objective"), colour, dash=True)
        shown = above * below if shown is None else shown * above * below
    return hv.Overlay([]) if shown is None else with_style(shown).relabel("Race")


def path(points: Iterable[PathPoint], low: float | None = None, high: float | None = None) -> Any:
    """Training and test loss and |w| over C, from the points of `engine.runs.path.path`."""
    known = [point for point in points if isinstance(point, PathPoint)]
    if not known:
        return hv.Overlay([])
    begin, end = low or min(point.low for point in known), high or max(point.high for point in known)
    over = curves(known, begin, end)
    losses = [
        line(
            hv.Curve((over["C"], over[name]), "C", "mean loss", label=name.replace("_", " ")),
            colour,
            logx=True,
        )
        for name, colour in (("train_loss", THEME.guess), ("test_loss", THEME.primal))
        if np.isfinite(over[name]).any()
    ]
    norm = line(hv.Curve((over["C"], over["norm"]), "C", "|w|", label="norm of w"), THEME.accent, logx=True)
    return (
        with_style(hv.Overlay(losses)).relabel("Loss over C") + with_style(norm).relabel("Norm over C")
    ).cols(1)


def _cycle(count: int) -> tuple[str, ...]:
    return tuple(COLOURS[i % len(COLOURS)] for i in range(count))
