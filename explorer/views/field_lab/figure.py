"""A field and one step of an oracle, drawn: nodes filled with their states, edges, messages, flows and cuts.

A node has its state as fill and letter; one that differs from the best labelling has a cross behind it, one
that the step changed a ring around it, a fractional one is a pie. Squares are on the sink's side of a cut,
and strokes cross what is cut. Messages are triangles in the colour of the state they speak for. Large grids
are drawn as cells. The sources are filled in place.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from bokeh.models import HoverTool, Legend, LegendItem, LinearColorMapper

from explorer.engine.vectors import Array
from explorer.views.field_lab import scene as columns
from explorer.views.field_lab.scene import FieldScene
from explorer.views.kit.drawing.pieces import entry, fill, plot, sign, source
from explorer.views.kit.drawing.room import Room
from explorer.views.kit.drawing.state_colours import fills, ink_on
from explorer.views.kit.drawing.theme import LIGHT, Theme

SOURCES = {
    "edges": "x0 y0 x1 y1 a b strength note width dash",
    "cut": "x0 y0 x1 y1 x y angle",
    "path": "x0 y0 x1 y1",
    "messages": "x y angle size state tail head lead text",
    "nodes": "node x y state text side ink own0 own1 now0 now1",
    "pies": "x y start end state",
    "changed": "x y",
    "wrong": "x y",
    "picked": "x y",
    "notes": "x y text dx dy align base",
    "key": "x state name",
}
SIGNS = {"attracts": "solid", "repels": "dashed", "not the best": "wrong", "changed": "changed"}
SIGNS |= {"fractional": "pies", "message": "messages", "path": "path", "cut": "cut"}
"""What the legend explains, each by a glyph; of edges by two that are never filled."""

ENDS = ("x0", "y0", "x1", "y1")
LEAST_LETTER = 13
"""Pixels that a node needs to carry a letter."""


class FieldFigure:
    """One plot for every instance and every oracle; it is filled from a scene."""

    def __init__(self, resized: Callable[[], None]) -> None:
        self.theme, self.size, self.scale, self.short = LIGHT, 20.0, (1.0, 1.0), False
        self.sources = {name: source(names) for name, names in SOURCES.items()}
        self.mapper = LinearColorMapper(palette=["#888888"], low=-1.5, high=-0.5)
        self.plot = plot(min_border=4)
        self.room = Room(self.plot, 360, 280, resized)
        self.plot.grid.visible = self.plot.axis.visible = False
        self.glyphs = self._lines() | self._nodes()
        self._legend()
        self._hovers()

    # building -----------------------------------------------------------------------------------------------

    def _colour(self) -> Any:
        return {"field": "state", "transform": self.mapper}

    def _lines(self) -> dict[str, Any]:
        of, drawn = self.sources, self.plot
        return {
            "edges": drawn.segment(*ENDS, source=of["edges"], line_width="width", line_dash="dash"),
            "path": drawn.segment(*ENDS, source=of["path"], line_cap="round"),
            "cut": drawn.segment(*ENDS, source=of["cut"]),
            "strokes": drawn.scatter("x", "y", source=of["cut"], marker="dash", angle="angle"),
        }

    def _nodes(self) -> dict[str, Any]:
        of, drawn, colour = self.sources, self.plot, self._colour()
        middle = {"text_align": "center", "text_baseline": "middle"}
        beside = {"x_offset": "dx", "y_offset": "dy", "text_align": "align", "text_baseline": "base"}
        vote = {"marker": "triangle", "angle": "angle", "size": "size"}
        pie = {"start_angle": "start", "end_angle": "end", "radius": 8, "radius_units": "screen"}
        return {
            "cells": drawn.rect("x", "y", 1, 1, source=of["nodes"], fill_color=colour),
            "wrong": drawn.scatter("x", "y", source=of["wrong"], marker="x"),
            "changed": drawn.scatter("x", "y", source=of["changed"], fill_color=None),
            "picked": drawn.scatter("x", "y", source=of["picked"], marker="diamond", fill_color=None),
            "nodes": drawn.scatter("x", "y", source=of["nodes"], marker="side", fill_color=colour),
            "pies": drawn.wedge("x", "y", source=of["pies"], fill_color=colour, **pie),
            "messages": drawn.scatter("x", "y", source=of["messages"], fill_color=colour, **vote),
            "leads": drawn.text("x", "y", "text", source=of["messages"], x_offset=8, text_baseline="middle"),
            "letters": drawn.text("x", "y", "text", source=of["nodes"], text_color="ink", **middle),
            "notes": drawn.text("x", "y", "text", source=of["notes"], **beside),
            "key": drawn.scatter("x", "x", source=of["key"], fill_color=colour),
            "solid": drawn.line([np.nan], [np.nan]),
            "dashed": drawn.line([np.nan], [np.nan], line_dash="dashed"),
        }

    def _legend(self) -> None:
        """The states, and every sign that is in use."""
        self.items = {label: entry(self.plot, label, [self.glyphs[g]]) for label, g in SIGNS.items()}
        self.items["cut"].renderers.append(sign(self.plot, self.glyphs["strokes"]))
        states = LegendItem(label={"field": "name"}, renderers=[self.glyphs["key"]])
        look = {"glyph_width": 18, "glyph_height": 18}
        self.plot.add_layout(Legend(items=[states, *self.items.values()], **look), "right")

    def _hovers(self) -> None:
        self.hover = HoverTool(renderers=[self.glyphs["nodes"], self.glyphs["cells"]])
        ties = [("edge", "@a - @b"), ("strength", "@strength{0.000}, @note")]
        sent = [("message", "from @tail to @head"), ("speaks for state", "@state, by @lead{0.000}")]
        self.plot.add_tools(
            self.hover,
            HoverTool(renderers=[self.glyphs["edges"]], tooltips=ties, line_policy="interp"),
            HoverTool(renderers=[self.glyphs["messages"]], tooltips=sent),
        )

    # filling ------------------------------------------------------------------------------------------------

    def show(self, scene: FieldScene) -> None:
        """Put one step into the sources."""
        self._fit(scene)
        self._name_states(scene)
        found = {
            "edges": columns.edges(scene),
            "cut": columns.cut(scene, self.scale),
            "path": columns.path(scene),
            "messages": columns.messages(scene, self.scale, 0.5 * self.size),
            "nodes": self._inked(columns.nodes(scene)),
            "pies": columns.pies(scene),
            "changed": columns.points(scene, scene.step.changed),
            "wrong": columns.points(scene, scene.wrong),
            "picked": columns.points(scene, [] if scene.picked is None else [scene.picked]),
            "notes": columns.notes(scene, self._away(scene), self.short),
        }
        for name, data in found.items():
            self.sources[name].data = data
        self._dress(scene)

    def _fit(self, scene: FieldScene) -> None:
        """Ranges in which circles are round and everything fits; how large a node is then, in pixels."""
        room = np.array([self.room.wide, self.room.high], dtype=float)
        reach = np.maximum(np.ptp(scene.place, axis=0), 1e-9)
        self.short = False
        if scene.cells:
            self.size = max(0.5, float((room / (reach + 1.2)).min()))
            self.scale = (self.size, self.size)
        else:
            self.size = float(np.clip(0.4 * np.sqrt(room.prod() / len(scene.place)), 10, 34))
            self._spread(scene, room, reach)
        middle, half = scene.place.min(axis=0) + 0.5 * reach, 0.5 * room / self.scale
        for axis, at, by in zip((self.plot.x_range, self.plot.y_range), middle, half, strict=True):
            axis.update(start=at - by, end=at + by)

    def _spread(self, scene: FieldScene, room: Array, reach: Array) -> None:
        """Pixels per unit; in a crowded tree nodes are smaller and have only their number beside them."""
        tree = not scene.case.round
        letters = max((len(text) for text in columns.notes(scene, 0.0)["text"]), default=0)
        beside, above = 0.56 * letters * self.theme.font, 1.3 * self.theme.font
        free = np.maximum(20.0, room - 2 * (self._away(scene) + np.array([3 + beside, 3 + above]))) / reach
        if tree and (gap := columns.closest(scene)) * free[0] < self.size + beside:
            free[0] = max(20.0, room[0] - 2 * self.size - 2 * self.theme.font) / reach[0]
            self.size, self.short = float(np.clip(0.75 * gap * free[0], 8, self.size)), True
        self.scale = (float(free[0]), float(free[1])) if tree else (float(free.min()),) * 2

    def _ring(self) -> float:
        """The width of a ring around a node, in pixels."""
        return self.size + 2 * self.theme.line + 4

    def _away(self, scene: FieldScene) -> float:
        """How far from its middle a node's number stands: clear of a cross."""
        return max(0.5 * self.size + 9, 0.8 * self._ring() if len(scene.wrong) else 0.0)

    def _name_states(self, scene: FieldScene) -> None:
        """Colours and names of the states; -1 is a node without an answer."""
        K, called = scene.case.field.states, scene.step.called
        names = [str(s) for s in range(K)]
        self.fills = fills(names, self.theme)
        self.mapper.update(palette=[self.theme.grid, *self.fills], low=-1.5, high=K - 0.5)
        sides = ["0, source", "1, sink"] if scene.step.flow is not None else [f"state {s}" for s in names]
        fill(self.sources["key"], [np.nan] * K, list(range(K)), sides)
        tips = [("node", "@node"), ("state", "@state")]
        tips += [(f"score of {s}", f"@own{s}{{0.000}}") for s in names]
        tips += [(f"{called} of {s}", f"@now{s}{{0.000}}") for s in names] if called else []
        if self.hover.tooltips != tips:
            self.hover.tooltips = tips

    def _inked(self, data: dict[str, Any]) -> dict[str, Any]:
        inks = [*[ink_on(colour) for colour in self.fills], self.theme.text]
        if self.size < LEAST_LETTER:
            data["text"] = [""] * len(data["text"])
        return data | {"ink": [inks[s] for s in data["state"]]}

    def _dress(self, scene: FieldScene) -> None:
        """Show the glyphs of this kind of picture, in sizes that fit; explain only the signs in use."""
        draw, size, cells = self.glyphs, self.size, scene.cells
        draw["cells"].visible, draw["nodes"].visible = cells, not cells
        seen = {name for name, held in self.sources.items() if len(next(iter(held.data.values())))}
        seen |= set(self.sources["edges"].data["dash"]) if scene.step.flow is None else set()
        for label, glyph in SIGNS.items():
            self.items[label].visible = glyph in seen
        ring, inside = self._ring(), 0.7 * size
        draw["nodes"].glyph.size, draw["picked"].glyph.size = size, 2.0 * ring
        draw["changed"].glyph.size, draw["wrong"].glyph.size = (
            (inside, inside) if cells else (ring, 1.5 * ring)
        )
        draw["changed"].glyph.marker = "square" if cells else "circle"
        draw["pies"].glyph.radius = 0.4 * size if cells else 0.5 * size
        draw["cells"].glyph.line_width = 0.5 if size >= 6 else 0.0
        draw["edges"].glyph.line_alpha = 0.35 if scene.step.arrows is not None else 0.8
        draw["letters"].glyph.text_font_size = f"{max(8, min(self.theme.font + 1, int(0.6 * size)))}px"
        draw["key"].glyph.update(marker="square" if cells else "circle", size=13)

    def recolour(self, theme: Theme) -> None:
        """Give all glyphs the theme's colours."""
        self.theme, draw, line, thin = theme, self.glyphs, theme.line, theme.line / 2
        draw["cells"].glyph.line_color = theme.background
        for name in ("edges", "solid", "dashed"):
            draw[name].glyph.update(line_color=theme.neutral, line_alpha=0.8)
        draw["path"].glyph.update(line_color=theme.primal, line_width=2.5 * line)
        draw["cut"].glyph.update(line_color=theme.high, line_width=1.5 * line)
        draw["strokes"].glyph.update(line_color=theme.high, line_width=2 * line, size=18)
        draw["wrong"].glyph.update(line_color=theme.text, line_width=1.25 * line)
        draw["changed"].glyph.update(line_color=theme.accent, line_width=1.5 * line)
        draw["picked"].glyph.update(line_color=theme.accent, line_width=line)
        for name in ("nodes", "pies", "messages", "key"):
            draw[name].glyph.update(line_color=theme.text, line_width=thin if name != "messages" else 0.75)
        for name in ("notes", "leads"):
            draw[name].glyph.update(text_color=theme.text, text_font_size=f"{theme.font}px")
