"""Point-incremental k-means on a similarity: each item in turn goes to the cluster that raises the value the
most.

    gain of moving i from a to b = (S(b) + 2 s_i(b) + K_ii) / (|b| + 1) - S(b) / |b|
        S(c) = sum_{j, l in c} K_jl
                                 + (S(a) - 2 s_i(a) - K_ii) / (|a| - 1) - S(a) / |a|
                                     s_i(c) = sum_{j in c, j != i} K_ij

Finley 2009, section 4.3.3 ("Iterative"). The value never falls, for indefinite K too, and no cluster is
emptied; it ends when a sweep moves nothing. Single starts often end with two true clusters fused, so several
can be asked for: starts are drawn from (seed, m, k), the best end is kept. Takes any loss. Cost: O(k) for a
look at an item, O(m) for a move.
"""

from typing import ClassVar, NamedTuple, final

import numpy as np

from explorer.engine.knobs import knob, settings
from explorer.engine.structures.clusterings.kernels.moves import group_items, least_move, settle, sweep
from explorer.engine.structures.clusterings.oracles._kernel_question import (
    KernelQuestion,
    kernel_question,
    refused_free,
)
from explorer.engine.structures.clusterings.partitions import canonical
from explorer.engine.structures.clusterings.question import Answer, Question
from explorer.engine.vectors import Ints


class ItemMove(NamedTuple):
    """In this sweep, `item` went from cluster `old` to `new`: what that gained, and the value after it."""

    sweep: int
    item: int
    old: int
    new: int
    gain: float
    value: float


@final
@settings
class Iterative:
    """Moves of single items from random starts."""

    title: ClassVar[str] = "iterative k-means"
    help: ClassVar[str] = (
        "Moves one item at a time to the cluster that gains most, until no item wants to move."
    )
    kind: ClassVar[str] = "under"

    restarts: int = knob(1, "Random starts, of which the best end is kept.", low=1, high=1000)
    seed: int = knob(0, "Which random starts are drawn.", low=0, high=9999)

    def refuses(self, question: Question) -> str | None:
        """No number of clusters."""
        return refused_free(question, self.title)

    def solve(self, question: Question) -> Answer:
        """A clustering that no move of one item betters."""
        told, starts = kernel_question(question), random_starts(question, self.restarts, self.seed)
        if told is None:
            ends = [_plain(question, start) for start in starts]
            return Answer(canonical(max(ends, key=question.value)))
        best, _ = settle(told.K, question.groups or 0, told.stake, starts)
        return Answer(canonical(starts[best]))

    def moves(self, question: Question) -> tuple[Ints, list[ItemMove]]:
        """The start that ended best, and all moves from there on; for losses that compiled code knows."""
        told, starts = kernel_question(question), random_starts(question, self.restarts, self.seed)
        if told is None:
            raise TypeError(f"moves under {question.delta!r} are not recorded")
        best, _ = settle(told.K, question.groups or 0, told.stake, starts.copy())
        return starts[best].copy(), _recorded(told, question.groups or 0, starts[best])


def random_starts(question: Question, restarts: int, seed: int) -> Ints:
    """One random clustering into exactly k clusters in each row."""
    m, k = question.m, question.groups or 1
    rng = np.random.default_rng((seed, m, k))
    out = np.empty((restarts, m), dtype=np.int64)
    for row in out:  # one after the other, so that more restarts begin with the same ones
        row[:] = rng.integers(0, k, m)
        row[rng.permutation(m)[:k]] = np.arange(k)
    return out


def _recorded(told: KernelQuestion, k: int, labels: Ints) -> list[ItemMove]:
    m, least = len(labels), least_move(told.K, told.stake)
    items, ends, gains = np.empty(m, dtype=np.int64), np.empty((m, 2), dtype=np.int64), np.empty((m, 2))
    state, found, number = group_items(told.K, k, told.stake, labels), list[ItemMove](), 0
    while count := sweep(told.K, told.stake, state, least, items, ends, gains):
        for n in range(count):
            value = told.constant + float(gains[n, 1])
            found.append(
                ItemMove(number, int(items[n]), int(ends[n, 0]), int(ends[n, 1]), float(gains[n, 0]), value)
            )
        number += 1
    return found


def _plain(question: Question, labels: Ints) -> Ints:
    """The same under a loss that only Python knows."""
    value, before = question.value(canonical(labels)), -np.inf
    while value > before:
        before = value
        for i in range(question.m):
            if np.count_nonzero(labels == labels[i]) > 1:
                tried = np.repeat(labels[None], question.groups or 1, axis=0)
                tried[:, i] = np.arange(len(tried))
                values = [question.value(canonical(row)) for row in tried]
                best = int(np.argmax(values))
                if values[best] > value:
                    labels, value = tried[best], values[best]
    return labels
