"""What stands beside the matrix: agreement of two clusterings, a map of the items, a similarity tree.

Clusters have a hue and a marker each; on the map and under the tree the fill is the clustering that is shown
and the ring the truth.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from bokeh.models import HoverTool, Span

from explorer.engine.vectors import Array
from explorer.views.kit.drawing.pieces import fill, plot, source
from explorer.views.kit.drawing.room import Room
from explorer.views.kit.drawing.theme import LIGHT, Theme
from explorer.views.similarity.frame import SimilarityFrame, agreement
from explorer.views.similarity.matrix import LONGEST, NAMED, hues
from explorer.views.similarity.order import letters
from explorer.views.similarity.shapes import SimilarityTree
from explorer.views.similarity.words import cluster_name, item_name, shown_kind

MARKERS = (
    "circle",
    "square",
    "triangle",
    "diamond",
    "inverted_triangle",
    "hex",
    "star",
    "square_pin",
    "triangle_pin",
)
"""Nine markers for eight hues: both together repeat after 72 clusters."""

MOST_ROWS = 30
"""A table of agreement has at most this many rows and columns."""


class AgreementFigure:
    """How many items each true cluster shares with each cluster that is shown."""

    def __init__(self, resized: Callable[[], None]) -> None:
        self.theme = LIGHT
        self.cells, self.heads = source("x y count text alpha words"), source("x y text")
        self.plot = made = plot(min_border=4, title=" ")
        self.room = Room(self.plot, 260, 230, resized, few=1)
        made.grid.visible = made.axis.visible = False
        self.rects = made.rect("x", "y", 1, 1, source=self.cells, fill_alpha="alpha")
        middle = {"text_align": "center", "text_baseline": "middle"}
        self.counts = made.text("x", "y", "text", source=self.cells, **middle)
        self.names = made.text("x", "y", "text", source=self.heads, **middle)
        made.add_tools(HoverTool(renderers=[self.rects], tooltips="@words"))

    def show(self, shown: SimilarityFrame) -> None:
        """The counts, true clusters downwards."""
        whole = agreement(shown)
        table = whole[:MOST_ROWS, :MOST_ROWS]
        rows, columns = table.shape
        a, c = (index.ravel() for index in np.indices(table.shape))
        count = table[a, c]
        share = count / np.maximum(1, whole.sum(axis=1))[a]
        what = f"{shown_kind(shown)} cluster"
        words = [f"true {letters(i)}, {what} {j + 1}: {k}" for i, j, k in zip(a, c, count, strict=True)]
        alpha = np.where(count > 0, 0.12 + 0.5 * share, 0.0)
        fill(self.cells, c * 1.0, a * 1.0, count, [str(k) if k else "" for k in count], alpha, words)
        cut = "" if table.shape == whole.shape else f", first {MOST_ROWS}"
        self.plot.title.text = f"items: truth down, {shown_kind(shown)} across{cut}"
        self._lay_out(rows, columns)

    def _lay_out(self, rows: int, columns: int) -> None:
        """Cells as square as both sides allow, and as many names as do not touch."""
        wide, high = (max(side, 60) for side in (self.room.wide, self.room.high))
        across, down, font = wide / (columns + 1), high / (rows + 1), self.theme.font
        across, down = (
            min(one, 4.0 * font, max(other, 1.8 * font)) for one, other in ((across, down), (down, across))
        )
        x, y = max(0.0, wide / across - columns - 1) / 2, max(0.0, high / down - rows - 1) / 2
        self.plot.x_range.update(start=-1.5 - x, end=columns - 0.5 + x)
        self.plot.y_range.update(start=rows - 0.5 + y, end=-1.5 - y)
        size = int(np.clip(0.55 * min(across, down), 8, font))
        for text in (self.counts, self.names):
            text.glyph.text_font_size = f"{size}px"
        self.counts.visible = min(across, down) >= 10
        self._name(rows, columns, size / down, (0.62 * size * len(str(columns)) + 4.0) / across)

    def _name(self, rows: int, columns: int, tall: float, long: float) -> None:
        """Letters beside rows and numbers over columns; `tall` and `long` are their sizes in cells."""
        down, across = np.arange(0, rows, math.ceil(tall)), np.arange(0, columns, math.ceil(long))
        heads = [letters(i) for i in down] + [str(j + 1) for j in across]
        fill(
            self.heads,
            np.r_[np.full(len(down), -1.0), across],
            np.r_[down, np.full(len(across), -1.0)],
            heads,
        )

    def recolour(self, theme: Theme) -> None:
        """Counts on the truth's colour."""
        self.theme = theme
        self.rects.glyph.update(fill_color=theme.truth, line_color=theme.grid)
        self.counts.glyph.text_color = self.names.glyph.text_color = theme.text
        self.plot.title.text_font_style, self.plot.outline_line_color = "normal", None


