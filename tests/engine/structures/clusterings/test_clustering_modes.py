"""Kernel learning (w >= 0 over positive semidefinite features) and how features of pairs are put together."""

from typing import Any

import cvxpy as cp
import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.learners import NSlack, OneSlack
from explorer.engine.structures.clusterings.item_sets import item_set, similarity
from explorer.engine.structures.clusterings.losses import Normalised
from explorer.engine.structures.clusterings.problem import Clustering
from tests.referee import all_rows

C = 20.0


def sets(seed: int = 0, n: int = 3, m: int = 5) -> Dataset:
    """Two of four features of items say to which of two clusters an item belongs, two are noise."""
    rng = np.random.default_rng(seed)
    inputs, labels = [], []
    for _ in range(n):
        y = np.append([0, 1], rng.integers(0, 2, m - 2))
        sign = np.where(y == 0, 1.0, -1.0)[:, None]
        nodes = np.hstack([sign * [0.8, 0.5] + 0.4 * rng.normal(size=(m, 2)), 1.5 * rng.normal(size=(m, 2))])
        inputs.append(item_set(m, nodes, groups=2))
        labels.append(y)
    return Dataset("two clusters", tuple(inputs), tuple(labels))


def kernel_learning(**settings: Any) -> Clustering:
    return Clustering(sets(), "k-means", Normalised(), diagonal=True, nonnegative=True, **settings)


def referee(problem: Clustering, nonnegative: bool) -> tuple[float, np.ndarray]:
    """The whole program over all partitions, solved by Clarabel."""
    rows = all_rows(problem)
    w, xi = cp.Variable(problem.dim), cp.Variable(problem.n, nonneg=True)
    keep = [xi[rows.example] >= rows.b - rows.a @ w, *([w >= 0] if nonnegative else [])]
    program = cp.Problem(cp.Minimize(cp.sum_squares(w) / 2 + C / problem.n * cp.sum(xi)), keep)
    program.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    return float(program.value), np.asarray(w.value)


@pytest.mark.spec("C45")
@pytest.mark.parametrize("kind", [NSlack, OneSlack])
def test_training_keeps_w_at_or_above_zero_and_ends_at_the_optimum_with_that_rule(kind: type) -> None:
    problem = kernel_learning()
    steps = list(kind(C=C, eps=1e-6).steps(problem, np.random.default_rng(0)))
    assert all(step.w.min() >= -1e-8 for step in steps)
    best, w = referee(problem, True)
    assert steps[-1].bounds.primal == pytest.approx(best, rel=1e-5)
    assert steps[-1].w == pytest.approx(w, abs=1e-3)
    free, unruled = referee(problem, False)
    assert unruled.min() < -1e-3, "without the rule some weight is negative, so the rule is at work"
    assert free < best


@pytest.mark.spec("C45")
def test_a_similarity_learnt_with_w_at_or_above_zero_is_a_kernel() -> None:
    problem = kernel_learning()
    *_, last = OneSlack(C=C, eps=1e-4).steps(problem, np.random.default_rng(0))
    rng = np.random.default_rng(1)
    for w in (last.w, *rng.uniform(0.0, 10.0, (20, problem.dim))):
        for x in problem.dataset.inputs:
            assert np.linalg.eigvalsh(problem.similarity(w, x)).min() >= -1e-9
    mixed = np.array([1.0, -1.0, 1.0, -1.0])
    assert min(np.linalg.eigvalsh(problem.similarity(mixed, x)).min() for x in problem.dataset.inputs) < -0.1


@pytest.mark.spec("C44")
def test_pair_features_follow_the_products_of_the_items_features() -> None:
    rng = np.random.default_rng(2)
    nodes, pairs = rng.normal(size=(4, 3)), rng.normal(size=(6, 2))
    x = item_set(4, nodes, pairs=pairs)
    assert x.dim == 3 + 2
    problem = Clustering(Dataset("one", (x,), ([0, 0, 1, 1],)))
    assert problem.groups == {"items": slice(0, 3), "pairs": slice(3, 5)}
    i, j = np.triu_indices(4, 1)
    psi = np.hstack([nodes[i] * nodes[j], pairs])
    w = rng.normal(size=5)
    assert similarity(x, w)[i, j] == pytest.approx(psi @ w)
    assert problem.features(0, [0, 0, 1, 1]) == pytest.approx((psi[0] + psi[5]) / 16.0)


@pytest.mark.spec("C44")
def test_the_matrix_of_every_product_feature_is_positive_semidefinite() -> None:
    x = sets().inputs[0]
    for unit in np.eye(x.dim):
        K = similarity(x, unit)
        assert np.linalg.eigvalsh(K).min() >= -1e-12
        assert np.linalg.matrix_rank(K, tol=1e-9) == 1
