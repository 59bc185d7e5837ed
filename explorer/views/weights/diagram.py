"""The state diagram of a chain: wide edges are large weights, solid speak for a way, dashed against it.

A number is written on an edge where its box is free; all numbers are to be had with the pointer.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from bokeh.models import HoverTool

from explorer.engine.vectors import Array
from explorer.views.kit.drawing.pieces import fill, source
from explorer.views.kit.drawing.theme import Theme
from explorer.views.weights import diagram_frame as numbers
from explorer.views.weights.diagram_frame import FEW_STATES, WIDEST, DiagramFrame, DiagramLayout, with_sign
from explorer.views.weights.figures import WeightFigure

SIGNS: dict[str, Any] = {"rise": "solid", "fall": [11, 5]}
"""The dash of each sign: long enough to be told from a rung where the edge is wide."""

SOME_NUMBERS = 14
"""With more than a few states, only this many of the strongest edges get a number."""

KEY = ("edge width = weight", "solid: for, dashed: against")
"""Written in the upper left corner, which the ellipse leaves free."""


class Label(NamedTuple):
    """A number on an edge."""

    x: float
    y: float
    text: str


def labels(
    shown: DiagramFrame, lay: DiagramLayout, lines: list[Array], wide: float, high: float, font: float
) -> list[Label]:
    """Numbers on the strongest edges, each beside its own; none covers a node, another number or the key."""
    most = shown.edges_drawn if shown.states <= FEW_STATES else SOME_NUMBERS
    key = 0.28 * font * max(map(len, KEY)), 1.5 * font
    taken = [(key[0], high - key[1], *key), *((*p, *h) for p, h in zip(lay.place, lay.half, strict=True))]
    found = []
    for j, line in enumerate(lines[:most]):
        text = with_sign(shown.weight[j])
        half = 0.31 * font * len(text) + 2, 0.62 * font
        for x, y in spots(line, half[0], bool(shown.tail[j] == shown.head[j])):
            inside = half[0] <= x <= wide - half[0] and half[1] <= y <= high - half[1]
            if inside and not any(
                abs(x - u) < half[0] + h and abs(y - v) < half[1] + g for u, v, h, g in taken
            ):
                taken.append((x, y, *half))
                found.append(Label(float(x), float(y), text))
                break
    return found


def spots(line: Array, half: float, looped: bool) -> list[Array]:
    """Where a number may stand: beside the outer end of a loop, else on the edge, its middle first."""
    if looped:
        tip, side = line[len(line) // 2], np.array([np.ptp(line[:, 0]) / 2 + half + WIDEST, 0.0])
        beside = tip - (tip - line[0]) / 3
        return [beside + side, beside - side]
    return [line[int(share * (len(line) - 1))] for share in (0.5, 0.42, 0.58, 0.34, 0.66)]


class Diagram(WeightFigure):
    """One figure whose units are pixels; filled from a frame."""

    def __init__(self, resized: Callable[[], None]) -> None:
        super().__init__(resized)
        drawn = self.plot
        drawn.axis.visible = drawn.title.visible = False
        self.edges = {sign: source("xs ys width word value") for sign in SIGNS}
        self.tips = {sign: source("x y angle size") for sign in SIGNS}
        self.states, self.ends = source("x y r"), source("x y wide high")
        self.names, self.numbers, self.key = source("x y text"), source("x y text"), source("x y text")
        self.glyphs: dict[str, Any] = {}
        for sign, dash in SIGNS.items():
            line = drawn.multi_line("xs", "ys", line_width="width", line_dash=dash, source=self.edges[sign])
            tip = drawn.scatter(
                "x", "y", angle="angle", size="size", marker="triangle", source=self.tips[sign]
            )
            self.glyphs[sign], self.glyphs[f"{sign} tip"] = line, tip
        self.glyphs["states"] = drawn.circle("x", "y", radius="r", source=self.states)
        self.glyphs["ends"] = drawn.rect("x", "y", "wide", "high", border_radius=5, source=self.ends)
        middle = {"text_align": "center", "text_baseline": "middle"}
        self.glyphs["names"] = drawn.text("x", "y", "text", source=self.names, **middle)
        self.glyphs["numbers"] = drawn.text("x", "y", "text", source=self.numbers, padding=1, **middle)
        self.glyphs["key"] = drawn.text("x", "y", "text", source=self.key, text_baseline="top")
        lines = [self.glyphs[sign] for sign in SIGNS]
        drawn.add_tools(HoverTool(renderers=lines, tooltips="@word: @value{+0.0000}", line_policy="interp"))

    def show(self, shown: DiagramFrame | None, font: int) -> None:
        """Put a frame into the sources."""
        self.plot.x_range.update(start=0, end=self.room.wide)
        self.plot.y_range.update(start=0, end=self.room.high)
        if shown is None:
            texts = self.names, self.numbers, self.key
            for data in (*self.edges.values(), *self.tips.values(), self.states, self.ends, *texts):
                fill(data)
            return
        lay = numbers.layout(shown.names, shown.states, self.room.wide, self.room.high, font)
        lines = numbers.curves(shown, lay)
        self._show_nodes(shown, lay)
        self._show_edges(shown, lines)
        written = labels(shown, lay, lines, self.room.wide, self.room.high, font)
        fill(self.numbers, *([list(column) for column in zip(*written, strict=True)] or [[], [], []]))
        # Not a title: that would take a tenth of a small figure's height.
        fill(self.key, [4, 4], [self.room.high - 4, self.room.high - 4 - 1.35 * font], list(KEY))

    def _show_nodes(self, shown: DiagramFrame, lay: DiagramLayout) -> None:
        K = shown.states
        fill(self.states, *lay.place[:K].T.copy(), lay.half[:K, 0])
        fill(self.ends, *lay.place[K:].T.copy(), *(2 * lay.half[K:].T))
        fill(self.names, *lay.place.T.copy(), [numbers.short(name) for name in shown.names])

    def _show_edges(self, shown: DiagramFrame, lines: list[Any]) -> None:
        """The weakest first, so that the strongest lie on top."""
        wide = numbers.widths(shown.weight)
        for sign, data in self.edges.items():
            mine = [
                j for j in reversed(range(shown.edges_drawn)) if (shown.weight[j] > 0) == (sign == "rise")
            ]
            paths = [lines[j] for j in mine]
            words = [shown.words[j] for j in mine]
            fill(
                data,
                [p[:, 0] for p in paths],
                [p[:, 1] for p in paths],
                wide[mine],
                words,
                shown.weight[mine],
            )
            ends = np.array([p[-1] for p in paths]).reshape(-1, 2)
            # A triangle points upwards: it is turned by the way the edge goes, less a quarter.
            ways = [float(np.arctan2(*(p[-1] - p[-4 if len(p) > 4 else 0])[::-1])) - np.pi / 2 for p in paths]
            fill(self.tips[sign], ends[:, 0], ends[:, 1], ways, 6.0 + 1.3 * wide[mine])

    def recolour(self, theme: Theme) -> None:
        """Edges in the colours of the signs, nodes in that of the panel."""
        for sign, colour in (("rise", theme.high), ("fall", theme.low)):
            self.glyphs[sign].glyph.line_color = colour
            self.glyphs[f"{sign} tip"].glyph.update(fill_color=colour, line_color=colour)
        for name in ("states", "ends"):
            self.glyphs[name].glyph.update(
                fill_color=theme.panel, line_color=theme.text, line_width=0.75 * theme.line
            )
        for name in ("names", "numbers", "key"):
            self.glyphs[name].glyph.update(text_color=theme.text, text_font_size=f"{theme.font}px")
        self.glyphs["names"].glyph.text_font_style = "bold"
        self.glyphs["numbers"].glyph.update(
            background_fill_color=theme.background, background_fill_alpha=0.85
        )
        super().recolour(theme)


__all__ = ["Diagram", "Label", "labels"]
