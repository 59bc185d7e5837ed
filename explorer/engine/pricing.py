"""What a slack costs, and what a cut says about it: margin or slack scaling, linear or squared penalty."""

import math
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from explorer.engine.vectors import Array

Scaling = Literal["margin", "slack"]
Penalty = Literal["linear", "squared"]


@dataclass(frozen=True, slots=True)
class Pricing:
    """How a cut (psi, loss) becomes a lower bound on its example's slack: slack >= r - u * (w . psi).

    r is the loss, or its square root under a squared penalty (OP 6, 7); u is 1 under margin scaling (OP 4, 6) and r
    under slack scaling (OP 5, 7).
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
        return self.violations(np.zeros(len(losses)), losses) if self.scaling == "slack" else np.ones(len(losses))

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
