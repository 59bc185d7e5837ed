"""Streams: what is counted, when a run ends and why, how fast it can be cancelled, and how runs race."""

import math
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import pytest

from explorer.engine.contracts import (
    CAPABILITIES,
    Batch,
    Dataset,
    Enumerates,
    Marginals,
    Measured,
    Problem,
    Pulses,
)
from explorer.engine.events import Bounds, Evaluated, Started, Step, Stopped
from explorer.engine.learners import (
    Bundle,
    FrankWolfe,
    NSlack,
    OneSlack,
    Perceptron,
    SequentialDual,
    Subgradient,
)
from explorer.engine.objective import mean_loss, priced_as, value
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Meter, Metered, Until, evaluated, lockstep, metered, train, until
from explorer.engine.structures.chains.oracles import Enumerate
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.convex_risk import ConvexRisk
from explorer.engine.structures.classes.multiclass import Multiclass
from tests.catalogue import PROBLEMS, listed, plain, points

NEVER = Until(relative_gap=0.0)
WITHIN = 0.1


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def events_of(problem: Any, learner: Any, **how: Any) -> list[Any]:
    return list(train(problem, learner, **how))


def stop_of(problem: Any, learner: Any, **rule: float) -> Stopped:
    """How a run ends in which no other rule is on."""
    last = events_of(problem, learner, rule=replace(NEVER, **rule))[-1]
    assert isinstance(last, Stopped)
    return last


# Every way to end says which it was.


def test_a_run_ends_at_its_relative_gap() -> None:
    problem = Multiclass(points(20), 3)
    events = events_of(problem, OneSlack(C=10.0, eps=1e-9), rule=Until(relative_gap=0.05))
    steps = [e for e in events if isinstance(e, Step)]
    assert events[-1].reason == "relative gap"
    assert steps[-1].bounds.relative_gap <= 0.05
    assert all(step.bounds.relative_gap > 0.05 for step in steps[:-1])
    assert "not a certificate" not in events[-1].sentence


def test_a_run_ends_at_its_gap() -> None:
    problem = Multiclass(points(20), 3)
    events = events_of(problem, OneSlack(C=10.0, eps=1e-9), rule=replace(NEVER, gap=0.5))
    steps = [e for e in events if isinstance(e, Step)]
    assert events[-1].reason == "gap"
    assert steps[-1].bounds.gap <= 0.5 < steps[-2].bounds.gap


def test_a_gap_that_only_a_look_can_see_ends_a_run_too() -> None:
    events = events_of(
        Multiclass(points(20), 3), FrankWolfe(C=1.0), rule=Until(relative_gap=0.01), look_every=1.0
    )
    assert events[-1].reason == "relative gap"
    assert isinstance(events[-2], Evaluated)
    assert events[-2].bounds.relative_gap <= 0.01


def test_an_approximate_oracle_is_never_said_to_give_a_certificate() -> None:
    problem = replace(plain(Pricing()), exact=False)
    events = events_of(problem, OneSlack(C=1.0, eps=1e-9), rule=Until(relative_gap=0.05))
    assert events[-1].reason == "relative gap"
    assert "not a certificate, the oracle is not exact" in events[-1].sentence


@pytest.mark.parametrize(
    ("learner", "reason"),
    [
        (NSlack(C=1.0, eps=1e-3), "no new cut"),
        (OneSlack(C=1.0, eps=1e-3), "eps-violation"),
        (Bundle(C=1.0, eps=1e-3), "eps-violation"),
    ],
)
def test_a_learner_that_finds_nothing_more_says_so(learner: Any, reason: str) -> None:
    assert stop_of(Multiclass(points(), 3), learner).reason == reason


def test_a_perceptron_without_mistakes_says_so() -> None:
    data = Dataset("two", np.array([[-1.0, 0.0], [1.0, 0.0]]), np.array([0, 1]))
    assert stop_of(Multiclass(data, 2), Perceptron()).reason == "separated"


@pytest.mark.parametrize("learner", [OneSlack(C=10.0, eps=0.0), Subgradient(), FrankWolfe()])
def test_a_run_ends_after_its_passes(learner: Any) -> None:
    problem = Multiclass(points(12), 3)
    events = events_of(problem, learner, rule=replace(NEVER, passes=3.0))
    steps = [e for e in events if isinstance(e, Step)]
    assert events[-1].reason == "passes"
    assert steps[-1].oracle_calls >= 36 > steps[-2].oracle_calls


def test_a_run_ends_after_its_steps() -> None:
    events = events_of(Multiclass(points(), 3), Subgradient(), rule=replace(NEVER, steps=4))
    assert events[-1].reason == "steps"
    assert sum(isinstance(e, Step) for e in events) == 4


def test_a_run_ends_after_its_seconds_of_training() -> None:
    events = events_of(Multiclass(points(), 3), Subgradient(), rule=replace(NEVER, seconds=0.05))
    assert events[-1].reason == "seconds"
    steps = [e for e in events if isinstance(e, Step)]
    assert steps[-1].seconds >= 0.05 > steps[-2].seconds


def test_a_cancelled_run_says_so_and_names_its_last_step() -> None:
    count = iter(range(10_000))
    problem = Multiclass(points(), 3)
    events = events_of(problem, Subgradient(), rule=NEVER, cancelled=lambda: next(count) > 40)
    assert events[-1].reason == "cancelled"
    assert events[-1].k == [e for e in events if isinstance(e, Step)][-1].k


def test_the_first_rule_that_is_met_wins_and_zero_switches_a_rule_off() -> None:
    rule = Until(relative_gap=0.0, gap=0.0, passes=2.0, seconds=0.0, steps=7)
    closed = Bounds(1.0, 1.0, True)
    assert rule.met(5, closed, 1.9, 1e9, 6) is None
    assert rule.met(5, closed, 2.0, 1e9, 6).reason == "passes"
    assert rule.met(5, closed, 1.9, 1e9, 7).reason == "steps"
    assert rule.met(5, closed, 2.0, 1e9, 7).reason == "passes"


def test_a_gap_is_never_negative_by_rounding_alone_but_a_crossing_shows() -> None:
    assert Bounds(1.0, 1.0 + 1e-15).gap == 0.0
    assert Bounds(1.0, 1.0 + 1e-15).relative_gap == 0.0
    assert Bounds(1.0, 1.1).gap == pytest.approx(-0.1)
    assert Bounds(0.0, 0.0).relative_gap == 0.0
    assert Bounds(0.0, -1.0).relative_gap == math.inf
    assert Bounds(4.0, 3.0).relative_gap == 0.25


@pytest.mark.parametrize("bounds", [Bounds(), Bounds(1.0), Bounds(dual=1.0), Bounds(math.inf, 1.0)])
def test_an_unknown_bound_never_counts_as_a_small_gap(bounds: Bounds) -> None:
    assert Until(relative_gap=1.0, gap=1e9).met(0, bounds, 0.0, 0.0, 0) is None


@pytest.mark.parametrize(
    "wrong", [{"relative_gap": -1.0}, {"relative_gap": 2.0}, {"steps": -1}, {"gap": math.nan}]
)
def test_rules_outside_their_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(Refused, match=next(iter(wrong))):
        Until(**wrong)


# What is counted.


@pytest.mark.parametrize(
    "name", ["multiclass ZeroOne margin linear", "plain margin linear", "listed margin linear"]
)
def test_oracle_calls_are_counted_once_per_example_whether_asked_singly_or_at_once(name: str) -> None:
    problem = PROBLEMS[name]()
    n = problem.n
    for learner in (OneSlack(C=1.0), NSlack(C=1.0), NSlack(C=1.0, order="each"), Bundle(C=1.0)):
        calls = [step.oracle_calls for step in metered(problem, learner, rng())]
        assert calls == [n * (k + 1) for k in range(len(calls))], learner
    for learner in (FrankWolfe(), Subgradient(every=5), Perceptron(proof=False)):
        steps = metered(problem, learner, rng())
        calls = [next(steps).oracle_calls for _ in range(2)]
        assert calls == ([5, 10] if isinstance(learner, Subgradient) else [n, 2 * n]), learner


