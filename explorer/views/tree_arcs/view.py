"""The dependency trees of one example, with its controls: which sentence, of which data."""

from typing import Any, ClassVar

import panel as pn

from explorer.engine.contracts import Problem
from explorer.engine.refusals import Refused
from explorer.views.kit.chooser import Chooser
from explorer.views.kit.drawing import WHOLE, pane
from explorer.views.kit.theme import Theme
from explorer.views.kit.view import View
from explorer.views.tree_arcs import frame as numbers
from explorer.views.tree_arcs.figure import TreeArcsFigure
from explorer.views.tree_arcs.frame import Frame


class TreeArcs(View):
    """Dependency trees as arcs."""

    title: ClassVar[str] = "Dependency tree"
    name_key: ClassVar[str] = "tree"
    help: ClassVar[str] = (
        "An arc leads from each word's head to the word, marked at the word's end. Truth and prediction lie above the words, "
        "the most violated tree hangs below; hover over an arc for the score of its edge."
    )

    sentence = staticmethod(numbers.sentence)
    table = staticmethod(numbers.table)

    @classmethod
    def fits(cls, problem: Problem) -> bool:
        return numbers.fits(problem)

    def build(self) -> Any:
        self.picture = TreeArcsFigure()
        self.figures.append(self.picture.plot)
        return pn.Column(self._controls(), pane(self.picture.plot), **WHOLE)

    def _controls(self) -> Any:
        self.chooser = Chooser(self.session)
        parts = [
            *self.chooser.parts,
        ]
        return pn.FlexBox(*parts, align_items="center", sizing_mode="stretch_width", margin=(0, 4))

    def frame(self) -> Frame:
        session = self.session
        name = "Example" if session.shown is session.problem else "Test example"
        try:
            shown = numbers.frame(session.shown, session.trace, session.cursor, session.example, name)
        except Refused:
            self.body.visible = False
            raise
        self.body.visible = True
        return shown

    def show(self, shown: Frame) -> None:
        self.picture.show(shown)
        self.chooser.show(shown.examples, shown.example)

    def recolour(self, theme: Theme) -> None:
        self.picture.recolour(theme)
