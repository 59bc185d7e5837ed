"""The best clustering among all partitions: Bell(m) of m items, or Stirling(m, k) with k clusters.

    argmax over y of value(y)

for any loss, scaling and penalty. Cost: all partitions, so at most MOST of them.
"""

from dataclasses import dataclass
from typing import ClassVar, final

from explorer.engine.partitions import all_partitions, bell, stirling
from explorer.engine.similarity import Answer, Question

MOST = 1_000_000
"""Partitions that are looked at; m = 11 makes 678,570."""


@final
@dataclass(frozen=True, slots=True)
class AllPartitions:
    """Looks at every partition."""

    title: ClassVar[str] = "all partitions"
    help: ClassVar[str] = "Looks at every partition; exact for any loss, for at most 11 items."
    kind: ClassVar[str] = "exact"

    def refuses(self, question: Question) -> str | None:
        """More than MOST partitions."""
        m = question.m
        count = bell(m) if question.groups is None else stirling(m, question.groups)
        return None if count <= MOST else f"{m} items have {count:,} partitions; choose another oracle, or fewer items"

    def solve(self, question: Question) -> Answer:
        """The first best partition."""
        best = max(all_partitions(question.m, question.groups), key=question.value)
        return Answer(best, question.value(best))
