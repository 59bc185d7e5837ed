"""Learning a similarity whose top eigenspace is the true clustering, after Bach and Jordan.

    K_w   = sum_l w_l psi_l as a matrix with zero diagonal,   Z = Y Y' of the truth with k clusters
    P_w   = U diag(p) U',  p_a = 1 / (1 + exp(mu - lambda_a)),  mu such that trace P = k
        (K_w = U diag(lambda) U')
    J(w)  = mean over examples of  (k - trace(P_w Z)) / k  +  lam / 2 |w|^2

Bach and Jordan, "Learning spectral clustering" (NIPS 2003), as named in Finley 2009, section 1.4. P is the
projector Z_K on the k top eigenvectors made smooth: as w grows it tends to Z_K, and k - trace(Z_K Z) is |Z_K
- Z|^2 / 2. For any P with 0 <= P <= I and trace k, |P - Z|^2 / 2 <= k - trace(P Z), and the partition Yhat
into k clusters that is nearest to P has |Zhat - Z|^2 / 2 <= 4 (k - trace(P Z)). So 400 J bounds the
normalised loss of that partition from above: one loss, and only for spectral clustering, which is the
method's limit. J is smooth but not convex; L-BFGS starts from w = 0, where P = (k / m) I. Gradient by
perturbation of eigenvectors. Cost per look: m^3 + m^2 N per example.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from explorer.baselines.clustering._arrays import ideal, items_of, pair_features, partition, square
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.rows import Rows
from explorer.engine.vectors import Array, Ints

NEAR = 1e-4
"""Eigenvalues closer than this share the slope at their middle: a quotient of differences would lose its
digits.
"""


@dataclass(frozen=True, slots=True, eq=False)
class SpectralFit:
    """Weights, the criterion J after every iteration of the optimiser, and the loss of the hard
    eigenspaces.
    """

    w: Array
    trace: Array
    relaxed_before: float
    relaxed_after: float

    def similarity(self, psi: Any) -> Array:
        """K of one item set, zero on the diagonal."""
        rows = pair_features(psi)
        if rows.shape[1] != len(self.w):
            raise Refused(
                f"psi has {rows.shape[1]} features but {len(self.w)} weights were learned; give the same ones"
            )
        return square(rows @ self.w)


@final
@settings
class SpectralLearning:
    """Weights that make the true clustering the top eigenspace."""

    title: ClassVar[str] = "spectral learning"
    help: ClassVar[str] = "Fits the similarity so that its top eigenvectors span the true clusters."
    kind: ClassVar[str] = "similarity"
    paper: ClassVar[str] = "Bach and Jordan 2003"

    lam: float = knob(1e-3, "Weight of half the squared norm of w.", low=0.0, high=1e6, log=True)
    steps: int = knob(100, "Most iterations of the optimiser.", low=1, high=10**5, log=True)

    def fit(self, psis: Sequence[Any], partitions: Sequence[Any]) -> SpectralFit:
        """Minimise J from w = 0 on all item sets; the criterion never rises from one iteration to the
        next.
        """
        from scipy.optimize import minimize  # slow to import

        tables, truths = _checked(psis, partitions)
        seen = [self.criterion(np.zeros(tables[0].shape[1]), tables, truths)[0]]
        found = minimize(
            self.criterion,
            np.zeros(tables[0].shape[1]),
            args=(tables, truths),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": self.steps},
            callback=lambda intermediate_result: seen.append(float(intermediate_result.fun)),
        )
        w = np.asarray(found.x, dtype=np.float64)
        before = relaxed_loss(np.ones(len(w)), tables, truths)
        return SpectralFit(w, np.array(seen), before, relaxed_loss(w, tables, truths))

    def criterion(self, w: Array, tables: Sequence[Rows], truths: Sequence[Ints]) -> tuple[float, Array]:
        """J and its gradient at w."""
        value, slope = 0.5 * self.lam * float(w @ w), self.lam * w
        for psi, y in zip(tables, truths, strict=True):
            part, G = smooth_miss(square(psi @ w), y)
            value += part / len(tables)
            # Every pair stands twice in the matrix.
            slope = slope + 2.0 / len(tables) * (G[np.triu_indices(len(y), 1)] @ psi)
        return value, slope


def smooth_miss(K: Array, y: Ints) -> tuple[float, Array]:
    """(k - trace(P Z)) / k of one similarity, and its gradient with respect to K."""
    k = int(y.max()) + 1
    values, U = np.linalg.eigh(K)
    p, slopes = occupation(values, k)
    M = U.T @ ideal(y) @ U
    gap = values[:, None] - values[None, :]
    near = np.abs(gap) < NEAR
    F = np.where(
        near, 0.5 * (slopes[:, None] + slopes[None, :]), (p[:, None] - p[None, :]) / np.where(near, 1.0, gap)
    )
    G = -F * M
    # mu moves with the eigenvalues, so that the trace stays k.
    G[np.diag_indices(len(p))] += slopes * float(slopes @ np.diag(M)) / max(float(slopes.sum()), 1e-300)
    return (k - float(p @ np.diag(M))) / k, (U @ G @ U.T) / k


def occupation(values: Array, k: int) -> tuple[Array, Array]:
    """p in (0, 1) that sum to k and rise with the eigenvalues, and their slopes p (1 - p)."""
    from scipy.optimize import brentq
    from scipy.special import expit

    wide = float(np.log(len(values))) + 1.0
    mu = brentq(lambda t: float(expit(values - t).sum()) - k, values[0] - wide, values[-1] + wide, xtol=1e-14)
    p = expit(values - mu)
    return p, p * expit(mu - values)


def relaxed_loss(w: Array, tables: Sequence[Rows], truths: Sequence[Ints]) -> float:
    """Mean normalised loss 100 (1 - |Y' U|^2 / k) of the k top eigenvectors U, not rounded."""
    total = 0.0
    for psi, y in zip(tables, truths, strict=True):
        k = int(y.max()) + 1
        top = np.linalg.eigh(square(psi @ w))[1][:, -k:]
        total += 100.0 * (1.0 - float(np.sum(top * (ideal(y) @ top))) / k)
    return total / len(tables)


def _checked(psis: Sequence[Any], partitions: Sequence[Any]) -> tuple[list[Rows], list[Ints]]:
    if len(psis) != len(partitions) or len(psis) == 0:
        raise Refused(
            f"there are {len(psis)} psis and {len(partitions)} partitions; give one partition per psi"
        )
    tables = [pair_features(psi, f"psi of item set {i}") for i, psi in enumerate(psis)]
    truths = []
    for i, (psi, y) in enumerate(zip(tables, partitions, strict=True)):
        truth = partition(y, items_of(psi.shape[0]), f"the partition of item set {i}")
        if psi.shape[1] != tables[0].shape[1]:
            raise Refused(
                f"item set {i} has {psi.shape[1]} pair features but item set 0 {tables[0].shape[1]}; align "
                "them"
            )
        if int(truth.max()) + 1 == len(truth):
            raise Refused(f"item set {i} has only singletons, which every similarity fits; leave it out")
        truths.append(truth)
    return tables, truths
