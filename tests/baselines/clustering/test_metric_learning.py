"""Metric learning: cvxpy is the referee of the optimum, bounds and constraints are asked for directly."""

from itertools import combinations

import cvxpy as cp
import numpy as np
import pytest

from explorer.baselines.clustering import ITML, LMNN, EigenMetric, Metric, Relative, TsangKwok, Xing
from explorer.baselines.clustering.tsang_kwok import capped_simplex
from explorer.engine.refusals import Refused


def striped(seed=0, m=12, features=3):
    """Two clusters told apart by the first feature only; the others are wide noise."""
    rng = np.random.default_rng(seed)
    y = np.arange(m) % 2
    X = rng.normal(size=(m, features)) * np.array([0.3, *[1.5] * (features - 1)])
    X[:, 0] += 2.0 * y
    pairs = list(combinations(range(m), 2))
    same = [p for p in pairs if y[p[0]] == y[p[1]]]
    other = [p for p in pairs if y[p[0]] != y[p[1]]]
    return X, y, same, other


def gaps(X, pairs):
    return np.array([X[i] - X[j] for i, j in pairs])


def stretched(E, A):
    """e' A e of every row, for cvxpy."""
    return np.einsum("ti,tj->tij", E, E).reshape(len(E), -1) @ cp.vec(A, order="C")


def is_psd(A):
    return np.allclose(A, A.T) and np.linalg.eigvalsh(A)[0] >= -1e-9 * max(1.0, np.abs(A).max())


def falls(trace, slack=1e-9):
    return np.all(np.diff(trace) <= slack * np.maximum(1.0, np.abs(trace[:-1])))


def xing_referee(X, same, other, diagonal):
    F = X.shape[1]
    A = cp.diag(cp.Variable(F, nonneg=True)) if diagonal else cp.Variable((F, F), PSD=True)
    scatter = gaps(X, same).T @ gaps(X, same)
    far = cp.sum(cp.sqrt(stretched(gaps(X, other), A)))
    return cp.Problem(cp.Minimize(cp.trace(scatter @ A)), [far >= 1]).solve(solver=cp.CLARABEL)


@pytest.mark.spec("C53")
@pytest.mark.parametrize("form", ["full", "diagonal"])
@pytest.mark.parametrize("seed", [0, 1])
def test_xing_reaches_the_optimum_of_cvxpy_and_never_rises(form, seed):
    X, _, same, other = striped(seed)
    metric = Xing(form=form, ridge=0.0).fit(X, same, other)
    best = xing_referee(X, same, other, form == "diagonal")
    assert metric.trace[-1] == pytest.approx(best, rel=1e-4)
    assert metric.lower.max() <= best * (1 + 1e-6)
    assert falls(metric.trace)
    assert is_psd(metric.A)
    assert sum(metric.distance(X[i], X[j]) for i, j in other) == pytest.approx(1.0, rel=1e-9)
    assert sum(metric.distance(X[i], X[j]) ** 2 for i, j in same) == pytest.approx(metric.trace[-1], rel=1e-9)


@pytest.mark.spec("C53")
def test_the_diagonal_form_of_xing_has_no_entries_off_the_diagonal_and_prefers_the_telling_feature():
    X, _, same, other = striped()
    A = Xing(form="diagonal").fit(X, same, other).A
    assert np.array_equal(A, np.diag(np.diag(A)))
    assert np.argmax(np.diag(A)) == 0


def test_a_transform_makes_the_metric_euclidean():
    X, _, same, other = striped()
    metric = Xing().fit(X, same, other)
    Z = metric.transform(X)
    for i, j in other:
        assert np.linalg.norm(Z[i] - Z[j]) == pytest.approx(metric.distance(X[i], X[j]), abs=1e-9)


def tsang_kwok_referee(X, same, other, method):
    F = X.shape[1]
    B, gamma, xi = cp.Variable((F, F), PSD=True), cp.Variable(), cp.Variable(len(other), nonneg=True)
    close, far = gaps(X, same), gaps(X, other)
    pull = close.T @ close / len(same)
    held = [stretched(far, B) - np.sum(far**2, axis=1) >= gamma - xi]
    cost = 0.5 * cp.sum_squares(B) + method.C_S * cp.trace(pull @ B)
    cost += method.C_D * (cp.sum(xi) / len(other) - method.nu * gamma)
    return cp.Problem(cp.Minimize(cost), held).solve(solver=cp.CLARABEL)


@pytest.mark.spec("C53")
@pytest.mark.parametrize("nu", [0.2, 0.5, 1.0])
@pytest.mark.parametrize("C_D", [0.5, 5.0])
def test_tsang_kwok_reaches_the_optimum_of_cvxpy_and_its_dual_never_falls(nu, C_D):
    X, _, same, other = striped(2)
    method = TsangKwok(C_S=0.3, C_D=C_D, nu=nu)
    metric = method.fit(X, same, other)
    assert metric.trace[-1] == pytest.approx(tsang_kwok_referee(X, same, other, method), rel=1e-4, abs=1e-5)
    assert falls(-metric.lower)
    assert np.all(metric.lower <= metric.trace.min() + 1e-9)
    assert is_psd(metric.A)
    assert np.linalg.norm(metric.A) > 0.0


