"""The trace: columns, thinning within a byte budget, keyframes, and readers beside the writer."""

import math
import threading
import tracemalloc
from itertools import islice
from typing import Any

import numpy as np
import pytest

from explorer.engine.events import Bounds, Cut, Evaluated, Started, Step, Stopped
from explorer.engine.learners import FrankWolfe, OneSlack, Subgradient
from explorer.engine.objective import Plane
from explorer.engine.runs.streams import Until, train
from explorer.engine.runs.trace import FIGURES, LOOKS, Thinned, Trace, recorded
from explorer.engine.structures.classes.multiclass import Multiclass
from tests.catalogue import points


def step(k: int, w: Any = None, **more: Any) -> Step:
    return Step(k, np.array([float(k)]) if w is None else w, **more)


def filled(count: int, **budgets: int) -> Trace:
    """A trace of steps with 1 kB of weights each."""
    trace = Trace(**budgets)
    for k in range(count):
        trace.append(
            step(k, np.full(128, float(k)), bounds=Bounds(2.0 * k, float(k), True), detail={"planes": k})
        )
    return trace


# Columns.


def test_every_figure_of_every_step_is_in_its_column() -> None:
    trace = filled(300)
    assert len(trace) == 300
    assert set(FIGURES) | set(LOOKS) | {"planes"} == set(trace.names)
    k = np.arange(300.0)
    assert np.array_equal(trace.column("k"), k)
    assert np.array_equal(trace.column("primal"), 2 * k)
    assert np.array_equal(trace.column("dual"), k)
    assert np.array_equal(trace.column("planes"), k)
    assert all(trace.certified(at) for at in range(300))


def test_unknown_figures_are_nan() -> None:
    trace = filled(70)
    assert np.all(np.isnan(trace.column("train_loss")))
    assert np.all(np.isnan(trace.column("no such column")))
    assert len(trace.column("no such column")) == 70


def test_a_figure_that_appears_late_is_nan_before() -> None:
    trace = filled(100)
    trace.append(step(100, detail={"late": True, "planes": 5, "words": "no number", "array": np.ones(2)}))
    late = trace.column("late")
    assert np.all(np.isnan(late[:100]))
    assert late[100] == 1.0
    assert "words" not in trace.names
    assert "array" not in trace.names


def test_a_column_is_a_copy() -> None:
    trace = filled(5)
    trace.column("dual")[:] = 99.0
    assert np.array_equal(trace.column("dual"), np.arange(5.0))


def test_a_look_fills_in_what_its_step_did_not_know() -> None:
    trace = Trace()
    trace.append(step(0, bounds=Bounds(dual=1.0)))
    trace.append(step(1, bounds=Bounds(9.0, 2.0, True)))
    trace.append(Evaluated(0, Bounds(5.0, 1.0, True), 0.5, 0.25, 0.75))
    trace.append(Evaluated(1, Bounds(7.0, 2.0, False), 0.1, 0.2, math.nan))
    assert trace.column("primal").tolist() == [5.0, 9.0], "a step's own bound stays"
    assert trace.certified(0)
    assert trace.certified(1)
    assert trace.column("mean_slack").tolist() == [0.5, 0.1]
    assert trace.column("train_loss").tolist() == [0.25, 0.2]
    assert trace.column("test_loss")[0] == 0.75
    assert math.isnan(trace.column("test_loss")[1])


def test_a_look_at_a_step_that_is_not_there_changes_nothing() -> None:
    trace = filled(3)
    trace.append(Evaluated(17, Bounds(5.0, 1.0), 0.5, 0.25))
    assert np.all(np.isnan(trace.column("mean_slack")))


def test_since_lists_what_is_new() -> None:
    trace = filled(4)
    cursor = len(trace)
    assert list(trace.since(cursor)) == []
    trace.append(step(4))
    trace.append(step(5))
    assert list(trace.since(cursor)) == [4, 5]
    assert list(trace.since(0)) == [0, 1, 2, 3, 4, 5]


