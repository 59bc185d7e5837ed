"""Exhaustive search: try every labelling. Exact for every loss and pricing, for fields small enough to list.

    score(y) = (unary[0, y_0] + unary[1, y_1] + ...) + (pair[y_a, y_b] of edge 0 + of edge 1 + ...)

for all K^m labellings of m nodes. The first sum is built up node by node, each adding one number to the K^u
sums before it: 2 K^m additions instead of m K^m. The second is the same for all fields that share edges and
tables (multi-label problems do), and is then made once for all. Each sum is added up in one order whatever
the batch, so an answer does not depend on it. Ties go to the labelling that comes first when read from the
last node back to the first.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from explorer.engine.contracts import Effort, Loss
from explorer.engine.enumeration import MOST, Ranks, all_labellings, numbered_labellings, rank_scores
from explorer.engine.pricing import Pricing
from explorer.engine.structures.fields.fields import CompiledDecoder, Fields, Solved, hard
from explorer.engine.structures.fields.kernels.decoders import EXHAUSTIVE
from explorer.engine.vectors import Array, Ints

SPACE = 1_000_000
"""Bytes of scores at a time: small enough for a processor's own memory; a single field may need up to 1.6
MB.
"""


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

    def effort(self, fields: Fields) -> Effort:
        """The scores that are added up."""
        return listing_effort(fields)

    def decoder(self, states: int) -> CompiledDecoder | None:
        """Compiled visits know it."""
        return CompiledDecoder(EXHAUSTIVE)

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
        f"{fields.states} states at {m} nodes make {fields.states}^{m} labellings; exhaustive search stops "
        f"at {MOST:,}: "
        "choose another oracle (branch and bound is exact too), or smaller graphs"
    )


def listing_effort(fields: Fields) -> Effort:
    """What listing all labellings of the largest field takes: the scores of e edges, K^m times."""
    m, e = (int(np.diff(part).max(initial=0)) for part in (fields.nodes, fields.edges))
    size = fields.states**m * e
    return Effort(
        size, f"this field has {size:,} pairwise scores in all its labellings; it adds up every one", 3e6
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


def every_score(field: Fields) -> Array:
    """The scores of all labellings of one field, in the order of `all_labellings`.

    Node after node: what a new node adds in state s depends on the earlier ones by their tables alone, and is
    built up in the same way. Some 4 K^m additions instead of e K^m; the last digits differ from those of
    `all_scores`.
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


def rank_labellings(field: Fields) -> Ranks | None:
    """All scores of one field in order, or None where there are too many."""
    if too_many(field):
        return None
    return rank_scores(
        every_score(field), lambda rows: numbered_labellings(rows, len(field.unary), field.states)
    )


def top_labellings(field: Fields, count: int) -> Ints:
    """The labellings of the `count` largest scores, the best first; equal scores in the order of exhaustive
    search.
    """
    numbers = np.argsort(-every_score(field), kind="stable")[:count]
    return numbered_labellings(numbers, len(field.unary), field.states)
