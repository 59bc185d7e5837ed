"""A bias that costs nothing, in the dual and in the textbook's machine, wherever the data lie."""

from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.dual import qp
from explorer.engine.dual.free_bias import balance, solve_with_bias
from explorer.engine.events import Evaluated, Event, Step
from explorer.engine.learners import CRF, Bundle, FrankWolfe, NSlack, OneSlack, SequentialDual
from explorer.engine.runs.path import path
from explorer.engine.runs.streams import Until, train
from explorer.engine.structures.classes.binary import Binary


def points(n: int = 24) -> Dataset:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(n, 2))
    return Dataset("points", x, (x @ [1.0, 1.0] + 0.7 * rng.normal(size=n) > 0.2).astype(int))


def textbook(data: Dataset, C: float, hard: bool = False) -> float:
    """min 1/2 |w|^2 + C mean of the hinge of w . x + b, from the mean row on, which b makes up for."""
    x, sign = data.inputs - data.inputs.mean(axis=0), 2.0 * data.labels - 1.0
    w, b = cp.Variable(2), cp.Variable()
    margin = cp.multiply(sign, x @ w + b)
    cost = 0.0 if hard else C / len(sign) * cp.sum(cp.pos(1.0 - margin))
    program = cp.Problem(cp.Minimize(cp.sum_squares(w) / 2 + cost), [margin >= 1.0] if hard else [])
    program.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10)
    return float(program.value)


def events_of(problem: Binary, learner) -> list[Event]:
    return list(train(problem, learner, rule=Until(relative_gap=1e-8, steps=200)))


def last_of(problem: Binary, learner) -> Step:
    return [event for event in events_of(problem, learner) if isinstance(event, Step)][-1]


@pytest.mark.parametrize("shift", [0.0, 1.0, 1e4, 1e6])
@pytest.mark.parametrize(
    "learner",
    [
        NSlack(C=30.0, eps=1e-8),
        NSlack(C=30.0, eps=1e-8, order="each"),
        OneSlack(C=30.0, eps=1e-8),
        Bundle(C=30.0, eps=1e-8),
    ],
    ids=["n-slack", "n-slack, each", "1-slack", "bundle"],
)
def test_the_certified_value_is_the_textbooks_at_any_shift(shift: float, learner) -> None:
    data = points()
    there = replace(data, inputs=data.inputs + shift)
    J, events = textbook(there, 30.0), events_of(Binary(there), learner)
    looked = [event.bounds for event in events if isinstance(event, Evaluated)][-1]
    assert looked.certificate
    assert looked.dual == pytest.approx(J, rel=1e-6)
    assert looked.primal == pytest.approx(J, rel=1e-6)


@pytest.mark.parametrize("shift", [0.0, 1e4])
def test_a_hard_margin_with_a_free_bias_is_the_textbooks(shift: float) -> None:
    data = points()
    sides = np.where(data.labels[:, None] == 1, 3.0, -3.0)
    there = replace(data, inputs=data.inputs + sides + shift)
    found = last_of(Binary(there), NSlack(C=np.inf))
    assert found.bounds.primal == pytest.approx(textbook(there, 1.0, hard=True), rel=1e-6)
    assert found.bounds.dual == pytest.approx(found.bounds.primal, rel=1e-6)


def test_with_one_class_only_the_bias_alone_is_enough() -> None:
    data = replace(points(), labels=np.ones(24, dtype=int))
    found = last_of(Binary(data), NSlack(C=5.0))
    assert found.bounds.primal == pytest.approx(0.0, abs=1e-12)
    assert found.w[0] >= 1.0 - 1e-9


def test_the_path_of_a_free_bias_certifies_what_the_textbook_says_between_its_points() -> None:
    data = replace(points(), inputs=points().inputs + 50.0)
    solved = list(path(Binary(data), NSlack(eps=0.0), 1.0, 30.0, 0.05))
    for point in solved:
        between = np.sqrt(point.low * point.high)
        J, told = textbook(data, between), point.bounds_at(between)
        assert told.dual <= J * (1.0 + 1e-6)
        assert told.primal >= J * (1.0 - 1e-6)
        assert told.relative_gap <= 0.05 + 1e-9


@pytest.mark.parametrize("learner", [SequentialDual(), FrankWolfe(), CRF()])
def test_learners_that_cannot_leave_a_weight_out_of_the_norm_say_so(learner) -> None:
    reason = str(learner.refuses(Binary(points())))
    assert "bias" in reason
    assert "regularised" in reason
    assert learner.refuses(Binary(points(), "regularised")) is None


def test_masses_are_balanced_by_shrinking_the_heavier_side() -> None:
    alpha, d = np.array([2.0, 1.0, 3.0, 0.5]), np.array([1.0, -2.0, 1.0, 0.0])
    found = balance(alpha, d)
    assert found == pytest.approx([0.8, 1.0, 1.2, 0.5])
    assert abs(found @ d) <= 1e-15
    assert balance(alpha, np.array([1.0, 1.0, 0.0, 0.0])).tolist() == [0.0, 0.0, 3.0, 0.5]


def test_the_restricted_dual_with_a_bias_agrees_with_an_independent_solver() -> None:
    rng = np.random.default_rng(0)
    a, d, b = rng.normal(size=(9, 3)), rng.choice([-1.0, 1.0], 9), rng.random(9)
    group, price = np.repeat(np.arange(3), 3), np.full(3, 2.0)
    found, beta = solve_with_bias(qp.Working(a @ a.T, b, group, price), d, 0.0, np.zeros(9), 1e-10)
    w, bias, xi = cp.Variable(3), cp.Variable(), cp.Variable(3, nonneg=True)
    other = cp.Problem(
        cp.Minimize(cp.sum_squares(w) / 2 + 2.0 * cp.sum(xi)), [xi[group] >= b - a @ w - bias * d]
    )
    other.solve(solver=cp.CLARABEL)
    assert found.dual == pytest.approx(other.value, rel=1e-6)
    assert abs(found.alpha @ d) <= 1e-12
    assert found.reached
    assert np.isfinite(beta)


def test_the_lighter_side_decides_how_much_mass_balances() -> None:
    one, two = np.array([1.0, 2.0, 5.0]), np.array([1.0, -1.0, 0.0])
    assert balance(one, two).tolist() == [1.0, 1.0, 5.0]
    assert balance(one, np.array([1.0, 1.0, 0.0])).tolist() == [0.0, 0.0, 5.0]
