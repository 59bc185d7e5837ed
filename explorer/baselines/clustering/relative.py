"""Weights of features from comparisons "i is closer to j than to k", after Schultz and Joachims.

    OP 3   minimise  1/2 |A W A'|_F^2 + C sum xi_t
           subject to  d(i, k)^2 - d(i, j)^2 >= 1 - xi_t,  xi >= 0,  W diagonal, W >= 0
           d(x, z)^2 = (x - z)' A W A' (x - z)

"Learning a distance metric from relative comparisons" (NIPS 2003); Finley 2009, OP 3. A is the identity, or
any basis of columns (items as columns make it a kernel expansion). With w the diagonal of W, |A W A'|_F^2 =
w' H w, H = (A' A) squared entry by entry, and comparison t is w . delta_t >= 1 - xi_t. The dual,

    maximise  sum alpha - 1/2 v' H^-1 v,   v = sum_t alpha_t delta_t + mu,   0 <= alpha <= C,  mu >= 0,
        w = H^-1 v

says after every step how far w is from the optimum. Both are solved together by an interior-point method,
Newton steps on the optimality conditions; neither trace is monotone. C multiplies the sum of slacks, as in
the paper. Cost per step: F^2 per comparison, and F^3.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from explorer.baselines.clustering._arrays import nodes
from explorer.baselines.clustering._outcome import Metric
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints


@final
@settings
class Relative:
    """Weights that keep relative comparisons."""

    title: ClassVar[str] = "relative comparisons"
    help: ClassVar[str] = (
        "Weights features so that items are closer to the one than to the other, as they were compared."
    )
    kind: ClassVar[str] = "metric"
    paper: ClassVar[str] = "Schultz and Joachims 2003; OP 3"

    C: float = knob(1.0, "Weight of the sum of slacks.", low=1e-9, high=1e9, log=True)
    ridge: float = knob(
        1e-9, "Added to H, relative to its mean diagonal, when a basis is given.", low=0.0, high=1.0, log=True
    )
    eps: float = knob(1e-8, "Stop when the relative gap is below this.", low=1e-12, high=1.0, log=True)
    steps: int = knob(200, "Most steps.", low=1, high=10**6, log=True)

    def fit(self, X: Any, triples: Any, basis: Any = None) -> Metric:
        """W >= 0 and A W A'; triples are rows (i, j, k): i is closer to j than to k."""
        rows = nodes(X)
        A = np.eye(rows.shape[1]) if basis is None else _basis(basis, rows.shape[1])
        delta = _deltas(rows @ A, checked_triples(triples, len(rows)))
        H = self._curvature(A, basis is not None)
        trace, lower, best = [], [], np.zeros(A.shape[1])
        point = _Point.start(delta, self.C)
        for _ in range(self.steps):
            trace.append(self._primal(point.w, delta, H))
            best = point.w if trace[-1] <= min(trace) else best
            try:
                lower.append(_dual(point, delta, H))
                if min(trace) - max(lower) <= self.eps * max(min(trace), 1e-300):
                    break
                point = point.step(delta, H)
            except np.linalg.LinAlgError:
                # A basis of many dependent columns has run out of digits: the gap says how far this is.
                break
        # The last entry belongs to the weights that are handed back.
        return Metric((A * best) @ A.T, np.array([*trace, min(trace)]), np.array(lower), best)

    def _curvature(self, A: Array, basis: bool) -> Array:
        H = (A.T @ A) ** 2
        return H + self.ridge * np.trace(H) / len(H) * np.eye(len(H)) if basis else H

    def _primal(self, w: Array, delta: Array, H: Array) -> float:
        return 0.5 * float(w @ H @ w) + self.C * float(np.maximum(1.0 - delta @ w, 0.0).sum())


