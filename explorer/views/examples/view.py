"""The loss of each example and which state is taken for which, drawn; a click opens an example everywhere."""

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import panel as pn
from bokeh.models import FixedTicker, HoverTool, NoOverlap, Range1d

from explorer.views.examples import frame as numbers
from explorer.views.examples.frame import ExamplesFrame
from explorer.views.kit.drawing.pieces import WHOLE, choice, fill, pane, plot, source
from explorer.views.kit.drawing.room import Room
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.memory import Memory
from explorer.views.kit.view import View
from explorer.wording import quantity

MOST_STATES = 30
"""Confusions of more states than this are not drawn."""

CELLS_HEIGHT = 120
"""Pixels that the matrix can count on before the browser has said how many there are."""

LEAST_ROW = 9
"""Rows lower than this carry no numbers."""


class Examples(View):
    """Loss per example and confusions."""

    title: ClassVar[str] = "Examples"
    name_key: ClassVar[str] = "examples"
    help: ClassVar[str] = (
        "The loss of each example at this step, the hardest first, and which state is taken for which. Click "
        "a bar or a cell of the matrix to open that example in the other views."
    )

    table = staticmethod(numbers.table)

    def build(self) -> Any:
        self._known = Memory(64)
        self.shown: ExamplesFrame | None = None
        self.source, self.picked = source("rank loss example length given truth guess"), source("x y")
        self.cell_source, self.diagonal = source("x y text fill words"), source("x y text fill words")
        self.figures += [self._bars(), self._matrix()]
        self.choose = choice(self.session.param.split)
        return pn.Column(self.choose, pn.Row(*map(pane, self.figures), **WHOLE), **WHOLE)

    def _bars(self) -> Any:
        drawn = plot("examples, hardest first", "loss", x_range=Range1d(-0.8, numbers.TOP))
        self.bars = drawn.vbar("rank", 0.8, "loss", source=self.source)
        self.pointer = drawn.scatter("x", "y", marker="inverted_triangle", source=self.picked)
        tips = [
            ("example", "@example"),
            ("loss", "@loss{0.[000]} over @length"),
            ("input", "@given"),
            ("truth", "@truth"),
            ("predicted", "@guess"),
        ]
        drawn.add_tools(HoverTool(renderers=[self.bars], tooltips=tips, mode="vline"))
        drawn.xaxis.ticker = FixedTicker(ticks=[])
        drawn.xgrid.visible = False
        self.on_tap(drawn, self._pick)
        return drawn

    def _matrix(self) -> Any:
        drawn = plot("predicted", "truth")
        self.cells = []
        for data in (self.cell_source, self.diagonal):
            cell = drawn.rect("x", "y", 1, 1, source=data, fill_alpha="fill", line_width=1)
            text = drawn.text("x", "y", "text", source=data, text_align="center", text_baseline="middle")
            drawn.add_tools(HoverTool(renderers=[cell], tooltips="@words"))
            self.cells.append((cell, text))
        drawn.grid.visible = False
        for axis in drawn.axis:
            axis.update(ticker=FixedTicker(ticks=[]), major_label_policy=NoOverlap(min_distance=1))
            axis.update(
                axis_line_alpha=0, major_tick_line_alpha=0, major_label_standoff=0, axis_label_standoff=2
            )
        self.room = Room(drawn, 3 * CELLS_HEIGHT, CELLS_HEIGHT, self._fit)
        self.on_tap(drawn, self._pick_cell)
        return drawn

    def _pick(self, x: float, y: float) -> None:
        """Open the example of a bar in all views."""
        if self.shown is not None and 0 <= round(x) < len(self.shown.example):
            self._open(int(self.shown.example[round(x)]))

    def _pick_cell(self, x: float, y: float) -> None:
        """Open the hardest example with this confusion."""
        a, b = round(y), round(x)
        if self.shown is not None and min(a, b) >= 0 and max(a, b) < len(self.shown.worst):
            self._open(int(self.shown.worst[a, b]))

    def _open(self, example: int) -> None:
        """Show an example everywhere."""
        if example >= 0:
            self.session.example = example
            self.opened = True

    def frame(self) -> ExamplesFrame | None:
        session, problem = self.session, self.session.shown
        if not len(session.trace) or not problem.n:
            return None
        at = min(session.cursor, len(session.trace) - 1)
        split = "training" if problem is session.problem else "test"
        known, w_at = self._known.of(session.trace, session.problem), session.trace.at(at).w_at
        found = known.get((w_at, split), lambda: numbers.frame(problem, session.trace, at, split))
        return replace(found, at=at)

    def show(self, shown: ExamplesFrame | None) -> None:
        self.shown = shown
        self.choose.visible = self.session.test is not None
        if shown is None:
            for data in (self.source, self.picked, self.cell_source, self.diagonal):
                fill(data)
            return
        rank = np.arange(len(shown.example), dtype=float)
        length = [quantity(size, shown.part) for size in shown.length]
        words = (list(texts) for texts in (shown.given, shown.truth, shown.guess))
        fill(self.source, rank, shown.loss, shown.example, length, *words)
        top = float(shown.loss.max(initial=0.0)) or 1.0
        self.figures[0].y_range.update(start=0.0, end=1.15 * top)
        here = np.flatnonzero(shown.example == self.session.example)
        # Bars without height say nothing: a few of them are enough.
        last = max(10, int(1.3 * np.count_nonzero(shown.loss)), *(here + 3))
        self.figures[0].x_range.end = min(last, max(10, len(rank))) - 0.2
        wrong = shown.loss.size and shown.loss.max() > 0
        self.figures[0].xaxis.axis_label = "examples, hardest first" if wrong else "no example is wrong"
        fill(self.picked, here, shown.loss[here] + 0.06 * top)
        self._show_matrix(shown)
        self._fit()

    def _show_matrix(self, shown: ExamplesFrame) -> None:
        K, drawn = len(shown.confusion), self.figures[1]
        drawn.visible = 0 < K <= MOST_STATES
        if not drawn.visible:
            return
        share = shown.confusion / np.maximum(1, shown.confusion.sum(axis=1, keepdims=True))
        a, b = (index.ravel() for index in np.indices((K, K)))
        for data, which in ((self.cell_source, a != b), (self.diagonal, a == b)):
            y, x = a[which], b[which]
            count = shown.confusion[y, x]
            pairs = [f"{shown.states[i]} read as {shown.states[j]}" for i, j in zip(y, x, strict=True)]
            words = [f"{pair}: {quantity(c, shown.part)}" for pair, c in zip(pairs, count, strict=True)]
            alpha = np.where(count > 0, 0.12 + 0.5 * share[y, x], 0.0)
            fill(data, x, y, [str(c) if c else "" for c in count], alpha, words)
        drawn.x_range.update(start=-0.5, end=K - 0.5)
        drawn.y_range.update(start=K - 0.5, end=-0.5)
        drawn.max_width = int(np.clip(120 + 22 * K, 200, 340))
        for axis in (drawn.xaxis[0], drawn.yaxis[0]):
            axis.ticker.ticks = list(range(K))
            axis.major_label_overrides = dict(enumerate(shown.states))

    def sentence(self, shown: ExamplesFrame | None) -> str:
        if shown is None and not self.session.problem.n:
            return "This problem is a risk without examples: there is nothing to get wrong."
        return numbers.sentence(shown)

    def recolour(self, theme: Theme) -> None:
        self.bars.glyph.update(fill_color=theme.rival, line_color=None)
        self.pointer.glyph.update(fill_color=theme.accent, line_color=theme.background, size=theme.font)
        for (cell, text), colour in zip(self.cells, (theme.rival, theme.truth), strict=True):
            cell.glyph.update(fill_color=colour, line_color=theme.grid)
            text.glyph.text_color = theme.text
        self.figures[1].outline_line_color = None
        self._fit()

    def _fit(self) -> None:
        """Numbers no larger than their cells; none where a cell is too low to read one."""
        matrix = self.figures[1]
        row = self.room.high / max(1, len(self.shown.confusion) if self.shown else 1)
        size = max(8, min(self.theme.font, int(0.75 * row)))
        matrix.axis.major_label_text_font_size = f"{size}px"
        for _, text in self.cells:
            text.glyph.text_font_size, text.visible = f"{size}px", row >= LEAST_ROW
