"""Greedy search: the single change of one node that raises the score the most, again and again, until none
does.

    gain of giving node u the state s
        = unary[u, s] - unary[u, y_u] + sum over edges (u, v) of pair[s, y_v] - pair[y_u, y_v]

Finley 2009, section 5.3.1, for any number of states. The answer cannot be bettered at any one node, but may
be far from the best. Ties go to the smaller node, then to the smaller state. Cost of a change: one look per
node, and per neighbour of the node that moved and state.
"""

from typing import ClassVar, final

import numpy as np

from explorer.engine.incidence import field_at, scratch
from explorer.engine.knobs import knob, settings
from explorer.engine.structures.fields.fields import CompiledDecoder, Fields, Solved, hard, spread
from explorer.engine.structures.fields.kernels.decoders import GREEDY
from explorer.engine.structures.fields.kernels.moves import climb, climb_all
from explorer.engine.vectors import Ints

ZEROS, NODEWISE = "zeros", "nodewise"


@final
@settings
class Greedy:
    """The best single change, as long as there is one."""

    title: ClassVar[str] = "greedy"
    help: ClassVar[str] = "Makes the single change that raises the score the most, until none does."
    kind: ClassVar[str] = "under"

    start: str = knob(
        ZEROS, "State 0 at every node, or every node's own best state.", choices=(ZEROS, NODEWISE)
    )

    def refuses(self, fields: Fields) -> str | None:
        """Takes any field."""
        return None

    def decoder(self, states: int) -> CompiledDecoder | None:
        """Compiled visits know it."""
        return CompiledDecoder(GREEDY, self.start == NODEWISE)

    def solve(self, fields: Fields) -> Solved:
        """A labelling of every field that no change of one node betters."""
        labels = self.first(fields)
        stack = (fields.unary, fields.nodes, fields.ends, fields.edges, fields.table, fields.pair)
        spread(fields, lambda lo, hi: climb_all(*stack, lo, hi, labels))
        return hard(fields, labels)

    def first(self, fields: Fields) -> Ints:
        """Where the search starts; of equal states the smaller one."""
        if self.start == ZEROS:
            return np.zeros(len(fields.unary), dtype=np.int64)
        return np.argmax(fields.unary, axis=1).astype(np.int64)

    def path(self, field: Fields) -> Ints:
        """Every labelling of the search on one field, one row each, from its start to its answer."""
        stack = (field.unary, field.nodes, field.ends, field.edges, field.table, field.pair)
        one = field_at(0, *stack, *scratch(field.nodes, field.edges, 0, 1))
        rows, labels = [self.first(field)], self.first(field)
        while climb(one, 1, labels):
            rows.append(labels.copy())
        return np.stack(rows)
