"""The input beside the ladder: an image, or all inputs as points with the class predicted around them.

Cost: one prediction for each of GRID x GRID cells.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from explorer.engine.contracts import Batch, Problem
from explorer.engine.vectors import Array, Ints
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.words.label_words import are_states

MOST_FEATURES = 4
"""Inputs with more features are not looked through for the two that differ."""
GRID = 96
"""Cells of the regions in each direction."""
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class InputPlane:
    """Inputs as points, or on a line if one feature differs; `regions[v, u]` is the class of a cell."""

    points: Array
    kind: Ints
    kinds: int
    box: Box
    regions: NDArray[np.uint8]


def image_of(problem: Problem, i: int) -> Array | None:
    """The pixels of an input that is an image, top row first."""
    shape, inputs = problem.dataset.meta.get("image_shape"), problem.dataset.inputs
    if (
        shape is None
        or not isinstance(inputs, np.ndarray)
        or inputs.ndim != 2
        or np.prod(shape) > inputs.shape[1]
    ):
        return None
    return np.asarray(inputs[i, : int(np.prod(shape))].reshape(shape), dtype=float)


def _varying(problem: Problem) -> list[int]:
    """The features that differ among inputs that are points with known classes; none if they are many."""
    inputs, labels = problem.dataset.inputs, problem.dataset.labels
    if not isinstance(inputs, np.ndarray) or inputs.ndim != 2 or inputs.shape[1] > MOST_FEATURES:
        return []
    known = (
        isinstance(labels, np.ndarray)
        and labels.ndim == 1
        and are_states(labels, len(depiction_of(problem).states(problem)))
    )
    return np.flatnonzero(np.ptp(inputs, axis=0) > 0.0).tolist() if known else []


def plane_of(problem: Problem, w: Array, aspect: float) -> InputPlane | None:
    """The inputs as points in a box of this aspect (width / height), and the class predicted in each cell."""
    axes = _varying(problem)
    if len(axes) not in (1, 2) or not isinstance(problem, Batch):
        return None
    data, flat = problem.dataset, len(axes) == 1
    points = np.column_stack([data.inputs[:, axes], np.zeros((problem.n, 2 - len(axes)))])
    box = _box(points, aspect, flat)
    across, up = (_middles(*box[:2], GRID), _middles(*box[2:], 1 if flat else GRID))
    grid = np.tile(data.inputs[0], (len(across) * len(up), 1))
    grid[:, axes] = np.column_stack([each.ravel() for each in np.meshgrid(across, up)])[:, : len(axes)]
    asked = problem.on(replace(data, inputs=grid, labels=np.zeros(len(grid), dtype=np.int64)))
    regions = np.array(asked.predictions(w), dtype=np.uint8).reshape(len(up), len(across))
    return InputPlane(points, data.labels, len(depiction_of(problem).states(problem)), box, regions)


def _middles(low: float, high: float, cells: int) -> Array:
    return low + (np.arange(cells) + 0.5) * (high - low) / cells


def _box(points: Array, aspect: float, flat: bool) -> Box:
    """All points with some room around them, on the same scale across and up; a line has any height."""
    (x, y), (wide, high) = 0.5 * (points.min(axis=0) + points.max(axis=0)), 0.58 * np.ptp(points, axis=0)
    if flat:
        return float(x - wide), float(x + wide), -1.0, 1.0
    high = max(high, wide / aspect)
    return float(x - aspect * high), float(x + aspect * high), float(y - high), float(y + high)
