"""The support vector machine for two classes, its hyperplane and its three kinds of bias."""

import math
from dataclasses import replace
from typing import Any

import cvxpy as cp
import numpy as np
import pytest

from explorer.engine.contracts import Dataset, Rule
from explorer.engine.data import toys
from explorer.engine.events import Step
from explorer.engine.learners import NSlack
from explorer.engine.losses import CostMatrix
from explorer.engine.objective import all_cuts, slacks, sweep
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.structures.classes.binary import BIAS, Binary, signed_distance
from explorer.engine.vectors import dense
from tests.catalogue import points


def last_of(learner: Any, problem: Any) -> Step:
    *_, last = learner.steps(problem, np.random.default_rng(0))
    return last


def svm(X: Any, y: Any, C_sum: float, squared: bool = False) -> tuple[Any, float, float]:
    """Equation (2.17) with its unpenalised bias: w, b and the objective."""
    w, b, xi = cp.Variable(X.shape[1]), cp.Variable(), cp.Variable(len(y), nonneg=True)
    signs = 2.0 * np.asarray(y) - 1.0
    price = cp.sum_squares(xi) / 2 if squared else cp.sum(xi)
    program = cp.Problem(
        cp.Minimize(cp.sum_squares(w) / 2 + C_sum * price), [cp.multiply(signs, X @ w + b) >= 1 - xi]
    )
    program.solve(solver=cp.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
    return np.asarray(w.value), float(b.value), float(program.value)


@pytest.mark.spec("A3")
def test_the_signed_distance_of_the_example_is_four() -> None:
    assert signed_distance(np.array([3.0, 4.0]), -5.0, np.array([3.0, 4.0])) == 4.0
    assert signed_distance(np.array([3.0, 4.0]), -5.0, np.array([0.0, 0.0])) == -1.0
    on_plane = np.array([3.0, 4.0]) / 5.0
    assert signed_distance(np.array([3.0, 4.0]), -5.0, on_plane) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.spec("A5")
@pytest.mark.parametrize("bias", BIAS)
@pytest.mark.parametrize("C", [math.inf, 100.0])
def test_two_points_are_separated_in_the_middle(bias: str, C: float) -> None:
    problem = Binary(toys.two_points(), bias)
    found = last_of(NSlack(C=C, eps=1e-9), problem)
    normal, offset = problem.plane(found.w)
    assert normal == pytest.approx([1.0, 0.0], abs=1e-6)
    assert offset == pytest.approx(0.0, abs=1e-6)
    assert 1.0 / np.linalg.norm(normal) == pytest.approx(1.0, abs=1e-6)
    assert found.bounds.dual == pytest.approx(0.5, abs=1e-6)


@pytest.mark.spec("A5")
@pytest.mark.parametrize("C_sum", [0.02, 0.5])
@pytest.mark.parametrize("shift", [0.0, 3.0])
def test_the_soft_margin_with_a_free_bias_is_the_textbook_svm(C_sum: float, shift: float) -> None:
    data, _ = toys.overlapping(per_class=15, seed=1)
    data = replace(data, inputs=data.inputs + shift)
    w, b, J = svm(data.inputs, data.labels, C_sum)
    problem = Binary(data, "free")
    found = last_of(NSlack(C=C_sum * 30, eps=1e-7, qp_tolerance=1e-12), problem)
    normal, offset = problem.plane(found.w)
    assert found.bounds.primal == pytest.approx(J, rel=1e-4)
    assert found.bounds.dual == pytest.approx(J, rel=1e-4)
    assert normal == pytest.approx(w, abs=1e-3)
    assert offset == pytest.approx(b, abs=1e-2)


@pytest.mark.spec("A5")
def test_the_hard_margin_of_separable_clouds_is_that_of_an_independent_program() -> None:
    data, _ = toys.two_gaussians(per_class=15, distance=5.0, seed=0)
    w, _, J = svm(data.inputs, data.labels, 1e6)
    problem = Binary(data, "free")
    found = last_of(NSlack(C=math.inf, eps=1e-9), problem)
    normal, _ = problem.plane(found.w)
    assert found.bounds.dual == pytest.approx(J, rel=1e-4)
    assert normal == pytest.approx(w, abs=1e-3)
    assert np.min(problem.signs * (problem.points @ found.w)) > 1.0 - 1e-6


@pytest.mark.spec("A6")
def test_squared_slacks_leave_fewer_of_them_at_zero() -> None:
    data, _ = toys.overlapping(per_class=60, seed=0)
    zeros = []
    for penalty in ("linear", "squared"):
        problem = Binary(data, "free", pricing=Pricing("margin", penalty))
        w = last_of(NSlack(C=120.0, eps=1e-6), problem).w
        zeros.append(int(np.count_nonzero(slacks(problem, sweep(problem, w)) <= 1e-6)))
    assert zeros[1] < zeros[0]


def test_squared_slacks_agree_with_an_independent_program() -> None:
    data, _ = toys.overlapping(per_class=12, seed=3)
    _, _, J = svm(data.inputs, data.labels, 0.3, squared=True)
    problem = Binary(data, "free", pricing=Pricing("margin", "squared"))
    assert last_of(NSlack(C=0.3 * 24, eps=1e-8), problem).bounds.primal == pytest.approx(J, rel=1e-4)


def test_a_regularised_bias_is_one_more_weight() -> None:
    data = points(n=10, features=2, classes=2, seed=5)
    more = replace(data, inputs=np.column_stack([np.ones(10), data.inputs]))
    with_bias = last_of(NSlack(C=4.0, eps=1e-9, qp_tolerance=1e-12), Binary(data, "regularised"))
    by_hand = last_of(NSlack(C=4.0, eps=1e-9, qp_tolerance=1e-12), Binary(more, "none"))
    assert with_bias.w == pytest.approx(by_hand.w, abs=1e-9)


@pytest.mark.parametrize(("bias", "dim"), [("none", 3), ("regularised", 4), ("free", 4)])
def test_the_hinge_is_that_of_the_signed_score(bias: str, dim: int) -> None:
    problem = Binary(points(classes=2), bias)
    assert problem.dim == dim
    w = np.random.default_rng(0).normal(size=dim)
    normal, offset = problem.plane(w)
    signs = 2.0 * problem.dataset.labels - 1.0
    hinge = np.maximum(0.0, 1.0 - signs * (problem.dataset.inputs @ normal + offset))
    assert slacks(problem, sweep(problem, w)) == pytest.approx(hinge, rel=1e-12)
    assert problem.predictions(w) == [int(s > 0) for s in problem.dataset.inputs @ normal + offset]


def test_costs_of_the_two_mistakes_may_differ() -> None:
    problem = Binary(points(classes=2), "none", CostMatrix(((0.0, 3.0), (0.5, 0.0))))
    part = sweep(problem, np.zeros(3))
    assert part.losses.tolist() == [3.0 if y == 0 else 0.5 for y in problem.dataset.labels]


def test_a_kept_cut_does_not_hold_on_to_the_whole_pass() -> None:
    problem = Binary(points(n=100, classes=2), "none")
    cut = all_cuts(problem, np.zeros(3))[7]
    psi = dense(cut.psi)
    assert psi.base is None or psi.base.nbytes <= psi.nbytes


def test_extra_rules_are_kept() -> None:
    # Without the rule w = (1, 0); w . (0, 1) >= 2 asks for a second coordinate of 2.
    rule = Rule(np.array([0.0, 1.0]), 2.0)
    found = last_of(NSlack(C=100.0, eps=1e-9), Binary(toys.two_points(), "none", rules=(rule,)))
    assert found.w == pytest.approx([1.0, 2.0], abs=1e-6)
    assert found.bounds.primal == pytest.approx(2.5, abs=1e-5)
    assert found.bounds.dual == pytest.approx(2.5, abs=1e-5)


def test_bad_data_and_an_unknown_bias_are_refused() -> None:
    with pytest.raises(Refused, match="choose one of none, regularised, free"):
        Binary(points(classes=2), "some")
    with pytest.raises(Refused, match="example 2"):
        Binary(Dataset("three classes", np.ones((3, 1)), [0, 1, 2]))


@pytest.mark.parametrize("label", [2, -1, 0.5])
def test_a_label_is_one_of_two(label: Any) -> None:
    with pytest.raises(Refused, match="the label of example 0"):
        Binary(Dataset("two", np.array([[0.0], [1.0]]), np.array([0, 1]))).features(0, label)
