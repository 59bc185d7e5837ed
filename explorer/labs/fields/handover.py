"""Fields handed over from training runs to the oracle lab: what one page gives, another can show.

A field is known by a digest of its numbers and words, so an example at the same weights is one entry however
often it is given. The latest are kept, at most MOST_FIELDS of them and MOST_NUMBERS numbers in all. A chain
becomes a field whose first and last scores hold what beginning and ending there is worth:

    unary'(t, s) = unary(t, s) + [t first] start(s) + [t last] stop(s)
    pair(s, s')  = trans(s, s') between neighbours
"""

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np

from explorer.engine.structures.chains.oracles.viterbi import Chains
from explorer.engine.structures.fields.fields import Fields
from explorer.engine.vectors import Array, Ints

MOST_FIELDS, MOST_NUMBERS = 60, 10_000_000
"""80 MB of scores at most."""

ROW = 8
"""Positions of a chain that lie beside each other before it goes on below."""


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """A field in words, with its nodes' places (y upwards) and the rows and columns of a grid."""

    words: str
    field: Fields
    place: Array
    shape: tuple[int, int] | None = None

    @property
    def numbers(self) -> int:
        """How many numbers it consists of."""
        return int(sum(part.size for part in self.parts))

    @property
    def parts(self) -> tuple[Array | Ints, ...]:
        """The arrays of the field."""
        return self.field.unary, self.field.ends, self.field.table, self.field.pair


class Handover:
    """The fields that were given last, by name; any thread may give and get."""

    def __init__(self, most: int = MOST_FIELDS, numbers: int = MOST_NUMBERS) -> None:
        self.most, self.numbers = most, numbers
        self._kept: OrderedDict[str, Taken] = OrderedDict()
        self._lock = threading.Lock()

    def give(self, one: Taken) -> str:
        """Keep a field, and let the oldest go; the name under which it can be had."""
        digest = hashlib.sha256(one.words.encode())
        for part in one.parts:
            digest.update(np.ascontiguousarray(part).tobytes())
        key = digest.hexdigest()[:12]
        with self._lock:
            self._kept[key] = one
            self._kept.move_to_end(key)
            while len(self._kept) > 1 and not self._fits():
                self._kept.popitem(last=False)
        return key

    def _fits(self) -> bool:
        return (
            len(self._kept) <= self.most and sum(one.numbers for one in self._kept.values()) <= self.numbers
        )

    def get(self, key: str) -> Taken | None:
        """The field of a name, if it is still kept."""
        with self._lock:
            return self._kept.get(key)


HANDOVER = Handover()
"""One for all pages of a server process, in which the lab answers the address that a studio opens."""


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


__all__ = ["HANDOVER", "Handover", "Taken", "field_of", "row_places", "words_at"]
