"""The arcs of three trees over one sentence: truth and prediction above, most tempting tree below.

Each tree has a colour, a dash and a marker at its dependents; where the prediction is right its arc lies on
the truth's.
"""

from typing import Any

import numpy as np
from bokeh.models import HoverTool

from explorer.views.kit.drawing.pieces import fill, legend, plot, source
from explorer.views.kit.drawing.roles import ROLE_LOOK, ROLES
from explorer.views.kit.drawing.theme import LIGHT, Theme
from explorer.views.tree_arcs import frame as numbers
from explorer.views.tree_arcs.frame import TreeFrame

WIDE = {"truth": 3.2, "guess": 1.0, "most tempting": 1.0}
"""How much wider than others a tree's lines are: the truth shows beside a dash that lies on it."""


class TreeArcsFigure:
    """One figure, filled from a frame."""

    def __init__(self) -> None:
        self.theme = LIGHT
        self.arcs = {role: source("xs ys head word score whose") for role in ROLES}
        self.ends = {role: source("x y") for role in ROLES}
        self.names = source("x y text style")
        self.glyphs: dict[str, Any] = {}
        self.plot = self._figure()

    def _figure(self) -> Any:
        drawn = plot(min_border=2, min_height=150)
        drawn.axis.visible = drawn.grid.visible = False
        for role in ROLES:
            _, dash, marker = ROLE_LOOK[role]
            line = drawn.multi_line("xs", "ys", line_dash=dash, source=self.arcs[role])
            end = drawn.scatter("x", "y", marker=marker, size=6, source=self.ends[role])
            self.glyphs[role], self.glyphs[f"{role} ends"] = line, end
        self.glyphs["names"] = drawn.text(
            "x", "y", "text", anchor="center", text_font_style="style", source=self.names
        )
        tips = [("edge", "@head > @word"), ("of the", "@whose"), ("score", "@score{0.0000}")]
        drawn.add_tools(HoverTool(renderers=[self.glyphs[role] for role in ROLES], tooltips=tips))
        legend(
            drawn, {role: [self.glyphs[role], self.glyphs[f"{role} ends"]] for role in ROLES}, glyph_width=36
        )
        return drawn

    def show(self, shown: TreeFrame) -> None:
        """Put a frame into the sources."""
        highest = 1.0
        for role in ROLES:
            xs, ys = numbers.arcs(shown, role)
            heads = shown.heads[role]
            score = shown.scores[heads, np.arange(len(shown))]
            named = [shown.nodes[h] for h in heads.tolist()]
            fill(self.arcs[role], xs, ys, named, list(shown.words), score.tolist(), [role] * len(shown))
            fill(self.ends[role], [x[-1] for x in xs], [y[-1] for y in ys])
            highest = max(highest, *(float(np.max(np.abs(y))) for y in ys))
        at = list(range(len(shown) + 1))
        fill(self.names, at, [0.0] * len(at), list(shown.nodes), ["italic", *["normal"] * len(shown)])
        self.plot.x_range.update(start=-0.6, end=len(shown) + 0.6)
        self.plot.y_range.update(start=-highest - 0.2, end=highest + 0.2)

    def recolour(self, theme: Theme) -> None:
        """Dress the glyphs in the theme's colours."""
        self.theme = theme
        for role in ROLES:
            colour = getattr(theme, ROLE_LOOK[role][0])
            pale = 0.45 if role == "truth" else 1.0
            self.glyphs[role].glyph.update(
                line_color=colour, line_width=theme.line * WIDE[role], line_alpha=pale
            )
            self.glyphs[f"{role} ends"].glyph.update(fill_color=colour, line_color=colour)
        self.glyphs["names"].glyph.update(text_color=theme.text, text_font_size=f"{theme.font}px")
