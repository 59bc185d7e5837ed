"""What the figures of a study share: colours and signs of series, their legend, and the axes that a plot asks
for.
"""

import math
from typing import Any

from bokeh.models import Legend, LegendItem, VBar

from explorer.studies.support.study import Plot
from explorer.views.kit.drawing.pieces import fill, plot, source
from explorer.views.kit.drawing.theme import Theme
from explorer.views.study.frame import StudyFrame

MARKERS = ("circle", "square", "triangle", "diamond", "inverted_triangle", "hex", "star", "square_pin")
DASHES = ("solid", "dashed", "dotdash", "dashdot")
COLOURS = 6
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


def wrap_name(text: str, most: int = 11) -> str:
    """A name in lines short enough for an axis."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > most:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)


class SeriesKey:
    """The legend: a sign for every series, for every dash, and one for what was published; made of points
    nobody sees.
    """

    def __init__(self, figure: Any, spec: Plot) -> None:
        self.figure = figure
        beside = not spec.panel
        look = {
            "orientation": "vertical" if beside else "horizontal",
            "location": "top_left" if beside else "left",
        }
        self.legend = Legend(items=[], label_text_line_height=1.1, **look)
        figure.add_layout(self.legend, "right" if beside else "above")
        self.signs: list[tuple[Any, int, int, bool]] = []
        self._names: tuple[Any, ...] = ()

    def show(self, frame: StudyFrame, theme: Theme) -> None:
        """Name what there is; nothing is made anew while the names stay."""
        names = (frame.hues, frame.dashes, frame.published)
        if names != self._names:
            self._names = names
            self._fill(frame)
        self.recolour(theme)

    def _fill(self, frame: StudyFrame) -> None:
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
                self.figure.vbar(
                    "x", 0.1, "y", source=nowhere, hatch_pattern=HATCHES[max(j, k) % len(HATCHES)] or None
                )
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
