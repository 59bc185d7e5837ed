"""Loopy belief propagation: neighbours tell each other how much every state is worth to them, all at once.

    m_{u->v}[s'] = max_s (unary[u, s] + sum over t != v of m_{t->u}[s] + pair[s, s']) - the same at s' = 0

Finley 2009, section 5.3.1: max-product, synchronous, messages 0 at first, no damping, 100 sweeps, tolerance
1e-6 (his text leaves these open). Decoded by the largest belief, the smaller of equal states. Exact on
forests once the messages have crossed them, where the best labelling is unique; elsewhere often good and
sometimes very bad. `propagate` shows the messages of one field. See `kernels/belief.py`. Cost O(e K^2) for a
sweep.
"""

from typing import ClassVar, NamedTuple, final

import numpy as np

from explorer.engine.knobs import knob, settings
from explorer.engine.structures.fields.fields import CompiledDecoder, Fields, Solved, hard, spread
from explorer.engine.structures.fields.kernels.belief import propagate_all, sweep
from explorer.engine.structures.fields.kernels.decoders import BELIEF
from explorer.engine.vectors import Array, Ints

SWEEPS, DAMPING, TOLERANCE = 100, 0.0, 1e-6


class Decoded(NamedTuple):
    """Labels of all fields; for each field the sweeps made and whether its messages converged."""

    labels: Ints
    sweeps: Ints
    converged: "np.ndarray[tuple[int], np.dtype[np.bool_]]"


class Messages(NamedTuple):
    """Where belief propagation on one field ended.

    beliefs (m, K); messages (2 e, K), row 2 e from ends[e, 0] to ends[e, 1] and row 2 e + 1 back; history
    holds the messages at the start and after each sweep, (sweeps + 1, 2 e, K), or is None.
    """

    beliefs: Array
    messages: Array
    sweeps: int
    converged: bool
    history: Array | None


@final
@settings
class Belief:
    """Max-product messages between neighbours."""

    title: ClassVar[str] = "belief propagation"
    help: ClassVar[str] = (
        "Neighbours send each other messages until they agree: exact on trees, a guess elsewhere."
    )
    kind: ClassVar[str] = "under"

    sweeps: int = knob(SWEEPS, "Every message is sent at most this many times.", low=1, high=1000)
    damping: float = knob(DAMPING, "The share of its old value that a message keeps.", low=0.0, high=0.99)
    tolerance: float = knob(TOLERANCE, "Messages that would change by no more than this are done.", low=0.0)

    def refuses(self, fields: Fields) -> str | None:
        """Takes any field."""
        return None

    def decoder(self, states: int) -> CompiledDecoder | None:
        """Compiled visits know it."""
        return CompiledDecoder(BELIEF, False, self.sweeps, self.damping, self.tolerance)

    def solve(self, fields: Fields) -> Solved:
        """The states of the largest beliefs."""
        return hard(fields, self.labels_and_sweeps(fields).labels)

    def labels_and_sweeps(self, fields: Fields) -> Decoded:
        """The same labels, with sweeps and convergence."""
        labels, made = np.empty(len(fields.unary), dtype=np.int64), np.empty(len(fields), dtype=np.int64)
        change = np.empty(len(fields))
        stack = (fields.unary, fields.nodes, fields.ends, fields.edges, fields.table, fields.pair)
        how = (self.sweeps, self.damping, self.tolerance)
        spread(fields, lambda lo, hi: propagate_all(*stack, lo, hi, *how, labels, made, change))
        return Decoded(labels, made, change <= self.tolerance)


def beliefs_from(field: Fields, messages: Array) -> Array:
    """The beliefs (m, K) that messages (2 e, K) make on one field: own scores and all that was received."""
    out = field.unary.copy()
    np.add.at(out, field.ends[:, 1], messages[0::2])
    np.add.at(out, field.ends[:, 0], messages[1::2])
    return out


def propagate(
    field: Fields,
    sweeps: int = SWEEPS,
    damping: float = DAMPING,
    tolerance: float = TOLERANCE,
    record: bool = False,
) -> Messages:
    """Belief propagation on one field, the same as `Belief` bit for bit; with `record` it keeps every
    sweep.
    """
    messages, beliefs = np.zeros((2 * len(field.ends), field.states)), field.unary.copy()
    history, made, change = [messages.copy()], 0, np.inf
    while made < sweeps and change > tolerance:
        change = sweep(field.unary, field.ends, field.table, field.pair, damping, messages, beliefs)
        made += 1
        if record:
            history.append(messages.copy())
    return Messages(beliefs, messages, made, bool(change <= tolerance), np.stack(history) if record else None)
