"""Batch (Lloyd) k-means on a similarity: all items go to their nearest centre at once.

    d^2(i, c) = K_ii - (2 / |c|) sum_{j in c} K_ij + (1 / |c|^2) sum_{j, l in c} K_jl

With a positive semidefinite K these are distances and the value rises until nothing changes; with an
indefinite K it may fall, and the clusterings may come round again (Finley 2009, section 4.2.1). So the search
ends at the first clustering that was there before, or after this many sweeps, and answers the best one seen.
A cluster left empty takes the item that is farthest from its centre. A loss must fold. Cost: O(m^2 k) for a
sweep.
"""

from typing import ClassVar, NamedTuple, final

import numpy as np

from explorer.engine.knobs import knob, settings
from explorer.engine.structures.clusterings.oracles._kernel_question import refused_free, refused_loss
from explorer.engine.structures.clusterings.oracles.iterative import random_starts
from explorer.engine.structures.clusterings.partitions import canonical
from explorer.engine.structures.clusterings.question import Answer, Question
from explorer.engine.vectors import Array, Ints


class Stage(NamedTuple):
    """A clustering on the way, and its value."""

    labels: Ints
    value: float


@final
@settings
class BatchKMeans:
    """Lloyd's algorithm with kernel distances."""

    title: ClassVar[str] = "batch k-means"
    help: ClassVar[str] = (
        "Moves all items to their nearest centre at once; may go round in circles unless K is a kernel."
    )
    kind: ClassVar[str] = "under"

    sweeps: int = knob(
        100, "Sweeps after which a search that goes round in circles is ended.", low=1, high=10_000
    )
    seed: int = knob(0, "Which random start is drawn.", low=0, high=9999)

    def refuses(self, question: Question) -> str | None:
        """No number of clusters, or a loss that does not fold."""
        return refused_free(question, self.title) or refused_loss(question, self.title, "iterative k-means")

    def solve(self, question: Question) -> Answer:
        """The best clustering seen."""
        return Answer(max(self.history(question), key=lambda stage: stage.value).labels)

    def history(self, question: Question) -> list[Stage]:
        """Every clustering from the start on; the last one was there before, unless the sweeps ran out.

        It converged where the last two are equal.
        """
        folded = question.fold()
        assert folded is not None, "refuses() says so"
        constant, K = folded
        labels, found, known = (
            canonical(random_starts(question, 1, self.seed)[0]),
            list[Stage](),
            set[bytes](),
        )
        for _ in range(self.sweeps + 1):
            new, score = nearest(K, labels, question.groups or 1)
            found.append(Stage(labels, constant + score))
            if labels.tobytes() in known:
                break
            known.add(labels.tobytes())
            labels = canonical(new)
        return found


def nearest(K: Array, labels: Ints, k: int) -> tuple[Ints, float]:
    """Every item's nearest centre, each of the k clusters keeping at least one item; and the score before
    that.
    """
    members = np.eye(k)[labels]
    sizes = members.sum(axis=0)
    sums = K @ members / sizes
    centres = np.sum(members * sums, axis=0) / sizes
    distances = centres - 2.0 * sums  # K_ii is the same for all centres
    new = np.argmin(distances, axis=1)
    far = distances[np.arange(len(K)), new] + np.diag(K)
    for c in np.flatnonzero(np.bincount(new, minlength=k) == 0):
        shared = np.bincount(new, minlength=k)[new] > 1
        new[int(np.argmax(np.where(shared, far, -np.inf)))] = c
    return new, float(centres @ sizes)
