"""Primal and dual over the run as curves, the gap between them as a band; moments at which a setting changed
are marked.
"""

from typing import Any, ClassVar

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param
from bokeh.models import HoverTool, Span
from bokeh.plotting import figure

from explorer.engine.runs.promises import promise
from explorer.views.bounds import frame as numbers
from explorer.views.bounds.frame import CLOCKS, ITERATION, BoundsFrame, axis_words, times
from explorer.views.kit.drawing.axes import blank, readable
from explorer.views.kit.drawing.pieces import WHOLE, choice, fill, legend, source
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.drawing.timeline import Timeline
from explorer.views.kit.extents import Extents
from explorer.views.kit.view import View

FEW_POINTS = 80
"""More points than these would cover their line with dots."""


class BoundsView(View):
    """Primal and dual bounds."""

    title: ClassVar[str] = "Bounds"
    name_key: ClassVar[str] = "bounds"
    urgent: ClassVar[bool] = True
    help: ClassVar[str] = (
        "The optimum lies between the two curves. The upper one is the objective at this step's weights, "
        "named at the axis; the lower one is proved by what training has found so far."
    )
    sentence = staticmethod(numbers.sentence)
    table = staticmethod(numbers.table)

    clock = param.Selector(objects=list(CLOCKS), default=ITERATION, doc="What the horizontal axis counts.")
    log_scale = param.Boolean(True, doc="Logarithmic vertical axis: halving takes the same room everywhere.")

    def build(self) -> Any:
        self._parts: list[Any] = []
        self.extents = Extents()
        self.source = source("x primal dual best step")
        self.blanks: list[Any] = []
        self.plots: dict[bool, Any] = {}
        self.pane = pn.pane.Bokeh(self._plot(), sizing_mode="stretch_both", min_height=170, margin=0)
        self.param.watch(self._switch, ["log_scale"])
        self.param.watch(lambda *_: self.refresh(), ["clock"])
        scale = pmui.Checkbox.from_param(
            self.param.log_scale, label="logarithmic", margin=(0, 8), size="small"
        )
        tools = pn.FlexBox(
            choice(self.param.clock, margin=(0, 8)), scale, align_items="center", sizing_mode="stretch_width"
        )
        return pn.Column(tools, self.pane, **WHOLE)

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
        tips = [("step", "@step{0}"), ("primal", "@primal{0.[000]a}"), ("dual", "@dual{0.[000]a}")]
        plot.add_tools(HoverTool(renderers=[primal], tooltips=tips, mode="vline"))
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
        deadline = Span(dimension="height", line_width=2, line_dash="dotdash")
        plot.add_layout(deadline)
        self._parts.append((plot, Timeline(plot), parts, items, deadline))
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

    def frame(self) -> BoundsFrame:
        session = self.session
        due = promise(session.problem, session.trace, session.cursor, self.extents.of(session.problem))
        return numbers.frame(session.trace, session.cursor, self.clock, due, session.horizon)

    def show(self, shown: BoundsFrame) -> None:
        fill(self.source, shown.x, shown.primal, shown.dual, shown.best, shown.step)
        for tell in self.blanks:
            tell((shown.primal, shown.dual))
        x = times(self.session.trace, shown.clock)
        for plot, timeline, parts, items, deadline in self._parts:
            timeline.show(self.session, x)
            due = shown.due if shown.clock == ITERATION else None
            deadline.location = None if due is None else due.last_step
            plot.yaxis.axis_label = shown.what
            for name, item in items.items():
                item.visible = shown.bounded or name == "best so far"
            parts["dots"].visible = len(shown.x) <= FEW_POINTS
            plot.xaxis.axis_label = axis_words(shown)
            plot.xaxis.ticker.min_interval = 0 if shown.clock == "seconds" else 1

    def recolour(self, theme: Theme) -> None:
        for _, timeline, parts, _, deadline in self._parts:
            timeline.recolour(theme)
            deadline.line_color = theme.muted
            parts["band"].glyph.fill_color = theme.neutral
            parts["primal"].glyph.line_color = parts["dots"].glyph.line_color = theme.primal
            parts["dots"].glyph.fill_color = theme.background
            parts["dual"].glyph.line_color = theme.dual
            parts["best"].glyph.line_color = theme.muted
            for name in ("primal", "dual", "best"):
                parts[name].glyph.line_width = theme.line
