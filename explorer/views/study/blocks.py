"""Bars and heat maps of a study: places along an axis have names, and every block carries its number.

Published values are hollow diamonds on bars, and stand in brackets in the cells of a heat map; a cell that
has only those is not filled and has a broken border.
"""

import math
from collections.abc import Sequence
from typing import Any

from bokeh.models import FixedTicker

from explorer.studies.support.study import Plot
from explorer.views.kit.drawing.pieces import blend, fill, source
from explorer.views.kit.drawing.theme import Theme, restyle
from explorer.views.study.frame import Series, StudyFrame, StudyPanel
from explorer.views.study.parts import HATCHES, SeriesKey, hue, new_figure, paint, wrap_name
from explorer.views.study.words import cell_text

STRONGEST = 0.42
"""How much of the colour the largest cell of a heat map has: the text on it stays legible."""


def name_places(axis: Any, at: Sequence[float], names: Sequence[str], most: int) -> None:
    """Names instead of numbers along an axis."""
    axis.ticker = FixedTicker(ticks=list(at))
    axis.major_label_overrides = {float(x): wrap_name(name, most) for x, name in zip(at, names, strict=True)}


class BarPicture:
    """One panel of bars."""

    def __init__(self, spec: Plot) -> None:
        self.figure = new_figure(spec)
        self.figure.xgrid.visible = False
        self.key = SeriesKey(self.figure, spec)
        self.bars: dict[tuple[int, int, bool], Any] = {}
        self.numbers = source("x y text")
        self.text = self.figure.text(
            "x", "y", "text", source=self.numbers, text_align="center", text_baseline="bottom", y_offset=-2
        )
        self._places: tuple[str, ...] = ()

    def show(self, panel: StudyPanel, frame: StudyFrame, theme: Theme) -> None:
        """Put a panel into the sources."""
        figure, count = self.figure, max(1, len(frame.hues) * max(1, len(frame.dashes)))
        figure.title.text, figure.title.visible = panel.title, bool(panel.title)
        figure.yaxis.axis_label = frame.y_title or None
        figure.x_range.update(start=-0.6, end=max(1, len(panel.places)) - 0.4)
        low, high = frame.y_range
        figure.y_range.update(start=low, end=high + 0.1 * (high - low))
        if panel.places != self._places:
            self._places = panel.places
            name_places(figure.xaxis[0], range(len(panel.places)), panel.places, 16)
        there = {(one.hue, one.dash, one.ours): one for one in panel.lines}
        for place in there.keys() - self.bars.keys():
            self._add(place, 0.72 / count)
        for place, bar in self.bars.items():
            one = there.get(place)
            fill(bar.data_source, *((one.x, one.y) if one else ()))
        self._write([one for one in panel.lines if one.ours], frame.form)
        self.key.show(frame, theme)
        self.recolour(theme)

    def _add(self, place: tuple[int, int, bool], width: float) -> None:
        j, k, ours = place
        points, hatch = source("x y"), HATCHES[max(j, k) % len(HATCHES)] or None
        made = (
            self.figure.vbar("x", width, "y", source=points, hatch_pattern=hatch)
            if ours
            else self.figure.scatter("x", "y", source=points, marker="diamond", size=14)
        )
        self.bars[place] = made

    def _write(self, lines: Sequence[Series], form: str) -> None:
        points = [(x, y) for one in lines for x, y in zip(one.x, one.y, strict=True)]
        fill(
            self.numbers,
            [x for x, _ in points],
            [y for _, y in points],
            [cell_text(float(y), form) for _, y in points],
        )

    def recolour(self, theme: Theme) -> None:
        """Dress the figure in a theme."""
        restyle(self.figure, theme)
        for (j, _, ours), bar in self.bars.items():
            paint(bar.glyph, hue(theme, j) if ours else theme.text, theme, ours)
        self.text.glyph.text_color, self.text.glyph.text_font_size = theme.text, f"{theme.font}px"
        self.key.recolour(theme)


class HeatPicture:
    """One panel of a heat map: the stronger the colour, the larger the number."""

    def __init__(self, spec: Plot) -> None:
        self.figure = new_figure(spec)
        self.figure.grid.visible = False
        self.cells = source("x y colour border dash")
        self.blocks = self.figure.rect(
            "x",
            "y",
            0.97,
            0.95,
            source=self.cells,
            fill_color="colour",
            line_color="border",
            line_dash="dash",
        )
        self.numbers = source("x y ours published")
        common = {"source": self.numbers, "text_align": "center"}
        self.ours = self.figure.text("x", "y", "ours", text_baseline="bottom", y_offset=0, **common)
        self.theirs = self.figure.text("x", "y", "published", text_baseline="top", y_offset=3, **common)
        self._places: tuple[Any, ...] = ()
        self._last: tuple[StudyPanel, StudyFrame] | None = None

    def show(self, panel: StudyPanel, frame: StudyFrame, theme: Theme) -> None:
        """Put a panel into the sources."""
        self._last = panel, frame
        figure = self.figure
        figure.title.text, figure.title.visible = panel.title, bool(panel.title)
        figure.xaxis.axis_label, figure.yaxis.axis_label = frame.x_title, frame.y_title
        figure.x_range.update(start=-0.5, end=max(1, len(panel.places)) - 0.5)
        figure.y_range.update(start=0.5 - max(1, len(panel.levels)), end=0.5)
        if (panel.places, panel.levels) != self._places:
            self._places = panel.places, panel.levels
            name_places(figure.xaxis[0], range(len(panel.places)), panel.places, 11)
            name_places(figure.yaxis[0], [-k for k in range(len(panel.levels))], panel.levels, 11)
        at = [spot.column for spot in panel.spots], [-spot.row for spot in panel.spots]
        ours = ["" if math.isnan(spot.ours) else cell_text(spot.ours, frame.form) for spot in panel.spots]
        theirs = [
            "" if math.isnan(spot.published) else f"({cell_text(spot.published, frame.form)})"
            for spot in panel.spots
        ]
        fill(self.numbers, *at, ours, theirs)
        self.recolour(theme)

    def recolour(self, theme: Theme) -> None:
        """Dress the figure in a theme; the cells have their colours from it."""
        restyle(self.figure, theme)
        for text, size in ((self.ours, theme.font), (self.theirs, theme.font - 1)):
            text.glyph.text_color, text.glyph.text_font_size = theme.text, f"{size}px"
        self.ours.glyph.text_font_style = "bold"
        if self._last:
            panel = self._last[0]
            known = [not math.isnan(spot.ours) for spot in panel.spots]
            fill(
                self.cells,
                [spot.column for spot in panel.spots],
                [-spot.row for spot in panel.spots],
                shades([spot.ours for spot in panel.spots], theme),
                [theme.background if there else theme.muted for there in known],
                [[] if there else [4, 3] for there in known],
            )


def shades(values: Sequence[float], theme: Theme) -> list[str]:
    """A colour for every value, from the background for the smallest to a strong one; NaN has the
    background.
    """
    known = [value for value in values if not math.isnan(value)]
    low, high = min(known, default=0.0), max(known, default=1.0)
    room = (high - low) or 1.0
    return [
        theme.background
        if math.isnan(v)
        else blend(theme.background, theme.dual, 0.08 + STRONGEST * (v - low) / room)
        for v in values
    ]


__all__ = ["BarPicture", "HeatPicture", "shades"]
