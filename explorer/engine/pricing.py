"""What a slack costs, and what a cut says about it: margin or slack scaling, linear or squared penalty."""

import hashlib
import math
from dataclasses import dataclass
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import Any, Literal, cast

import numpy as np

from explorer.engine.vectors import Array

Scaling = Literal["margin", "slack"]
Penalty = Literal["linear", "squared"]


@dataclass(frozen=True, slots=True)
class Pricing:
    """How a cut (psi, loss) becomes a lower bound on its example's slack: slack >= r - u * (w . psi).

    r is the loss, or its square root under a squared penalty (OP 6, 7); u is 1 under margin scaling (OP 4, 6)
    and r under slack scaling (OP 5, 7).
    """

    scaling: Scaling = "margin"
    penalty: Penalty = "linear"

    @property
    def adds_up(self) -> bool:
        """Whether H is a sum over positions when the loss is."""
        return self.scaling == "margin" and self.penalty == "linear"

    def size(self, loss: float) -> float:
        """r: the slack that w = 0 needs for this loss."""
        return math.sqrt(loss) if self.penalty == "squared" else loss

    def weight(self, loss: float) -> float:
        """u: the factor on psi."""
        return self.size(loss) if self.scaling == "slack" else 1.0

    def weights(self, losses: Array) -> Array:
        """u for many cuts at once."""
        return (
            self.violations(np.zeros(len(losses)), losses)
            if self.scaling == "slack"
            else np.ones(len(losses))
        )

    def violation(self, margin: float, loss: float) -> float:
        """H = r - u * margin: what the oracle maximises, 0 for the truth."""
        return self.size(loss) - self.weight(loss) * margin

    def violations(self, margins: Array, losses: Array) -> Array:
        """H for many cuts at once."""
        r = np.sqrt(losses) if self.penalty == "squared" else losses
        return cast("Array", r * (1.0 - margins) if self.scaling == "slack" else r - margins)

    def cost(self, slacks: Array) -> Array:
        """What each slack adds to the objective: xi, or xi^2 / 2."""
        return 0.5 * slacks**2 if self.penalty == "squared" else slacks


def fingerprint(function: Any) -> str:
    """A name that changes with a function's code and with the numbers it holds, not with where it is stored.

    So a loss that was edited, or made again with another factor, is seen to have other prices. Globals are
    not seen.
    """
    name = getattr(function, "__qualname__", type(function).__name__)
    return f"{name} {hashlib.sha1(repr(_contents(function)).encode()).hexdigest()[:12]}"


def _contents(value: Any) -> Any:
    """What a value is made of, as plain data whose repr is the same in every process."""
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    if isinstance(value, partial):
        return _contents(value.func), _contents(value.args), _contents(tuple(value.keywords.items()))
    if isinstance(value, MethodType):
        return _contents(value.__func__), repr(value.__self__)
    if isinstance(value, FunctionType):
        cells = tuple(cell.cell_contents for cell in value.__closure__ or ())
        return value.__qualname__, _contents(value.__code__), _contents(value.__defaults__), _contents(cells)
    if isinstance(value, CodeType):
        return value.co_code, value.co_names, _contents(value.co_consts)
    return tuple(map(_contents, value)) if isinstance(value, tuple) else repr(value)
