"""Passes over sets of items, for problems whose labels are clusterings, partitions or forests of links.

    cut of example i:  y,  Psi(x_i, y_i) - Psi(x_i, y),  Delta(y_i, y)

with y the oracle's answer, or the truth where the answer is less violated. Sets do not depend on each other:
each is asked on whichever core is free. Cost: one oracle call for every set.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from explorer.engine.contracts import Problem
from explorer.engine.events import Cut, Sweep
from explorer.engine.structures.clusterings.item_sets import ItemSet
from explorer.engine.structures.clusterings.partitions import pair_count
from explorer.engine.threads import each
from explorer.engine.vectors import Array, Vector


class SetProblem(Problem, Protocol):
    """A problem over sets of items."""

    def most_violated(self, w: Array, i: int) -> tuple[Any, Any]:
        """The question about example i, and the answer to it."""
        ...

    def difference(self, i: int, label: Any) -> Vector:
        """Psi(x_i, y_i) - Psi(x_i, label)."""
        ...


def chunk_of(inputs: Sequence[ItemSet], pairs: int) -> int:
    """How many sets together have about this many pairs of items; at least one."""
    size = sum(pair_count(x.m) for x in inputs)
    return max(1, min(1000, int(pairs * len(inputs) / max(size, 1))))


def at_least_truth(question: Any, label: Any, truth: Any) -> Any:
    """An oracle's answer; the truth where it is less violated, because the oracle knew nothing better."""
    return label if question.value(label) >= 0.0 else np.array(truth)


def cuts(problem: SetProblem, w: Array, lo: int, hi: int) -> list[Cut]:
    """The most violated label of every set, with its features and loss."""

    def answer(i: int) -> Cut:
        label = problem.most_violated(w, i)[1]
        return Cut(i, label, problem.difference(i, label), problem.loss(i, label))

    return each(answer, lo, hi)


def sweep(problem: SetProblem, w: Array, lo: int, hi: int) -> Sweep:
    """The same, summed up."""

    def answer(i: int) -> tuple[Any, float, float, Any]:
        question, label = problem.most_violated(w, i)
        loss = problem.loss(i, label)
        psi = problem.pricing.weight(loss) * np.asarray(problem.difference(i, label))
        return label, loss, question.margin(label), psi

    labels, losses, margins, parts = zip(*each(answer, lo, hi), strict=True)
    return Sweep(labels, np.array(losses), np.array(margins), np.sum(parts, axis=0))
