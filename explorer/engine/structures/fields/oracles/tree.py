"""Max-product on forests: exact, in two passes over the nodes.

    max_y sum_u unary[u, y_u] + sum_(u,v) pair[y_u, y_v]
        by dynamic programming from the leaves to the roots and back

Trees, chains (where it is Viterbi's algorithm, ties included), and graphs of several such parts; a field with
a cycle is refused. Two edges between the same nodes are a cycle. See `kernels/tree_max.py`. Cost O(m K^2).

`upward_messages` and `downward_labels` are the same two passes for those who want to watch, from the smallest
node of each part:

    message(u -> p)[s'] = max_s (unary[u, s] + sum of the messages of u's children [s] + pair[s, s'])
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.fields import CompiledDecoder, Fields, Solved, hard, spread
from explorer.engine.structures.fields.kernels.decoders import TREE
from explorer.engine.structures.fields.kernels.tree_max import first_cyclic, tree_best_all
from explorer.engine.structures.fields.oracles.belief import beliefs_from
from explorer.engine.vectors import Array, Ints


@final
@dataclass(frozen=True, slots=True)
class Tree:
    """Dynamic programming from the leaves to the root."""

    title: ClassVar[str] = "tree max-product"
    help: ClassVar[str] = (
        "Exact on graphs without cycles: the best score below every node, from the leaves up."
    )
    kind: ClassVar[str] = "exact"

    def refuses(self, fields: Fields) -> str | None:
        """A field with a cycle."""
        stack = (fields.unary, fields.nodes, fields.ends, fields.edges, fields.table, fields.pair)
        found = first_cyclic(*stack, 0, len(fields))
        if found < 0:
            return None
        m, e = (int(np.diff(part)[found]) for part in (fields.nodes, fields.edges))
        return (
            f"field {found} has a cycle ({m} nodes, {e} edges); tree max-product takes graphs without "
            "cycles: choose another oracle, or leave edges out"
        )

    def decoder(self, states: int) -> CompiledDecoder | None:
        """Compiled visits know it."""
        return CompiledDecoder(TREE)

    def solve(self, fields: Fields) -> Solved:
        """The best labelling of every field; raises Refused at a cycle."""
        reason = self.refuses(fields)
        if reason:
            raise Refused(reason)
        labels = np.empty(len(fields.unary), dtype=np.int64)
        stack = (fields.unary, fields.nodes, fields.ends, fields.edges, fields.table, fields.pair)
        spread(fields, lambda lo, hi: tree_best_all(*stack, lo, hi, labels))
        return hard(fields, labels, fields.scores(labels))


def upward_messages(field: Fields) -> Iterator[tuple[int, Array]]:
    """Node after node, children first: the row of its message to its parent, and all messages so far."""
    messages = np.zeros((2 * len(field.ends), field.states))
    for u, half in reversed(_hang(field)):
        if half >= 0:
            below = beliefs_from(field, messages)[u]
            messages[half] = (below[:, None] + _table(field, half)).max(axis=0)
            yield half, messages.copy()


def downward_labels(field: Fields, messages: Array) -> Ints:
    """From the roots down, each node takes what goes best with its parent's state, given all messages."""
    below, labels = beliefs_from(field, messages), np.zeros(len(field.unary), dtype=np.int64)
    for u, half in _hang(field):
        best = (
            below[u]
            if half < 0
            else below[u] + _table(field, half)[:, labels[field.ends[half // 2, 1 - half % 2]]]
        )
        labels[u] = np.argmax(best)
    return labels


def _hang(field: Fields) -> list[tuple[int, int]]:
    """The nodes, parents first, each with the half-edge to its parent, 2 e + d from ends[e, d]; -1: root."""
    near: list[list[tuple[int, int]]] = [[] for _ in field.unary]
    for e, (a, b) in enumerate(field.ends.tolist()):
        near[a].append((b, 2 * e + 1))
        near[b].append((a, 2 * e))
    order: list[tuple[int, int]] = []
    seen: set[int] = set()
    for root in range(len(near)):
        waiting = [] if root in seen else [(root, -1)]
        seen.add(root)
        for u, _ in waiting:
            waiting += [(v, half) for v, half in near[u] if v not in seen]
            seen.update(v for v, _ in near[u])
        order += waiting
    return order


def _table(field: Fields, half: int) -> Array:
    """The pairwise scores of a half-edge's edge, rows for the node that it leaves."""
    table = field.pair[field.table[half // 2]]
    return table if half % 2 == 0 else table.T