def test_starts_and_stops_know_where_they_happened() -> None:
    trace = Trace()
    started = Started("p", "L", 1, 2, 0, True)
    trace.append(started)
    trace.append(step(0))
    trace.append(Stopped("cancelled", "", 0))
    trace.append(started)
    trace.append(step(1))
    assert [at for at, _ in trace.starts] == [0, 1]
    assert [(at, s.reason) for at, s in trace.stops] == [(1, "cancelled")]


# Moments.


def test_a_moment_has_the_figures_of_its_step_and_the_weights_of_the_nearest_kept_one() -> None:
    trace = filled(1000, weight_bytes=64 * 1024)
    for at in (0, 1, 500, 999, -1):
        moment = trace.at(at)
        expected = at % 1000
        assert moment.at == expected
        assert moment.figures["dual"] == expected
        assert moment.w_at <= expected
        assert np.all(moment.w == moment.w_at), "the weights are those of the step they are said to be of"
    assert trace.at(-1).w_at == 999
    assert trace.at(0).w_at == 0


def test_cuts_are_kept_without_their_features() -> None:
    trace = Trace()
    trace.append(step(0, cuts=(Cut(3, "a", np.ones(1000), 2.0),)))
    (cut,) = trace.at(0).cuts
    assert (cut.i, cut.label, cut.loss) == (3, "a", 2.0)
    assert len(cut.psi) == 0


# Thinning.


