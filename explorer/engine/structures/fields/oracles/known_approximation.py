"""An oracle that is wrong by a known factor: the best labelling worth at most rho times the optimum.

    y* = argmax_y score(y),      answer = argmax { score(y) : score(y) <= rho score(y*) }

Finley 2009, section 5.5.2, where it shows what a rho-approximation does to training. The score is the one
that the oracle is given, in training that with the loss: a true label that is switched off counts its loss at
state 0. rho = 1 is exhaustive search, tie for tie. Where the optimum is 0 or below, nothing between rho times
it and it can be asked for, and y* itself is the answer; where every labelling is worth more than rho
score(y*), the answer is the worst one. Ties go to the labelling that comes first when read from the last node
back. Cost: that of exhaustive search.
"""

from typing import ClassVar, final

import numpy as np

from explorer.engine.contracts import Effort
from explorer.engine.knobs import knob, settings
from explorer.engine.structures.fields.fields import Fields, Solved, hard
from explorer.engine.structures.fields.oracles.exhaustive import all_scores, listing_effort, too_many
from explorer.engine.vectors import Array, Ints


@final
@settings
class KnownApproximation:
    """The best labelling below a known share of the optimum."""

    title: ClassVar[str] = "known approximation"
    help: ClassVar[str] = (
        "The best labelling worth at most rho times the optimum, found by listing all of them."
    )
    kind: ClassVar[str] = "under"

    rho: float = knob(0.9, "The share of the best score that the answer may reach.", low=0.0, high=1.0)

    def refuses(self, fields: Fields) -> str | None:
        """Too many labellings."""
        return too_many(fields)

    def effort(self, fields: Fields) -> Effort:
        """That of exhaustive search."""
        return listing_effort(fields)

    def solve(self, fields: Fields) -> Solved:
        """The labelling of every field that a rho-approximation may end at; the bound is the optimum."""
        labels, best = (
            np.empty(len(fields.unary), dtype=np.int64),
            np.empty(len(fields.unary), dtype=np.int64),
        )
        for lo, hi, every, scores in all_scores(fields):
            own, top = slice(fields.nodes[lo], fields.nodes[hi]), np.argmax(scores, axis=1)
            best[own] = every[top].ravel()
            labels[own] = every[below(scores, self.rho * scores[np.arange(hi - lo), top])].ravel()
        return hard(fields, labels, fields.scores(best))


def below(scores: Array, limit: Array) -> Ints:
    """In each row the first of the largest scores that are at most its limit; if none is, the first smallest
    one.
    """
    allowed = scores <= limit[:, None]
    found = np.argmax(np.where(allowed, scores, -np.inf), axis=1)
    return np.where(allowed.any(axis=1), found, np.argmin(scores, axis=1))
