"""A session drives a run: play, step, travel, change its mind, and end cleanly, on a thread or in a worker
process.
"""

import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.tasks import task_of
from explorer.engine.contracts import Dataset
from explorer.engine.refusals import Refused
from explorer.engine.runs import saved as bundle
from explorer.engine.runs.streams import train
from explorer.engine.structures.classes.own import Listed
from explorer.session.jobs import Keyframe
from explorer.session.path import no_path
from explorer.session.pool import Pool
from explorer.session.runner import Inboxes, InThread, Runner, Worker
from explorer.session.shared_runs import shared_run
from explorer.session.state import PHASES, Session
from tests.waiting import wait_until

SAMPLES = Path(__file__).parents[2] / "sample_data"
EARLIER = Path(__file__).parents[1] / "earlier" / "mine.py"
SMALL = Recipe(task="digit-words", data={"n": 20, "n_test": 5}, settings={"C": 5.0})


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    made = Pool(1)
    yield made
    made.close()


@pytest.fixture(params=["thread", "process"])
def runner(request: pytest.FixtureRequest, pool: Pool) -> Iterator[Runner]:
    if request.param == "process":
        yield pool
    else:
        made = InThread()
        yield made
        made.close()


def until(session: Session, done: str = "stopped") -> None:
    """Wait until the session is where it should be."""
    wait_until(
        lambda: session.status == done, session.collect, lambda: f"still {session.status}: {session.message}"
    )
    session.collect()


def trained(session: Session, steps: int = 1) -> None:
    """Wait until the session has recorded so many steps."""
    wait_until(lambda: len(session.trace) >= steps, session.collect, lambda: session.message)


def test_playing_to_the_end_records_the_run_that_the_engine_makes(runner: Runner) -> None:
    session = Session(SMALL, runner)
    session.play()
    until(session)
    problem, test = SMALL.problem()
    alone = [e for e in train(problem, SMALL.make_learner(), test=test) if hasattr(e, "w")]
    assert len(session.trace) == len(alone)
    assert np.array_equal(session.trace.at(-1).w, alone[-1].w)
    assert "relative gap" in session.message
    session.close()


def test_the_end_of_a_run_is_seen_together_with_its_last_step(runner: Runner) -> None:
    session, seen = Session(SMALL, runner), []
    session.param.watch(
        lambda *_: seen.append((session.status, session.cursor, len(session.trace))), ["status", "cursor"]
    )
    session.play()
    until(session)
    last = len(session.trace) - 1
    assert [cursor for status, cursor, _ in seen if status == "stopped"] == [last]
    session.close()


@pytest.fixture
def finished() -> Iterator[Session]:
    session = Session(SMALL)
    session.show_finished()
    yield session
    session.close()


def test_a_glance_returns_to_the_step_and_phase_that_were_looked_at(finished: Session) -> None:
    last = len(finished.trace) - 1
    finished.seek(5)
    finished.step_phase()
    for step in (2, 7, last + 10):
        finished.glance.begin(step)
        assert (finished.cursor, finished.glance.settled, finished.glance.active) == (
            min(step, last),
            5,
            True,
        )
    finished.glance.end()
    assert (finished.cursor, finished.phase, finished.glance.active) == (5, 1, False)
    finished.glance.end()
    assert finished.cursor == 5


def test_a_click_stays_where_the_pointer_glanced_at(finished: Session) -> None:
    finished.seek(5)
    finished.glance.begin(3)
    finished.seek(3)
    finished.glance.end()
    assert (finished.cursor, finished.glance.settled) == (3, 3)


def test_stepping_on_from_a_glance_is_no_glance_any_more(finished: Session) -> None:
    for move, ends in ((Session.step, 4), (Session.step_back, 2)):
        finished.seek(9)
        finished.glance.begin(3)
        move(finished)
        finished.glance.end()
        assert finished.cursor == ends


def test_a_glance_during_a_run_returns_to_its_newest_step(runner: Runner) -> None:
    session = Session(SMALL, runner)
    session.play()
    trained(session, 3)
    session.glance.begin(1)
    until(session)
    assert session.cursor == 1
    session.glance.end()
    assert session.cursor == len(session.trace) - 1 > 3
    session.close()


