"""Where the time goes: differences of the recorded seconds, by hand."""

import numpy as np
import pytest

from explorer.engine.events import Started, Step
from explorer.engine.runs.trace import Trace
from explorer.session.state import Session
from explorer.views.kit.drawing.theme import THEMES
from explorer.views.times import words
from explorer.views.times.frame import MOST, frame
from explorer.views.times.view import Times


def run(seconds: list[float], inside: list[float]) -> Trace:
    trace = Trace()
    trace.append(Started("p", "one-slack", 3, 2, 0, True))
    for k, (whole, oracle) in enumerate(zip(seconds, inside, strict=True)):
        trace.append(Step(k, np.ones(2), seconds=whole, oracle_seconds=oracle))
    return trace


def test_a_bar_is_what_its_step_took() -> None:
    shown = frame(run([0.010, 0.030, 0.035], [0.004, 0.020, 0.021]), 2)
    assert shown.oracle == pytest.approx([4.0, 16.0, 1.0])
    assert shown.rest == pytest.approx([6.0, 4.0, 4.0])
    assert shown.totals == pytest.approx((0.021, 0.014))
    assert words.sentence(shown) == (
        "0.035 s of training: 60% in the oracle, 40% in quadratic programs, features and updates."
    )


def test_many_steps_share_bars_and_lose_no_time() -> None:
    count = 5 * MOST + 3
    seconds = np.cumsum(np.random.default_rng(0).random(count))
    shown = frame(run(list(seconds), list(seconds / 2)), 0)
    assert len(shown.first) == MOST
    assert shown.first[0] == 0
    assert shown.last[-1] == count - 1
    assert shown.first[1:].tolist() == (shown.last[:-1] + 1).tolist()
    assert sum(shown.totals) == pytest.approx(seconds[-1])


def test_what_lies_after_the_step_that_is_walked_through_is_not_shown() -> None:
    assert len(frame(run([1.0, 2.0, 3.0], [0.0, 0.0, 0.0]), 1, until=1).first) == 2
    assert "press play" in words.sentence(frame(Trace(), 0))


def test_drawing_is_told_apart() -> None:
    assert "Drawing it here took 0.25 s." in words.sentence(frame(run([1.0], [0.5]), 0, drawn=0.25))


def test_the_view_wears_every_theme() -> None:
    session = Session()
    view = Times(session)
    try:
        for theme in THEMES.values():
            view.theme = theme
        assert not len(view.bars.data["left"])
    finally:
        view.close()
        session.close()
