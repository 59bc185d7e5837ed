"""Lines of a study: ours with filled markers, what was published hollow and dotted, in the same colour.

Colour and marker say which series, the dash which of several columns. Sources and ranges are updated in place; a series that
appears for the first time gets its glyphs then.
"""

import math
from typing import Any

import numpy as np
from bokeh.models import HoverTool, Legend, LegendItem, VBar

from explorer.engine.studies.study import Plot
from explorer.views.drawing import fill, plot, source
from explorer.views.study_frame import Frame, Panel, Series
from explorer.views.theme import Theme, restyle
from explorer.views.thinning import evenly

MARKERS = ("circle", "square", "triangle", "diamond", "inverted_triangle", "hex", "star", "square_pin")
DASHES = ("solid", "dashed", "dotdash", "dashdot")
COLOURS = 6
MOST_MARKERS = 24
HATCHES = ("", "/", "x", ".", "\\", "o", "-", "+")
"""What tells bars apart without colour."""


def hue(theme: Theme, j: int) -> str:
    """The colour of series j."""
    colours = (theme.dual, theme.primal, theme.truth, theme.accent, theme.neutral, theme.text)
    return colours[j % COLOURS]


def dash(j: int, k: int, ours: bool) -> str:
    """The line of series j and column k; where colours come round again, another line."""
    return DASHES[(k + 2 * (j // COLOURS)) % len(DASHES)] if ours else "dotted"


def new_figure(spec: Plot, **more: Any) -> Any:
    """A figure with the axes that a study's plot asks for."""
    kinds = {f"{axis}_axis_type": "log" for axis in spec.log}
    made = plot("", "", title="", **kinds, **more)
    made.scatter([], [])  # a figure without any glyph is complained about
    made.title.text_font_style = "normal"
    return made


def wrapped(text: str, most: int = 11) -> str:
    """A name in lines short enough for an axis."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > most:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)


class Key:
    """The legend: a sign for every series, for every dash, and one for what was published; made of points nobody sees."""

    def __init__(self, figure: Any, spec: Plot) -> None:
        self.figure = figure
        beside = not spec.panel
        look = {"orientation": "vertical" if beside else "horizontal", "location": "top_left" if beside else "left"}
        self.legend = Legend(items=[], label_text_line_height=1.1, **look)
        figure.add_layout(self.legend, "right" if beside else "above")
        self.signs: list[tuple[Any, int, int, bool]] = []
        self._names: tuple[Any, ...] = ()

    def show(self, frame: Frame, theme: Theme) -> None:
        """Name what there is; nothing is made anew while the names stay."""
        names = (frame.hues, frame.dashes, frame.published)
        if names != self._names:
            self._names = names
            self._fill(frame)
        self.recolour(theme)

    def _fill(self, frame: Frame) -> None:
        for renderers, *_ in self.signs:
            for one in renderers:
                self.figure.renderers.remove(one)
        entries = [(name, j, 0, True) for j, name in enumerate(frame.hues)]
        entries += [(name, -1, k, True) for k, name in enumerate(frame.dashes)]
        entries += [(frame.published, -1, 0, False)] if frame.published else []
        self.signs = [(self._sign(frame.plot.kind, j, k, ours), j, k, ours) for _, j, k, ours in entries]
        items = [LegendItem(label=e[0], renderers=s[0]) for e, s in zip(entries, self.signs, strict=True)]
        self.legend.items = items if len(items) > 1 else []

    def _sign(self, kind: str, j: int, k: int, ours: bool) -> list[Any]:
        nowhere = source("x y")
        fill(nowhere, [math.nan], [math.nan])
        if kind == "bars" and ours:
            return [
                self.figure.vbar("x", 0.1, "y", source=nowhere, hatch_pattern=HATCHES[max(j, k) % len(HATCHES)] or None)
            ]
        marker = "circle" if j < 0 else MARKERS[j % len(MARKERS)]
        line = self.figure.line("x", "y", source=nowhere, line_dash=dash(max(j, 0), k, ours))
        dots = self.figure.scatter("x", "y", source=nowhere, marker=marker, size=7 if ours else 10)
        return [line] if ours and j < 0 else [dots] if kind == "bars" else [line, dots]

    def recolour(self, theme: Theme) -> None:
        """Give every sign its colour."""
        for renderers, j, _, ours in self.signs:
            for one in renderers:
                paint(one.glyph, theme.text if j < 0 else hue(theme, j), theme, ours)


def paint(glyph: Any, colour: str, theme: Theme, ours: bool) -> None:
    """The colours of a line, a marker or a bar: filled if it is ours, hollow if it was published."""
    glyph.line_color = colour
    if hasattr(glyph, "fill_color"):
        glyph.fill_color, glyph.fill_alpha = colour, (0.9 if ours else 0.0)
        glyph.line_width = 1.0 if ours else 0.8 * theme.line
    else:
        glyph.line_width = theme.line if ours else 0.6 * theme.line
    if isinstance(glyph, VBar):
        glyph.fill_alpha, glyph.hatch_color, glyph.hatch_scale = 0.55, theme.text, 7.0


class LinePicture:
    """One panel of lines or curves."""

    def __init__(self, spec: Plot) -> None:
        self.figure = new_figure(spec)
        self.key = Key(self.figure, spec)
        self.lines: dict[tuple[int, int, bool], tuple[Any, Any]] = {}
        self.hover = HoverTool(renderers=[], tooltips=[("", "@name"), ("x", "@x{0,0.[0000]}"), ("y", "@y{0,0.[0000]}")])
        self.figure.add_tools(self.hover)

    def show(self, panel: Panel, frame: Frame, theme: Theme) -> None:
        """Put a panel into the sources; series that are gone are emptied."""
        figure = self.figure
        figure.title.text, figure.title.visible = panel.title, bool(panel.title)
        figure.xaxis.axis_label, figure.yaxis.axis_label = frame.x_title, frame.y_title or None
        figure.x_range.update(start=frame.x_range[0], end=frame.x_range[1])
        figure.y_range.update(start=frame.y_range[0], end=frame.y_range[1])
        there = {(one.hue, one.dash, one.ours): one for one in panel.lines}
        for place in there.keys() - self.lines.keys():
            self._add(place)
        for place, glyphs in self.lines.items():
            _put(glyphs, there.get(place), frame)
        self.key.show(frame, theme)
        self.recolour(theme)

    def _add(self, place: tuple[int, int, bool]) -> None:
        """Glyphs for a series that is seen for the first time."""
        j, k, ours = place
        line = self.figure.line("x", "y", source=source("x y"), line_dash=dash(j, k, ours))
        few = source("x y name")
        marker = MARKERS[j % len(MARKERS)]
        dots = self.figure.scatter("x", "y", source=few, marker=marker, size=7 if ours else 11)
        self.lines[place] = line, dots
        self.hover.renderers = [*self.hover.renderers, dots]

    def recolour(self, theme: Theme) -> None:
        """Dress the figure in a theme."""
        restyle(self.figure, theme)
        for (j, _, ours), glyphs in self.lines.items():
            for one in glyphs:
                paint(one.glyph, hue(theme, j), theme, ours)
        self.key.recolour(theme)


def _put(glyphs: tuple[Any, Any], one: Series | None, frame: Frame) -> None:
    line, dots = (renderer.data_source for renderer in glyphs)
    if one is None:
        fill(line)
        fill(dots)
        return
    fill(line, one.x, one.y)
    at = evenly(len(one.x), MOST_MARKERS) if len(one.x) > 2 * MOST_MARKERS else np.arange(len(one.x))
    name = one.name if one.ours else f"{one.name}, {frame.published}"
    fill(dots, one.x[at], one.y[at], [name] * len(at))


__all__ = ["HATCHES", "Key", "LinePicture", "hue", "new_figure", "paint", "wrapped"]
