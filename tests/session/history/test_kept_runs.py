"""A run is a film, and nothing that was recorded is lost: the steps of the reel, and the way back."""

from collections.abc import Iterator

import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.session.history.kept_runs import MOST, PUT_ASIDE
from explorer.session.runner import InThread, Runner
from explorer.session.state import Session
from tests.waiting import wait_until

CIRCLE = Recipe(task="circle", settings={"C": 6.0})


@pytest.fixture
def runner() -> Iterator[InThread]:
    made = InThread()
    yield made
    made.close()


@pytest.fixture
def session(runner: InThread) -> Iterator[Session]:
    made = Session(CIRCLE, runner)
    made.play()
    until_stopped(made)
    yield made
    made.close()


def until_stopped(session: Session) -> None:
    wait_until(lambda: session.status != "running", session.collect)


def test_the_film_begins_at_the_start_when_the_run_has_ended_there_and_stops_at_its_end(
    session: Session,
) -> None:
    trace, last = session.trace, session.newest
    session.reel.toggle()
    assert (session.cursor, session.playing, session.status) == (0, True, "stopped")
    seen = []
    for tick in range(4 * (last + 2)):
        session.reel.advance(tick / 4)
        seen.append(session.cursor)
    assert sorted(set(seen)) == list(range(last + 1)), "every step is shown"
    assert (session.cursor, session.playing) == (last, False)
    assert session.trace is trace


def test_the_film_goes_on_from_the_step_that_is_looked_at_as_fast_as_it_is_told(session: Session) -> None:
    session.seek(0)
    session.speed = 1.0
    session.reel.start()
    session.reel.advance(10.0)
    assert session.cursor == 0
    assert not session.reel.advance(10.9)
    assert session.reel.advance(11.0)
    assert session.cursor == 1
    session.reel.toggle()
    assert not session.playing
    assert not session.reel.advance(20.0)


def test_at_the_end_of_what_is_recorded_a_run_that_has_not_ended_is_trained_on(runner: Runner) -> None:
    session = Session(CIRCLE, runner)
    session.step()
    wait_until(lambda: len(session.trace) == 1, session.collect)
    session.step()
    wait_until(lambda: len(session.trace) == 2, session.collect)
    session.seek(0)
    session.reel.start()
    session.reel.advance(0.0)
    session.reel.advance(0.3)
    assert session.status == "running"
    until_stopped(session)
    assert session.status == "stopped"
    assert session.newest > 1
    session.close()


def test_training_again_can_be_undone_and_done_again(session: Session) -> None:
    first = session.trace
    session.seek(1)
    session.train_again()
    assert session.trace is not first
    until_stopped(session)
    second = session.trace
    session.changes.undo()
    assert (session.trace, session.cursor, session.status) == (first, 1, "stopped")
    session.changes.redo()
    assert session.trace is second


def test_another_task_and_its_undo_bring_choices_and_run_back(session: Session) -> None:
    kept, recipe = session.trace, session.recipe()
    session.choices.task = "four-points"
    assert not len(session.trace)
    session.changes.undo()
    assert (session.choices.task, session.recipe()) == ("circle", recipe)
    assert session.trace is kept
    session.changes.redo()
    assert session.choices.task == "four-points"


def test_a_changed_price_is_undone_by_going_on_under_the_old_one(session: Session) -> None:
    steps = len(session.trace)
    session.choices.settings.C = 3.0
    until_stopped(session)
    assert session.trace.start_of(session.newest).settings["C"] == 3.0
    session.changes.undo()
    until_stopped(session)
    assert session.choices.settings.C == 6.0
    assert session.trace.start_of(session.newest).settings["C"] == 6.0
    assert len(session.trace) > steps


def test_a_refused_choice_is_taken_back_without_touching_the_run(session: Session) -> None:
    kept, steps = session.trace, len(session.trace)
    session.choices.learner = "binary-perceptron"
    assert session.status == "failed"
    session.changes.undo()
    assert (session.status, session.choices.learner) == ("stopped", CIRCLE.learner)
    assert (session.trace is kept, len(session.trace)) == (True, steps)


def test_runs_that_were_put_aside_are_numbered_pinned_and_brought_back(session: Session) -> None:
    first = session.trace
    for _ in range(MOST + 2):
        session.reset()
        session.step()
        wait_until(lambda: len(session.trace) == 1, session.collect)
        if session.past.count == 1:
            session.past.pin(1)
    assert len(session.past.runs) == MOST
    assert session.past.runs[0].trace is first, "what is pinned stays"
    assert session.past.runs[-1].message == PUT_ASIDE
    session.bring_back(1)
    assert session.trace is first
    assert session.past.run_number(1) is None
    session.bring_back(99)
    assert session.trace is first


def test_nothing_is_undone_where_nothing_was_changed(session: Session) -> None:
    session.changes.undo()
    session.changes.redo()
    assert session.status == "stopped"


def test_while_a_step_is_walked_through_nothing_later_is_drawn(session: Session) -> None:
    session.seek(1)
    assert session.horizon == session.newest
    session.step_phase()
    assert session.horizon == 1
    session.step()
    assert session.horizon == session.newest
