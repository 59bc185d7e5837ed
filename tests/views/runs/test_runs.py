"""The runs of a session side by side: which differ in what, and what is drawn."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.events import Bounds, Evaluated, Started, Step
from explorer.engine.runs.trace import Trace
from explorer.session.history.kept_runs import KeptRun
from explorer.session.state import Session
from explorer.views.kit.drawing.theme import THEMES
from explorer.views.runs import words
from explorer.views.runs.frame import RunsFrame, difference, frame
from explorer.views.runs.view import APART, Runs

CIRCLE = Recipe("circle", learner="n-slack", settings={"C": 10.0})


def run(primal: float, loss: float, steps: int = 3) -> Trace:
    trace = Trace()
    trace.append(Started("p", "n-slack", 3, 2, 0, True))
    for k in range(steps):
        bounds = Bounds(primal, 0.9 * primal, True)
        trace.append(Step(k, np.ones(2), bounds=bounds, oracle_calls=10 * (k + 1)))
        trace.append(Evaluated(k, bounds, loss, loss, np.nan))
    return trace


def kept(recipe: Recipe, trace: Trace, number: int, pinned: bool = True) -> KeptRun:
    return KeptRun(recipe, trace, 0, "stopped", "", number, pinned)


def shown() -> RunsFrame:
    cheap = replace(CIRCLE, settings=dict(CIRCLE.settings) | {"C": 1.0})
    past = [kept(cheap, run(2.0, 0.5), 1), kept(CIRCLE, run(4.0, 0.125), 2, pinned=False)]
    return frame(CIRCLE, run(4.0, 0.25), past, training=2)


def test_what_differs_is_told_by_name_and_value() -> None:
    assert difference(CIRCLE, CIRCLE) == "the same settings"
    assert difference(CIRCLE, replace(CIRCLE, settings=dict(CIRCLE.settings) | {"C": 0.5})) == "C 0.5"
    assert difference(CIRCLE, replace(CIRCLE, seed=3)) == "seed 3"
    other = replace(CIRCLE, learner="perceptron", settings={})
    assert difference(CIRCLE, other) == "learner perceptron"
    assert difference(CIRCLE, Recipe("digit-words")).startswith("task ")


def test_the_present_run_comes_first_and_the_others_newest_first() -> None:
    found = shown()
    assert [one.number for one in found.runs] == [0, 2, 1]
    assert [one.number for one in found.drawn] == [0, 1]
    assert found.runs[0].calls.tolist() == [10.0, 20.0, 30.0]
    assert found.runs[2].last_gap == pytest.approx(0.1)
    assert found.runs[2].objective == 2.0


def test_the_lowest_loss_of_those_compared_is_named() -> None:
    said = words.sentence(shown())
    assert said.startswith("2 runs beside the present one (")
    assert "Of those compared now has the lowest training loss, 0.25. 2 runs of a sweep to come." in said
    assert words.table(shown())["difference"] == ["", "the same settings", "C 1"]
    assert "Runs that are put aside" in words.sentence(frame(CIRCLE, Trace(), []))


@pytest.fixture
def session() -> Iterator[Session]:
    made = Session(CIRCLE)
    made.past.put(kept(replace(CIRCLE, seed=1), run(3.0, 0.5), 1), pinned=True)
    yield made
    made.close()


def test_runs_are_laid_over_each_other_or_stand_apart_in_every_theme(session: Session) -> None:
    view = Runs(session)
    try:
        for theme in THEMES.values():
            view.theme = theme
        assert [row["cells"][1] for row in view.list.rows] == ["seed 1"]
        assert view.lines[0][0].data["primal"].tolist() == [3.0, 3.0, 3.0]
        assert (view.one.visible, view.many.visible) == (True, False)
        view.arranged = APART
        assert (view.one.visible, view.many.visible) == (False, True)
        assert [place.visible for place in view.places[:2]] == [True, False]
        assert view.small[0].title.text == "run 1: seed 1"
    finally:
        view.close()


def test_the_list_pins_shows_and_deletes_and_hears_nothing_else(session: Session) -> None:
    view = Runs(session)
    try:
        view.list._handle_msg({"pin": 1})
        assert not view.list.rows[0]["pinned"]
        view.list._handle_msg("nonsense")
        view.list._handle_msg({"show": 1})
        assert session.recipe().seed == 1
        assert view.list.rows[0]["now"]
        session.train_again()
        number = session.past.runs[-1].number
        view.list._handle_msg({"drop": number})
        assert session.past.run_number(number) is None
    finally:
        view.close()


def test_a_sweep_is_begun_from_the_view(session: Session) -> None:
    view = Runs(session)
    try:
        view._sweep("C")
        assert session.sweep.active
        assert view.frame().training == 6
    finally:
        view.close()
