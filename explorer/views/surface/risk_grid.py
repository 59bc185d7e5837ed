"""The risk R on a grid of a slice: exact where all labellings can be listed, by oracle passes elsewhere.

Where all labellings are listed, every example's slack is a maximum of planes, and lines show where another
labelling takes over, that is, where the gradient jumps. Otherwise R takes one oracle pass per grid point:
the grid is coarse, and when even that takes too long, a part of the examples stands for all. Cost: grid
points times planes, or about `SECONDS`.
"""

import time
from dataclasses import dataclass

import numpy as np
from contourpy import contour_generator

from explorer.engine.contracts import Convex, Enumerates, Objective, Problem, Ruled
from explorer.engine.objective import HINGE, cut_of, plane_of, rule_cost, slacks, sweep
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, dense
from explorer.views.kit.drawing.thinning import part_of
from explorer.views.surface.slices import Slice

FINE = 100
MOST_PLANES = 2000
MOST_NUMBERS = 5_000_000
MOST_BORDERED = 40
"""With more planes than this, the borders between regions would cover the picture."""
PLANS = ((25, 1), (25, 2), (15, 1), (15, 2), (15, 4), (15, 8), (15, 16))
"""Points per side of a coarse grid, and which examples are asked: every first, second, fourth, ..."""
SECONDS = 0.2
PATIENCE = 4
"""A slice that takes this many times longer than it was judged to is given up."""
BETWEEN = 4
"""A coarse grid is drawn with this many pieces between two of its points: R interpolated, |w|^2 exact."""


@dataclass(frozen=True, slots=True, eq=False)
class Risk:
    """R and the price of broken rules on a grid, borders of regions, and how many examples were asked."""

    x: Array
    y: Array
    values: Array
    rules: Array
    borders: tuple[Array, ...]
    looked: int


def risk_on(problem: Problem, where: Slice, objective: Objective = HINGE) -> Risk:
    """R on a grid of the slice: exact and fine where all its planes can be listed, by passes elsewhere."""
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
