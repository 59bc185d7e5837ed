"""An independent optimum: every labelling of every example written out, and the primal given to cvxpy.

    min 1/2 |w|^2 + C mean_i cost(xi_i)    s.t.  xi_i >= r - u (w . psi)  for all labellings

Shares nothing with the engine but the feature map and the loss.
"""

from dataclasses import dataclass

import cvxpy as cp
import numpy as np

from explorer.engine.vectors import dense


@dataclass(frozen=True)
class Optimum:
    value: float
    w: np.ndarray
    slack: np.ndarray


def rows(problem) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Priced feature differences, right-hand sides and example numbers of all wrong labellings."""
    A, b, group = [], [], []
    slack_scaled = problem.pricing.scaling == "slack"
    root = problem.pricing.penalty == "squared"
    for i in range(problem.n):
        truth = dense(problem.features(i, problem.dataset.labels[i]))
        for label in problem.labellings(i):
            loss = problem.loss(i, label)
            if loss == 0.0:
                continue
            r = np.sqrt(loss) if root else loss
            A.append((r if slack_scaled else 1.0) * (truth - dense(problem.features(i, label))))
            b.append(r)
            group.append(i)
    return np.array(A), np.array(b), np.array(group)


def optimum(problem, C: float) -> Optimum:
    """The exact optimum of a tiny problem."""
    A, b, group = rows(problem)
    w, xi = cp.Variable(problem.dim), cp.Variable(problem.n, nonneg=True)
    cost = cp.sum_squares(xi) / 2 if problem.pricing.penalty == "squared" else cp.sum(xi)
    goal = cp.Minimize(cp.sum_squares(w) / 2 + C / problem.n * cost)
    program = cp.Problem(goal, [A @ w >= b - xi[group]])
    program.solve(solver=cp.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
    return Optimum(float(program.value), np.asarray(w.value), np.asarray(xi.value))