def checked_triples(triples: Any, m: int) -> Ints:
    """Rows (i, j, k) of three items, j and k different, or Refused."""
    rows = np.asarray(triples)
    if rows.ndim != 2 or rows.shape[1] != 3 or rows.dtype.kind not in "iu" or len(rows) == 0:
        raise Refused(
            f"the comparisons have shape {rows.shape}; give rows (i, j, k): i is closer to j than to k"
        )
    for i, j, k in rows.tolist():
        if not all(0 <= a < m for a in (i, j, k)):
            raise Refused(f"the comparison ({i}, {j}, {k}) names an item outside 0 to {m - 1}; correct it")
        if j == k or i == k:
            raise Refused(
                f"the comparison ({i}, {j}, {k}) can never hold; give two different items to compare with"
            )
    known = set(map(tuple, rows.tolist()))
    for i, j, k in sorted(known):
        if (i, k, j) in known:
            raise Refused(
                f"the comparisons ({i}, {j}, {k}) and ({i}, {k}, {j}) contradict each other; drop one"
            )
    return np.unique(rows.astype(np.int64), axis=0)


def _basis(basis: Any, features: int) -> Array:
    A = nodes(basis, "the basis vectors")
    if A.shape[0] != features:
        raise Refused(
            f"the basis has {A.shape[0]} rows but items have {features} features; give one row per feature"
        )
    return A


def _deltas(Z: Array, triples: Ints) -> Array:
    i, j, k = triples.T
    return np.asarray((Z[i] - Z[k]) ** 2 - (Z[i] - Z[j]) ** 2)


@dataclass(frozen=True, slots=True, eq=False)
class _Point:
    """All unknowns of the optimality conditions, strictly positive; s is the surplus of a comparison, beta =
    C - alpha.
    """

    w: Array
    mu: Array
    alpha: Array
    beta: Array
    s: Array
    xi: Array

    @staticmethod
    def start(delta: Array, C: float) -> "_Point":
        """Equal weights at which the average comparison has a margin near 1."""
        w = np.full(delta.shape[1], 1.0 / max(float(np.abs(delta).sum(axis=1).mean()), 1e-12))
        xi = np.maximum(1.0 - delta @ w, 0.0) + 1.0
        half = np.full(len(xi), C / 2.0)
        return _Point(w, np.full(len(w), C / 2.0), half, half, delta @ w + xi - 1.0, xi)

    def step(self, delta: Array, H: Array) -> "_Point":
        """A Newton step towards a tenth of the present complementarity, cut short of the bounds."""
        w, mu, alpha, beta, s, xi = _unknowns(self)
        aim = 0.1 * float(alpha @ s + beta @ xi + mu @ w) / (2 * len(s) + len(w))
        c1, c2, c3 = aim - alpha * s, aim - beta * xi, aim - mu * w
        q = xi / beta + s / alpha
        e = s + 1.0 - delta @ w - xi - c2 / beta + c1 / alpha
        left = H + (delta / q[:, None]).T @ delta + np.diag(mu / w)
        right = alpha @ delta + mu - H @ w + (e / q) @ delta + c3 / w
        dw = np.asarray(np.linalg.solve(left, right), dtype=np.float64)
        da = (e - delta @ dw) / q
        turns = (dw, (c3 - mu * dw) / w, da, -da, (c1 - s * da) / alpha, (c2 + xi * da) / beta)
        t = min(1.0, 0.99 * min(_room(x, dx) for x, dx in zip(_unknowns(self), turns, strict=True)))
        return _Point(*(x + t * dx for x, dx in zip(_unknowns(self), turns, strict=True)))


def _unknowns(point: _Point) -> tuple[Array, ...]:
    """The unknowns in the order of their declaration."""
    return point.w, point.mu, point.alpha, point.beta, point.s, point.xi


def _room(x: Array, dx: Array) -> float:
    """How far x can go along dx before an entry reaches 0."""
    down = dx < 0.0
    return float(np.min(x[down] / -dx[down])) if down.any() else np.inf


def _dual(point: _Point, delta: Array, H: Array) -> float:
    v = point.alpha @ delta + point.mu
    return float(point.alpha.sum()) - 0.5 * float(v @ np.linalg.solve(H, v))
