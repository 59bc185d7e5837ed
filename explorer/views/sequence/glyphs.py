"""The glyphs of a drawn sequence: what is observed, strips of states, and bars of the margin."""

from collections.abc import Callable
from typing import Any

from bokeh.models import (
    AllLabels,
    BasicTicker,
    BoxAnnotation,
    FixedTicker,
    HoverTool,
    LinearAxis,
    LinearColorMapper,
)

from explorer.views.kit.drawing.pieces import plot, ramp, source
from explorer.views.kit.drawing.theme import Theme

INKS = ("#000000", "#ffffff")
"""Names have one glyph per ink: Bokeh 3.9 stumbles over a column of text colours that gets shorter."""

BOX = "left right bottom top"
IMAGE = "image x y dw dh"
SOURCES = {
    "heat": IMAGE,
    "images": IMAGE,
    "ramp": IMAGE,
    "lines": "xs ys",
    "words": "x y text",
    "cells": f"{BOX} fill",
    "wrong": f"{BOX} ink",
    "rims": f"{BOX} colour width",
    **dict.fromkeys(INKS, "x y text fill"),
    "lead": BOX,
    "cost": BOX,
    "zero": "x0 x1 y0 y1",
    "columns": "x top truth guess rival margin seen",
}
"""The columns of every source."""

TIP = (
    "<div style='font-size: 13px; line-height: 1.3'><b>position @x</b>, margin @margin<br>truth @truth, "
    "guess @guess, "
    "most tempting @rival<br>observed: @seen</div>"
)
"""What the pointer is told: few and small lines, for a tip covers the picture."""


class SequenceGlyphs:
    """One plot with its sources; `moved` is called when another range of positions is shown."""

    def __init__(self, moved: Callable[[], None]) -> None:
        self.sources = {name: source(columns) for name, columns in SOURCES.items()}
        self.draw: dict[str, Any] = {}
        self.mapper, self.grey = (LinearColorMapper(palette=["#000000"], low=0, high=1) for _ in range(2))
        self.plot = self._figure()
        self.plot.on_event("rangesupdate", lambda _: moved())

    def _figure(self) -> Any:
        drawn = plot(
            "position", tools="xpan,xwheel_zoom", active_scroll="xwheel_zoom", min_border=2, min_height=130
        )
        drawn.grid.visible = False
        self.scale = LinearAxis(ticker=FixedTicker(ticks=[]), major_label_standoff=3, axis_line_alpha=0)
        drawn.add_layout(self.scale, "right")
        drawn.yaxis[0].update(ticker=FixedTicker(ticks=[]), major_tick_line_alpha=0, axis_line_alpha=0)
        for axis in drawn.yaxis:
            axis.major_label_policy = AllLabels()
        drawn.xaxis.ticker = BasicTicker(min_interval=1, desired_num_ticks=8)
        drawn.xaxis.axis_label_standoff = 0
        self._draw_observed(drawn)
        self._draw_states(drawn)
        self.mark = BoxAnnotation(left=0, right=0, visible=False, fill_alpha=0.12, line_width=2)
        drawn.add_layout(self.mark)
        return drawn

    def _draw_observed(self, drawn: Any) -> None:
        draw, of = self.draw, self.sources
        for name, mapper in (("heat", self.mapper), ("images", self.grey), ("ramp", self.mapper)):
            draw[name] = drawn.image("image", "x", "y", "dw", "dh", color_mapper=mapper, source=of[name])
        draw["lines"] = drawn.multi_line("xs", "ys", source=of["lines"])
        draw["words"] = drawn.text("x", "y", "text", anchor="center", source=of["words"])

    def _draw_states(self, drawn: Any) -> None:
        draw, of, box = self.draw, self.sources, BOX.split()
        draw["cells"] = drawn.quad(*box, fill_color="fill", line_color=None, source=of["cells"])
        hatch = {
            "hatch_pattern": "right_diagonal_line",
            "hatch_scale": 7,
            "hatch_color": "ink",
            "hatch_alpha": 0.75,
        }
        draw["wrong"] = drawn.quad(*box, fill_color=None, line_color=None, source=of["wrong"], **hatch)
        rim = {"fill_color": None, "line_color": "colour", "line_width": "width"}
        draw["rims"] = drawn.quad(*box, source=of["rims"], **rim)
        look = {"anchor": "center", "background_fill_color": "fill", "padding": 1, "text_font_style": "bold"}
        for ink in INKS:
            draw[ink] = drawn.text("x", "y", "text", text_color=ink, source=of[ink], **look)
        for name in ("lead", "cost"):
            draw[name] = drawn.quad(*box, line_color=None, source=of[name])
        draw["zero"] = drawn.segment("x0", "y0", "x1", "y1", source=of["zero"])
        draw["columns"] = drawn.vbar(
            "x", 1.0, top="top", fill_alpha=0, line_color=None, hover_fill_alpha=0.12, source=of["columns"]
        )
        drawn.add_tools(
            HoverTool(
                renderers=[draw["columns"]], tooltips=TIP, point_policy="follow_mouse", attachment="above"
            )
        )

    def recolour(self, theme: Theme) -> None:
        """Dress the glyphs in the theme's colours."""
        draw = self.draw
        self.mapper.palette = ramp(theme.low, theme.background, theme.high)
        self.grey.palette = ramp(theme.background, theme.text)
        draw["lines"].glyph.update(line_color=theme.dual, line_width=0.6 * theme.line)
        draw["words"].glyph.text_color = theme.text
        draw["lead"].glyph.update(fill_color=theme.truth, fill_alpha=0.45)
        draw["cost"].glyph.fill_color = theme.rival
        draw["zero"].glyph.update(line_color=theme.text, line_width=0.5 * theme.line)
        draw["columns"].hover_glyph.fill_color = theme.text
        self.mark.update(fill_color=theme.accent, line_color=theme.accent)
