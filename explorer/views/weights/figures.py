"""Figures for named weights: a sheet of coloured cells, signed bars, and pairs of bars.

All fit their labels to the size that the browser reports, and count on little before it has.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from bokeh.models import FixedTicker, HoverTool, LinearColorMapper, NoOverlap, Span

from explorer.views.kit.drawing.pieces import fill, plot, ramp, source
from explorer.views.kit.drawing.room import Room
from explorer.views.kit.drawing.theme import Theme
from explorer.views.weights.frame import TILE_HEAD, TOP, Named, Sheet
from explorer.views.weights.rival import Rivalry

STROKED = 0.2
"""A negative cell carries a minus stroke from this share of the largest weight on."""

LABELS_HEIGHT = 140
"""Pixels that the rows of a matrix can count on before the browser has said how many there are."""

BARS_APART = 3.6
"""From one column of bars to the next, in lengths of the longest bar."""


class WeightFigure:
    """A figure with a quiet title and no frame."""

    def __init__(self, resized: Callable[[], None]) -> None:
        self.plot = plot(title=" ")
        self.plot.grid.visible = False
        self.room = Room(self.plot, 4 * LABELS_HEIGHT, LABELS_HEIGHT, resized)

    @property
    def aspect(self) -> float:
        """Width over height."""
        return self.room.wide / self.room.high

    def recolour(self, theme: Theme) -> None:
        """A quiet title, and no frame."""
        self.plot.title.text_font_style, self.plot.outline_line_color = "normal", None


class WeightCells(WeightFigure):
    """A figure of coloured cells; filled from a Sheet."""

    def __init__(self, resized: Callable[[], None]) -> None:
        super().__init__(resized)
        self.rows = 1.0
        self.source, self.strokes, self.marks = (
            source("x y value word"),
            source("x0 x1 y"),
            source("x y text"),
        )
        self.mapper = LinearColorMapper(palette=["#000000"], low=-1.0, high=1.0)
        fill = {"field": "value", "transform": self.mapper}
        self.cells = self.plot.rect("x", "y", 1, 1, source=self.source, fill_color=fill, line_width=0.5)
        self.minus = self.plot.segment("x0", "y", "x1", "y", source=self.strokes, line_width=1.5)
        self.text = self.plot.text(
            "x", "y", "text", source=self.marks, text_align="center", text_baseline="middle"
        )
        self.plot.add_tools(HoverTool(renderers=[self.cells], tooltips="@word: @value{0.0000}"))
        for axis in self.plot.axis:
            axis.update(ticker=FixedTicker(ticks=[]), axis_line_alpha=0, major_tick_line_alpha=0)
            axis.update(major_label_policy=NoOverlap(min_distance=1), major_label_standoff=0)

    def show(self, sheet: Sheet, font: int) -> None:
        """Put a sheet into the sources."""
        limit = float(np.max(np.abs(sheet.value))) or 1.0
        self.mapper.update(low=-limit, high=limit)
        fill(self.source, sheet.x, sheet.y, sheet.value, list(sheet.word))
        dark, columns = sheet.value < -STROKED * limit, float(np.ptp(sheet.x)) + 1.0
        self.rows = float(np.ptp(sheet.y)) + 1.0
        half = 0.25 * min(1.0, columns / self.rows / self.aspect)
        fill(self.strokes, sheet.x[dark] - half, sheet.x[dark] + half, sheet.y[dark])
        fill(self.marks, *zip(*sheet.tiles, strict=True))
        left, right = float(sheet.x.min()) - 0.5, float(sheet.x.max()) + 0.5
        top, bottom = float(sheet.y.min()) - 0.5, float(sheet.y.max()) + 0.5
        if sheet.tiles:
            top -= TILE_HEAD
            spare = max(0.0, (bottom - top) * self.aspect - (right - left)) / 2
            left, right, bottom = left - spare, right + spare, max(bottom, top + (right - left) / self.aspect)
        self.plot.x_range.update(start=left, end=right)
        self.plot.y_range.update(start=bottom, end=top)
        self.plot.title.text = f"{sheet.title}, ±{limit:.2g}"
        for axis, labels in ((self.plot.xaxis[0], sheet.across), (self.plot.yaxis[0], sheet.down)):
            axis.ticker.ticks, axis.visible = sorted(labels), bool(labels)
            axis.major_label_overrides = dict(labels)
        self._fit(font)

    def _fit(self, font: int) -> None:
        """Labels no larger than their rows."""
        size = max(8, min(font, int(0.8 * self.room.high / self.rows)))
        self.plot.axis.major_label_text_font_size = f"{size}px"
        head = int(0.9 * TILE_HEAD * self.room.high / abs(self.plot.y_range.end - self.plot.y_range.start))
        self.text.glyph.text_font_size = f"{max(8, min(font, head))}px"

    def recolour(self, theme: Theme) -> None:
        """The theme's diverging scale."""
        self.mapper.palette = ramp(theme.low, theme.background, theme.high)
        self.cells.glyph.line_color = theme.background
        self.minus.glyph.line_color = self.text.glyph.text_color = theme.text
        super().recolour(theme)
        self._fit(theme.font)


