"""The hyperplane between two classes as numbers: how far every example lies from it, and on which side.

    plane  normal . x + offset = 0,   distance(x) = (normal . x + offset) / |normal|,   margin = 1 / |normal|

Distances are positive on the side of the class +1. The margin is the distance at which a score is -1 or +1,
where the slack begins under a loss of 1. Inputs with two features are points, and the plane is a line between
them. Iglesias 2013, section 2.1.1. Cost: one oracle pass.
"""

import math
from dataclasses import dataclass

import numpy as np

from explorer.engine.contracts import Problem, TwoSided
from explorer.engine.objective import HARD, slacks, sweep
from explorer.engine.refusals import Refused
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.classes.binary import signed_distance
from explorer.engine.vectors import Array, Ints
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.drawing.thinning import dense

ONE_PLANE = "Only two classes have one plane between them: choose a task such as two-gaussians."
STATES = ("no slack", "inside the margin", "beyond the plane")
Line = tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True, slots=True, eq=False)
class PlaneFrame:
    """The plane of one step, the distances of all examples, and one example that is looked at.

    `points` are the inputs where they have two features. Without weights there is no plane, and all distances
    are NaN.
    """

    step: int | None
    w_at: int
    name: str
    example: int
    classes: tuple[str, ...]
    kind: Ints
    normal: Array
    offset: float
    distance: Array
    slack: Array
    points: Array | None

    @property
    def examples(self) -> int:
        """How many there are."""
        return len(self.kind)

    @property
    def margin(self) -> float:
        """How far from the plane a score is 1; NaN without a plane."""
        length = float(np.linalg.norm(self.normal))
        return 1.0 / length if length > 0.0 else math.nan

    @property
    def own(self) -> Array:
        """How far every example lies on its own side: negative beyond the plane."""
        return (2 * self.kind - 1) * self.distance

    @property
    def states(self) -> Ints:
        """Which of the three states every example is in."""
        return np.where(self.own <= 0.0, 2, np.where(self.slack > HARD, 1, 0))

    @property
    def foot(self) -> Array | None:
        """The point of the plane that is nearest to the example; None where that cannot be drawn."""
        if self.points is None or math.isnan(self.margin):
            return None
        shift = self.distance[self.example] * self.normal * self.margin
        return np.asarray(self.points[self.example] - shift)


def frame(problem: Problem, trace: Trace, at: int, example: int = 0, name: str = "Example") -> PlaneFrame:
    """The plane at step `at`, or none before the first."""
    if not isinstance(problem, TwoSided):
        raise Refused(ONE_PLANE)
    moment = trace.at(min(at, len(trace) - 1)) if len(trace) else None
    w = np.zeros(problem.dim) if moment is None else moment.w
    step, w_at = (None, -1) if moment is None else (moment.at, moment.w_at)
    normal, offset = problem.plane(w)
    x = dense(problem.dataset.inputs)
    far = np.full(problem.n, math.nan)
    if np.any(normal):
        far = np.array([signed_distance(normal, offset, row) for row in x])
    return PlaneFrame(
        step,
        w_at,
        name,
        min(max(0, example), problem.n - 1),
        depiction_of(problem).states(problem),
        np.asarray(problem.dataset.labels),
        normal,
        offset,
        far,
        slacks(problem, sweep(problem, w)),
        x if x.shape[1] == 2 else None,
    )


def level(shown: PlaneFrame, score: float, middle: Array, reach: float) -> Line | None:
    """The line on which normal . x + offset = score, `reach` to both sides of its point next to `middle`."""
    if shown.points is None or math.isnan(shown.margin):
        return None
    unit = shown.normal * shown.margin
    near = middle - (shown.normal @ middle + shown.offset - score) * shown.margin * unit
    along = reach * np.array([-unit[1], unit[0]])
    a, b = near - along, near + along
    return (float(a[0]), float(b[0])), (float(a[1]), float(b[1]))
