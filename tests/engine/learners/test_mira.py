"""1-best MIRA."""

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.learners import MIRA
from explorer.engine.objective import cut_of
from explorer.engine.structures.classes.multiclass import Multiclass
from tests.engine.learners.toys import circle_toy, first, noisy, run


def one_mistake() -> Multiclass:
    """A single point x = -1 of class 1: at w = 0 class 0 is guessed, psi = (1, -1), loss 1."""
    return Multiclass(Dataset("one", np.array([[-1.0]]), np.array([1])), 2)


@pytest.mark.spec("F47")
def test_one_update_goes_just_far_enough() -> None:
    assert first(MIRA(averaged=False), one_mistake(), 1)[0].w == pytest.approx([0.5, -0.5])


def test_a_cap_shortens_the_update() -> None:
    assert first(MIRA(averaged=False, cap=0.2), one_mistake(), 1)[0].w == pytest.approx([0.2, -0.2])


def test_after_an_update_the_margin_of_the_mended_labelling_is_its_loss() -> None:
    problem = Multiclass(Dataset("last", circle_toy().dataset.inputs[:1], np.array([1])), 3)
    w = first(MIRA(averaged=False), problem, 1)[0].w
    assert w @ cut_of(problem, 0, 0).psi == pytest.approx(1.0)


def test_the_answer_is_the_mean_of_w_over_all_examples_seen() -> None:
    problem, w, iterates = noisy(25, 3, noise=2.0), np.zeros(12), []
    for _ in range(2):
        for i, x in enumerate(problem.dataset.inputs):
            cut = cut_of(problem, i, problem.predict(w, x))
            if cut.loss:
                w = w + (cut.loss - w @ cut.psi) / (cut.psi @ cut.psi) * cut.psi
            iterates.append(w)
    steps, stopped = run(MIRA(passes=2), problem)
    assert steps[-1].w == pytest.approx(np.mean(iterates, axis=0))
    assert stopped.reason == "passes"


def test_it_ends_when_a_pass_makes_no_mistake() -> None:
    problem = noisy(20, 3, noise=0.0)
    steps, stopped = run(MIRA(averaged=False), problem)
    assert stopped.reason == "separated"
    assert problem.predictions(steps[-1].w) == list(problem.dataset.labels)
