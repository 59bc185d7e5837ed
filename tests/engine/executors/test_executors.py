"""Passes on threads, in processes and on a real Dask cluster, against the same passes without any of them."""

import os
import pickle
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.tasks import task_of
from explorer.engine.contracts import Dataset, Problem
from explorer.engine.enumeration import expectation
from explorer.engine.events import Evaluated, Step
from explorer.engine.executors.choice import map_each, parallel_config, spread
from explorer.engine.executors.local import ProcessExecutor, ThreadExecutor
from explorer.engine.executors.passes import SpreadProblem
from explorer.engine.executors.shards import Shard, answer, cut_shards
from explorer.engine.learners.n_slack import NSlack
from explorer.engine.learners.one_slack import OneSlack
from explorer.engine.objective import all_cuts, sweep
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Until, train
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.classes.own import Plain
from explorer.engine.vectors import Array, dense
from tests.engine.hooks.modules import FOLDER, TRAIN


@dataclass
class Posted:
    """An executor that sends everything as bytes, though to nobody else."""

    jobs: int = 3
    sent: int = 0
    received: int = 0

    def place(self, shards: list[Shard]) -> None:
        self.shards = shards

    def ask(self, question: str, w: Array, floor: bool) -> list[tuple[Any, ...]]:
        answers = [answer(shard, question, w, floor) for shard in self.shards]
        self.sent += w.nbytes * len(answers)
        self.received += sum(map(len, answers))
        return [pickle.loads(found) for found in answers]

    def close(self) -> None:
        self.shards = []


def sides(n: int = 12) -> Plain:
    rng = np.random.default_rng(0)
    inputs = [np.array([*x, 1.0]) for x in rng.normal(size=(n, 3))]
    labels = [1 if x[0] + 0.2 * x[1] > 0 else -1 for x in inputs]
    return Plain(
        Dataset("sides", inputs, labels),
        psi=lambda x, y: y * x / 2,
        delta=lambda y, guess: float(y != guess),
        argmax=lambda w, x: 1 if w @ x >= 0 else -1,
        worst=lambda w, x, y: max((-1, 1), key=lambda g: (g != y) + g * float(w @ x) / 2),
        dim=4,
        exact=True,
    )


