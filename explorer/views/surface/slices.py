"""Two orthonormal directions e1, e2 through weight space, and the rectangle that is drawn of their plane.

With two weights e1, e2 are the axes; with more the plane goes through 0, the cursor's w and the last w.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from explorer.engine.contracts import Problem
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints

WINDOWS = {"four points": (-3.0, 5.0, -2.0, 3.0)}
"""The window in which a data set is printed in its source: w1 from, to, w2 from, to."""
ZOOMS = ("as printed", "near path")
FLAT = 1e-6
"""A direction whose part across another is smaller than this share counts as the same direction."""
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """A rectangle in the plane of two orthonormal directions through 0, and what it goes through."""

    first: Array
    second: Array
    box: Box
    words: str = ""

    @property
    def key(self) -> tuple[Any, ...]:
        """Equal for equal slices."""
        return self.first.tobytes(), self.second.tobytes(), self.box

    def axes(self, points: int) -> tuple[Array, Array]:
        """The coordinates of a grid."""
        return np.linspace(*self.box[:2], points), np.linspace(*self.box[2:], points)

    def at(self, s: float, t: float) -> Array:
        """The weights at a point of the slice."""
        return s * self.first + t * self.second

    def shadow(self, weights: list[Array]) -> Array:
        """Where weight vectors lie, projected onto the slice: one row (s, t) each."""
        return np.array([[float(w @ self.first), float(w @ self.second)] for w in weights]).reshape(-1, 2)


def slice_of(problem: Problem, weights: list[Array], here: int, steps: Ints, zoom: str) -> Slice:
    """The two axes where there are two weights; else the plane of 0, the cursor's w and the last w."""
    if problem.dim == 2:
        first, second, words = np.array([1.0, 0.0]), np.array([0.0, 1.0]), ""
        printed = WINDOWS.get(problem.dataset.name)
        if printed and (zoom == ZOOMS[0] or not weights):
            return Slice(first, second, printed)
    else:
        first, second, words = directions(problem, weights, here, steps)
    where = Slice(first, second, (-1.0, 1.0, -1.0, 1.0), words)
    return replace(where, box=box_around(where.shadow(weights))) if weights else where


def directions(problem: Problem, weights: list[Array], here: int, steps: Ints) -> tuple[Array, Array, str]:
    """Along the last w, and across it towards the cursor's w (or, where that is along it too, another w)."""
    if problem.dim < 2:
        raise Refused("There is only one weight: the objective is a curve, not a surface.")
    size = float(np.linalg.norm(weights[-1])) if weights else 0.0
    if not size:
        why = "w is still 0" if weights else "Nothing trained yet"
        raise Refused(f"{why}: train some steps, and a slice through them appears here.")
    first = weights[-1] / size
    across = [w - float(w @ first) * first for w in weights]
    far = np.array([float(np.linalg.norm(part)) for part in across])
    name = f"the w of step {steps[here]}"
    if far[here] <= FLAT * size:
        here = int(np.argmax(far))
        name = f"the w of step {steps[here]}, which lies farthest off,"
    if far[here] <= FLAT * size:
        thin = int(np.argmin(np.abs(first)))
        second = np.eye(1, problem.dim, thin)[0] - first[thin] * first
        return first, second / np.linalg.norm(second), f"the axis of weight {thin + 1}"
    return first, across[here] / far[here], name


def box_around(points: Array) -> Box:
    """A rectangle around 0 and the points, with room at every side and not too thin."""
    low, high = np.minimum(points.min(axis=0), 0.0), np.maximum(points.max(axis=0), 0.0)
    whole = float(np.max(high - low)) or 1.0
    room = np.maximum(0.25 * (high - low), 0.2 * whole)
    (x0, y0), (x1, y1) = low - room, high + room
    return float(x0), float(x1), float(y0), float(y1)
