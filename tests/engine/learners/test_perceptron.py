"""The structured perceptron and its mistake bound."""

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.learners import Perceptron
from explorer.engine.objective import cut_of
from explorer.engine.structures.classes.convex_risk import ConvexRisk
from explorer.engine.structures.classes.multiclass import Multiclass
from tests.engine.learners.toys import circle_toy, line_toy, noisy, run


def separable(seed: int, scale: float = 1.0) -> Multiclass:
    """Random points labelled by a linear rule without noise."""
    found = noisy(20, 3, seed, noise=0.0)
    return Multiclass(Dataset("separable", scale * found.dataset.inputs, found.dataset.labels), 3)


@pytest.mark.spec("A10")
def test_the_line_toy_takes_one_update() -> None:
    steps, stopped = run(Perceptron(every="update"), line_toy())
    assert steps[-1].detail["updates"] == 1
    assert steps[-1].w == pytest.approx([10.0, -10.0])
    assert steps[-1].detail["bound"] == pytest.approx(6.25)
    assert stopped.reason == "separated"


@pytest.mark.spec("A10")
@pytest.mark.parametrize("seed", range(6))
def test_updates_never_exceed_the_bound_on_separable_toys(seed: int) -> None:
    steps, stopped = run(Perceptron(passes=100_000), separable(seed))
    assert stopped.reason == "separated"
    assert 0 < steps[-1].detail["updates"] <= steps[-1].detail["bound"]


@pytest.mark.spec("A10")
def test_doubling_the_features_leaves_bound_and_updates_unchanged() -> None:
    once, twice = (run(Perceptron(), separable(1, scale))[0][-1].detail for scale in (1.0, 2.0))
    assert twice["bound"] == pytest.approx(once["bound"])
    assert twice["delta"] == pytest.approx(2.0 * once["delta"])
    assert twice["updates"] == once["updates"]


@pytest.mark.spec("A11")
def test_both_sides_of_the_proof_hold_at_every_update() -> None:
    steps, _ = run(Perceptron(every="update"), separable(2))
    assert len(steps) > 5
    for step in steps:
        k, told = step.detail["updates"], step.detail
        assert told["along"] >= k * told["delta"] - 1e-9
        assert told["norm2"] <= k * told["R"] ** 2 + 1e-9
        assert np.sqrt(k) * told["delta"] / told["R"] <= told["cosine"] + 1e-9


def test_an_update_adds_the_cut_that_the_step_carries() -> None:
    steps, _ = run(Perceptron(every="update"), separable(2))
    w = np.zeros(steps[0].w.size)
    for step in steps[:-1]:
        cut = step.cuts[0]
        w = w + cut_of(separable(2), cut.i, cut.label).psi
        assert step.w == pytest.approx(w)
    assert steps[-1].cuts == ()


def test_the_averaged_answer_is_the_mean_of_w_over_all_examples_seen() -> None:
    problem, w, iterates = circle_toy(), np.zeros(9), []
    for _ in range(3):
        for i, x in enumerate(problem.dataset.inputs):
            guess = problem.predict(w, x)
            w = w + cut_of(problem, i, guess).psi
            iterates.append(w)
    steps, stopped = run(Perceptron(averaged=True, passes=3), problem)
    assert steps[-1].w == pytest.approx(np.mean(iterates, axis=0))
    assert stopped.reason == "passes"
    assert "not converging" in stopped.sentence


def test_without_a_separator_the_proof_is_not_told() -> None:
    problem = noisy(40, 3, noise=3.0)
    steps, _ = run(Perceptron(passes=2), problem)
    assert "bound" not in steps[-1].detail
    assert steps[-1].detail["norm2"] == pytest.approx(float(steps[-1].w @ steps[-1].w))


def test_it_refuses_a_problem_without_examples() -> None:
    assert "examples" in str(Perceptron().refuses(ConvexRisk()))
