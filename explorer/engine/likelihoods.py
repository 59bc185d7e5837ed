"""How unlikely the true labellings are: exactly, and by sums over few labels in place of all labellings.

    likelihood          R(w) = mean_i [ log sum_y exp(w . Psi(x_i, y)) - w . Psi(x_i, y_i) ]
    pseudo-likelihood   R(w) = mean_i sum_t [ log sum_k exp s_i(y_i with k at t) - s_i(y_i) ]
    pieces              R(w) = mean_i sum_a [ log sum exp(score of piece a) - its score in the truth ]

The first is Lafferty, McCallum and Pereira 2001 (with a Gaussian prior). The second gives every position its
true neighbours (Besag 1975); the third normalises every unary and pairwise term by itself, which never costs
less than the likelihood, since the sum over all labellings is at most the product of the pieces' sums (Sutton
and McCallum 2005). All are convex. Cost: the marginals of all examples, or one look at every term.
"""

import math
from functools import partial
from typing import ClassVar

import numpy as np

from explorer.engine.contracts import Batch, LocalSums, Measured, Problem, pulse_of
from explorer.engine.descent import Risk, Smooth, place
from explorer.engine.enumeration import expectation
from explorer.engine.objective import chunks
from explorer.engine.vectors import Array, add_into

ROUNDING = 16.0 * float(np.finfo(float).eps)
"""log Z and w . Psi are known up to this share of them, and log Z, the logarithm of a sum that is at least 1,
no better than up to this itself.
"""


class Likelihood:
    """Half the squared length of w, and C times the mean of -log p(truth)."""

    name: ClassVar[str] = "negative log-likelihood"
    risk: ClassVar[str] = "mean log loss"

    def kind(self, problem: Problem) -> str:
        """Sums over all labellings are exact, whatever the oracle is."""
        return "exact"

    def measure(self, problem: Problem, w: Array, C: float) -> Measured:
        """J(w) and R(w)."""
        return measure_at(log_risk(problem), w, C)


class PseudoLikelihood:
    """Half the squared length of w, and C times the mean of every position's -log p given its neighbours."""

    name: ClassVar[str] = "negative pseudo-log-likelihood"
    risk: ClassVar[str] = "mean pseudo log loss"

    def kind(self, problem: Problem) -> str:
        """Sums over the labels of one position are exact."""
        return "exact"

    def measure(self, problem: Problem, w: Array, C: float) -> Measured:
        """J(w) and R(w)."""
        return measure_at(local_risk(problem, "conditionals"), w, C)


class PieceLikelihood:
    """Half the squared length of w, and C times the mean of every piece's -log p by itself."""

    name: ClassVar[str] = "piecewise negative log-likelihood"
    risk: ClassVar[str] = "mean piecewise log loss"

    def kind(self, problem: Problem) -> str:
        """Sums over the labels of one piece are exact."""
        return "exact"

    def measure(self, problem: Problem, w: Array, C: float) -> Measured:
        """J(w) and R(w)."""
        return measure_at(local_risk(problem, "pieces"), w, C)


def measure_at(risk: Risk, w: Array, C: float) -> Measured:
    """J(w) as it may at most be, and R(w)."""
    at = place(risk, w)
    return Measured(at.upper(C), at.risk)


def mean_features(problem: Problem) -> Array:
    """mean_i Psi(x_i, y_i)."""
    out, pulse = np.zeros(problem.dim), pulse_of(problem)
    for i, label in enumerate(problem.dataset.labels):
        pulse()
        add_into(out, 1.0 / problem.n, problem.features(i, label))
    return out


def log_risk(problem: Problem) -> Risk:
    """The likelihood's R and its gradient, from the marginals of every example."""
    return partial(_log_risk, problem, mean_features(problem))


def _log_risk(problem: Problem, truth: Array, w: Array) -> Smooth:
    slope, log_z, size = -truth, 0.0, 0.0
    for lo, hi in chunks(problem.n, problem.chunk if isinstance(problem, Batch) else 1):
        part = expectation(problem, w, lo, hi)
        add_into(slope, 1.0 / problem.n, part.psi)
        log_z += math.fsum(part.log_z)
        size += float(np.sum(np.abs(part.log_z)))
    truths = float(w @ truth)
    blur = ROUNDING * (1.0 + size / problem.n + float(np.abs(w) @ np.abs(truth)))
    return Smooth(log_z / problem.n - truths, slope, blur)


def local_risk(problem: Problem, sums: str) -> Risk:
    """R of the `conditionals` or the `pieces` of a problem, and its gradient."""
    return partial(_local_risk, problem, sums)


def _local_risk(problem: Problem, sums: str, w: Array) -> Smooth:
    assert isinstance(problem, LocalSums)
    ask = problem.conditionals if sums == "conditionals" else problem.pieces
    slope, cost, pulse = np.zeros(problem.dim), 0.0, pulse_of(problem)
    for lo, hi in chunks(problem.n, problem.chunk if isinstance(problem, Batch) else 1):
        pulse()
        part = ask(w, lo, hi)
        add_into(slope, 1.0 / problem.n, part.psi)
        cost += math.fsum(part.log_z)
    return Smooth(cost / problem.n, slope, ROUNDING * (1.0 + cost / problem.n))


def needs_local_sums(problem: Problem) -> str | None:
    """Why a learner of single terms refuses a problem that has none."""
    known = isinstance(problem, LocalSums)
    return None if known else "Only label sequences are known as sums of terms at and between positions."
