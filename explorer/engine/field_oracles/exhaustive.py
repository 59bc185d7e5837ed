"""Exhaustive search: try every labelling. Exact for every loss and pricing, for fields small enough to list.

K^m labellings of m nodes. Where the fields share edges and pairwise scores (multi-label problems do), the score of all
labellings of all fields is one matrix product. Ties go to the labelling that comes first when read from the last node
back to the first.
"""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from explorer.engine.fields import Fields, Solved, hard
from explorer.engine.oracles.enumerate import MOST, all_labellings
from explorer.engine.protocols import Loss, Pricing
from explorer.engine.vectors import Array, Ints


@final
@dataclass(frozen=True, slots=True)
class Exhaustive:
    """Every labelling in turn."""

    title: ClassVar[str] = "exhaustive"
    help: ClassVar[str] = "Tries every labelling: exact for any loss, only for tiny graphs."
    kind: ClassVar[str] = "exact"

    def refuses(self, fields: Fields) -> str | None:
        """Too many labellings."""
        m = int(np.diff(fields.nodes).max())
        if fields.states**m <= MOST:
            return None
        return (
            f"{fields.states} states at {m} nodes make {float(fields.states) ** m:.3g} labellings; exhaustive search "
            f"stops at {MOST:,}: choose another oracle (branch and bound is exact too), or smaller graphs"
        )

    def solve(self, fields: Fields) -> Solved:
        """The best labelling of every field."""
        parts, best = [], np.empty(len(fields))
        for i, field in enumerate(fields):
            every = all_labellings(len(field.unary), fields.states)
            found = score_each(field, every)
            at = int(np.argmax(found))
            parts.append(every[at])
            best[i] = found[at]
        return hard(fields, np.concatenate(parts), best)

    def most_violated(self, fields: Fields, truth: Ints, loss: Loss, pricing: Pricing) -> Ints:
        """The labelling of every field with the largest H, whatever the loss."""
        parts = []
        for i, field in enumerate(fields):
            own = truth[fields.nodes[i] : fields.nodes[i + 1]]
            every = all_labellings(len(own), fields.states)
            losses = np.array([loss.value(own, label) for label in every])
            margins = field.scores(own)[0] - score_each(field, every)
            parts.append(every[int(np.argmax(pricing.violations(margins, losses)))])
        return np.concatenate(parts)


def score_each(field: Fields, every: Ints) -> Array:
    """The score of each of many labellings of one field."""
    total = np.zeros(len(every))
    for u in range(every.shape[1]):
        total += field.unary[u, every[:, u]]
    for (a, b), t in zip(field.ends, field.table, strict=True):
        total += field.pair[t, every[:, a], every[:, b]]
    return total
