"""A metric from similar and dissimilar pairs, after Xing, Ng, Jordan and Russell.

    OP 1   minimise  sum over S of d(i, j)^2    subject to  sum over D of d(i, j) >= 1,
        A positive semidefinite
           d(i, j)^2 = (x_i - x_j)' A (x_i - x_j)

"Distance metric learning, with application to clustering with side-information" (NIPS 2002); Finley 2009, OP
1. Both sums are homogeneous in A, so OP 1 is: maximise g = sum over D of |L' e| with |L|_F = 1, where e are
the differences made white by the scatter of S and L L' is A made white. g is convex in L, so linearising it
can only help:

    L <- G / |G|_F,   G = sum over D of e e' L / |L' e|

never lowers g (Journee, Nesterov, Richtarik and Sepulchre 2010), needs no step size and keeps A semidefinite.
With A diagonal, L is a diagonal too. g is concave in B = L L', so g* <= g + lambda_max(M) / 2 - g / 2, where
M / 2 is its gradient: the certificate `lower`. A small ridge makes the scatter of S invertible. Cost per
iteration: |D| F^2, and F^3 for the bound.
"""

from typing import Any, ClassVar, final

import numpy as np

from explorer.baselines.clustering._arrays import nodes
from explorer.baselines.clustering._outcome import Metric, check_disjoint, differences
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array


@final
@settings
class Xing:
    """Similar pairs near, dissimilar pairs far in sum."""

    title: ClassVar[str] = "Xing's metric"
    help: ClassVar[str] = (
        "Draws similar pairs together while the distances of dissimilar pairs sum to at least 1."
    )
    kind: ClassVar[str] = "metric"
    paper: ClassVar[str] = "Xing, Ng, Jordan and Russell 2002; OP 1"

    form: str = knob("full", "A full matrix, or weights of single features.", choices=("full", "diagonal"))
    ridge: float = knob(
        1e-8, "Added to the scatter of similar pairs, relative to its mean.", low=0.0, high=1.0, log=True
    )
    eps: float = knob(
        1e-6, "Stop when the relative gap to the bound is below this.", low=0.0, high=1.0, log=True
    )
    steps: int = knob(2000, "Most iterations.", low=1, high=10**6, log=True)

    def fit(self, X: Any, similar: Any, dissimilar: Any) -> Metric:
        """The metric; its objective never rises from one iteration to the next."""
        rows = nodes(X)
        check_disjoint(similar, dissimilar, len(rows))
        white = self._whitening(differences(rows, similar, "similar pairs"))
        E = differences(rows, dissimilar, "dissimilar pairs") @ white
        norms = np.linalg.norm(E, axis=1)
        if not norms.any():
            raise Refused("all dissimilar pairs are pairs of equal items; give one whose items differ")
        L, tops, lower = self._climb(E[norms > 0.0])
        A = white @ L @ L.T @ white / tops[-1] ** 2
        return Metric((A + A.T) / 2.0, 1.0 / np.array(tops) ** 2, np.array(lower))

    def _whitening(self, close: Array) -> Array:
        """The inverse square root of the scatter of similar pairs."""
        scatter = close.T @ close
        if self.form == "diagonal":
            scatter = np.diag(np.diag(scatter))
        scatter = scatter + self.ridge * np.trace(scatter) / len(scatter) * np.eye(len(scatter))
        values, vectors = np.linalg.eigh(scatter)
        if values[0] <= 1e-14 * max(values[-1], 1e-300):
            raise Refused(
                "similar pairs do not differ in some direction; give more of them, or a larger ridge"
            )
        return np.asarray((vectors / np.sqrt(values)) @ vectors.T)

    def _climb(self, E: Array) -> tuple[Array, list[float], list[float]]:
        """L of unit norm, g after every iteration, and the lower bounds on the objective of OP 1."""
        L = np.eye(E.shape[1]) / np.sqrt(E.shape[1])
        tops: list[float] = []
        lower: list[float] = []
        for _ in range(self.steps):
            lengths = np.maximum(np.linalg.norm(E @ L, axis=1), 1e-150)
            M = (E / lengths[:, None]).T @ E
            M = np.diag(np.diag(M)) if self.form == "diagonal" else M
            tops.append(float(lengths.sum()))
            # Half of M is the gradient of g at B = L L', where trace(M B) = g.
            best = tops[-1] + 0.5 * (float(np.linalg.eigvalsh(M)[-1]) - tops[-1])
            lower.append(1.0 / best**2)
            if 1.0 - lower[-1] * tops[-1] ** 2 <= self.eps:
                break
            L = M @ L
            L = L / np.linalg.norm(L)
        else:
            tops.append(float(np.linalg.norm(E @ L, axis=1).sum()))
        return L, tops, lower
