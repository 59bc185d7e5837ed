"""Clusters from the triangle relaxation: each item that is still alone joins the first one that it is mostly
with.

    for x in order, while {x} is alone: x joins the cluster of the first x' with e_xx' > threshold

Finley 2009, algorithm 5, with threshold 0.7. Whole shares become the clustering that they are; the
relaxation's bound holds for the answer too. Cost: that of the relaxation.
"""

from typing import ClassVar, final

import numpy as np

from explorer.engine.knobs import knob, settings
from explorer.engine.structures.clusterings.oracles.triangle_relaxation import (
    TriangleRelaxation,
    refused_relaxation,
)
from explorer.engine.structures.clusterings.partitions import canonical, is_relaxed, pair_matrix
from explorer.engine.structures.clusterings.question import Answer, Question
from explorer.engine.vectors import Array, Ints


@final
@settings
class RoundedRelaxation:
    """The relaxation's shares, made into clusters."""

    title: ClassVar[str] = "rounded relaxation"
    help: ClassVar[str] = (
        "Solves the triangle relaxation, then puts every item with the first one that it is mostly with."
    )
    kind: ClassVar[str] = "under"

    threshold: float = knob(0.7, "Share above which two items are put together.", low=0.5, high=0.999)

    def refuses(self, question: Question) -> str | None:
        """What the relaxation refuses."""
        return refused_relaxation(question, self.title)

    def solve(self, question: Question) -> Answer:
        """A clustering, and the relaxation's bound."""
        label, bound = TriangleRelaxation().solve(question)
        return Answer(round_shares(label, question.m, self.threshold) if is_relaxed(label) else label, bound)


def round_shares(shares: Array, m: int, threshold: float) -> Ints:
    """Algorithm 5 on shares of pairs."""
    near, labels = pair_matrix(shares, m) > threshold, np.arange(m)
    for x in range(m):
        if near[x].any() and np.count_nonzero(labels == labels[x]) == 1:
            labels[x] = labels[int(np.argmax(near[x]))]
    return canonical(labels)
