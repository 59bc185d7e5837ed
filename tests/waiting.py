"""Tests wait for something to happen, never for time to pass: how long that takes is the machine's affair."""

import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

PATIENCE = 400.0
"""Seconds after which something hangs, on a machine however busy; below the limit of a whole test."""


def wait_until(
    happened: Callable[[], Any], meanwhile: Callable[[], Any] = lambda: None, why: Callable[[], object] = str
) -> None:
    """Do something again and again, until it has happened; what `why` says is shown if it never does."""
    ends = time.monotonic() + PATIENCE
    meanwhile()
    while not happened():
        assert time.monotonic() < ends, why()
        time.sleep(0.01)
        meanwhile()


class Clock(SimpleNamespace):
    """In place of the module `time`: a clock that only sleeping and being looked at move on."""

    def __init__(self, tick: float = 0.0) -> None:
        super().__init__(now=0.0, tick=tick)

    def perf_counter(self) -> float:
        """The time, `tick` later than at the last look."""
        self.now += self.tick
        return self.now

    monotonic = thread_time = process_time = perf_counter

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds
