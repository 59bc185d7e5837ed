"""Jobs take turns on one worker: slices are spans of time, a pace is kept; the test moves the clock."""

import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.events import Step
from explorer.engine.halting import halt
from explorer.session import scheduler
from explorer.session.jobs import run
from explorer.session.scheduler import Scheduler
from tests.waiting import Clock, wait_until

SLICE = 1 / 16
"""Seconds; these and the lengths of steps are sums of powers of two, so that the clock is exact."""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(scheduler, "time", made)
    monkeypatch.setattr(run, "time", made)
    return made


@pytest.fixture
def sent() -> list[tuple[str, int]]:
    """Who was given a slice, and how many steps it made in it."""
    return []


@pytest.fixture
def turns(sent: list[tuple[str, int]]) -> Scheduler:
    return Scheduler(lambda name, events: sent.append((name, len(events))), SLICE)


def lasting(clock: Clock, seconds: float) -> Iterator[Step]:
    """Steps that take this long each, for ever."""
    k = 0
    while True:
        clock.sleep(seconds)
        yield Step(k, np.zeros(1))
        k += 1


def begin(turns: Scheduler, name: str, events: Iterator[Any], per_second: float = 0.0) -> None:
    turns.command(name, "open", Recipe("circle"))
    wait_until(lambda: name in turns.jobs)
    turns.jobs[name]._events = events
    turns.command(name, "play", per_second)


def test_every_job_has_one_slice_a_turn(clock: Clock, turns: Scheduler, sent: list[tuple[str, int]]) -> None:
    names = [f"student {k}" for k in range(20)]
    for name in names:
        begin(turns, name, lasting(clock, 1 / 64))
    for _ in range(5):
        turns.turn()
    assert [name for name, _ in sent] == 5 * names


def test_a_slice_is_a_span_of_time_and_slow_steps_cost_their_own_job_alone(
    clock: Clock, turns: Scheduler, sent: list[tuple[str, int]]
) -> None:
    for name, seconds in (("quick", 1 / 1024), ("slow", 1 / 32), ("very slow", 3.0)):
        begin(turns, name, lasting(clock, seconds))
    turns.turn()
    assert sent == [("quick", 64), ("slow", 2), ("very slow", 1)]


def test_a_job_that_is_alone_has_a_slice_of_twice_the_length(
    clock: Clock, turns: Scheduler, sent: list[tuple[str, int]]
) -> None:
    begin(turns, "alone", lasting(clock, 1 / 64))
    turns.turn()
    assert sent == [("alone", 8)]


def test_a_slow_run_keeps_its_pace(clock: Clock, turns: Scheduler, sent: list[tuple[str, int]]) -> None:
    begin(turns, "watched", lasting(clock, 0.001), per_second=20.0)
    while clock.now < 2.0:
        clock.sleep(turns.turn())
    assert {steps for _, steps in sent} == {1}
    assert len(sent) == pytest.approx(40, abs=1)


def test_a_paced_run_that_was_held_up_does_not_hurry_afterwards(
    clock: Clock, turns: Scheduler, sent: list[tuple[str, int]]
) -> None:
    begin(turns, "watched", lasting(clock, 0.001), per_second=20.0)
    turns.turn()
    clock.sleep(10.0)
    late = clock.now
    while clock.now < late + 1.0:
        clock.sleep(turns.turn())
    assert len(sent) == pytest.approx(1 + 20, abs=2)


def test_a_job_that_does_not_come_back_holds_up_nobody_and_is_heard_when_it_does(
    sent: list[tuple[str, int]],
) -> None:
    turns = Scheduler(lambda name, events: sent.append((name, len(events))), SLICE, patience=1e-9)
    back = threading.Event()

    def stuck() -> Iterator[Step]:
        assert back.wait(300.0)
        yield Step(0, np.zeros(1))
        yield from lasting(Clock(), 0.0)

    begin(turns, "stuck", stuck())
    begin(turns, "quick", lasting(Clock(), 0.0))
    wait_until(lambda: len(sent) >= 20, turns.turn)
    assert {name for name, _ in sent} == {"quick"}
    turns.command("stuck", "pause")
    back.set()
    wait_until(lambda: "stuck" in {name for name, _ in sent}, turns.turn)


def test_orders_for_a_job_that_is_away_wait_for_it_and_a_change_interrupts_it(
    sent: list[tuple[str, int]],
) -> None:
    turns = Scheduler(lambda name, events: sent.append((name, len(events))), SLICE, patience=1e-9)
    begin(turns, "searching", searching())
    turns.turn()
    seat = turns.seats["searching"]
    assert seat.away
    turns.command("searching", "change", Recipe("circle", settings={"C": 3.0}))
    turns.command("searching", "step", 1)
    wait_until(lambda: not seat.away, turns.turn)
    wait_until(lambda: ("searching", 1) in sent, turns.turn)
    assert turns.jobs["searching"].recipe.settings["C"] == 3.0


def test_a_job_that_is_closed_inside_a_search_ends_it(sent: list[tuple[str, int]]) -> None:
    turns = Scheduler(lambda name, events: sent.append((name, len(events))), SLICE, patience=1e-9)
    begin(turns, "searching", searching())
    turns.turn()
    seat = turns.seats["searching"]
    turns.command("searching", "close")
    wait_until(lambda: not seat.away)
    assert sent == []


def searching() -> Iterator[Step]:
    """A search without end that looks at its flag, as kernels do."""
    while True:
        halt()
        time.sleep(0.001)
    yield Step(0, np.zeros(1))
