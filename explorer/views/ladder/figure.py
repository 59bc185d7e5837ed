"""The margin ladder drawn: a row per output with its score, a bar up to its reach, and the slack.

Truth, prediction and most tempting output have a colour and a marker each, one inside the other where they
meet. What of a bar lies beyond the truth's score is hatched. Beside it the input: an image, or the points
with the predicted classes behind them. Sizes in pixels follow what the browser reports about the figures.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from bokeh.models import AllLabels, FixedTicker, HoverTool, LinearColorMapper

from explorer.engine.vectors import Ints
from explorer.views.kit.drawing.pieces import blend, fill, legend, plot, ramp, source
from explorer.views.kit.drawing.room import Room
from explorer.views.kit.drawing.state_colours import fills
from explorer.views.kit.drawing.theme import LIGHT, Theme
from explorer.views.kit.drawing.thinning import evenly
from explorer.views.ladder import frame as numbers
from explorer.views.ladder import words
from explorer.views.ladder.frame import LadderFrame
from explorer.views.ladder.inputs import InputPlane

MARKS = {
    "truth": ("truth", "square"),
    "guess": ("guess", "circle"),
    "rival": ("most tempting", "triangle"),
}
"""Of each marked output its name in the legend and its marker."""

KINDS = ("diamond", "star", "inverted_triangle", "hex", "plus", "x", "asterisk", "dash")
"""Markers of the classes: none that marks an output."""

SOURCES = {
    "bars": "y left right",
    "beyond": "y left right",
    "own": "x0 x1 y0 y1",
    "dots": "x y alpha words",
    "slack": "xs ys",
    "sum": "x y text",
    "kinds": "x y marker fill",
    **dict.fromkeys(MARKS, "x y"),
}
SCORE = "score w·Ψ(x, y)"
SLACK = "slack ξ = "
LEAST_ROW = 9
"""Pixels of the lowest row that can be read."""

MOST_LETTERS, MOST_POINTS = 18, 600
MOST_THICK = 2.2
"""Bars are no thicker than this many letters."""


class LadderFigure:
    """The rungs; filled from a frame."""

    def __init__(self, resized: Callable[[], None]) -> None:
        self.theme = LIGHT
        self.glyphs: dict[str, Any] = {}
        self.plot = plot(SCORE, min_border=2, min_height=130)
        self.room = Room(self.plot, 420, 110, resized)
        self.sources = {name: source(columns) for name, columns in SOURCES.items()}
        self.plot.yaxis[0].update(
            ticker=FixedTicker(ticks=[]), major_label_policy=AllLabels(), major_tick_line_alpha=0
        )
        self.plot.xgrid.visible = False
        self._draw()

    def _draw(self) -> None:
        on, draw, of = self.plot, self.glyphs, self.sources
        bar = {"y": "y", "left": "left", "right": "right"}
        draw["bars"] = on.hbar(source=of["bars"], fill_alpha=0.28, line_color=None, **bar)
        draw["beyond"] = on.hbar(source=of["beyond"], fill_alpha=0.35, line_color=None, **bar)
        draw["beyond"].glyph.update(hatch_pattern="right_diagonal_line", hatch_scale=7, hatch_weight=1)
        draw["own"] = on.segment("x0", "y0", "x1", "y1", line_dash="dashed", source=of["own"])
        draw["slack"] = on.multi_line("xs", "ys", source=of["slack"])
        draw["dots"] = on.scatter("x", "y", size=7, fill_alpha="alpha", source=of["dots"])
        for name, (_, marker) in MARKS.items():
            draw[name] = on.scatter("x", "y", marker=marker, fill_color=None, source=of[name])
        draw["kinds"] = on.scatter("x", "y", marker="marker", fill_color="fill", source=of["kinds"])
        draw["sum"] = on.text("x", "y", "text", anchor="center_left", x_offset=7, padding=1, source=of["sum"])
        draw["sum"].glyph.update(text_font_style="bold", background_fill_alpha=0.85)
        # One line: a taller box would cover the rows around it.
        on.add_tools(
            HoverTool(renderers=[draw["dots"]], tooltips="@words", mode="hline", attachment="vertical")
        )
        items = {name: [draw[key]] for key, (name, _) in MARKS.items()}
        legend(on, items | {"margin asked": [draw["bars"]]})

    def show(self, shown: LadderFrame) -> None:
        """Put a frame into the sources."""
        at = numbers.outputs_to_draw(shown, self.room.high // LEAST_ROW)
        row = {int(y): r for r, y in enumerate(at)}
        self.thick = min(0.56, MOST_THICK * self.theme.font * len(at) / self.room.high)
        self._axes(shown, at)
        self._bars(shown, at)
        self._dots(shown, at)
        for name in MARKS:
            place = getattr(shown, name)
            fill(self.sources[name], [shown.score[place]], [row[place]])
        self._slack(shown, row)
        self._kinds(shown, at)
        self._fit(len(at), shown.phase >= 1)

    def _bars(self, shown: LadderFrame, at: Ints) -> None:
        """From each wrong output's score to its reach, and what of it lies beyond the truth's score."""
        y = np.flatnonzero(at != shown.truth).astype(float)
        low, high = (values[at[at != shown.truth]] for values in (shown.score, shown.reach))
        over = high > shown.own
        fill(self.sources["bars"], y, low, high)
        fill(self.sources["beyond"], y[over], np.maximum(low, shown.own)[over], high[over])
        fill(self.sources["own"], [shown.own], [shown.own], [-0.5], [len(at) - 0.5])

    def _dots(self, shown: LadderFrame, at: Ints) -> None:
        """A dot for every output, unseen under a mark, with its numbers for the pointer."""
        texts, marks = words.rung_texts(shown), [words.roles(shown, i) for i in at]
        plain = [0.0 if marked else 1.0 for marked in marks]
        fill(self.sources["dots"], shown.score[at], np.arange(len(at)), plain, [texts[i] for i in at])

    def _axes(self, shown: LadderFrame, at: Ints) -> None:
        low, high = float(shown.score[at].min()), float(shown.reach[at].max())
        span, font = (high - low) or 1.0, self.theme.font
        # Left of the lowest score there is room for a class's marker, right of the reach for the slack's
        # number.
        left, right = 2.9 * font, 0.62 * font * len(SLACK + words.slack_words(shown)) + 14
        scale = span / max(60.0, self.room.wide - left - right)
        self.plot.x_range.update(start=low - left * scale, end=high + right * scale)
        self.marked = low + (0.8 * font - left) * scale
        self.plot.y_range.update(start=len(at) - 0.4, end=-0.6)
        axis, names = self.plot.yaxis[0], [shown.outputs[i] for i in at]
        axis.ticker.ticks = list(range(len(at)))
        axis.major_label_overrides = {
            r: n if len(n) <= MOST_LETTERS else n[: MOST_LETTERS - 1] + "…" for r, n in enumerate(names)
        }
        some = f", the {len(at)} of {len(shown)} outputs that reach highest"
        self.plot.xaxis.axis_label = SCORE + (some if len(at) < len(shown) else "")

    def _slack(self, shown: LadderFrame, row: dict[int, int]) -> None:
        """A bracket from the truth's score to the reach of the most tempting output."""
        if shown.rival == shown.truth:
            fill(self.sources["slack"])
            fill(self.sources["sum"])
            return
        y, start, end = row[shown.rival], shown.own, float(shown.reach[shown.rival])
        low, high = y - 0.6 * self.thick, y + 0.6 * self.thick
        fill(self.sources["slack"], [[start, start, start, end, end, end]], [[low, high, y, y, low, high]])
        fill(self.sources["sum"], [end], [y], [SLACK + words.slack_words(shown)])

    def _kinds(self, shown: LadderFrame, at: Ints) -> None:
        """The markers of the classes as they are in the plane beside."""
        if shown.plane is None or shown.plane.kinds != len(shown):
            fill(self.sources["kinds"])
            return
        colours = fills(shown.outputs, self.theme)
        marks = [KINDS[i % len(KINDS)] for i in at]
        fill(
            self.sources["kinds"],
            [self.marked] * len(at),
            list(range(len(at))),
            marks,
            [colours[i] for i in at],
        )

    def _fit(self, rows: int, searching: bool) -> None:
        """Marks and names no larger than their rows; the most tempting stands out during its search."""
        high, theme, draw = self.room.high / max(1, rows), self.theme, self.glyphs
        mark = float(np.clip(0.85 * high, 13.0, 1.7 * theme.font))
        sizes = {"truth": mark, "guess": 0.78 * mark, "rival": (0.7 if searching else 0.5) * mark}
        for name, size in sizes.items():
            faint = 0.4 if searching and name != "rival" else 1.0
            draw[name].glyph.update(
                size=size, line_alpha=faint, fill_alpha=faint, line_width=min(theme.line, 0.16 * mark)
            )
        draw["dots"].glyph.size = min(7.0, 0.5 * mark)
        draw["kinds"].glyph.size = min(0.95 * theme.font, mark)
        draw["slack"].glyph.line_width = (1.6 if searching else 1.0) * min(theme.line, 0.2 * high)
        draw["bars"].glyph.height = self.thick
        draw["beyond"].glyph.update(height=self.thick, fill_alpha=0.15 if searching else 0.35)
        font = max(8, min(theme.font, int(0.92 * high)))
        self.plot.yaxis.major_label_text_font_size = f"{font}px"
        draw["sum"].glyph.text_font_size = f"{max(11, min(theme.font + 1, int(1.2 * high)))}px"

    def recolour(self, theme: Theme) -> None:
        """Dress the glyphs in the theme's colours."""
        self.theme, draw = theme, self.glyphs
        for name in MARKS:
            draw[name].glyph.line_color = getattr(theme, name)
        draw["rival"].glyph.fill_color = theme.background
        draw["bars"].glyph.fill_color = theme.neutral
        draw["beyond"].glyph.update(fill_color=theme.rival, hatch_color=theme.rival)
        draw["dots"].glyph.update(fill_color=theme.muted, line_color=None)
        draw["own"].glyph.update(line_color=theme.truth, line_width=0.6 * theme.line)
        draw["slack"].glyph.line_color = draw["sum"].glyph.text_color = theme.accent
        draw["sum"].glyph.background_fill_color = theme.background
        draw["kinds"].glyph.line_color = theme.text
        self.plot.legend[0].update(spacing=theme.font, glyph_width=18)
        self.plot.yaxis.axis_line_alpha = 0


