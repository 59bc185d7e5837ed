"""The objective over two directions of weight space, and the learner's way down.

    J(s e1 + t e2) = 1/2 (s^2 + t^2) + C R(s e1 + t e2)        e1, e2 orthonormal

With two weights the picture is the whole objective (Iglesias 2013, fig. 3.1); with more it is a slice
(`slices`), and the rest of the path is projected onto it. R does not depend on C, so it is kept and only
weighed again (`risk_grid`).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from contourpy import contour_generator

from explorer.engine.contracts import Objective, Problem
from explorer.engine.learners import objective_of
from explorer.engine.refusals import Refused
from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Array, Ints
from explorer.views.kit.drawing.thinning import evenly
from explorer.views.surface.risk_grid import Risk, risk_on
from explorer.views.surface.slices import ZOOMS, Slice, slice_of

MOST_POINTS = 300
LEVELS = 9


@dataclass(frozen=True, slots=True, eq=False)
class ObjectiveFrame:
    """The objective on a grid, what broken rules add to it there, and the path of w."""

    at: int
    C: float
    where: Slice
    x: Array
    y: Array
    J: Array
    lowest: tuple[float, float, float]
    contours: tuple[tuple[float, Array], ...]
    borders: tuple[Array, ...]
    steps: Ints
    path: Array
    primal: Array
    rules: Array
    looked: int
    n: int
    dim: int

    @property
    def here(self) -> int:
        """Which point of the path the cursor is at."""
        return max(0, int(np.searchsorted(self.steps, self.at, side="right")) - 1)


def frame(
    problem: Problem,
    trace: Trace,
    at: int,
    C: float,
    zoom: str = ZOOMS[0],
    risk: Callable[[Problem, Slice, Objective], Risk] | None = None,
) -> ObjectiveFrame:
    """The objective for this C around the path, or Refused with the reason why it cannot be drawn."""
    if not math.isfinite(C):
        raise Refused(
            "C is infinite: wherever a slack is left, so is the objective, and there is no surface."
        )
    at = min(at, max(0, len(trace) - 1))
    few = steps_to_draw(trace, at)
    weights = [trace.weights.kept[int(s)] for s in few]
    where = slice_of(problem, weights, int(np.searchsorted(few, at, side="right")) - 1, few, zoom)
    found = (risk or risk_on)(problem, where, objective_of(trace.start_of(at)))
    J = 0.5 * (found.x[None, :] ** 2 + found.y[:, None] ** 2) + C * found.values + found.rules
    j, i = np.unravel_index(int(np.argmin(J)), J.shape)
    lowest = (float(found.x[i]), float(found.y[j]), float(J[j, i]))
    primal = trace.column("primal")[few] if len(few) else np.zeros(0)
    return ObjectiveFrame(
        at,
        C,
        where,
        found.x,
        found.y,
        J,
        lowest,
        contours(found.x, found.y, J),
        found.borders,
        few,
        where.shadow(weights),
        primal,
        found.rules,
        found.looked,
        problem.n,
        problem.dim,
    )


def steps_to_draw(trace: Trace, at: int) -> Ints:
    """Steps whose weights were kept, few enough to be told apart, the cursor's among them."""
    kept = np.array(sorted(trace.weights.kept), dtype=np.int64)
    if not len(kept):
        return kept
    return np.union1d(kept[evenly(len(kept), MOST_POINTS)], [trace.at(at).w_at])


def contours(x: Array, y: Array, J: Array) -> tuple[tuple[float, Array], ...]:
    """Lines of equal height, each level half as far above the lowest point as the one before."""
    finite = np.where(np.isfinite(J), J, np.nan)
    low, high = float(np.nanmin(finite)), float(np.nanmax(finite))
    if not high > low:
        return ()
    generator = contour_generator(x, y, np.ma.masked_invalid(finite))
    levels = [low + (high - low) * 0.5**k for k in range(1, LEVELS + 1)]
    return tuple(
        (level, np.asarray(line, dtype=float)) for level in levels for line in generator.lines(level)
    )
