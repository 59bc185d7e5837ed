"""One folder per view: a frame of plain arrays, a figure, a sentence. VIEWS is in menu order."""

from explorer.engine.contracts import Problem
from explorer.views.depictions import BESIDE, STRUCTURES
from explorer.views.examples.view import Examples
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.view import View
from explorer.views.loss_curves.view import Losses
from explorer.views.path.view import Path
from explorer.views.risk_slice.view import RiskSlice
from explorer.views.surface.view import Surface
from explorer.views.weights.view import Weights
from explorer.views.working_set.view import WorkingSetView

VIEWS: tuple[type[View], ...] = (
    WorkingSetView,
    *STRUCTURES,
    *BESIDE,
    Losses,
    RiskSlice,
    Weights,
    Examples,
    Surface,
    Path,
)


def structure_of(problem: Problem) -> type[View]:
    """The picture of one example of a problem; the table of all examples where there is none."""
    return next(
        (view for view in depiction_of(problem).views if view in STRUCTURES and view.fits(problem)), Examples
    )


__all__ = ["STRUCTURES", "VIEWS", "View", "structure_of"]
