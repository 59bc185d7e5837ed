"""The optima of pseudo-likelihood and piecewise training from cvxpy, for label sequences.

    min 1/2 |w|^2 + C/n sum_j log sum exp(D_j w)

where D_j holds, one row each, the features of the labels that sum j goes over minus those of the truth. They
are written down from the problem's feature map, label by label; Newton steps of this file's own finish what
the conic solver began, and strong convexity says how low the optimum can be.
"""

from typing import Any

import cvxpy as cp
import numpy as np
from numpy.typing import NDArray

from tests.referee import Optimum, vector

Array = NDArray[np.float64]


def conditional_sums(problem: Any) -> list[Array]:
    """For every position the labellings that differ from the truth there alone."""
    found = []
    for i, y in enumerate(problem.dataset.labels):
        own = vector(problem.features(i, y))
        for t in range(len(y)):
            rows = []
            for k in range(problem.states):
                other = np.array(y)
                other[t] = k
                rows.append(vector(problem.features(i, other)) - own)
            found.append(np.array(rows))
    return found


def piece_sums(problem: Any) -> list[Array]:
    """For every emission, transition, start and stop its possible values minus the true one."""
    K, F = problem.states, problem.n_features
    emissions = F * K
    found = []
    for x, y in zip(problem.dataset.inputs, problem.dataset.labels, strict=True):
        x = x.toarray() if hasattr(x, "toarray") else x
        for t, k in enumerate(y):
            every = np.zeros((K, problem.dim))
            for j in range(K):
                every[j, np.arange(F) * K + j] = x[t]
            found.append(every - every[k])
        places = [(emissions, K * K, y[t] * K + y[t + 1]) for t in range(len(y) - 1)]
        if problem.ends:
            places += [(emissions + K * K, K, y[0]), (emissions + K * K + K, K, y[-1])]
        for begin, count, true in places:
            every = np.zeros((count, problem.dim))
            every[np.arange(count), begin + np.arange(count)] = 1.0
            found.append(every - every[true])
    return found


def sums_optimum(problem: Any, sums: list[Array], C: float) -> Optimum:
    """The optimum over these sums."""
    n = len(problem.dataset.labels)
    w = cp.Variable(problem.dim)
    terms = [cp.log_sum_exp(D @ w) for D in sums]
    cp.Problem(cp.Minimize(cp.sum_squares(w) / 2 + C / n * sum(terms))).solve(solver=cp.CLARABEL)
    found = np.array(w.value)
    for _ in range(4):
        _, gradient, hessian = objective(sums, found, C / n)
        found = found - np.linalg.solve(hessian, gradient)
    value, gradient, _ = objective(sums, found, C / n)
    return Optimum(value - 0.5 * float(gradient @ gradient), value, found)


def objective(sums: list[Array], w: Array, each: float) -> tuple[float, Array, Array]:
    """J, its gradient and its Hessian at w."""
    value, gradient, hessian = 0.5 * float(w @ w), w.copy(), np.eye(len(w))
    for D in sums:
        scores = D @ w
        peak = scores.max()
        share = np.exp(scores - peak)
        value += each * (peak + np.log(share.sum()))
        share /= share.sum()
        mean = share @ D
        gradient += each * mean
        hessian += each * ((D.T * share) @ D - np.outer(mean, mean))
    return value, gradient, hessian
