"""A problem written by its user in plain Python: a feature map, a loss and two oracles.

    psi(x, y) -> vector,   delta(y, y_hat) -> number,   argmax(w, x) -> y,   worst(w, x, y) -> y_hat

where argmax maximises w . psi(x, y) and worst maximises delta(y, y_hat) + w . psi(x, y_hat) (or, under slack scaling,
delta * (1 - w . (psi(x, y) - psi(x, y_hat)))). Everything else is the engine's. Instead of the two oracles a function that
lists all labellings is enough for small outputs: both are then made by enumeration. Cost: that of the user's functions.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from explorer.engine.events import Cut
from explorer.engine.objective import cut_of, violation
from explorer.engine.protocols import Dataset, Pricing, Refused
from explorer.engine.vectors import Array, Vector, dot


@dataclass(frozen=True)
class Plain:
    """Your own problem."""

    dataset: Dataset
    psi: Callable[[Any, Any], Vector]
    delta: Callable[[Any, Any], float]
    argmax: Callable[[Array, Any], Any]
    worst: Callable[[Array, Any, Any], Any]
    dim: int
    exact: bool = True
    pricing: Pricing = field(default_factory=Pricing)
    name: str = "your problem"

    def __post_init__(self) -> None:
        if len(self.dataset) == 0:
            raise Refused("the data set is empty; give at least one example")
        for i, (x, y) in enumerate(zip(self.dataset.inputs, self.dataset.labels, strict=True)):
            if self.delta(y, y) != 0.0:
                raise Refused(f"delta(y, y) is {self.delta(y, y)} for example {i}; the loss of the truth must be 0")
            if i == 0 and len(np.atleast_1d(self._checked(x, y))) != self.dim:
                raise Refused(f"psi(x, y) of example 0 has {len(self._checked(x, y))} entries; dim says {self.dim}")

    def _checked(self, x: Any, y: Any) -> Any:
        found = self.psi(x, y)
        return np.empty(found.dim) if not isinstance(found, np.ndarray) else found

    @property
    def n(self) -> int:
        return len(self.dataset)

    @property
    def oracle_is_exact(self) -> bool:
        return self.exact

    @property
    def priced_as(self) -> str:
        return f"{getattr(self.delta, '__qualname__', self.delta)} {self.pricing!r}"

    def on(self, dataset: Dataset) -> Self:
        return replace(self, dataset=dataset)

    def features(self, i: int, label: Any) -> Vector:
        return self.psi(self.dataset.inputs[i], label)

    def loss(self, i: int, label: Any) -> float:
        return float(self.delta(self.dataset.labels[i], label))

    def predict(self, w: Array, x: Any) -> Any:
        return self.argmax(w, x)

    def oracle(self, w: Array, i: int) -> Cut:
        found = cut_of(self, i, self.worst(w, self.dataset.inputs[i], self.dataset.labels[i]))
        if not (np.isfinite(found.loss) and found.loss >= 0.0):
            raise Refused(f"delta is {found.loss} for example {i}; a loss must be a finite number, 0 or more")
        return found


@dataclass(frozen=True)
class Listed:
    """Your own problem with outputs that can be listed: oracles are made by enumeration."""

    dataset: Dataset
    psi: Callable[[Any, Any], Vector]
    delta: Callable[[Any, Any], float]
    outputs: Callable[[Any], Iterable[Any]]
    dim: int
    pricing: Pricing = field(default_factory=Pricing)
    name: str = "your problem, listed"
    oracle_is_exact: bool = True

    @property
    def n(self) -> int:
        return len(self.dataset)

    @property
    def priced_as(self) -> str:
        return f"{getattr(self.delta, '__qualname__', self.delta)} {self.pricing!r}"

    def on(self, dataset: Dataset) -> Self:
        return replace(self, dataset=dataset)

    def features(self, i: int, label: Any) -> Vector:
        return self.psi(self.dataset.inputs[i], label)

    def loss(self, i: int, label: Any) -> float:
        return float(self.delta(self.dataset.labels[i], label))

    def predict(self, w: Array, x: Any) -> Any:
        return max(self.outputs(x), key=lambda y: dot(w, self.psi(x, y)))

    def oracle(self, w: Array, i: int) -> Cut:
        cuts = (cut_of(self, i, label) for label in self.labellings(i))
        return max(cuts, key=lambda cut: violation(self, w, cut))

    def labellings(self, i: int) -> Iterable[Any]:
        return self.outputs(self.dataset.inputs[i])

    def labellings_count(self, i: int) -> int:
        return sum(1 for _ in self.labellings(i))
