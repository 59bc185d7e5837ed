"""All labellings of a small field in the order of their scores: how many are better than an answer.

    better(s) = number of labellings y with score(y) > s + rounding

The curve of the picture is better(s) + 1, the place in the list, over s. Cost: K^m scores and their sort, for at most
200,000 labellings.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from explorer.engine.field_oracles.exhaustive import all_scores, too_many
from explorer.engine.fields import Fields
from explorer.engine.vectors import Array, Ints

ROUNDING = 1e-9
"""Scores closer than this share of the largest one are equal."""

POINTS = 400
"""Points of the drawn curve at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """Every score, the largest first, and the best labellings, one row each (ties are all there)."""

    scores: Array
    best: Ints

    @property
    def slack(self) -> float:
        """What counts as no difference."""
        return ROUNDING * max(1.0, abs(float(self.scores[0])), abs(float(self.scores[-1])))

    def better(self, score: float) -> int:
        """How many labellings score more."""
        return int(np.searchsorted(-self.scores, -(score + self.slack), side="left"))


def ranks(field: Fields) -> Ranks | None:
    """All scores of one field, or None where there are too many."""
    if too_many(field):
        return None
    (_, _, every, scores), *_ = all_scores(field)
    order = np.sort(scores[0])[::-1]
    slack = ROUNDING * max(1.0, abs(order[0]), abs(order[-1]))
    return Ranks(order, every[scores[0] >= order[0] - slack])


def top(field: Fields, count: int) -> Ints:
    """The labellings of the `count` largest scores, the best first; equal scores in the order of exhaustive search."""
    (_, _, every, scores), *_ = all_scores(field)
    return every[np.argsort(-scores[0], kind="stable")[:count]]


def nearest_best(found: Ranks, labels: Ints) -> Ints:
    """Of all best labellings one that differs from these labels at the fewest nodes."""
    return found.best[int(np.argmin((found.best != labels).sum(axis=1)))]


def curve(found: Ranks) -> tuple[Array, Array]:
    """Scores and places in the list for drawing: dense among the best, thinner further down."""
    n = len(found.scores)
    at = np.unique(np.round(np.geomspace(1, n, min(n, POINTS))).astype(int)) - 1
    return found.scores[at], at + 1.0


def grouped(scores: Sequence[float], slack: float) -> list[list[int]]:
    """Numbers of the answers that share a score, the best group first."""
    groups: list[list[int]] = []
    for j in sorted(range(len(scores)), key=lambda j: -scores[j]):
        if groups and abs(scores[groups[-1][0]] - scores[j]) <= slack:
            groups[-1].append(j)
        else:
            groups.append([j])
    return groups


def place_of(better: int | None, total: int) -> str:
    """A place in words."""
    if better is None:
        return "unknown"
    return "the best" if better == 0 else f"{better + 1:,} of {total:,}"


__all__ = ["Ranks", "curve", "grouped", "nearest_best", "place_of", "ranks", "top"]
