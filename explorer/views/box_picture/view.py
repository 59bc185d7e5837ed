"""The picture of one example with its boxes, and its controls: which picture, of which data."""

from typing import Any, ClassVar

import panel as pn

from explorer.views.box_picture import frame as numbers
from explorer.views.box_picture.figure import BoxPictureFigure
from explorer.views.box_picture.frame import BoxFrame
from explorer.views.kit.drawing.pieces import WHOLE, pane
from explorer.views.kit.example_view import ExampleView


class BoxPicture(ExampleView):
    """Boxes in a picture."""

    title: ClassVar[str] = "Picture"
    name_key: ClassVar[str] = "picture"
    help: ClassVar[str] = (
        "Every cell has the colour of its score. The score of a box is the sum of its cells: the guess is "
        "the box with the largest score, the most tempting one also counts how little it overlaps the truth."
    )

    sentence = staticmethod(numbers.sentence)
    table = staticmethod(numbers.table)

    misfit = "This task finds no boxes in pictures: choose one such as find the animal."

    def build(self) -> Any:
        self.picture = BoxPictureFigure()
        self.pictures = (self.picture,)
        self.figures.append(self.picture.plot)
        return pn.Column(self.bar(), pane(self.picture.plot), **WHOLE)

    def read(self, *where: Any) -> BoxFrame:
        return numbers.frame(*where)

    def show(self, shown: BoxFrame) -> None:
        super().show(shown)
        self.picture.show(shown)