def looks(shown: SimilarityFrame, theme: Theme) -> tuple[list[str], list[str], list[str]]:
    """For every item its marker and fill by the cluster that is shown, and its ring by the truth."""
    rank = shown.order.rank[shown.shown.labels]
    hue = shown.order.hues[rank]
    colours = hues(int(max(hue.max(initial=0), shown.truth.max(initial=0))) + 1, theme)
    markers = [MARKERS[int(h) % len(MARKERS)] for h in hue]
    return markers, [colours[h] for h in hue], [colours[a] for a in shown.truth]


def item_texts(shown: SimilarityFrame) -> list[str]:
    """Every item with its clusters."""
    kind = shown_kind(shown)
    return [
        f"{item_name(shown, i)}: true {letters(int(shown.truth[i]))}, {kind} {cluster_name(shown, i)}"
        for i in range(len(shown))
    ]


def uncovered_names(spots: Array, names: list[str], font: int) -> list[str]:
    """The names that cover neither an item nor an earlier name, `spots` in pixels; the others empty."""
    taken = [(x - 8, x + 8, y - 8, y + 8) for x, y in spots]
    out = []
    for i, ((x, y), name) in enumerate(zip(spots, names, strict=True)):
        box = x + 9, x + 9 + 0.6 * font * len(name), y - 0.6 * font, y + 0.6 * font
        others = taken[:i] + taken[i + 1 :]
        free = not any(box[0] < b and a < box[1] and box[2] < d and c < box[3] for a, b, c, d in others)
        taken += [box] if free else []
        out.append(name if free else "")
    return out


class MapFigure:
    """The items in the plane."""

    def __init__(self, resized: Callable[[], None]) -> None:
        self.theme = LIGHT
        self.items, self.pin = source("x y marker fill ring words text"), source("x y")
        self.plot = made = plot(min_border=6, title=" ")
        self.room = Room(self.plot, 260, 230, resized, few=1)
        made.grid.visible = made.axis.visible = False
        self.rings = made.scatter("x", "y", source=self.items, line_color="ring", fill_color=None)
        self.dots = made.scatter("x", "y", source=self.items, marker="marker", fill_color="fill")
        self.names = made.text("x", "y", "text", source=self.items, x_offset=9, text_baseline="middle")
        self.cross = made.scatter("x", "y", source=self.pin, marker="square", fill_color=None)
        made.add_tools(HoverTool(renderers=[self.dots], tooltips="@words"))
        self.spots: Array = np.zeros((0, 2))

    def show(self, shown: SimilarityFrame, spots: Array, title: str, pinned: int | None) -> None:
        """Items at their places."""
        self.spots = spots
        markers, fills, rings = looks(shown, self.theme)
        few, font = len(shown) <= NAMED and bool(shown.items.names), max(9, self.theme.font - 2)
        names = [item_name(shown, i)[:LONGEST] if few else "" for i in range(len(shown))]
        pixels = self._lay_out(spots, 0.6 * font * max(map(len, names)))
        text = uncovered_names(pixels, names, font) if few else names
        fill(self.items, *spots.T, markers, fills, rings, item_texts(shown), text)
        here = [] if pinned is None or pinned >= len(shown) else [pinned]
        fill(self.pin, *spots[here].T)
        size = float(np.clip(160 / np.sqrt(len(shown)), 5, 13))
        self.dots.glyph.size, self.rings.glyph.size, self.cross.glyph.size = size, size + 7, size + 13
        self.plot.title.text = title

    def _lay_out(self, spots: Array, beside: float) -> Array:
        """Ranges with room for all items and `beside` pixels of names; returns the items' pixels."""
        low, reach = spots.min(axis=0), np.ptp(spots, axis=0)
        reach = np.where(reach > 0.0, reach, 1.0)
        room = np.maximum([self.room.wide, self.room.high], 80.0)
        used = np.maximum(room - [36.0 + beside, 36.0], 40.0)
        start = low - 18.0 * reach / used
        end = start + reach / used * room
        for axis, a, b in zip((self.plot.x_range, self.plot.y_range), start, end, strict=True):
            axis.update(start=float(a), end=float(b))
        return np.asarray((spots - start) / (end - start) * room)

    def nearest(self, x: float, y: float) -> int | None:
        """The item nearest to a click."""
        if not len(self.spots):
            return None
        axes = self.plot.x_range, self.plot.y_range
        reach = np.array([(axis.end - axis.start) or 1.0 for axis in axes])
        far = np.hypot(*((self.spots - (x, y)) / reach).T)
        item = int(np.argmin(far))
        return item if far[item] < 0.06 else None

    def recolour(self, theme: Theme) -> None:
        """Thin outlines; rings in the theme's width."""
        self.theme = theme
        self.dots.glyph.update(line_color=theme.text, line_width=0.75)
        self.rings.glyph.line_width = theme.line
        self.names.glyph.update(text_color=theme.text, text_font_size=f"{max(9, theme.font - 2)}px")
        self.cross.glyph.update(line_color=theme.accent, line_width=1.5 * theme.line)
        self.plot.title.text_font_style = "normal"


