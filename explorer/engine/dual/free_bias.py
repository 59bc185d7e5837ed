"""The working-set dual with a bias that costs nothing.

    max_alpha  b . alpha - 1/2 alpha' G alpha   over the alpha of `qp` that also keep   sum_j alpha_j d_j = 0

d_j is the bias feature of plane j: since the bias is not in the norm, its gradient, that sum, has to vanish.
The bias beta is the multiplier of this equation, found by the method of multipliers (Hestenes 1969; Powell
1969): with rho of the size of the Gram matrix,

    alpha = argmax of the dual with  G + rho d d'  and  b - beta d,       beta <- beta + rho d . alpha

Each turn shrinks the error of beta by about rho d^2 / G. The sum is then made exactly 0 by shrinking the
heavier side, which breaks no other constraint, so what is returned proves a bound for the problem with a free
bias, whatever came before. Cost: a few solves of `qp`, each from the multipliers of the last.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from explorer.engine.dual import qp
from explorer.engine.vectors import Array

FIRM = 100.0
"""rho, in units of the largest plane's curvature along the bias."""

TURNS = 40
"""No more corrections of the bias than this: then the gap is reported as it is."""

PATIENCE = 4
"""After this many turns without a smaller gap, likewise."""


def solve_with_bias(
    program: qp.Working,
    d: Array,
    beta: float,
    start: Array,
    tolerance: float,
    pulse: Callable[[], None] = lambda: None,
) -> tuple[qp.Solution, float]:
    """The best multipliers with d . alpha = 0, and the bias that goes with them."""
    if not np.any(d):
        return qp.solve(program, start, tolerance, pulse), beta
    bend = float(np.max(np.diag(program.gram), initial=0.0)) or 1.0
    rho = FIRM * bend / float(np.max(d * d))
    firm = replace(program, gram=program.gram + rho * np.outer(d, d))
    alpha, stale = start, 0
    best: tuple[qp.Solution, float] | None = None
    for _ in range(TURNS):
        alpha = qp.solve(replace(firm, b=program.b - beta * d), alpha, tolerance, pulse).alpha
        beta += rho * float(d @ alpha)
        at = replace(program, b=program.b - beta * d)
        found = qp.certify(at, balance(qp.feasible(at, alpha), d))
        found = replace(found, reached=found.gap <= tolerance * max(found.dual, qp.single_gain(at)))
        better = best is None or found.gap < 0.9 * best[0].gap
        stale = 0 if better else stale + 1
        if best is None or found.gap < best[0].gap:
            best = found, beta
        if found.reached or stale >= PATIENCE:
            break
    assert best is not None
    return best


def balance(alpha: Array, d: Array) -> Array:
    """The same multipliers with the heavier side of the bias shrunk until both sides weigh the same."""
    above, below = float(alpha @ np.maximum(d, 0.0)), float(alpha @ np.maximum(-d, 0.0))
    if above == below:
        return alpha
    if min(above, below) == 0.0:
        return np.where(d == 0.0, alpha, 0.0)
    heavy = d > 0.0 if above > below else d < 0.0
    return np.where(heavy, alpha * (min(above, below) / max(above, below)), alpha)
