"""The objective between its bounds: primal above, dual below, the gap as a band, over iterations, oracle calls or seconds.

Primal values are those of the steps' own w; the best so far is their running minimum. A step whose primal nobody
computed has a gap in the line. Moments at which a setting changed are marked on the axis.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import panel as pn
import param
from bokeh.models import ColumnDataSource, HoverTool, LabelSet, Span
from bokeh.plotting import figure

from explorer.engine.trace import Trace
from explorer.engine.vectors import Array
from explorer.views.drawing import legend
from explorer.views.theme import Theme
from explorer.views.view import View, blank
from explorer.views.words import number

CLOCKS = {"iteration": "k", "oracle calls": "oracle_calls", "seconds": "seconds"}
MOST_POINTS = 2000


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """The curves up to now, and where the cursor is."""

    x: Array
    primal: Array
    dual: Array
    best: Array
    step: Array
    marks: tuple[tuple[float, str], ...]
    at: int
    certified: bool
    relaxed: bool
    clock: str


def frame(trace: Trace, at: int, clock: str = "iteration") -> Frame:
    """The whole run's bounds against one clock, thinned to what a screen can show."""
    n = len(trace)
    x, primal, dual = trace.column(CLOCKS[clock]), trace.column("primal"), trace.column("dual")
    if clock == "iteration":
        x = np.arange(n, dtype=float)
    best = np.fmin.accumulate(primal) if n else primal
    keep = np.arange(n) if n <= MOST_POINTS else np.unique(np.linspace(0, n - 1, MOST_POINTS).astype(int))
    marks = tuple((float(x[min(i, n - 1)]), what) for i, what in changes(trace) if n)
    certified = bool(n) and trace.certified(min(at, n - 1))
    begun = trace.started(min(at, n - 1)) if n else None
    relaxed = begun is not None and begun.relaxed
    curves = (x[keep], primal[keep], dual[keep], best[keep], keep.astype(float))
    return Frame(*curves, marks, at, certified, relaxed, clock)


def changes(trace: Trace) -> list[tuple[int, str]]:
    """Steps at which the run went on under other settings, and what had changed."""
    out = []
    for (_, before), (i, after) in zip(trace.starts, trace.starts[1:], strict=False):
        names = [n for n, v in after.settings.items() if before.settings.get(n) != v]
        text = ", ".join(f"{n} = {number(after.settings[n])}" for n in names) or "loss or oracle changed"
        out.append((i, text))
    return out


def at_cursor(shown: Frame) -> tuple[float, float]:
    """Primal and dual of the step under the cursor; NaN where unknown."""
    if not len(shown.x):
        return np.nan, np.nan
    j = int(np.searchsorted(shown.step, shown.at).clip(0, len(shown.x) - 1))
    return float(shown.primal[j]), float(shown.dual[j])


def sentence(shown: Frame) -> str:
    """Bounds and gap at the cursor, and what they prove."""
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
    return f"Step {shown.at}: primal {number(primal)}, dual {number(dual)}, gap {share:z.2%} of the primal ({kind})."


