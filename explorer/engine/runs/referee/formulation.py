"""Training written for cvxpy. Whoever asks for the program as code is shown these very functions.

    hinge        min 1/2 |w|^2 + sum_g price_g cost(slack_g)   s.t.  slack_g >= b_j - a_j . w  for rows j of g
                 (w without its first entry in the norm, where that is a free bias)
    likelihood   min 1/2 |w|^2 + sum_g price_g log sum_{j of g} exp(-a_j . w)

Row j stands for one labelling, or for a cut that joins several; g = slot_j says whose slack it bounds.
cost(s) is s or s^2 / 2; an infinite price leaves no slack. Cost: that of an interior-point method (Clarabel).
"""

from typing import Any

import numpy as np

from explorer.engine.vectors import Array, Ints


def hinge(
    a: Array, b: Array, slot: Ints, price: Array, squared: bool, free_bias: bool
) -> tuple[Any, Any, Any]:
    """The program, its weights and its slacks; the multipliers are those of its first constraint."""
    import cvxpy as cp

    w, slack = cp.Variable(a.shape[1]), cp.Variable(len(price), nonneg=True)
    soft, hard = np.flatnonzero(np.isfinite(price)), np.flatnonzero(np.isinf(price))
    cost = slack[soft] ** 2 / 2 if squared else slack[soft]
    paid = price[soft] @ cost if len(soft) else 0
    rules = [slack[slot] >= b - a @ w] + [slack[g] == 0 for g in hard]
    length = cp.sum_squares(w[1:] if free_bias else w)
    return cp.Problem(cp.Minimize(length / 2 + paid), rules), w, slack


def likelihood(a: Array, slot: Ints, price: Array) -> tuple[Any, Any]:
    """The program and its weights; every example has a row for each of its labellings, the truth included."""
    import cvxpy as cp

    w = cp.Variable(a.shape[1])
    log_loss = [price[g] * cp.log_sum_exp(-a[slot == g] @ w) for g in range(len(price))]
    return cp.Problem(cp.Minimize(cp.sum_squares(w) / 2 + sum(log_loss))), w