def test_a_run_that_stopped_by_itself_is_trained_again_from_the_start(runner: Runner) -> None:
    session = Session(SMALL, runner)
    session.play()
    until(session)
    first = [session.trace.at(k).w for k in range(len(session.trace))]
    session.play()
    until(session)
    assert session.status == "stopped"
    assert len(session.trace) == len(first)
    assert all(np.array_equal(session.trace.at(k).w, w) for k, w in enumerate(first))
    session.close()


def test_changing_c_keeps_the_working_set_and_marks_the_moment(runner: Runner) -> None:
    session = Session(SMALL, runner)
    session.play()
    until(session)
    before = len(session.trace)
    session.choices.settings.C = 8.0
    until(session)
    assert [i for i, _ in session.trace.starts] == [0, before]
    cold = shared_run(Recipe(task="digit-words", data={"n": 20, "n_test": 5}, settings={"C": 8.0}))
    assert len(session.trace) - before < len(cold)
    ours, theirs = session.trace, cold
    assert ours.column("dual")[-1] <= theirs.column("primal")[-1]
    assert theirs.column("dual")[-1] <= ours.column("primal")[-1]
    session.close()


def test_changing_c_over_a_finished_run_that_everybody_sees_goes_on_from_it_alone(runner: Runner) -> None:
    shared = shared_run(SMALL)
    length, session = len(shared), Session(SMALL, runner)
    session.show_finished()
    session.choices.settings.C = 6.0
    until(session)
    assert [i for i, _ in session.trace.starts] == [0, length]
    assert len(shared) == length
    assert len(session.trace) - length < length
    assert session.trace.at(-1).figures["primal"] - session.trace.at(-1).figures["dual"] <= 1.001e-3 * abs(
        session.trace.at(-1).figures["primal"]
    )
    session.close()


def test_other_data_over_a_finished_run_start_afresh(runner: Runner) -> None:
    session = Session(SMALL, runner)
    session.show_finished()
    session.choices.data.n = 10
    assert len(session.trace) == 0
    assert session.status == "idle"
    session.close()


def test_changing_the_loss_reprices_and_ends_at_the_new_optimum(runner: Runner) -> None:
    session = Session(SMALL, runner)
    session.play()
    until(session)
    session.choices.loss = "hamming-normalised"
    until(session)
    cold = shared_run(
        Recipe(
            task="digit-words", data={"n": 20, "n_test": 5}, settings={"C": 5.0}, loss="hamming-normalised"
        )
    )
    assert session.trace.column("dual")[-1] <= cold.column("primal")[-1] + 1e-9
    assert cold.column("dual")[-1] <= session.trace.column("primal")[-1] + 1e-9
    session.close()


def test_stepping_makes_one_step_and_stepping_back_loses_nothing(runner: Runner) -> None:
    session = Session(SMALL, runner)
    for count in (1, 2, 3):
        session.step()
        trained(session, count)
        assert len(session.trace) == count
    session.step_back()
    assert (session.cursor, len(session.trace)) == (1, 3)
    session.step()
    assert session.cursor == 2
    session.close()


def test_four_phases_make_one_step(runner: Runner) -> None:
    session = Session(SMALL, runner)
    session.step()
    trained(session)
    names = []
    for _ in PHASES:
        names.append(PHASES[session.phase])
        session.step_phase()
        trained(session, 2)
    assert tuple(names) == PHASES
    assert (session.cursor, session.phase) == (1, 0)
    session.close()


def test_the_speed_that_is_chosen_reaches_the_worker() -> None:
    orders: list[tuple[Any, ...]] = []
    heard: dict[str, Any] = {"order": lambda name, *order: orders.append(order), "collect": lambda name: []}
    runner = SimpleNamespace(elsewhere=False, **heard)
    session = Session(SMALL, runner)
    session.speed = 20.0
    session.reel.toggle()
    assert orders[-1] == ("play", 20.0)
    session.pause()
    session.play()
    assert orders[-1] == ("play", 0.0), "who does not watch does not wait"


