"""A race keeps learners side by side, shows something at once, and starts over when a choice changes."""

import time
from collections.abc import Iterator

import numpy as np
import pytest

from explorer.session.race import Race, first_race
from explorer.session.runner import InThread


@pytest.fixture
def runner() -> Iterator[InThread]:
    made = InThread()
    yield made
    made.close()


def small(runner: InThread, **choices: object) -> Race:
    return Race(runner, **{"task": "circle", "learners": ["n-slack", "one-slack"], "passes": 30.0, **choices})


def until(race: Race, done: str = "stopped", seconds: float = 60.0) -> None:
    ends = time.monotonic() + seconds
    while race.status != done:
        race.collect()
        assert time.monotonic() < ends, f"still {race.status}: {race.message}"
        time.sleep(0.01)


def test_every_learner_runs_to_its_end_on_the_same_objective(runner: InThread) -> None:
    race = small(runner)
    race.play()
    until(race)
    ends = [trace.column("primal")[-1] for trace in race.traces.values()]
    duals = [np.nanmax(trace.column("dual")) for trace in race.traces.values()]
    assert list(race.traces) == ["n-slack", "one-slack"]
    assert max(duals) <= min(ends) + 1e-9
    race.close()


@pytest.mark.parametrize("count", [1, 5])
def test_too_few_and_too_many_learners_are_refused_and_the_last_race_stays(runner: InThread, count: int) -> None:
    race = small(runner)
    race.play()
    until(race)
    shown = race.traces
    race.learners = race.param.learners.objects[:count]
    assert race.status == "failed"
    assert "two to four" in race.message
    assert race.traces is shown
    race.close()


def test_a_changed_choice_starts_the_race_over_but_never_the_first_time(runner: InThread) -> None:
    race = small(runner)
    race.C = 5.0
    assert race.status == "idle"
    race.play()
    until(race)
    before = race.traces
    race.C = 2.0
    assert race.status == "running"
    until(race)
    assert race.traces is not before
    race.close()


def test_the_clock_of_a_finished_race_only_changes_the_drawing(runner: InThread) -> None:
    race = small(runner)
    race.play()
    until(race)
    before, tick = race.traces, race.tick
    race.clock = "seconds"
    assert (race.status, race.tick) == ("stopped", tick + 1)
    assert race.traces is before
    race.close()


def test_a_learner_that_cannot_take_part_is_named_with_its_reason(runner: InThread) -> None:
    race = small(runner, learners=["n-slack", "binary-perceptron"])
    assert "binary-perceptron" in race.refusals()
    race.play()
    assert race.status == "failed"
    assert race.refusals()["binary-perceptron"] in race.message


def test_visitors_watch_one_shared_race_to_its_end(runner: InThread, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Race.param.task, "default", "circle")
    monkeypatch.setattr(Race.param.learners, "default", ["n-slack", "one-slack"])
    shared = first_race(runner)
    assert first_race(runner) is shared
    visitor = Race(runner)
    visitor.watch(shared)
    until(visitor)
    assert visitor.traces is shared.traces
    assert visitor.watched is None
    assert all(len(trace) for trace in visitor.traces.values())


def test_a_visitor_may_start_a_race_of_his_own_while_watching(runner: InThread) -> None:
    other, visitor = small(runner), small(runner)
    other.play()
    visitor.watch(other)
    visitor.C = 3.0
    until(visitor)
    until(other)
    assert visitor.traces is not other.traces
    visitor.close()
    other.close()
