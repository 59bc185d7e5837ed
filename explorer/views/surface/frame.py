"""The objective over two directions of weight space, and the learner's way down.

    J(s e1 + t e2) = 1/2 (s^2 + t^2) + C R(s e1 + t e2)        e1, e2 orthonormal

With two weights e1, e2 are the axes and the picture is the whole objective (Iglesias 2013, fig. 3.1); with
more it is the slice through 0, the cursor's w and the last w, and the rest of the path is projected onto it.
R does not depend on C, so it is kept and only weighed anew. Where all labellings can be listed, R is exact on
a fine grid: every example's slack is a maximum of planes, and dotted lines show where another labelling takes
over, that is, where the gradient jumps. Otherwise R takes one oracle pass per grid point: the grid is coarse,
and when even that is dear, a part of the examples stands for all. Cost: grid points times planes, or about
`SECONDS`.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from contourpy import contour_generator

from explorer.engine.contracts import Convex, Enumerates, Objective, Problem, Ruled
from explorer.engine.learners import objective_of
from explorer.engine.objective import HINGE, cut_of, plane_of, rule_cost, slacks, sweep
from explorer.engine.refusals import Refused
from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Array, Ints, dense
from explorer.views.kit.thinning import evenly, part_of
from explorer.wording import number

WINDOWS = {"four points": (-3.0, 5.0, -2.0, 3.0)}
"""The window in which a data set is printed in its source: w1 from, to, w2 from, to."""

ZOOMS = ("as printed", "near path")
FINE = 100
MOST_PLANES = 2000
MOST_NUMBERS = 5_000_000
MOST_BORDERED = 40
"""With more planes than this, the borders between regions would cover the picture."""

PLANS = ((25, 1), (25, 2), (15, 1), (15, 2), (15, 4), (15, 8), (15, 16))
"""Points per side of a coarse grid, and which examples are asked: every first, second, fourth, ..."""

SECONDS = 0.2
PATIENCE = 4
"""A slice that takes so many times longer than it was judged to is given up."""

BETWEEN = 4
"""A coarse grid is drawn with this many pieces between two of its points: R interpolated, |w|^2 exact."""

MOST_POINTS = 300
LEVELS = 9
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


@dataclass(frozen=True, slots=True, eq=False)
class Risk:
    """R and the price of broken rules on a grid, borders of regions, and how many examples were asked."""

    x: Array
    y: Array
    values: Array
    rules: Array
    borders: tuple[Array, ...]
    looked: int


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
    found = (risk or risk_on)(problem, where, objective_of(trace.started(at)))
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
    """Steps whose weights were kept, so many that they can be told apart, the cursor's among them."""
    kept = np.array(sorted(trace.weights.kept), dtype=np.int64)
    if not len(kept):
        return kept
    return np.union1d(kept[evenly(len(kept), MOST_POINTS)], [trace.at(at).w_at])


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


def risk_on(problem: Problem, where: Slice, objective: Objective = HINGE) -> Risk:
    """R on a grid of the slice: exact and fine where it is made of planes that can be listed, by passes
    elsewhere.
    """
    if isinstance(problem, Convex):
        x, y = where.axes(FINE)
        values = np.array([[problem.risk(where.at(s, t))[0] for s in x] for t in y])
        return Risk(x, y, values, np.zeros_like(values), (), 0)
    planes = all_planes(problem) if objective is HINGE else None
    if planes is not None:
        return risk_of_planes(problem, where, planes)
    return risk_by_passes(problem, where, objective)


def all_planes(problem: Problem) -> list[tuple[Array, Array]] | None:
    """For every example its planes (a, b), the truth's (0, 0) among them; None when they are too many."""
    if not isinstance(problem, Enumerates):
        return None
    count = sum(problem.labellings_count(i) for i in range(problem.n))
    if count > MOST_PLANES or count * problem.dim > MOST_NUMBERS:
        return None
    out = []
    for i in range(problem.n):
        planes = [plane_of(problem, cut_of(problem, i, label)) for label in problem.labellings(i)]
        out.append((np.stack([dense(plane.a) for plane in planes]), np.array([plane.b for plane in planes])))
    return out


def risk_of_planes(problem: Problem, where: Slice, planes: list[tuple[Array, Array]]) -> Risk:
    """The mean cost of slack_i = max_j (b_j - a_j . w) at every point, and where another plane takes over."""
    x, y = where.axes(FINE)
    values, borders = np.zeros((len(y), len(x))), []
    few = sum(len(b) for _, b in planes) <= MOST_BORDERED
    for a, b in planes:
        tilt, lean = (a @ e for e in (where.first, where.second))
        asked = (b[:, None] - tilt[:, None] * x)[:, None, :] - (lean[:, None] * y)[:, :, None]
        values += problem.pricing.cost(np.maximum(asked.max(axis=0), 0.0))
        if few:
            borders += crossings(x, y, asked)
    return Risk(x, y, values / problem.n, rule_grid(problem, where, x, y), tuple(borders), problem.n)