def test_the_projection_on_a_capped_simplex_is_the_nearest_point():
    rng = np.random.default_rng(5)
    for _ in range(20):
        v = rng.normal(size=6)
        x = cp.Variable(6)
        cp.Problem(cp.Minimize(cp.sum_squares(x - v)), [x >= 0, x <= 0.4, cp.sum(x) == 1.1]).solve(
            solver=cp.CLARABEL
        )
        assert np.allclose(capped_simplex(v, 0.4, 1.1), x.value, atol=1e-5)


def comparisons(y, count, seed=0):
    rng = np.random.default_rng(seed)
    found = set()
    while len(found) < count:
        i, j, k = rng.choice(len(y), 3, replace=False).tolist()
        if y[i] == y[j] != y[k]:
            found.add((i, j, k))
    return sorted(found)


@pytest.mark.spec("C53")
@pytest.mark.parametrize("kernel", [False, True])
@pytest.mark.parametrize("C", [0.01, 1.0])
def test_relative_comparisons_reach_the_optimum_of_cvxpy_with_weights_that_are_not_negative(C, kernel):
    X, y, _, _ = striped(3)
    triples = comparisons(y, 40)
    A = X[:2].T if kernel else np.eye(3)
    metric = Relative(C=C, ridge=0.0).fit(X, triples, A if kernel else None)
    w, xi = cp.Variable(A.shape[1], nonneg=True), cp.Variable(len(triples), nonneg=True)
    Z = X @ A
    i, j, k = np.array(triples).T
    held = [((Z[i] - Z[k]) ** 2 - (Z[i] - Z[j]) ** 2) @ w >= 1 - xi]
    cost = 0.5 * cp.sum_squares(A @ cp.diag(w) @ A.T) + C * cp.sum(xi)
    best = cp.Problem(cp.Minimize(cost), held).solve(solver=cp.CLARABEL)
    assert metric.trace[-1] == pytest.approx(best, rel=1e-4)
    assert metric.gap <= 1e-6 * best
    assert metric.lower.max() <= best * (1 + 1e-6)
    assert np.all(metric.W >= 0.0)
    assert np.allclose(metric.A, A @ np.diag(metric.W) @ A.T)
    assert is_psd(metric.A)


@pytest.mark.spec("C53")
def test_relative_comparisons_hold_on_a_toy_that_allows_it():
    X, y, _, _ = striped(3)
    X[:, 0] = 4.0 * y
    triples = comparisons(y, 40)
    metric = Relative(C=1e3).fit(X, triples)
    margins = [metric.distance(X[i], X[k]) ** 2 - metric.distance(X[i], X[j]) ** 2 for i, j, k in triples]
    assert min(margins) >= 1.0 - 1e-3


@pytest.mark.spec("C53")
@pytest.mark.parametrize("slack", [0.3, 1.0, 20.0])
def test_itml_reaches_the_optimum_of_cvxpy_and_its_dual_never_falls(slack):
    X, _, same, other = striped(4, m=8)
    method = ITML(slack=slack, near=1.0, far=4.0, eps=1e-9, sweeps=2000)
    metric = method.fit(X, same, other)
    A, close, far = cp.Variable((3, 3), PSD=True), cp.Variable(len(same)), cp.Variable(len(other))
    held = [stretched(gaps(X, same), A) <= close, stretched(gaps(X, other), A) >= far]
    cost = cp.trace(A) - cp.log_det(A) - 3
    cost += slack * (
        cp.sum(close / 1.0 - cp.log(close / 1.0) - 1) + cp.sum(far / 4.0 - cp.log(far / 4.0) - 1)
    )
    best = cp.Problem(cp.Minimize(cost), held).solve(solver=cp.CLARABEL)
    assert metric.lower[-1] == pytest.approx(best, rel=1e-4)
    assert metric.trace[-1] == pytest.approx(best, rel=1e-3)
    assert np.allclose(metric.A, A.value, atol=1e-3 * np.abs(A.value).max())
    assert falls(-metric.lower)
    assert is_psd(metric.A)


@pytest.mark.spec("C53")
def test_itml_keeps_its_thresholds_on_a_toy_that_allows_it():
    X, y, same, other = striped(4)
    X[:, 0] = 4.0 * y
    metric = ITML(slack=1e4, near=1.0, far=9.0, sweeps=3000).fit(X, same, other)
    assert max(metric.distance(X[i], X[j]) ** 2 for i, j in same) <= 1.02
    assert min(metric.distance(X[i], X[j]) ** 2 for i, j in other) >= 9.0 * 0.98


