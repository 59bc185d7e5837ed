"""Every labelling of a few positions, for problems small enough to list them: the referee of all faster
oracles.

    better(s) = number of labellings y with score(y) > s + rounding

Cost: K^m rows, and a sort of as many scores where they are ranked.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints

MOST = 200_000
"""More labellings than this are refused."""

ROUNDING = 1e-9
"""Scores closer than this share of the largest one are equal."""

MOST_BEST = 1000
"""Best labellings that are kept where very many tie."""


def all_labellings(length: int, states: int) -> Ints:
    """Every labelling of `length` positions, the first position changing fastest; refused when there are too
    many.
    """
    count = states**length
    if count > MOST:
        raise Refused(
            f"{states} states at {length} positions make {float(count):.3g} labellings; "
            f"enumeration stops at {MOST:,}: use Viterbi, or shorter examples"
        )
    return numbered_labellings(np.arange(count), length, states)


def numbered_labellings(numbers: Ints, length: int, states: int) -> Ints:
    """The labellings with these numbers, one row each: number j gives position t the state (j // K^t) mod
    K.
    """
    return np.array(numbers[:, None] // states ** np.arange(length) % states, dtype=np.int64)


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

    def nearest_best(self, labels: Ints) -> Ints:
        """Of all best labellings one that differs from these labels at the fewest positions."""
        return self.best[int(np.argmin((self.best != labels).sum(axis=1)))]


def rank_scores(scores: Array, rows: Callable[[Ints], Ints]) -> Ranks:
    """Sort the scores of all labellings; `rows` gives the labellings of some numbers."""
    order = np.sort(scores)[::-1]
    near = Ranks(order, np.zeros((0, 0), dtype=np.int64)).slack
    return Ranks(order, rows(np.flatnonzero(scores >= order[0] - near)[:MOST_BEST]))
