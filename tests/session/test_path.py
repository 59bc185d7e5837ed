"""A session's path is traced beside its run, equals the engine's, and ends when it is cancelled, changed or
closed.
"""

from collections.abc import Iterator

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.runs.path import Trying, path
from explorer.session.jobs import PathJob
from explorer.session.pool import Pool
from explorer.session.runner import InThread, Runner
from explorer.session.state import Session
from tests.waiting import wait_until

SMALL = Recipe(task="digit-words", data={"n": 12, "n_test": 5}, settings={"C": 5.0})


@pytest.fixture(params=["thread", "process"])
def runner(request: pytest.FixtureRequest) -> Iterator[Runner]:
    made = Pool(1) if request.param == "process" else InThread()
    yield made
    made.close()


@pytest.fixture
def session() -> Iterator[Session]:
    made = Session(SMALL)
    yield made
    made.close()


def traced(session: Session, points: float = np.inf) -> None:
    """Wait until the path has ended, or has this many points."""
    wait_until(
        lambda: session.path.status != "running" or len(session.path.points) >= points,
        session.collect,
        lambda: session.path.points,
    )


def test_the_points_are_those_of_the_engine_and_the_run_is_not_disturbed(runner: Runner) -> None:
    session = Session(SMALL, runner)
    session.trace_path(0.5, 5.0, 0.05)
    assert session.path.status == "running"
    traced(session)
    problem, test = SMALL.problem()
    alone = list(path(problem, SMALL.make_learner(), 0.5, 5.0, 0.05, test=test))
    assert session.path.status == "stopped"
    assert [point.C for point in session.path.points] == [point.C for point in alone]
    assert all(
        np.array_equal(ours.w, theirs.w) for ours, theirs in zip(session.path.points, alone, strict=True)
    )
    assert (session.status, len(session.trace)) == ("idle", 0)
    session.close()


def test_a_cancelled_path_keeps_its_points_and_says_no_more(session: Session) -> None:
    session.trace_path(0.01, 1000.0, 0.002)
    traced(session, points=2)
    session.path.stop()
    kept = len(session.path.points)
    assert (session.path.status, session.path.message) == ("stopped", "cancelled")
    assert kept >= 2
    wait_until(lambda: not session.training.runner._worker.scheduler.jobs)
    session.collect()
    assert len(session.path.points) == kept


def test_a_refusal_becomes_the_message(session: Session) -> None:
    session.choices.learner = "perceptron"
    session.trace_path(1.0, 2.0, 0.02)
    traced(session)
    assert session.path.status == "failed"
    assert "proves no lower bound" in session.path.message


def test_a_path_survives_another_c_and_no_other_change(session: Session) -> None:
    changes = {
        "loss": lambda: session.choices.param.update(loss="hamming-normalised"),
        "data": lambda: session.choices.data.param.update(n=10),
        "learner": lambda: session.choices.param.update(learner="one-slack"),
        "task": lambda: session.choices.param.update(task="circle"),
    }
    for name, change in changes.items():
        session.trace_path(1.0, 2.0, 0.1)
        traced(session)
        if name == "loss":
            session.choices.settings.C = 2.0
        assert session.path.points, name
        seen = session.traced
        change()
        assert not session.path.points, name
        assert session.path.status == "idle"
        assert session.traced > seen


@pytest.mark.parametrize("ending", ["reset", "close"])
def test_a_path_under_way_ends_with_reset_and_with_the_session(ending: str) -> None:
    runner = InThread()
    session = Session(SMALL, runner)
    session.trace_path(0.01, 1000.0, 0.002)
    traced(session, points=1)
    getattr(session, ending)()
    wait_until(lambda: not runner._worker.scheduler.jobs)
    runner.close()


def test_a_job_gives_its_turn_back_between_points_and_ends_in_bounded_time() -> None:
    job = PathJob(SMALL, (1.0, 1000.0, 0.001), seconds=60.0)
    said = job.pull(0.0, 1)
    assert [type(event) for event in said] == [Trying]
    job.left = 0.0
    assert job.pull(0.0, 1)[-1].reason == "seconds"
