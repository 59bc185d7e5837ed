"""One file per view: a frame of plain arrays, a figure that shows it, a sentence that says it. VIEWS is in menu order."""

from explorer.engine.contracts import Problem
from explorer.views.examples.view import Examples
from explorer.views.kit.view import View
from explorer.views.labelling.view import Labelling
from explorer.views.ladder.view import Ladder
from explorer.views.loss_curves.view import Losses
from explorer.views.path.view import Path
from explorer.views.risk_slice.view import RiskSlice
from explorer.views.sequence.view import Sequence
from explorer.views.similarity.view import Similarity
from explorer.views.surface.view import Surface
from explorer.views.tree_arcs.view import TreeArcs
from explorer.views.trellis.view import Trellis
from explorer.views.weights.view import Weights
from explorer.views.working_set.view import WorkingSetView

STRUCTURES: tuple[type[View], ...] = (Trellis, Labelling, Similarity, TreeArcs, Ladder)
"""Pictures of one example's labelling: a page has the one that fits its problem."""

VIEWS: tuple[type[View], ...] = (
    WorkingSetView,
    *STRUCTURES,
    Sequence,
    Losses,
    RiskSlice,
    Weights,
    Examples,
    Surface,
    Path,
)


def structure_of(problem: Problem) -> type[View]:
    """The structure view that fits a problem; the first one, which says why it does not, where none does."""
    return next((view for view in STRUCTURES if view.fits(problem)), STRUCTURES[0])


__all__ = ["STRUCTURES", "VIEWS", "View", "structure_of"]
