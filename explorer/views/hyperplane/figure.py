"""The hyperplane drawn: the line between points of two features, and the signed distances of all examples.

Classes have a colour and a marker each; an example with slack is ringed, and the chosen one is joined to the
plane by the shortest way, as long as its distance. Sizes in pixels follow what the browser reports.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from bokeh.models import FixedTicker, HoverTool, Span

from explorer.engine.vectors import Array, Ints
from explorer.views.hyperplane.frame import STATES, PlaneFrame, level
from explorer.views.kit.drawing.pieces import fill, legend, plot, source
from explorer.views.kit.drawing.room import Room
from explorer.views.kit.drawing.state_colours import fills
from explorer.views.kit.drawing.theme import LIGHT, Theme
from explorer.views.kit.drawing.thinning import evenly
from explorer.wording import number

MARKERS = ("diamond", "star")
MOST_POINTS = 600
POINT = "x y marker fill ring example truth far slack state"
TIPS = "example @example: @truth, signed distance @far{0.000}, slack @slack{0.000}, @state"
ROOM = 0.18
"""Share of the width that is left free beside the outermost examples."""


def examples_drawn(shown: PlaneFrame) -> Ints:
    """The examples that are drawn: all of them, or evenly spaced ones, the chosen one among them."""
    return np.union1d(evenly(shown.examples, MOST_POINTS), [shown.example])


def columns(shown: PlaneFrame, which: Ints, theme: Theme) -> tuple[Any, ...]:
    """What both figures say of each example, after its place."""
    colours, kind = fills(shown.classes, theme), shown.kind[which]
    ringed = (shown.states[which] > 0).astype(float) if not math.isnan(shown.margin) else np.zeros(len(which))
    return (
        [MARKERS[k] for k in kind],
        [colours[k] for k in kind],
        ringed,
        which,
        [shown.classes[k] for k in kind],
        shown.distance[which],
        shown.slack[which],
        [STATES[s] for s in shown.states[which]],
    )


class PointsFigure:
    """Inputs of two features, the line between them, its margins, and the way to the chosen example."""

    def __init__(self, resized: Callable[[], None]) -> None:
        self.theme, self.plot = LIGHT, plot("x1", "x2", min_border=2, min_height=130)
        self.room = Room(self.plot, 320, 200, resized)
        on = self.plot
        self.points, self.way, self.ring = source(POINT), source("x y"), source("x y text")
        self.line, self.edges = source("x y"), source("xs ys")
        self.drawn = {
            "edges": on.multi_line("xs", "ys", source=self.edges, line_dash="dashed"),
            "line": on.line("x", "y", source=self.line),
            "way": on.line("x", "y", source=self.way, line_dash="dotted"),
        }
        self.dots = on.scatter("x", "y", marker="marker", fill_color="fill", source=self.points)
        self.held = on.scatter("x", "y", fill_color=None, line_alpha="ring", source=self.points)
        self.chosen = on.scatter("x", "y", fill_color=None, marker="square", source=self.ring)
        self.far = on.text("x", "y", "text", source=self.ring, x_offset=12, y_offset=-6, padding=1)
        self.far.glyph.update(text_font_style="bold", background_fill_alpha=0.85)
        on.add_tools(HoverTool(renderers=[self.dots], tooltips=TIPS))

    def show(self, shown: PlaneFrame) -> None:
        """Put a frame into the sources."""
        assert shown.points is not None
        which = examples_drawn(shown)
        fill(self.points, *shown.points[which].T, *columns(shown, which, self.theme))
        middle, reach = self._frame(shown.points)
        lines = [level(shown, score, middle, reach) for score in (-1.0, 0.0, 1.0)]
        edges = [line for line in (lines[0], lines[2]) if line is not None]
        fill(self.edges, [list(x) for x, _ in edges], [list(y) for _, y in edges])
        fill(self.line, *(map(list, lines[1]) if lines[1] else ()))
        here, foot = shown.points[shown.example], shown.foot
        fill(self.way, *(np.array([here, foot]).T if foot is not None else ()))
        text = "" if foot is None else number(float(shown.distance[shown.example]))
        fill(self.ring, [here[0]], [here[1]], [text])

    def _frame(self, points: Array) -> tuple[Array, float]:
        """Equal scales, so that the shortest way to the line is at right angles; the middle and half the
        diagonal.
        """
        low, high = points.min(axis=0), points.max(axis=0)
        middle, half = 0.5 * (low + high), 0.58 * np.maximum(high - low, 1e-9)
        aspect = self.room.wide / self.room.high
        tall = max(float(half[1]), float(half[0]) / aspect)
        self.plot.x_range.update(start=middle[0] - aspect * tall, end=middle[0] + aspect * tall)
        self.plot.y_range.update(start=middle[1] - tall, end=middle[1] + tall)
        return middle, 2.0 * tall * math.hypot(1.0, aspect)

    def nearest(self, shown: PlaneFrame, x: float, y: float) -> int:
        """The example nearest to a click."""
        assert shown.points is not None
        return int(np.argmin(((shown.points - (x, y)) ** 2).sum(axis=1)))

    def recolour(self, theme: Theme) -> None:
        """Dress the glyphs in the theme's colours."""
        self.theme = theme
        recolour_points(self, theme)
        for name, colour, width in (
            ("line", theme.text, 1.2),
            ("edges", theme.muted, 0.8),
            ("way", theme.accent, 1.4),
        ):
            self.drawn[name].glyph.update(line_color=colour, line_width=width * theme.line)
        self.far.glyph.update(
            text_color=theme.accent, background_fill_color=theme.background, text_font_size=f"{theme.font}px"
        )


