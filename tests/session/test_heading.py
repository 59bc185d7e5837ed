"""A link's step is reached with the events that bring it, and no other step is shown instead."""

from collections.abc import Iterator

import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.session.state import Session
from tests.waiting import wait_until

SMALL = Recipe(task="blocks", data={"n": 4, "n_test": 2, "length": 20}, settings={"C": 5.0})


@pytest.fixture
def session() -> Iterator[Session]:
    made = Session(SMALL)
    yield made
    made.close()


def finish(session: Session) -> list[int]:
    """Play on to the end; the steps that were looked at on the way."""
    looks: list[int] = []
    session.param.watch(lambda event: looks.append(event.new), "cursor")
    wait_until(lambda: session.status == "stopped", session.collect)
    return looks


def test_a_run_that_ends_at_once_is_looked_at_where_the_link_says(session: Session) -> None:
    session.play()
    session.heading.take(2, 1)
    wait_until(lambda: session.training.ended)
    looks = finish(session)
    assert looks == [2]
    assert (session.cursor, session.phase, session.following) == (2, 1, False)
    assert session.newest > 2


def test_on_the_way_no_later_step_is_looked_at(session: Session) -> None:
    session.play()
    session.heading.take(3)
    looks = finish(session)
    assert looks == sorted(looks)
    assert looks[-1] == session.cursor == 3


def test_a_step_that_the_run_never_has_leads_to_its_last_one(session: Session) -> None:
    session.play()
    session.heading.take(10_000, 2)
    finish(session)
    assert (session.cursor, session.phase, session.following) == (session.newest, 0, False)


def test_a_recorded_run_is_looked_at_there_at_once(session: Session) -> None:
    session.show_finished()
    session.heading.take(1)
    assert session.cursor == 1
    session.seek(3)
    assert session.collect() == 0
    assert session.cursor == 3


def test_another_speed_leads_to_the_same_step(session: Session) -> None:
    session.play()
    session.heading.take(2)
    session.play(100.0)
    finish(session)
    assert session.cursor == 2


@pytest.mark.parametrize("order", ["pause", "reset"])
def test_who_orders_something_else_goes_on_from_there(session: Session, order: str) -> None:
    session.play()
    session.heading.take(1)
    getattr(session, order)()
    session.play()
    finish(session)
    assert session.cursor == session.newest > 1
