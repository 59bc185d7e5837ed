"""The optimum of a tiny conditional random field between two numbers, in extended precision.

    J(w) = 1/2 |w|^2 + price sum_i log(1 + sum_{y wrong} exp(w . d_iy)),   d_iy = features(y) - those of y_i

by Newton's method with halved steps; every term is a logarithm of one plus something, so no digits cancel. J
is strongly convex, hence J(w) - |g|^2 / 2 <= optimum <= J(w) at every w. Units: the longest d is 1.
"""

from typing import Any

import numpy as np

Long = np.longdouble
TURNS = 300


def likelihood_optimum(d: Any, example: Any, price: float) -> tuple[float, float]:
    """A lower and an upper bound of the optimum; `example` says whose wrong labelling a row belongs to."""
    longest = float(np.max(np.linalg.norm(d, axis=1), initial=0.0)) or 1.0
    rows, owner = np.asarray(d, dtype=Long) / Long(longest), np.asarray(example)
    cost, w = Long(price) * Long(longest) ** 2, np.zeros(d.shape[1], dtype=Long)
    at, low = look(rows, owner, cost, w), Long(0)
    for _ in range(TURNS):
        value, g, H = at
        low = max(low, value - g @ g / 2)
        if value - low <= Long(1e-12) * value:
            break
        bends, axes = np.linalg.eigh(H.astype(float))
        step = axes.astype(Long) @ (
            axes.T @ g / np.maximum(bends, 1.0)
        )  # no bend is less than that of |w|^2 / 2
        found = next(
            (
                (w - t * step, there)
                for t in (Long(0.5) ** k for k in range(60))
                if (there := look(rows, owner, cost, w - t * step))[0] < value
            ),
            None,
        )
        if found is None:
            break
        w, at = found
    unit = Long(longest) ** 2
    return float(low / unit), float(at[0] / unit)


def look(rows: Any, owner: Any, cost: Any, w: Any) -> tuple[Any, Any, Any]:
    """J, its gradient and its Hessian at w."""
    value, g, H = w @ w / 2, w.copy(), np.eye(len(w), dtype=Long)
    for i in np.unique(owner):
        mine = rows[owner == i]
        scores = mine @ w
        top = max(Long(0), scores.max())
        share = np.exp(scores - top)
        whole = np.exp(-top) + share.sum()
        value = value + cost * (top + np.log(whole) if top > 0 else np.log1p(share.sum()))
        p = share / whole
        mean = p @ mine
        g = g + cost * mean
        H = H + cost * ((mine.T * p) @ mine - np.outer(mean, mean))
    return value, g, H
