"""Stochastic gradient descent on the lecture's three costs."""

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.learners import SGD, Perceptron
from explorer.engine.losses import CostMatrix
from explorer.engine.pricing import Pricing
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.vectors import Array
from tests.engine.learners.toys import circle_toy, first, line_toy, noisy, run


def moves(ws: list[Array]) -> list[Array]:
    """The iterates that differ from the one before (the first: from 0)."""
    before = [np.zeros_like(ws[0]), *ws[:-1]]
    return [w for w, last in zip(ws, before, strict=True) if not np.array_equal(w, last)]


@pytest.mark.spec("A12")
@pytest.mark.parametrize("toy", [circle_toy, line_toy, noisy])
def test_step_one_on_the_plain_cost_makes_the_iterates_of_the_perceptron(toy) -> None:
    problem, passes = toy(), 4
    learner = SGD(cost="plain", eta=1.0, regularised=False, order="cyclic", every=1)
    descent = moves([step.w for step in first(learner, problem, passes * problem.n)])
    mistakes = [step.w for step in run(Perceptron(every="update", passes=passes), problem)[0] if step.cuts]
    assert len(descent) == len(mistakes) > 0
    assert all(np.array_equal(a, b) for a, b in zip(descent, mistakes, strict=True))


def costly(scaling: str) -> Multiclass:
    """One point x = 2 of class 0, for which class 1 costs 3."""
    matrix = CostMatrix(((0.0, 3.0), (3.0, 0.0)))
    return Multiclass(Dataset("one", np.array([[2.0]]), np.array([0])), 2, matrix, Pricing(scaling))


def test_the_slack_cost_weighs_the_feature_difference_by_the_loss() -> None:
    # psi = (2, -2); margin: w = eta psi; slack: w = eta * 3 psi.
    margin = first(SGD(cost="margin", eta=0.1, regularised=False), costly("margin"), 1)[0]
    slack = first(SGD(cost="slack", eta=0.1, regularised=False), costly("slack"), 1)[0]
    assert margin.w == pytest.approx([0.2, -0.2])
    assert slack.w == pytest.approx([0.6, -0.6])


def test_the_regularised_move_shrinks_w_and_prices_the_cost() -> None:
    # w1 = eta C psi = (1, -1); margin 4 > 3, so the second move only shrinks by 1 - eta.
    steps = first(SGD(cost="margin", eta=0.1, regularised=True, C=5.0), costly("margin"), 2)
    assert steps[0].w == pytest.approx([1.0, -1.0])
    assert steps[1].w == pytest.approx([0.9, -0.9])


def test_it_refuses_a_problem_priced_for_another_cost() -> None:
    assert "slack" in str(SGD(cost="slack").refuses(line_toy()))
    assert "squared" in str(SGD(cost="margin").refuses(line_toy(Pricing("margin", "squared"))))
    assert SGD(cost="plain").refuses(line_toy(Pricing("slack", "squared"))) is None
