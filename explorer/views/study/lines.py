"""Lines of a study: ours with filled markers, what was published hollow and dotted, in the same colour.

Colour and marker say which series, the dash which of several columns. Sources and ranges are updated in
place; a series that appears for the first time gets its glyphs then.
"""

from typing import Any

import numpy as np
from bokeh.models import HoverTool

from explorer.studies.support.study import Plot
from explorer.views.kit.drawing.pieces import fill, source
from explorer.views.kit.drawing.theme import Theme, restyle
from explorer.views.kit.drawing.thinning import evenly
from explorer.views.study.frame import Series, StudyFrame, StudyPanel
from explorer.views.study.parts import MARKERS, SeriesKey, dash, hue, new_figure, paint

MOST_MARKERS = 24


class LinePicture:
    """One panel of lines or curves."""

    def __init__(self, spec: Plot) -> None:
        self.figure = new_figure(spec)
        self.key = SeriesKey(self.figure, spec)
        self.lines: dict[tuple[int, int, bool], tuple[Any, Any]] = {}
        self.names = source("x y text")
        self.text = self.figure.text("x", "y", "text", source=self.names, x_offset=5, y_offset=-4)
        self.hover = HoverTool(
            renderers=[], tooltips=[("", "@name"), ("x", "@x{0,0.[0000]}"), ("y", "@y{0,0.[0000]}")]
        )
        self.figure.add_tools(self.hover)

    def show(self, panel: StudyPanel, frame: StudyFrame, theme: Theme) -> None:
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
        self._name([one for one in panel.lines if one.ours and one.labels and one.dash == 0])
        self.key.show(frame, theme)
        self.recolour(theme)

    def _name(self, paths: list[Series]) -> None:
        """Write the labels of our paths beside their points; those of the first column stand for all."""
        points = [point for one in paths for point in zip(one.x, one.y, one.labels, strict=True)]
        fill(self.names, *([list(values) for values in zip(*points, strict=True)] if points else ()))

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
        self.text.glyph.update(text_color=theme.muted, text_font_size=f"{theme.font - 1}px")
        self.key.recolour(theme)


def _put(glyphs: tuple[Any, Any], one: Series | None, frame: StudyFrame) -> None:
    line, dots = (renderer.data_source for renderer in glyphs)
    if one is None:
        fill(line)
        fill(dots)
        return
    fill(line, one.x, one.y)
    at = evenly(len(one.x), MOST_MARKERS) if len(one.x) > 2 * MOST_MARKERS else np.arange(len(one.x))
    name = one.name if one.ours else f"{one.name}, {frame.published}"
    fill(dots, one.x[at], one.y[at], [name] * len(at))
