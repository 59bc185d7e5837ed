"""Pictures of one example: what another example sets back, and how often a slow one is drawn while training
goes on.
"""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from bokeh.plotting import figure

from explorer.engine.catalogue.recipe import Recipe
from explorer.session.state import Session
from explorer.views.kit import example_view
from explorer.views.kit.drawing.room import Room
from explorer.views.sequence.view import Sequence


class Clock:
    """A clock that tests move; drawing takes `cost` seconds on it."""

    def __init__(self) -> None:
        self.now, self.cost, self.drawn = 0.0, 0.0, 0

    def read(self, *where: Any) -> None:
        self.now += self.cost
        self.drawn += 1


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(example_view, "time", SimpleNamespace(monotonic=lambda: made.now))
    return made


@pytest.fixture
def view(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sequence]:
    session = Session(Recipe(task="blocks", data={"n": 3, "n_test": 2, "length": 12}))
    made = Sequence(session)
    read = made.read

    def counted(*where: Any) -> Any:
        clock.read()
        return read(*where)

    monkeypatch.setattr(made, "read", counted)
    yield made
    made.close()
    session.close()


def test_a_quick_picture_is_drawn_at_every_step(view: Sequence, clock: Clock) -> None:
    clock.cost = 0.01
    view.session.status = "running"
    before = clock.drawn
    for _ in range(5):
        view.follow()
    assert clock.drawn == before + 5


def test_a_slow_picture_leaves_training_four_fifths_of_the_time(view: Sequence, clock: Clock) -> None:
    clock.cost = 0.1
    view.session.status = "running"
    view.refresh()
    before, clock.cost = clock.drawn, 0.1
    for _ in range(39):
        clock.now += 0.01
        view.follow()
    assert clock.drawn == before
    clock.now += 0.02
    view.follow()
    assert clock.drawn == before + 1


def test_what_the_user_changes_is_drawn_at_once_and_so_is_the_end(view: Sequence, clock: Clock) -> None:
    clock.cost = 0.1
    view.session.status = "running"
    view.refresh()
    before = clock.drawn
    view.marked = 2
    assert clock.drawn == before + 1
    view.session.status = "stopped"
    assert clock.drawn == before + 2


def test_another_example_starts_without_what_was_chosen(view: Sequence) -> None:
    view.marked = 2
    view.session.example = 1
    assert view.marked == -1
    assert (view.shown.example, view.shown.name) == (1, "Example")
    view.session.split = "test"
    assert view.shown.name == "Test example"


def test_a_figure_is_fitted_again_only_when_its_size_changes_by_more_than_its_own_labels() -> None:
    fitted: list[tuple[int, int]] = []
    drawn = figure()
    room = Room(drawn, 300, 200, lambda: fitted.append((room.wide, room.high)))
    drawn.trigger("inner_width", 0, 304)  # as if the browser had told
    assert not fitted
    drawn.trigger("inner_width", 0, 306)
    drawn.trigger("inner_height", 0, 120)
    assert fitted == [(306, 200), (306, 120)]
    drawn.trigger("inner_height", 120, None)  # a hidden figure has no size
    drawn.trigger("inner_height", 120, 0)
    assert (room.wide, room.high) == (306, 120)