def test_a_pass_in_chunks_counts_every_example_once() -> None:
    @dataclass(frozen=True)
    class Small(Multiclass):
        @property
        def chunk(self) -> int:
            return 3

    assert next(metered(Small(points(8), 3), OneSlack(), rng())).oracle_calls == 8


def test_a_risk_without_examples_counts_its_calls() -> None:
    steps = list(metered(ConvexRisk(), Bundle(C=5.0), rng()))
    assert [step.oracle_calls for step in steps] == list(range(1, len(steps) + 1))


def test_looks_are_not_counted_as_training() -> None:
    problem = Multiclass(points(12), 3)
    often = [e for e in train(problem, OneSlack(), look_every=0.0, test=points(6)) if isinstance(e, Step)]
    never = list(metered(problem, OneSlack(), rng()))
    assert [e.oracle_calls for e in often] == [e.oracle_calls for e in never][: len(often)]


def test_the_seconds_of_a_slow_listener_and_of_looks_are_not_the_learners() -> None:
    problem = slow(points(20), 0.0)
    began = time.perf_counter()
    steps = []
    for event in train(problem, Subgradient(), rule=replace(NEVER, steps=4), look_every=0.0):
        time.sleep(0.03)
        if isinstance(event, Step):
            steps.append(event)
    assert time.perf_counter() - began > 0.24
    assert steps[-1].seconds < 0.1
    assert all(a.seconds < b.seconds for a, b in pairwise(steps))


def test_oracle_seconds_are_those_inside_the_oracle() -> None:
    step = next(metered(slow(points(10), 0.004), OneSlack(), rng()))
    assert 0.04 <= step.oracle_seconds <= step.seconds


def test_a_resumed_run_counts_on_from_its_keyframe() -> None:
    problem = Multiclass(points(10), 3)
    steps = metered(problem, Subgradient(), rng())
    first = [next(steps) for _ in range(3)][-1]
    again = next(metered(problem, Subgradient(), rng(), first.state))
    assert again.oracle_calls == first.oracle_calls + 10
    assert again.seconds > first.seconds
    assert again.oracle_seconds > first.oracle_seconds
    assert again.k == first.k + 1


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_metered_problem_can_do_what_the_problem_can(name: str) -> None:
    problem = PROBLEMS[name]()
    wrapped: Any = Metered(problem, Meter())
    for ability in set(CAPABILITIES) - {Marginals}:
        assert isinstance(wrapped, ability) == isinstance(problem, ability)
    assert isinstance(wrapped, Marginals) == isinstance(problem, Marginals | Enumerates)
    assert isinstance(wrapped, Pulses)
    for member in ("name", "n", "dim", "pricing", "oracle_is_exact", "dataset"):
        assert getattr(wrapped, member) == getattr(problem, member)
    assert priced_as(wrapped) == priced_as(problem)
    w = rng().normal(size=problem.dim)
    assert np.array_equal(wrapped.oracle(w, 0).label, problem.oracle(w, 0).label)


# Cancelling.


@dataclass(frozen=True)
class Slow(Multiclass):
    """A multiclass problem that is asked one by one and takes its time from call `after` on."""

    seconds: float = 0.002
    after: int = 0
    calls: Any = None

    def oracle(self, w: Any, i: int) -> Any:
        self._wait()
        return Multiclass.oracle(self, w, i)

    def predict(self, w: Any, x: Any) -> Any:
        self._wait()
        return Multiclass.predict(self, w, x)

    def _wait(self) -> None:
        self.calls.append(1)
        if len(self.calls) > self.after:
            time.sleep(self.seconds)


class Singly:
    """A problem without its batch abilities."""

    def __init__(self, problem: Any) -> None:
        self._problem = problem
        for name in vars(Problem):
            if not name.startswith("_"):
                setattr(self, name, getattr(problem, name))


def slow(data: Dataset, seconds: float, after: int = 0) -> Any:
    problem: Any = Singly(Slow(data, 3, seconds=seconds, after=after, calls=[]))
    problem.on = lambda other: slow(other, seconds)
    assert not isinstance(problem, Batch)
    return problem