def test_a_refused_combination_says_why_and_changes_nothing(runner: Runner) -> None:
    session = Session(SMALL, runner)
    session.play()
    until(session)
    kept = len(session.trace)
    session.choices.penalty = "squared"
    assert session.status == "failed"
    assert "quared slacks" in session.message
    assert len(session.trace) == kept
    session.close()


def test_twenty_sessions_share_one_worker_fairly(monkeypatch: pytest.MonkeyPatch) -> None:
    """A message is a slice: once all are at work, every session has one between two of any other."""
    slices: list[str] = []
    put = Inboxes.put
    monkeypatch.setattr(
        Inboxes, "put", lambda boxes, name, events: (slices.append(name), put(boxes, name, events))
    )
    pool = Pool(1)
    endless = Recipe(task="blocks", data={"n": 20}, learner="subgradient", rule={"relative_gap": 0.0})
    sessions = [Session(endless, pool) for _ in range(20)]
    for session in sessions:
        session.play()
    names = [session.training.key for session in sessions]
    wait_until(lambda: min(slices.count(name) for name in names) >= 3)
    pool.close()
    begun = max(slices.index(name) for name in names)
    turns = [slices[k : k + 20] for k in range(begun, len(slices) - 20)]
    assert len(turns) >= 20
    assert all(set(turn) == set(names) for turn in turns)


def test_a_worker_that_dies_is_reported_and_replaced(pool: Pool) -> None:
    session = Session(Recipe(task="blocks", settings={"C": 500.0}), pool)
    session.play()
    trained(session)
    pool._workers[0].process.kill()
    until(session, "failed")
    assert "ended unexpectedly" in session.message
    session.reset()
    session.play()
    trained(session)
    session.close()


def test_closing_a_session_ends_its_job_at_once() -> None:
    runner = InThread()
    session = Session(Recipe(task="blocks", settings={"C": 500.0}), runner)
    session.play()
    wait_until(lambda: runner._worker.scheduler.jobs)
    session.close()
    wait_until(lambda: not runner._worker.scheduler.jobs)
    runner.close()
    wait_until(lambda: not runner._thread.is_alive())


def test_a_problem_of_ones_own_trains_in_a_session() -> None:
    points = Dataset("mine", [1.0, 2.0, -1.0, -2.0], [1, 1, -1, -1])
    mine = Listed(
        points, lambda x, y: np.array([x * y / 2.0]), lambda a, b: float(a != b), lambda x: (-1, 1), 1
    )
    session = Session(Recipe.of(mine, learner="n-slack", settings={"C": 20.0}))
    session.play()
    until(session)
    assert session.trace.at(-1).w == pytest.approx([1.0], abs=1e-3)
    session.close()


@pytest.mark.parametrize(
    "name", ["kitchen.svmlight", "karate.graphml", "letters.pairs.csv", "animals.conllu"]
)
def test_a_data_file_trains_wherever_a_task_of_the_catalogue_does(runner: Runner, name: str) -> None:
    recipe = Recipe.of(SAMPLES / name, rule={"steps": 4})
    session = Session(recipe, runner)
    session.play()
    until(session)
    problem, _ = recipe.problem()
    alone = [e for e in train(problem, recipe.make_learner(), rule=recipe.make_rule()) if hasattr(e, "w")]
    assert np.array_equal(session.trace.at(-1).w, alone[-1].w)
    session.choices.settings.C = 2.0
    until(session)
    assert len(session.trace.starts) == 2, "the run went on, from its working set"
    if name == "animals.conllu":
        assert "not sums of kernels" in no_path(session.recipe())
        session.choices.model.form = "written out"
    session.trace_path(0.5, 1.0, 0.5)
    wait_until(lambda: session.path.status != "running", session.collect)
    assert session.path.points, session.path.message
    session.close()


