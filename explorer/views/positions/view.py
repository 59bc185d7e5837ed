"""Mistakes by position and by length, as two rows of bars."""

from typing import Any, ClassVar

import numpy as np
import panel as pn
from bokeh.models import BasicTicker, HoverTool, NumeralTickFormatter

from explorer.engine.contracts import Problem
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.drawing.pieces import WHOLE, fill, pane, plot, source
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.view import View
from explorer.views.positions import frame as numbers
from explorer.views.positions import words
from explorer.views.positions.frame import PositionsFrame, Shares

KINDS = ("by_position", "by_length")


class Positions(View):
    """The share of wrong parts at each position, and for each length."""

    title: ClassVar[str] = "Positions"
    name_key: ClassVar[str] = "positions"
    help: ClassVar[str] = (
        "How often the guess is wrong at the first, second, third ... part of a labelling, and how large a "
        "share of the parts is wrong in short and in long ones. Ends of a sequence have one neighbour that "
        "helps instead of two."
    )
    follows = ("tick", "cursor", "split")
    sentence = staticmethod(words.sentence)
    table = staticmethod(words.table)

    @classmethod
    def fits(cls, problem: Problem) -> bool:
        compared = depiction_of(problem).difference is None
        return (
            problem.n > 0
            and compared
            and all(
                isinstance(label, np.ndarray) and label.ndim == 1 and len(label) > 1
                for label in (problem.dataset.labels[0], problem.dataset.labels[-1])
            )
        )

    def build(self) -> Any:
        self.sources = {kind: source("place wrong count") for kind in KINDS}
        self.plots = {kind: self._plot(kind) for kind in KINDS}
        self.figures += list(self.plots.values())
        return pn.Row(*(pane(drawn, 120) for drawn in self.plots.values()), **WHOLE)

    def _plot(self, kind: str) -> Any:
        drawn = plot("position" if kind == "by_position" else "length", "share wrong", min_border_top=4)
        bars = drawn.vbar("place", top="wrong", width=0.8, source=self.sources[kind], hatch_pattern="/")
        bars.glyph.update(hatch_scale=9, hatch_weight=1.2)
        tips = [("", "@place"), ("wrong", "@wrong{0.0%}"), ("examples", "@count")]
        drawn.add_tools(HoverTool(renderers=[bars], tooltips=tips))
        drawn.xaxis.ticker = BasicTicker(min_interval=1)
        drawn.yaxis.ticker, drawn.yaxis.formatter = (
            BasicTicker(desired_num_ticks=4),
            NumeralTickFormatter(format="0%"),
        )
        return drawn

    def frame(self) -> PositionsFrame | None:
        session = self.session
        return numbers.frame(session.shown, session.trace, session.cursor, session.split)

    def show(self, shown: PositionsFrame | None) -> None:
        for kind in KINDS:
            part: Shares | None = getattr(shown, kind) if shown is not None else None
            if part is None or not len(part.place):
                fill(self.sources[kind])
                continue
            fill(self.sources[kind], part.place, part.wrong, part.count)
            self.plots[kind].x_range.update(start=float(part.place[0]) - 0.7, end=float(part.place[-1]) + 0.7)
            self.plots[kind].y_range.update(start=0.0, end=1.1 * (float(part.wrong.max()) or 1.0))
        if shown is not None:
            self.plots["by_position"].xaxis.axis_label = shown.part

    def recolour(self, theme: Theme) -> None:
        for drawn in self.plots.values():
            drawn.renderers[0].glyph.update(
                fill_color=theme.background, line_color=theme.guess, hatch_color=theme.guess
            )
