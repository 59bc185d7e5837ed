"""A loop that is watched: the same events, and a line of figures in a notebook."""

from typing import Any

import pytest

import explorer
from explorer import progress
from explorer.engine.events import Stopped
from explorer.progress import LiveFigures, ProgressLine, html_line, watch


def events() -> Any:
    recipe = explorer.Recipe("circle")
    return explorer.train(recipe.problem()[0], recipe.make_learner(), rule=recipe.make_rule())


class Place:
    """What IPython's display gives: it keeps what it was told to show."""

    def __init__(self) -> None:
        self.shown: list[Any] = []

    def __call__(self, first: Any, display_id: bool) -> "Place":
        return self

    def update(self, picture: Any) -> None:
        self.shown.append(picture)


def test_all_events_pass(capsys: pytest.CaptureFixture[str]) -> None:
    seen = list(watch(events()))
    assert isinstance(seen[-1], Stopped)
    assert [type(event) for event in seen] == [type(event) for event in events()]
    assert capsys.readouterr().out == ""


def test_in_a_notebook_the_last_figures_stand_below_the_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place()
    monkeypatch.setattr(progress, "notebook", lambda: place)
    for _ in watch(events()):
        pass
    assert "step <b>3</b>" in place.shown[-1]._repr_html_()
    assert "value='1.000'" in place.shown[-1]._repr_html_()
    assert "primal 5.08864" in repr(place.shown[-1])


def test_a_loop_that_is_left_shows_how_far_it_came(monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place()
    monkeypatch.setattr(progress, "notebook", lambda: place)
    run = watch(events())
    next(run)
    next(run)
    run.close()
    assert "step <b>1</b>" in place.shown[-1]._repr_html_()


def test_figures_are_drawn_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PAUSE", 1e9)
    place = Place()
    line = ProgressLine(LiveFigures(1, 1e-3), place)
    for _ in range(5):
        line.now_and_then()
    assert len(place.shown) == 1
    assert "<progress" in html_line(line.figures)


def test_every_public_name_can_be_loaded() -> None:
    for name in explorer.__all__:
        assert getattr(explorer, name) is not None
