"""An edge's Laplacian against dense inverses, and against fractions where its parts are hardly joined."""

from fractions import Fraction

import numpy as np
import pytest

from explorer.engine.structures.fields.kernels.edge_laplacian import (
    eliminate,
    elimination_memory,
    invert,
    potentials,
)
from tests.engine.structures.fields.oracles.sample_fields import Array


def grounded(D: Array, ground: int) -> tuple[Array, list[int]]:
    """The Laplacian without the grounded vertex, and the vertices that are left."""
    K = len(D)
    full = np.block([[np.diag(D.sum(axis=1)), -D], [-D.T, np.diag(D.sum(axis=0))]])
    left = [v for v in range(2 * K) if v != K + ground]
    return full[np.ix_(left, left)], left


def exact_solution(D: Array, ground: int, current: Array) -> list[Fraction]:
    """The potentials for currents from t to s, by Gauss elimination on fractions."""
    K = len(D)
    edges = [
        (s, K + t, Fraction(float(D[s, t])), Fraction(float(current[s, t])))
        for s in range(K)
        for t in range(K)
    ]
    rows = [[Fraction(0)] * (2 * K + 1) for _ in range(2 * K)]
    for s, t, weight, flow in edges:
        for a, b, sign in ((s, t, 1), (t, s, -1)):
            rows[a][a] += weight
            rows[a][b] -= weight
            rows[a][2 * K] += sign * flow
    rows[K + ground] = [Fraction(int(v == K + ground)) for v in range(2 * K)] + [Fraction(0)]
    for c in range(2 * K):
        pivot = next(r for r in range(c, 2 * K) if rows[r][c] != 0)
        rows[c], rows[pivot] = rows[pivot], rows[c]
        for r in range(2 * K):
            if r != c and rows[r][c] != 0:
                ratio = rows[r][c] / rows[c][c]
                rows[r] = [x - ratio * y for x, y in zip(rows[r], rows[c], strict=True)]
    return [rows[v][2 * K] / rows[v][v] for v in range(2 * K)]


@pytest.mark.parametrize("K", [2, 3, 4])
def test_the_inverse_is_that_of_the_grounded_laplacian(K: int) -> None:
    rng = np.random.default_rng(K)
    for ground in range(K):
        D = rng.uniform(0.1, 3.0, (K, K))
        edges = elimination_memory(2, K)
        eliminate(edges, 1, ground, D.ravel(), np.ones(K * K), 0)
        invert(edges, 1, ground)
        matrix, left = grounded(D, ground)
        found = np.block([[edges.work[0], edges.work[1]], [edges.work[1].T, edges.work[2]]])
        assert found[np.ix_(left, left)] == pytest.approx(np.linalg.inv(matrix), abs=1e-10)
        assert np.all(found[K + ground] == 0.0)


@pytest.mark.parametrize("K", [2, 3, 4])
def test_potentials_solve_the_laplacian_for_all_three_kinds_of_current(K: int) -> None:
    rng = np.random.default_rng(10 + K)
    for ground in range(K):
        D, current = rng.uniform(0.1, 3.0, (K, K)), rng.normal(size=(K, K))
        row, column = rng.normal(size=(2, K))
        column += (row.sum() - column.sum()) / K  # what enters also leaves
        edges, p = elimination_memory(1, K), np.empty((2, K))
        eliminate(edges, 0, ground, D.ravel(), np.ones(K * K), 0)
        edges.work[0], edges.work[1, 0], edges.work[1, 1] = current, row, column
        potentials(edges, 0, ground, p)
        matrix, left = grounded(D, ground)
        entering = np.concatenate([row + current.sum(axis=1), -column - current.sum(axis=0)])[left]
        assert np.concatenate([p[0], -p[1]])[left] == pytest.approx(
            np.linalg.solve(matrix, entering), abs=1e-9
        )
        assert p[1, ground] == 0.0


@pytest.mark.parametrize("groups", [((0, 1), (1, 0)), ((0, 1, 1), (1, 0, 0)), ((0, 1, 0), (0, 1, 1))])
def test_potentials_are_accurate_where_groups_of_states_are_hardly_joined(
    groups: tuple[tuple[int, ...], ...],
) -> None:
    rng = np.random.default_rng(3)
    first, second = (np.array(part) for part in groups)
    K = len(first)
    D = np.where(first[:, None] == second[None, :], 1e10, 1e-10) * rng.uniform(0.5, 2.0, (K, K))
    current = rng.uniform(-1.0, 1.0, (K, K))
    edges, p = elimination_memory(1, K), np.empty((2, K))
    eliminate(edges, 0, 0, D.ravel(), np.ones(K * K), 0)
    edges.work[0], edges.work[1] = current, 0.0
    potentials(edges, 0, 0, p)
    exact = exact_solution(D, 0, current)
    for s in range(K):
        assert p[0, s] == pytest.approx(float(exact[s]), rel=1e-9, abs=1e-22)
        for t in range(K):
            drop = float(exact[s] - exact[K + t])
            assert p[0, s] + p[1, t] == pytest.approx(drop, rel=1e-6, abs=1e-16 * float(abs(exact[s])) * 8)
