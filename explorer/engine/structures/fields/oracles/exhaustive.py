"""Exhaustive search: try every labelling. Exact for every loss and pricing, for fields small enough to list.

    score(y) = (unary[0, y_0] + unary[1, y_1] + ...) + (pair[y_a, y_b] of edge 0 + of edge 1 + ...)

for all K^m labellings of m nodes. The first sum is built up node by node, each adding one number to the K^u sums before
it: 2 K^m additions instead of m K^m. The second is the same for all fields that share edges and tables (multi-label problems
do), and is then made once for all. Each sum is added up in one order whatever the batch, so an answer does not depend
on it. Ties go to the labelling that comes first when read from the last node back to the first.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from explorer.engine.contracts import Loss
from explorer.engine.enumeration import MOST, all_labellings
from explorer.engine.pricing import Pricing
from explorer.engine.structures.fields.fields import Fields, Solved, hard
from explorer.engine.vectors import Array, Ints

SPACE = 1_000_000
"""Bytes of scores at a time: small enough for a processor's own memory; a single field may need up to 1.6 MB."""


@final
@dataclass(frozen=True, slots=True)
class Exhaustive:
    """Every labelling in turn."""

    title: ClassVar[str] = "exhaustive"
    help: ClassVar[str] = "Tries every labelling: exact for any loss, only for tiny graphs."
    kind: ClassVar[str] = "exact"

    def refuses(self, fields: Fields) -> str | None:
        """Too many labellings."""
        return too_many(fields)

    def solve(self, fields: Fields) -> Solved:
        """The best labelling of every field."""
        labels = np.empty(len(fields.unary), dtype=np.int64)
        for lo, hi, every, scores in all_scores(fields):
            labels[fields.nodes[lo] : fields.nodes[hi]] = every[np.argmax(scores, axis=1)].ravel()
        return hard(fields, labels, fields.scores(labels))

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


def too_many(fields: Fields) -> str | None:
    """Why these fields cannot be listed."""
    m = int(np.diff(fields.nodes).max(initial=0))
    if fields.states**m <= MOST:
        return None
    return (
        f"{fields.states} states at {m} nodes make {fields.states}^{m} labellings; exhaustive search stops at {MOST:,}: "
        "choose another oracle (branch and bound is exact too), or smaller graphs"
    )


def all_scores(fields: Fields) -> Iterator[tuple[int, int, Ints, Array]]:
    """For runs lo .. hi - 1 of fields: their labellings, and every field's score of each, (hi - lo, K^m)."""
    shared = _alike(fields)
    every, pairs = np.zeros((1, 0), dtype=np.int64), np.zeros(1)
    hi = 0
    while hi < len(fields):
        lo, m = hi, int(fields.nodes[hi + 1] - fields.nodes[hi])
        if lo == 0 or every.shape[1] != m:
            every = all_labellings(m, fields.states)
        if lo == 0 or not shared:
            pairs = _pair_sums(fields.one(lo), every)
        hi = min(len(fields), lo + max(1, SPACE // (8 * len(every)))) if shared else lo + 1
        unary = fields.unary[fields.nodes[lo] : fields.nodes[hi]].reshape(hi - lo, m, fields.states)
        yield lo, hi, every, _node_sums(unary) + pairs


def score_each(field: Fields, every: Ints) -> Array:
    """The score of each of many labellings of one field, the same numbers as `all_scores`."""
    total = np.zeros(len(every))
    for u in range(every.shape[1]):
        total += field.unary[u, every[:, u]]
    return total + _pair_sums(field, every)


def _alike(fields: Fields) -> bool:
    """Whether all fields have as many nodes, the same edges and the same tables."""
    n = len(fields)
    if n < 2 or np.ptp(np.diff(fields.nodes)) or np.ptp(np.diff(fields.edges)):
        return n == 1
    ends, table = fields.ends.reshape(n, -1), fields.table.reshape(n, -1)
    return bool(np.all(ends == ends[0]) and np.all(table == table[0]))


def _node_sums(unary: Array) -> Array:
    """sum_u unary[i, u, y_u] for every field i and labelling, in the order of `all_labellings`."""
    total = np.zeros((len(unary), 1))
    for u in range(unary.shape[1]):
        total = (unary[:, u, :, None] + total[:, None, :]).reshape(len(unary), -1)
    return total


def _pair_sums(field: Fields, every: Ints) -> Array:
    """sum_e pair[y_a, y_b] for every labelling of one field."""
    total = np.zeros(len(every))
    for (a, b), t in zip(field.ends, field.table, strict=True):
        total += field.pair[t, every[:, a], every[:, b]]
    return total