class WeightBars(WeightFigure):
    """Signed bars, each named on the other side of its zero line, in one or two columns."""

    def __init__(self, resized: Callable[[], None]) -> None:
        super().__init__(resized)
        self.parts = {sign: source("left right y name value side end out") for sign in ("rise", "fall")}
        self.plot.axis.visible = False
        self.glyphs: dict[str, tuple[Any, Any, Any]] = {}
        for sign, data in self.parts.items():
            hatch = {"hatch_pattern": "right_diagonal_line", "hatch_scale": 6} if sign == "fall" else {}
            bar = self.plot.hbar(y="y", left="left", right="right", height=0.55, source=data, **hatch)
            ways = ("right", "left") if sign == "rise" else ("left", "right")
            middle = {"source": data, "text_baseline": "middle"}
            name = self.plot.text("side", "y", "name", text_align=ways[0], **middle)
            value = self.plot.text("out", "y", "end", text_align=ways[1], **middle)
            self.plot.add_tools(HoverTool(renderers=[bar], tooltips="@name: @value{0.0000}"))
            self.glyphs[sign] = (bar, name, value)

    def show(self, title: str, rows: Named, font: int) -> None:
        """The named values, largest first, downwards in each column: as many as can be read at this size."""
        per = int(np.clip(self.room.high // (1.3 * font), 2, TOP // 2))
        columns = 1 if len(rows) <= per or self.room.wide < 40 * font else 2
        rows = rows[: per * columns]
        limit = max((abs(v) for _, v in rows), default=1.0)
        for sign, data in self.parts.items():
            mine = [j for j, (_, v) in enumerate(rows) if (v > 0) == (sign == "rise")]
            names, values = [rows[j][0] for j in mine], np.array([rows[j][1] for j in mine])
            zero, y = np.array(mine) // per * BARS_APART, np.array(mine) % per
            end, gap = zero + values / limit, 0.05 if sign == "rise" else -0.05
            texts = [f"{v:+.3g}".replace("-", "−") for v in values]
            fill(
                data,
                np.minimum(zero, end),
                np.maximum(zero, end),
                y,
                names,
                values,
                zero - gap,
                texts,
                end + gap,
            )
        self.plot.title.text = title
        self.plot.x_range.update(start=-1.75, end=1.75 + BARS_APART * (columns - 1))
        self.plot.y_range.update(start=max(3, min(per, len(rows))) - 0.5, end=-0.5)

    def recolour(self, theme: Theme) -> None:
        """Red rises, blue falls and is hatched."""
        for sign, (bar, name, value) in self.glyphs.items():
            bar.glyph.fill_color = bar.glyph.line_color = theme.high if sign == "rise" else theme.low
            bar.glyph.hatch_color = theme.background
            for text in (name, value):
                text.glyph.update(text_color=theme.text, text_font_size=f"{theme.font}px")
        super().recolour(theme)


class PairedBars(WeightFigure):
    """Two signed bars for each name: the learned weight filled, the rival's a hollow one below it."""

    def __init__(self, resized: Callable[[], None]) -> None:
        super().__init__(resized)
        self.mine, self.theirs = (
            source("left right y name value rival"),
            source("left right y name value rival"),
        )
        self.texts, self.heads = source("y name end"), source("y name")
        self.plot.axis.visible = False
        self.bars = [
            self.plot.hbar(y="y", left="left", right="right", height=height, source=data)
            for data, height in ((self.mine, 0.42), (self.theirs, 0.26))
        ]
        self.zero = Span(location=0.0, dimension="height")
        self.plot.add_layout(self.zero)
        middle = {"text_baseline": "middle"}
        self.names = self.plot.text(-1.08, "y", "name", source=self.texts, text_align="right", **middle)
        self.values = self.plot.text(1.08, "y", "end", source=self.texts, text_align="left", **middle)
        self.titles = self.plot.text(-1.08, "y", "name", source=self.heads, text_align="right", **middle)
        tips = "@name: learned @value{0.000}, classifier of pairs @rival{0.000}"
        self.plot.add_tools(HoverTool(renderers=self.bars, tooltips=tips))

    def show(self, shown: Rivalry, font: int) -> None:
        """As many rows as can be read; a heading above each group where there are several."""
        room = int(np.clip(self.room.high // (1.35 * font), 2, TOP + 4))
        several = len(set(shown.group)) > 1
        spots, heads, y, last = [], [], 0.0, ""
        for group in shown.group:
            if several and group != last:
                heads.append((y, group))
                y, last = y + 1.0, group
            spots.append(y)
            y += 1.0
        count = sum(spot < room for spot in spots)
        at, names = np.array(spots[:count]), list(shown.names[:count])
        mine, theirs = shown.mine[:count], shown.theirs[:count]
        limit = float(max(np.abs(mine).max(initial=0.0), np.abs(theirs).max(initial=0.0))) or 1.0
        for data, values, shift in ((self.mine, mine, -0.14), (self.theirs, theirs, 0.24)):
            ends = values / limit
            fill(data, np.minimum(0.0, ends), np.maximum(0.0, ends), at + shift, names, mine, theirs)
        ends = [f"{a:+.2f}, {b:+.2f}".replace("-", "−") for a, b in zip(mine, theirs, strict=True)]
        fill(self.texts, at, names, ends)
        fill(self.heads, [a for a, _ in heads if a < room], [name for a, name in heads if a < room])
        left = 0.58 * font * max([len(name) for name in names], default=1) + 10
        right = 0.58 * font * 14
        scale = 2.16 / max(self.room.wide - left - right, 80)
        self.plot.x_range.update(start=-1.08 - left * scale, end=1.08 + right * scale)
        self.plot.y_range.update(start=max(3.0, min(room, y)) - 0.4, end=-0.6)
        self.plot.title.text = "unit length: filled learned, hollow a classifier of pairs"

    def recolour(self, theme: Theme) -> None:
        """Filled and hollow, so that colour is not needed."""
        self.bars[0].glyph.update(fill_color=theme.primal, line_color=theme.primal)
        self.bars[1].glyph.update(
            fill_color=theme.background, line_color=theme.dual, line_width=0.75 * theme.line
        )
        self.zero.update(line_color=theme.muted, line_width=1)
        for text in (self.names, self.values, self.titles):
            text.glyph.update(text_color=theme.text, text_font_size=f"{theme.font}px")
        self.titles.glyph.text_font_style = "bold"
        super().recolour(theme)
