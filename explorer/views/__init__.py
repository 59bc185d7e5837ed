"""One file per view: a frame of plain arrays, a figure that shows it, a sentence that says it. VIEWS is in menu order."""

from explorer.views.examples import Examples
from explorer.views.path import Path
from explorer.views.risk_slice import RiskSlice
from explorer.views.surface import Surface
from explorer.views.trellis import Trellis
from explorer.views.view import View
from explorer.views.weights import Weights
from explorer.views.working_set import WorkingSetView

VIEWS: tuple[type[View], ...] = (WorkingSetView, Trellis, RiskSlice, Weights, Examples, Surface, Path)

__all__ = ["VIEWS", "View"]
