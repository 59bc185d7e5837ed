"""A picture of scored cells and the outlines of three boxes, each with a colour, dash and marked corner."""

from typing import Any

import numpy as np
from bokeh.models import HoverTool, LinearColorMapper

from explorer.views.box_picture.frame import BoxFrame
from explorer.views.kit.drawing.pieces import fill, legend, plot, ramp, source
from explorer.views.kit.drawing.roles import ROLE_LOOK, ROLES
from explorer.views.kit.drawing.room import Room
from explorer.views.kit.drawing.theme import LIGHT, Theme

WIDE = {"truth": 3.0, "guess": 1.8, "most tempting": 1.8}
APART = {"truth": 0.0, "guess": 0.12, "most tempting": 0.24}
"""Cells by which outlines are drawn inwards, so that equal boxes can be told apart."""


class BoxPictureFigure:
    """One figure, filled from a frame."""

    def __init__(self) -> None:
        self.theme = LIGHT
        self.cells = source("image x y dw dh")
        self.points = source("x y word score")
        self.outlines = {role: source("left right bottom top") for role in ROLES}
        self.corners = {role: source("x y") for role in ROLES}
        self.mapper = LinearColorMapper(palette=["#888888"], low=-1.0, high=1.0)
        self.glyphs: dict[str, Any] = {}
        self.plot = self._figure()
        self.sides = (1, 1)
        self.room = Room(self.plot, 900, 330, self._keep_square)

    def _keep_square(self) -> None:
        """Cells are squares: the side with more room than the picture needs is left empty at its ends."""
        rows, columns = self.sides
        wide, high = self.room.wide, self.room.high
        across = max(columns + 1.0, (rows + 1.0) * wide / high)
        down = max(rows + 1.0, (columns + 1.0) * high / wide)
        self.plot.x_range.update(start=(columns - across) / 2, end=(columns + across) / 2)
        self.plot.y_range.update(start=(rows - down) / 2, end=(rows + down) / 2)

    def _figure(self) -> Any:
        drawn = plot(min_border=2, min_height=150)
        drawn.axis.visible = drawn.grid.visible = False
        drawn.image("image", "x", "y", "dw", "dh", color_mapper=self.mapper, source=self.cells)
        dots = drawn.rect("x", "y", 1, 1, fill_alpha=0.0, line_alpha=0.0, source=self.points)
        for role in ROLES:
            _, dash, marker = ROLE_LOOK[role]
            box = drawn.quad(
                "left", "right", "bottom", "top", fill_alpha=0.0, line_dash=dash, source=self.outlines[role]
            )
            corner = drawn.scatter("x", "y", marker=marker, size=9, source=self.corners[role])
            self.glyphs[role], self.glyphs[f"{role} corner"] = box, corner
        drawn.add_tools(
            HoverTool(renderers=[dots], tooltips=[("cell", "@word"), ("score", "@score{0.0000}")])
        )
        legend(
            drawn,
            {role: [self.glyphs[role], self.glyphs[f"{role} corner"]] for role in ROLES},
            glyph_width=36,
        )
        return drawn

    def show(self, shown: BoxFrame) -> None:
        """Put a frame into the sources; row 0 is the topmost."""
        rows, columns = shown.picture.shape
        most = max(float(np.abs(shown.cells).max()), 1e-12)
        self.mapper.update(low=-most, high=most)
        fill(self.cells, [shown.cells[::-1].copy()], [0], [0], [columns], [rows])
        y, x = np.divmod(np.arange(rows * columns), columns)
        words = [shown.words[v] for v in shown.picture.ravel().tolist()]
        fill(self.points, (x + 0.5).tolist(), (rows - y - 0.5).tolist(), words, shown.cells.ravel().tolist())
        for role in ROLES:
            x0, y0, x1, y1 = shown.boxes[role].tolist()
            near = APART[role]
            fill(self.outlines[role], [x0 + near], [x1 - near], [rows - y1 + near], [rows - y0 - near])
            fill(self.corners[role], [x0 + near], [rows - y0 - near])
        self.sides = (rows, columns)
        self._keep_square()

    def recolour(self, theme: Theme) -> None:
        """Dress the glyphs in the theme's colours."""
        self.theme = theme
        self.mapper.palette = ramp(theme.low, theme.background, theme.high)
        for role in ROLES:
            colour = getattr(theme, ROLE_LOOK[role][0])
            self.glyphs[role].glyph.update(line_color=colour, line_width=theme.line * WIDE[role])
            self.glyphs[f"{role} corner"].glyph.update(fill_color=colour, line_color=colour)
