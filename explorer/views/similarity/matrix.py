"""A square matrix of similarities, drawn: diverging colours, blocks of clusters, names, the true strip.

Values are sent as 16 bit numbers, in the order in which they are shown. A new order of the same items is gone
through in the browser: the image of the new values moves from the old order to the new one within a third of
a second. Clusters have outlines, true clusters a strip with letters, and negative cells of small matrices a
minus stroke: never colour alone.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from bokeh.models import CustomJS, CustomJSHover, HoverTool, LinearColorMapper

from explorer.engine.vectors import Array, Ints
from explorer.views.kit.drawing.pieces import fill, plot, ramp, source
from explorer.views.kit.drawing.room import Room
from explorer.views.kit.drawing.state_colours import fills, ink_on
from explorer.views.kit.drawing.theme import LIGHT, Theme
from explorer.views.similarity.frame import SimilarityFrame
from explorer.views.similarity.order import block_means, letters
from explorer.views.similarity.words import item_name

FULL = 32767
"""The 16 bit number of the largest value."""

NAMED = 40
"""Names are written of at most this many items."""

NUMBERED = 12
"""Values are written into the cells of at most this many items."""

LONGEST = 14
"""Letters of a name beside a matrix."""

STROKED = 0.2
"""A negative cell carries a stroke from this share of the largest value on."""

STRIP = 13
"""Pixels of the strip that shows the truth."""

ANIMATED = 350
"""Milliseconds in which items move to a new order."""

MOVE = """
const mine = holder.turn = (holder.turn ?? 0) + 1
const after = image.data.image[0], old = image.data.before[0]
if (!old || !old.length || after.shape[0] != old.length) return
const m = old.length, last = Int16Array.from(after), began = performance.now()
const spot = new Float64Array(m), [rows, columns] = [down.data.y, across.data.x]
const place = (share) => {
  for (let to = 0; to < m; to++) spot[to] = old[to] + share * (to - old[to])
  const rank = Array.from(spot.keys()).sort((a, b) => spot[a] - spot[b])
  for (let r = 0; r < m; r++) for (let c = 0; c < m; c++) after[r * m + c] = last[rank[r] * m + rank[c]]
  for (let to = 0; to < rows.length; to++) rows[to] = columns[to] = spot[to] + 0.5
}
const frame = () => {
  if (holder.turn != mine) return
  const share = Math.min(1, (performance.now() - began) / length)
  place(share * share * (3 - 2 * share))
  for (const part of [image, down, across]) part.change.emit()
  if (share < 1) requestAnimationFrame(frame)
}
frame()
"""
"""`before` has, for every new position, the position that its item had."""

ASK = """
const m = names.data.name.length, [i, j] = [Math.floor(cb_obj.y), Math.floor(cb_obj.x)]
const inside = i >= 0 && j >= 0 && i < m && j < m
const [was_i, was_j] = [asked.data.row[0] ?? -1, asked.data.column[0] ?? -1]
const now = inside ? [i, j] : [-1, -1]
if (now[0] == was_i && now[1] == was_j) return
clearTimeout(holder.timer)
holder.timer = setTimeout(() => { asked.data = { row: [now[0]], column: [now[1]] } }, 90)
"""
"""Tells the server which pair is pointed at, once the pointer rests."""

PAIR = """
const [i, j] = [Math.floor(special_vars.y), Math.floor(special_vars.x)], of = names.data
const side = (a) => a[i] == a[j] ? "together" : "apart"
if (format == "pair") return i == j ? of.name[i] : `${of.name[i]} – ${of.name[j]}`
if (format == "value") return (value * scale.data.limit[0] / 32767).toPrecision(3)
return i == j ? "" : `${side(of.truth)} in the truth, ${side(of.shown)} as shown`
"""


class MatrixFigure:
    """One matrix; `show` fills it."""

    def __init__(self, resized: Callable[[], None], moves: bool = False) -> None:
        self.theme, self.moves = LIGHT, moves
        self.image = source("image x y size before")
        self.names, self.asked, self.scale = source("name truth shown"), source("row column"), source("limit")
        self.blocks, self.strokes, self.cells = source("x y side"), source("x0 x1 y"), source("x y text ink")
        self.down, self.across, self.strip = (
            source("x y text"),
            source("x y text"),
            source("x y size fill ink text"),
        )
        self.pin = source("x y wide high")
        self.mapper = LinearColorMapper(palette=["#000000"], low=-FULL, high=FULL)
        self.plot = self._figure()
        self.room = Room(self.plot, 260, 230, resized, few=1)
        self._before: tuple[int, Ints] | None = None
        self._sent: tuple[Any, ...] = ()
        self._held: tuple[Any, ...] = ()
        self.limit, self.unit, self.written = 1.0, 1.0, False

    def _figure(self) -> Any:
        made = plot(min_border=2, title=" ")
        made.grid.visible = made.axis.visible = False
        size = {"dw": "size", "dh": "size"}
        drawn_image = made.image("image", "x", "y", source=self.image, color_mapper=self.mapper, **size)
        strip = {"source": self.strip, "fill_color": "fill", "line_width": 1}
        self.tall = made.rect("x", "y", 1, "size", **strip)
        self.outlines = made.rect("x", "y", "side", "side", source=self.blocks, fill_color=None)
        self.minus = made.segment("x0", "y", "x1", "y", source=self.strokes)
        middle = {"text_baseline": "middle"}
        self.values = made.text(
            "x", "y", "text", source=self.cells, text_align="center", text_color="ink", **middle
        )
        self.marks = made.text(
            "x", "y", "text", source=self.strip, text_align="center", text_color="ink", **middle
        )
        self.left = made.text("x", "y", "text", source=self.down, text_align="right", **middle)
        self.top = made.text(
            "x", "y", "text", source=self.across, angle=np.pi / 2, text_align="left", **middle
        )
        self.cross = made.rect("x", "y", "wide", "high", source=self.pin, fill_color=None, line_dash="dashed")
        self._scripts(made, drawn_image)
        return made

    def _scripts(self, made: Any, drawn_image: Any) -> None:
        names = {"names": self.names, "scale": self.scale}
        told = CustomJSHover(args=names, code=PAIR)
        tips = [("pair", "$x{pair}"), ("value", "@image{value}"), ("", "$y{side}")]
        formatters = {"$x": told, "@image": told, "$y": told}
        made.add_tools(HoverTool(renderers=[drawn_image], tooltips=tips, formatters=formatters))
        if self.moves:
            parts = {
                "image": self.image,
                "down": self.down,
                "across": self.across,
                "length": ANIMATED,
                "holder": {},
            }
            self.image.js_on_change("data", CustomJS(args=parts, code=MOVE))
            pointed = {"names": self.names, "asked": self.asked, "holder": {}}
            made.js_on_event("mousemove", CustomJS(args=pointed, code=ASK))

    # filling ------------------------------------------------------------------------------------------------

    def show(
        self,
        shown: SimilarityFrame,
        matrix: Array,
        title: str,
        pinned: int | None = None,
        animated: bool = False,
    ) -> None:
        """A matrix of the frame's items in the frame's order."""
        key = (id(matrix), id(shown.shown), shown.by, self.room.wide, self.room.high, self.theme.name)
        if key != self._sent:
            self._sent, self._held = (
                key,
                (matrix, shown.shown),
            )  # held, so that no other object takes their place
            self._show_all(shown, matrix, animated)
        text = f"{title}, ±{self.limit:.3g}" + (
            f"; numbers in {self.unit:g}" if self.unit != 1.0 and self.written else ""
        )
        if self.plot.title.text != text:
            self.plot.title.text = text
        self._show_pin(shown, pinned)

    def _show_all(self, shown: SimilarityFrame, matrix: Array, animated: bool) -> None:
        m, items = len(shown), shown.order.items
        cells = block_means(matrix, items)
        self.limit = limit = float(np.abs(cells).max(initial=0.0)) or 1.0
        self.unit = 1.0 if 0.1 <= limit < 1000.0 else 10.0 ** np.floor(np.log10(limit))
        fill(self.scale, [limit])
        texts = [item_name(shown, int(i)) for i in items]
        truth, mine = shown.truth[items], shown.shown.labels[items]
        fill(self.names, texts, truth.astype(np.int32), mine.astype(np.int32))
        before = self._old_places(shown) if animated and m == len(cells) else np.zeros(0)
        numbers = np.round(cells * (FULL / limit)).astype(np.int16)
        self._before = (id(shown.items), shown.order.places)
        self._lay_out(shown, [shown.items.name_of(int(i)) for i in items])
        fill(self.image, [numbers], [0.0], [0.0], [float(m)], [before.tolist()])
        begins, ends = shown.order.begins, shown.order.ends
        fill(self.blocks, (begins + ends) / 2, (begins + ends) / 2, (ends - begins).astype(float))
        self._show_strip(shown, truth)
        self._show_signs(cells, limit)

    def _old_places(self, shown: SimilarityFrame) -> Any:
        """For every position the one that its item had before; empty where nothing moves."""
        if self._before is None or self._before[0] != id(shown.items):
            return np.zeros(0)
        old = self._before[1][shown.order.items]
        return np.zeros(0) if np.array_equal(old, np.arange(len(old))) else old

    def _lay_out(self, shown: SimilarityFrame, texts: list[str]) -> None:
        """Square cells in the middle of the room, with as much beside them as names and strip need."""
        m, (wide, high) = len(shown), (max(side, 60) for side in (self.room.wide, self.room.high))
        short = [text if len(text) <= LONGEST else text[: LONGEST - 1] + "…" for text in texts]
        small = max(8, min(self.theme.font, int(0.85 * min(wide, high) / m)))
        longest = max(map(len, short))
        small = int(
            np.clip(0.25 * min(wide, high) / (0.6 * longest), 8, small)
        )  # long names in smaller letters
        named = m <= NAMED and (min(wide, high) - 0.6 * small * longest - 20) / m >= 0.9 * small
        letters_wide = 0.6 * small * longest + 6 if named else 0.0
        turned = longest > 2  # one or two letters stand upright above their column
        head = (letters_wide if turned else small + 8) if named else 0.0
        side = letters_wide + STRIP + 4
        cell = max(min((wide - side) / m, (high - head - 4) / m), 0.05)
        spare = max(0.0, wide - side - cell * m) / 2
        self.plot.x_range.update(start=-(side + spare) / cell, end=(wide - side - spare) / cell)
        self.plot.y_range.update(start=(high - head) / cell, end=-head / cell)
        self.cell, self.strip_at, self.strip_wide = cell, -(STRIP / 2 + 3) / cell, STRIP / cell
        centre = np.arange(m) + 0.5
        fill(self.down, np.full(m, -(STRIP + 6) / cell), centre, short) if named else fill(self.down)
        fill(self.across, centre, np.full(m, -3 / cell), short) if named else fill(self.across)
        for text in (self.left, self.top):
            text.glyph.text_font_size = f"{small}px"
        upright = {"angle": 0.0, "text_align": "center", "text_baseline": "bottom"}
        self.top.glyph.update(
            **({"angle": np.pi / 2, "text_align": "left", "text_baseline": "middle"} if turned else upright)
        )

    def _show_strip(self, shown: SimilarityFrame, truth: Ints) -> None:
        """Runs of items that truly belong together."""
        begins = np.flatnonzero(np.append(True, truth[1:] != truth[:-1]))
        ends = np.append(begins[1:], len(truth))
        colours = hues(shown.true_count, self.theme)
        mine = [colours[a] for a in truth[begins]]
        texts = [
            letters(int(a)) if (e - b) * self.cell >= 10 else ""
            for a, b, e in zip(truth[begins], begins, ends, strict=True)
        ]
        at = np.full(len(begins), self.strip_at)
        fill(
            self.strip,
            at,
            (begins + ends) / 2,
            (ends - begins).astype(float),
            mine,
            [ink_on(c) for c in mine],
            texts,
        )
        self.tall.glyph.width = self.strip_wide

    def _show_signs(self, cells: Array, limit: float) -> None:
        """Numbers in large cells, strokes in negative ones that are not too small."""
        m = len(cells)
        row, column = np.indices((m, m)).reshape(2, -1) if m <= NAMED else np.zeros((2, 0), dtype=np.int64)
        values = cells[row, column]
        self.written = m <= NUMBERED and self.cell >= 19
        if self.written:
            palette = ramp(self.theme.low, self.theme.background, self.theme.high)
            where = np.clip(((values / limit + 1.0) / 2.0 * len(palette)).astype(int), 0, len(palette) - 1)
            inks = [ink_on(palette[k]) for k in where]
            fill(self.cells, column + 0.5, row + 0.5, [short_number(v / self.unit) for v in values], inks)
            self.values.glyph.text_font_size = f"{int(np.clip(0.34 * self.cell, 8, self.theme.font))}px"
            fill(self.strokes)
            return
        fill(self.cells)
        dark = values < -STROKED * limit
        fill(self.strokes, column[dark] + 0.3, column[dark] + 0.7, row[dark] + 0.5)

    def _show_pin(self, shown: SimilarityFrame, pinned: int | None) -> None:
        """The row and the column of the pinned item."""
        m = len(shown)
        if pinned is None or pinned >= m:
            if len(self.pin.data["x"]):
                fill(self.pin)
            return
        at = float(shown.order.places[pinned]) + 0.5
        fill(self.pin, [m / 2, at], [at, m / 2], [float(m), 1.0], [1.0, float(m)])

    def recolour(self, theme: Theme) -> None:
        """The theme's diverging scale, outlines and letters."""
        self.theme = theme
        self.mapper.palette = ramp(theme.low, theme.background, theme.high)
        self.outlines.glyph.update(line_color=theme.text, line_width=theme.line)
        self.minus.glyph.update(line_color=theme.text, line_width=1)
        self.tall.glyph.line_color = theme.background
        self.cross.glyph.update(line_color=theme.accent, line_width=theme.line)
        self.plot.title.text_font_style, self.plot.outline_line_color = "normal", None
        self.marks.glyph.text_font_size = f"{min(theme.font, 11)}px"
        for text in (self.left, self.top):
            text.glyph.text_color = theme.text


def hues(count: int, theme: Theme) -> list[str]:
    """A fill for each cluster."""
    return fills([f"cluster {c}" for c in range(count)], theme)


def short_number(value: float) -> str:
    """Two digits, as many as a small cell holds."""
    digits = 0 if abs(value) >= 9.95 else 1 if abs(value) >= 0.995 else 2
    text = f"{abs(value):.{digits}f}"
    text = text.removeprefix("0") if digits == 2 else text
    return "0" if text == ".00" else ("−" if value < 0 else "") + text
