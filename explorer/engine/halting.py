"""How a long search is told to end, from another thread: a flag that oracles look at between two subproblems.

    with under(flag): learner works, its oracles call halt() or hand flag() to their kernels

Whoever works for somebody that may lose patience sets a flag of one byte for what this thread does meanwhile;
a kernel that searches takes it as an argument, and gives up when it is no longer 0. Without anybody's flag
there is one that nobody sets.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

import numpy as np

Flag: TypeAlias = np.ndarray[tuple[int], np.dtype[np.uint8]]


class Cancelled(Exception):
    """Raised inside a learner, an oracle or a look when the run was cancelled."""


def new_flag() -> Flag:
    """A flag that is down."""
    return np.zeros(1, np.uint8)


NOBODY = new_flag()
_FLAG: ContextVar[Flag] = ContextVar("flag", default=NOBODY)


def flag() -> Flag:
    """The flag of whoever this thread works for."""
    return _FLAG.get()


def halt() -> None:
    """Raise Cancelled if the flag is up."""
    if _FLAG.get()[0]:
        raise Cancelled


@contextmanager
def under(raised: Flag) -> Iterator[None]:
    """Work under a flag, in this thread and those that it hands parts to."""
    token = _FLAG.set(raised)
    try:
        yield
    finally:
        _FLAG.reset(token)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Work for so long at most: then the flag goes up, and searches that look at it raise Cancelled."""
    raised = new_flag()
    timer = threading.Timer(seconds, raised.fill, (1,))
    timer.daemon = True
    timer.start()
    try:
        with under(raised):
            yield
    finally:
        timer.cancel()


__all__ = ["Cancelled", "Flag", "flag", "halt", "new_flag", "under", "within"]
