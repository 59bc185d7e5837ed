"""The picture of a program: where all rows hold, which way the objective grows, and how the simplex
method walks.
"""

from typing import Any, ClassVar

import numpy as np
import panel as pn
from bokeh.models import ColumnDataSource, Range1d
from bokeh.plotting import figure

from explorer.labs.programs.state import ProgramLab
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.view import View
from explorer.views.program_plane.frame import HIGH, LOW, ProgramFrame, plane_frame
from explorer.views.program_plane.words import plane_sentence


class ProgramPlane(View[ProgramLab]):
    """A linear program of two variables."""

    title: ClassVar[str] = "A linear program"
    help: ClassVar[str] = (
        "The shaded region satisfies all rows. The simplex method goes along its edges to better corners; "
        "dots are whole numbers, among which branch and bound looks."
    )
    follows: ClassVar[tuple[str, ...]] = ("tick",)

    def build(self) -> Any:
        made = figure(
            sizing_mode="stretch_both", tools="", toolbar_location=None, min_height=300, match_aspect=True
        )
        made.x_range, made.y_range = Range1d(LOW, HIGH), Range1d(LOW, HIGH)
        made.xaxis.axis_label, made.yaxis.axis_label = "x0", "x1"
        names = ("region", "grid", "walk", "level", "relaxed", "whole")
        self.sources = {name: ColumnDataSource({"x": [], "y": []}) for name in names}
        self.region = made.patch("x", "y", source=self.sources["region"], fill_alpha=0.18)
        self.level = made.line("x", "y", source=self.sources["level"], line_dash="dashed")
        self.grid = made.scatter("x", "y", source=self.sources["grid"], size=5)
        self.walk = made.line("x", "y", source=self.sources["walk"], line_width=4)
        self.relaxed = made.scatter("x", "y", source=self.sources["relaxed"], size=14, marker="circle")
        self.whole = made.scatter("x", "y", source=self.sources["whole"], size=14, marker="square")
        self.code = pn.pane.HTML("", sizing_mode="stretch_width", margin=(0, 8))
        self.figures.append(made)
        return pn.Column(
            pn.pane.Bokeh(made, sizing_mode="stretch_both", margin=0), sizing_mode="stretch_both", margin=0
        )

    def frame(self) -> ProgramFrame:
        return plane_frame(self.session)

    def show(self, frame: ProgramFrame) -> None:
        grid = frame.picture.grid if frame.asked_whole else np.zeros((0, 2))
        found = {
            "region": frame.picture.corners,
            "grid": grid,
            "walk": frame.picture.walk if frame.status == "opt" else np.zeros((0, 2)),
            "level": level_line(frame),
            "relaxed": frame.relaxed[None],
            "whole": frame.whole[None],
        }
        for name, points in found.items():
            self.sources[name].data = {"x": points[:, 0], "y": points[:, 1]}

    def recolour(self, theme: Theme) -> None:
        self.region.glyph.update(fill_color=theme.dual, line_color=theme.dual, line_width=theme.line)
        self.level.glyph.update(line_color=theme.muted, line_width=theme.line)
        self.grid.glyph.update(fill_color=theme.neutral, line_color=None)
        self.walk.glyph.update(line_color=theme.primal)
        self.relaxed.glyph.update(fill_color=theme.primal, line_color=theme.background)
        self.whole.glyph.update(fill_color=theme.truth, line_color=theme.background)

    def sentence(self, frame: ProgramFrame) -> str:
        return plane_sentence(frame)

    def table(self, frame: ProgramFrame) -> dict[str, Any]:
        walk = frame.picture.walk
        return {"x0": walk[:, 0], "x1": walk[:, 1], "objective": walk @ frame.slope}


def level_line(frame: ProgramFrame) -> Any:
    """Where the objective has its optimal value."""
    size = float(frame.slope @ frame.slope)
    if not np.isfinite(frame.value) or size == 0.0:
        return np.zeros((0, 2))
    along = np.array([-frame.slope[1], frame.slope[0]]) / np.sqrt(size)
    return frame.relaxed + np.array([[-20.0], [20.0]]) * along
