"""The accurate gradient is the exact one, rounded once; checked with rational arithmetic."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from explorer.engine.dual.accurate import accurate_gradient, two_product, two_sum
from explorer.engine.dual.pair_and_face_steps import gradient


def exact(G: Any, b: Any, group: Any, ridge: Any, alpha: Any) -> Any:
    """b - G alpha - ridge_g S_g in fractions, then to the nearest double."""
    G, b, ridge, alpha = (np.vectorize(Fraction)(x) for x in (G, b, ridge, alpha))
    used = [sum((alpha[j] for j in np.flatnonzero(group == g)), Fraction(0)) for g in range(len(ridge))]
    return np.array(
        [float(b[j] - sum(G[j] * alpha) - ridge[group[j]] * used[group[j]]) for j in range(len(b))]
    )


@pytest.mark.parametrize("size", [1.0, 1e4, 1e8])
@pytest.mark.parametrize("price", [0.0, 1e-6])
def test_no_digit_is_lost_where_the_terms_are_much_larger_than_their_sum(size: float, price: float) -> None:
    rng = np.random.default_rng(0)
    A = rng.normal(size=(12, 3))
    alpha = rng.uniform(0.0, size, 12) * (rng.random(12) < 0.8)
    G, b, group, ridge = A @ A.T * size, rng.uniform(0.0, 1.0, 12), np.arange(12) % 2, np.full(2, price)
    # The right-hand side is chosen close to G alpha, so that nearly everything cancels.
    b += np.round(G @ alpha)
    out, plain = np.empty(12), np.empty(12)
    accurate_gradient(G, b, group, ridge, alpha, out)
    gradient(G, b, group, ridge, alpha, plain)
    truth = exact(G, b, group, ridge, alpha)
    assert out == pytest.approx(truth, rel=1e-12)
    assert np.max(np.abs(out - truth)) <= np.max(np.abs(plain - truth))
    if size == 1e8:
        assert np.max(np.abs(plain - truth)) > 1e-3


def test_sum_and_product_hand_on_exactly_what_rounding_left_out() -> None:
    rng = np.random.default_rng(1)
    for x, y in rng.normal(size=(200, 2)) * 10.0 ** rng.integers(-8, 8, (200, 2)):
        x, y = float(x), float(y)
        total, rest = two_sum(x, y)
        assert Fraction(total) + Fraction(rest) == Fraction(x) + Fraction(y)
        assert total == x + y
        total, rest = two_product(x, y)
        assert Fraction(total) + Fraction(rest) == Fraction(x) * Fraction(y)
        assert total == x * y


def test_what_rounding_leaves_out_of_the_price_of_mass_is_counted_too() -> None:
    # b is the rounded product of price and mass, so that its rounding is all that is left: 0.1 * 0.3 and 1/3.
    for price, mass, rest in ((0.1, 0.3, 0.0), (1.0 / 3.0, 3.0, 1e-20), (1e8 / 3.0, 0.7, 0.0)):
        b, out = np.array([price * mass + rest]), np.empty(1)
        one = np.ones(1)
        accurate_gradient(np.zeros((1, 1)), b, np.zeros(1, dtype=np.int64), price * one, mass * one, out)
        truth = Fraction(b[0]) - Fraction(price) * Fraction(mass)
        assert out[0] == float(truth)
