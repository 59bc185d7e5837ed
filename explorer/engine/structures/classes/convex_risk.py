"""A convex risk given directly, without examples: what the generic bundle method needs and nothing more.

    J(w) = 1/2 |w|^2 + C R(w),   R convex and never negative, known by its value and one subgradient at each w

The curve of the textbook picture is R(w) = log(1 + exp(-2 w)) + 0.1 |w - 2| in one dimension, smooth but for
one kink (Pfahler 2015, section 2.2.2, which writes R + lambda |w|^2: C = 1 / (2 lambda)). Cost: one call of
the function.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn, Self

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.events import Cut
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused, checked_calls
from explorer.engine.vectors import Array, Vector

Risk = Callable[[Array], tuple[float, Array]]


def bent_log_loss(w: Array) -> tuple[float, Array]:
    """sum_j log(1 + exp(-2 w_j)) + 0.1 |w_j - 2|, and a subgradient."""
    value = np.sum(np.logaddexp(0.0, -2.0 * w) + 0.1 * np.abs(w - 2.0))
    return float(value), -2.0 / (1.0 + np.exp(2.0 * w)) + 0.1 * np.sign(w - 2.0)


def no_examples() -> Dataset:
    """The data set of a problem that has none."""
    return Dataset("none", (), ())


@checked_calls
@dataclass(frozen=True)
class ConvexRisk:
    """A curve or surface to minimise; `function` should be a module's own, so that it travels to a worker."""

    function: Risk = bent_log_loss
    dim: int = 1
    name: str = "convex risk"
    dataset: Dataset = field(default_factory=no_examples)
    pricing: Pricing = field(default_factory=Pricing)
    oracle_is_exact: bool = True
    n: int = field(default=0, init=False)

    @property
    def priced_as(self) -> str:
        return f"{self.function.__module__}.{self.function.__qualname__} {self.dim}"

    def risk(self, w: Array) -> tuple[float, Array]:
        return self.function(w)

    def on(self, dataset: Dataset) -> Self:
        return self

    def oracle(self, w: Array, i: int) -> Cut:
        self._refuse()

    def predict(self, w: Array, x: Any) -> Any:
        self._refuse()

    def features(self, i: int, label: Any) -> Vector:
        self._refuse()

    def loss(self, i: int, label: Any) -> float:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise Refused(f"{self.name} has no examples to ask about; use the bundle learner, which needs none")
