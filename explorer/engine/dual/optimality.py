"""How good a solution of a working-set program is: by its optimality conditions, and beside an independent
solver.

Neither knows how `qp.solve` came to it. Cost: a product with the Gram matrix; the independent solver takes
much longer, and is for tests.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.dual.qp import Solution, Working, certify
from explorer.engine.refusals import Refused
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


def referee(qp: Working) -> Solution:
    """The same problem through cvxpy and Clarabel, from its primal form, sharing no code with `solve`."""
    import cvxpy  # slow to import, and only the referee needs it

    cp: Any = cvxpy

    roots = np.linalg.eigh(qp.gram)
    factor = roots.eigenvectors * np.sqrt(np.maximum(roots.eigenvalues, 0.0))
    w, xi = cp.Variable(len(qp.b)), cp.Variable(len(qp.weight), nonneg=True)
    soft = np.flatnonzero(np.isfinite(qp.weight))
    price = xi[soft] ** 2 / 2 if qp.penalty == "squared" else xi[soft]
    rules = [factor @ w >= qp.b - xi[qp.group]]
    rules += [xi[g] == 0 for g in np.flatnonzero(np.isinf(qp.weight))]
    goal = cp.Minimize(cp.sum_squares(w) / 2 + qp.weight[soft] @ price)
    program = cp.Problem(goal, rules)
    program.solve(solver=cp.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
    if program.status not in ("optimal", "optimal_inaccurate"):
        raise Refused(f"the independent solver says {program.status!r}: no w satisfies every hard constraint")
    return certify(qp, np.maximum(np.asarray(rules[0].dual_value), 0.0))
