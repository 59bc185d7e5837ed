"""The objective between its bounds: primal above, dual below, the gap as a band, over iterations, oracle
calls or seconds.

Primal values are those of the steps' own w; the best so far is their running minimum. A step whose primal
nobody computed has a gap in the line. Moments at which a setting changed are marked on the axis. A learner
without an objective (the perceptron) is shown by the mean slack of the looks at it.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import panel as pn
import param
from bokeh.models import HoverTool
from bokeh.plotting import figure

from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Array
from explorer.views.kit.axes import readable
from explorer.views.kit.drawing import fill, legend, source
from explorer.views.kit.theme import Theme
from explorer.views.kit.thinning import evenly
from explorer.views.kit.timeline import Timeline
from explorer.views.kit.view import View, blank
from explorer.wording import number

CLOCKS = {"iteration": "k", "oracle calls": "oracle_calls", "seconds": "seconds"}
OBJECTIVE, SLACK = "objective", "mean slack"
MOST_POINTS = 2000
FEW_POINTS = 80
"""More points than these would cover their line with dots."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """The curves up to now, and where the cursor is."""

    x: Array
    primal: Array
    dual: Array
    best: Array
    step: Array
    at: int
    certified: bool
    relaxed: bool
    clock: str
    what: str = OBJECTIVE


def frame(trace: Trace, at: int, clock: str = "iteration") -> Frame:
    """The whole run's bounds against one clock, thinned to what a screen can show."""
    n = len(trace)
    x, primal, dual = times(trace, clock), trace.column("primal"), trace.column("dual")
    known, what = np.arange(n), OBJECTIVE
    if n and np.isnan(primal).all() and np.isnan(dual).all():
        primal, what = trace.column("mean_slack"), SLACK
        known = np.flatnonzero(np.isfinite(primal))
    best = np.fmin.accumulate(primal) if n else primal
    keep = known[evenly(len(known), MOST_POINTS)]
    certified = bool(n) and trace.certified(min(at, n - 1))
    begun = trace.started(min(at, n - 1)) if n else None
    relaxed = begun is not None and begun.relaxed
    curves = (x[keep], primal[keep], dual[keep], best[keep], keep.astype(float))
    return Frame(*curves, at, certified, relaxed, clock, what)


def times(trace: Trace, clock: str) -> Array:
    """Every step's place on a clock."""
    return np.arange(len(trace), dtype=float) if clock == "iteration" else trace.column(CLOCKS[clock])


def place(shown: Frame, step: int) -> int:
    """Where a step is among the points that are drawn: the first that is not before it."""
    return int(np.searchsorted(shown.step, step).clip(0, len(shown.x) - 1))


def at_cursor(shown: Frame) -> tuple[float, float]:
    """Primal and dual of the step under the cursor; NaN where unknown."""
    if not len(shown.x):
        return np.nan, np.nan
    j = place(shown, shown.at)
    return float(shown.primal[j]), float(shown.dual[j])


def sentence(shown: Frame) -> str:
    """Bounds and gap at the cursor, and what they prove."""
    if shown.what == SLACK:
        return without_objective(shown)
    if not len(shown.x):
        return "Nothing trained yet: press play."
    primal, dual = at_cursor(shown)
    if np.isnan(primal):
        return f"Step {shown.at}: dual {number(dual)}; the primal value of this step was not computed."
    if np.isnan(dual):
        return f"Step {shown.at}: primal {number(primal)}; this learner gives no lower bound."
    why = "relaxed" if shown.relaxed else "approximate"
    kind = "a certificate" if shown.certified else f"not a certificate: the oracle is {why}"
    share = (primal - dual) / abs(primal) if primal else 0.0
    return (
        f"Step {shown.at}: primal {number(primal)}, dual {number(dual)}, gap {share:z.2%} of the primal "
        f"({kind})."
    )


def without_objective(shown: Frame) -> str:
    """The mean slack at the last look up to the cursor."""
    seen = np.searchsorted(shown.step, shown.at, side="right") - 1
    told = (
        f"the mean slack at step {int(shown.step[seen])} is {number(shown.primal[seen])}"
        if seen >= 0
        else "no look yet"
    )
    return f"Step {shown.at}: this learner has no objective to bound; {told}."


def table(shown: Frame) -> dict[str, Any]:
    """The curves as columns."""
    if shown.what == SLACK:
        return {"step": shown.step.astype(int), shown.clock: shown.x, SLACK: shown.primal}
    gap = shown.primal - shown.dual
    return {
        "step": shown.step.astype(int),
        shown.clock: shown.x,
        "primal": shown.primal,
        "dual": shown.dual,
        "gap": gap,
    }


