"""The Gram matrix of the cuts, as cosines between -1 and 1."""

from typing import Any, ClassVar

import numpy as np
from bokeh.models import BasicTicker, ColorBar, FixedTicker, HoverTool, LinearColorMapper

from explorer.views.kit.drawing.pieces import fill, pane, plot, ramp, source
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.view import View
from explorer.views.overlap import frame as numbers
from explorer.views.overlap import words
from explorer.views.overlap.frame import OverlapFrame
from explorer.wording import number

WRITTEN = 12
"""Cuts up to which the cosines are written into the cells."""


class Overlap(View):
    """How alike the cuts of the working set are."""

    title: ClassVar[str] = "Overlap"
    name_key: ClassVar[str] = "overlap"
    help: ClassVar[str] = (
        "Each cell compares two cuts of the working set by the cosine of their directions: 1 where they say "
        "the same, 0 where they have nothing in common, below 0 where they pull w apart. A cut without "
        "weight that lies along others is what pruning takes away."
    )
    sentence = staticmethod(words.sentence)
    table = staticmethod(words.table)

    def build(self) -> Any:
        self.cells = source("x y cosine text ink first second")
        self.mapper = LinearColorMapper(palette=["#000000"], low=-1.0, high=1.0)
        self.drawn = drawn = plot(min_border=2, match_aspect=True)
        drawn.grid.visible = False
        look = {"field": "cosine", "transform": self.mapper}
        self.squares = drawn.rect("x", "y", 1, 1, source=self.cells, fill_color=look, line_width=1)
        self.texts = drawn.text(
            "x", "y", "text", source=self.cells, text_align="center", text_baseline="middle", text_color="ink"
        )
        self.bar = ColorBar(color_mapper=self.mapper, width=12, ticker=BasicTicker(desired_num_ticks=4))
        drawn.add_layout(self.bar, "right")
        for axis in drawn.axis:
            axis.ticker = FixedTicker(ticks=[])
        tips = [("", "@first"), ("", "@second"), ("cosine", "@cosine{0.000}")]
        drawn.add_tools(HoverTool(renderers=[self.squares], tooltips=tips))
        self.figures.append(drawn)
        return pane(drawn, 140)

    def frame(self) -> OverlapFrame | None:
        session = self.session
        return numbers.frame(session.problem, session.trace, session.cursor, session.phase)

    def show(self, shown: OverlapFrame | None) -> None:
        self.shown = shown
        if shown is None or not len(shown.number):
            fill(self.cells)
            return
        m = len(shown.number)
        down, across = (part.ravel() for part in np.mgrid[0:m, 0:m])
        value = shown.cosine.ravel()
        names = [words.name(shown, j) for j in range(m)]
        texts = [number(round(float(v), 2)) if m <= WRITTEN and np.isfinite(v) else "" for v in value]
        ink = [self.theme.background if abs(v) > 0.6 else self.theme.text for v in value]
        first, second = [names[j] for j in down], [names[k] for k in across]
        fill(self.cells, across + 0.5, m - 0.5 - down, value, texts, ink, first, second)
        self.drawn.x_range.update(start=0, end=m)
        self.drawn.y_range.update(start=0, end=m)
        every = range(0, m, 1 + m // 15)
        for axis, place in (
            (self.drawn.xaxis[0], lambda j: j + 0.5),
            (self.drawn.yaxis[0], lambda j: m - 0.5 - j),
        ):
            axis.ticker.ticks = [place(j) for j in every]
            axis.major_label_overrides = {place(j): str(shown.number[j]) for j in every}

    def recolour(self, theme: Theme) -> None:
        self.mapper.palette = ramp(theme.low, theme.background, theme.high)
        self.squares.glyph.line_color = theme.grid
        self.texts.glyph.text_font_size = f"{theme.font}px"
        self.bar.update(
            background_fill_color=theme.background,
            major_label_text_color=theme.text,
            major_label_text_font_size=f"{theme.font}px",
        )
        if self._watchers:
            self.refresh()