def test_a_name_in_a_python_file_trains_in_a_worker(runner: Runner) -> None:
    session = Session(Recipe.of(f"{EARLIER}:line"), runner)
    session.play()
    until(session)
    # By hand: 1/2 w^2 + (1 - w) / 2, the mean of two hinges 1 - w and two that are 0, is least at w = 1/2.
    assert session.trace.column("primal")[-1] == pytest.approx(0.375, rel=1e-3)
    session.close()


def test_orders_of_others_pass_while_a_users_file_is_run_for_its_task() -> None:
    begun, goes_on = threading.Event(), threading.Event()

    def unpack(packed: Any) -> tuple[Any, ...]:
        if packed == "slow file":
            begun.set()
            goes_on.wait()
            raise Refused("it took long")
        return tuple(packed)

    sent: list[tuple[str, Any]] = []
    worker = Worker(lambda name, events: sent.append((name, events[-1])), unpack)
    thread = threading.Thread(target=worker.run)
    thread.start()
    worker.post("mine", "open", [Recipe("circle")])
    wait_until(lambda: worker.scheduler.jobs)
    job = worker.scheduler.jobs["mine"]
    worker.post("theirs", "open", "slow file")
    begun.wait()
    worker.post("mine", "close", [])
    assert job.cancelled
    goes_on.set()
    wait_until(lambda: not worker.scheduler.jobs)
    assert [(name, event.sentence) for name, event in sent] == [("theirs", "it took long")]
    worker.stop()
    thread.join()


def test_a_python_file_that_breaks_in_a_worker_fails_its_own_session_alone(
    pool: Pool, tmp_path: Path
) -> None:
    path = tmp_path / "breaks.py"
    text = EARLIER.read_text()
    path.write_text(
        text + "\nimport multiprocessing\nassert multiprocessing.parent_process() is None, 'only here'\n"
    )
    other = Session(SMALL, pool)
    session = Session(Recipe.of(f"{path}:line"), pool)
    session.play()
    until(session, "failed")
    assert "only here" in session.message
    other.play()
    until(other)
    session.close()
    other.close()


def test_a_problem_of_this_process_is_refused_by_a_worker_in_one_sentence(pool: Pool) -> None:
    points = Dataset("mine", [1.0, -1.0], [1, -1])
    mine = Listed(points, lambda x, y: np.array([x * y]), lambda a, b: float(a != b), lambda x: (-1, 1), 1)
    session = Session(Recipe.of(mine), pool)
    session.play()
    until(session, "failed")
    assert "exists only in the process that made it" in session.message
    session.close()


def test_a_session_can_go_to_the_catalogue_and_back_to_a_file() -> None:
    task = task_of(SAMPLES / "kitchen.svmlight", called="kitchen.svmlight")
    session = Session(Recipe("circle"), opened=[task])
    session.choices.task = "kitchen.svmlight"
    assert (session.problem.n, session.recipe().task) == (20, task)
    session.choices.task = "circle"
    assert session.problem.n == 12
    session.close()


def test_a_run_saved_from_a_session_is_taken_up_bit_for_bit(runner: Runner) -> None:
    session = Session(SMALL, runner)
    for _ in range(4):
        session.step()
    trained(session, 4)
    session.ask_keyframe()
    wait_until(lambda: session.trace.resumable, session.collect)
    saved = bundle.load(bundle.to_bytes(session.recipe().plain(), session.trace))
    session.close()

    again = Session(Recipe.read(saved.recipe), runner)
    again.replay(saved.trace, resume=True)
    assert (again.status, len(again.trace)) == ("paused", 4)
    again.play()
    until(again)
    whole = shared_run(SMALL)
    assert len(again.trace) == len(whole)
    assert np.array_equal(again.trace.at(-1).w, whole.at(-1).w)
    again.close()


def test_a_keyframe_that_does_not_fit_fails_its_own_run_alone(runner: Runner) -> None:
    session, other = Session(SMALL, runner), Session(SMALL, runner)
    session.training.open(session.recipe(), Keyframe(3, {"rng": "nonsense"}))
    session.play()
    until(session, "failed")
    other.play()
    until(other)
    session.close()
    other.close()