@pytest.mark.parametrize("budget", [4 * 1024, 16 * 1024, 1000 * 1024])
def test_thinning_keeps_the_first_the_newest_and_an_even_share_between(budget: int) -> None:
    store: Thinned[Any] = Thinned(budget)
    for at in range(1000):
        store.put(at, np.zeros(128))
        assert at in store.kept
        assert 0 in store.kept
        assert store.nbytes <= max(budget, 2 * 1024)
        assert store.nbytes == 1024 * len(store.kept)
    steps = sorted(store.kept)
    assert all(s % store.stride == 0 for s in steps[:-1])
    assert len(steps) >= min(1000, budget // 1024 // 2)


def test_what_several_keyframes_share_counts_once() -> None:
    store: Thinned[Any] = Thinned(10**9)
    shared, plane = np.zeros(1000), Plane(np.zeros(500), 1.0, 0, "y")
    for at in range(50):
        store.put(at, {"planes": (plane, plane), "w": shared, "own": np.zeros(10)})
    assert 8000 + 4000 + 50 * 80 <= store.nbytes <= 8000 + 4000 + 50 * 80 + 100 * 50
    assert len(store.kept) == 50


def test_letting_go_of_one_owner_does_not_forget_what_the_others_hold() -> None:
    store: Thinned[Any] = Thinned(12_000)
    shared = np.zeros(1000)
    for at in range(64):
        store.put(at, (shared, np.zeros(128)))
        assert store.nbytes >= 8000 + 1024
        assert all(value[0] is shared for value in store.kept.values())
    assert store.nbytes <= 12_000


def test_labels_that_are_no_arrays_are_counted_too() -> None:
    # The labels of a 1-slack plane over many examples: thousands of places that no array holds.
    trace = Trace(cut_bytes=1_000_000)
    for k in range(200):
        labels = tuple(int(i % 7) for i in range(2000))
        trace.append(step(k, cuts=(Cut(-1, labels, np.zeros(3), 0.5),)))
    assert len(trace.cuts.kept) < 100
    assert trace.at(-1).cuts_at == 199


def renewed(x: Any) -> Any:
    """Another array of the same size; its numbers do not matter here."""
    return np.empty_like(x) if isinstance(x, np.ndarray) else x


@pytest.mark.parametrize(("learner", "steps"), [(Subgradient(every=1), 10_000), (OneSlack(C=10.0), 2_000)])
def test_a_trace_of_many_steps_of_a_hundred_thousand_weights_stays_below_200_mb(
    learner: Any, steps: int
) -> None:
    # A few real steps of a wide problem, said again and again, each time with arrays of their own.
    rng = np.random.default_rng(0)
    problem = Multiclass(points(8, features=25_000, classes=4), 4)
    assert problem.dim == 100_000
    known = list(islice(learner.steps(problem, rng), 3))
    trace = Trace()
    tracemalloc.start()
    try:
        base = tracemalloc.get_traced_memory()[0]
        for k in range(steps):
            like = known[k % len(known)]
            state = {name: renewed(x) for name, x in like.state.items()}
            trace.append(Step(k, renewed(like.w), like.cuts, Bounds(2.0, 1.0), like.detail, state))
        peak = tracemalloc.get_traced_memory()[1] - base
    finally:
        tracemalloc.stop()
    assert peak < 200e6
    assert len(trace) == steps
    assert trace.at(-1).w_at == steps - 1


# Keyframes.


@pytest.mark.parametrize("learner", [OneSlack(C=10.0), Subgradient(), FrankWolfe(C=10.0)])
def test_a_run_resumed_from_a_keyframe_of_the_trace_is_bit_exact(learner: Any) -> None:
    problem = Multiclass(points(12), 3)
    rule = Until(relative_gap=0.0, steps=12)
    trace = Trace()
    whole = [e for e in recorded(train(problem, learner, rule=rule), trace) if isinstance(e, Step)]
    for cut in (0, 3, 7):
        at, state = trace.keyframe(cut)
        assert at == cut
        again = [e for e in train(problem, learner, rule=rule, state=state) if isinstance(e, Step)]
        for first, second in zip(whole[cut + 1 :], again, strict=False):
            assert first.k == second.k
            assert np.array_equal(first.w, second.w)
            assert first.oracle_calls == second.oracle_calls


def test_the_keyframe_of_a_thinned_step_is_an_earlier_one() -> None:
    trace = Trace(state_bytes=8 * 1024)
    for k in range(200):
        trace.append(step(k, state={"k": k, "w": np.zeros(128)}))
    for at in (0, 57, 123, 199):
        found, state = trace.keyframe(at)
        assert found <= at
        assert state["k"] == found
    assert trace.keyframe()[0] == 199


def test_recorded_events_are_in_the_trace_before_they_are_passed_on() -> None:
    trace = Trace()
    for event in recorded(train(Multiclass(points(), 3), Subgradient(), rule=Until(0.0, steps=3)), trace):
        if isinstance(event, Step):
            assert trace.column("k")[-1] == event.k
    assert [type(s) for _, s in trace.stops] == [Stopped]


# A reader beside the writer.


def test_a_reader_sees_whole_steps_while_the_writer_appends() -> None:
    trace, done, faults = (
        Trace(weight_bytes=16 * 1024, cut_bytes=4096, state_bytes=4096),
        threading.Event(),
        [],
    )
    seen = []

    def read() -> None:
        try:
            while not done.is_set():
                n = len(trace)
                if n:
                    moment = trace.at(-1)
                    assert moment.figures["k"] == moment.at >= n - 1
                    assert np.all(moment.w == moment.w_at)
                    assert np.array_equal(trace.column("dual")[:n], np.arange(float(n)))
                    trace.keyframe(n // 2)
                    trace.at(n // 3)
                    seen.append(n)
        except Exception as fault:  # noqa: BLE001
            faults.append(repr(fault))

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for k in range(4000):
        detail = {"planes": k, f"column {k // 100}": 1.0}
        state = {"w": np.full(8, float(k))}
        trace.append(step(k, np.full(64, float(k)), bounds=Bounds(dual=float(k)), detail=detail, state=state))
    done.set()
    for reader in readers:
        reader.join()
    assert faults == []
    assert len(seen) > 10
