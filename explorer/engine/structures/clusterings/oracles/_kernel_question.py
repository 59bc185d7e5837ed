"""What kernels are told of a question: a similarity and a stake, with value(y) = constant + worth(y).

A loss that folds joins the similarity; the losses that `kernels.cluster_stakes` knows are passed on by their
number; of any other the worth can only be asked in Python.
"""

from typing import NamedTuple

import numpy as np

from explorer.engine.structures.clusterings.kernels.loss_values import NONE, Stake
from explorer.engine.structures.clusterings.loss_codes import stake_of
from explorer.engine.structures.clusterings.question import Question
from explorer.engine.vectors import Array


class KernelQuestion(NamedTuple):
    """A question as kernels read it."""

    constant: float
    K: Array
    stake: Stake


def kernel_question(question: Question) -> KernelQuestion | None:
    """The question for kernels; None where its loss is unknown to them."""
    folded = question.fold()
    if folded is not None:
        nothing = Stake(NONE, np.zeros(question.m, dtype=np.int64), np.array([question.m]), 0.0, False, False)
        return KernelQuestion(folded[0], _plain(folded[1]), nothing)
    assert question.truth is not None
    stake = stake_of(question.delta, question.truth, question.score(question.truth), question.pricing)
    return None if stake is None else KernelQuestion(0.0, _plain(question.K), stake)


def _plain(K: Array) -> Array:
    """The same numbers as kernels were compiled for: another order, or read-only, would be compiled anew."""
    return np.require(K, np.float64, ["C", "W"])


def refused_numbers(question: Question) -> str | None:
    """Why no oracle can answer: a similarity that is not finite, or a number of clusters that m items cannot
    have.
    """
    finite = np.isfinite(question.K)
    if not finite.all():
        i, j = np.unravel_index(int(np.argmin(finite)), finite.shape)
        return (
            f"the similarity of items {i} and {j} is {question.K[i, j]}, not a finite number; lower the "
            "weights, or C"
        )
    k = question.groups
    if k is not None and not 1 <= k <= question.m:
        return f"{question.m} items cannot make {k} clusters; ask for 1 to {question.m}"
    return None


def refused_groups(question: Question, title: str) -> str | None:
    """Why an oracle of correlation clustering cannot answer."""
    if question.groups is not None:
        return (
            f"{title} does not keep to {question.groups} clusters; choose iterative k-means, or "
            "correlation clustering"
        )
    return refused_numbers(question)


def refused_free(question: Question, title: str) -> str | None:
    """Why an oracle of k-means cannot answer."""
    if question.groups is None:
        return (
            f"{title} must be told the number of clusters; choose k-means, or greedy merges for "
            "correlation clustering"
        )
    return refused_numbers(question)


def refused_loss(question: Question, title: str, other: str) -> str | None:
    """Why an oracle that knows nothing but a similarity cannot answer; `other` is one that can."""
    if question.fold() is not None:
        return None
    which = "pairwise" if question.groups is None else "normalised"
    return (
        f"{title} cannot take this loss into the similarity; "
        f"choose the {which} loss with margin scaling and a linear penalty, or {other}"
    )
