"""Sparse block Cholesky against dense numpy."""

import numpy as np
import pytest

from explorer.engine.structures.fields.kernels.block_cholesky import Factor, factorise, solve
from explorer.engine.structures.fields.kernels.elimination import Pattern, minimum_degree
from tests.engine.structures.fields.oracles.sample_fields import Array, graph_edges, grid_edges


def random_matrix(
    rng: np.random.Generator, ends: list[tuple[int, int]], n: int, k: int
) -> tuple[Factor, Array]:
    """A positive definite matrix with the graph's pattern, as blocks and dense."""
    pairs = np.array(ends, dtype=np.int64).reshape(-1, 2)
    pattern: Pattern = minimum_degree(pairs, n)
    diagonal, below, dense = np.zeros((n, k, k)), np.zeros((len(pattern.rows), k, k)), np.zeros((n, k, n, k))
    for e, (a, b) in enumerate(pairs):
        early, late = (a, b) if pattern.rank[a] < pattern.rank[b] else (b, a)
        part = rng.normal(size=(2 * k, 2 * k))
        part = part @ part.T
        diagonal[early] += part[:k, :k]
        diagonal[late] += part[k:, k:]
        below[pattern.place[e]] += part[k:, :k]
        dense[late, :, early] += part[k:, :k]
        dense[early, :, late] += part[:k, k:]
    for u in range(n):
        diagonal[u] += np.eye(k)
        dense[u, :, u] += diagonal[u]
    return Factor(pattern, diagonal, below), dense.reshape(n * k, n * k)


@pytest.mark.parametrize(
    ("n", "k", "share"), [(1, 2, 0.0), (5, 1, 0.0), (6, 1, 1.0), (7, 2, 0.5), (6, 3, 0.7)]
)
def test_solutions_are_those_of_the_dense_matrix(n: int, k: int, share: float) -> None:
    rng = np.random.default_rng(n)
    for _ in range(3):
        factor, dense = random_matrix(rng, graph_edges(rng, n, share), n, k)
        x = rng.normal(size=(n, k))
        expected = np.linalg.solve(dense, x.ravel())
        factorise(factor)
        solve(factor, x)
        assert x.ravel() == pytest.approx(expected, abs=1e-9)


def test_one_factor_serves_many_right_sides() -> None:
    rng = np.random.default_rng(1)
    factor, dense = random_matrix(rng, grid_edges(3, 3), 9, 2)
    factorise(factor)
    for _ in range(3):
        x = rng.normal(size=(9, 2))
        expected = np.linalg.solve(dense, x.ravel())
        solve(factor, x)
        assert x.ravel() == pytest.approx(expected, abs=1e-9)


def test_an_unknown_that_nothing_determines_becomes_0() -> None:
    pattern = minimum_degree(np.array([[0, 1]]), 2)
    factor = Factor(pattern, np.array([[[1.0]], [[1.0]]]), np.array([[[1.0]]]))  # [[1, 1], [1, 1]]
    factorise(factor)
    x = np.array([[3.0], [3.0]])
    solve(factor, x)
    assert sorted(x.ravel().tolist()) == pytest.approx([0.0, 3.0])
