"""A metric that pushes dissimilar pairs further apart than they were, after Tsang and Kwok.

    OP 2   minimise  1/2 |B|_F^2 + C_S mean over S of q(i, j) + C_D (-nu gamma + mean over D of xi_ij)
           subject to  q(i, j) - d(i, j)^2 >= gamma - xi_ij,  xi >= 0 on D,  B positive semidefinite
           q(i, j) = (x_i - x_j)' B (x_i - x_j),  d the original Euclidean distance

"Distance metric learning with kernels" (ICANN 2003); Finley 2009, OP 2, with B = A A'. nu is the share of
dissimilar pairs that may fail the margin gamma. The dual has one number per dissimilar pair,

    maximise  sum alpha d^2 - 1/2 |B(alpha)|_F^2   over  0 <= alpha <= C_D / |D|,  sum alpha = C_D nu
    B(alpha) = positive part of  sum over D alpha_ij e e' - C_S mean over S of e e'

which is smooth and concave: projected gradient ascent with a step found by halving, so the dual never falls.
The primal of B(alpha) with the best gamma says how far it is from the optimum. Cost per iteration: |D| F^2 +
F^3.
"""

from typing import Any, ClassVar, final

import numpy as np

from explorer.baselines.clustering._arrays import nodes
from explorer.baselines.clustering._outcome import Metric, check_disjoint, differences, positive_part
from explorer.engine.knobs import knob, settings
from explorer.engine.vectors import Array


@final
@settings
class TsangKwok:
    """Dissimilar pairs at least a margin further apart than before."""

    title: ClassVar[str] = "Tsang and Kwok's metric"
    help: ClassVar[str] = (
        "Draws similar pairs together and pushes dissimilar ones a margin further apart than they were."
    )
    kind: ClassVar[str] = "metric"
    paper: ClassVar[str] = "Tsang and Kwok 2003; OP 2"

    C_S: float = knob(
        1.0, "Weight of the mean squared distance of similar pairs.", low=0.0, high=1e9, log=True
    )
    C_D: float = knob(1.0, "Weight of the margin of dissimilar pairs.", low=1e-9, high=1e9, log=True)
    nu: float = knob(0.5, "Share of dissimilar pairs that may fail the margin.", low=1e-3, high=1.0)
    eps: float = knob(1e-6, "Stop when the relative gap is below this.", low=0.0, high=1.0, log=True)
    steps: int = knob(1000, "Most iterations.", low=1, high=10**6, log=True)

    def fit(self, X: Any, similar: Any, dissimilar: Any) -> Metric:
        """The metric B; `lower` is the dual, which never falls."""
        rows = nodes(X)
        check_disjoint(similar, dissimilar, len(rows))
        close, far = (
            differences(rows, similar, "similar pairs"),
            differences(rows, dissimilar, "dissimilar pairs"),
        )
        pull = self.C_S * (close.T @ close) / len(close)
        before = np.sum(far**2, axis=1)
        cap = self.C_D / len(far)
        alpha = np.full(len(far), cap * self.nu)
        step, trace, lower = 1.0, [], []
        B, value = _dual(alpha, far, before, pull)
        for _ in range(self.steps):
            stretched = np.sum((far @ B) * far, axis=1)
            trace.append(self._primal(B, stretched - before, pull))
            lower.append(value)
            if trace[-1] - value <= self.eps * abs(trace[-1]):
                break
            alpha, B, value, step = self._ascend(alpha, before - stretched, (far, before, pull), value, step)
        return Metric(B, np.array(trace), np.array(lower))

    def _ascend(
        self, alpha: Array, slope: Array, data: tuple[Array, Array, Array], value: float, step: float
    ) -> tuple[Array, Array, float, float]:
        """One projected step uphill; the step grows when it was good and is halved until it is."""
        far = data[0]
        step *= 2.0
        while True:
            trial = capped_simplex(alpha + step * slope, self.C_D / len(far), self.C_D * self.nu)
            B, reached = _dual(trial, *data)
            moved = trial - alpha
            if reached >= value + 0.1 * float(slope @ moved) or step < 1e-18:
                return (trial, B, reached, step) if reached >= value else (alpha, *_dual(alpha, *data), step)
            step *= 0.5

    def _primal(self, B: Array, gains: Array, pull: Array) -> float:
        """The objective of OP 2 at B with the best margin, the nu-quantile of the gains."""
        ordered = np.sort(gains)
        gamma = float(ordered[min(int(np.ceil(self.nu * len(ordered))), len(ordered)) - 1])
        hinge = float(np.maximum(gamma - gains, 0.0).mean())
        return 0.5 * float(np.sum(B * B)) + float(np.sum(pull * B)) + self.C_D * (hinge - self.nu * gamma)


def capped_simplex(v: Array, cap: float, total: float) -> Array:
    """The nearest point to v with entries in [0, cap] that sum to `total`."""
    if total >= cap * len(v) * (1.0 - 1e-15):
        return np.full(len(v), cap)
    # The sum falls piecewise linearly in the shift; its corners are v and v - cap.
    corners = np.sort(np.concatenate([v, v - cap]))
    lo, hi = 0, len(corners) - 1
    while hi - lo > 1:
        middle = (lo + hi) // 2
        lo, hi = (middle, hi) if np.clip(v - corners[middle], 0.0, cap).sum() >= total else (lo, middle)
    low, high = (float(np.clip(v - corners[c], 0.0, cap).sum()) for c in (lo, hi))
    share = 0.0 if low == high else (low - total) / (low - high)
    return np.asarray(np.clip(v - (corners[lo] + share * (corners[hi] - corners[lo])), 0.0, cap))


def _dual(alpha: Array, far: Array, before: Array, pull: Array) -> tuple[Array, float]:
    """B(alpha) and the dual objective."""
    B = positive_part((far * alpha[:, None]).T @ far - pull)
    return B, float(alpha @ before) - 0.5 * float(np.sum(B * B))
