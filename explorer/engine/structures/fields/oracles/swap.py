"""Alpha-beta swap: for one pair of states after another, the nodes in either are divided anew between the
two.

    swap of s and t:  max over labellings in which nodes in s or t have s or t and all others stay
        (one minimum cut)

It starts from every node's own best state; the score rises with every move that is taken, so any field may be
given. A move is the best of its kind where pair[s, s] + pair[t, t] >= pair[s, t] + pair[t, s], a weaker
condition than that of expansions. Boykov, Veksler and Zabih, "Fast approximate energy minimization via graph
cuts" (2001). Cost of a sweep: K (K - 1) / 2 minimum cuts; see `kernels/move_making.py`.
"""

from typing import ClassVar, final

import numpy as np

from explorer.engine.knobs import knob, settings
from explorer.engine.structures.fields.fields import Fields, Solved, hard
from explorer.engine.structures.fields.oracles.expansion import labels_after
from explorer.engine.vectors import Ints


@final
@settings
class Swap:
    """Two states exchange nodes."""

    title: ClassVar[str] = "alpha-beta swap"
    help: ClassVar[str] = (
        "Divides the nodes of two states anew between them, pair after pair; each move is a graph cut."
    )
    kind: ClassVar[str] = "under"

    sweeps: int = knob(20, "Rounds over all pairs of states, at most.", low=1, high=1000)

    def refuses(self, fields: Fields) -> str | None:
        """Takes any field."""
        return None

    def solve(self, fields: Fields) -> Solved:
        """A labelling of every field that no swap betters."""
        return hard(fields, labels_after(fields, swaps(fields.states), self.sweeps))


def swaps(states: int) -> Ints:
    """The moves of a sweep: all pairs of states, the smaller one first."""
    return np.stack(np.triu_indices(states, 1), axis=1).astype(np.int64)
