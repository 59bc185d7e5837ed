"""How good a solution of a working-set program is, by its optimality conditions.

They do not know how `qp.solve` came to it. Cost: a product with the Gram matrix.
"""

from dataclasses import dataclass

import numpy as np

from explorer.engine.dual.qp import Solution, Working, certify
from explorer.engine.vectors import Array


@dataclass(frozen=True, slots=True)
class Residuals:
    """How far multipliers are from the optimality conditions, each relative to the problem's own scale."""

    stationarity: float
    primal_feasibility: float
    dual_feasibility: float
    complementarity: float
    gap: float

    @property
    def worst(self) -> float:
        """The largest of them."""
        return max(
            self.stationarity, self.primal_feasibility, self.dual_feasibility, self.complementarity, self.gap
        )


def residuals(
    qp: Working, alpha: Array, slack: Array | None = None, proof: Solution | None = None
) -> Residuals:
    """Check a claimed solution: multipliers, and the slacks that go with them when given; `proof` is what
    `certify` said.

    Stationarity in the slack: the price of slack g equals S_g plus the multiplier of slack_g >= 0.
    """
    proof = proof or certify(qp, np.maximum(alpha, 0.0))
    xi = proof.slack if slack is None else slack
    used = qp.masses(alpha)
    pull = qp.b - qp.gram @ alpha
    top = max(1e-150, float(np.max(np.abs(qp.b), initial=0.0)))
    soft = np.isfinite(qp.weight)
    price = np.where(soft, qp.weight, 1.0)
    excess = used / price - (xi if qp.penalty == "squared" else 1.0)
    # beta = price - S_g is the multiplier of slack >= 0: it may be positive only where the slack is zero.
    stationarity = np.where(xi > 1e-9 * top, np.abs(excess), np.maximum(excess, 0.0))
    stationarity[~soft] = 0.0
    mass = max(1e-150, float(np.sum(np.abs(alpha))))
    return Residuals(
        stationarity=float(np.max(stationarity, initial=0.0)),
        primal_feasibility=float(np.max(pull - xi[qp.group], initial=0.0)) / top,
        dual_feasibility=max(0.0, float(np.max(-alpha, initial=0.0))) / mass,
        complementarity=float(np.sum(np.abs(alpha * (pull - xi[qp.group])))) / (mass * top),
        gap=proof.gap / max(abs(proof.dual), 1e-300) if proof.gap > 0 else 0.0,
    )
