"""The best clustering among all partitions: Bell(m) of m items, or Stirling(m, k) with k clusters.

    argmax over y of value(y)

for any loss, scaling and penalty. Cost: a few operations for each partition in compiled code (`kernels.cluster_enumeration`)
for the losses of clusterings; a question in Python for each under other losses, hence fewer of them.
"""

from dataclasses import dataclass
from typing import ClassVar, final

from explorer.engine.structures.clusterings.kernels.enumeration import best_partition
from explorer.engine.structures.clusterings.oracles._asked import asked, refused_numbers
from explorer.engine.structures.clusterings.partitions import all_partitions, bell, stirling
from explorer.engine.structures.clusterings.question import Answer, Question

MOST = 5_000_000
"""Partitions that compiled code looks at; m = 12 makes 4,213,597."""

MOST_PLAIN = 200_000
"""Partitions of which Python asks the value; m = 10 makes 115,975."""


@final
@dataclass(frozen=True, slots=True)
class AllPartitions:
    """Looks at every partition."""

    title: ClassVar[str] = "all partitions"
    help: ClassVar[str] = "Looks at every partition; exact for any loss, for at most 12 items."
    kind: ClassVar[str] = "exact"

    def refuses(self, question: Question) -> str | None:
        """Too many partitions."""
        reason = refused_numbers(question)
        if reason:
            return reason
        m = question.m
        count = bell(m) if question.groups is None else stirling(m, question.groups)
        if count <= MOST_PLAIN or (count <= MOST and asked(question) is not None):
            return None
        return f"{m} items have {count:,} partitions; choose another oracle, or fewer items"

    def solve(self, question: Question) -> Answer:
        """The first best partition."""
        told = asked(question)
        if told is None:
            best = max(all_partitions(question.m, question.groups), key=question.value)
        else:
            best, _ = best_partition(told.K, question.groups or 0, told.stake)
        return Answer(best, question.value(best))
