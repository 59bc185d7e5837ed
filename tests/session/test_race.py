"""A race keeps learners side by side, shows something at once, and starts over when a choice changes."""

from collections.abc import Iterator

import numpy as np
import pytest

from explorer.session.race import Race, Setup, first_race
from explorer.session.runner import InThread
from tests.waiting import wait_until


@pytest.fixture
def runner() -> Iterator[InThread]:
    made = InThread()
    yield made
    made.close()


def small(runner: InThread, **choices: object) -> Race:
    return Race(runner, **{"task": "circle", "learners": ["n-slack", "one-slack"], "passes": 30.0, **choices})


def until(race: Race, done: str = "stopped") -> None:
    wait_until(lambda: race.status == done, race.collect, lambda: f"still {race.status}: {race.message}")


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
def test_too_few_and_too_many_learners_are_refused_and_the_last_race_stays(
    runner: InThread, count: int
) -> None:
    race = small(runner)
    race.play()
    until(race)
    shown = race.traces
    race.learners = race.param.learners.objects[:count]
    assert race.status == "stopped"
    assert race.refusal == f"choose two to four learners, not {count}"
    race.play()
    assert race.status == "stopped"
    assert race.traces is shown
    race.learners = ["n-slack", "mira"]
    assert (race.status, race.refusal) == ("running", "")
    race.close()


def test_a_race_under_way_goes_on_while_the_choices_cannot_race(runner: InThread) -> None:
    race = small(runner, passes=2000.0, relative_gap=1e-6)
    race.play()
    race.learners = race.param.learners.objects[:6]
    assert race.status == "running", "nothing has been collected yet, however fast the race is"
    assert "not 6" in race.refusal
    until(race)
    assert list(race.traces) == ["n-slack", "one-slack"]
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
    assert race.status == "idle"
    assert race.refusals()["binary-perceptron"] in race.refusal


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


# Choices.


def test_data_and_seed_reach_every_learner(runner: InThread) -> None:
    race = Race(
        runner, task="blocks", data={"n": 3, "length": 12}, learners=("n-slack", "frank-wolfe"), seed=7
    )
    lanes = race.setup().lanes()
    assert [(one.seed, one.data["n"], one.data["length"]) for one in lanes.values()] == [(7, 3, 12)] * 2
    race.play()
    until(race)
    assert {trace.starts[0][1].n for trace in race.traces.values()} == {3}
    assert {trace.starts[0][1].seed for trace in race.traces.values()} == {7}
    race.close()


def test_an_edit_of_the_data_starts_the_race_over(runner: InThread) -> None:
    race = small(runner, task="blocks", data={"n": 3, "n_test": 1, "length": 12})
    race.play()
    until(race)
    race.data.n = 4
    assert race.status == "running"
    until(race)
    assert {trace.starts[0][1].n for trace in race.traces.values()} == {4}
    race.close()


def test_another_task_has_its_own_data_and_the_learners_that_can_take_part(runner: InThread) -> None:
    race = small(runner, task="two-gaussians", learners=["n-slack", "binary-perceptron", "one-slack"])
    before, runs = race.data, []
    race.param.watch(lambda *_: runs.append(race.setup()), ["data", "learners"])
    race.task = "circle"
    assert race.learners == ["n-slack", "one-slack"]
    assert runs == [Setup("circle", learners=("n-slack", "one-slack"), passes=30.0)]
    before.seed = 5
    assert len(runs) == 1


def test_the_choices_of_a_race_make_the_same_race(runner: InThread) -> None:
    setup = Setup("blocks", {"n": 5}, ("mira", "subgradient"), 3.5, 0.1, 12.0, 4, "seconds")
    assert setup.data["length"] == 100
    again = Race(runner, **{name: getattr(setup, name) for name in Setup.__dataclass_fields__})
    assert again.setup() == setup


# What a page needs to know.


def test_collecting_says_how_much_there_was_and_when_the_race_is_over(runner: InThread) -> None:
    race = small(runner)
    assert (race.collect(), race.ended) == (0, False)
    race.play()
    wait_until(lambda: race.ended)
    told = []
    race.param.watch(lambda *events: told.append({e.name for e in events}), ["tick", "status", "message"])
    assert race.collect() > len(race.traces)
    assert told == [{"tick", "status", "message"}]
    assert (race.status, race.ended, race.collect()) == ("stopped", False, 0)
    race.close()


def test_a_watched_race_that_has_not_moved_is_not_drawn_again(runner: InThread) -> None:
    other, visitor = small(runner), small(runner)
    other.play()
    visitor.watch(other)
    tick = visitor.tick
    assert (visitor.collect(), visitor.tick) == (0, tick)
    until(other)
    assert visitor.ended
    assert visitor.collect() > 0
    assert (visitor.tick, visitor.status, visitor.watched) == (tick + 1, "stopped", None)
    other.close()
