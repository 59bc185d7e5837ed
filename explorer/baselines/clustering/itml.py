"""Information-theoretic metric learning: the metric nearest to a given one that keeps pairs below or above
thresholds.

    minimise  D(A, A0) + slack * sum over pairs of D(xi, xi0)
    subject to  e' A e <= xi on similar pairs,  e' A e >= xi on dissimilar ones,   xi0 = near or far
    D(A, A0) = trace(A A0^-1) - log det(A A0^-1) - F,
        the LogDet divergence; of numbers, a / b - log(a / b) - 1

Davis, Kulis, Jain, Sra and Dhillon (ICML 2007), algorithm 1. Every visit of a pair is a Bregman projection:
with p = e' A e, sign +1 on similar and -1 on dissimilar pairs,

    alpha = min(lam, sign slack / (slack + 1) (1 / p - 1 / xi)),   beta = sign alpha / (1 - sign alpha p)
    xi <- slack xi / (slack + sign alpha xi),   lam <- lam - alpha,   A <- A + beta A e e' A

(the factor slack / (slack + 1) is what makes p meet xi; the paper's 1/2 is right for slack 1 only). A stays
positive definite without any projection. Each visit raises the dual, so `lower` never falls; `trace` is the
primal with the smallest xi that fit A. Cost per sweep: F^2 per pair.
"""

from typing import Any, ClassVar, final

import numpy as np

from explorer.baselines.clustering._arrays import index_pairs, nodes
from explorer.baselines.clustering._outcome import Metric, check_disjoint, differences
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array


@final
@settings
class ITML:
    """The nearest metric that keeps thresholds."""

    title: ClassVar[str] = "ITML"
    help: ClassVar[str] = (
        "Changes the metric as little as it can, so that pairs lie below or above two thresholds."
    )
    kind: ClassVar[str] = "metric"
    paper: ClassVar[str] = "Davis et al. 2007"

    slack: float = knob(
        1.0, "Price of moving a threshold; large: thresholds hold.", low=1e-6, high=1e9, log=True
    )
    near: float = knob(
        0.0, "Squared distance below which similar pairs belong; 0: the 5% quantile of all.", low=0.0
    )
    far: float = knob(
        0.0, "Squared distance above which dissimilar pairs belong; 0: the 95% quantile.", low=0.0
    )
    eps: float = knob(
        1e-6, "Stop when a sweep changes the multipliers relatively by less.", low=0.0, high=1.0, log=True
    )
    sweeps: int = knob(500, "Most sweeps over the pairs.", low=1, high=10**6, log=True)

    def fit(self, X: Any, similar: Any, dissimilar: Any, prior: Any = None) -> Metric:
        """The metric nearest to `prior` (the identity when none is given)."""
        rows = nodes(X)
        check_disjoint(similar, dissimilar, len(rows))
        E, sign = _signed(rows, similar, dissimilar)
        target = np.where(sign > 0, *self.thresholds(rows))
        A0 = _positive(np.eye(rows.shape[1]) if prior is None else prior, rows.shape[1])
        A, xi, lam = A0.copy(), target.astype(np.float64), np.zeros(len(E))
        trace, lower = [self._primal(A, A0, E, sign, target)], [0.0]
        for _ in range(self.sweeps):
            old = lam.copy()
            A = self._sweep(A, xi, lam, E, sign)
            trace.append(self._primal(A, A0, E, sign, target))
            p = np.sum((E @ A) * E, axis=1)
            lower.append(
                _divergence(A, A0) + self.slack * _ratio(xi, target) + float(np.sum(lam * sign * (p - xi)))
            )
            if np.abs(lam - old).sum() <= self.eps * max(float(np.abs(old).sum()), 1e-12):
                break
        return Metric((A + A.T) / 2.0, np.array(trace), np.array(lower))

    def thresholds(self, X: Array) -> tuple[float, float]:
        """near and far, from quantiles of all squared distances where they are 0."""
        i, j = np.triu_indices(len(X), 1)
        squared = np.sum((X[i] - X[j]) ** 2, axis=1)
        low, high = np.quantile(squared[squared > 0.0], [0.05, 0.95])
        near, far = self.near or float(low), self.far or float(high)
        if near > far:
            raise Refused(f"near is {near:g}, above far, {far:g}; swap the two or raise far")
        return near, far

    def _sweep(self, A: Array, xi: Array, lam: Array, E: Array, sign: Array) -> Array:
        """One projection per pair, in order; xi and lam are moved in place."""
        share = self.slack / (self.slack + 1.0)
        for t in range(len(E)):
            Ae = A @ E[t]
            p = float(E[t] @ Ae)
            alpha = min(lam[t], sign[t] * share * (1.0 / p - 1.0 / xi[t]))
            turn = sign[t] * alpha
            A = A + turn / (1.0 - turn * p) * np.outer(Ae, Ae)
            xi[t] = self.slack * xi[t] / (self.slack + turn * xi[t])
            lam[t] -= alpha
        return A

    def _primal(self, A: Array, A0: Array, E: Array, sign: Array, target: Array) -> float:
        p = np.sum((E @ A) * E, axis=1)
        fitting = np.where(sign > 0, np.maximum(p, target), np.minimum(p, target))
        return _divergence(A, A0) + self.slack * _ratio(fitting, target)


def _signed(X: Array, similar: Any, dissimilar: Any) -> tuple[Array, Array]:
    """Differences of all pairs and their signs; equal items that count as similar say nothing and are left
    out.
    """
    close, far = differences(X, similar, "similar pairs"), differences(X, dissimilar, "dissimilar pairs")
    equal = np.flatnonzero(~far.any(axis=1))
    if len(equal):
        a, b = index_pairs(dissimilar, len(X), "dissimilar pairs")[equal[0]].tolist()
        raise Refused(
            f"the dissimilar pair ({a}, {b}) has two equal items, which no metric parts; leave it out"
        )
    close = close[close.any(axis=1)]
    return np.concatenate([close, far]), np.concatenate([np.ones(len(close)), -np.ones(len(far))])


def _positive(prior: Any, features: int) -> Array:
    A0 = nodes(prior, "the rows of the prior")
    if A0.shape != (features, features) or np.linalg.eigvalsh((A0 + A0.T) / 2.0)[0] <= 0.0:
        raise Refused(
            f"the prior has shape {A0.shape} or is not positive definite; give a positive ({features}, "
            f"{features})"
        )
    return (A0 + A0.T) / 2.0


def _divergence(A: Array, A0: Array) -> float:
    ratio = np.linalg.solve(A0, A)
    return float(np.trace(ratio) - np.linalg.slogdet(ratio)[1] - len(A))


def _ratio(a: Array, b: Array) -> float:
    return float(np.sum(a / b - np.log(a / b) - 1.0))
