"""Examples that count more or less than others: the same problem with a weight for every slack.

    minimise  1/2 |w|^2 + C sum_i v_i slack_i / sum_i v_i

A slack times v is the slack of a cut whose loss and features are both v times as large, as long as the loss
is added to the score (margin scaling, linear slacks): so any learner can be given weights without knowing of
them. Weights are brought to mean 1. An example of weight 2 is two examples, one of weight 0 none. Cost:
compiled passes are lost; every cut is asked for one by one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from explorer.engine.contracts import Batch, Dataset, Geometry, Problem, oracle_kind
from explorer.engine.events import Cut, Sweep
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Vector, combine, dot, scale


@dataclass(frozen=True)
class Weighted:
    """A problem whose examples have weights of mean 1."""

    problem: Problem
    weights: Array

    @property
    def name(self) -> str:
        return f"{self.problem.name}, weighted"

    @property
    def n(self) -> int:
        return self.problem.n

    @property
    def dim(self) -> int:
        return self.problem.dim

    @property
    def pricing(self) -> Pricing:
        return self.problem.pricing

    @property
    def oracle_is_exact(self) -> bool:
        return self.problem.oracle_is_exact

    @property
    def oracle_kind(self) -> str:
        return oracle_kind(self.problem)

    @property
    def dataset(self) -> Dataset:
        return self.problem.dataset

    @property
    def chunk(self) -> int:
        return self.problem.chunk if isinstance(self.problem, Batch) else 1

    def on(self, dataset: Dataset) -> Self:
        raise Refused(
            "weights belong to the training examples; ask the problem without them about other data"
        )

    def predict(self, w: Array, x: Any) -> Any:
        return self.problem.predict(w, x)

    def predictions(self, w: Array) -> list[Any]:
        if isinstance(self.problem, Batch):
            return self.problem.predictions(w)
        return [self.problem.predict(w, x) for x in self.dataset.inputs]

    def features(self, i: int, label: Any) -> Vector:
        return scale(float(self.weights[i]), self.problem.features(i, label))

    def loss(self, i: int, label: Any) -> float:
        return float(self.weights[i]) * self.problem.loss(i, label)

    def losses(self, labels: list[Any]) -> Array:
        return np.array([self.loss(i, label) for i, label in enumerate(labels)])

    def oracle(self, w: Array, i: int) -> Cut:
        return self._heavier(self.problem.oracle(w, i))

    def cuts(self, w: Array, lo: int, hi: int) -> list[Cut]:
        if isinstance(self.problem, Batch):
            return [self._heavier(cut) for cut in self.problem.cuts(w, lo, hi)]
        return [self.oracle(w, i) for i in range(lo, hi)]

    def sweep(self, w: Array, lo: int, hi: int) -> Sweep:
        found = self.cuts(w, lo, hi)
        psi = combine(np.ones(len(found)), [cut.psi for cut in found], self.dim)
        losses, margins = (
            np.array(part) for part in zip(*((c.loss, dot(w, c.psi)) for c in found), strict=True)
        )
        return Sweep(tuple(cut.label for cut in found), losses, margins, psi)

    def _heavier(self, cut: Cut) -> Cut:
        weight = float(self.weights[cut.i])
        return Cut(cut.i, cut.label, scale(weight, cut.psi), weight * cut.loss)


def with_weights(problem: Problem, weights: Any) -> tuple[Problem, float]:
    """The problem with these weights, and their sum, for which C_per_example counts; as it is for None."""
    if weights is None:
        return problem, float(problem.n)
    given = checked_weights(weights, problem.n)
    if not problem.pricing.adds_up:
        raise Refused(
            "weights of examples need scaling='margin' and penalty='linear'; choose these, or leave them out"
        )
    if isinstance(problem, Geometry):
        raise Refused(
            "weights of examples need plain weights, not a kernel; set kernel='none', or leave them out"
        )
    total = float(given.sum())
    return Weighted(problem, given * (problem.n / total)), total


def checked_weights(weights: Sequence[float] | Array, n: int) -> Array:
    """A finite weight, 0 or more, for every example, not all 0."""
    found = np.asarray(weights, dtype=float)
    if found.ndim == 0:
        found = np.full(n, float(found))
    if found.shape != (n,):
        raise Refused(f"sample_weight has shape {found.shape}; give one weight for each of the {n} examples")
    if not np.isfinite(found).all() or np.any(found < 0.0) or not np.any(found > 0.0):
        raise Refused(
            "sample_weight holds a weight that is negative or not finite, or only zeros; give weights above 0"
        )
    return found