PROBLEMS = {
    "sides": sides,
    "digit-words": lambda: Recipe("digit-words").problem()[0],
    "circle": lambda: Recipe("circle").problem()[0],
    "synth1": lambda: Recipe("synth1", data={"n": 30}).problem()[0],
    "hooks": lambda: Recipe(task_of(f"{FOLDER / 'binary1.py'}:{TRAIN}")).problem()[0],
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_passes_in_parts_are_the_pass(name: str) -> None:
    problem = PROBLEMS[name]()
    with spread(problem, Posted()) as parts:
        assert isinstance(parts, SpreadProblem)
        for w in np.random.default_rng(1).normal(size=(3, problem.dim)):
            one, other = sweep(problem, w), sweep(parts, w)
            assert np.allclose(one.losses, other.losses, atol=1e-12)
            assert np.allclose(one.margins, other.margins, atol=1e-9)
            assert np.allclose(dense(one.psi), dense(other.psi), atol=1e-9)
            cuts, again = all_cuts(problem, w), all_cuts(parts, w)
            assert [cut.i for cut in again] == list(range(problem.n))
            for a, b in zip(cuts, again, strict=True):
                assert np.array_equal(a.label, b.label)
                assert np.allclose(dense(a.psi), dense(b.psi), atol=1e-12)
            labels = parts.predictions(w)
            assert parts.losses(labels) == pytest.approx(
                [problem.loss(i, labels[i]) for i in range(problem.n)], abs=1e-12
            )


def test_marginals_in_parts_are_the_marginals() -> None:
    problem = PROBLEMS["digit-words"]()
    w = np.random.default_rng(2).normal(size=problem.dim)
    with spread(problem, Posted()) as parts:
        one, other = (expectation(p, w, 0, problem.n) for p in (problem, parts))
    assert np.allclose(one.log_z, other.log_z, atol=1e-12)
    assert np.allclose(dense(one.psi), dense(other.psi), atol=1e-9)


def run(problem: Problem, learner: Any, steps: int = 200, act: Any = None) -> Trace:
    trace = Trace()
    rule = Until(relative_gap=1e-9, steps=steps)
    for event in train(problem, learner, rule=rule):
        trace.append(event)
        if isinstance(event, Step) and act is not None:
            act(event.k)
    return trace


def same(one: Trace, other: Trace) -> None:
    assert len(one) == len(other)
    for name in ("primal", "dual", "oracle_calls"):
        assert other.column(name) == pytest.approx(one.column(name), rel=1e-9, abs=1e-9, nan_ok=True)
    assert other.at(-1).w == pytest.approx(one.at(-1).w, abs=1e-9)


@pytest.mark.parametrize("learner", [OneSlack(C=5.0, eps=1e-8), NSlack(C=5.0, eps=1e-8)])
def test_a_run_makes_the_same_steps_on_threads(learner: Any) -> None:
    plain = run(sides(), learner)
    with parallel_config("threads", 3):
        same(plain, run(sides(), learner))
    assert plain.at(-1).figures["primal"] == pytest.approx(plain.at(-1).figures["dual"], rel=1e-6)


def test_threads_leave_compiled_passes_as_they_are() -> None:
    problem = PROBLEMS["digit-words"]()
    with parallel_config("threads", 2), spread(problem) as found:
        assert found is problem


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A real cluster of this machine: a scheduler here, two workers in processes of their own."""
    distributed = pytest.importorskip("distributed")
    options = {"dashboard_address": None, "silence_logs": 60, "threads_per_worker": 1}
    with distributed.LocalCluster(n_workers=2, processes=True, **options) as made:
        yield made


@pytest.mark.filterwarnings("ignore")
def test_a_run_on_a_cluster_that_loses_a_worker_makes_the_same_steps(cluster: Any) -> None:
    """Also: only w and sums go over the wire, and processes give the same."""
    problem, learner, killed = sides(40), OneSlack(C=5.0, eps=1e-8), []
    plain = run(problem, learner)
    assert len(plain) > 6

    def kill_one(k: int) -> None:
        if k == 3:
            worker = next(iter(cluster.workers.values()))
            killed.append(worker.process.process.pid)
            os.kill(killed[0], signal.SIGKILL)

    with parallel_config("dask", scheduler=cluster.scheduler_address):
        same(plain, run(problem, learner))
        same(plain, run(problem, learner, act=kill_one))
        assert map_each(len, ["a", "bb"]) == [1, 2]
    assert len(killed) == 1
    assert killed[0] not in [worker.process.process.pid for worker in cluster.workers.values()]


@pytest.mark.slow
def test_a_run_in_processes_makes_the_same_steps() -> None:
    problem, learner = sides(40), OneSlack(C=5.0, eps=1e-8)
    plain = run(problem, learner)
    with parallel_config("processes", 2):
        same(plain, run(problem, learner))


def test_a_pass_costs_one_w_and_one_sum_for_each_shard() -> None:
    problem, wire = PROBLEMS["digit-words"](), Posted()
    with spread(problem, wire) as parts:
        wire.sent = wire.received = 0
        sweep(parts, np.zeros(problem.dim))
    assert wire.sent == 3 * 8 * problem.dim
    numbers = 8 * (3 * problem.dim + 2 * problem.n)
    assert wire.received <= numbers + 3 * 1000  # the frame around each answer


def test_shards_are_the_examples_in_order() -> None:
    shards = cut_shards(sides(10), 3, "x", packed=True)
    assert [(shard.lo, shard.hi) for shard in shards] == [(0, 3), (3, 6), (6, 10)]
    assert sum(shard.open().n for shard in shards) == 10
    assert len(cut_shards(sides(2), 9, "y", packed=False)) == 2


def test_problems_of_a_users_file_travel_by_value(tmp_path: Path) -> None:
    """Nobody else can import the module; here it is taken away before the shard is opened."""
    text = "labels = [-1, 1]\ninputs = [[-1.0], [2.0]]\nimport numpy as np\n"
    text += "def psi(x, y):\n    return y * np.array(x)\n\ndef delta(y, g):\n    return float(y != g)\n"
    text += "def outputs(x):\n    return (-1, 1)\n"
    (tmp_path / "travels.py").write_text(text)
    problem = Recipe(task_of(tmp_path / "travels.py")).problem()[0]
    (shard,) = cut_shards(problem, 1, "travelling", packed=True)
    module = sys.modules.pop("own_travels")
    try:
        assert shard.open().n == 2
    finally:
        sys.modules["own_travels"] = module


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        ({"executor": "clouds"}, "there is no executor 'clouds'"),
        ({"executor": "dask"}, "give the address of its scheduler"),
        ({"executor": "threads", "scheduler": "tcp://1"}, "need no scheduler"),
        ({"jobs": -1}, "give 1 or more"),
    ],
)
def test_what_cannot_be_an_executor_is_refused(choice: dict[str, Any], told: str) -> None:
    with pytest.raises(Refused, match=told), parallel_config(**choice):
        pass


def test_looks_of_a_spread_run_know_the_loss_of_predictions() -> None:
    problem, wire = PROBLEMS["circle"](), Posted()
    with spread(problem, wire) as parts:
        looks = [e for e in train(parts, OneSlack(C=10.0)) if isinstance(e, Evaluated)]
    plain = [e for e in train(problem, OneSlack(C=10.0)) if isinstance(e, Evaluated)]
    assert [look.train_loss for look in looks] == pytest.approx([look.train_loss for look in plain])


def test_executors_can_be_used_by_hand_and_closed() -> None:
    for executor in (ThreadExecutor(2), ProcessExecutor(1)):
        executor.close()
