"""The optimum of a structured problem from an independent solver: every labelling in one big program.

    min 1/2 |w|^2 + C/n sum_i cost(xi_i)   s.t.  xi_i >= r - u (w . psi)  for all labellings of i,   xi >= 0

with cost(xi) = xi, r = Delta or cost(xi) = xi^2 / 2, r = sqrt(Delta); u = 1 (margin scaling) or r (slack
scaling). Solved by Clarabel through cvxpy in its primal form. Of the engine it uses nothing but the problem's
feature map and loss, and it believes no status: `lower` is the dual value of the multipliers, made feasible
here, `upper` the objective at w.
"""

import math
from typing import Any, NamedTuple

import cvxpy as cp
import numpy as np
from numpy.typing import NDArray

from explorer.engine.dual import qp

Array = NDArray[np.float64]


class Rows(NamedTuple):
    """All constraints xi_i >= b - w . a, one row per wrong labelling."""

    a: Array
    b: Array
    example: NDArray[np.int64]
    loss: Array
    psi: Array


class Optimum(NamedTuple):
    """Bounds on the optimal value that w and the multipliers prove, and w."""

    lower: float
    upper: float
    w: Array

    @property
    def value(self) -> float:
        return 0.5 * (self.lower + self.upper)


def vector(x: Any) -> Array:
    """A feature vector written out."""
    if isinstance(x, np.ndarray):
        return x
    out = np.zeros(x.dim)
    out[x.index] = x.value
    return out


def all_rows(problem: Any) -> Rows:
    """Every labelling of every example as a constraint, the truth (0, 0) included."""
    psi, loss, example = [], [], []
    for i, truth in enumerate(problem.dataset.labels):
        own = vector(problem.features(i, truth))
        for label in problem.labellings(i):
            psi.append(own - vector(problem.features(i, label)))
            loss.append(problem.loss(i, label))
            example.append(i)
    losses, rows = np.array(loss), np.array(psi)
    r = np.sqrt(losses) if problem.pricing.penalty == "squared" else losses
    u = r if problem.pricing.scaling == "slack" else np.ones(len(r))
    return Rows(u[:, None] * rows, r, np.array(example), losses, rows)


def slacks(rows: Rows, w: Array) -> Array:
    """xi_i = max over the rows of example i of b - w . a, at least 0."""
    out = np.zeros(int(rows.example.max()) + 1)
    np.maximum.at(out, rows.example, rows.b - rows.a @ w)
    return out


def objective(rows: Rows, w: Array, C: float, penalty: str) -> float:
    """J(w) by enumeration."""
    xi = slacks(rows, w)
    return float(0.5 * w @ w + C * np.mean(0.5 * xi**2 if penalty == "squared" else xi))


def dual(rows: Rows, alpha: Array, C: float, penalty: str) -> float:
    """The dual value of non-negative multipliers, shrunk where an example's total exceeds C / n."""
    n = int(rows.example.max()) + 1
    alpha = np.maximum(alpha, 0.0)
    used = np.bincount(rows.example, alpha, n)
    if penalty == "linear":
        shrink = np.minimum(1.0, (C / n) / np.maximum(used, 1e-300))
        alpha = alpha * shrink[rows.example]
        used = np.zeros(n)
    w = alpha @ rows.a
    return float(alpha @ rows.b - 0.5 * w @ w - 0.5 * (n / C) * np.sum(used**2))


def optimum(problem: Any, C: float) -> Optimum:
    """Bounds on the optimum of the whole problem."""
    rows = all_rows(problem)
    penalty = problem.pricing.penalty
    n = int(rows.example.max()) + 1
    wrong = rows.loss + np.abs(rows.psi).sum(axis=1) > 0.0
    # In units of C: w = sqrt(C) v keeps the numbers of the program near 1 for every C.
    root = math.sqrt(C)
    v, xi = cp.Variable(rows.a.shape[1]), cp.Variable(n, nonneg=True)
    cost = cp.sum_squares(xi) / 2 if penalty == "squared" else cp.sum(xi)
    keep = [xi[rows.example[wrong]] >= rows.b[wrong] - root * (rows.a[wrong] @ v)]
    program = cp.Problem(cp.Minimize(cp.sum_squares(v) / 2 + cost / n), keep)
    program.solve(solver=cp.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
    alpha = np.zeros(len(rows.b))
    alpha[wrong] = C * np.asarray(keep[0].dual_value)
    w = root * np.asarray(v.value)
    return Optimum(dual(rows, alpha, C, penalty), objective(rows, w, C, penalty), w)


def log_loss(rows: Rows, w: Array, C: float) -> tuple[float, Array]:
    """1/2 |w|^2 + C mean_i log sum_y exp(-w . psi), psi = features(truth) - features(y), and its gradient."""
    n = int(rows.example.max()) + 1
    value, gradient = 0.5 * float(w @ w), w.copy()
    for i in range(n):
        psi = rows.psi[rows.example == i]
        scores = -psi @ w
        weights = np.exp(scores - scores.max())
        value += C / n * float(scores.max() + np.log(weights.sum()))
        gradient -= C / n * (weights @ psi) / weights.sum()
    return value, gradient


def likelihood_optimum(problem: Any, C: float) -> Optimum:
    """The optimum of the regularised conditional likelihood, from cvxpy; `lower` follows from strong
    convexity at its w.

    Conic solvers stop at about seven digits, so Newton steps with this file's own Hessian finish what they
    began.
    """
    rows, n = all_rows(problem), len(problem.dataset.labels)
    w = cp.Variable(rows.psi.shape[1])
    terms = [cp.log_sum_exp(-rows.psi[rows.example == i] @ w) for i in range(n)]
    cp.Problem(cp.Minimize(0.5 * cp.sum_squares(w) + C / n * sum(terms))).solve(solver=cp.CLARABEL)
    found = np.array(w.value)
    for _ in range(3):
        found = found - np.linalg.solve(hessian(rows, found, C), log_loss(rows, found, C)[1])
    value, gradient = log_loss(rows, found, C)
    return Optimum(value - 0.5 * float(gradient @ gradient), value, found)


def hessian(rows: Rows, w: Array, C: float) -> Array:
    """1 + C mean_i cov_i(psi)."""
    n = int(rows.example.max()) + 1
    out = np.eye(len(w))
    for i in range(n):
        psi = rows.psi[rows.example == i]
        scores = -psi @ w
        weights = np.exp(scores - scores.max())
        weights /= weights.sum()
        mean = weights @ psi
        out += C / n * ((psi.T * weights) @ psi - np.outer(mean, mean))
    return out


def working_set_optimum(program: qp.Working) -> qp.Solution:
    """A restricted dual through cvxpy and Clarabel, from its primal form; what its multipliers prove."""
    roots = np.linalg.eigh(program.gram)
    factor = roots.eigenvectors * np.sqrt(np.maximum(roots.eigenvalues, 0.0))
    w, xi = cp.Variable(len(program.b)), cp.Variable(len(program.weight), nonneg=True)
    soft = np.flatnonzero(np.isfinite(program.weight))
    price = xi[soft] ** 2 / 2 if program.penalty == "squared" else xi[soft]
    rules = [factor @ w >= program.b - xi[program.group]]
    rules += [xi[g] == 0 for g in np.flatnonzero(np.isinf(program.weight))]
    made = cp.Problem(cp.Minimize(cp.sum_squares(w) / 2 + program.weight[soft] @ price), rules)
    made.solve(solver=cp.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
    assert made.status in ("optimal", "optimal_inaccurate")
    return qp.certify(program, np.maximum(np.asarray(rules[0].dual_value), 0.0))
