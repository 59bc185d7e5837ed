"""The field with one step of an oracle; a click on a node looks at its messages or arcs alone."""

from typing import Any, ClassVar

import numpy as np

from explorer.labs.fields.state import FieldLab
from explorer.labs.film import step_sentence
from explorer.views.field_lab import words
from explorer.views.field_lab.figure import FieldFigure
from explorer.views.field_lab.scene import FieldScene
from explorer.views.kit.drawing.pieces import pane
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.messages import Soon
from explorer.views.kit.view import View

REACH = 22
"""Pixels from a node's middle within which a click means it."""


class FieldPicture(View[FieldLab]):
    """One step, drawn on the field."""

    title: ClassVar[str] = "Step by step"
    name_key: ClassVar[str] = "steps"
    help: ClassVar[str] = (
        "The field as a graph: fill and letter are the state, the width of an edge is how much its ends care "
        "for each other, solid if alike is better, dashed if different is. A cross: not as in the best "
        "labelling. Beside a node: its number, and its belief's lead, or what is left of its tie to the "
        "source (s) or sink (t). Click a node to see it alone."
    )
    follows = ("tick", "step", "picked")
    urgent = True

    def build(self) -> Any:
        self.picture = FieldFigure(Soon(self.refresh, 60))
        self.figures.append(self.picture.plot)
        self.on_tap(self.picture.plot, self._tapped)
        return pane(self.picture.plot, least=180)

    def frame(self) -> FieldScene:
        return FieldScene(self.session.case, self.session.compared, self.session.now, self.session.picked)

    def show(self, frame: FieldScene) -> None:
        self.picture.show(frame)

    def sentence(self, frame: FieldScene) -> str:
        return step_sentence(self.session.film, self.session.at)

    def table(self, frame: FieldScene) -> dict[str, Any]:
        return words.step_table(frame.step, frame.picked)

    def recolour(self, theme: Theme) -> None:
        self.picture.recolour(theme)
        self.refresh()

    def _tapped(self, x: float, y: float) -> None:
        """Look at the node under a click; elsewhere, or the same one again, at all of them."""
        away = np.hypot(*((self.frame().place - (x, y)) * self.picture.scale).T)
        node = int(np.argmin(away))
        near = away[node] < max(REACH, self.picture.size)
        self.session.picked = node if near and node != self.session.picked else None
