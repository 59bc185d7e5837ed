"""Steps within one example's cuts, against the optimum of the same small program by another solver."""

import cvxpy as cp
import numpy as np
import pytest

from explorer.engine.dual.block_steps import AWAY, PAIRWISE, TOWARD, settle
from explorer.engine.visits import Plan

RULES = {"pairwise": PAIRWISE, "toward": TOWARD, "away": AWAY}


def program(seed: int, m: int = 5, dim: int = 4):
    rng = np.random.default_rng(seed)
    a, rest = rng.normal(size=(m, dim)), rng.normal(size=dim)
    return a, rng.uniform(0.2, 2.0, m), rest, float(10.0 ** rng.uniform(-1, 1))


def dual(a, b, rest, alpha) -> float:
    return float(b @ alpha - 0.5 * np.sum((rest + alpha @ a) ** 2))


def best(a, b, rest, cap) -> float:
    alpha = cp.Variable(len(b), nonneg=True)
    goal = cp.Maximize(b @ alpha - 0.5 * cp.sum_squares(rest + a.T @ alpha))
    return float(cp.Problem(goal, [cp.sum(alpha) <= cap]).solve(solver=cp.CLARABEL))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", range(12))
def test_every_step_raises_the_dual_within_its_limits_and_many_reach_the_optimum(
    rule: str, seed: int
) -> None:
    a, b, rest, cap = program(seed)
    m = len(b)
    alpha, moved, gram = np.zeros(m), np.zeros(m), a @ a.T
    g = b - a @ rest
    values = [dual(a, b, rest, alpha)]
    for _ in range(400):
        before = alpha.copy()
        settle(Plan(True, cap, RULES[rule], 1, 9), m, g, gram, alpha, moved)
        assert moved == pytest.approx(alpha - before, abs=1e-12)
        assert np.all(alpha >= 0.0)
        assert np.sum(alpha) <= cap * (1 + 1e-12)
        assert g == pytest.approx(b - a @ (rest + alpha @ a), abs=1e-9)
        values.append(dual(a, b, rest, alpha))
    assert np.all(np.diff(values) >= -1e-12 * max(1.0, abs(values[-1])))
    # Plain Frank-Wolfe steps zigzag towards an optimum on an edge; the other two do not.
    near = 2e-2 if rule == "toward" else 1e-8
    assert values[-1] == pytest.approx(best(a, b, rest, cap), rel=near, abs=near)
