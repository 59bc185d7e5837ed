"""Steps within one example's cuts, against the optimum of the same small program by another solver."""

import cvxpy as cp
import numpy as np
import pytest

from explorer.engine.dual.block_steps import AWAY, PAIRWISE, TOWARD, forget, room, settle
from explorer.engine.visits import Cache, Plan

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


def cache_of(alpha: list[float], ages: list[int], slots: int) -> Cache:
    m = len(alpha)
    filled = lambda values, kind: np.array([[*values, *[0] * (slots - m)]], dtype=kind)  # noqa: E731
    gram = np.zeros((1, slots, slots))
    gram[0, :m, :m] = np.add.outer(10 * np.arange(m), np.arange(m)) + np.add.outer(
        np.arange(m), 10 * np.arange(m)
    )
    labels = np.zeros(2 * slots, np.int32)
    labels[: 2 * m] = np.repeat(np.arange(m), 2)
    none = np.zeros(0)
    return Cache(
        labels,
        np.array([m]),
        filled(alpha, float),
        filled(np.arange(m), float),
        gram,
        filled(ages, np.int64),
        filled(np.arange(m), np.int64),
        np.zeros(1),
        np.zeros(1),
        none,
        np.zeros((0, 0), np.bool_),
    )


def consistent(cache: Cache) -> bool:
    m = int(cache.held[0])
    ids = cache.ids[0, :m]
    own = [cache.labels[2 * q : 2 * q + 2].tolist() == [ids[q], ids[q]] for q in range(m)]
    products = np.array([[11 * (p + q) for q in ids] for p in ids], dtype=float).reshape(m, m)
    return (
        all(own)
        and np.array_equal(cache.gram[0, :m, :m], products)
        and np.array_equal(cache.size[0, :m], ids)
    )


def test_a_cut_without_mass_is_forgotten_after_its_time_and_takes_all_of_itself_along() -> None:
    cache = cache_of([0.0, 0.5, 0.0, 0.0, 0.2], [3, 3, 2, 0, 9], 6)
    forget(cache, 0, 3, 0, 2)
    assert sorted(cache.ids[0, : cache.held[0]].tolist()) == [1, 2, 3, 4]
    ages = dict(zip(cache.ids[0, :4].tolist(), cache.age[0, :4].tolist(), strict=True))
    assert ages == {1: 0, 2: 3, 3: 1, 4: 0}
    assert consistent(cache)


def test_room_is_made_by_the_longest_idle_cut_and_never_by_one_with_mass() -> None:
    cache = cache_of([0.0, 0.5, 0.0], [1, 0, 2], 3)
    assert room(cache, 0, 0, 2)
    assert sorted(cache.ids[0, : cache.held[0]].tolist()) == [0, 1]
    assert consistent(cache)
    assert not room(cache_of([0.1, 0.5, 0.2], [0, 0, 0], 3), 0, 0, 2)
