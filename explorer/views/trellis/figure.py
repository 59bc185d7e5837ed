"""Viterbi's trellis drawn: time across, states down, three paths, and the recursion cell by cell.

Truth, prediction and most tempting labelling have a colour, a dash and a marker each; columns in which the
prediction is wrong are hatched. Strong nodes are large, strong edges wide. A long sequence shows a window,
and a strip above it shows the whole. Sizes in pixels follow what the browser reports about the figure.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from explorer.views.kit.drawing.pieces import fill, ramp
from explorer.views.kit.drawing.room import Room
from explorer.views.kit.drawing.theme import LIGHT, Theme
from explorer.views.kit.drawing.thinning import evenly
from explorer.views.trellis import frame as numbers
from explorer.views.trellis import recursion
from explorer.views.trellis.frame import MOST_EDGES, WINDOW, Node, TrellisFrame
from explorer.views.trellis.glyphs import PATHS, TrellisGlyphs
from explorer.views.trellis.recursion import RecursionMove

MOST_TICKS = 1000
"""The overview strip has at most this many columns."""

LOW = 100
"""Pixels below which the states need all the room that names take."""

SLANT = 0.6
"""Radians by which words on the axis are turned when they would overlap."""


class TrellisFigure:
    """The trellis and the strip that shows a long sequence as a whole; both are filled from a frame."""

    def __init__(self, resized: Callable[[], None]) -> None:
        self._dress: Any = None
        self.theme = LIGHT
        self.made = made = TrellisGlyphs()
        self.plot, self.strip, self.sources, self.glyphs = made.plot, made.strip, made.sources, made.draw
        self.mapper, self.bar, self.box, self.items = made.mapper, made.bar, made.box, made.items
        self.room = Room(self.plot, 480, 150, resized, few=0)

    # filling ------------------------------------------------------------------------------------------------

    def show(self, shown: TrellisFrame, prices: bool, picked: Node | None) -> None:
        """Put a frame into the sources; with `prices`, nodes and edges show what forcing them costs."""
        # Pixels of a row and a column: what the browser told, or as little as we promise to fit into.
        self.row = self.room.high / (len(shown.states) + 0.4)
        self.column = self.room.wide / (shown.hi - shown.lo)
        self.mark = min(32.0, 0.86 * self.column, 1.3 * self.row)
        self.node = max(5.0, min(0.8 * self.row, self.mark - 2.4 * self.theme.line))
        self._show_axes(shown)
        self._show_nodes(shown, prices)
        self._show_edges(shown, prices)
        self._show_paths(shown)
        self._show_recursion(shown, recursion.current(shown))
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
        drawn.xaxis.major_label_policy = self.made.policies[bool(fits)]

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
        kept = recursion.survivors(shown)
        self._fill("kept", kept["t"] - 1, kept["from"], kept["t"], kept["to"])
        self._fill("now", *([now.t], [now.s], [self.node + 10]) if now else ())
        tried = np.arange(len(now.options) if now and not now.back else 0)
        before, here, into = (
            np.full(len(tried), v) for v in ((now.t - 1, now.t, now.s) if now else (0, 0, 0))
        )
        width = np.where(tried == (now.origin if now else 0), 2.0, 1.0) * self.theme.line
        self._fill("tried", before, tried, here, into, width)
        back = np.arange(max(now.t, shown.lo), shown.hi) if now and now.back else np.zeros(0, int)
        self._fill("found", back, recursion.best_path(shown)[back])
        notes = self._sums(shown, now) if now else self._changes(shown)
        self._fill("notes", *zip(*notes, strict=True))

    def _sums(self, shown: TrellisFrame, now: RecursionMove) -> list[tuple[Any, ...]]:
        """The sums that the cell chooses from, best first and without overlap, and its own value."""
        digits, apart = recursion.decimals(shown), 1.15 * self.theme.font / self.row
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
        """Colour scale, sizes and which path stands out: the most tempting one while a step looks for it."""
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
        self.made.recolour(theme)