def table(shown: Frame) -> dict[str, Any]:
    """The curves as columns."""
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
        "The optimum lies between the two curves. The upper one is the objective at this step's weights, the lower one "
        "is proved by the cuts found so far."
    )

    clock = param.Selector(objects=list(CLOCKS), default="iteration", doc="What the horizontal axis counts.")
    log_scale = param.Boolean(True, doc="Logarithmic vertical axis: halving takes the same room everywhere.")

    def build(self) -> Any:
        self._parts: list[Any] = []
        self.source = ColumnDataSource({"x": [], "primal": [], "dual": [], "best": [], "step": []})
        self.mark_source = ColumnDataSource({"x": [], "y": [], "text": []})
        self.blanks: list[Any] = []
        self.plots: dict[bool, Any] = {}
        self.pane = pn.pane.Bokeh(self._plot(), sizing_mode="stretch_both", min_height=170, margin=0)
        self.param.watch(self._switch, ["log_scale"])
        self.param.watch(lambda *_: self.refresh(), ["clock"])
        return self.pane

    def _figure(self, scale: str) -> Any:
        plot = figure(
            y_axis_type=scale, sizing_mode="stretch_both", tools="pan,wheel_zoom,box_zoom,reset,save",
            active_scroll=None, toolbar_location=None, y_axis_label="objective", x_axis_label=self.clock,
        )  # fmt: skip
        plot.yaxis.ticker.desired_num_ticks = (
            3 if scale == "log" else 6
        )  # more would print 6000, 7000, 8000 on top of each other
        self.blanks.append(blank(plot))
        band = plot.varea("x", "dual", "best", source=self.source, fill_alpha=0.15)
        best = plot.line("x", "best", source=self.source, line_dash="dotted")
        primal = plot.line("x", "primal", source=self.source)
        dual = plot.line("x", "dual", source=self.source, line_dash="dashed")
        dots = plot.scatter("x", "primal", source=self.source, size=5, marker="circle")
        cursor = Span(dimension="height", line_width=2)
        plot.add_layout(cursor)
        labels = LabelSet(
            x="x", y="y", text="text", source=self.mark_source, angle=1.5708, y_units="screen", x_offset=-3
        )
        marks = plot.ray("x", 0, length=0, angle=1.5708, source=self.mark_source, line_dash="dotdash")
        plot.add_layout(labels)
        tips = [("step", "@step{0}"), ("primal", "@primal{0.0000}"), ("dual", "@dual{0.0000}")]
        plot.add_tools(HoverTool(renderers=[primal, dual], tooltips=tips, mode="vline"))
        legend(
            plot, {"gap": [band], "best so far": [best], "primal (upper)": [primal, dots], "dual (lower)": [dual]}
        )
        self.on_tap(plot, self._seek)
        self.figures.append(plot)
        parts = {"band": band, "best": best, "primal": primal, "dual": dual, "dots": dots, "marks": marks}
        self._parts.append((plot, cursor, labels, parts))
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

    def _seek(self, x: float, y: float) -> None:
        """Take all views to the step nearest to a click."""
        xs = np.asarray(self.source.data["x"])
        if len(xs):
            self.session.seek(int(self.source.data["step"][int(np.argmin(np.abs(xs - x)))]))

    def frame(self) -> Frame:
        return frame(self.session.trace, self.session.cursor, self.clock)

    def show(self, shown: Frame) -> None:
        self.source.data = {
            "x": shown.x, "primal": shown.primal, "dual": shown.dual, "best": shown.best, "step": shown.step,
        }  # fmt: skip
        for tell in self.blanks:
            tell((shown.primal, shown.dual))
        self.mark_source.data = {
            "x": [x for x, _ in shown.marks], "y": [6] * len(shown.marks), "text": [t for _, t in shown.marks],
        }  # fmt: skip
        j = int(np.searchsorted(shown.step, shown.at).clip(0, max(0, len(shown.x) - 1)))
        for plot, cursor, _, _ in self._parts:
            cursor.location = float(shown.x[j]) if len(shown.x) else None
            plot.xaxis.axis_label = shown.clock
            plot.xaxis.ticker.min_interval = 0 if shown.clock == "seconds" else 1

    def sentence(self, shown: Frame) -> str:
        return sentence(shown)

    def table(self, shown: Frame) -> dict[str, Any]:
        return table(shown)

    def recolour(self, theme: Theme) -> None:
        for _, cursor, labels, parts in self._parts:
            cursor.line_color = theme.accent
            labels.text_color, labels.text_font_size = theme.muted, f"{theme.font - 1}px"
            parts["band"].glyph.fill_color = theme.neutral
            parts["primal"].glyph.line_color = parts["dots"].glyph.line_color = theme.primal
            parts["dots"].glyph.fill_color = theme.background
            parts["dual"].glyph.line_color = theme.dual
            parts["best"].glyph.line_color = theme.muted
            parts["marks"].glyph.line_color = theme.accent
            for name in ("primal", "dual", "best"):
                parts[name].glyph.line_width = theme.line
