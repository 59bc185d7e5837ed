"""A program of two variables as a picture: where its constraints hold, and how the simplex method walks
there.

The feasible polygon is the window cut by one half-plane after the other (Sutherland-Hodgman). In the
plane the simplex method goes along the polygon's edges, from corner to better corner; edges that are the
window's own mean that the region goes on. Cost: rows times corners.
"""

from dataclasses import dataclass

import numpy as np

from explorer.engine.programs.highs import LinearModel
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array

TINY = 1e-9
MOST_POINTS = 400


@dataclass(frozen=True, slots=True, eq=False)
class PlaneProgram:
    """The corners of the feasible polygon in order, the walk over them, and the integer points within."""

    corners: Array
    walk: Array
    grid: Array


def half_planes(model: LinearModel) -> list[tuple[Array, float]]:
    """a . x <= b for every bound that there is."""
    if len(model.c) != 2:
        raise Refused(f"the program has {len(model.c)} columns; one with two can be drawn")
    found = []
    for rows, ends in ((np.eye(2), model.columns), (model.A, model.rows)):
        for a, (lower, upper) in zip(rows, ends, strict=True):
            found += [(a, float(upper))] if np.isfinite(upper) else []
            found += [(-a, -float(lower))] if np.isfinite(lower) else []
    return found


def draw_plane(model: LinearModel, low: float = -1.0, high: float = 5.0) -> PlaneProgram:
    """The picture in the window low .. high."""
    corners = np.array([[low, low], [high, low], [high, high], [low, high]])
    planes = half_planes(model)
    for a, b in planes:
        corners = clip(corners, a, b)
    c = model.c if model.maximize else -model.c
    x, y = np.meshgrid(np.arange(np.ceil(low), high + TINY), np.arange(np.ceil(low), high + TINY))
    points = np.column_stack([x.ravel(), y.ravel()])[:MOST_POINTS]
    inside = (
        np.all([points @ a <= b + TINY for a, b in planes], axis=0) if planes else np.ones(len(points), bool)
    )
    return PlaneProgram(corners, walk_corners(corners, c), points[inside])


def clip(corners: Array, a: Array, b: float) -> Array:
    """What of a polygon lies in a . x <= b."""
    found: list[Array] = []
    for one, two in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        here, there = b - a @ one, b - a @ two
        if here >= -TINY:
            found.append(one)
        if (here > TINY and there < -TINY) or (here < -TINY and there > TINY):
            found.append(one + (two - one) * here / (here - there))
    return np.array(found).reshape(-1, 2)


def walk_corners(corners: Array, c: Array) -> Array:
    """From the worst corner along edges that rise, the steeper first, until none does."""
    if not len(corners):
        return corners
    z, n = corners @ c, len(corners)
    at = int(np.argmin(z))
    walk = [at]
    while True:
        better = max(((at + 1) % n, (at - 1) % n), key=lambda k: float(z[k]))
        if z[better] <= z[at] + TINY:
            return corners[walk]
        at = better
        walk.append(at)