Run = Callable[[Callable[[], bool]], Iterator[Any]]


def seconds_to_stop(run: Run, cancel_after: float) -> float:
    """Cancel from another thread; how long it takes from then until the run has ended."""
    flag, when = threading.Event(), []

    def cancel() -> None:
        time.sleep(cancel_after)
        when.append(time.perf_counter())
        flag.set()

    thread = threading.Thread(target=cancel)
    thread.start()
    try:
        last = None
        for last in run(flag.is_set):  # noqa: B007
            pass
        ended = time.perf_counter()
    finally:
        thread.join()
    assert isinstance(last, Stopped)
    assert last.reason == "cancelled"
    return ended - when[0]


def stops_at_once(run: Run, cancel_after: float) -> bool:
    """Whether cancelling takes effect in time, in one of three tries: the machine may be busy elsewhere."""
    return any(seconds_to_stop(run, cancel_after) < WITHIN for _ in range(3))


LONG = points(1000)


@pytest.mark.parametrize(
    "learner", [OneSlack(), NSlack(), NSlack(order="each"), FrankWolfe(), Perceptron(proof=False)]
)
def test_a_slow_oracle_pass_is_cancelled_at_once(learner: Any) -> None:
    assert stops_at_once(lambda flag: train(slow(LONG, 0.002), learner, cancelled=flag), 0.2)


def test_a_slow_look_is_cancelled_at_once() -> None:
    problem = slow(
        LONG, 0.002, after=1000
    )  # the learner's own pass is fast, the look at its first step is not
    assert seconds_to_stop(lambda flag: train(problem, OneSlack(), cancelled=flag), 0.3) < WITHIN


def test_a_slow_look_at_test_data_is_cancelled_at_once() -> None:
    problem = slow(points(5), 0.0)
    problem.on = lambda other: slow(other, 0.002)
    assert stops_at_once(lambda flag: train(problem, OneSlack(), cancelled=flag, test=LONG), 0.3)


def long_chains(n: int, length: int, features: int, states: int) -> Dataset:
    draw = np.random.default_rng(0)
    inputs = tuple(draw.normal(size=(length, features)) for _ in range(n))
    return Dataset("long", inputs, tuple(draw.integers(0, states, length) for _ in range(n)))


@pytest.mark.parametrize(
    "problem",
    [
        Chain(long_chains(1500, 60, 60, 12), 12),
        Chain(long_chains(300, 150, 5, 3), 3, pricing=Pricing("slack")),
        Chain(long_chains(400, 5, 2, 4), 4, separator=Enumerate()),
    ],
    ids=["viterbi", "counting viterbi", "enumeration"],
)
@pytest.mark.parametrize("learner", [OneSlack(), NSlack()])
def test_a_batched_chain_pass_is_cancelled_at_once(problem: Chain, learner: Any) -> None:
    problem.cuts(np.zeros(problem.dim), 0, 1)  # compiled before the clock starts
    problem.sweep(np.zeros(problem.dim), 0, 1)
    assert problem.chunk < problem.n
    assert stops_at_once(lambda flag: metered_to_the_end(problem, learner, flag), 0.15)


def metered_to_the_end(problem: Any, learner: Any, flag: Callable[[], bool]) -> Iterator[Any]:
    """Passes from the beginning, again and again, until the run is cancelled."""
    while True:
        steps = metered(problem, learner, rng(), cancelled=flag)
        try:
            for _ in range(3):
                yield next(steps)
        except StopIteration as end:
            if end.value.reason == "cancelled":
                yield end.value
                return


# Looks.