class InputFigure:
    """The input: an image, or all points with the chosen one ringed."""

    def __init__(self, resized: Callable[[], None]) -> None:
        self.theme, self.plot = LIGHT, plot(min_border=2, min_height=130)
        self.room = Room(self.plot, 170, 150, resized)
        on, self.points, self.ring = self.plot, source("x y marker fill example truth"), source("x y")
        self.pixels, self.regions = source("image x y dw dh"), source("image x y dw dh")
        self.mappers = [LinearColorMapper(palette=["#000000"], low=0, high=1) for _ in range(2)]
        for data, mapper in zip((self.pixels, self.regions), self.mappers, strict=True):
            on.image("image", "x", "y", "dw", "dh", source=data, color_mapper=mapper)
        self.dots = on.scatter("x", "y", marker="marker", fill_color="fill", source=self.points)
        self.rings = on.scatter("x", "y", fill_color=None, source=self.ring)
        on.add_tools(HoverTool(renderers=[self.dots], tooltips="example @example: @truth"))
        on.grid.visible = on.axis.visible = False

    @property
    def aspect(self) -> float:
        """Width over height, in steps that a few pixels do not change."""
        return round(8 * self.room.wide / self.room.high) / 8 or 0.125

    def show(self, shown: LadderFrame) -> None:
        """Put a frame's input into the sources."""
        fill(self.pixels)
        if shown.plane is None:
            for data in (self.points, self.ring, self.regions):
                fill(data)
        else:
            self._show_plane(shown, shown.plane)
        if shown.image is not None:
            self._show_image(shown.image)

    def _show_image(self, image: Any) -> None:
        high, wide = image.shape
        fill(self.pixels, [image[::-1]], [0], [0], [wide], [high])
        self.mappers[0].high = float(image.max()) or 1.0
        aspect = self.room.wide / self.room.high
        spare = max(0.0, high * aspect - wide) / 2, max(0.0, wide / aspect - high) / 2
        self.plot.x_range.update(start=-spare[0], end=wide + spare[0])
        self.plot.y_range.update(start=-spare[1], end=high + spare[1])

    def _show_plane(self, shown: LadderFrame, plane: InputPlane) -> None:
        colours = fills(shown.outputs, self.theme)
        which = evenly(len(plane.points), MOST_POINTS)
        (x, y), kind = plane.points[which].T, plane.kind[which]
        marks = [KINDS[k % len(KINDS)] for k in kind]
        fill(self.points, x, y, marks, [colours[k] for k in kind], which, [shown.outputs[k] for k in kind])
        fill(self.ring, *([value] for value in plane.points[shown.example].tolist()))
        x0, x1, y0, y1 = plane.box
        fill(self.regions, [plane.regions], [x0], [y0], [x1 - x0], [y1 - y0])
        self.mappers[1].update(
            palette=[blend(self.theme.background, colour, 0.25) for colour in colours],
            low=-0.5,
            high=len(colours) - 0.5,
        )
        self.plot.x_range.update(start=x0, end=x1)
        self.plot.y_range.update(start=y0, end=y1)

    def nearest(self, plane: InputPlane, x: float, y: float) -> int:
        """The example whose point is nearest to a click, measured on the screen."""
        x0, x1, y0, y1 = plane.box
        far = ((plane.points - (x, y)) / (x1 - x0, y1 - y0) * (self.room.wide, self.room.high)) ** 2
        return int(np.argmin(far.sum(axis=1)))

    def recolour(self, theme: Theme) -> None:
        """Ink on paper for images; classes have the colours of states."""
        self.theme = theme
        self.mappers[0].palette = ramp(theme.background, theme.text)
        self.dots.glyph.update(line_color=theme.text, line_width=0.6, size=0.75 * theme.font)
        self.rings.glyph.update(line_color=theme.accent, line_width=1.3 * theme.line, size=1.7 * theme.font)
