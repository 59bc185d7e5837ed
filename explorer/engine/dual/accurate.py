"""The gradient of the working-set dual as if computed with twice the digits.

    gradient_j = b_j - sum_p G_jp alpha_p - ridge_g S_g,     S_g = sum_{j in g} alpha_j

With a large C the terms of the sum are many orders of magnitude larger than the sum: a plain gradient then
keeps no digit, and a gap made of it proves nothing. Here every product and every addition hands on its own
rounding error (Dekker 1971; Ogita, Rump, Oishi 2005, algorithm 5.3), so that the result is right to the last
digits as long as the terms exceed it by less than 10^16. Cost: about twenty operations for each of k planes
times each plane in use.
"""

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.vectors import Array, Ints

SPLIT = 134217729.0
"""2^27 + 1: multiplying by it parts a double into two halves of 26 digits."""


@compiled
def two_sum(x: float, y: float) -> tuple[float, float]:
    """The rounded sum and what the rounding left out: x + y = sum + rest exactly (Knuth)."""
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)


@compiled
def two_product(x: float, y: float) -> tuple[float, float]:
    """The rounded product and what the rounding left out (Dekker); for numbers below 1e150."""
    total = x * y
    long = SPLIT * x
    x_high = long - (long - x)
    long = SPLIT * y
    y_high = long - (long - y)
    x_low, y_low = x - x_high, y - y_high
    return total, x_low * y_low - (((total - x_high * y_high) - x_low * y_high) - x_high * y_low)


@compiled
def accurate_gradient(G: Array, b: Array, group: Ints, ridge: Array, alpha: Array, out: Array) -> None:
    """out_j = b_j - (G alpha)_j - ridge_g S_g, rounded once."""
    k = len(alpha)
    used = np.zeros(len(ridge))
    rest = np.zeros(k)
    out[:] = b
    for p in range(k):
        used[group[p]] += alpha[p]
        if alpha[p] != 0.0:
            for j in range(k):
                product, lost = two_product(-G[p, j], alpha[p])
                out[j], more = two_sum(out[j], product)
                rest[j] += lost + more
    for j in range(k):
        product, lost = two_product(-ridge[group[j]], used[group[j]])
        out[j], more = two_sum(out[j], product)
        out[j] += rest[j] + lost + more
