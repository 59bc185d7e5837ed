"""What block-coordinate learners keep of each example, as plain arrays that compiled visits read and
write.
"""

import mmap
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorer.engine.vectors import Array, Ints

Labels = NDArray[np.int32]

FEW_BYTES = 1 << 22
"""Arrays smaller than this are not worth saving pages of."""


class Cache(NamedTuple):
    """Up to M cuts for each of n examples; the first held[i] slots of example i are in use.

    `gaps` and `worst` are each example's gap and largest violation when it was last visited. Example i has
    labellings of T_i numbers; slot q of it begins at M * places[i] + q * T_i of `labels`. Where labellings
    can be recombined, seen[t, s] says that the oracle once gave place t the number s; elsewhere it is empty.
    """

    labels: Labels
    held: Ints
    alpha: Array
    size: Array
    gram: Array
    age: Ints
    ids: Ints
    gaps: Array
    worst: Array
    scratch: Array
    seen: NDArray[np.bool_]


class Plan(NamedTuple):
    """What a visit does: ask the oracle or not, the mass of an example, which steps (see `dual.block_steps`)
    and how many, when to forget.

    Without the oracle, `recombine` asks for the best labelling made of what was seen, where the problem knows
    how.
    """

    exact: bool
    cap: float
    rule: int
    steps: int
    keep: int
    recombine: bool = False


class Log(NamedTuple):
    """The cuts that visits found, in order: example, loss, and labellings behind each other."""

    owner: Ints
    size: Array
    labels: Labels


def empty_cache(n: int, slots: int, places: int, dim: int, alphabet: int = 0) -> Cache:
    """Room for `slots` cuts of each of n examples, with `places` numbers in one labelling of all of them."""
    return Cache(
        labels=untouched_zeros((slots * places,), np.int32),
        held=np.zeros(n, np.int64),
        alpha=np.zeros((n, slots)),
        size=np.zeros((n, slots)),
        gram=untouched_zeros((n, slots, slots)),
        age=np.zeros((n, slots), np.int64),
        ids=np.zeros((n, slots), np.int64),
        gaps=np.zeros(n),
        worst=np.zeros(n),
        scratch=np.zeros(dim),
        seen=np.zeros((places if alphabet else 0, alphabet), np.bool_),
    )


def untouched_zeros(shape: tuple[int, ...], dtype: Any = np.float64) -> NDArray[Any]:
    """Zeros that take memory only where something is written: most examples use few of their slots.

    numpy's own large arrays are backed by pages of two megabytes, of which one number takes up a whole one.
    """
    count = int(np.prod(shape))
    size = count * np.dtype(dtype).itemsize
    if size < FEW_BYTES:
        return np.zeros(shape, dtype)
    pages = mmap.mmap(-1, size)
    if hasattr(mmap, "MADV_NOHUGEPAGE"):
        pages.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(pages, dtype, count).reshape(shape)


def ranges(first: Ints, length: Ints) -> Ints:
    """first_0, first_0 + 1, ... (length_0 numbers), then the same from first_1 on, and so on, in one
    array.
    """
    ends = np.cumsum(length)
    within = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - length, length)
    return within + np.repeat(first, length)


def cuts_at(cache: Cache) -> Ints:
    """Where in the flattened n x M arrays the cuts lie, example by example."""
    n, slots = cache.alpha.shape
    return ranges(slots * np.arange(n), cache.held)
