"""A sequence drawn over one time axis: what is observed, three strips of states, and the margin of the truth.

The y axis counts pixels from the bottom, as many as the browser reports, so that strips keep their height
and observations and margin share the rest. A state is a colour and its name where a run has room for it;
wrong positions are hatched. The margin goes up by what leaving the truth would cost, and down by what
forcing it does.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from explorer.engine.vectors import Array, Ints
from explorer.views.kit.drawing.pieces import blend, fill
from explorer.views.kit.drawing.room import Room
from explorer.views.kit.drawing.runs import runs_of
from explorer.views.kit.drawing.state_colours import fills, ink_on, marks
from explorer.views.kit.drawing.theme import LIGHT, Theme
from explorer.views.sequence.bands import bands
from explorer.views.sequence.frame import SequenceFrame
from explorer.views.sequence.glyphs import INKS, SequenceGlyphs
from explorer.wording import number

COLOURS = {"truth": "truth", "guess": "guess", "most tempting": "rival"}
"""Of each strip the colour of its rim in the theme."""


SLIM, APART, WIDEST = 3.0, 14.0, 24.0
"""Pixels: least width of a cell at first, width from which cells are drawn singly, most of half a bar."""


SCALE, SLANT = 16.0, 0.6
"""Pixels for the colour scale, and radians by which words are turned that do not fit."""


class SequenceFigure:
    """One figure, filled from a frame."""

    def __init__(self, resized: Callable[[], None]) -> None:
        self.theme, self.type = LIGHT, float(LIGHT.font)
        self.home: tuple[float, float] = (0.0, 1.0)
        self._about: Any = None
        self.made = made = SequenceGlyphs(resized)
        self.plot, self.sources, self.glyphs = made.plot, made.sources, made.draw
        self.mapper, self.grey, self.scale, self.mark = made.mapper, made.grey, made.scale, made.mark
        self.room = Room(self.plot, 460, 160, resized)

    # the time axis ------------------------------------------------------------------------------------------

    @property
    def column(self) -> float:
        """Pixels of a position."""
        return self.room.wide / (self.plot.x_range.end - self.plot.x_range.start)

    @property
    def whole(self) -> bool:
        """Whether the range is the one that the picture opens with."""
        now = self.plot.x_range
        return bool(np.allclose((now.start, now.end), self.home, atol=1e-6))

    def look(self, start: float, end: float) -> None:
        """Show the positions of a range, within the sequence."""
        low, high = self.plot.x_range.bounds
        wide = min(end - start, high - low)
        start = min(max(start, low), high - wide)
        self.plot.x_range.update(start=start, end=start + wide)

    def zoom(self, factor: float) -> None:
        """Show this many times as many positions, around the same middle."""
        now = self.plot.x_range
        middle, half = (now.start + now.end) / 2, factor * (now.end - now.start) / 2
        self.look(middle - half, middle + half)

    def _place(self, shown: SequenceFrame, lines: bool) -> None:
        """Open a sequence at its beginning, whole if cells are wide enough; a range that was chosen stays."""
        wide, T, about = self.room.wide, len(shown), (id(shown.seen), len(shown))
        opened = self.whole or about != self._about
        heat = shown.seen.kind == "values" and not lines
        edge = self._overhang(shown, wide / T) if shown.seen.kind == "words" else 0.0
        count = min(T, max(1, int(wide / SLIM)))
        column = max(1.0, wide - 2 * edge - (SCALE if heat else 0)) / count
        low, after = -0.5 - edge / column, (edge + (SCALE if heat else 0)) / column
        self._about, self.home = about, (low, count - 0.5 + after)
        self.plot.x_range.update(bounds=(low, T - 0.5 + after), min_interval=min(T, 4))
        if opened:
            self.plot.x_range.update(start=low, end=count - 0.5 + after)

    # showing ------------------------------------------------------------------------------------------------

    def show(self, shown: SequenceFrame, lines: bool, marked: int) -> None:
        """Put a frame into the sources."""
        high = float(self.room.high)
        self.type = self.theme.font * float(np.clip(high / 260, 1.0, 1.5))
        self._place(shown, lines)
        self.bands = bands(high, self.theme.font, self._wants(shown), list(shown.paths))
        self.named = self._longest(shown) * 0.66 * self.type + 8 <= self.column
        self.letters = self._letter_size(shown) if self.named else self.type
        self.glyphs["words"].glyph.text_font_size = f"{self.type:.0f}px"
        for name in INKS:
            self.glyphs[name].glyph.text_font_size = f"{self.letters:.0f}px"
        self.plot.y_range.update(start=0.0, end=high)
        for name in ("heat", "images", "ramp", "lines", "words"):
            fill(self.sources[name], *self._observed(name, shown, lines))
        self._show_strips(shown)
        self._show_margin(shown)
        self._show_axes(shown, lines)
        self._show_columns(shown, high)
        self.mark.update(left=marked - 0.5, right=marked + 0.5, visible=0 <= marked < len(shown))

    def _longest(self, shown: SequenceFrame) -> int:
        """Letters of the longest name of a state."""
        return max(map(len, shown.states), default=1)

    def _letter_size(self, shown: SequenceFrame) -> float:
        """Pixels of the states' names where each fits its cell: as large as strip and column allow."""
        low, top = self.bands["truth"]
        return min(0.62 * (top - low), 0.9 * self.column / (0.66 * self._longest(shown)), 2.4 * self.type)

    def _letters(self, shown: SequenceFrame) -> float:
        """Pixels of the longest word."""
        return 0.58 * self.type * max(map(len, shown.seen.words), default=0)

    def _overhang(self, shown: SequenceFrame, column: float) -> float:
        """Pixels by which a turned word reaches beyond its column."""
        long = self._letters(shown)
        return max(0.0, (long * np.cos(SLANT) - column) / 2) if long + 6 > column else 0.0

    def _wants(self, shown: SequenceFrame) -> float:
        """Pixels of height that the observations can use."""
        if shown.seen.kind == "images":
            return 0.9 * self.column
        if shown.seen.kind == "values":
            return 26.0 * len(shown.seen.cells)
        long, font = self._letters(shown), self.type
        return 2.0 * font if long + 6 <= self.column else long * np.sin(SLANT) + 1.4 * font

    def _observed(self, name: str, shown: SequenceFrame, lines: bool) -> tuple[Any, ...]:
        """The columns of one of the pictures of what is observed; none for those that do not fit."""
        kind, (low, top) = shown.seen.kind, self.bands["observed"]
        if name == kind:
            return self._words(shown) if kind == "words" else self._images(shown)
        if kind != "values" or name not in (("lines",) if lines else ("heat", "ramp")):
            return ()
        cells = shown.seen.cells
        reach = float(np.percentile(np.abs(cells), 99)) or 1.0
        if name == "lines":
            least, most = cells.min(axis=1, keepdims=True), cells.max(axis=1, keepdims=True)
            share = (cells - least) / np.where(most > least, most - least, 1.0)
            ys = top - (np.arange(len(cells))[:, None] + 0.95 - 0.9 * share) * (top - low) / len(cells)
            return [np.arange(cells.shape[1])] * len(ys), list(ys)
        if name == "heat":
            self.mapper.update(low=-reach if cells.min() < 0 else 0.0, high=reach)
            return [cells[::-1]], [-0.5], [low], [cells.shape[1]], [top - low]
        bar, wide = np.linspace(self.mapper.low, self.mapper.high, 32)[:, None], 0.55 * SCALE / self.column
        return [bar], [self.plot.x_range.end - wide], [low], [wide], [top - low]

    def _images(self, shown: SequenceFrame) -> tuple[Any, ...]:
        low, top = self.bands["observed"]
        images, T = shown.seen.cells, len(shown)
        side = min(0.9 * self.column, top - low)
        self.grey.high = float(images.max()) or 1.0
        wide, bottom = side / self.column, (low + top - side) / 2
        return (
            [image[::-1] for image in images],
            [t - wide / 2 for t in range(T)],
            [bottom] * T,
            [wide] * T,
            [side] * T,
        )

    def _words(self, shown: SequenceFrame) -> tuple[Any, ...]:
        """Words in the middle of their columns, turned, shortened and thinned as far as they must be."""
        (low, top), font, words = self.bands["observed"], self.type, shown.seen.words
        turned = self._letters(shown) + 6 > self.column
        self.glyphs["words"].glyph.angle = SLANT if turned else 0.0
        every = int(np.ceil(1.15 * font / (self.column * np.sin(SLANT)))) if turned else 1
        most = max(2, int((top - low - 0.9 * font) / (0.58 * font * np.sin(SLANT)))) if turned else 99
        short = [word if len(word) <= most else word[: most - 1] + "…" for word in words[::every]]
        return list(range(0, len(words), every)), [(low + top) / 2] * len(short), short

    def _show_strips(self, shown: SequenceFrame) -> None:
        """Cells, hatching, rims and names; the most tempting labelling stands out during its search.

        Where every cell has its name, its colour tells whose answer it is, and how wrong; else its state.
        """
        searching = shown.phase >= 1
        inset = 1.0 / self.column if self.column >= APART else 0.0
        cells, wrong, texts, rims = [], [], [], []
        for role, path in shown.paths.items():
            low, top = self.bands[role]
            off = path != shown.paths["truth"]
            right, bad = self._colours(shown, role, searching)
            for s, begin, end in self._pieces(path):
                colour = (bad if off[begin] else right)[s]
                cells.append((begin - 0.5 + inset, end - 0.5 - inset, low, top, colour))
            for s, begin, end in self._pieces(np.where(off, path, -1)):
                if s >= 0:
                    wrong.append((begin - 0.5, end - 0.5, low, top, ink_on(bad[s])))
            texts += self._names(shown, path, off, (low + top) / 2, (right, bad))
            stout = 2.0 if searching and role == "most tempting" else 1.0
            rim = (getattr(self.theme, COLOURS[role]), stout * self.theme.line)
            rims.append((-0.5, len(path) - 0.5, low - 1, top + 1, *rim))
        for name, rows in (("cells", cells), ("wrong", wrong), ("rims", rims)):
            fill(self.sources[name], *map(list, zip(*rows, strict=True)))
        for ink in INKS:
            own = [text for text in texts if ink_on(text[-1]) == ink]
            fill(self.sources[ink], *map(list, zip(*own, strict=True)))

    def _colours(self, shown: SequenceFrame, role: str, searching: bool) -> tuple[list[str], list[str]]:
        """The colours of right and of wrong cells, for each state."""
        ground, count = self.theme.background, len(shown.states)
        if self.named:
            own, share = getattr(self.theme, COLOURS[role]), 0.07 if searching and role == "guess" else 0.16
            return [blend(ground, own, share)] * count, [blend(ground, own, 4 * share)] * count
        vivid = fills(shown.states, self.theme)
        pale = [blend(ground, colour, 0.45) for colour in vivid]
        both = pale if searching and role == "guess" else vivid
        return both, both

    def _pieces(self, path: Ints) -> list[tuple[int, int, int]]:
        """State, begin and end of cells: of every position where these are wide, else of every run."""
        if self.column >= APART:
            return [(s, t, t + 1) for t, s in enumerate(path.tolist())]
        return [(s, begin, begin + count) for s, begin, count in runs_of(path)]

    def _names(
        self, shown: SequenceFrame, path: Ints, off: Any, y: float, colours: tuple[list[str], list[str]]
    ) -> list[tuple[Any, ...]]:
        """The states' names, or their marks, on pieces that are wide enough."""
        out, short = [], marks(shown.states)
        for s, begin, end in self._pieces(path):
            room = (end - begin) * self.column / (0.66 * self.letters) - 0.4 + 0.1 * self.named
            text = next((word for word in (shown.states[s], short[s]) if word and len(word) <= room), "")
            if text:
                said = text.replace("-", "\N{MINUS SIGN}")
                out.append(((begin + end - 1) / 2, y, said, colours[bool(off[begin])][s]))
        return out

    def _show_margin(self, shown: SequenceFrame) -> None:
        if not shown.trained:
            for name in ("lead", "cost", "zero"):
                fill(self.sources[name])
            return
        low, top = self.bands["margin"]
        self.most = float(shown.lead.max()), float(shown.cost.max())
        unit = (top - low) / (sum(self.most) or 1.0)
        self.level = low + unit * self.most[1]
        half = min(0.5 - min(0.1, 0.5 / self.column), WIDEST / self.column)
        for name, sign in (("lead", 1.0), ("cost", -1.0)):
            values: Array = getattr(shown, name)
            t = np.flatnonzero(values)
            base, end = np.full(len(t), self.level), self.level + sign * unit * values[t]
            fill(self.sources[name], t - half, t + half, np.minimum(base, end), np.maximum(base, end))
        fill(self.sources["zero"], [-0.5], [len(shown) - 0.5], [self.level], [self.level])

    def _show_axes(self, shown: SequenceFrame, lines: bool) -> None:
        """Names of the bands at the left, numbers of colour scale and margin at the right."""
        names = {"observed": shown.seen.name, "margin": "margin (score)"}
        self._label(
            self.plot.yaxis[0], [(sum(ends) / 2, names.get(name, name)) for name, ends in self.bands.items()]
        )
        ticks: list[tuple[float, str]] = []
        if shown.trained:
            low, top = self.bands["margin"]
            ends = ((self.level, "0"), (top, f"{self.most[0]:.2g}"), (low, f"-{self.most[1]:.2g}"))
            ticks += [
                (y, text) for y, text in ends if text == "0" or abs(y - self.level) >= 0.9 * self.theme.font
            ]
        if shown.seen.kind == "values" and not lines:
            low, top = self.bands["observed"]
            ends = ((low + 4, f"{self.mapper.low:.2g}"), (top - 4, f"{self.mapper.high:.2g}"))
            sign = "±" if self.mapper.low < 0 else "≤ "
            small = top - low - 8 < 1.1 * self.theme.font
            ticks += [((low + top) / 2, f"{sign}{self.mapper.high:.2g}")] if small else ends
        self._label(self.scale, ticks)
        self.plot.xaxis.axis_label = "position" if self._high() > 8 * self.theme.font + 60 else None

    def _high(self) -> float:
        """Pixels for the bands and the name of the time axis together, whether it is there or not."""
        named = self.plot.xaxis[0].axis_label is not None
        return float(self.room.high + (1.4 * self.theme.font if named else 0))

    def _label(self, axis: Any, ticks: list[tuple[float, str]]) -> None:
        """New ticks in the ticker that is there: another one would have Bokeh go through the whole page."""
        axis.ticker.ticks = [y for y, _ in ticks]
        axis.major_label_overrides = dict(ticks)

    def _show_columns(self, shown: SequenceFrame, high: float) -> None:
        """What the pointer tells of each position."""
        T, nothing = len(shown), ["not yet"] * len(shown)
        paths = [[shown.states[s] for s in shown.paths[r]] if r in shown.paths else nothing for r in COLOURS]
        margin = [number(float(lead - cost)) for lead, cost in zip(shown.lead, shown.cost, strict=True)]
        said = margin if shown.trained else nothing
        fill(self.sources["columns"], list(range(T)), [high] * T, *paths, said, list(shown.seen.texts))

    def recolour(self, theme: Theme) -> None:
        """Dress the glyphs in the theme's colours."""
        self.theme = theme
        self.made.recolour(theme)
