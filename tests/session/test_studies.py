"""Studies run in a worker row by row, take turns, can be cancelled within a row and are kept on disk."""

import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from explorer.engine.events import Stopped
from explorer.session import study_store as study_shelf
from explorer.session.jobs import study as study_job
from explorer.session.jobs.study import Note, RowsReading, StudyJob
from explorer.session.pool import Pool
from explorer.session.runner import InThread, Runner
from explorer.session.studies import Studies
from explorer.session.study_run import MOST_ROWS, Run, first_look, refusal
from explorer.session.study_store import Result, keep, settings, stored_result, tree
from explorer.studies import Temperature
from explorer.studies.support.study import HELD, NOT_HELD, Row
from tests.session import toy_study
from tests.session.toy_study import Squares
from tests.waiting import Clock, wait_until

SLOW = Squares(count=3, pulses=100_000)
UNLIMITED = 1e9
"""Seconds that a study may take."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EXPLORER_RUNS", str(tmp_path))
    return tmp_path


@pytest.fixture
def runner() -> Iterator[InThread]:
    made = InThread()
    yield made
    made.close()


def studying() -> set[threading.Thread]:
    """The threads that run studies, also those that an earlier test left to finish."""
    return {thread for thread in threading.enumerate() if thread.name == "explorer-study"}


def until(done: Callable[[], Any], collect: Callable[[], None]) -> None:
    wait_until(done, collect)


def ended(run: Run) -> Run:
    until(lambda: not run.running, run.collect)
    return run


def pulled(job: StudyJob, seconds: float = 0.05) -> list[Any]:
    said = []
    while not job.ended:
        said += job.pull(seconds, 1)
    return said


# A job.


def test_all_rows_come_in_order_and_at_last_what_they_say() -> None:
    study = Squares(count=6, pulses=2)
    said = pulled(StudyJob(study, UNLIMITED), seconds=0.0)
    rows = [event for event in said if isinstance(event, Row)]
    assert [found["square"] for found in rows] == [0, 1, 4, 9, 16, 25]
    *_, reading, last = said
    assert isinstance(reading, RowsReading)
    assert reading.table == tuple(rows)
    assert [finding.verdict for finding in reading.findings] == [HELD, NOT_HELD]
    assert (last.reason, last.k) == ("finished", 6)


def test_the_turn_is_given_back_in_the_middle_of_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(study_job, "time", clock)
    monkeypatch.setattr(toy_study, "time", clock)
    job = StudyJob(SLOW, UNLIMITED)
    first, second = job.pull(0.02, 1), job.pull(0.02, 1)
    assert [type(event) for event in (*first, *second)] == [Note, Note]
    assert first[0].text == "number 0, pulse 19", "a pulse takes a millisecond"
    assert second[0].text == "number 0, pulse 39"
    assert (first[0].seconds, second[0].seconds) == pytest.approx((0.02, 0.04))
    job.end()


def test_a_study_that_takes_too_long_is_ended_with_its_rows() -> None:
    said = pulled(StudyJob(Squares(count=1000, pulses=20), 0.2))
    *_, reading, last = said
    assert last.reason == "seconds"
    assert len(reading.table) == sum(isinstance(event, Row) for event in said) < 1000


def test_a_broken_study_is_told_in_a_sentence() -> None:
    *_, last = pulled(StudyJob(Squares(breaks=2), UNLIMITED))
    assert (last.reason, last.k) == ("failed", 2)
    assert "division" in last.sentence


def test_an_ended_job_leaves_no_thread_even_if_it_never_had_a_turn() -> None:
    jobs = [StudyJob(SLOW, UNLIMITED), StudyJob(SLOW, UNLIMITED)]
    jobs[0].pull(0.01, 1)
    for job in jobs:
        job.end()
        job._thread.join()
        assert job.ended
    assert jobs[0].pull(0.01, 1) == []


# A run at a runner.


@pytest.mark.parametrize("place", ["thread", "process"])
def test_rows_from_a_worker_are_those_of_the_engine(place: str) -> None:
    runner: Runner = Pool(1) if place == "process" else InThread()
    run = Run(Temperature.quick())
    run.start(runner)
    ended(run)
    rows = list(Temperature.quick().rows())
    assert (run.status, run.rows) == ("finished", rows)
    assert run.findings == Temperature.quick().findings(rows)
    assert run.seconds > 0.0
    runner.close()


def test_a_short_study_is_finished_while_another_is_in_its_first_row(runner: InThread) -> None:
    slow, short = Run(SLOW), Run(Squares(count=4, pulses=10))
    slow.start(runner)
    until(lambda: slow.note, slow.collect)
    short.start(runner)
    ended(short)
    slow.collect()
    assert short.status == "finished"
    assert (slow.status, slow.rows) == ("running", [])
    slow.close()


def test_cancelling_ends_it_within_a_row_and_keeps_the_rows(runner: InThread) -> None:
    run = Run(Squares(count=1000, pulses=30))
    run.start(runner)
    until(lambda: len(run.rows) >= 3, run.collect)
    run.cancel()
    assert run.note == "cancelling"
    ended(run)
    assert (run.status, run.message) == ("stopped", "cancelled")
    assert 3 <= len(run.rows) < 1000
    assert len(run.table) == len(run.rows)
    until(lambda: not runner._worker.scheduler.jobs, run.collect)


def test_a_run_that_never_began_is_cancelled_at_once(runner: InThread) -> None:
    run = Run(SLOW)
    run.start(runner)
    run.cancel()
    assert (run.status, run.message) == ("stopped", "cancelled")
    until(lambda: not runner._worker.scheduler.jobs and not runner._worker._orders, run.collect)


def test_closing_a_run_under_way_ends_its_job_and_its_thread(runner: InThread) -> None:
    before = studying()
    run = Run(SLOW)
    run.start(runner)
    until(lambda: run.note, run.collect)
    run.close()
    until(lambda: not runner._worker.scheduler.jobs, run.collect)
    until(lambda: not studying() - before, run.collect)


def test_a_stopped_worker_lets_waiting_studies_go() -> None:
    before = studying()
    runner = InThread()
    run = Run(SLOW)
    run.start(runner)
    until(lambda: run.note, run.collect)
    runner.close()
    until(lambda: not studying() - before, lambda: None)


# The shelf.


def result(study: Any = None) -> Result:
    study = study or Squares()
    rows = tuple(study.rows())
    return Result(study, rows, study.table(rows), study.findings(rows), 1.5)


def test_only_a_whole_study_is_kept_and_found_by_all_its_settings() -> None:
    pulled(StudyJob(Squares(count=4), UNLIMITED))
    pulled(StudyJob(Squares(count=900, pulses=5), 0.05))
    found = stored_result(Squares(count=4))
    assert found is not None
    assert [line["square"] for line in found.rows] == [0, 1, 4, 9]
    assert found.findings == Squares().findings(found.rows)
    assert stored_result(Squares(count=5)) is None
    assert stored_result(Squares(count=900, pulses=5)) is None


@pytest.mark.parametrize(
    "spoiled",
    [
        lambda said: said | {"settings": said["settings"] | {"count": 6}},
        lambda said: said | {"rows": [{"k": 1, "cube": 1}]},
        lambda said: said | {"rows": [{"k": [1]}]},
        lambda said: said | {"rows": [3]},
        lambda said: said | {"findings": [{"claim": "a", "verdict": "perhaps", "evidence": ""}]},
        lambda said: {name: part for name, part in said.items() if name != "table"},
        lambda said: [said],
    ],
)
def test_a_file_that_says_something_else_is_as_good_as_none(spoiled: Callable[[Any], Any]) -> None:
    keep(result())
    assert stored_result(Squares()) == result()
    study_shelf.place(Squares()).write_text(json.dumps(spoiled(tree(result()))))
    assert stored_result(Squares()) is None


def test_half_a_file_and_a_folder_that_cannot_be_written_do_no_harm(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(result())
    path = study_shelf.place(Squares())
    path.write_bytes(path.read_bytes()[:100])
    assert stored_result(Squares()) is None
    (folder / "file").write_text("")
    monkeypatch.setenv("EXPLORER_RUNS", str(folder / "file" / "below"))
    keep(result())
    assert stored_result(Squares()) is None


def test_no_more_than_so_many_results_stay(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(study_shelf, "MOST", 2)
    for count in (3, 4, 5):
        study = Squares(count=count)
        keep(result(study))
        os.utime(study_shelf.place(study), (count, count))
    assert stored_result(Squares(count=3)) is None
    assert stored_result(Squares(count=5)) is not None
    assert len(list(folder.glob("study-*.json"))) == 2


# A visitor.


@pytest.fixture
def studies(runner: InThread) -> Iterator[Studies]:
    made = Studies(runner, "temperature")
    yield made
    made.close()


def finished(studies: Studies) -> None:
    until(lambda: not studies.running, studies.collect)


def test_a_visitor_sees_a_quick_look_first_without_asking_and_shares_it(
    studies: Studies, runner: InThread
) -> None:
    other = Studies(runner, "temperature")
    assert other.shown is studies.shown
    finished(studies)
    assert studies.shown.study == Temperature.quick()
    assert (studies.shown.status, len(studies.shown.rows)) == ("finished", 14)
    assert studies.own is None
    other.close()


def test_a_kept_run_in_full_is_shown_before_a_quick_look(runner: InThread) -> None:
    full = Temperature()
    keep(Result(full, (), (), (), 7.0))
    first = Studies(runner, "temperature")
    assert (first.shown.study, first.shown.seconds) == (full, 7.0)
    first.knobs.nodes = 3
    assert first.shown.study == full, "nothing is known of other settings, and nothing runs by itself"
    keep(Result(Temperature(nodes=4), (), (), (), 8.0))
    first.knobs.nodes = 4
    assert first.shown.study == Temperature(nodes=4)


def test_leaving_a_shared_look_does_not_end_it_for_others(
    runner: InThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Temperature, "quick", classmethod(lambda cls: Squares(count=500, pulses=10)))
    one, two = Studies(runner, "temperature"), Studies(runner, "temperature")
    until(lambda: one.shown.rows, one.collect)
    one.cancel()
    assert (one.shown.status, one.shown.message) == ("stopped", "cancelled")
    assert two.running
    count = len(two.shown.rows)
    until(lambda: len(two.shown.rows) > count, two.collect)
    first_look((runner, "temperature")).close()


def test_a_run_of_ones_own_has_the_settings_as_they_stand_and_ends_the_one_before(
    studies: Studies, runner: InThread
) -> None:
    finished(studies)
    assert studies.is_full
    studies.knobs.nodes = 5
    assert not studies.is_full
    studies.run_as_set()
    assert studies.shown.study == Temperature(nodes=5)
    first = studies.shown
    studies.quick_look()
    assert studies.shown.study == Temperature.quick()
    assert first._runner is None
    finished(studies)
    assert len(studies.shown.rows) == 14


def test_another_study_has_its_own_settings_and_ends_the_run(studies: Studies) -> None:
    studies.run(SLOW)
    before = studies.shown
    studies.study = "separability"
    assert set(settings(studies.plan())) == {"tries", "C", "seed"}
    assert before._runner is None
    assert studies.shown.study.name == "separability"
    finished(studies)


def test_more_rows_than_a_page_shows_are_refused(runner: InThread) -> None:
    many = Studies(runner, "inference-quality", {"count": 100_000})
    shown = many.shown
    assert f"{MOST_ROWS:,}" in many.message
    many.run_as_set()
    assert many.shown is shown
    many.knobs.count = 10
    assert many.message == ""
    many.close()
    assert refusal(Squares(count=MOST_ROWS)) == ""
    assert refusal(Squares(count=MOST_ROWS + 1))


def test_a_look_that_broke_for_everybody_is_tried_again_for_the_next(runner: InThread) -> None:
    shared = first_look((runner, "temperature"))
    ended(shared)
    shared._take([Stopped("failed", "the worker died", -1)])
    visitor = Studies(runner, "temperature")
    assert visitor.own is visitor.shown
    finished(visitor)
    assert visitor.shown.status == "finished"