def test_a_look_tells_the_objective_the_mean_slack_and_both_losses_of_its_step() -> None:
    problem, test = Multiclass(points(15), 3), points(9, seed=5)
    events = events_of(problem, FrankWolfe(C=2.0), rule=replace(NEVER, steps=5), look_every=2.0, test=test)
    steps = {e.k: e for e in events if isinstance(e, Step)}
    looks = [e for e in events if isinstance(e, Evaluated)]
    assert [look.k for look in looks] == [0, 2, 4]
    for look in looks:
        w = steps[look.k].w
        assert look.bounds.primal == pytest.approx(value(problem, w, 2.0), rel=1e-12)
        assert look.bounds.dual == steps[look.k].bounds.dual
        assert look.bounds.certificate
        assert look.train_loss == mean_loss(problem, w)
        assert look.test_loss == mean_loss(problem.on(test), w)
        assert look.mean_slack == pytest.approx((look.bounds.primal - 0.5 * w @ w) / 2.0, abs=1e-12)


@pytest.mark.parametrize("rule", [{"steps": 4}, {"passes": 5.0}, {"relative_gap": 0.2}])
def test_the_last_step_is_always_looked_at_whoever_ends_the_run(rule: dict[str, float]) -> None:
    problem = Multiclass(points(15), 3)
    events = events_of(problem, OneSlack(C=2.0, eps=1e-6), rule=replace(NEVER, **rule), look_every=1000.0)
    assert isinstance(events[-1], Stopped)
    assert isinstance(events[-2], Evaluated)
    assert events[-2].k == [e for e in events if isinstance(e, Step)][-1].k == events[-1].k
    own_end = events_of(problem, OneSlack(C=2.0), rule=NEVER, look_every=1000.0)
    assert isinstance(own_end[-2], Evaluated)
    assert own_end[-1].reason == "eps-violation"


def test_no_step_is_looked_at_twice() -> None:
    events = events_of(
        Multiclass(points(15), 3), OneSlack(C=2.0), rule=replace(NEVER, steps=3), look_every=0.0
    )
    assert [e.k for e in events if isinstance(e, Evaluated)] == [0, 1, 2]


def test_a_run_of_a_risk_without_examples_has_no_looks() -> None:
    events = events_of(ConvexRisk(), Bundle(C=5.0), rule=replace(NEVER, steps=3))
    assert [type(e) for e in events] == [Started, Step, Step, Step, Stopped]


def test_a_run_begins_by_saying_what_is_trained() -> None:
    problem = listed(Pricing())
    first = next(train(problem, OneSlack(C=3.0), seed=7))
    assert isinstance(first, Started)
    assert (first.problem, first.learner, first.n, first.dim, first.seed, first.exact) == (
        problem.name,
        "OneSlack",
        problem.n,
        problem.dim,
        7,
        True,
    )
    assert first.settings["C"] == 3.0
    assert (first.objective, first.risk, first.oracle) == ("structured hinge", "mean slack", "exact")


def test_a_learner_that_minimises_nothing_has_a_mean_slack_and_no_objective_even_where_nothing_is_wrong() -> (
    None
):
    data = Dataset("two", np.array([[-9.0, 0.0], [9.0, 0.0]]), np.array([0, 1]))
    first, *_, seen, _ = events_of(Multiclass(data, 2), Perceptron())
    assert first.objective == ""
    assert seen.mean_slack == 0.0
    assert math.isnan(seen.bounds.primal)


@dataclass(frozen=True)
class Counted:
    """An objective of somebody's own, which knows what it is worth: |w| apart from 1, C times."""

    name: str = "distance"
    risk: str = "distance from 1"

    def kind(self, problem: Problem) -> str:
        return "exact"

    def measure(self, problem: Problem, w: Any, C: float) -> Measured:
        return Measured(C * abs(1.0 - float(np.linalg.norm(w))), abs(1.0 - float(np.linalg.norm(w))))


def test_a_look_asks_the_learner_what_it_minimises() -> None:
    @dataclass(frozen=True)
    class Distant(Subgradient):
        objective: ClassVar[Any] = Counted()

    problem = replace(plain(Pricing()), exact=False)
    first, *rest = events_of(problem, Distant(C=2.0), rule=replace(NEVER, steps=3), look_every=0.0)
    assert (first.objective, first.risk, first.oracle, first.exact) == (
        "distance",
        "distance from 1",
        "exact",
        True,
    )
    steps = {e.k: e for e in rest if isinstance(e, Step)}
    looks = [e for e in rest if isinstance(e, Evaluated)]
    assert len(looks) == 3
    for look in looks:
        apart = abs(1.0 - float(np.linalg.norm(steps[look.k].w)))
        assert (look.bounds.primal, look.mean_slack, look.bounds.certificate) == (2.0 * apart, apart, True)


