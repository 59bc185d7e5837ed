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
    """The cuts of n examples: held[i] of the room[i] slots of example i are in use.

    All slots of an example lie together, wherever there was place: from cuts_at[i] on in `alpha`, `size`,
    `age` and `ids`, as room x room products from products_at[i] on in `gram`, and as room labellings of
    length[i] numbers from numbers_at[i] on in `labels`; `ends` says how much of the three is given away. An
    example that holds `few` cuts drops an idle one before it takes another, and none holds more than `most`.
    `gaps` and `worst` are each example's gap and largest violation when it was last visited. Where labellings
    can be recombined, seen[t, s] says that the oracle once gave place t the number s; elsewhere it is empty.
    """

    held: Ints
    room: Ints
    length: Ints
    cuts_at: Ints
    products_at: Ints
    numbers_at: Ints
    ends: Ints
    alpha: Array
    size: Array
    age: Ints
    ids: Ints
    gram: Array
    labels: Labels
    gaps: Array
    worst: Array
    scratch: Array
    seen: NDArray[np.bool_]
    few: int
    most: int


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


def empty_cache(length: Ints, few: int, most: int, dim: int, alphabet: int = 0) -> Cache:
    """No cuts yet, of examples whose labellings have these lengths."""
    n, places = len(length), int(np.sum(length))
    return Cache(
        held=np.zeros(n, np.int64),
        room=np.zeros(n, np.int64),
        length=np.array(length, np.int64),
        cuts_at=np.zeros(n, np.int64),
        products_at=np.zeros(n, np.int64),
        numbers_at=np.zeros(n, np.int64),
        ends=np.zeros(3, np.int64),
        gaps=np.zeros(n),
        worst=np.zeros(n),
        scratch=np.zeros(dim),
        seen=np.zeros((places if alphabet else 0, alphabet), np.bool_),
        few=few,
        most=most,
        **pools(0, 0, 0),
    )


def pools(cuts: int, products: int, numbers: int) -> dict[str, Any]:
    """Place for this many cuts, products of two of them and numbers of labellings."""
    kinds = {"alpha": np.float64, "size": np.float64, "age": np.int64, "ids": np.int64}
    found: dict[str, Any] = {name: untouched_zeros((cuts,), kind) for name, kind in kinds.items()}
    return found | {
        "gram": untouched_zeros((products,)),
        "labels": untouched_zeros((numbers,), np.int32),
    }


def untouched_zeros(shape: tuple[int, ...], dtype: Any = np.float64) -> NDArray[Any]:
    """Zeros that take memory only where something is written, so that place can be made ahead of the need.

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


def cuts_in(cache: Cache) -> Ints:
    """Where in `alpha`, `size`, `age` and `ids` the cuts lie, example by example."""
    return ranges(cache.cuts_at, cache.held)


def owners(cache: Cache) -> Ints:
    """The example of each cut, in the same order."""
    return np.repeat(np.arange(len(cache.held)), cache.held)
