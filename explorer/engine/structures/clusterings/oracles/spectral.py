"""The spectral relaxation of k-means: Y needs orthonormal columns and nothing else.

    max over Y' Y = I of trace(Y' K Y) = lambda_1 + ... + lambda_k,
        Y = the eigenvectors of K's k largest eigenvalues

Finley 2009, section 4.3.3 ("Spectral"). No clustering into k clusters is worth more. The answer stays
relaxed: flat Y, m k numbers. A loss must fold: the normalised one, with margin scaling and a linear penalty.
Cost: one symmetric eigenproblem, O(m^3), of which only k vectors are made.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

import numpy as np
from scipy.linalg import eigh

from explorer.engine.structures.clusterings.oracles._kernel_question import refused_free, refused_loss
from explorer.engine.structures.clusterings.question import Answer, Question
from explorer.engine.vectors import Array


class Spectrum(NamedTuple):
    """Eigenvalues, the largest first, and an eigenvector for each in the columns of Y."""

    values: Array
    Y: Array


@final
@dataclass(frozen=True, slots=True)
class Spectral:
    """The k best eigenvectors."""

    title: ClassVar[str] = "spectral"
    help: ClassVar[str] = (
        "Answers with the k best eigenvectors instead of clusters: a bound that no clustering exceeds."
    )
    kind: ClassVar[str] = "over"

    def refuses(self, question: Question) -> str | None:
        """No number of clusters, or a loss that does not fold."""
        return refused_free(question, self.title) or refused_loss(question, self.title, "iterative k-means")

    def solve(self, question: Question) -> Answer:
        """Y, flat, and the sum of its eigenvalues."""
        constant, K = _folded(question)
        k, m = question.groups or 1, question.m
        values, Y = top(K, k)
        rounding = 4.0 * k * m * np.finfo(float).eps * (abs(constant) / m + float(np.max(np.abs(K))) * m)
        return Answer(np.ascontiguousarray(Y).reshape(-1), constant + float(np.sum(values)) + rounding)

    def spectrum(self, question: Question) -> Spectrum:
        """All eigenvalues and eigenvectors of the similarity, with the loss folded in."""
        _, K = _folded(question)
        return top(K, question.m)


def top(K: Array, k: int) -> Spectrum:
    """The k largest eigenvalues; every eigenvector's largest entry is positive."""
    m = len(K)
    scale = float(np.max(np.abs(K))) or 1.0
    values, Y = eigh(K / scale, subset_by_index=[m - k, m - 1])
    if len(values) < k:  # where eigenvalues coincide, LAPACK's search for a few of them may lose some
        values, Y = (part[..., -k:] for part in eigh(K / scale))
    values, Y = values[::-1] * scale, Y[:, ::-1]
    signs = np.sign(Y[np.argmax(np.abs(Y), axis=0), np.arange(k)])
    return Spectrum(values, np.ascontiguousarray(Y * signs))


def _folded(question: Question) -> tuple[float, Array]:
    found = question.fold()
    assert found is not None, "refuses() says so"
    return found
