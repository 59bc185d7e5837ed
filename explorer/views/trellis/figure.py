"""Viterbi's trellis drawn: time across, states down, three paths, and the recursion cell by cell.

Truth, prediction and most violated labelling have a colour, a dash and a marker each; columns in which the
prediction is wrong are hatched. Strong nodes are large, strong edges wide. A long sequence shows a window,
and a strip above it shows the whole. Sizes in pixels follow what the browser reports about the figure.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from bokeh.models import (
    AllLabels,
    BoxAnnotation,
    ColorBar,
    FixedTicker,
    HoverTool,
    LinearColorMapper,
    NoOverlap,
    Range1d,
)

from explorer.views.kit.drawing import fill, legend, plot, ramp, source
from explorer.views.kit.room import Room
from explorer.views.kit.theme import LIGHT, Theme
from explorer.views.kit.thinning import evenly
from explorer.views.trellis import frame as numbers
from explorer.views.trellis.frame import MOST_EDGES, WINDOW, Node, RecursionMove, TrellisFrame

PATHS = {
    "truth": ("truth", "square"),
    "guess": ("predicted", "circle"),
    "rival": ("most violated", "triangle"),
}
"""Of each path its name in the legend and its marker."""

EXTRA = {"k best": "ranks", "wrong": "wrong"}
"""Entries of the legend that are there only when there is something to explain, and what they explain."""

SOURCES = {
    "wrong": "x",
    "edges": "x0 y0 x1 y1 width alpha",
    "ranks": "xs ys width",
    "kept": "x0 y0 x1 y1",
    "tried": "x0 y0 x1 y1 width",
    "found": "x y",
    "truth": "x y line",
    "guess": "x y line",
    "rival": "x y line",
    "nodes": "x y size value alpha state score price",
    "now": "x y size",
    "picked": "x y size",
    "notes": "x y text anchor style dx dy",
    "whole": "x truth guess",
    "ticks": "x",
}
"""The columns of every source."""

MOST_TICKS = 1000
"""The overview strip has so many columns at most."""

LEAST, LOW = 108, 100
"""Pixels that the figure has at least, and below which its states need all the room that names take."""

SLANT = 0.6
"""Radians by which words on the axis are turned when they would overlap."""

ENDS = ("x0", "y0", "x1", "y1")


class TrellisFigure:
    """The trellis and the strip that shows a long sequence as a whole; both are filled from a frame."""

    def __init__(self, resized: Callable[[], None]) -> None:
        self._dress: Any = None
        self.theme = LIGHT
        self.sources = {name: source(columns) for name, columns in SOURCES.items()}
        self.glyphs: dict[str, Any] = {}
        self.plot, self.strip = self._figure(), self._overview()
        self.room = Room(self.plot, 480, 150, resized, few=0)

    # building -----------------------------------------------------------------------------------------------

    def _figure(self) -> Any:
        drawn = plot(None, "state", min_border=2, min_height=LEAST)
        drawn.grid.visible = False
        self.policies = {True: AllLabels(), False: NoOverlap(min_distance=3)}
        for axis in (drawn.xaxis[0], drawn.yaxis[0]):
            axis.ticker, axis.major_label_policy = FixedTicker(ticks=[]), self.policies[False]
            axis.axis_label_standoff, axis.major_label_standoff = 2, 3
        self.mapper = LinearColorMapper(palette=["#000000"], low=-1, high=1)
        self.bar = ColorBar(color_mapper=self.mapper, width=8, margin=2, padding=4, label_standoff=4)
        drawn.add_layout(self.bar, "right")
        self._draw_edges(drawn)
        self._draw_nodes(drawn)
        items = {name: [self.glyphs[key], self.glyphs[key + " marks"]] for key, (name, _) in PATHS.items()}
        items |= {name: [self.glyphs[key]] for name, key in EXTRA.items()}
        self.items = legend(drawn, items, glyph_width=36)
        return drawn

    def _draw_edges(self, drawn: Any) -> None:
        draw, of = self.glyphs, self.sources
        draw["wrong"] = drawn.vbar("x", 0.9, top=0, source=of["wrong"], hatch_pattern="right_diagonal_line")
        draw["wrong"].glyph.update(line_color=None, fill_alpha=0.08, hatch_alpha=0.25, hatch_scale=10)
        draw["edges"] = drawn.segment(*ENDS, line_width="width", line_alpha="alpha", source=of["edges"])
        draw["ranks"] = drawn.multi_line("xs", "ys", line_width="width", source=of["ranks"])
        draw["kept"] = drawn.segment(*ENDS, source=of["kept"])
        draw["tried"] = drawn.segment(*ENDS, line_width="width", line_dash="dotted", source=of["tried"])
        draw["found"] = drawn.line("x", "y", source=of["found"])
        for name in PATHS:
            draw[name] = drawn.line("x", "line", source=of[name])

    def _draw_nodes(self, drawn: Any) -> None:
        draw, of = self.glyphs, self.sources
        fade = {"fill_alpha": "alpha", "line_alpha": "alpha"}
        colour = {"field": "value", "transform": self.mapper}
        draw["nodes"] = drawn.scatter("x", "y", size="size", fill_color=colour, source=of["nodes"], **fade)
        for name, (_, marker) in PATHS.items():
            draw[name + " marks"] = drawn.scatter("x", "y", marker=marker, fill_color=None, source=of[name])
        for name, marker in (("now", "circle"), ("picked", "diamond")):
            ring = {"size": "size", "marker": marker, "fill_color": None}
            draw[name] = drawn.scatter("x", "y", source=of[name], **ring)
        draw["notes"] = drawn.text(
            "x",
            "y",
            "text",
            anchor="anchor",
            text_font_style="style",
            x_offset="dx",
            y_offset="dy",
            padding=1,
            background_fill_alpha=0.8,
            source=of["notes"],
        )
        scores = [("score", "@score{0.0000}"), ("min-marginal", "@price{0.0000}")]
        tips = [("position", "@x"), ("state", "@state"), *scores]
        drawn.add_tools(HoverTool(renderers=[draw["nodes"]], tooltips=tips))

    def _overview(self) -> Any:
        strip = plot(
            y_range=Range1d(1.3, -0.7), height=48, min_border=0, min_border_left=8, min_border_right=8
        )
        strip.sizing_mode = "stretch_width"
        strip.grid.visible = strip.yaxis.visible = False
        strip.xaxis.ticker.desired_num_ticks = 12
        strip.xaxis.major_label_policy = NoOverlap(min_distance=6)
        for name in ("truth", "guess"):
            self.glyphs[name + " strip"] = strip.step("x", name, source=self.sources["whole"], mode="center")
        self.glyphs["guess strip"].glyph.line_dash = "dashed"
        ticks = strip.scatter("x", -0.35, marker="inverted_triangle", size=6, source=self.sources["ticks"])
        self.glyphs["ticks"] = ticks
        self.box = BoxAnnotation(
            left=0, right=1, editable=True, movable="x", resizable="none", fill_alpha=0.15
        )
        strip.add_layout(self.box)
        return strip

    # filling ------------------------------------------------------------------------------------------------

    def show(self, shown: TrellisFrame, prices: bool, picked: Node | None) -> None:
        """Put a frame into the sources; with `prices` nodes and edges are drawn by what forcing them
        costs.
        """
        # Pixels of a row and a column: what the browser told, or as little as we promise to fit into.
        self.row = self.room.high / (len(shown.states) + 0.4)
        self.column = self.room.wide / (shown.hi - shown.lo)
        self.mark = min(32.0, 0.86 * self.column, 1.3 * self.row)
        self.node = max(5.0, min(0.8 * self.row, self.mark - 2.4 * self.theme.line))
        self._show_axes(shown)
        self._show_nodes(shown, prices)
        self._show_edges(shown, prices)
        self._show_paths(shown)
        self._show_recursion(shown, numbers.current(shown))
        self._fill("picked", *([picked[0]], [picked[1]], [self.mark + 8]) if picked else ())
        if shown.long:
            self._show_overview(shown)
        self._dress_up(shown, prices)

    def _fill(self, name: str, *columns: Any) -> None:
        fill(self.sources[name], *columns)

    def _show_axes(self, shown: TrellisFrame) -> None:
        drawn, K = self.plot, len(shown.states)
        # The sums of a cell stand left of their column: the first one needs room for them.
        room = (3.6 * self.theme.font + self.node / 2 + 6) / self.column if shown.cell >= 0 else 0.0
        drawn.x_range.update(start=shown.lo - max(0.5, room), end=shown.hi - 0.5)
        drawn.y_range.update(start=K - 0.3, end=-0.7)
        drawn.yaxis.ticker.ticks = list(range(K))
        drawn.yaxis.major_label_overrides = dict(enumerate(shown.states))
        drawn.xaxis.ticker.ticks = list(range(shown.lo, shown.hi))
        words = shown.tokens[shown.lo : shown.hi]
        drawn.xaxis.major_label_overrides = dict(enumerate(words, shown.lo))
        drawn.xaxis.axis_label = "position" if self._high() >= LOW and not words else None
        letters = max((len(word) + 1 for word in words), default=0)
        slanted = letters * 0.6 * self.theme.font > self.column
        fits = slanted and self.column * np.sin(SLANT) > 1.1 * self.theme.font
        drawn.xaxis.major_label_orientation = SLANT if slanted else "horizontal"
        drawn.xaxis.major_label_policy = self.policies[bool(fits)]

    def _high(self) -> float:
        """Pixels for the states and the name of the time axis together, whether it is there or not."""
        named = self.plot.xaxis.axis_label is not None
        return float(self.room.high + (self.theme.font + 6 if named else 0))

    def _show_nodes(self, shown: TrellisFrame, prices: bool) -> None:
        states, part = len(shown.states), slice(shown.lo, shown.hi)
        t, s = (a.ravel() for a in np.mgrid[part, 0:states])
        score, price = shown.shown.unary[part].ravel(), shown.price[part].ravel()
        value = price if prices else score
        reached = t * states + s <= shown.cell if shown.cell >= 0 else np.ones(len(t), bool)
        size = self.node * (0.4 + 0.6 * numbers.strengths(value))
        names = [shown.states[i] for i in s]
        self._fill("nodes", t, s, size, value, np.where(reached, 1.0, 0.25), names, score, price)
        wrong = [t for t in shown.wrong if shown.lo <= t < shown.hi and shown.cell < 0]
        self._fill("wrong", wrong)
        self.glyphs["wrong"].glyph.update(bottom=-0.7, top=states - 0.3)
        self.items["wrong"].visible = bool(wrong)
        reach = float(np.abs(value[np.isfinite(value)]).max(initial=0.0)) or 1.0
        self.mapper.update(low=-reach, high=0.0 if prices else reach)

    def _show_edges(self, shown: TrellisFrame, prices: bool) -> None:
        found = numbers.edges(shown, prices, MOST_EDGES if shown.cell < 0 else 0)
        power = numbers.strengths(found["value"]) ** 2
        # A few edges may all be seen; many would turn the picture grey.
        faintest = min(0.35, 0.05 + 1.2 / len(shown.states) ** 2)
        width, alpha = 0.3 + 3.2 * power, faintest + 0.34 * power
        self._fill("edges", found["t"] - 1, found["from"], found["t"], found["to"], width, alpha)

    def _show_paths(self, shown: TrellisFrame) -> None:
        t = np.arange(shown.lo, shown.hi)
        side = (self.theme.line + 0.5) / self.row
        for name, shift in (("truth", 0.0), ("guess", -side), ("rival", side)):
            path = getattr(shown, name)[t]
            self._fill(name, t, path, path + shift)
        others = shown.paths[:, t].astype(float) if shown.cell < 0 else np.zeros((0, len(t)))
        width = self.theme.line * (0.9 - 0.05 * np.arange(len(others)))
        self._fill("ranks", [t] * len(others), list(others), width)
        self.items["k best"].visible = len(others) > 0

    def _show_recursion(self, shown: TrellisFrame, now: RecursionMove | None) -> None:
        kept = numbers.survivors(shown)
        self._fill("kept", kept["t"] - 1, kept["from"], kept["t"], kept["to"])
        self._fill("now", *([now.t], [now.s], [self.node + 10]) if now else ())
        tried = np.arange(len(now.options) if now and not now.back else 0)
        before, here, into = (
            np.full(len(tried), v) for v in ((now.t - 1, now.t, now.s) if now else (0, 0, 0))
        )
        width = np.where(tried == (now.origin if now else 0), 2.0, 1.0) * self.theme.line
        self._fill("tried", before, tried, here, into, width)
        back = np.arange(max(now.t, shown.lo), shown.hi) if now and now.back else np.zeros(0, int)
        self._fill("found", back, numbers.best_path(shown)[back])
        notes = self._sums(shown, now) if now else self._changes(shown)
        self._fill("notes", *zip(*notes, strict=True))

    def _sums(self, shown: TrellisFrame, now: RecursionMove) -> list[tuple[Any, ...]]:
        """The sums that the cell chooses from, best first, as long as they do not overlap, and its own
        value.
        """
        digits, apart = numbers.decimals(shown), 1.15 * self.theme.font / self.row
        notes: list[tuple[Any, ...]] = []
        for a in np.argsort(-now.options, kind="stable"):
            if all(abs(a - note[1]) >= apart for note in notes):
                text, style = f"{now.options[a]:.{digits}f}", "normal" if notes else "bold"
                x = now.t if now.back else now.t - 1
                notes.append((x, int(a), text, "center_right", style, -self.node / 2 - 4, 0))
        if not now.back:
            value = f"{shown.chi[now.t, now.s]:.{digits}f}"
            notes.append((now.t, now.s, value, "center_left", "bold", self.node / 2 + 8, 0))
        return notes

    def _changes(self, shown: TrellisFrame) -> list[tuple[Any, ...]]:
        """What was added to the nodes in the window."""
        inside = [(t, s, delta) for (t, s), delta in shown.edits.items() if shown.lo <= t < shown.hi]
        return [(t, s, f"{d:+.4g}", "center_left", "bold", self.mark / 2 + 6, 0) for t, s, d in inside]

    def _show_overview(self, shown: TrellisFrame) -> None:
        top = max(1, len(shown.states) - 1)
        t = evenly(shown.length, MOST_TICKS)
        self._fill("whole", t, shown.truth[t] / top, shown.guess[t] / top)
        width = -(-shown.length // MOST_TICKS)
        self._fill("ticks", np.unique(shown.wrong // width * width))
        self.strip.x_range.update(start=-0.5, end=shown.length - 0.5)
        # A box that is being dragged lies between two positions: leave it there.
        if round(self.box.left + 0.5) != shown.lo or self.box.right != self.box.left + WINDOW:
            self.box.update(left=shown.lo - 0.5, right=shown.hi - 0.5)

    # dressing -----------------------------------------------------------------------------------------------

    def _dress_up(self, shown: TrellisFrame, prices: bool) -> None:
        """Colour scale, sizes and which path stands out: the most violated one while a step looks for it."""
        line, searching, plays = self.theme.line, shown.phase >= 1, shown.cell >= 0
        low = self._high() < LOW
        dress = (self.theme, prices, searching, plays, self.node, self.mark, low)
        if dress == self._dress:
            return
        self._dress, theme = dress, self.theme
        scale = ("min-marginal", theme.background, theme.accent) if prices else None
        title, *colours = scale or ("score", theme.low, theme.background, theme.high)
        self.bar.title, self.mapper.palette = None if low else title, ramp(*colours)
        self.plot.legend[0].spacing = theme.font
        width = {"truth": 2.2 * line, "guess": line, "rival": 1.8 * line if searching else line}
        alpha = {"truth": 0.3 if searching else 0.45, "guess": 0.4 if searching else 1.0, "rival": 1.0}
        dash = {"truth": [], "guess": [3, 2], "rival": [1, 1.6]}
        # Square around ring around triangle: all three can be told on one node.
        inner = max(5.0, (0.7 if searching else 0.5) * self.node)
        sizes = {"truth": self.mark, "guess": self.node, "rival": inner}
        for name in PATHS:
            seen = 0.12 if plays else alpha[name]
            pattern = [max(1, round(part * width[name])) for part in dash[name]]
            self.glyphs[name].glyph.update(line_width=width[name], line_alpha=seen, line_dash=pattern)
            self.glyphs[name + " marks"].glyph.update(line_alpha=seen**0.5, size=sizes[name])
        self.glyphs["rival marks"].glyph.fill_alpha = 0.12 if plays else 1.0

    def recolour(self, theme: Theme) -> None:
        """Give all glyphs the theme's colours."""
        self.theme = theme
        draw, size = self.glyphs, f"{theme.font}px"
        for name in PATHS:
            colour = getattr(theme, name)
            draw[name].glyph.line_color = colour
            draw[name + " marks"].glyph.update(line_color=colour, line_width=theme.line)
        draw["rival marks"].glyph.update(fill_color=theme.background, line_width=0.75 * theme.line)
        for name in ("truth", "guess"):
            draw[name + " strip"].glyph.update(line_color=getattr(theme, name), line_width=theme.line / 2)
        draw["ticks"].glyph.update(line_color=theme.text, fill_color=theme.text)
        draw["wrong"].glyph.update(fill_color=theme.neutral, hatch_color=theme.text)
        for name, colour, width in (
            ("edges", theme.muted, None),
            ("kept", theme.muted, 0.75 * theme.line),
            ("ranks", theme.accent, None),
            ("tried", theme.accent, None),
            ("found", theme.accent, 2 * theme.line),
            ("nodes", theme.text, 1.0),
            ("now", theme.accent, 1.5 * theme.line),
            ("picked", theme.accent, 1.5 * theme.line),
        ):
            draw[name].glyph.line_color = colour
            if width is not None:
                draw[name].glyph.line_width = width
        draw["notes"].glyph.update(
            text_color=theme.text, text_font_size=size, background_fill_color=theme.background
        )
        self.bar.update(
            background_fill_color=theme.background,
            bar_line_color=theme.muted,
            title_text_color=theme.text,
            title_text_font_size=size,
            title_text_font_style="normal",
            major_label_text_color=theme.text,
            major_label_text_font_size=size,
        )
        self.box.update(fill_color=theme.accent, line_color=theme.accent)
