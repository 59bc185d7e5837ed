"""Streams: what is counted, when a run ends and why, how soon it can be cancelled, and how runs race."""

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
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
from explorer.engine.events import NOT_EXACT, Bounds, Evaluated, Started, Step, Stopped
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
from explorer.engine.refusals import NotExact, Refused
from explorer.engine.runs import streams
from explorer.engine.runs.streams import Meter, Metered, Until, evaluated, lockstep, metered, train, until
from explorer.engine.structures.chains.oracles import Enumerate
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.convex_risk import ConvexRisk
from explorer.engine.structures.classes.multiclass import Multiclass
from tests.catalogue import PROBLEMS, listed, plain, points
from tests.waiting import Clock

NEVER = Until(relative_gap=0.0)


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
    assert "not a certificate, the oracle is not known to be exact" in events[-1].sentence


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


def test_a_run_ends_when_its_seconds_are_over_and_looks_are_part_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock()
    monkeypatch.setattr(streams, "clock", clock.perf_counter)
    problem = asked_singly(points(10), lambda: clock.sleep(0.01))
    events = events_of(problem, Subgradient(), rule=replace(NEVER, seconds=5.0), look_every=1.0)
    assert events[-1].reason == "seconds"
    # A step takes 0.1 s and a look as long: what is begun just before the end is still finished.
    assert abs(clock.now - 5.0) <= 0.2 + 1e-9
    assert isinstance(events[-2], Evaluated)
    assert [e for e in events if isinstance(e, Step)][-1].seconds <= 2.6


def test_a_cancelled_run_says_so_and_names_its_last_step() -> None:
    count = iter(range(10_000))
    problem = Multiclass(points(), 3)
    events = events_of(problem, Subgradient(), rule=NEVER, cancelled=lambda: next(count) > 40)
    assert events[-1].reason == "cancelled"
    assert events[-1].k == [e for e in events if isinstance(e, Step)][-1].k


def test_the_first_rule_that_is_met_wins_and_zero_switches_a_rule_off() -> None:
    rule = Until(relative_gap=0.0, gap=0.0, passes=2.0, seconds=0.0, steps=7)
    closed = Bounds(1.0, 1.0, True)
    assert rule.reason_to_stop(5, closed, 1.9, 1e9, 6) is None
    assert rule.reason_to_stop(5, closed, 2.0, 1e9, 6).reason == "passes"
    assert rule.reason_to_stop(5, closed, 1.9, 1e9, 7).reason == "steps"
    assert rule.reason_to_stop(5, closed, 2.0, 1e9, 7).reason == "passes"


def test_a_gap_that_is_negative_by_rounding_alone_is_as_large_as_the_rounding_but_a_crossing_shows() -> None:
    assert Bounds(1.0, 1.0 + 2.0**-50).gap == 2.0**-50
    assert Bounds(2.0, 2.0 + 2.0**-40).relative_gap == 2.0**-41
    assert Bounds(1.0, 1.0 + 2.0**-30).gap == -(2.0**-30)
    assert Bounds(1.0, 1.1).gap == pytest.approx(-0.1)
    assert Bounds(0.0, 0.0).relative_gap == 0.0
    assert Bounds(0.0, -1.0).relative_gap == math.inf
    assert Bounds(4.0, 3.0).relative_gap == 0.25


@pytest.mark.parametrize("bounds", [Bounds(), Bounds(1.0), Bounds(dual=1.0), Bounds(math.inf, 1.0)])
def test_an_unknown_bound_never_counts_as_a_small_gap(bounds: Bounds) -> None:
    assert Until(relative_gap=1.0, gap=1e9).reason_to_stop(0, bounds, 0.0, 0.0, 0) is None


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


