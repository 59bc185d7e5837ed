"""Mistakes by position and length, counted again one by one."""

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.events import Started, Step
from explorer.engine.runs.trace import Trace
from explorer.session.problem_cache import problem_of
from explorer.session.state import Session
from explorer.views.kit.drawing.theme import THEMES
from explorer.views.positions import words
from explorer.views.positions.frame import PositionsFrame, Shares, frame, shares
from explorer.views.positions.view import Positions


@pytest.fixture(scope="module")
def problem():
    return problem_of(Recipe("digit-words", data={"n": 12}))[0]


def run(problem, w) -> Trace:
    trace = Trace()
    trace.append(Started("words", "one-slack", problem.n, problem.dim, 0, True))
    trace.append(Step(0, w))
    return trace


def test_shares_are_those_of_predictions_that_are_compared_one_by_one(problem) -> None:
    w = np.random.default_rng(3).normal(size=problem.dim)
    shown = frame(problem, run(problem, w), 0)
    assert shown is not None
    wrong: dict[int, list[bool]] = {}
    for x, truth in zip(problem.dataset.inputs, problem.dataset.labels, strict=True):
        for p, (guess, right) in enumerate(zip(problem.predict(w, x), truth, strict=True)):
            wrong.setdefault(p, []).append(bool(guess != right))
    assert shown.by_position.place.tolist() == sorted(wrong)
    assert shown.by_position.wrong == pytest.approx([np.mean(wrong[p]) for p in sorted(wrong)])
    assert shown.by_position.count.tolist() == [len(wrong[p]) for p in sorted(wrong)]
    lengths = [len(label) for label in problem.dataset.labels]
    assert shown.by_length.place.tolist() == sorted(set(lengths))


def test_the_worst_position_is_named() -> None:
    places = shares(np.array([0, 1, 0, 1]), np.array([0.0, 1.0, 0.0, 0.0]))
    assert (places.place.tolist(), places.wrong.tolist(), places.count.tolist()) == (
        [0, 1],
        [0.0, 0.5],
        [2, 2],
    )
    lengths = shares(np.array([2, 2]), np.array([0.0, 0.5]))
    shown = PositionsFrame(7, "training", 2, 2, "position", places, lengths)
    assert words.sentence(shown) == (
        "Step 7, training data, 2 examples: position 1 is wrong most often, in 50% of 2 examples."
    )
    assert words.table(shown)["place"] == ("position 0", "position 1", "length 2")


def test_without_mistakes_and_without_steps_the_sentence_says_so(problem) -> None:
    right = Shares(np.array([0]), np.array([0.0]), np.array([3]))
    assert "every node is right" in words.sentence(PositionsFrame(0, "test", 3, 3, "node", right, right))
    assert frame(problem, Trace(), 0) is None
    assert "press play" in words.sentence(None)


def test_what_cannot_be_compared_place_by_place_has_no_such_view(problem) -> None:
    assert Positions.fits(problem)
    assert not Positions.fits(problem_of(Recipe("circle"))[0])
    assert not Positions.fits(problem_of(Recipe("clusters"))[0])


def test_the_view_wears_every_theme() -> None:
    session = Session(Recipe("digit-words", data={"n": 12}))
    view = Positions(session)
    try:
        for theme in THEMES.values():
            view.theme = theme
        assert not len(view.sources["by_position"].data["place"])
    finally:
        view.close()
        session.close()
