"""A problem written by its user in plain Python: a feature map, a loss and two oracles.

    psi(x, y) -> vector,   delta(y, y_hat) -> number,   argmax(w, x) -> y,   worst(w, x, y) -> y_hat

where argmax maximises w . psi(x, y) and worst maximises delta(y, y_hat) + w . psi(x, y_hat) (or, under slack
scaling, delta * (1 - w . (psi(x, y) - psi(x, y_hat)))), the truth included. Everything else is the engine's.
That worst always finds the maximum is a claim of its user, `exact`: without it no gap is called a
certificate, with it the run is watched for proof to the contrary (`runs/oracle_watch.py`).
Instead of the two oracles a function that lists all labellings is enough for small outputs: both are then
made by enumeration. Cost: that of the user's functions.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.events import Cut
from explorer.engine.objective import cut_of, violation
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused, checked_calls
from explorer.engine.vectors import Array, Sparse, Vector, dot


@checked_calls
@dataclass(frozen=True)
class Plain:
    """Your own problem."""

    dataset: Dataset
    psi: Callable[[Any, Any], Vector]
    delta: Callable[[Any, Any], float]
    argmax: Callable[[Array, Any], Any]
    worst: Callable[[Array, Any, Any], Any]
    dim: int
    exact: bool = False
    pricing: Pricing = field(default_factory=Pricing)
    name: str = "your problem"

    def __post_init__(self) -> None:
        check_own(self)

    @property
    def n(self) -> int:
        return len(self.dataset)

    @property
    def oracle_is_exact(self) -> bool:
        return self.exact

    @property
    def oracle_kind(self) -> str:
        """What its user says of `worst`: that it is exact, or nothing."""
        return "exact" if self.exact else "unclaimed"

    def on(self, dataset: Dataset) -> Self:
        return replace(self, dataset=dataset)

    def features(self, i: int, label: Any) -> Vector:
        return checked_features(self.psi(self.dataset.inputs[i], label), self.dim, f"psi of example {i}")

    def loss(self, i: int, label: Any) -> float:
        return checked_loss(self.delta(self.dataset.labels[i], label), i)

    def predict(self, w: Array, x: Any) -> Any:
        return self.argmax(w, x)

    def oracle(self, w: Array, i: int) -> Cut:
        return cut_of(self, i, self.worst(w, self.dataset.inputs[i], self.dataset.labels[i]))


@checked_calls
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

    def __post_init__(self) -> None:
        check_own(self)

    @property
    def n(self) -> int:
        return len(self.dataset)

    def on(self, dataset: Dataset) -> Self:
        return replace(self, dataset=dataset)

    def features(self, i: int, label: Any) -> Vector:
        return checked_features(self.psi(self.dataset.inputs[i], label), self.dim, f"psi of example {i}")

    def loss(self, i: int, label: Any) -> float:
        return checked_loss(self.delta(self.dataset.labels[i], label), i)

    def predict(self, w: Array, x: Any) -> Any:
        return max(self.outputs(x), key=lambda y: dot(w, self.psi(x, y)))

    def oracle(self, w: Array, i: int) -> Cut:
        truth = self.dataset.labels[i]
        cuts = (cut_of(self, i, label) for label in (*self.labellings(i), truth))
        return max(cuts, key=lambda cut: violation(self, w, cut))

    def labellings(self, i: int) -> Iterable[Any]:
        return self.outputs(self.dataset.inputs[i])

    def labellings_count(self, i: int) -> int:
        return sum(1 for _ in self.labellings(i))


def check_own(problem: Plain | Listed) -> None:
    """Refuse, with the example, what a user's functions must not answer for a truth."""
    inputs, labels = problem.dataset.inputs, problem.dataset.labels
    if len(labels) == 0:
        raise Refused("the data set is empty; give at least one example")
    if len(inputs) != len(labels):
        raise Refused(
            f"there are {len(inputs)} inputs and {len(labels)} labels; give one label for every input"
        )
    for i, (x, y) in enumerate(zip(inputs, labels, strict=True)):
        if problem.delta(y, y) != 0.0:
            raise Refused(f"delta(y, y) is not 0 for example {i}; the loss of the truth must be 0")
        checked_features(problem.psi(x, y), problem.dim, f"psi(x, y) of example {i}")


def checked_features(found: Any, dim: int, place: str) -> Vector:
    """The same features, or Refused where they are no finite vector of `dim` entries."""
    if not isinstance(found, np.ndarray | Sparse) or (isinstance(found, np.ndarray) and found.ndim != 1):
        raise Refused(f"{place} is no vector; return an array with one dimension, or a Sparse")
    size, values = (found.dim, found.value) if isinstance(found, Sparse) else (len(found), found)
    if size != dim:
        raise Refused(f"{place} has {size} entries; dim says {dim}")
    if not np.all(np.isfinite(values)):
        raise Refused(f"{place} holds a NaN or infinite number; return finite numbers")
    return found


def checked_loss(value: Any, i: int) -> float:
    """The loss as a float, or a refusal."""
    if not (np.isfinite(value) and value >= 0.0):
        raise Refused(f"delta is {value} for example {i}; a loss must be a finite number, 0 or more")
    return float(value)
