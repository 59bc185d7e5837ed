"""Alpha-expansion: state after state is offered to all nodes at once, until none is taken any more.

    expansion of s:  max over labellings in which every node has its present state or s      (one minimum cut)

It starts from every node's own best state; the score rises with every move that is taken, so any field may be
given. For Potts scores, and others that are minus a metric, each move is the best of its kind, and the answer
is within a factor two of the best energy. Boykov, Veksler and Zabih, "Fast approximate energy minimization
via graph cuts" (2001). Cost of a sweep: K minimum cuts; see `kernels/move_making.py`.
"""

from typing import ClassVar, NamedTuple, final

import numpy as np

from explorer.engine.knobs import knob, settings
from explorer.engine.structures.fields.fields import Fields, Solved, hard, spread
from explorer.engine.structures.fields.kernels.flow_network import network
from explorer.engine.structures.fields.kernels.graph_cut import mixing
from explorer.engine.structures.fields.kernels.move_making import MoveLog, make_moves, move_fields
from explorer.engine.vectors import Ints


@final
@settings
class Expansion:
    """Every node keeps its state or takes the one that is offered."""

    title: ClassVar[str] = "alpha-expansion"
    help: ClassVar[str] = "Offers one state after another to all nodes at once; each move is a graph cut."
    kind: ClassVar[str] = "under"

    sweeps: int = knob(20, "Rounds over all states, at most.", low=1, high=1000)

    def refuses(self, fields: Fields) -> str | None:
        """Takes any field."""
        return None

    def solve(self, fields: Fields) -> Solved:
        """A labelling of every field that no expansion betters."""
        return hard(fields, labels_after(fields, expansions(fields.states), self.sweeps))


class LabelMove(NamedTuple):
    """A state that was offered, the nodes that took it (none where it did not help), and the score
    afterwards.
    """

    state: int
    changed: Ints
    score: float


def expand(field: Fields, sweeps: int = 20) -> list[LabelMove]:
    """The expansions of one field in the order in which they are tried, from every node's own best state."""
    m, e, moves = len(field.unary), len(field.ends), expansions(field.states)
    mix = mixing(
        0,
        field.unary,
        field.nodes,
        field.ends,
        field.edges,
        field.table,
        field.pair,
        network(m, 2 * e),
        np.empty(e, np.int32),
    )
    log = MoveLog(np.empty(sweeps * len(moves)), np.empty((sweeps * len(moves), m), np.bool_))
    tried = make_moves(mix, moves, sweeps, np.argmax(field.unary, axis=1).astype(np.int64), log)
    return [
        LabelMove(k % len(moves), np.flatnonzero(log.changed[k]).astype(np.int64), float(log.score[k]))
        for k in range(tried)
    ]


def expansions(states: int) -> Ints:
    """The moves of a sweep: a state with itself stands for its expansion."""
    return np.stack([np.arange(states), np.arange(states)], axis=1)


def labels_after(fields: Fields, moves: Ints, sweeps: int) -> Ints:
    """The labelling that moves lead to from every node's own best state."""
    labels = np.argmax(fields.unary, axis=1).astype(np.int64)
    stack = (fields.unary, fields.nodes, fields.ends, fields.edges, fields.table, fields.pair)
    spread(fields, lambda lo, hi: move_fields(*stack, moves, sweeps, lo, hi, labels))
    return labels
