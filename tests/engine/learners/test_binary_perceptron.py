"""The two-class perceptron."""

import numpy as np
import pytest

from explorer.engine.data.toys import two_gaussians, two_points
from explorer.engine.learners import BinaryPerceptron
from explorer.engine.structures.classes.binary import Binary
from tests.engine.learners.toys import circle_toy, first, run


def separable() -> Binary:
    """Two groups of 20 points around 0 and (5, 5)."""
    return Binary(two_gaussians(20, 5.0)[0], bias="regularised")


@pytest.mark.spec("A4")
def test_five_random_starts_find_at_least_three_lines_and_no_error() -> None:
    problem = separable()
    lines = set()
    for seed in range(5):
        steps, stopped = run(BinaryPerceptron(init="random"), problem, seed)
        w = steps[-1].w
        assert stopped.reason == "separated"
        assert np.all(problem.signs * (problem.points @ w) > 0.0)
        lines.add(tuple(np.round(w / np.linalg.norm(w[1:]), 3)))
    assert len(lines) >= 3


@pytest.mark.spec("A4")
def test_on_exchanged_labels_it_stops_at_the_cap_and_says_so() -> None:
    problem = Binary(two_gaussians(20, 5.0, swapped=3)[0], bias="regularised")
    steps, stopped = run(BinaryPerceptron(passes=50), problem)
    assert len(steps) == 50
    assert stopped.reason == "passes"
    assert "not converging" in stopped.sentence
    assert "separable" in stopped.sentence


def test_a_mistake_moves_weights_and_bias_by_eta_times_the_signed_point() -> None:
    problem = Binary(two_points(), bias="regularised")
    # (-1, 0) labelled -1 is a mistake at 0: (b, w) = 0.5 * (-1, 1, 0); then (1, 0) has 0.5 - 0.5: one too.
    step = first(BinaryPerceptron(eta=0.5), problem, 1)[0]
    assert step.w == pytest.approx([0.0, 1.0, 0.0])
    assert step.detail["mistakes"] == step.detail["updates"] == 2


def test_updates_are_counted_over_all_passes() -> None:
    steps, _ = run(BinaryPerceptron(), separable())
    assert steps[-1].detail["mistakes"] == 0
    assert steps[-1].detail["updates"] == sum(step.detail["mistakes"] for step in steps)


def test_it_refuses_other_problems() -> None:
    assert "binary" in str(BinaryPerceptron().refuses(circle_toy()))
    assert BinaryPerceptron().refuses(Binary(two_points(), bias="none")) is None


def test_a_free_bias_is_learned_like_a_regularised_one_since_nothing_is_minimised() -> None:
    data = two_gaussians(20, 5.0)[0]
    free, regularised = (
        run(BinaryPerceptron(), Binary(data, bias=bias))[0] for bias in ("free", "regularised")
    )
    assert np.array_equal(free[-1].w, regularised[-1].w)
    assert np.any(free[-1].w != 0.0)