class DistancesFigure:
    """Signed distances of all examples along one axis, a band for each class; the plane is at 0."""

    def __init__(self, resized: Callable[[], None]) -> None:
        self.theme = LIGHT
        self.plot = on = plot("signed distance from the plane", min_border=2, min_height=130)
        self.room = Room(on, 420, 160, resized)
        self.points, self.ring = source(POINT), source("x y")
        self.span = source("left right bottom top")
        self.band = on.quad(
            "left", "right", "top", "bottom", source=self.span, fill_alpha=0.1, line_color=None
        )
        self.zero = Span(dimension="height", location=0.0)
        on.add_layout(self.zero)
        self.edges = [Span(dimension="height", line_dash="dashed") for _ in range(2)]
        for edge in self.edges:
            on.add_layout(edge)
        self.dots = on.scatter("x", "y", marker="marker", fill_color="fill", source=self.points)
        self.held = on.scatter("x", "y", fill_color=None, line_alpha="ring", source=self.points)
        self.chosen = on.scatter("x", "y", fill_color=None, marker="square", source=self.ring)
        on.add_tools(HoverTool(renderers=[self.dots], tooltips=TIPS))
        on.yaxis[0].update(ticker=FixedTicker(ticks=[0, 1]), major_tick_line_alpha=0)
        on.y_range.update(start=-0.6, end=1.6)
        self.ring_key = on.scatter("x", "y", size=14, fill_color=None, source=source("x y"))
        self.chosen_key = on.scatter(
            "x", "y", size=14, fill_color=None, marker="square", source=source("x y")
        )
        legend(
            on,
            {"within the margin": [self.band], "has slack": [self.ring_key], "looked at": [self.chosen_key]},
        )

    def show(self, shown: PlaneFrame) -> None:
        """Put a frame into the sources."""
        there, height = not math.isnan(shown.margin), shown.kind + 0.66 * (heights(shown) - 0.5)
        which, far = examples_drawn(shown), shown.distance
        margin = shown.margin if there else 0.0
        fill(self.points, *([far[which], height[which], *columns(shown, which, self.theme)] if there else ()))
        fill(self.ring, *([[far[shown.example]], [height[shown.example]]] if there else ()))
        fill(self.span, *([[-margin], [margin], [-0.6], [1.6]] if there else ()))
        for edge, at in zip(self.edges, (-margin, margin), strict=True):
            edge.location, edge.visible = at, there
        most = max(float(np.abs(far).max()), margin) * (1.0 + ROOM) if there else 1.0
        self.plot.x_range.update(start=-most, end=most)
        self.plot.yaxis[0].major_label_overrides = {
            k: f"class {name}" for k, name in enumerate(shown.classes)
        }
        told = f", margin ± {number(margin)}" if there else ""
        self.plot.xaxis.axis_label = f"signed distance from the plane{told}"

    def nearest(self, x: float, y: float) -> int | None:
        """The example nearest to a click on the screen; None where nothing is drawn."""
        data, spans = self.points.data, (self.plot.x_range, self.plot.y_range)
        if not len(data["x"]):
            return None
        wide, high = (span.end - span.start for span in spans)
        far = ((np.asarray(data["x"]) - x) / wide * self.room.wide) ** 2
        far += ((np.asarray(data["y"]) - y) / high * self.room.high) ** 2
        return int(data["example"][int(np.argmin(far))])

    def recolour(self, theme: Theme) -> None:
        """Dress the glyphs in the theme's colours."""
        self.theme = theme
        recolour_points(self, theme)
        self.zero.update(line_color=theme.text, line_width=1.2 * theme.line)
        for edge in self.edges:
            edge.update(line_color=theme.muted, line_width=0.8 * theme.line)
        self.band.glyph.fill_color = theme.neutral
        self.ring_key.glyph.update(line_color=theme.rival, line_width=theme.line)
        self.chosen_key.glyph.update(line_color=theme.accent, line_width=theme.line)
        self.plot.legend[0].update(spacing=theme.font, glyph_width=18)


def heights(shown: PlaneFrame) -> Array:
    """Spreads the examples of a class over its band, in their order, so that they do not hide each other."""
    out = np.empty(shown.examples)
    for k in (0, 1):
        mine = np.flatnonzero(shown.kind == k)
        out[mine] = (np.arange(len(mine)) + 0.5) / max(1, len(mine))
    return out


def recolour_points(figure: PointsFigure | DistancesFigure, theme: Theme) -> None:
    """Points, rings of those with slack, and the square around the chosen one."""
    figure.dots.glyph.update(line_color=theme.text, line_width=0.6, size=0.8 * theme.font)
    figure.held.glyph.update(line_color=theme.rival, line_width=0.9 * theme.line, size=1.4 * theme.font)
    figure.chosen.glyph.update(line_color=theme.accent, line_width=1.1 * theme.line, size=1.8 * theme.font)
