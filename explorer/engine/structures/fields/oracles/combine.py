"""Greedy search and belief propagation, and of the two answers the better one, field by field.

    y = argmax { score(y_greedy), score(y_belief) },      equal scores: greedy's

Finley 2009, section 5.3.1: belief propagation is right more often, greedy search is never terrible; together
they fail rarely. Cost: both, and two scores.
"""

from typing import ClassVar, final

import numpy as np

from explorer.engine.knobs import knob, settings
from explorer.engine.structures.fields.fields import CompiledDecoder, Fields, Solved, hard
from explorer.engine.structures.fields.kernels.decoders import COMBINE
from explorer.engine.structures.fields.oracles.belief import DAMPING, SWEEPS, TOLERANCE, Belief
from explorer.engine.structures.fields.oracles.greedy import NODEWISE, ZEROS, Greedy


@final
@settings
class Combine:
    """The better of greedy search and belief propagation."""

    title: ClassVar[str] = "combine"
    help: ClassVar[str] = "Runs greedy search and belief propagation and keeps the better answer."
    kind: ClassVar[str] = "under"

    start: str = knob(ZEROS, "Where greedy search starts.", choices=(ZEROS, NODEWISE))
    sweeps: int = knob(SWEEPS, "Every message is sent at most this many times.", low=1, high=1000)
    damping: float = knob(DAMPING, "The share of its old value that a message keeps.", low=0.0, high=0.99)
    tolerance: float = knob(TOLERANCE, "Messages that would change by no more than this are done.", low=0.0)

    def refuses(self, fields: Fields) -> str | None:
        """Takes any field."""
        return None

    def decoder(self, states: int) -> CompiledDecoder | None:
        """Compiled visits know it."""
        return CompiledDecoder(COMBINE, self.start == NODEWISE, self.sweeps, self.damping, self.tolerance)

    def solve(self, fields: Fields) -> Solved:
        """The better of both answers for every field."""
        one = Greedy(self.start).solve(fields).labels
        other = Belief(self.sweeps, self.damping, self.tolerance).solve(fields).labels
        better = fields.scores(other) > fields.scores(one)
        return hard(fields, np.where(np.repeat(better, np.diff(fields.nodes)), other, one))
