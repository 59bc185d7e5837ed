"""The k best answers of any structure whose best answer can be found, by splitting what is left.

    best y* of a set  ->  for every place t the answers that agree with y* before t and differ from it at t

These parts are disjoint and with y* are all of the set, so the next best answer is the best of one of them
(Lawler 1972; Murty 1968 for assignments). Which values a place may have is a table of yes and no; whoever
solves lays a price on what is not allowed that no score can pay. The answers are exact where the solver is.
Cost: one solution for every place of every answer.
"""

import heapq
from collections.abc import Callable
from itertools import count
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints

Allowed: TypeAlias = "NDArray[np.bool_]"
"""Places by values."""

Solve = Callable[[Allowed], tuple[Ints, float]]
"""The best answer where only these values are wanted, and its score; the answer may break that if it must."""


def k_best(solve: Solve, places: int, values: int, k: int) -> list[tuple[Ints, float]]:
    """At most k different answers with their scores, best first."""
    if not isinstance(k, int | np.integer) or k < 1:
        raise Refused(f"k is {k!r}; give a whole number, 1 or more")
    order = count()
    best: list[tuple[Ints, float]] = []
    heap: list[tuple[float, int, Ints, Allowed, int]] = []

    def add(allowed: Allowed, start: int) -> None:
        answer, score = solve(allowed)
        if allowed[np.arange(places), answer].all():
            heapq.heappush(heap, (-score, next(order), answer, allowed, start))

    add(np.ones((places, values), dtype=bool), 0)
    while heap and len(best) < k:
        less, _, answer, allowed, start = heapq.heappop(heap)
        best.append((answer, -less))
        for place in range(start, places) if len(best) < k else ():
            rest, allowed = allowed.copy(), allowed.copy()
            rest[place, answer[place]] = False
            allowed[place] = False
            allowed[place, answer[place]] = True
            if rest[place].any():
                add(rest, place)
    return best


def with_price(scores: Array, allowed: Allowed, most: float) -> Array:
    """The scores, less what nothing can pay where a value is not allowed; `most` bounds what answers differ
    by.
    """
    return np.where(allowed, scores, scores - (most + 1.0))


__all__ = ["Allowed", "k_best", "with_price"]
