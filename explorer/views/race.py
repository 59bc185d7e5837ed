"""Bounds of several learners over one clock: each learner one colour, dash and marker, primal solid and dual thin."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, ClassVar

import numpy as np
import panel as pn
import param
from bokeh.models import ColumnDataSource, HoverTool, Legend, LegendItem
from bokeh.plotting import figure

from explorer.engine.learners import by_name
from explorer.engine.trace import Trace
from explorer.engine.vectors import Array
from explorer.views.drawing import sign
from explorer.views.theme import LIGHT, Theme, restyle
from explorer.views.view import TEXT, blank
from explorer.views.words import number

MARKERS = ("circle", "square", "triangle", "diamond")
DASHES = ("solid", "dashed", "dotdash", "dotted")
MOST_POINTS = 600
MOST_MARKERS = 12
FAR = 20
"""A lower bound so many times below the best objective is not drawn: it would squeeze everything else."""


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


NOBODY = Lane("", np.zeros(0), np.zeros(0), np.zeros(0), 0.0, 0.0, np.nan, np.nan, "")


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
    dual = np.where(dual < best / FAR, np.nan, dual)
    gap = (best - low) / abs(best) if n and best else np.nan
    why = trace.stops[-1][1].sentence if trace.stops else "running" if n else ""
    calls, seconds = (float(trace.column(c)[-1]) if n else 0.0 for c in ("oracle_calls", "seconds"))
    start = trace.starts[0][1].n if trace.starts else 1
    return Lane(name, x[keep], primal[keep], dual[keep], calls / max(1, start), seconds, best, gap, why)


def sentence(lanes: list[Lane]) -> str:
    """Who leads."""
    known = [one for one in lanes if not np.isnan(one.best)]
    if not known:
        return "All learners are at the start."
    first = min(known, key=lambda one: one.best)
    shares = [f"{by_name(one.name).title} {number(one.best)}" for one in known]
    return f"{by_name(first.name).title} has the lowest objective so far. Objectives: {', '.join(shares)}."


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
    return "no lower bound" if np.isnan(one.gap) else one.gap


def swatch(j: int, colour: str, paper: str) -> str:
    """Lane j's colour, dash and marker as a small picture, as the lines in the figure have them."""
    dash = {"solid": "none", "dashed": "6 3", "dotdash": "2 3 6 3", "dotted": "2 3"}[DASHES[j]]
    marker = {
        "circle": "<circle cx='18' cy='7' r='4'/>", "square": "<rect x='14' y='3' width='8' height='8'/>",
        "triangle": "<path d='M18 2 L22.5 10.5 L13.5 10.5 Z'/>", "diamond": "<path d='M18 1.5 L22.5 7 L18 12.5 L13.5 7 Z'/>",
    }[MARKERS[j]]  # fmt: skip
    return (
        f"<svg width='36' height='14' role='img' aria-label='{DASHES[j]} line, {MARKERS[j]}s' fill='{paper}' "
        f"stroke='{colour}' stroke-width='2'><path d='M0 7 H36' stroke-dasharray='{dash}'/>{marker}</svg>"
    )


