"""The flowchart: boxes in three columns, arrows between them, the box of the call that is looked at lit."""

from typing import Any, ClassVar

import panel as pn
from bokeh.models import Arrow, ColumnDataSource, NormalHead, Range1d
from bokeh.plotting import figure

from explorer.labs.hooks.state import HookLab
from explorer.views.hook_flow.frame import FlowFrame, flow_frame
from explorer.views.hook_flow.words import flow_sentence, flow_table
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.view import View

WIDE, HIGH = 0.92, 0.62


class HookFlow(View[HookLab]):
    """The hooks of a module as a running flowchart."""

    title: ClassVar[str] = "Flow of control"
    help: ClassVar[str] = (
        "What is called once, what again and again, and what at the end. Pale boxes are "
        "hooks that this module leaves to their defaults."
    )
    follows: ClassVar[tuple[str, ...]] = ("tick", "step")

    def build(self) -> Any:
        made = figure(sizing_mode="stretch_both", tools="", toolbar_location=None, min_height=300)
        made.axis.visible = made.grid.visible = False
        made.outline_line_color = None
        made.x_range, made.y_range = Range1d(-0.55, 2.55), Range1d(4.4, -0.6)
        self.boxes = ColumnDataSource(
            {name: [] for name in ("x", "y", "name", "told", "right", "top", "times", "fill", "edge", "ink")}
        )
        self.arrows = ColumnDataSource({name: [] for name in ("x0", "y0", "x1", "y1")})
        self.heads = Arrow(
            source=self.arrows,
            x_start="x0",
            y_start="y0",
            x_end="x1",
            y_end="y1",
            end=NormalHead(size=7),
            level="underlay",
        )
        made.add_layout(self.heads)
        self.rects = made.rect("x", "y", WIDE, HIGH, source=self.boxes, fill_color="fill", line_color="edge")
        self.names = made.text(
            "x",
            "y",
            "name",
            source=self.boxes,
            y_offset=-3,
            text_align="center",
            text_baseline="bottom",
            text_color="ink",
        )
        self.tolds = made.text(
            "x",
            "y",
            "told",
            source=self.boxes,
            y_offset=3,
            text_align="center",
            text_baseline="top",
            text_color="ink",
        )
        self.times = made.text(
            "right", "top", "times", source=self.boxes, text_align="right", text_baseline="bottom"
        )
        self.figures.append(made)
        drawn = pn.pane.Bokeh(made, sizing_mode="stretch_both", margin=0)
        return pn.Column(drawn, sizing_mode="stretch_both", margin=0)

    def frame(self) -> FlowFrame:
        return flow_frame(self.session.film, self.session.step)

    def show(self, frame: FlowFrame) -> None:
        theme = self.theme
        lit = [box.name == frame.lit for box in frame.boxes]
        there = [box.name in frame.there for box in frame.boxes]
        counts = [frame.counts.get(box.name, 0) for box in frame.boxes]
        self.boxes.data = {
            "x": [box.column for box in frame.boxes],
            "y": [box.row for box in frame.boxes],
            "name": [short(box.name) for box in frame.boxes],
            "told": [box.told for box in frame.boxes],
            "right": [box.column + WIDE / 2 for box in frame.boxes],
            "top": [box.row - HIGH / 2 for box in frame.boxes],
            "times": [f"{n} x" if n else "" for n in counts],
            "fill": [theme.accent if on else theme.panel for on in lit],
            "edge": [theme.text if on or known else theme.grid for on, known in zip(lit, there, strict=True)],
            "ink": [
                theme.background if on else theme.text if known else theme.muted
                for on, known in zip(lit, there, strict=True)
            ],
        }
        self.arrows.data = arrow_ends(frame)

    def recolour(self, theme: Theme) -> None:
        self.heads.line_color = self.heads.end.fill_color = self.heads.end.line_color = theme.muted
        for glyphs, share in ((self.names, 0.93), (self.tolds, 0.86), (self.times, 0.8)):
            glyphs.glyph.text_font_size = f"{max(11, round(share * theme.font))}px"
        self.names.glyph.text_font_style = "bold"
        self.times.glyph.text_color = theme.muted
        if self._watchers:
            self.refresh()

    def sentence(self, frame: FlowFrame) -> str:
        return flow_sentence(frame)

    def table(self, frame: FlowFrame) -> dict[str, Any]:
        return flow_table(frame)


def short(name: str) -> str:
    """The name of a box as it fits into it."""
    return name.replace("find_most_violated_constraint", "find_most_violated")


def arrow_ends(frame: FlowFrame) -> dict[str, list[float]]:
    """Where arrows begin and end: at the sides of boxes that face each other."""
    found: dict[str, list[float]] = {"x0": [], "y0": [], "x1": [], "y1": []}
    for one, two in frame.arrows:
        across = two.column - one.column
        step = two.row - one.row
        up = step < 0 and not across
        ends = (
            (one.column + WIDE / 2, one.row, two.column - WIDE / 2, two.row)
            if across
            else (one.column + 0.42, one.row - HIGH / 2, two.column + 0.42, two.row + HIGH / 2)
            if up
            else (one.column, one.row + HIGH / 2, two.column, two.row - HIGH / 2)
        )
        for name, value in zip(found, ends, strict=True):
            found[name].append(float(value))
    return found
