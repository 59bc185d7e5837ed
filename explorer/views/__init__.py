"""One folder per view: a frame of plain arrays, a figure, a sentence. VIEWS is in menu order."""

from explorer.engine.contracts import Problem
from explorer.views.bounds.view import BoundsView
from explorer.views.depictions import STRUCTURES
from explorer.views.examples.view import Examples
from explorer.views.hyperplane.view import Hyperplane
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.view import View
from explorer.views.loss_curves.view import Losses
from explorer.views.overlap.view import Overlap
from explorer.views.path.view import Path
from explorer.views.positions.view import Positions
from explorer.views.risk_slice.view import RiskSlice
from explorer.views.runs.view import Runs
from explorer.views.scalings.view import Scalings
from explorer.views.sequence.view import Sequence
from explorer.views.surface.view import Surface
from explorer.views.times.view import Times
from explorer.views.trellis.view import Trellis
from explorer.views.weights.view import Weights
from explorer.views.working_set.view import WorkingSetView

ANSWER = "The answer"
GROUPS: dict[str, tuple[type[View], ...]] = {
    ANSWER: (Sequence, Trellis, *(view for view in STRUCTURES if view is not Sequence)),
    "The learning": (BoundsView, Losses, WorkingSetView, Weights, Examples, Overlap, Positions, Times, Runs),
    "The geometry": (RiskSlice, Surface, Hyperplane, Path, Scalings),
}
"""What the views are about: one example's answer, the run, or the space that it moves in."""

RARE: tuple[type[View], ...] = (Overlap, Positions, Times, Scalings)
"""Views whose tabs are shown when somebody asks for more of their group."""

VIEWS: tuple[type[View], ...] = tuple(view for group in GROUPS.values() for view in group)


def structure_of(problem: Problem) -> type[View]:
    """The picture of one example of a problem; the table of all examples where there is none."""
    return next(
        (view for view in depiction_of(problem).views if view in STRUCTURES and view.fits(problem)), Examples
    )


__all__ = ["ANSWER", "GROUPS", "RARE", "STRUCTURES", "VIEWS", "View", "structure_of"]