def standings(lanes: list[Lane], theme: Theme) -> str:
    """The table of where every learner stands, each with its line's picture; every text is escaped."""
    columns = table(lanes)
    head = "".join(f"<th scope='col'>{escape(name)}</th>" for name in columns)
    rows = "".join(
        f"<tr><td>{swatch(j, hues(theme)[j], theme.background)}</td>"
        + "".join(f"<td>{escape(number(values[j]))}</td>" for values in columns.values())
        + "</tr>"
        for j in range(len(lanes))
    )
    return (
        f"<table class='standings'><caption>Standings</caption><thead><tr><th scope='col'>line</th>{head}</tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )


LEFT = ".standings td, .standings th { text-align: left; white-space: nowrap; }"


class RaceBounds(pn.viewable.Viewer):
    """The overlaid bounds and the standings."""

    title: ClassVar[str] = "Bounds side by side"
    name_key: ClassVar[str] = "race"
    help: ClassVar[str] = (
        "For each learner the best objective reached so far (thick, with markers) and, where it proves one, its lower "
        "bound (thin, once it is near). The optimum of all lies between the lowest thick and the highest thin line."
    )

    theme = param.Parameter(LIGHT)
    table_open = param.Boolean(True, doc="Whether the standings are shown.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.lanes: list[Lane] = []
        self.plot = figure(
            y_axis_type="log", sizing_mode="stretch_both", min_height=200, toolbar_location=None,
            tools="pan,box_zoom,reset", y_axis_label="objective", x_axis_label="oracle calls",
        )  # fmt: skip
        self.figures = [self.plot]
        self.blank = blank(self.plot)
        self.lines = [self._lane(j) for j in range(len(MARKERS))]
        self.signs = [[sign(self.plot, upper), sign(self.plot, dots)] for upper, _, dots in self.lines]
        self.legend = Legend(items=[], orientation="horizontal")
        self.plot.add_layout(self.legend, "above")
        tips = [("learner", "@name"), ("objective", "@primal{0.0000}"), ("lower bound", "@dual{0.0000}")]
        self.plot.add_tools(HoverTool(renderers=[upper for upper, *_ in self.lines], tooltips=tips))
        words = {"sizing_mode": "stretch_width", "margin": (0, 8), "stylesheets": [TEXT, LEFT]}
        self.words = pn.pane.HTML("", css_classes=["view-sentence"], **words)
        self.standings = pn.pane.HTML("", **words)
        self.param.watch(lambda *_: self.recolour(self.theme), "theme")
        self.param.watch(lambda e: self.standings.param.update(visible=e.new), "table_open")
        self.recolour(LIGHT)

    def _lane(self, j: int) -> tuple[Any, Any, Any]:
        """Upper line, lower line and markers of one learner; lines share a source."""
        source = ColumnDataSource({"x": [], "primal": [], "dual": [], "name": []})
        upper = self.plot.line("x", "primal", source=source, line_dash=DASHES[j])
        lower = self.plot.line("x", "dual", source=source, line_dash=DASHES[j], line_alpha=0.8)
        few = ColumnDataSource({"x": [], "primal": []})
        dots = self.plot.scatter("x", "primal", source=few, size=8, marker=MARKERS[j])
        return upper, lower, dots

    def close(self) -> None:
        """Nothing is listened to."""

    def show(self, lanes: list[Lane], clock: str) -> None:
        """Put the lanes into the sources; curves without a learner are emptied."""
        self.plot.xaxis.axis_label = clock
        for j, (upper, _, dots) in enumerate(self.lines):
            one = lanes[j] if j < len(lanes) else NOBODY
            upper.data_source.data = columns(one)
            dots.data_source.data = marked(one)
        self.blank(lane.primal for lane in lanes)
        if [one.name for one in lanes] != [one.name for one in self.lanes]:
            self._name(lanes)
        self.lanes = lanes
        self.words.object = f"<p role='status' aria-live='polite'>{escape(sentence(lanes))}</p>"
        self._stand()

    def _name(self, lanes: list[Lane]) -> None:
        """Give the legend one entry per learner."""
        self.legend.items = [
            LegendItem(label=by_name(one.name).title, renderers=signs)
            for one, signs in zip(lanes, self.signs, strict=False)
        ]

    def _stand(self) -> None:
        self.standings.object = standings(self.lanes, self.theme) if self.lanes else ""

    def recolour(self, theme: Theme) -> None:
        """Dress the figure in a theme."""
        restyle(self.plot, theme)
        for colour, (upper, lower, dots) in zip(hues(theme), self.lines, strict=True):
            upper.glyph.line_color = lower.glyph.line_color = dots.glyph.line_color = colour
            dots.glyph.fill_color = theme.background
            upper.glyph.line_width, lower.glyph.line_width = theme.line, theme.line / 2
        self._stand()

    def __panel__(self) -> Any:
        picture = pn.pane.Bokeh(self.plot, sizing_mode="stretch_both", min_height=200, margin=0)
        return pn.Column(self.words, picture, self.standings, sizing_mode="stretch_both", margin=0)


def hues(theme: Theme) -> tuple[str, ...]:
    """One colour per lane."""
    return theme.primal, theme.dual, theme.truth, theme.accent


def columns(one: Lane) -> dict[str, Any]:
    """What a lane's lines are drawn from."""
    title = by_name(one.name).title if one.name else ""
    return {"x": one.x, "primal": one.primal, "dual": one.dual, "name": [title] * len(one.x)}


def marked(one: Lane) -> dict[str, Any]:
    """The few points of a lane that get a marker."""
    few = np.unique(np.linspace(0, len(one.x) - 1, MOST_MARKERS).astype(int)) if len(one.x) else np.zeros(0, int)
    return {"x": one.x[few], "primal": one.primal[few]}


__all__ = ["Lane", "RaceBounds", "frame", "sentence", "standings", "table"]
