"""Margin and slack scaling on the same wrong answers: which each takes, against a hand calculation."""

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.events import Cut, Started, Step
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.classes.own import Listed
from explorer.session.state import Session
from explorer.views.kit.drawing.theme import THEMES
from explorer.views.scalings import words
from explorer.views.scalings.frame import ScalingsFrame, frame, most
from explorer.views.scalings.view import Scalings, equally_tempting

FAR, NEAR = "far", "near"
LOSS = {"right": 0.0, FAR: 10.0, NEAR: 2.0}
SCORES = {"right": (2.0, 0.0), FAR: (-1.0, 0.0), NEAR: (1.5, 0.0)}


def problem() -> Listed:
    """One input with three outputs; the first weight scores them."""
    return Listed(
        Dataset("three", inputs=[0.0], labels=["right"]),
        psi=lambda x, y: np.array(SCORES[y]),
        delta=lambda y, guess: LOSS[guess],
        outputs=lambda x: tuple(SCORES),
        dim=2,
    )


def run(w: float) -> Trace:
    trace = Trace()
    trace.append(Started("three", "one-slack", 1, 2, 0, True))
    nothing = np.zeros(2)
    trace.append(Step(0, np.array([w, 0.0]), cuts=(Cut(0, NEAR, nothing, 2.0), Cut(0, FAR, nothing, 10.0))))
    return trace


def test_slack_scaling_lets_a_very_wrong_answer_rest_that_margin_scaling_goes_on_about() -> None:
    """At w = 1 the truth leads far by 3 and near by 0.5: margin scaling asks 10 - 3 = 7 and 2 - 0.5 = 1.5 of
    the slack, slack scaling 10 (1 - 3) = -20 and 2 (1 - 0.5) = 1.
    """
    shown = frame(problem(), run(1.0), 0, 0)
    assert shown is not None
    rows = zip(shown.margin, shown.margin_violation, shown.slack_violation, strict=True)
    found = dict(zip(shown.texts, rows, strict=True))
    assert len(found) == 2
    far, near = (next(v for text, v in found.items() if name in text) for name in (FAR, NEAR))
    assert far == pytest.approx((3.0, 7.0, -20.0))
    assert near == pytest.approx((0.5, 1.5, 1.0))
    assert FAR in shown.texts[shown.by_margin]
    assert NEAR in shown.texts[shown.by_slack]
    said = words.sentence(shown)
    assert "margin scaling finds far" in said
    assert "slack scaling near" in said


def test_where_all_are_far_behind_neither_finds_any_tempting() -> None:
    shown = frame(problem(), run(10.0), 0, 0)
    assert shown is not None
    assert (shown.by_margin, shown.by_slack) == (-1, -1)
    assert "far enough behind the truth under either scaling" in words.sentence(shown)


def test_before_training_and_beyond_the_examples_nothing_is_shown() -> None:
    assert frame(problem(), Trace(), 0, 0) is None
    assert frame(problem(), run(1.0), 0, 5) is None
    assert "press play" in words.sentence(None)


def test_rounding_is_no_violation() -> None:
    assert most(np.array([1e-12]), np.array([1.0])) == -1
    assert most(np.array([0.5, 1e-3]), np.array([1.0, 1.0])) == 0


@pytest.mark.parametrize("scaling", ["m", "s"])
def test_all_points_of_a_line_of_equal_violation_have_that_violation(scaling: str) -> None:
    margin, loss = equally_tempting(scaling, 1.5, -2.0, 4.0, 8.0)
    violation = loss - margin if scaling == "m" else loss * (1.0 - margin)
    assert violation == pytest.approx(np.full(len(loss), 1.5))


def test_the_view_shows_the_picks_and_wears_every_theme() -> None:
    session = Session()
    view = Scalings(session)
    try:
        shown = ScalingsFrame(
            0, 0, 1, ("a", "b"), np.array([10.0, 2.0]), np.array([3.0, 0.5]), np.array([0, 0]), 0, 1
        )
        for theme in THEMES.values():
            view.theme = theme
            view.show(shown)
        assert list(view.picks["m"].data["text"]) == ["a"]
        assert list(view.picks["s"].data["text"]) == ["b"]
        view.show(None)
        assert not len(view.answers.data["x"])
    finally:
        view.close()
        session.close()
