"""Both cores for work that falls into independent parts: compiled kernels let go of the interpreter's lock.

Every part writes to its own place, so a result never depends on how many threads there were.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import lru_cache
from itertools import pairwise
from typing import Any

SMALL = 64
"""Fewer items than this are not worth a second thread."""


MOST: ContextVar[int] = ContextVar("MOST", default=0)
"""Threads to use at most, where somebody asked for that; 0: no such wish."""


def workers() -> int:
    """Threads to use: those asked for, EXPLORER_THREADS, or one for each core this process may run on."""
    asked = MOST.get() or int(os.environ.get("EXPLORER_THREADS", 0))
    return max(1, asked or len(os.sched_getaffinity(0)))


@contextmanager
def at_most(threads: int) -> Iterator[None]:
    """Use no more threads than this, in what this thread does meanwhile; 0 leaves it as it is."""
    token = MOST.set(threads or MOST.get())
    try:
        yield
    finally:
        MOST.reset(token)


@lru_cache(maxsize=1)
def _pool(process: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers(), thread_name_prefix="kernel")


def in_parts(work: Callable[[int, int], object], lo: int, hi: int, small: int = SMALL) -> None:
    """Call work(a, b) so that the runs a..b together are lo..hi, on all cores where there are at least
    `small` items.
    """
    parts = min(workers(), hi - lo) if hi - lo >= small else 1
    if parts == 1:
        work(lo, hi)
        return
    ends = [lo + (hi - lo) * k // parts for k in range(parts + 1)]
    # The first part is done here; a pool belongs to its process, since threads do not survive a fork.
    # Each part has what this thread was asked: how many threads to use, and whom to listen to.
    later = [_pool(os.getpid()).submit(copy_context().run, work, a, b) for a, b in pairwise(ends[1:])]
    work(ends[0], ends[1])
    for part in later:
        part.result()


def each(answer: Callable[[int], Any], lo: int, hi: int) -> list[Any]:
    """answer(i) for i in lo .. hi - 1, on all cores: worth it where what takes time lets go of the
    interpreter's lock.
    """
    out: list[Any] = [None] * (hi - lo)

    def work(a: int, b: int) -> None:
        for i in range(a, b):
            out[i - lo] = answer(i)

    in_parts(work, lo, hi, small=2)
    return out
