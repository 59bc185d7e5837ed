"""The hyperplane between two classes: which example, the plane among the points, and all signed distances."""

from typing import Any, ClassVar

import panel as pn

from explorer.views.hyperplane import frame as numbers
from explorer.views.hyperplane import words
from explorer.views.hyperplane.figure import DistancesFigure, PointsFigure
from explorer.views.hyperplane.frame import PlaneFrame
from explorer.views.kit.drawing.pieces import WHOLE, pane
from explorer.views.kit.example_view import ExampleView


class Hyperplane(ExampleView):
    """The plane between two classes."""

    title: ClassVar[str] = "Hyperplane"
    name_key: ClassVar[str] = "hyperplane"
    help: ClassVar[str] = (
        "The plane between two classes, where the score w·x + b is 0, and dashed where it is -1 and +1: the "
        "margin, 1/|w| to each side. An example's signed distance is its score over |w|. Those with slack "
        "are ringed: inside the margin, or beyond the plane. Click an example to look at it."
    )

    misfit = numbers.ONE_PLANE
    sentence = staticmethod(words.sentence)
    table = staticmethod(words.table)

    def build(self) -> Any:
        self.points, self.distances = self.pictures = (
            PointsFigure(self.refresh),
            DistancesFigure(self.refresh),
        )
        self.figures += [self.points.plot, self.distances.plot]
        self.on_tap(self.points.plot, self._tap_point)
        self.on_tap(self.distances.plot, self._tap_distance)
        self.beside = pn.Column(pane(self.points.plot), **WHOLE, styles={"flex": "2 1 0"})
        along = pn.Column(pane(self.distances.plot), **WHOLE, styles={"flex": "3 1 0"})
        return pn.Column(self.bar(), pn.Row(self.beside, along, **WHOLE), **WHOLE)

    def _tap_point(self, x: float, y: float) -> None:
        if self.shown is not None and self.shown.points is not None:
            self.chooser.choose(self.points.nearest(self.shown, x, y))

    def _tap_distance(self, x: float, y: float) -> None:
        found = self.distances.nearest(x, y)
        if found is not None:
            self.chooser.choose(found)

    def read(self, *where: Any) -> PlaneFrame:
        return numbers.frame(*where)

    def show(self, shown: PlaneFrame) -> None:
        super().show(shown)
        self.beside.visible = shown.points is not None
        if shown.points is not None:
            self.points.show(shown)
        self.distances.show(shown)
