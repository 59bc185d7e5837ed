"""One step of a clusterer, drawn on the items; points of the plane can be moved, added and deleted."""

from typing import Any, ClassVar

from explorer.labs.clusterings.instance import SIZES
from explorer.labs.clusterings.state import ClusterLab
from explorer.labs.film import step_sentence
from explorer.views.cluster_lab.figure import ClusterFigure
from explorer.views.cluster_lab.scene import ClusterScene, ring
from explorer.views.kit.drawing.pieces import pane
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.messages import Soon
from explorer.views.kit.view import View


class ClusterPicture(View[ClusterLab]):
    """One step, drawn."""

    title: ClassVar[str] = "Step by step"
    name_key: ClassVar[str] = "cluster-steps"
    help: ClassVar[str] = (
        "Items in their clusters of this step: colour and edges join what is together, single items are "
        "pale, a ring marks what the step changed. Of relaxed answers the edges are shares, dashed where "
        "fractional, and areas are triangles that the shares break. Drawn points: drag them, click to add "
        "one, select one and press Backspace to delete it."
    )
    follows = ("tick", "step")
    urgent = True

    def build(self) -> Any:
        self.picture = ClusterFigure(Soon(self.refresh, 60))
        self.figures.append(self.picture.plot)
        self.picture.sources["handles"].on_change("data", self._dragged)
        return pane(self.picture.plot, least=150)

    def frame(self) -> ClusterScene:
        lab = self.session
        place = lab.case.place if lab.drawing else ring(lab.film.steps[-1].labels)
        return ClusterScene(lab.now, lab.case.names, place, lab.case.truth, lab.drawing)

    def show(self, frame: ClusterScene) -> None:
        self.picture.show(frame)

    def sentence(self, frame: ClusterScene) -> str:
        return step_sentence(self.session.film, self.session.at)

    def table(self, frame: ClusterScene) -> dict[str, Any]:
        changed = set(frame.step.changed.tolist())
        return {
            "item": list(frame.names),
            "cluster": (frame.step.labels + 1).tolist(),
            "true cluster": (frame.truth + 1).tolist(),
            "changed": ["yes" if u in changed else "" for u in range(len(frame.names))],
        }

    def recolour(self, theme: Theme) -> None:
        self.picture.recolour(theme)
        self.refresh()

    def _dragged(self, attr: str, old: Any, new: Any) -> None:
        """The browser moved, added or took away a point."""
        points = tuple(
            (min(max(float(x), 0.0), 1.0), min(max(float(y), 0.0), 1.0))
            for x, y in zip(new["x"], new["y"], strict=True)
        )
        if not self.session.drawing or points == self.session.choice.points:
            return
        if len(points) < SIZES[0]:
            self.refresh()
        else:
            self.session.draw(points)