class Bounds(View):
    """Primal and dual bounds."""

    title: ClassVar[str] = "Bounds"
    name_key: ClassVar[str] = "bounds"
    urgent: ClassVar[bool] = True
    help: ClassVar[str] = (
        "The optimum lies between the two curves. The upper one is the objective at this step's weights, "
        "the lower one "
        "is proved by the cuts found so far."
    )

    clock = param.Selector(objects=list(CLOCKS), default="iteration", doc="What the horizontal axis counts.")
    log_scale = param.Boolean(True, doc="Logarithmic vertical axis: halving takes the same room everywhere.")

    def build(self) -> Any:
        self._parts: list[Any] = []
        self.source = source("x primal dual best step")
        self.blanks: list[Any] = []
        self.plots: dict[bool, Any] = {}
        self.pane = pn.pane.Bokeh(self._plot(), sizing_mode="stretch_both", min_height=170, margin=0)
        self.param.watch(self._switch, ["log_scale"])
        self.param.watch(lambda *_: self.refresh(), ["clock"])
        return self.pane

    def _figure(self, scale: str) -> Any:
        plot = figure(
            y_axis_type=scale,
            sizing_mode="stretch_both",
            tools="pan,wheel_zoom,box_zoom,reset,save",
            active_scroll=None,
            toolbar_location=None,
            y_axis_label="objective",
            x_axis_label=self.clock,
        )
        readable(plot.yaxis, scale == "log", 3)
        self.blanks.append(blank(plot))
        band = plot.varea("x", "dual", "best", source=self.source, fill_alpha=0.15)
        best = plot.line("x", "best", source=self.source, line_dash="dotted")
        primal = plot.line("x", "primal", source=self.source)
        dual = plot.line("x", "dual", source=self.source, line_dash="dashed")
        dots = plot.scatter("x", "primal", source=self.source, size=5, marker="circle")
        tips = [("step", "@step{0}"), ("primal", "@primal{0.0000}"), ("dual", "@dual{0.0000}")]
        plot.add_tools(HoverTool(renderers=[primal, dual], tooltips=tips, mode="vline"))
        names = {
            "gap": [band],
            "best so far": [best],
            "primal (upper)": [primal, dots],
            "dual (lower)": [dual],
        }
        items = legend(plot, names)
        self.travels(plot, self._step_at)
        self.figures.append(plot)
        parts = {"band": band, "best": best, "primal": primal, "dual": dual, "dots": dots}
        self._parts.append((plot, Timeline(plot), parts, items))
        return plot

    def _plot(self) -> Any:
        """The figure of the chosen scale, made when it is first asked for."""
        if self.log_scale not in self.plots:
            self.plots[self.log_scale] = self._figure("log" if self.log_scale else "linear")
        return self.plots[self.log_scale]

    def _switch(self, *_: Any) -> None:
        plot = self._plot()
        self.restyle()
        self.refresh()
        self.pane.object = plot

    def _step_at(self, x: float, y: float) -> int | None:
        """The step nearest to a place, on the clock that is shown."""
        xs = np.asarray(self.source.data["x"])
        return int(self.source.data["step"][int(np.argmin(np.abs(xs - x)))]) if len(xs) else None

    def frame(self) -> Frame:
        return frame(self.session.trace, self.session.cursor, self.clock)

    def show(self, shown: Frame) -> None:
        fill(self.source, shown.x, shown.primal, shown.dual, shown.best, shown.step)
        for tell in self.blanks:
            tell((shown.primal, shown.dual))
        x = times(self.session.trace, shown.clock)
        for plot, timeline, parts, items in self._parts:
            timeline.show(self.session, x)
            plot.yaxis.axis_label = shown.what
            for name, item in items.items():
                item.visible = shown.what == OBJECTIVE or name == "best so far"
            parts["dots"].visible = len(shown.x) <= FEW_POINTS
            plot.xaxis.axis_label = shown.clock
            plot.xaxis.ticker.min_interval = 0 if shown.clock == "seconds" else 1

    def sentence(self, shown: Frame) -> str:
        return sentence(shown)

    def table(self, shown: Frame) -> dict[str, Any]:
        return table(shown)

    def recolour(self, theme: Theme) -> None:
        for _, timeline, parts, _ in self._parts:
            timeline.recolour(theme)
            parts["band"].glyph.fill_color = theme.neutral
            parts["primal"].glyph.line_color = parts["dots"].glyph.line_color = theme.primal
            parts["dots"].glyph.fill_color = theme.background
            parts["dual"].glyph.line_color = theme.dual
            parts["best"].glyph.line_color = theme.muted
            for name in ("primal", "dual", "best"):
                parts[name].glyph.line_width = theme.line