def test_the_seconds_of_a_slow_listener_and_of_looks_are_not_the_learners(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock()
    monkeypatch.setattr(streams, "clock", clock.perf_counter)
    steps = []
    problem = asked_singly(points(20), lambda: clock.sleep(0.001))
    for event in train(problem, Subgradient(), rule=replace(NEVER, steps=4), look_every=0.0):
        clock.sleep(30.0)
        if isinstance(event, Step):
            steps.append(event)
    assert [step.seconds for step in steps] == pytest.approx([0.001 * step.oracle_calls for step in steps])
    assert clock.now > 8 * 30.0


def test_oracle_seconds_are_those_inside_the_oracle(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(tick=0.0001)
    monkeypatch.setattr(streams, "clock", clock.perf_counter)
    step = next(metered(asked_singly(points(10), lambda: clock.sleep(0.004)), OneSlack(), rng()))
    assert step.oracle_seconds == pytest.approx(10 * (0.004 + clock.tick))
    assert step.oracle_seconds < step.seconds


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
class Watched(Multiclass):
    """A multiclass problem that tells whenever it is asked."""

    tell: Callable[[], object] = list

    def oracle(self, w: Any, i: int) -> Any:
        self.tell()
        return Multiclass.oracle(self, w, i)

    def predict(self, w: Any, x: Any) -> Any:
        self.tell()
        return Multiclass.predict(self, w, x)


class Singly:
    """A problem without its batch abilities."""

    def __init__(self, problem: Any) -> None:
        self._problem = problem
        for name in vars(Problem):
            if not name.startswith("_"):
                setattr(self, name, getattr(problem, name))


def asked_singly(data: Dataset, tell: Callable[[], object]) -> Any:
    """A problem that is asked one by one, and tells of every call; so it does on other data."""
    problem: Any = Singly(Watched(data, 3, tell=tell))
    problem.on = lambda other: asked_singly(other, tell)
    assert not isinstance(problem, Batch)
    return problem


def calls_until_it_ends(learner: Any, data: Dataset, cancel_at: int, **how: Any) -> int:
    """Cancel a run in the middle of call `cancel_at`; how many calls there were when it had ended."""
    calls: list[int] = []
    problem = asked_singly(data, lambda: calls.append(1))
    *_, last = train(problem, learner, cancelled=lambda: len(calls) >= cancel_at, **how)
    assert isinstance(last, Stopped)
    assert last.reason == "cancelled"
    return len(calls)


@pytest.mark.parametrize(
    "learner", [OneSlack(), NSlack(), NSlack(order="each"), FrankWolfe(), Perceptron(proof=False)]
)
def test_an_oracle_pass_is_cancelled_before_its_next_call(learner: Any) -> None:
    assert calls_until_it_ends(learner, points(1000), 300) == 300


def test_a_look_is_cancelled_before_its_next_call() -> None:
    # The learner's own pass takes 1000 calls, the look at its first step the next ones.
    assert calls_until_it_ends(OneSlack(), points(1000), 1300) == 1300


def test_a_look_at_test_data_is_cancelled_before_its_next_call() -> None:
    assert calls_until_it_ends(OneSlack(), points(5), 500, test=points(1000)) == 500


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
def test_a_batched_chain_pass_is_cancelled_after_at_most_one_more_chunk(
    problem: Chain, learner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert problem.chunk < problem.n / 2
    asked: list[int] = []
    for name in ("cuts", "sweep"):
        ask = getattr(Chain, name)

        def counted(self: Chain, w: Any, lo: int, hi: int, ask: Any = ask) -> Any:
            asked.append(hi - lo)
            return ask(self, w, lo, hi)

        monkeypatch.setattr(Chain, name, counted)
    enough = problem.n + problem.n // 2
    steps = metered(problem, learner, rng(), cancelled=lambda: sum(asked) >= enough)
    assert end_of(steps).reason == "cancelled"
    assert enough <= sum(asked) < enough + problem.chunk


def end_of(steps: Generator[Step, None, Stopped]) -> Stopped:
    """What a stream says when it is over."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


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
    problem = asked_singly(points(6), lambda: calls.append(1))
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


def test_a_run_that_has_not_been_looked_at_keeps_no_time_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(streams, "clock", clock.perf_counter)

    def steps():
        for k in range(10):
            clock.sleep(1.0)
            yield Step(k, np.zeros(1))

    told = list(until(steps(), replace(NEVER, seconds=2.5), 1))
    assert [event.k for event in told if isinstance(event, Step)] == [0, 1, 2]
    assert told[-1].reason == "seconds"


def test_an_oracle_disproved_before_the_first_step_names_none() -> None:
    def steps() -> Generator[Step, None, Stopped]:
        raise NotExact("a proof")
        yield

    with pytest.raises(StopIteration) as end:
        next(evaluated(steps(), Multiclass(points(), 3), OneSlack(), 1.0))
    assert end.value.value == Stopped(NOT_EXACT, "a proof", -1)
