"""The interior point against scipy's linear programming, and the conditions of optimality in numpy."""

import numpy as np
import pytest
from scipy.optimize import linprog

from explorer.engine.structures.fields.kernels.interior_point import Point, interior_point, start
from tests.engine.structures.fields.kernels.one_field import bound, infeasible, kernel_field, random_part
from tests.engine.structures.fields.oracles.sample_fields import Array, Part, graph_edges, grid_edges, scored


def optimum(part: Part) -> float:
    """The local-polytope optimum, with dense rows written out one by one."""
    (m, K), e = part.unary.shape, len(part.ends)
    rows, right = [], []
    for u in range(m):
        row = np.zeros(m * K + e * K * K)
        row[u * K : u * K + K] = 1.0
        rows.append(row)
        right.append(1.0)
    for k, ends in enumerate(part.ends):
        cells = m * K + k * K * K + np.arange(K * K).reshape(K, K)
        for side, table in enumerate((cells, cells.T)):
            for s in range(K):
                row = np.zeros(m * K + e * K * K)
                row[table[s]], row[ends[side] * K + s] = 1.0, -1.0
                rows.append(row)
                right.append(0.0)
    scores = np.concatenate([part.unary.ravel(), part.pair.ravel()])
    return float(-linprog(-scores, A_eq=np.array(rows), b_eq=right).fun)


def unflat(part: Part, flat: Array) -> tuple[Array, Array]:
    m, K = part.unary.shape
    return flat[: m * K].reshape(m, K), flat[m * K :].reshape(-1, K, K)


def slacks(part: Part, p: Array) -> tuple[Array, Array]:
    """What the multipliers leave: node scores without the free h_u, and edge slacks."""
    own = part.unary.copy()
    for e, (a, b) in enumerate(part.ends):
        own[a] += p[2 * e]
        own[b] += p[2 * e + 1]
    return own, p[0::2, :, None] + p[1::2, None, :] - part.pair


def check_dual(part: Part, point: Point) -> None:
    """The slacks are those of the multipliers, for some h."""
    z, ze = unflat(part, point.z)
    own, edge = slacks(part, point.p)
    assert np.ptp(z + own, axis=1) == pytest.approx(np.zeros(len(z)), abs=1e-8)
    assert ze == pytest.approx(edge, abs=1e-8)


@pytest.mark.parametrize("states", [2, 3])
def test_the_start_is_strictly_feasible_for_any_messages(states: int) -> None:
    rng = np.random.default_rng(states)
    part = random_part(rng, states)
    point = start(kernel_field(part), rng.normal(size=(2 * len(part.ends), states)), 0.3)
    assert infeasible(part.ends, *unflat(part, point.x)) < 1e-12
    assert np.all(point.x > 0.0)
    assert np.all(point.z >= 0.3 - 1e-12)
    check_dual(part, point)


@pytest.mark.parametrize("states", [2, 3, 4])
def test_the_optimum_is_that_of_a_linear_programming_solver(states: int) -> None:
    rng = np.random.default_rng(10 + states)
    for _ in range(4):
        part = random_part(rng, states, 5)
        field, scores = kernel_field(part), np.concatenate([part.unary.ravel(), part.pair.ravel()])
        point = start(field, np.zeros((2 * len(part.ends), states)), 0.5)
        interior_point(field, point, 1e-10, 60)
        best = optimum(part)
        assert scores @ point.x == pytest.approx(best, abs=1e-8)
        assert bound(part, point.p) == pytest.approx(best, abs=1e-8)
        assert point.x @ point.z < 1e-9
        assert infeasible(part.ends, *unflat(part, point.x)) < 1e-9
        check_dual(part, point)


def test_fractional_optima_are_reached_to_twelve_digits() -> None:
    rng = np.random.default_rng(20)
    part = Part(
        0.1 * rng.normal(size=(6, 2)), np.array(graph_edges(rng, 6, 1.0)), -np.tile(np.eye(2), (15, 1, 1))
    )
    point = start(kernel_field(part), np.zeros((30, 2)), 0.5)
    interior_point(kernel_field(part), point, 1e-13, 60)
    node, _ = unflat(part, point.x)
    assert np.any(np.abs(node - 0.5) < 1e-6)
    scores = np.concatenate([part.unary.ravel(), part.pair.ravel()])
    assert bound(part, point.p) - scores @ point.x < 1e-10


def test_edges_that_repeat_a_pair_of_nodes_add_up() -> None:
    rng = np.random.default_rng(21)
    twice = scored(rng, 3, [(0, 1), (1, 0), (1, 2)], 3)
    point = start(kernel_field(twice), np.zeros((6, 3)), 0.5)
    interior_point(kernel_field(twice), point, 1e-10, 60)
    assert bound(twice, point.p) == pytest.approx(optimum(twice), abs=1e-8)


def test_without_steps_or_with_one_state_the_point_stays() -> None:
    rng = np.random.default_rng(22)
    for part, most in ((random_part(rng, 3), 0), (random_part(rng, 1), 60)):
        point = start(kernel_field(part), np.zeros((2 * len(part.ends), part.unary.shape[1])), 0.5)
        before = point.x.copy()
        interior_point(kernel_field(part), point, 1e-10, most)
        assert np.array_equal(point.x, before)


def test_few_steps_leave_a_feasible_point_and_a_true_bound() -> None:
    rng = np.random.default_rng(23)
    part = scored(rng, 9, grid_edges(3, 3), 2)
    best = optimum(part)
    for most in (1, 2, 4):
        point = start(kernel_field(part), np.zeros((24, 2)), 0.5)
        interior_point(kernel_field(part), point, 1e-10, most)
        assert infeasible(part.ends, *unflat(part, point.x)) < 1e-9
        assert bound(part, point.p) >= best - 1e-9
        check_dual(part, point)
