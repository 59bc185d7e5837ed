"""What theorems ask of a problem, made once for each problem that is looked at, where that takes a blink."""

from explorer.engine.contracts import Problem
from explorer.engine.theory.bounds import Extent
from explorer.engine.theory.relaxed_extent import known_extent
from explorer.views.kit.memory import Memory

QUICK = 0.1
"""The share of all problems' labellings that could be listed, which a page lists: some 2,000 of them."""


class Extents:
    """The extent of the problem that was asked about last."""

    def __init__(self) -> None:
        self.kept = Memory(1)

    def of(self, problem: Problem) -> Extent | None:
        """Its extent; None when it has too many labellings to look at."""
        found: Extent | None = self.kept.of(problem).get("extent", lambda: known_extent(problem, QUICK))
        return found
