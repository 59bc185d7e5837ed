"""Fields taken from training runs to the oracle lab: what a page puts on this shelf, a lab of the same server
can show.

A field is known by a digest of its numbers and words, so an example at the same weights is one entry however
often it is taken. The latest `MOST` are kept. A chain becomes a field whose first and last scores hold what
beginning and ending there is worth:

    unary'(t, s) = unary(t, s) + [t first] start(s) + [t last] stop(s),
        pair(s, s') = trans(s, s') between neighbours
"""

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np

from explorer.engine.structures.chains.oracles.viterbi import Chains
from explorer.engine.structures.fields.fields import Fields
from explorer.engine.vectors import Array

MOST = 60
ROW = 8
"""Positions of a chain that lie beside each other before it goes on below."""


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """A field in words, with its nodes' places (y upwards) and the rows and columns of a grid."""

    words: str
    field: Fields
    place: Array
    shape: tuple[int, int] | None = None


_shelf: OrderedDict[str, Taken] = OrderedDict()
_lock = threading.Lock()


def take(one: Taken) -> str:
    """Put a field on the shelf; the name under which it can be had."""
    digest = hashlib.sha256(one.words.encode())
    for numbers in (one.field.unary, one.field.ends, one.field.table, one.field.pair):
        digest.update(np.ascontiguousarray(numbers).tobytes())
    key = digest.hexdigest()[:12]
    with _lock:
        _shelf[key] = one
        _shelf.move_to_end(key)
        while len(_shelf) > MOST:
            _shelf.popitem(last=False)
    return key


def taken(key: str) -> Taken | None:
    """The field of a name, if it is still kept."""
    with _lock:
        return _shelf.get(key)


def field_of(chain: Chains) -> Fields:
    """One chain as a field with the same score for every labelling."""
    unary = np.array(chain.unary)
    unary[0] += chain.start
    unary[-1] += chain.stop
    steps = np.arange(len(unary) - 1, dtype=np.int64)
    ends = np.stack([steps, steps + 1], axis=1)
    sizes = (np.array([0, len(unary)]), ends, np.array([0, len(steps)]), np.zeros(len(steps), dtype=np.int64))
    return Fields(unary, *sizes, np.asarray(chain.trans, dtype=float)[None])


def words_at(step: int | None) -> str:
    """When a field was taken."""
    return "before training" if step is None else f"at step {step}"


def row_places(length: int) -> Array:
    """Positions from left to right in a zigzag, and on to the next line at the same end, like a furrow."""
    line, at = np.divmod(np.arange(length), ROW)
    return np.stack([np.where(line % 2, ROW - 1 - at, at), -line - 0.4 * (at % 2)], axis=1).astype(float)


__all__ = ["Taken", "field_of", "row_places", "take", "taken", "words_at"]