def test_itml_without_broken_thresholds_keeps_its_prior():
    X, y, same, other = striped(4)
    X[:, 0] = 10.0 * y
    prior = np.diag([1.0, 1e-4, 1e-4])
    metric = ITML(near=0.9, far=50.0).fit(X, same, other, prior)
    assert np.allclose(metric.A, prior)


@pytest.mark.spec("C53")
@pytest.mark.parametrize("seed", [0, 2, 4])
def test_lmnn_comes_near_the_optimum_of_cvxpy_and_never_rises(seed):
    X, y, _, _ = striped(seed, m=10)
    method = LMNN(targets=2)
    metric = method.fit(X, y)
    A, near = cp.Variable((3, 3), PSD=True), method.neighbours(X, y)

    own = [(i, int(j)) for i in range(10) for j in near[i]]
    rivals = [(i, j, k) for i, j in own for k in range(10) if y[k] != y[i]]
    pull = stretched(gaps(X, own), A)
    push = stretched(gaps(X, [t[:2] for t in rivals]), A) - stretched(gaps(X, [t[::2] for t in rivals]), A)
    cost = 0.5 * cp.sum(pull) + 0.5 * cp.sum(cp.pos(1 + push))
    best = cp.Problem(cp.Minimize(cost)).solve(solver=cp.CLARABEL)
    assert best - 1e-6 * best <= metric.trace[-1] <= best * 1.001
    assert falls(metric.trace)
    assert is_psd(metric.A)
    assert method.impostors(metric, X, y) < method.impostors(Metric(np.eye(3), np.zeros(1)), X, y)


def test_the_slope_of_lmnn_is_that_of_finite_differences():
    X, y, _, _ = striped(1, m=10)
    method = LMNN(targets=2)
    near = method.neighbours(X, y)
    rng = np.random.default_rng(0)
    A, turn = np.diag([1.1, 0.7, 0.9]), rng.normal(size=(3, 3))
    turn = turn + turn.T
    for blur in (0.0, 0.5):
        up, down = (method.objective(A + t * turn, X, y, near, blur)[1] for t in (1e-6, -1e-6))
        slope = method.objective(A, X, y, near, blur)[2]
        assert np.sum(slope * turn) == pytest.approx((up - down) / 2e-6, rel=1e-5)
    sharp, rounded, _ = method.objective(A, X, y, near)
    assert sharp == rounded


def test_target_neighbours_are_the_nearest_of_the_same_cluster():
    X = np.array([[0.0], [1.0], [3.0], [0.5], [9.0], [9.5]])
    near = LMNN(targets=1).neighbours(X, np.array([0, 0, 0, 1, 1, 1]))
    assert near.ravel().tolist() == [1, 0, 1, 4, 5, 4]


def test_the_eigen_metric_keeps_the_direction_in_which_pairs_agree():
    rng = np.random.default_rng(0)
    shared = rng.normal(size=200)
    X = np.zeros((400, 2))
    X[:200, 0] = X[200:, 0] = shared
    X[:, 1] = rng.normal(size=400)
    metric = EigenMetric(directions=1).fit(X, [(i, i + 200) for i in range(200)])
    assert metric.W[0] == pytest.approx(1.0, abs=0.02)
    assert metric.A[0, 0] > 50 * metric.A[1, 1]
    assert is_psd(metric.A)


@pytest.mark.parametrize("method", [Xing(), TsangKwok(), ITML()], ids=lambda method: method.title)
@pytest.mark.parametrize(
    ("same", "other", "said"),
    [
        ([(0, 1)], [(1, 0)], r"pair \(0, 1\) is called both similar and dissimilar; drop"),
        ([(0, 99)], [(1, 2)], r"pair \(0, 99\) but items go from 0 to 11; correct"),
        ([(3, 3)], [(1, 2)], r"pair \(3, 3\), an item with itself; leave it out"),
        ([], [(1, 2)], r"no similar pairs; give at least one"),
    ],
)
def test_bad_pairs_are_refused_by_name(method, same, other, said):
    with pytest.raises(Refused, match=said):
        method.fit(striped()[0], same, other)


def test_what_no_metric_can_do_is_refused():
    X, y, same, _ = striped()
    X[1] = X[0]
    with pytest.raises(Refused, match="equal items"):
        Xing().fit(X, same, [(0, 1)])
    with pytest.raises(Refused, match=r"\(0, 1\) has two equal items"):
        ITML().fit(X, same, [(0, 1), (2, 3)])
    with pytest.raises(Refused, match=r"contradict each other; drop one"):
        Relative().fit(X, [(0, 1, 2), (0, 2, 1)])
    with pytest.raises(Refused, match=r"cluster 0 has 6 items, too few for 9"):
        LMNN(targets=9).fit(X, y)
    X[2, 1] = np.nan
    with pytest.raises(Refused, match=r"nan at \(2, 1\)"):
        LMNN().fit(X, y)
