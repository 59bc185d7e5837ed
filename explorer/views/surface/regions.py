"""Cuts on a two-dimensional slice of weight space, and the regions where each of them asks for the most.

Where cut j is the highest, v_j >= 0 and v_j >= v_l for all l: a convex polygon, the window clipped by one
half-plane per rival.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.vectors import Array, Ints
from explorer.views.surface.slices import Box


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """Cuts on a slice, oldest first: cut j asks b_j - s a_j1 - t a_j2; `new` ones were found at this step."""

    number: Ints
    example: Ints
    new: Any
    b: Array
    a: Array

    def __len__(self) -> int:
        return len(self.b)

    def only(self, keep: Any) -> "Cuts":
        """Some of the cuts."""
        return Cuts(self.number[keep], self.example[keep], self.new[keep], self.b[keep], self.a[keep])

    def heights(self, s: Array, t: Array) -> Array:
        """What each cut asks at places that need not be a grid: one more axis in front of theirs."""
        b, tilt, lean = (column.reshape(-1, *(1,) * np.ndim(s + t)) for column in (self.b, *self.a.T))
        return np.asarray(b - tilt * s - lean * t)

    @property
    def joint(self) -> bool:
        """Whether one slack serves all examples."""
        return bool(np.all(self.example < 0))

    def of(self, other: "Cuts") -> "Cuts":
        """The cuts that share a slack with the newest of some others."""
        return self.only(np.isin(self.example, other.example[-1:]))


def leaders(cuts: Cuts, s: Array, t: Array) -> Ints:
    """The number of the highest cut at every place, -1 where none asks for slack."""
    asked = cuts.heights(s, t)
    flat = np.full((1, *asked.shape[1:]), 0.0)
    return np.append(-1, cuts.number)[np.argmax(np.concatenate([flat, asked]), axis=0)]


def regions(cuts: Cuts, highest: Ints, box: Box) -> tuple[tuple[int, Array], ...]:
    """The polygon of every cut that leads somewhere on the grid, -1 for none; slivers are left out."""
    seen = cuts.only(np.isin(cuts.number, highest))
    found = [(int(seen.number[j]), region(seen, j, box)) for j in range(len(seen))]
    found += [(-1, region(seen, None, box))] if -1 in highest else []
    return tuple((j, polygon) for j, polygon in found if len(polygon) > 2)


def region(cuts: Cuts, j: int | None, box: Box) -> Array:
    """Where in the window cut j asks for slack, and for no less than any other; None: where none asks."""
    x0, x1, y0, y1 = box
    polygon = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])

    def asks(k: int | None) -> Array:
        return np.zeros(len(polygon)) if k is None else cuts.b[k] - polygon @ cuts.a[k]

    for rival in (None, *range(len(cuts))):
        if rival != j:
            polygon = clip(polygon, asks(j) - asks(rival))
    return polygon


def clip(polygon: Array, ahead: Array) -> Array:
    """The part of a convex polygon where a linear function, known at its corners, is not negative."""
    kept = []
    for k in range(len(polygon)):
        p, q, before, after = polygon[k - 1], polygon[k], ahead[k - 1], ahead[k]
        if before * after < 0.0:
            kept.append(p + before / (before - after) * (q - p))
        if after >= 0.0:
            kept.append(q)
    return np.array(kept).reshape(-1, 2)


def newest_of(cuts: Cuts, box: Box) -> Array:
    """Where the newest of the step's own cuts is the highest of its slack; empty if the step found none."""
    own = cuts.of(cuts)
    return region(own, len(own) - 1, box) if np.any(cuts.new) else np.zeros((0, 2))


__all__ = ["Cuts", "leaders", "newest_of", "region", "regions"]
