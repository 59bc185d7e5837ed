"""A study, drawn: one figure for each panel of its plot, with the sentence that says what it shows.

The plot is declared by the study; this view knows no study by name. While rows arrive only sources change; a
panel that appears gets its figure then.
"""

import math
from collections.abc import Sequence
from html import escape
from typing import Any, ClassVar

import panel as pn
import param

from explorer.session.study_store import Result
from explorer.studies.support.study import Row, Study
from explorer.views.kit.drawing.pieces import WHOLE, pane
from explorer.views.kit.drawing.theme import LIGHT, Theme
from explorer.views.kit.sheet import NumbersSheet
from explorer.views.kit.tables import TEXT
from explorer.views.study.blocks import BarPicture, HeatPicture
from explorer.views.study.frame import StudyFrame, frame
from explorer.views.study.lines import LinePicture
from explorer.views.study.words import sentence

KINDS = {"lines": LinePicture, "curves": LinePicture, "bars": BarPicture, "heat": HeatPicture}
ABREAST = {"heat": 2}
"""Panels beside each other, where it is not three."""

HELP = {
    "lines": "Our points are filled; what was published is hollow, on a dotted line.",
    "curves": "Every series sorted by itself, so a curve that stays low longer is better where small is "
    "good.",
    "bars": "Bars are ours, each with its number; what was published is a hollow diamond.",
    "heat": "In every cell our number, and the published one in brackets. The stronger the colour, the "
    "larger ours.",
}


class StudyPicture(pn.viewable.Viewer):
    """The figures of one study."""

    title: ClassVar[str] = "Picture"

    theme = param.Parameter(LIGHT)
    table_open = param.Boolean(False, doc="Whether the rows behind the picture are shown.")

    def __init__(self, study: Study, **params: Any) -> None:
        super().__init__(**params)
        self.kind, self.name_key = study.plot.kind, study.name
        self.help = HELP[self.kind] + (
            f" Beside every point stands its {study.plot.along}." if study.plot.along else ""
        )
        self.pictures: list[Any] = []
        self.panes: list[Any] = []
        self.rows: Sequence[Row] = ()
        self.box = pn.Column(**WHOLE)
        common = {"sizing_mode": "stretch_width", "margin": (0, 8), "stylesheets": [TEXT]}
        self.words = pn.pane.HTML("", css_classes=["view-sentence"], **common)
        self.numbers = NumbersSheet()
        self.param.watch(lambda *_: self.recolour(self.theme), "theme")
        self.param.watch(lambda *_: self._list(), "table_open")
        self._grow(study, frame(study, (), ()))

    @property
    def figures(self) -> list[Any]:
        """The Bokeh figures, first panel first."""
        return [picture.figure for picture in self.pictures]

    def show(self, result: Result, whole: bool) -> None:
        """Draw the rows so far; `whole` when no more will come."""
        study, self.rows = result.study, result.rows
        now = frame(study, result.rows, result.table)
        self._grow(study, now)
        for picture, panel in zip(self.pictures, now.panels, strict=False):
            picture.show(panel, now, self.theme)
        words = sentence(study, result.rows, result.findings, whole)
        said = f"<p role='status' aria-live='polite'>{escape(words)}</p>"
        if self.words.object != said:
            self.words.object = said
        self._list()

    def _grow(self, study: Study, now: StudyFrame) -> None:
        """A figure for every panel; those that are left over stay empty and hidden."""
        missing = len(now.panels) - len(self.pictures)
        self.pictures += [KINDS[self.kind](study.plot) for _ in range(missing)]
        for k, picture in enumerate(self.pictures):
            picture.figure.visible = k < len(now.panels)
        if missing > 0:
            self.recolour(self.theme)
            self._place()

    def _place(self) -> None:
        """Figures in rows of equal height; those that are there stay in their panes, which the browser
        knows.
        """
        wide = ABREAST.get(self.kind, 3)
        self.panes += [pane(picture.figure, 200) for picture in self.pictures[len(self.panes) :]]
        gaps = [pn.Spacer(**WHOLE) for _ in range(-len(self.panes) % wide if len(self.panes) > wide else 0)]
        rows = [[*self.panes, *gaps][a : a + wide] for a in range(0, len(self.panes), wide)]
        for row, filled in zip(self.box, rows, strict=False):
            if list(row) != filled:
                row[:] = filled
        self.box.extend(pn.Row(*filled, **WHOLE) for filled in rows[len(self.box) :])

    def _list(self) -> None:
        """The rows behind the picture, when they are asked for."""
        if not self.table_open:
            self.numbers.hide()
        else:
            names = list(dict.fromkeys(name for found in self.rows for name in found))
            columns = {name: [found.get(name, math.nan) for found in self.rows] for name in names}
            self.numbers.show(columns, "Rows")

    def recolour(self, theme: Theme) -> None:
        """Dress all figures in a theme."""
        self.numbers.recolour(theme)
        for picture in self.pictures:
            picture.recolour(theme)

    def close(self) -> None:
        """Nothing is listened to."""

    def __panel__(self) -> Any:
        return pn.Column(self.words, self.numbers.over(self.box), sizing_mode="stretch_both", margin=0)


__all__ = ["StudyPicture"]