def crossings(x: Array, y: Array, asked: Array) -> list[Array]:
    """The lines on which the largest of several fields changes hands."""
    lines: list[Array] = []
    for j in range(1, len(asked)):
        ahead = asked[j] - np.delete(asked, j, axis=0).max(axis=0)
        if ahead.min() < 0.0 < ahead.max():
            lines += contour_generator(x, y, ahead).lines(0.0)
    return lines


def risk_by_passes(problem: Problem, where: Slice, objective: Objective = HINGE) -> Risk:
    """One pass per point of a coarse grid, over as many examples as there is time for."""
    points, stride = affordable(problem, where, objective)
    chosen = np.arange(0, problem.n, stride)
    part = problem if stride == 1 else problem.on(part_of(problem.dataset, chosen))
    x, y = where.axes(points)

    began = time.thread_time()

    def risk(s: float, t: float) -> float:
        if time.thread_time() - began > PATIENCE * SECONDS:
            raise Refused("A slice of this problem takes too many oracle passes to be drawn.")
        return risk_at(part, where.at(s, t), objective)

    coarse = np.array([[risk(s, t) for s in x] for t in y])
    x, y = where.axes((points - 1) * BETWEEN + 1)
    at = np.arange(len(x)) / BETWEEN
    rows = np.stack([np.interp(at, np.arange(points), row) for row in coarse])
    values = np.stack([np.interp(at, np.arange(points), column) for column in rows.T], axis=1)
    return Risk(x, y, values, rule_grid(problem, where, x, y), (), len(chosen))


def risk_at(problem: Problem, w: Array, objective: Objective) -> float:
    """R(w) by one pass: the mean cost of the slacks, or what another objective says."""
    if objective is not HINGE:
        return objective.measure(problem, w, 1.0).risk
    return float(np.mean(problem.pricing.cost(slacks(problem, sweep(problem, w)))))


def affordable(problem: Problem, where: Slice, objective: Objective = HINGE) -> tuple[int, int]:
    """The first plan that takes no longer than `SECONDS`, judged by one pass; or Refused."""
    corner, took = where.at(where.box[1], where.box[3]), []
    for _ in range(3):
        began = time.thread_time()
        risk_at(problem, corner, objective)
        took.append(time.thread_time() - began)
    once = min(took)
    for points, stride in PLANS:
        if points**2 * once / stride <= SECONDS and problem.n >= 2 * stride:
            return points, stride
    passes = PLANS[0][0] ** 2
    raise Refused(f"A slice of this problem takes {passes} oracle passes, about {passes * once:.0f} seconds.")


def rule_grid(problem: Problem, where: Slice, x: Array, y: Array) -> Array:
    """What broken rules cost at every point."""
    if not isinstance(problem, Ruled) or not problem.rules:
        return np.zeros((len(y), len(x)))
    return np.array([[rule_cost(problem, where.at(s, t)) for s in x] for t in y])


def contours(x: Array, y: Array, J: Array) -> tuple[tuple[float, Array], ...]:
    """Lines of equal height, each level half as far above the lowest point as the one before."""
    finite = np.where(np.isfinite(J), J, np.nan)
    low, high = float(np.nanmin(finite)), float(np.nanmax(finite))
    if not high > low:
        return ()
    generator = contour_generator(x, y, np.ma.masked_invalid(finite))
    levels = [low + (high - low) * 0.5**k for k in range(1, LEVELS + 1)]
    return tuple((level, line) for level in levels for line in generator.lines(level))


def sentence(shown: ObjectiveFrame) -> str:
    """What is drawn, where the lowest point is, and where the cursor stands."""
    if shown.dim == 2:
        text = f"Objective over both weights, C = {number(shown.C)}."
    else:
        text = f"Slice of {shown.dim} dimensions through 0, {shown.where.words} and the last w; "
        text += f"C = {number(shown.C)}."
    if shown.looked < shown.n:
        text += f" Estimated from {shown.looked} of {shown.n} examples."
    text += f" Lowest grid point{spot(shown, *shown.lowest[:2])}: J = {number(shown.lowest[2])}."
    if not len(shown.steps):
        return text + " Nothing trained yet: press play to see the way down."
    value = float(shown.primal[shown.here])
    height = "objective not computed" if np.isnan(value) else f"J = {number(value)}"
    return text + f" Step {shown.at}{spot(shown, *shown.path[shown.here])}: {height}."


def spot(shown: ObjectiveFrame, s: float, t: float) -> str:
    """A point of the weight plane in words; coordinates of a slice mean nothing to a reader."""
    return f" at ({s:.3f}, {t:.3f})" if shown.dim == 2 else ""


def table(shown: ObjectiveFrame) -> dict[str, Any]:
    """The path in the picture's coordinates."""
    across, up = shown.path.T
    return {"step": shown.steps, "across": across, "up": up, "objective": shown.primal}
