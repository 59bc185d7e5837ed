"""One file per view: a frame of plain arrays, a figure that shows it, a sentence that says it. VIEWS is in menu order."""

from explorer.engine.protocols import Problem
from explorer.views.examples import Examples
from explorer.views.labelling import Labelling
from explorer.views.ladder import Ladder
from explorer.views.losses import Losses
from explorer.views.path import Path
from explorer.views.risk_slice import RiskSlice
from explorer.views.sequence import Sequence
from explorer.views.similarity import Similarity
from explorer.views.surface import Surface
from explorer.views.tree_arcs import TreeArcs
from explorer.views.trellis import Trellis
from explorer.views.view import View
from explorer.views.weights import Weights
from explorer.views.working_set import WorkingSetView

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
