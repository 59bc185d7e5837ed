"""The similarity as a picture: cells coloured by sign, clusters outlined; a click edits an entry."""

from typing import Any, ClassVar

import numpy as np
import panel as pn
import panel_material_ui as pmui
from bokeh.models import HoverTool, LinearColorMapper

from explorer.labs.clusterings.film import cluster_words
from explorer.labs.clusterings.instance import LARGEST
from explorer.labs.clusterings.state import ClusterLab
from explorer.views.cluster_lab import cells as columns
from explorer.views.cluster_lab.cells import MatrixCells
from explorer.views.kit.controls.inputs import INPUT, word
from explorer.views.kit.drawing.pieces import WHOLE, pane, plot, ramp, source
from explorer.views.kit.drawing.room import Room
from explorer.views.kit.drawing.state_colours import ink_on
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.messages import Soon
from explorer.views.kit.view import View

SOURCES = {
    "cells": "x y level text first second value share ink",
    "outlines": "x0 y0 x1 y1",
    "headings": "x y text above dx dy",
    "titles": "x y text",
    "picked": "x y",
}

STEPS, BEAT = 20, 90
"""The loss is folded in over this many steps, one every BEAT milliseconds."""

ABOVE = {"sizing_mode": "stretch_width", "margin": (0, 6), "visible": False}
"""A row above the figure, unseen until it is needed."""

LEAST_NAMED = 8.5
"""Pixels that a cell needs for the name of its item beside it."""


