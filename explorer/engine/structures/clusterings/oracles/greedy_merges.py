"""Greedy merges: every item begins alone, and the two clusters whose merger is worth most are joined while H
rises.

    prediction   join a, b with the largest sum_{i in a, j in b} K_ij, while it is above 0
        (algorithm 3)
    training     join a, b with the largest H(y with a and b merged), while H strictly increases
        (algorithm 4)

Finley 2009, sections 3.1 and 3.4.1, for any loss, scaling and penalty. The answer may be far from the best
clustering: the path 4, 5, 4 with -5 elsewhere gets 5 instead of 8. Cost: see `kernels.cluster_merges`; about
m^2 where the loss folds, at most m^3 for the other losses of clusterings, m^2 questions for each merger under
losses that compiled code does not know.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

import numpy as np

from explorer.engine.structures.clusterings.kernels.merges import merge_by_pairs, merge_by_rows
from explorer.engine.structures.clusterings.kernels.tables import Merged, labels_after
from explorer.engine.structures.clusterings.oracles._kernel_question import kernel_question, refused_groups
from explorer.engine.structures.clusterings.partitions import canonical
from explorer.engine.structures.clusterings.question import Answer, Question
from explorer.engine.vectors import Ints


class Merge(NamedTuple):
    """Cluster `second` went into `first` (each called by its smallest item): what that gained, and the value
    after it.
    """

    first: int
    second: int
    gain: float
    value: float


@final
@dataclass(frozen=True, slots=True)
class GreedyMerges:
    """The best merger of two clusters, as long as there is one."""

    title: ClassVar[str] = "greedy merges"
    help: ClassVar[str] = (
        "Starts from single items and joins the two clusters that gain most, until no merger gains."
    )
    kind: ClassVar[str] = "under"

    def refuses(self, question: Question) -> str | None:
        """A number of clusters to keep to."""
        return refused_groups(question, self.title)

    def solve(self, question: Question) -> Answer:
        """A clustering that no merger of two clusters betters."""
        return Answer(labels_after(question.m, mergers(question).ends))

    def merges(self, question: Question) -> list[Merge]:
        """The mergers in order."""
        log = mergers(question)
        return [
            Merge(*ends, *gains) for ends, gains in zip(log.ends.tolist(), log.gains.tolist(), strict=True)
        ]


def mergers(question: Question) -> Merged:
    """The mergers in order, as arrays."""
    told = kernel_question(question)
    if told is None:
        return _plain(question)
    m = question.m
    log = Merged(np.empty((m, 2), dtype=np.int64), np.empty((m, 2)))
    merge = merge_by_pairs if told.stake.slack or told.stake.squared else merge_by_rows
    count = merge(told.K, told.stake, m, log)
    log.gains[:count, 1] += told.constant
    return Merged(log.ends[:count], log.gains[:count])


def _plain(question: Question) -> Merged:
    """The mergers under a loss that only Python knows."""
    names, value = np.arange(question.m), question.value(np.arange(question.m))
    ends, gains = list[tuple[int, int]](), list[tuple[float, float]]()
    while len(alive := np.unique(names)) > 1:
        pairs = [(int(a), int(b)) for n, a in enumerate(alive) for b in alive[n + 1 :]]
        values = [question.value(canonical(_joined(names, a, b))) for a, b in pairs]
        best = int(np.argmax(values))
        if values[best] <= value:
            break
        ends.append(pairs[best])
        gains.append((values[best] - value, values[best]))
        names, value = _joined(names, *pairs[best]), values[best]
    return Merged(np.array(ends, dtype=np.int64).reshape(-1, 2), np.array(gains).reshape(-1, 2))


def _joined(names: Ints, a: int, b: int) -> Ints:
    return np.where(names == b, a, names)
