"""Items and one step of a clusterer, drawn: clusters as colours and edges, broken triangles as areas.

Where items are points of the plane, they can be dragged, a click adds one, and Backspace takes a selected one
away: the browser changes `handles`, and its listeners change the instance. The sources are filled in
place.
"""

from collections.abc import Callable

import numpy as np
from bokeh.models import HoverTool, PointDrawTool

from explorer.views.cluster_lab import scene as columns
from explorer.views.cluster_lab.scene import ClusterScene
from explorer.views.kit.drawing.pieces import legend, plot, source
from explorer.views.kit.drawing.room import Room
from explorer.views.kit.drawing.state_colours import HUES, ink_on
from explorer.views.kit.drawing.theme import LIGHT, Theme

SOURCES = {
    "triangles": "xs ys name",
    "edges": "x0 y0 x1 y1 pair share width dash alpha",
    "shares": "x y text",
    "changed": "x y",
    "nodes": "x y text number cluster true fill ink",
    "handles": "x y",
}


class ClusterFigure:
    """One plot for every instance and every clusterer; it is filled from a scene."""

    def __init__(self, resized: Callable[[], None]) -> None:
        self.theme = LIGHT
        self.sources = {name: source(names) for name, names in SOURCES.items()}
        self.plot = plot(min_border=4)
        self.room = Room(self.plot, 360, 260, resized)
        self.plot.grid.visible = self.plot.axis.visible = False
        self._draw()
        about = "Add, drag or delete points"
        self.drawer = PointDrawTool(renderers=[self.handles], num_objects=30, description=about)
        signs = {"together": [self.key], "fractional": [self.dashed]}
        signs |= {"broken triangle": [self.triangles], "changed": [self.changed]}
        self.items = legend(self.plot, signs)
        tips = [("item", "@text"), ("cluster", "@cluster"), ("true cluster", "@true")]
        self.plot.add_tools(HoverTool(renderers=[self.nodes], tooltips=tips))
        tips = [("pair", "@pair"), ("share", "@share{0.000}")]
        self.plot.add_tools(HoverTool(renderers=[self.edges], tooltips=tips, line_policy="interp"))

    def _draw(self) -> None:
        of, drawn = self.sources, self.plot
        middle = {"text_align": "center", "text_baseline": "middle"}
        self.triangles = drawn.patches("xs", "ys", source=of["triangles"])
        look = {"line_width": "width", "line_dash": "dash", "line_alpha": "alpha"}
        self.edges = drawn.segment("x0", "y0", "x1", "y1", source=of["edges"], **look)
        self.shares = drawn.text("x", "y", "text", source=of["shares"], **middle)
        self.changed = drawn.scatter("x", "y", source=of["changed"], fill_color=None)
        self.nodes = drawn.scatter("x", "y", source=of["nodes"], fill_color="fill")
        self.handles = drawn.scatter("x", "y", source=of["handles"], fill_alpha=0.0, line_alpha=0.0)
        self.letters = drawn.text("x", "y", "text", source=of["nodes"], text_color="ink", **middle)
        self.key = drawn.line([np.nan], [np.nan])
        self.dashed = drawn.line([np.nan], [np.nan], line_dash="dashed")

    def show(self, scene: ClusterScene) -> None:
        """Put one step into the sources."""
        nodes = columns.nodes(scene)
        fills = [self.theme.grid if n < 0 else HUES[n % len(HUES)] for n in nodes["number"]]
        inks = [self.theme.text if fill == self.theme.grid else ink_on(fill) for fill in fills]
        found = {
            "nodes": nodes | {"fill": fills, "ink": inks},
            "edges": columns.edges(scene),
            "shares": columns.shares(scene),
            "triangles": columns.triangles(scene),
            "changed": columns.points(scene, scene.step.changed),
        }
        for name, data in found.items():
            self.sources[name].data = data
        self._offer(scene)
        self._place(scene)
        dashes = set(found["edges"]["dash"])
        seen = {"together": "solid" in dashes, "fractional": "dashed" in dashes}
        seen |= {"broken triangle": bool(len(scene.step.triangles)), "changed": bool(len(scene.step.changed))}
        for name, visible in seen.items():
            self.items[name].visible = visible

    def _offer(self, scene: ClusterScene) -> None:
        """Points that can be dragged, or none."""
        x, y = (axis.tolist() for axis in scene.place.T) if scene.drawn else ([], [])
        held = self.sources["handles"].data
        if list(held["x"]) != x or list(held["y"]) != y:
            self.sources["handles"].data = {"x": x, "y": y}
        if scene.drawn != (self.drawer in self.plot.tools):
            if scene.drawn:
                self.plot.add_tools(self.drawer)
                self.plot.toolbar.active_tap = self.drawer
            else:
                self.plot.tools = [tool for tool in self.plot.tools if tool is not self.drawer]

    def _place(self, scene: ClusterScene) -> None:
        """The unit square in the middle, as long as it is wide."""
        width, height = self.room.wide, self.room.high
        side = max(20.0, min(width, height) - 16.0)
        for axis, half in ((self.plot.x_range, 0.5 * width / side), (self.plot.y_range, 0.5 * height / side)):
            axis.update(start=0.5 - half, end=0.5 + half)
        size = float(np.clip(0.36 * side / np.sqrt(len(scene.names)), 13, 34))
        for glyph in (self.nodes.glyph, self.handles.glyph):
            glyph.size = size
        self.changed.glyph.size = size + 2 * self.theme.line + 5
        self.letters.glyph.text_font_size = f"{max(9.0, min(self.theme.font + 2.0, 0.6 * size)):.0f}px"

    def recolour(self, theme: Theme) -> None:
        """Give all glyphs the theme's colours."""
        self.theme = theme
        self.edges.glyph.line_color = theme.neutral
        for key in (self.key, self.dashed):
            key.glyph.update(line_color=theme.neutral, line_width=theme.line)
        self.shares.glyph.update(text_color=theme.text, text_font_size=f"{theme.font - 1}px", padding=1)
        self.shares.glyph.update(background_fill_color=theme.background, background_fill_alpha=0.8)
        self.triangles.glyph.update(fill_color=theme.primal, fill_alpha=0.14, line_dash="dotted")
        self.triangles.glyph.update(line_color=theme.primal, line_width=theme.line / 2)
        self.changed.glyph.update(line_color=theme.accent, line_width=1.5 * theme.line)
        self.nodes.glyph.update(line_color=theme.text, line_width=theme.line / 2)