class Matrices(View[ClusterLab]):
    """K, K with the loss, and the shares of the step, side by side."""

    title: ClassVar[str] = "Similarity"
    name_key: ClassVar[str] = "similarity"
    help: ClassVar[str] = (
        "Every cell is a pair of items: red attracts, blue repels (in large matrices marked with a minus). "
        "The outlines are the clusters of the present step; items are in the order of the last step's "
        "clusters. With the loss folded in, a second matrix shows what is clustered instead; fold the loss "
        "in or take it out to see what it changes. Click a cell of K to change it."
    )
    follows = ("tick", "step", "picked")
    urgent = True

    def build(self) -> Any:
        self.plot = plot(min_border=2)
        self.plot.grid.visible = self.plot.axis.visible = False
        self.room = Room(self.plot, 500, 250, Soon(self.refresh, 60))
        self.sources = {name: source(names) for name, names in SOURCES.items()}
        self.mapper = LinearColorMapper(palette=["#888888"], low=-1.0, high=1.0)
        self._draw()
        self.figures.append(self.plot)
        self.on_tap(self.plot, self._tapped)
        return pn.Column(self._editor(), self._folding(), pane(self.plot, least=150), **WHOLE)

    def _draw(self) -> None:
        of, middle = self.sources, {"text_align": "center", "text_baseline": "middle"}
        colour = {"field": "level", "transform": self.mapper}
        self.cells = self.plot.rect("x", "y", 1, 1, source=of["cells"], fill_color=colour)
        self.numbers = self.plot.text("x", "y", "text", source=of["cells"], text_color="ink", **middle)
        self.outlines = self.plot.segment("x0", "y0", "x1", "y1", source=of["outlines"], line_cap="square")
        frame = {"fill_color": None, "line_dash": "dotted"}
        self.picks = self.plot.rect("x", "y", 0.86, 0.86, source=of["picked"], **frame)
        bold = {"x_offset": "dx", "y_offset": "dy", "text_font_style": "bold"} | middle
        self.names = self.plot.text("x", "y", "text", source=of["headings"], **bold)
        self.titles = self.plot.text("x", "y", "text", source=of["titles"], text_baseline="bottom")
        tips = [("", "@first, @second"), ("value", "@value{0.0000}")]
        self.plot.add_tools(HoverTool(renderers=[self.cells], tooltips=tips))

    def _editor(self) -> Any:
        """What changes the entry that was clicked; unseen until one is."""
        self.number = pmui.FloatInput(label="K", start=-LARGEST, end=LARGEST, step=1.0, width=112, **INPUT)
        self.number.param.watch(self._typed, "value")
        buttons = [
            word("− 1", lambda: self._by(-1.0)),
            word("+ 1", lambda: self._by(1.0)),
            word("as given", self._restore),
            word("done", lambda: self.session.param.update(picked=None)),
        ]
        self.editor = pn.Row(self.number, *buttons, **ABOVE)
        return self.editor

    def _folding(self) -> Any:
        """How much of the loss is in the second matrix; unseen where there is none."""
        self._beats: Any = None
        look = {"format": "0%", "width": 190, "margin": (0, 10)}
        ends = {"start": 0.0, "end": 1.0, "step": 1.0 / STEPS, "value": 1.0}
        self.part = pmui.FloatSlider(label="Part of the loss", **ends, **look)
        self.part.param.watch(lambda *_: self.refresh(), "value")
        self.folder = word("take the loss out", self._fold)
        self.folding = pn.Row(self.part, self.folder, **ABOVE)
        return self.folding

    def _fold(self) -> None:
        """Take the loss out bit by bit, or fold it in."""
        down = self.part.value > 0.5
        ways = np.linspace(self.part.value, 0.0 if down else 1.0, STEPS + 1)[1:]
        left = iter(ways.tolist())
        if self._beats is not None:
            self._beats.stop()
        if not pn.state.curdoc:  # nobody is watching: go to the end at once
            self.part.value = float(ways[-1])
            return
        step = lambda: self.part.param.update(value=next(left))  # noqa: E731
        self._beats = pn.state.add_periodic_callback(step, period=BEAT, count=STEPS)

    # the view -----------------------------------------------------------------------------------------------

    def frame(self) -> MatrixCells:
        lab = self.session
        last = lab.film.steps[-1].labels
        return columns.frame(lab.question, lab.now, last, lab.case.names, lab.picked, self.part.value)

    def show(self, frame: MatrixCells) -> None:
        cells = columns.cells(frame)
        self.sources["cells"].data = cells | {"ink": [self._ink(level) for level in cells["level"]]}
        self.sources["outlines"].data = columns.outlines(frame)
        self.sources["titles"].data = columns.titles(frame)
        self.sources["picked"].data = columns.picked_cells(frame)
        self._place(frame)
        self.editor.visible = frame.picked is not None
        self.folding.visible = any(panel.title.startswith("with ") for panel in frame.panels)
        self.folder.label = "take the loss out" if self.part.value > 0.5 else "fold the loss in"
        if frame.picked is not None:
            i, j = frame.picked
            value = float(frame.panels[0].values[i, j])
            self.number.param.update(label=f"K({frame.names[i]}, {frame.names[j]})", value=value)

    def _ink(self, level: float) -> str:
        palette = self.mapper.palette
        return ink_on(palette[min(int(0.5 * (level + 1.0) * len(palette)), len(palette) - 1)])

    def _place(self, frame: MatrixCells) -> None:
        """Ranges in which cells are square; text that fits a cell; names only where they do not touch."""
        (wide, high), font = frame.span, self.theme.font
        width, height = self.room.wide, self.room.high
        above, beside = 2.6 * font + 4.0, font + 3.0
        side = max(2.0, min((width - beside - 6.0) / wide, (height - above - 4.0) / high))
        self.plot.x_range.update(start=-0.5 - beside / side, end=-0.5 + (width - beside) / side)
        self.plot.y_range.update(end=0.5 + above / side, start=0.5 + (above - height) / side)
        longest = max((len(text) for text in self.sources["cells"].data["text"]), default=1)
        size = min(font, 0.62 * side, 1.55 * side / max(1, longest))
        self.numbers.glyph.text_font_size = f"{max(5.0, size):.1f}px"
        self.names.visible, named = side >= LEAST_NAMED, min(font, 0.9 * side)
        self.names.glyph.text_font_size = f"{max(7.0, named):.1f}px"
        held = columns.headings(frame)
        dx, dy = np.where(held["above"], 0.0, -0.55 * font), np.where(held["above"], -0.65 * font, 0.0)
        self.sources["headings"].data = held | {"dx": dx, "dy": dy}
        self.titles.glyph.update(text_font_size=f"{font}px", y_offset=-(1.2 * font + 3.0))
        self.cells.glyph.line_width = 1.0 if side > 9 else 0.3
        self.outlines.glyph.line_width = self.theme.line * (1.5 if side > 14 else 1.0)

    def sentence(self, frame: MatrixCells) -> str:
        inside, against, pairs = columns.tally(frame)
        alone = int(frame.labels.max()) + 1 == frame.m
        outlined = f"Outlined: {cluster_words(frame.labels, frame.names)}"
        shown = "No two items are together" if alone else outlined
        return (
            f"{shown}; K inside sums to {inside:.4g}, and {against} of {pairs} pairs "
            f"are treated against their sign. {columns.adjustment(self.session.question)}"
        ).strip()

    def table(self, frame: MatrixCells) -> dict[str, Any]:
        out: dict[str, Any] = {"matrix": [], "item": []} | {frame.names[c]: [] for c in frame.order}
        for panel in frame.panels:
            for r in frame.order:
                out["matrix"].append(panel.title)
                out["item"].append(frame.names[r])
                for c in frame.order:
                    out[frame.names[c]].append(float(panel.values[r, c]))
        return out

    def recolour(self, theme: Theme) -> None:
        middle = theme.background if theme.name != "dark" else "#2a313a"
        self.mapper.palette = ramp(theme.low, middle, theme.high)
        self.cells.glyph.line_color = theme.background
        self.outlines.glyph.line_color = theme.text
        self.picks.glyph.update(line_color=theme.accent, line_width=1.5 * theme.line)
        self.names.glyph.text_color = self.titles.glyph.text_color = theme.text
        self.refresh()

    # editing ------------------------------------------------------------------------------------------------

    def _tapped(self, x: float, y: float) -> None:
        pair = columns.entry_at(self.frame(), x, y)
        self.session.picked = None if pair == self.session.picked else pair

    def _typed(self, event: Any) -> None:
        pair = self.session.picked
        if pair is not None and event.new is not None and event.new != float(self.session.case.K[pair]):
            self.session.edit(*pair, event.new)

    def _by(self, step: float) -> None:
        pair = self.session.picked
        if pair is not None:
            self.session.edit(*pair, float(self.session.case.K[pair]) + step)

    def _restore(self) -> None:
        """Take back the edit of this entry."""
        lab = self.session
        lab.choose(edits=tuple(one for one in lab.choice.edits if one[:2] != lab.picked))
