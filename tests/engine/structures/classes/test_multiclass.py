"""Multiclass: the Crammer-Singer machine by its own formulation, cost matrices, and the two-class case."""

from dataclasses import replace
from typing import Any

import cvxpy as cp
import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.data import toys
from explorer.engine.events import Step
from explorer.engine.learners import NSlack, OneSlack
from explorer.engine.losses import CostMatrix, Hamming, ZeroOne
from explorer.engine.objective import value
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.vectors import dense
from tests.catalogue import THREE, points

TIGHT = {"tol_gap_abs": 1e-12, "tol_gap_rel": 1e-12, "tol_feas": 1e-12}


def last_of(learner: Any, problem: Any) -> Step:
    *_, last = learner.steps(problem, np.random.default_rng(0))
    return last


def crammer_singer(X: Any, y: Any, classes: int, C_sum: float, costs: Any = None) -> tuple[Any, float]:
    """Equation (2.23) as printed: one weight row per class, w_y . x - w_k . x + delta_yk >= 1 - xi_i for all
    k.
    """
    costs = 1.0 - np.eye(classes) if costs is None else np.array(costs)
    W, xi = cp.Variable((classes, X.shape[1])), cp.Variable(len(y))
    rules = [
        W[y[i]] @ X[i] - W[k] @ X[i] >= costs[y[i], k] - xi[i] for i in range(len(y)) for k in range(classes)
    ]
    program = cp.Problem(cp.Minimize(cp.sum_squares(W) / 2 + C_sum * cp.sum(xi)), rules)
    program.solve(solver=cp.CLARABEL, **TIGHT)
    return np.asarray(W.value), float(program.value)


@pytest.mark.spec("A8")
@pytest.mark.parametrize("C_sum", [0.05, 1.0])
@pytest.mark.parametrize(
    "learner", [NSlack(eps=1e-9, qp_tolerance=1e-12), OneSlack(eps=1e-9)], ids=["n", "1"]
)
def test_the_structured_machine_with_block_features_is_the_one_of_crammer_and_singer(
    learner: Any, C_sum: float
) -> None:
    data = points(n=12, features=3, classes=4, seed=2)
    theirs, J = crammer_singer(data.inputs, data.labels, 4, C_sum)
    found = last_of(replace(learner, C=C_sum * 12), Multiclass(data, 4))
    assert np.max(np.abs(found.w.reshape(3, 4).T - theirs)) < 1e-4
    assert found.bounds.primal == pytest.approx(J, rel=1e-6)


def test_a_cost_matrix_asks_for_margins_of_its_prices() -> None:
    costs = ((0.0, 1.0, 4.0), (2.0, 0.0, 3.0), (0.5, 4.0, 0.0))
    data = points(n=9)
    theirs, J = crammer_singer(data.inputs, data.labels, 3, 0.5, costs)
    found = last_of(NSlack(C=4.5, eps=1e-9, qp_tolerance=1e-12), Multiclass(data, 3, CostMatrix(costs)))
    assert np.max(np.abs(found.w.reshape(3, 3).T - theirs)) < 1e-4
    assert found.bounds.primal == pytest.approx(J, rel=1e-6)


@pytest.mark.spec("A9")
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("C", [1.0, 10.0, 100.0])
def test_pricing_dogs_taken_for_buses_at_a_hundred_does_not_make_more_of_them(seed: int, C: float) -> None:
    data, _ = toys.animals_and_cars(seed=seed)
    dog, bus = data.meta["states"].index("dog"), data.meta["states"].index("bus")

    def mistakes(delta: Any) -> int:
        problem = Multiclass(data, 4, delta)
        w = last_of(OneSlack(C=C, eps=1e-4), problem).w
        guesses = np.array(problem.predictions(w))
        return int(np.count_nonzero((problem.dataset.labels == dog) & (guesses == bus)))

    assert data.meta["costs"][dog][bus] == 100.0
    assert mistakes(CostMatrix(data.meta["costs"])) <= mistakes(ZeroOne())


