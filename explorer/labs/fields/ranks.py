"""All labellings of a small field in the order of their scores: how many are better than an answer.

    better(s) = number of labellings y with score(y) > s + rounding

The curve of the picture is better(s) + 1, the place in the list, over s. Cost: K^m scores and their sort, for
at most 200,000 labellings; see `every_score`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.oracles.exhaustive import too_many
from explorer.engine.vectors import Array, Ints

ROUNDING = 1e-9
"""Scores closer than this share of the largest one are equal."""

POINTS = 400
"""Points of the drawn curve at most."""

MOST_BEST = 1000
"""Best labellings that are kept where very many tie."""


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


def every_score(field: Fields) -> Array:
    """The scores of all labellings of one field; labelling j gives node u the state (j // K^u) mod K.

    Node after node: what a new node adds in state s depends on the earlier ones by their tables alone, and is
    built up in the same way. Some 4 K^m additions instead of e K^m, so that the list is there at once.
    """
    K, tables = field.states, _tables(field)
    total = np.zeros(1)
    for u in range(len(field.unary)):
        added = [_sums([tables.get((v, u), np.zeros((K, K)))[:, s] for v in range(u)]) for s in range(K)]
        total = np.concatenate([total + (field.unary[u, s] + added[s]) for s in range(K)])
    return total


def _tables(field: Fields) -> dict[tuple[int, int], Array]:
    """The pairwise scores of every edge, rows for the smaller node; edges between the same nodes are added
    up.
    """
    found: dict[tuple[int, int], Array] = {}
    for (a, b), t in zip(field.ends.tolist(), field.table, strict=True):
        pair = field.pair[t] if a < b else field.pair[t].T
        key = (min(a, b), max(a, b))
        found[key] = found.get(key, 0.0) + pair
    return found


def _sums(parts: list[Array]) -> Array:
    """sum_v parts[v][y_v] for all labellings of the nodes that have a part."""
    total = np.zeros(1)
    for part in parts:
        total = (part[:, None] + total).ravel()
    return total


def labellings(numbers: Ints, field: Fields) -> Ints:
    """The labellings with these numbers, one row each."""
    return numbers[:, None] // field.states ** np.arange(len(field.unary)) % field.states


def ranks(field: Fields) -> Ranks | None:
    """All scores of one field, or None where there are too many."""
    if too_many(field):
        return None
    scores = every_score(field)
    order = np.sort(scores)[::-1]
    slack = ROUNDING * max(1.0, abs(order[0]), abs(order[-1]))
    return Ranks(order, labellings(np.flatnonzero(scores >= order[0] - slack)[:MOST_BEST], field))


def top(field: Fields, count: int) -> Ints:
    """The labellings of the `count` largest scores, the best first; equal scores in the order of exhaustive
    search.
    """
    return labellings(np.argsort(-every_score(field), kind="stable")[:count], field)


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
