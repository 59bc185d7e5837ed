"""Iterated conditional modes: node after node takes the best state given its neighbours, until a sweep
changes nothing.

    y_u <- argmax_s unary[u, s] + sum over edges (u, v) of pair[s, y_v]

Besag, "On the statistical analysis of dirty pictures" (1986). It starts from every node's own best state; the
score never falls, and the answer cannot be bettered at any one node. A node that has a best state already
keeps it; otherwise the smallest one is taken. Cost of a sweep: one look per node, edge and state.
"""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from explorer.engine.incidence import field_at, first_best, scratch
from explorer.engine.structures.fields.fields import CompiledDecoder, Fields, Solved, hard, spread
from explorer.engine.structures.fields.kernels.decoders import MODES
from explorer.engine.structures.fields.kernels.moves import icm_all, local_scores, smallest_gain
from explorer.engine.vectors import Ints


@final
@dataclass(frozen=True, slots=True)
class ICM:
    """Node after node, given its neighbours."""

    title: ClassVar[str] = "ICM"
    help: ClassVar[str] = (
        "Goes from node to node and takes the best state given the neighbours, until nothing changes."
    )
    kind: ClassVar[str] = "under"

    def refuses(self, fields: Fields) -> str | None:
        """Takes any field."""
        return None

    def decoder(self, states: int) -> CompiledDecoder | None:
        """Compiled visits know it."""
        return CompiledDecoder(MODES)

    def solve(self, fields: Fields) -> Solved:
        """A labelling of every field that no change of one node betters."""
        labels = self.first(fields)
        stack = (fields.unary, fields.nodes, fields.ends, fields.edges, fields.table, fields.pair)
        spread(fields, lambda lo, hi: icm_all(*stack, lo, hi, labels))
        return hard(fields, labels)

    def first(self, fields: Fields) -> Ints:
        """Every node's own best state; of equal ones the smaller."""
        return np.argmax(fields.unary, axis=1).astype(np.int64)

    def path(self, field: Fields) -> Ints:
        """Every labelling of the search on one field, one row each, from its start to its answer."""
        stack = (field.unary, field.nodes, field.ends, field.edges, field.table, field.pair)
        one = field_at(0, *stack, *scratch(field.nodes, field.edges, 0, 1))
        labels, here, least = self.first(field), np.empty(field.states), smallest_gain(one)
        rows, changed = [labels.copy()], True
        while changed:
            changed = False
            for u in range(len(labels)):
                local_scores(one, labels, u, here)
                found = first_best(here)
                if here[found] - here[labels[u]] > least:
                    labels[u], changed = found, True
                    rows.append(labels.copy())
        return np.stack(rows)
