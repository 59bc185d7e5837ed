"""Bounds of several learners over one clock: each learner one colour, dash and marker, primal solid and dual thin."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import panel as pn
import param
from bokeh.models import ColumnDataSource, HoverTool
from bokeh.plotting import figure

from explorer.engine.learners import by_name
from explorer.engine.trace import Trace
from explorer.engine.vectors import Array
from explorer.views.theme import LIGHT, Theme, restyle
from explorer.views.view import TEXT, html_table, number

MARKERS = ("circle", "square", "triangle", "diamond")
DASHES = ("solid", "dashed", "dotdash", "dotted")
MOST_POINTS = 600


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
    gap: float
    why: str


def frame(traces: Mapping[str, Trace], clock: str) -> list[Lane]:
    """Best primal so far and best dual so far of every learner, thinned to what a screen can show."""
    return [lane(name, trace, clock) for name, trace in traces.items()]


def lane(name: str, trace: Trace, clock: str) -> Lane:
    """One learner's lane."""
    n = len(trace)
    keep = np.unique(np.linspace(0, max(0, n - 1), min(n, MOST_POINTS)).astype(int)) if n else np.zeros(0, int)
    x = trace.column(clock)
    primal = np.fmin.accumulate(trace.column("primal")) if n else np.zeros(0)
    dual = np.fmax.accumulate(trace.column("dual")) if n else np.zeros(0)
    best = float(primal[-1]) if n else np.nan
    low = float(dual[-1]) if n else np.nan
    gap = (best - low) / abs(best) if n and best else np.nan
    why = trace.stops[-1][1].sentence if trace.stops else "running"
    calls, seconds = (float(trace.column(c)[-1]) if n else 0.0 for c in ("oracle_calls", "seconds"))
    start = trace.starts[0][1].n if trace.starts else 1
    return Lane(name, x[keep], primal[keep], dual[keep], calls / max(1, start), seconds, best, gap, why)


def sentence(lanes: list[Lane]) -> str:
    """Who leads."""
    known = [one for one in lanes if not np.isnan(one.best)]
    if not known:
        return "Nobody has started: press play."
    first = min(known, key=lambda one: one.best)
    shares = [f"{by_name(one.name).title} {number(one.best)}" for one in known]
    return f"{by_name(first.name).title} has the lowest objective so far. Objectives: {', '.join(shares)}."


def table(lanes: list[Lane]) -> dict[str, list[Any]]:
    """Where every learner stands."""
    return {
        "learner": [by_name(one.name).title for one in lanes],
        "objective": [one.best for one in lanes],
        "relative gap": [one.gap for one in lanes],
        "passes": [one.passes for one in lanes],
        "seconds": [one.seconds for one in lanes],
        "why it stopped": [one.why for one in lanes],
    }


class RaceBounds(pn.viewable.Viewer):
    """The overlaid bounds and the standings."""

    theme = param.Parameter(LIGHT)

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.sources: list[tuple[ColumnDataSource, Any, Any, Any]] = []
        self.plot = figure(
            y_axis_type="log", sizing_mode="stretch_both", min_height=360, toolbar_location=None,
            tools="pan,box_zoom,reset", y_axis_label="objective", x_axis_label="oracle calls",
        )  # fmt: skip
        for j in range(len(MARKERS)):
            source = ColumnDataSource({"x": [], "primal": [], "dual": []})
            upper = self.plot.line("x", "primal", source=source, line_dash=DASHES[j])
            lower = self.plot.line("x", "dual", source=source, line_dash=DASHES[j], line_alpha=0.7)
            dots = self.plot.scatter("x", "primal", source=source, size=6, marker=MARKERS[j])
            self.sources.append((source, upper, lower, dots))
        self.plot.add_tools(HoverTool(tooltips=[("objective", "@primal{0.0000}"), ("dual", "@dual{0.0000}")]))
        self.words = pn.pane.HTML(
            "", css_classes=["view-sentence"], sizing_mode="stretch_width", margin=(0, 8), stylesheets=[TEXT]
        )
        self.standings = pn.pane.HTML("", sizing_mode="stretch_width", margin=(0, 8), stylesheets=[TEXT])
        self.param.watch(lambda *_: self.recolour(self.theme), "theme")
        self.recolour(LIGHT)

    def close(self) -> None:
        """Nothing is listened to."""

    def show(self, lanes: list[Lane], clock: str) -> None:
        """Put the lanes into the sources; curves without a learner are emptied."""
        self.plot.xaxis.axis_label = clock
        for j, (source, *_) in enumerate(self.sources):
            one = lanes[j] if j < len(lanes) else None
            empty: Array = np.zeros(0)
            source.data = {
                "x": one.x if one else empty, "primal": one.primal if one else empty, "dual": one.dual if one else empty,
            }  # fmt: skip
        self.words.object = f"<p role='status' aria-live='polite'>{escape(sentence(lanes))}</p>"
        columns = table(lanes)
        signs = [f"{MARKERS[j]}, {DASHES[j]}" for j in range(len(lanes))]
        self.standings.object = html_table({"sign": signs, **columns}, "Standings")

    def recolour(self, theme: Theme) -> None:
        """Dress the figure in a theme."""
        restyle(self.plot, theme)
        colours = (theme.primal, theme.dual, theme.truth, theme.accent)
        for colour, (_, upper, lower, dots) in zip(colours, self.sources, strict=True):
            upper.glyph.line_color = lower.glyph.line_color = dots.glyph.line_color = colour
            dots.glyph.fill_color = theme.background
            upper.glyph.line_width, lower.glyph.line_width = theme.line, theme.line / 2

    def __panel__(self) -> Any:
        picture = pn.pane.Bokeh(self.plot, sizing_mode="stretch_both", min_height=360, margin=0)
        return pn.Column(self.words, picture, self.standings, sizing_mode="stretch_both", margin=0)
