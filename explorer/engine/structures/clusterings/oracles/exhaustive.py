"""The best clustering among all partitions: Bell(m) of m items, or Stirling(m, k) with k clusters.

    argmax over y of value(y)

for any loss, scaling and penalty. Cost: a few operations for each partition in compiled code
(`kernels.cluster_enumeration`) for the losses of clusterings; a question in Python for each under other
losses, hence fewer of them. `partition_values` lists them all, for those who want more than the best.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, final

import numpy as np

from explorer.engine.contracts import Effort
from explorer.engine.structures.clusterings.kernels.enumeration import best_partition
from explorer.engine.structures.clusterings.oracles._kernel_question import kernel_question, refused_numbers
from explorer.engine.structures.clusterings.partitions import all_partitions, bell, stirling
from explorer.engine.structures.clusterings.question import Answer, Question
from explorer.engine.vectors import Array, Ints

MOST = 5_000_000
"""Partitions that compiled code looks at; m = 12 makes 4,213,597."""

MOST_PLAIN = 200_000
"""Partitions of which Python asks the value; m = 10 makes 115,975."""

QUICK = 700_000
"""Partitions that are looked at while somebody waits: all of 11 items."""

CHUNK = 4096
"""Partitions whose scores are added up at once."""


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
        m, count = question.m, partition_count(question)
        if count <= MOST_PLAIN or (count <= MOST and kernel_question(question) is not None):
            return None
        return f"{m} items have {count:,} partitions; choose another oracle, or fewer items"

    def effort(self, question: Question) -> Effort:
        """The partitions that it looks at."""
        count = partition_count(question)
        because = f"{question.m} items have {count:,} partitions and it looks at every one"
        return Effort(count, because, QUICK, QUICK)

    def solve(self, question: Question) -> Answer:
        """The first best partition."""
        told = kernel_question(question)
        if told is None:
            best = max(all_partitions(question.m, question.groups), key=question.value)
        else:
            best, _ = best_partition(told.K, question.groups or 0, told.stake)
        return Answer(best, question.value(best))


def partition_count(question: Question) -> int:
    """How many partitions a question is about."""
    return bell(question.m) if question.groups is None else stirling(question.m, question.groups)


@lru_cache(maxsize=8)
def partition_rows(m: int, groups: int | None) -> Ints:
    """All partitions of m items, into `groups` clusters if given, as rows."""
    return np.array(list(all_partitions(m, groups)), dtype=np.int64)


def partition_values(question: Question) -> Array:
    """The value of every partition, in the order of `partition_rows`; by the folded matrix where the loss
    folds.
    """
    rows, folded = partition_rows(question.m, question.groups), question.fold()
    if folded is None:
        return np.array([question.value(row) for row in rows])
    parts = [rows[at : at + CHUNK] for at in range(0, len(rows), CHUNK)]
    return folded[0] + np.concatenate([_scores(folded[1], part, question.groups) for part in parts])


def _scores(K: Array, rows: Ints, groups: int | None) -> Array:
    """The scores of many partitions at once."""
    same = rows[:, :, None] == rows[:, None, :]
    if groups is None:
        return np.asarray(0.5 * np.einsum("nij,ij->n", same, K - np.diag(np.diag(K))))
    return np.asarray(np.einsum("nij,ij,ni->n", same, K, 1.0 / same.sum(axis=2)))
