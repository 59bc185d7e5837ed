"""Boxes in pictures: searches agree at full size, learners agree with each other, bad boxes are refused."""

from typing import Any

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Dataset
from explorer.engine.data.detections import Detections
from explorer.engine.events import Step
from explorer.engine.learners import NSlack, OneSlack
from explorer.engine.losses import Hamming
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Until, train
from explorer.engine.structures.boxes.oracles import EveryWindow, WindowBranching, prediction, separation
from explorer.engine.structures.boxes.problem import BoxDetection


@pytest.mark.spec("A44")
def test_branch_and_bound_equals_every_window_on_twenty_pictures_and_looks_at_fewer() -> None:
    problem, _ = Recipe("detection", data={"n": 20, "n_test": 0}).problem()
    rng = np.random.default_rng(0)
    for i, x in enumerate(problem.dataset.inputs):
        assert x.shape == (24, 24)
        cells = problem.cells(rng.normal(size=problem.dim), x)
        for asked in (
            prediction(cells),
            separation(cells, problem.dataset.labels[i], problem.code, problem.pricing),
        ):
            slow, quick = EveryWindow().find(asked), WindowBranching().find(asked)
            assert quick.value == pytest.approx(slow.value, abs=1e-10)
            assert slow.visited == problem.labellings_count(i) == 90_000
            assert quick.visited < slow.visited / 2


def test_two_learners_prove_the_same_optimum_and_the_box_is_found_on_new_pictures() -> None:
    recipe = Recipe("detection", data={"n": 12, "n_test": 12, "size": 12, "purity": 0.9, "clutter": 0.05})
    problem, test = recipe.problem()
    ends = []
    for learner in (NSlack(C=50.0, eps=1e-6), OneSlack(C=50.0, eps=1e-6)):
        *_, last = (
            event
            for event in train(problem, learner, rule=Until(relative_gap=1e-5))
            if isinstance(event, Step)
        )
        ends.append(last)
    assert ends[0].bounds.dual <= ends[1].bounds.primal + 1e-6
    assert ends[1].bounds.dual <= ends[0].bounds.primal + 1e-6
    assert ends[0].bounds.primal == pytest.approx(ends[1].bounds.primal, rel=1e-3)
    assert test is not None
    other = problem.on(test)
    lost = [other.loss(i, other.predict(ends[0].w, x)) for i, x in enumerate(test.inputs)]
    assert np.mean(lost) < 0.2, "chance loses about 0.8"


def test_pictures_show_the_animal_more_often_inside_its_box() -> None:
    train_set, test_set = Detections(n=40, n_test=0, purity=1.0, clutter=0.0).make()
    assert test_set is None
    for x, (x0, y0, x1, y1) in zip(train_set.inputs, train_set.labels, strict=True):
        inside = np.zeros(x.shape, dtype=bool)
        inside[y0:y1, x0:x1] = True
        assert np.array_equal(x < 4, inside)
        assert 6 <= x1 - x0 <= 15
        assert 6 <= y1 - y0 <= 15


@pytest.mark.parametrize(
    ("inputs", "labels", "said"),
    [
        ([], [], "empty"),
        ([np.zeros((3, 3), int)], [], "empty"),
        ([np.zeros((3, 3), int)] * 2, [np.array([0, 0, 1, 1])], "2 pictures and 1 boxes"),
        ([np.zeros((3, 3))], [np.array([0, 0, 1, 1])], "word numbers"),
        ([np.zeros(3, int)], [np.array([0, 0, 1, 1])], "shape"),
        ([np.full((3, 3), 5)], [np.array([0, 0, 1, 1])], "the word 5; there are 4"),
        ([np.zeros((3, 3), int)], [np.array([0, 0, 4, 1])], "within 3 columns"),
        ([np.zeros((3, 3), int)], [np.array([1, 1, 1, 2])], "x0 < x1"),
        ([np.zeros((3, 3), int)], [np.array([0.0, 0, 1, 1])], "four whole numbers"),
    ],
)
def test_what_is_no_picture_or_no_box_is_refused_with_its_place(inputs: Any, labels: Any, said: str) -> None:
    with pytest.raises(Refused, match=said):
        BoxDetection(Dataset("bad", inputs, labels), 4)


def test_a_loss_that_boxes_do_not_have_is_refused() -> None:
    data = Dataset("one", [np.zeros((3, 3), int)], [np.array([0, 0, 1, 1])])
    with pytest.raises(Refused, match="choose the overlap"):
        BoxDetection(data, 1, Hamming())