def test_with_two_classes_only_the_difference_of_the_columns_counts() -> None:
    # For v = w_1 - w_0 the norm is least at w_1 = -w_0 = v / 2, so 1/2 |W|^2 = |v|^2 / 4: half the binary
    # price.
    data = points(n=10, classes=2, seed=4)
    both = last_of(NSlack(C=3.0, eps=1e-9, qp_tolerance=1e-12), Multiclass(data, 2)).w.reshape(-1, 2)
    single = last_of(NSlack(C=6.0, eps=1e-9, qp_tolerance=1e-12), Binary(data, bias="none")).w
    assert both[:, 0] == pytest.approx(-both[:, 1], abs=1e-8)
    assert both[:, 1] - both[:, 0] == pytest.approx(single, abs=1e-6)


def test_the_features_of_a_class_are_the_point_in_its_column() -> None:
    problem = Multiclass(Dataset("one", np.array([[2.0, 5.0]]), [1]), 3)
    assert dense(problem.features(0, 2)).reshape(2, 3).tolist() == [[0.0, 0.0, 2.0], [0.0, 0.0, 5.0]]
    w = np.zeros((2, 3))
    w[:, 2] = 1.0
    assert problem.predict(w.ravel(), np.array([2.0, 5.0])) == 2


def test_ties_go_to_the_smaller_class() -> None:
    problem = Multiclass(Dataset("one", np.array([[1.0]]), [2]), 3)
    assert problem.predict(np.zeros(3), np.array([1.0])) == 0
    assert problem.oracle(np.zeros(3), 0).label == 0


@pytest.mark.parametrize("delta", [ZeroOne(), Hamming()])
def test_losses_of_single_labels_are_zero_or_one(delta: Any) -> None:
    problem = Multiclass(points(), 3, delta)
    assert np.array_equal(problem.costs, 1.0 - np.eye(3))


def test_a_cost_matrix_for_another_number_of_classes_is_refused_when_the_problem_is_made() -> None:
    with pytest.raises(Refused, match="2 states but the problem has 3"):
        Multiclass(points(), 3, CostMatrix(((0, 1), (1, 0))))


@pytest.mark.parametrize("pricing", [Pricing(), Pricing("slack"), Pricing("margin", "squared")])
def test_features_that_are_all_zero_leave_w_at_zero_and_the_objective_at_the_mean_loss(
    pricing: Pricing,
) -> None:
    data = Dataset("nothing", np.zeros((6, 4)), [0, 1, 2, 0, 1, 2])
    problem = Multiclass(data, 3, pricing=pricing)
    found = last_of(NSlack(C=7.0), problem)
    assert np.array_equal(found.w, np.zeros(12))
    assert found.bounds.primal == pytest.approx(3.5 if pricing.penalty == "squared" else 7.0)
    assert found.bounds.dual == pytest.approx(found.bounds.primal, rel=1e-8)


def test_one_class_for_all_examples_is_learned() -> None:
    problem = Multiclass(replace(points(), labels=np.ones(8, dtype=np.int64)), 3)
    found = last_of(NSlack(C=10.0), problem)
    assert found.bounds.relative_gap < 1e-6
    assert value(problem, found.w, 10.0) == pytest.approx(found.bounds.primal)


def test_a_single_example_is_learned() -> None:
    # psi = x in the true column minus x in the other: |psi|^2 = 2, so w = psi / 2 and J = 1/4 from C = 1/2
    # on.
    problem = Multiclass(Dataset("one", np.array([[1.0]]), [0]), 2)
    assert last_of(OneSlack(C=10.0, eps=1e-9), problem).bounds.primal == pytest.approx(0.25)
    assert last_of(NSlack(C=0.1, eps=1e-9), problem).bounds.primal == pytest.approx(0.09)


def test_the_worst_violations_are_those_of_all_classes_by_hand() -> None:
    problem = Multiclass(points(10), 3, CostMatrix(THREE))
    w = np.random.default_rng(0).normal(size=problem.dim)
    for i, found in enumerate(problem.worst(w)):
        scores = problem.dataset.inputs[i] @ w.reshape(problem.dim // 3, 3)
        y = problem.dataset.labels[i]
        assert found == pytest.approx(max(THREE[y][k] + scores[k] - scores[y] for k in range(3)))
