"""How alike the cuts of a working set are: their Gram matrix, scaled to cosines.

    G[j, k] = a_j . a_k,      cosine[j, k] = G[j, k] / sqrt(G[j, j] G[k, k])

G is the matrix of the dual quadratic program, which has more than one solution along directions where it is
singular: of two cuts of cosine 1 either can carry the weight. Cost: m^2 / 2 dot products for m cuts.
"""

from dataclasses import dataclass

import numpy as np

from explorer.engine.contracts import Problem
from explorer.engine.objective import lift
from explorer.engine.runs.kept_cuts import KeptCuts, cuts_in_phase
from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Array, Ints, Vector, dense, dot
from explorer.views.kit.cuts import slope

MOST = 30
"""Cuts that are drawn: those with the largest weights, the newest first among equals."""


@dataclass(frozen=True, slots=True, eq=False)
class OverlapFrame:
    """The drawn cuts, oldest first: numbers, examples (negative: all), weights, cosines; of `total` cuts."""

    at: int
    number: Ints
    example: Ints
    born: Ints
    alpha: Array
    length: Array
    cosine: Array
    total: int

    @property
    def closest(self) -> tuple[int, int] | None:
        """The two cuts that are most alike; None where there are no two."""
        m = len(self.number)
        if m < 2:
            return None
        apart = np.where(np.tri(m, dtype=bool), -np.inf, np.nan_to_num(self.cosine, nan=-np.inf))
        j, k = np.unravel_index(int(np.argmax(apart)), apart.shape)
        return int(j), int(k)


def frame(problem: Problem, trace: Trace, at: int, phase: int = 0) -> OverlapFrame | None:
    """The working set at a step; None for a learner that keeps no cuts."""
    cuts = cuts_in_phase(trace, at, phase)
    if cuts is None:
        return None
    chosen, vectors = slopes_of(problem, trace, cuts)
    mine, gram = cuts.only(chosen), gram_matrix(problem, vectors)
    length = np.sqrt(np.diag(gram))
    scale = np.outer(length, length)
    cosine = np.divide(gram, scale, out=np.full(gram.shape, np.nan), where=scale > 0.0)
    return OverlapFrame(at, mine.ids, mine.example, mine.born, mine.alpha, length, cosine, len(cuts))


def slopes_of(problem: Problem, trace: Trace, cuts: KeptCuts) -> tuple[Ints, list[Vector]]:
    """The cuts to draw whose vectors are known, oldest first, and their vectors."""
    heavy = np.sort(np.lexsort((-cuts.ids, -cuts.alpha))[:MOST])
    made = ((int(j), slope(problem, trace, cuts, int(j))) for j in heavy)
    known = [(j, a) for j, a in made if a is not None]
    return np.array([j for j, _ in known], dtype=np.int64), [a for _, a in known]


def gram_matrix(problem: Problem, vectors: list[Vector]) -> Array:
    """All inner products, in the geometry of the problem."""
    gram = np.zeros((len(vectors), len(vectors)))
    for j, a in enumerate(vectors):
        lifted = lift(problem, dense(a))
        for k, b in enumerate(vectors[: j + 1]):
            gram[j, k] = gram[k, j] = dot(lifted, b)
    return gram