class TreeFigure:
    """The items joined step by step, the most similar first."""

    def __init__(self, resized: Callable[[], None]) -> None:
        self.theme = LIGHT
        self.lines, self.names_source = source("xs ys"), source("x y text")
        self.items = source("x y marker fill ring words")
        self.plot = made = plot(None, "similarity", min_border=4, title=" ")
        self.room = Room(self.plot, 260, 230, resized, few=1)
        made.xgrid.visible = made.xaxis.visible = False
        self.brackets = made.multi_line("xs", "ys", source=self.lines)
        self.rings = made.scatter("x", "y", source=self.items, line_color="ring", fill_color=None)
        self.dots = made.scatter("x", "y", source=self.items, marker="marker", fill_color="fill")
        self.names = made.text("x", "y", "text", source=self.names_source, angle=np.pi / 2, text_align="left")
        self.names.glyph.update(text_baseline="middle", y_offset=-10)
        self.level = Span(dimension="width", line_dash="dashed")
        made.add_layout(self.level)
        made.add_tools(HoverTool(renderers=[self.dots], tooltips="@words"))
        self.leaves: Any = np.zeros(0, dtype=np.int64)
        self.above = 18.0

    def show(self, shown: SimilarityFrame, made: SimilarityTree | None) -> None:
        """The tree, with a dashed line where it has as many clusters as are shown."""
        if made is None:
            self.leaves = np.zeros(0, dtype=np.int64)
            for data in (self.lines, self.items, self.names_source):
                fill(data)
            self.plot.title.text = "too many items for a tree"
            return
        self.leaves, m = made.leaves, len(made.leaves)
        low, high = float(made.y.min()), float(made.y.max())
        reach = (high - low) or 1.0
        fill(self.lines, list(made.x), list(made.y))
        markers, fills, rings = looks(shown, self.theme)
        x, words = np.arange(m) + 0.5, item_texts(shown)
        order = [int(i) for i in made.leaves]
        at = np.full(m, high)
        fill(self.items, x, at, *([part[i] for i in order] for part in (markers, fills, rings, words)))
        scale = reach / self._name_leaves(shown, order, high)
        self.plot.x_range.update(start=0.0, end=float(m))
        self.plot.y_range.update(start=low - 8.0 * scale, end=high + self.above * scale)
        self.level.location = made.cut
        size = float(np.clip(200 / m, 4, 11))
        self.dots.glyph.size, self.rings.glyph.size = size, size + 6
        cut = (
            "single link; dashed: cut at 0"
            if made.single
            else f"average link; dashed: cut into {shown.shown.count}"
        )
        self.plot.title.text = cut

    def _name_leaves(self, shown: SimilarityFrame, order: list[int], top: float) -> float:
        """Names above the leaves where they can be read; returns the pixels left for the tree below."""
        wide, high, m = max(self.room.wide, 60), max(self.room.high, 60), len(order)
        font = min(max(9, self.theme.font - 2), int(0.9 * wide / m))
        named = m <= NAMED and font >= 8
        names = [shown.items.name_of(i)[:LONGEST] for i in order] if named else []
        fill(self.names_source, np.arange(len(names)) + 0.5, np.full(len(names), top), names)
        self.names.glyph.text_font_size = f"{max(font, 8)}px"
        self.above = 18.0 + 0.62 * font * max(map(len, names), default=0)
        return max(high - self.above - 8.0, 30.0)

    def nearest(self, x: float) -> int | None:
        """The leaf under a click."""
        at = int(np.floor(x))
        return int(self.leaves[at]) if 0 <= at < len(self.leaves) else None

    def recolour(self, theme: Theme) -> None:
        """Lines in the text's colour."""
        self.theme = theme
        self.brackets.glyph.update(line_color=theme.muted, line_width=theme.line / 2)
        self.dots.glyph.update(line_color=theme.text, line_width=0.75)
        self.rings.glyph.line_width = theme.line
        self.names.glyph.update(text_color=theme.text, text_font_size=f"{max(9, theme.font - 2)}px")
        self.level.update(line_color=theme.accent, line_width=theme.line)
        self.plot.title.text_font_style = "normal"
