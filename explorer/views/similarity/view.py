"""The learned similarity of one example's items, ordered by a clustering, with its controls.

Pointing at a cell tells what makes its pair alike; a click pins an item in all pictures. Nothing of that
reaches the run.
"""

from typing import Any, ClassVar

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param

from explorer.views.kit.controls.inputs import INPUT
from explorer.views.kit.drawing.pieces import WHOLE, pane
from explorer.views.kit.example_view import ExampleView
from explorer.views.kit.memory import Memory
from explorer.views.similarity import frame as numbers
from explorer.views.similarity import shapes, words
from explorer.views.similarity.figures import AgreementFigure, MapFigure, TreeFigure
from explorer.views.similarity.frame import ORDERS, SimilarityFrame
from explorer.views.similarity.matrix import MatrixFigure

AGREEMENT, LOSS, BEFORE, MAP, TREE = BESIDE = ("agreement", "with the loss", "before", "map", "tree")
"""What can stand beside the matrix."""

SLOW = 5.0
"""Steps per second up to which items are seen moving while training goes on."""

PANEL = """
:host { overflow-y: auto }
p { margin: 1px 0; font-size: var(--type-small, 14px); line-height: 1.25 }
"""


class Similarity(ExampleView):
    """The similarity matrix and what is made of it."""

    title: ClassVar[str] = "Similarity"
    name_key: ClassVar[str] = "similarity"
    help: ClassVar[str] = (
        "How alike each pair of items is under the learned weights: red together, blue apart. Outlines are "
        "clusters, "
        "the strip with letters the truth. Point at a cell to see why, click to pin an item."
    )

    by = param.Selector(
        objects=list(ORDERS), label="Ordered by", doc="The clustering that orders the matrix."
    )
    beside = param.Selector(
        default=MAP, objects=list(BESIDE), label="Beside", doc="What stands beside the matrix."
    )
    pinned = param.Parameter(None, doc="The item that is marked in all pictures.")
    pair = param.Parameter(None, doc="The pair that is pointed at.")

    linked = ("by", "beside")
    redraws = ("by", "beside", "pinned")
    fresh: ClassVar[dict[str, Any]] = {"pinned": None, "pair": None}
    misfit = "This task clusters nothing: choose one of the clustering tasks to see a similarity."
    sentence = staticmethod(words.sentence)
    table = staticmethod(words.table)

    # building -----------------------------------------------------------------------------------------------

    def build(self) -> Any:
        self._memory = Memory(numbers.REMEMBERED, numbers.nbytes)
        self._shapes = Memory(2)
        self.main, self.other = MatrixFigure(self.refresh, moves=True), MatrixFigure(self.refresh)
        beside = (AgreementFigure, MapFigure, TreeFigure)
        self.agreement, self.map, self.tree = (figure(self.refresh) for figure in beside)
        self.pictures = (self.main, self.other, self.agreement, self.map, self.tree)
        self.figures += [picture.plot for picture in self.pictures]
        self._listen()
        common = {"sizing_mode": "stretch_width", "margin": (0, 6), "stylesheets": [PANEL]}
        # Of fixed height: a figure that has its size does not give way to text that grows.
        self.about = pn.pane.HTML("", height=88, **common)
        side = pn.Column(*(pane(picture.plot, 110) for picture in self.pictures[1:]), self.about, **WHOLE)
        by = pmui.Select.from_param(self.param.by, width=160, **INPUT)
        chosen = pmui.Select.from_param(self.param.beside, width=150, **INPUT)
        return pn.Column(self.bar(by, chosen), pn.Row(pane(self.main.plot), side, **WHOLE), **WHOLE)

    def _listen(self) -> None:
        for picture in (self.main, self.other):
            self.on_tap(picture.plot, lambda x, y: self._pin(self._item_at(y)))
        self.on_tap(self.map.plot, lambda x, y: self._pin(self.map.nearest(x, y)))
        self.on_tap(self.tree.plot, lambda x, y: self._pin(self.tree.nearest(x)))
        self.main.asked.on_change("data", self._pointed)

    # acting -------------------------------------------------------------------------------------------------

    def _item_at(self, position: float) -> int | None:
        """The item of a row."""
        inside = self.shown is not None and 0 <= position < len(self.shown)
        return int(self.shown.order.items[int(position)]) if inside else None

    def _pin(self, item: int | None) -> None:
        if item is not None:
            self.pinned = None if self.pinned == item else item

    def _pointed(self, attr: str, old: Any, new: Any) -> None:
        """The pointer rests on a cell, or has left the matrix."""
        rows, columns = new["row"], new["column"]
        found = (self._item_at(rows[0]), self._item_at(columns[0])) if len(rows) else (None, None)
        self.pair = None if None in found else found
        if self.shown is not None:
            self._tell(self.shown)

    # showing ------------------------------------------------------------------------------------------------

    @property
    def _animated(self) -> bool:
        """Whether items are seen moving: at rest, and while training is slow enough to follow."""
        return self.session.status != "running" or 0.0 < self.session.speed <= SLOW

    def read(self, *where: Any) -> SimilarityFrame:
        return numbers.frame(*where, by=self.by, phase=self.session.phase, memory=self._memory)

    def show(self, shown: SimilarityFrame) -> None:
        super().show(shown)
        title = "similarity" if shown.shown.shares is None else "shares (relaxed)"
        self.main.show(shown, shown.matrix, title, self.pinned, self._animated)
        self._show_beside(shown)
        self._tell(shown)

    def _show_beside(self, shown: SimilarityFrame) -> None:
        """Fill the one figure beside the matrix that is seen."""
        matrix, title = self._second(shown)
        seen = {AGREEMENT: self.agreement, MAP: self.map, TREE: self.tree}.get(self.beside, self.other)
        seen = self.agreement if seen is self.other and matrix is None else seen
        for picture in self.pictures[1:]:
            picture.plot.visible = picture is seen
        if seen is self.other:
            self.other.show(shown, matrix, title, self.pinned)
        elif seen is self.agreement:
            self.agreement.show(shown)
        elif seen is self.map:
            spots = self._shape(shown, MAP, lambda: shapes.places(shown))
            self.map.show(
                shown, spots, "places" if shapes.is_given(shown) else "two eigenvectors of K", self.pinned
            )
        else:
            self.tree.show(shown, self._shape(shown, (TREE, shown.shown.count), lambda: shapes.tree(shown)))

    def _shape(self, shown: SimilarityFrame, what: Any, make: Any) -> Any:
        """A map or tree of this similarity, made once."""
        return self._shapes.of(shown.K).get(what, make)

    def _second(self, shown: SimilarityFrame) -> tuple[Any, str]:
        """The other matrix and what it is."""
        if self.beside == LOSS:
            found = self._shape(shown, LOSS, lambda: numbers.with_loss(shown))
            if found is None:
                return None, ""
            largest = float(np.abs(found[1]).max(initial=0.0))
            return found[0], f"similarity and loss (up to ±{largest:.3g} a pair)"
        if self.beside == BEFORE:
            found = self._shape(shown, BEFORE, lambda: numbers.earlier(shown, self.session.trace))
            return (found[1], f"similarity at step {found[0]}") if found else (None, "")
        return None, ""

    def _tell(self, shown: SimilarityFrame) -> None:
        """What is pointed at and pinned, in words; and why a second matrix is missing."""
        text = words.panel(shown, self.pinned, self.pair)
        if self.beside in (LOSS, BEFORE) and not self.other.plot.visible:
            why = (
                "This loss does not fold into the similarity"
                if self.beside == LOSS
                else "There is no earlier step"
            )
            text = f"<p>{why}: the agreement is shown instead.</p>{text}"
        if self.about.object != text:
            self.about.object = text
