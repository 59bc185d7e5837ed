"""A step is checked beside the run, on a thread or in a worker; it can be cancelled and is forgotten."""

import threading
from collections.abc import Iterator

import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.runs.referee import compare as comparing
from explorer.engine.runs.referee.claim import claim_of
from explorer.engine.runs.referee.compare import CUTS, LABELLINGS, Doing
from explorer.session.jobs.check import CheckJob, Compared
from explorer.session.pool import Pool
from explorer.session.runner import InThread, Runner
from explorer.session.shared_runs import shared_run
from explorer.session.state import Session
from tests.waiting import wait_until

CIRCLE = Recipe("circle", settings={"C": 10.0})


@pytest.fixture(params=["thread", "process"])
def runner(request: pytest.FixtureRequest) -> Iterator[Runner]:
    made = Pool(1) if request.param == "process" else InThread()
    yield made
    made.close()


@pytest.fixture
def session() -> Iterator[Session]:
    made = trained()
    yield made
    made.close()


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """A solver that waits until it may go on."""
    go, real = threading.Event(), comparing.solve
    monkeypatch.setattr(comparing, "solve", lambda program: go.wait() and real(program))
    yield go
    go.set()


def trained(runner: Runner | None = None) -> Session:
    session = Session(CIRCLE, runner)
    session.replay(shared_run(session.recipe()))
    return session


def finish(session: Session) -> None:
    wait_until(lambda: session.check.status != "running", session.collect, lambda: session.check.message)


def test_both_programs_come_back_with_their_code(runner: Runner) -> None:
    session = trained(runner)
    session.check_step()
    assert session.check.status == "running"
    finish(session)
    cuts, every = session.check.found
    assert (session.check.status, session.check.at) == ("stopped", 2)
    assert [cuts.over, every.over] == [CUTS, LABELLINGS]
    for part in (cuts, every):
        assert isinstance(part, Compared)
        assert part.agrees
        assert part.theirs.objective == pytest.approx(5.088641, abs=1e-6)  # the toy's published optimum
        assert "import cvxpy" in part.code
    session.close()


def test_while_the_solver_works_other_jobs_have_their_turns_and_the_page_hears_what_is_done(
    session: Session, held: threading.Event
) -> None:
    session.check_step()
    wait_until(lambda: "cvxpy solves" in session.check.message, session.collect)
    session.trace_path(5.0, 10.0, 0.1)
    wait_until(lambda: session.path.status == "stopped", session.collect)
    assert session.path.points
    assert session.check.status == "running"
    held.set()
    finish(session)
    assert len(session.check.found) == 2


def test_a_cancelled_check_keeps_what_it_found_and_says_no_more(
    session: Session, held: threading.Event
) -> None:
    session.check_step()
    wait_until(lambda: "cvxpy solves" in session.check.message, session.collect)
    job = next(iter(session.training.runner._worker.scheduler.jobs.values()))
    session.check.stop()
    assert (session.check.status, session.check.message) == ("stopped", "cancelled")
    wait_until(lambda: not session.training.runner._worker.scheduler.jobs)
    held.set()
    assert job.cancelled
    session.collect()
    assert session.check.found == ()


@pytest.mark.parametrize("how", ["settings", "reset", "replay"])
def test_a_check_of_another_run_is_forgotten(session: Session, how: str) -> None:
    session.check_step()
    finish(session)
    seen = session.checked
    if how == "settings":
        session.choices.settings.C = 5.0
    elif how == "reset":
        session.reset()
    else:
        session.replay(session.trace)
    assert (session.check.status, session.check.found) == ("idle", ())
    assert session.checked > seen


def test_without_steps_the_reason_is_told() -> None:
    session = Session(CIRCLE)
    session.check_step()
    assert (session.check.status, session.check.message) == (
        "failed",
        "there is no step to check; train first",
    )
    session.close()


def test_a_broken_problem_ends_the_job_with_a_sentence(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(problem: object, claim: object, pulse: object) -> None:
        raise ValueError("no good")

    monkeypatch.setattr("explorer.session.jobs.check.compare", broken)
    job = CheckJob(session.recipe(), claim_of(session.trace, session.cursor))
    said: list[object] = []
    wait_until(lambda: said and not isinstance(said[-1], Doing), lambda: said.extend(job.pull(0.01, 1)))
    assert said[-1].sentence == "the run broke with ValueError: no good"
