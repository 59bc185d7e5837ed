"""The dependency trees of one example, with its controls: which sentence, of which data."""

from typing import Any, ClassVar

import panel as pn

from explorer.views.kit.drawing.pieces import WHOLE, pane
from explorer.views.kit.example_view import ExampleView
from explorer.views.tree_arcs import frame as numbers
from explorer.views.tree_arcs.figure import TreeArcsFigure
from explorer.views.tree_arcs.frame import TreeFrame


class TreeArcs(ExampleView):
    """Dependency trees as arcs."""

    title: ClassVar[str] = "Dependency tree"
    name_key: ClassVar[str] = "tree"
    help: ClassVar[str] = (
        "An arc leads from each word's head to the word, marked at the word's end. Truth and prediction lie "
        "above the words, "
        "the most tempting tree hangs below; hover over an arc for the score of its edge."
    )

    sentence = staticmethod(numbers.sentence)
    table = staticmethod(numbers.table)

    misfit = "This task finds no dependency trees: choose one such as trees in two registers."

    def build(self) -> Any:
        self.picture = TreeArcsFigure()
        self.pictures = (self.picture,)
        self.figures.append(self.picture.plot)
        return pn.Column(self.bar(), pane(self.picture.plot), **WHOLE)

    def read(self, *where: Any) -> TreeFrame:
        return numbers.frame(*where)

    def show(self, shown: TreeFrame) -> None:
        super().show(shown)
        self.picture.show(shown)
