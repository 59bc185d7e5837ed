"""Speed as a ratio: the processor's time for one thing in units of its time for another, both the least of
some rounds taken in turns, so that neither the machine nor what else it does is measured.
"""

import math
import time
from collections.abc import Callable
from typing import Any


def ratio(one: Callable[[], Any], other: Callable[[], Any], rounds: int = 5) -> float:
    """How many times as long `one` takes as `other`; each is called once before the clock starts."""
    best = {one: math.inf, other: math.inf}
    for counts in (False, *[True] * rounds):
        for act in best:
            began = time.process_time()
            act()
            if counts:
                best[act] = min(best[act], time.process_time() - began)
    return best[one] / best[other]


def units(act: Callable[[], Any], rounds: int = 5) -> float:
    """How long something takes, in units of about ten milliseconds of today's processors."""
    return ratio(act, loop, rounds)


def loop() -> int:
    """What takes a unit: two hundred thousand rounds of an interpreted loop."""
    total = 0
    for k in range(200_000):
        total += k & 7
    return total


def many(act: Callable[[], Any], times: int) -> Callable[[], None]:
    """The same many times over, for what is too short for the clock."""

    def repeat() -> None:
        for _ in range(times):
            act()

    return repeat
