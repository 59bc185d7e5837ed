"""Binary classification as a structured problem: two labels, one weight per feature.

    features(x, y) = y x / 2  for y in {-1, +1},   so  w . psi = y (w . x)  and slack = max(0, 1 - y w . x)

which is the support vector machine. Labels are stored as 0 (for -1) and 1 (for +1). A bias is a constant
feature 1 in front of every row: *regularised* like any weight, or *free*, as in the textbook: |w|^2 does not
count it, so the machine is the same wherever the origin of the data lies. Cost of a pass: one matrix-vector
product.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from explorer.engine.checks import check_whole, checked_points, checked_row
from explorer.engine.contracts import Dataset, Loss, Rule
from explorer.engine.events import Cut, Expectation, Sweep
from explorer.engine.losses import ZeroOne
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused, checked_calls
from explorer.engine.vectors import Array, Vector

BIAS = ("none", "regularised", "free")


@checked_calls
@dataclass(frozen=True)
class Binary:
    """Points on two sides of a hyperplane."""

    dataset: Dataset
    bias: str = "free"
    delta: Loss = field(default_factory=ZeroOne)
    pricing: Pricing = field(default_factory=Pricing)
    rules: tuple[Rule, ...] = ()
    name: str = "binary"
    oracle_is_exact: bool = True

    def __post_init__(self) -> None:
        if self.bias not in BIAS:
            raise Refused(f"bias is {self.bias!r}; choose one of {', '.join(BIAS)}")
        x, y = checked_points(self.dataset.inputs, self.dataset.labels, 2)
        object.__setattr__(self, "dataset", replace(self.dataset, inputs=x, labels=y))

    @property
    def n(self) -> int:
        return len(self.dataset)

    @property
    def dim(self) -> int:
        return int(self.dataset.inputs.shape[1]) + (self.bias != "none")

    @property
    def chunk(self) -> int:
        return max(1, min(2000, 4_000_000 // self.dim))

    @cached_property
    def points(self) -> Array:
        """The rows as the learner sees them: a constant in front when there is a bias."""
        return self.row(self.dataset.inputs)

    @cached_property
    def anchor(self) -> Array | None:
        """The mean row, where the bias is free."""
        return np.mean(self.points, axis=0) if self.bias == "free" and self.n else None

    @cached_property
    def signs(self) -> Array:
        """Labels as -1 and +1."""
        return 2.0 * self.dataset.labels - 1.0

    @cached_property
    def costs(self) -> Array:
        """Loss of the wrong side, for truth -1 and truth +1."""
        return np.array([self.delta.value(0, 1), self.delta.value(1, 0)])

    def row(self, x: Any) -> Array:
        """x, or many of them, with the constant feature."""
        x = np.asarray(x, dtype=float)
        if self.bias == "none":
            return x
        return np.concatenate([np.ones((*x.shape[:-1], 1)), x], axis=-1)

    def on(self, dataset: Dataset) -> Self:
        return replace(self, dataset=dataset)

    def plane(self, w: Array) -> tuple[Array, float]:
        """The hyperplane (normal, offset) that w stands for: normal . x + offset = 0."""
        return (w, 0.0) if self.bias == "none" else (w[1:], float(w[0]))

    def checked_input(self, x: Any, place: str) -> Array:
        return checked_row(x, self.dataset.inputs.shape[1], place)

    def check_label(self, i: int, label: Any) -> None:
        check_whole(label, 2, f"the label of example {i}")

    def features(self, i: int, label: Any) -> Vector:
        return (label - 0.5) * self.points[i]

    def loss(self, i: int, label: Any) -> float:
        truth = self.dataset.labels[i]
        return 0.0 if label == truth else float(self.costs[truth])

    def predict(self, w: Array, x: Any) -> int:
        return int(self.row(x) @ w > 0.0)

    def predictions(self, w: Array) -> list[Any]:
        return [int(s > 0.0) for s in self.points @ w]

    def losses(self, labels: list[Any]) -> Array:
        truth = self.dataset.labels
        return np.where(np.asarray(labels) == truth, 0.0, self.costs[truth])

    def oracle(self, w: Array, i: int) -> Cut:
        return self.cuts(w, i, i + 1)[0]

    def cuts(self, w: Array, lo: int, hi: int) -> list[Cut]:
        part = self._wrong(w, lo, hi)
        zero = np.zeros(self.dim)
        return [
            Cut(lo + r, label, self.signs[lo + r] * self.points[lo + r] if loss else zero, float(loss))
            for r, (label, loss) in enumerate(zip(part.labels, part.losses, strict=True))
        ]

    def sweep(self, w: Array, lo: int, hi: int) -> Sweep:
        return self._wrong(w, lo, hi)

    def expectation(self, w: Array, lo: int, hi: int) -> Expectation:
        """Logistic regression: scores are +m and -m with m = w . x / 2, so log Z = log 2 cosh m and E[y] =
        tanh m.
        """
        rows = self.points[lo:hi]
        m = 0.5 * (rows @ w)
        return Expectation(np.logaddexp(m, -m), 0.5 * np.tanh(m) @ rows)

    def _wrong(self, w: Array, lo: int, hi: int) -> Sweep:
        """The other side for every point whose hinge is positive, the truth for the rest."""
        truth = self.dataset.labels[lo:hi]
        margins = self.signs[lo:hi] * (self.points[lo:hi] @ w)
        losses = self.costs[truth]
        wrong = self.pricing.violations(margins, losses) > 0.0
        weight = np.where(wrong, self.pricing.weights(losses), 0.0) * self.signs[lo:hi]
        labels = tuple(np.where(wrong, 1 - truth, truth).tolist())
        return Sweep(
            labels, np.where(wrong, losses, 0.0), np.where(wrong, margins, 0.0), weight @ self.points[lo:hi]
        )

    def labellings(self, i: int) -> Iterable[int]:
        return (0, 1)

    def labellings_count(self, i: int) -> int:
        return 2


def signed_distance(normal: Array, offset: float, x: Array) -> float:
    """(normal . x + offset) / |normal|: positive on the side the normal points to."""
    return float((normal @ x + offset) / np.linalg.norm(normal))
