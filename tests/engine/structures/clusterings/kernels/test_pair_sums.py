"""Scores and sums of pairs in CSR equal numpy's dense ones."""

import numpy as np
from scipy.sparse import csr_array

from explorer.engine.rows import csr
from explorer.engine.structures.clusterings.kernels.pair_sums import (
    csr_scores,
    csr_total,
    fill_pairs,
    pair_numbers,
    related_scores,
    related_total,
)


def test_scores_are_rows_times_w_and_fill_both_triangles() -> None:
    rng = np.random.default_rng(0)
    rows, w = rng.normal(size=(10, 3)) * (rng.random((10, 3)) < 0.5), rng.normal(size=3)
    out, K = np.empty(10), np.zeros((5, 5))
    csr_scores(0, 10, *csr(csr_array(rows)), w, out)
    assert np.allclose(out, rows @ w)
    fill_pairs(0, 5, out, K)
    i, j = np.triu_indices(5, 1)
    assert np.array_equal(K, K.T)
    assert np.array_equal(K[i, j], out)
    assert not K.diagonal().any()


def test_totals_are_weighted_sums_of_rows() -> None:
    rng = np.random.default_rng(1)
    rows, beta = rng.normal(size=(6, 4)), np.array([1.0, 0.0, -2.0, 0.5, 0.0, 3.0])
    out = np.ones(4)
    csr_total(*csr(csr_array(rows)), beta, out)
    assert np.allclose(out, 1.0 + beta @ rows)


def test_relations_add_the_products_of_their_pairs_only() -> None:
    rng = np.random.default_rng(2)
    X, w = rng.normal(size=(4, 5)) * (rng.random((4, 5)) < 0.6), rng.normal(size=5)
    first, second, beta = np.array([0, 1]), np.array([2, 3]), np.array([2.0, -1.0])
    K, out = np.zeros((4, 4)), np.zeros(5)
    related_scores(*csr(X), first, second, w, 0.5, K)
    related_total(*csr(X), first, second, beta, out)
    expected = np.zeros((4, 4))
    for i, j in zip(first, second, strict=True):
        expected[i, j] = expected[j, i] = 0.5 + np.sum(w * X[i] * X[j])
    assert np.allclose(K, expected)
    assert np.allclose(out, 2.0 * X[0] * X[2] - X[1] * X[3])


def test_pairs_are_numbered_row_by_row_of_the_upper_triangle() -> None:
    i, j = np.triu_indices(6, 1)
    assert pair_numbers(i.astype(np.int64), j.astype(np.int64), 6).tolist() == list(range(15))
