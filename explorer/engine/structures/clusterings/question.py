"""What a clusterer is asked: the clustering of m items that is worth most under a similarity K and, maybe, a
loss.

    correlation (groups None)   score(y) = sum over pairs i < j that are together of K_ij
    k-means (groups k)          score(Y) = trace(Y' K Y) = sum over clusters c of (1 / |c|) sum_{i, j in c}
                                K_ij

K is symmetric and may be indefinite; the problem scales it so that the score is w . Psi(x, y). Asked for a
prediction, the value is the score. Asked for the most violated clustering, it is H = r - u (score(truth) -
score(y)), with r and u as `Pricing` says. A loss that is itself such a score, constant + score under a matrix
M, folds into K under margin scaling: then H(y) = constant + score(y) under K + M, for relaxed clusterings
too. Finley 2009, sections 3.1, 3.4, 4.3.
"""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np

from explorer.engine.contracts import Loss
from explorer.engine.pricing import Pricing
from explorer.engine.structures.clusterings.partitions import indicator, is_relaxed, pair_vector, together
from explorer.engine.vectors import Array, Ints


@runtime_checkable
class Folds(Protocol):
    """A loss of clusterings with loss(y) = constant + score(y) under a matrix M, for correlation (groups
    None) or k-means.
    """

    def fold(self, truth: Ints, groups: int | None) -> tuple[float, Array] | None: ...


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """Maximise the score under K, or with `truth` and `delta` the violation H."""

    K: Array
    groups: int | None = None
    truth: Ints | None = None
    delta: Loss | None = None
    pricing: Pricing = field(default_factory=Pricing)

    @property
    def m(self) -> int:
        """How many items there are."""
        return len(self.K)

    @property
    def asks_loss(self) -> bool:
        """Whether the loss takes part."""
        return self.truth is not None and self.delta is not None

    def score(self, label: Any) -> float:
        """w . Psi(x, label), for hard and relaxed clusterings."""
        return score(self.K, label, self.groups)

    def loss(self, label: Any) -> float:
        """The loss of a clustering; a relaxed one needs a loss that folds."""
        assert self.truth is not None
        assert self.delta is not None
        return loss_of(self.delta, self.truth, label, self.groups)

    def margin(self, label: Any) -> float:
        """How much more the truth scores."""
        return self.score(self.truth) - self.score(label)

    def value(self, label: Any) -> float:
        """What is maximised: the score, or H with the loss."""
        if not self.asks_loss:
            return self.score(label)
        return self.pricing.violation(self.margin(label), self.loss(label))

    def fold(self) -> "tuple[float, Array] | None":
        """(constant, K') with value(y) = constant + score(y) under K'; None where the loss cannot be folded
        in.
        """
        if not self.asks_loss:
            return 0.0, self.K
        if self.pricing != Pricing() or not isinstance(self.delta, Folds):
            return None
        assert self.truth is not None
        found = self.delta.fold(self.truth, self.groups)
        return None if found is None else (found[0] - self.score(self.truth), self.K + found[1])

    def without_loss(self) -> "Question":
        """The same similarity, asked for a prediction."""
        return replace(self, truth=None, delta=None)


class Answer(NamedTuple):
    """A clustering, hard or relaxed, and a proven upper bound on the best value (infinite where none is
    known).
    """

    label: Any
    bound: float = np.inf


class ClusterOracle(Protocol):
    """A clusterer; `kind` is "exact", "under" (clusterings, maybe not the best) or "over" (relaxed ones
    too).
    """

    title: ClassVar[str]
    help: ClassVar[str]
    kind: ClassVar[str]

    def refuses(self, question: Question) -> str | None:
        """Why it cannot answer this question: too many items, a loss that does not fold, no number of
        clusters.
        """
        ...

    def solve(self, question: Question) -> Answer: ...


def score(K: Array, label: Any, groups: int | None) -> float:
    """The score of a hard or relaxed clustering under K."""
    if groups is None:
        return float(pair_vector(K) @ (label if is_relaxed(label) else together(label)))
    Y = label.reshape(len(K), -1) if is_relaxed(label) else indicator(label)
    return float(np.sum((K @ Y) * Y))


def loss_of(delta: Loss, truth: Ints, label: Any, groups: int | None) -> float:
    """The loss of a hard clustering by its definition, of a relaxed one through the folded form."""
    if not is_relaxed(label):
        return delta.value(truth, label)
    found = delta.fold(truth, groups) if isinstance(delta, Folds) else None
    if found is None:
        raise TypeError(f"{delta!r} has no value for relaxed clusterings")
    return found[0] + score(found[1], label, groups)