def test_a_problem_that_owes_nothing_but_its_contract_trains_with_every_kind_of_learner() -> None:
    problem: Any = Singly(Multiclass(points(8), 3))
    assert not any(isinstance(problem, ability) for ability in CAPABILITIES)
    for learner in (
        OneSlack(),
        NSlack(),
        FrankWolfe(),
        SequentialDual(),
        Bundle(),
        Perceptron(),
        Subgradient(),
    ):
        events = events_of(problem, learner, rule=Until(relative_gap=0.05, passes=30.0))
        again = train(problem, learner, state=next(e for e in events if isinstance(e, Step)).state)
        assert next(again).oracle == "exact"
        assert next(again).k == 1


def test_a_refused_problem_is_refused_before_anything_is_trained() -> None:
    squared = Binary(points(classes=2), pricing=Pricing("margin", "squared"))
    with pytest.raises(Refused, match="use the n-slack learner"):
        next(train(squared, OneSlack()))


def test_nothing_is_trained_before_it_is_asked_for_and_closing_ends_it() -> None:
    calls: list[int] = []
    problem: Any = Singly(Slow(points(6), 3, seconds=0.0, calls=calls))
    events = train(problem, Subgradient(every=1))
    next(events)
    assert calls == []
    next(events)
    assert len(calls) == 1
    events.close()
    assert len(calls) == 1


def test_the_stream_functions_can_be_put_together_by_hand() -> None:
    problem = Multiclass(points(), 3)
    learner = OneSlack(C=1.0, eps=1e-9)
    steps = metered(problem, learner, rng())
    events = list(until(evaluated(steps, problem, learner, 0.0), Until(relative_gap=0.1), problem.n))
    assert events[-1].reason == "relative gap"
    bare = list(until(metered(problem, OneSlack(C=1.0, eps=1e-9), rng()), Until(relative_gap=0.1), problem.n))
    assert all(isinstance(e, Step) for e in bare[:-1])
    assert bare[-1].reason == "relative gap"


# Races.


@pytest.mark.parametrize("by", ["oracle_calls", "seconds"])
def test_runs_in_lockstep_keep_their_clocks_together(by: str) -> None:
    problem = Multiclass(points(20), 3)
    often, rarely = Subgradient(every=2), Subgradient(every=40)
    rule = replace(NEVER, passes=20.0)
    runs = {"often": train(problem, often, rule=rule), "rarely": train(problem, rarely, rule=rule)}
    clock, longest = {"often": 0.0, "rarely": 0.0}, {"often": 0.0, "rarely": 0.0}
    stopped = set()
    for name, event in lockstep(runs, by):
        if isinstance(event, Stopped):
            stopped.add(name)
        if isinstance(event, Step) and not stopped:
            other = "rarely" if name == "often" else "often"
            assert clock[name] <= clock[other], "the one that is behind moves"
            longest[name] = max(longest[name], getattr(event, by) - clock[name])
            clock[name] = getattr(event, by)
            assert abs(clock["often"] - clock["rarely"]) <= max(longest.values()) + 1e-12
    assert stopped == {"often", "rarely"}


def test_lockstep_passes_every_event_of_every_run_in_order() -> None:
    problem = Multiclass(points(10), 3)
    learners = {"a": OneSlack(), "b": FrankWolfe()}
    rule = replace(NEVER, steps=6)
    alone = {
        name: [type(e) for e in train(problem, learner, rule=rule)] for name, learner in learners.items()
    }
    together: dict[str, list[type]] = {"a": [], "b": []}
    runs = {name: train(problem, learner, rule=rule) for name, learner in learners.items()}
    for name, event in lockstep(runs, "oracle_calls"):
        together[name].append(type(event))
    assert together == alone
