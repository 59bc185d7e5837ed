"""Small functions around a learner's steps: count and time them, look at them from outside, stop them, race
them.

    train = until(evaluated(metered(learner.steps(problem))))

The caller owns the loop: not calling next is a pause, closing the generator is a stop. The meter stands
between learner and problem, so a learner never counts, times or asks whether it should go on; a cancelled run
ends at the next oracle call or chunk of a batched pass. A step's seconds are the learner's own: looking,
drawing and compiling are not counted. The rule "stop after 30 seconds" counts looks as well, since the user
waits for them.
"""

import math
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from typing import Any, cast

import numpy as np

from explorer.engine.compiled import clock
from explorer.engine.contracts import Approximates, Dataset, Enumerates, Learner, Problem, lacking, members
from explorer.engine.enumeration import expectation
from explorer.engine.events import NOT_EXACT, Bounds, Evaluated, Event, Started, Step, Stopped
from explorer.engine.executors.choice import spread
from explorer.engine.halting import Cancelled
from explorer.engine.knobs import knob, settings
from explorer.engine.learners import suited_learner
from explorer.engine.objective import HINGE, bounds_of, mean_loss, predictions
from explorer.engine.refusals import NotExact, Refused
from explorer.engine.runs.oracle_watch import OracleWatch


class Enough(Exception):
    """Thrown into a stream that is to end, so that it can look at its last step."""

    def __init__(self, stopped: Stopped) -> None:
        super().__init__(stopped.reason)
        self.stopped = stopped


class Meter:
    """Counts oracle calls and their seconds, and interrupts when asked to."""

    def __init__(self, cancelled: Callable[[], bool] = lambda: False) -> None:
        self.cancelled = cancelled
        self.calls = 0
        self.seconds = 0.0

    def pulse(self) -> None:
        """Raise Cancelled if the run was cancelled."""
        if self.cancelled():
            raise Cancelled

    def count(
        self, ask: Callable[..., Any], many: Callable[..., int], see: Callable[..., None] | None = None
    ) -> Callable[..., Any]:
        """The same question, counted as `many` oracle calls, its answer shown to who wants to see it."""

        def asked(*args: Any) -> Any:
            self.pulse()
            began = clock()
            answer = ask(*args)
            self.seconds += clock() - began
            self.calls += many(*args)
            if see is not None:
                see(answer, *args)
            return answer

        return asked


class Metered:
    """A problem whose oracle is counted; all else that its contract and its capabilities name is passed on.

    One that can list its labellings has marginals as well, by listing them: one call for each example. A
    watch sees the oracle's answers before anybody else.
    """

    def __init__(self, problem: Problem, meter: Meter, watch: OracleWatch | None = None) -> None:
        self.pulse = meter.pulse
        calls: dict[str, Callable[..., int]] = {
            "oracle": lambda w, i: 1,
            "predict": lambda w, x: 1,
            "cuts": lambda w, lo, hi: hi - lo,
            "sweep": lambda w, lo, hi: hi - lo,
            "raw_sweep": lambda w, lo, hi: hi - lo,
            "expectation": lambda w, lo, hi: hi - lo,
            "predictions": lambda w: problem.n,
            "worst": lambda w: problem.n,
            "visit": lambda w, order, cache, plan, log, born: len(order) if plan.exact else 0,
            "risk": lambda w: 1,
        }
        seen: dict[str, Callable[..., None]] = {}
        if watch is not None:
            seen = {"oracle": watch.see_answer, "sweep": watch.see_sweep, "raw_sweep": watch.see_sweep}
        # Set on the instance, not passed on by __getattr__: isinstance looks for capabilities here.
        known = members(problem)
        if isinstance(problem, Enumerates):
            known.setdefault("expectation", partial(expectation, problem))
        for name, value in known.items():
            if name in calls:
                value = meter.count(value, calls[name], seen.get(name))
            setattr(self, name, value)
        self.on = lambda dataset: Metered(problem.on(dataset), meter)


def count_before(state: Mapping[str, Any] | None) -> tuple[int, float, float]:
    """Oracle calls, seconds and seconds in the oracle up to a keyframe."""
    return cast("tuple[int, float, float]", (state or {}).get("metered", (0, 0.0, 0.0)))


def metered(
    problem: Problem,
    learner: Learner,
    rng: np.random.Generator,
    state: Mapping[str, Any] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    watch: OracleWatch | None = None,
) -> Generator[Step, None, Stopped]:
    """The learner's steps with oracle calls and seconds filled in, counted on from those of the keyframe.

    An oracle that is proved not to be exact, though it was said to be, ends them.
    """
    meter = Meter(cancelled)
    past = count_before(state)
    steps = learner.steps(cast("Problem", Metered(problem, meter, watch)), rng, state)
    seconds, k = past[1], state.get("k", -1) if state else -1
    while True:
        began = clock()
        try:
            step = next(steps)
        except StopIteration as end:
            return cast("Stopped", end.value)
        except Cancelled:
            return cancelled_at(k)
        except NotExact as proof:
            return Stopped(NOT_EXACT, str(proof), k)
        seconds += clock() - began
        count = (past[0] + meter.calls, seconds, past[2] + meter.seconds)
        k = step.k
        yield replace(
            step,
            oracle_calls=count[0],
            seconds=count[1],
            oracle_seconds=count[2],
            state={**step.state, "metered": count},
        )


def cancelled_at(k: int) -> Stopped:
    """The end of a run whose user had enough."""
    return Stopped("cancelled", "the run was cancelled", k)


def price_of(learner: Learner) -> float:
    """The learner's C; NaN where it has none."""
    return float(asdict(cast("Any", learner)).get("C", math.nan))


def look(
    problem: Problem,
    learner: Learner,
    step: Step,
    test: Problem | None = None,
    watch: OracleWatch | None = None,
) -> Evaluated:
    """What a full pass at a step's w finds of what its learner minimises; the pass is not counted as
    training.

    A learner that minimises nothing is looked at through the hinge: it has a mean slack, but no objective.
    """
    objective, C, w = learner.objective or HINGE, price_of(learner), step.w
    kind, found = objective.kind(problem), objective.measure(problem, w, C)
    value = math.nan if learner.objective is None else found.value
    labels, losses = predictions(problem, w)
    bounds = bounds_of(problem, C, value, step.bounds.dual, kind == "exact")
    if watch is not None:
        watch.see_bounds(bounds)
        watch.see_predictions(w, labels, losses, found)
    exact = problem.exact_twin if kind != "exact" and isinstance(problem, Approximates) else None
    return Evaluated(
        step.k,
        bounds,
        found.risk,
        train_loss=float(np.mean(losses)),
        test_loss=math.nan if test is None else mean_loss(test, w),
        true_slack=math.nan if exact is None else objective.measure(exact, w, C).risk,
    )


def evaluated(
    steps: Generator[Step, None, Stopped],
    problem: Problem,
    learner: Learner,
    passes: float,
    test: Dataset | Problem | None = None,
    watch: OracleWatch | None = None,
) -> Generator[Step | Evaluated, None, Stopped]:
    """After a step, and no more often than every `passes` passes, also what a separate look at it finds.

    The last step is always looked at, unless the run was cancelled: also when it is ended by an `Enough`. A
    look, or a step's own bounds, may prove that the oracle is not exact: that ends the run whatever else
    would.
    """
    held_out = problem.on(test) if isinstance(test, Dataset) else test
    last: Step | None = None
    due, seen = 0.0, -1
    try:
        try:
            while True:
                last = next(steps)
                yield last
                if watch is not None:
                    watch.see_bounds(last.bounds)
                if last.oracle_calls >= due:
                    seen, due = last.k, last.oracle_calls + passes * problem.n
                    yield look(problem, learner, last, held_out, watch)
        except StopIteration as end:
            stopped = cast("Stopped", end.value)
        except Enough as enough:
            stopped = enough.stopped
        if last is not None and stopped.reason not in ("cancelled", NOT_EXACT):
            if watch is not None:
                watch.see_bounds(last.bounds)
            if seen != last.k:
                yield look(problem, learner, last, held_out, watch)
        return stopped
    except Cancelled:
        return cancelled_at(-1 if last is None else last.k)
    except NotExact as proof:
        return Stopped(NOT_EXACT, str(proof), -1 if last is None else last.k)


@settings
class Until:
    """When to stop a run that would go on: the first rule that is met wins; 0 switches a rule off."""

    relative_gap: float = knob(
        1e-3, "Stop when (primal - dual) / primal is at most this.", low=0.0, high=1.0, log=True
    )
    gap: float = knob(0.0, "Stop when primal - dual is at most this.", low=0.0, log=True)
    passes: float = knob(0.0, "Stop after this many oracle calls per example.", low=0.0)
    seconds: float = knob(0.0, "Stop after this many seconds of training and of measuring it.", low=0.0)
    steps: int = knob(0, "Stop after this many steps.", low=0)

    def reason_to_stop(
        self, k: int, bounds: Bounds, passes: float, seconds: float, count: int
    ) -> Stopped | None:
        """The reason to stop here, if there is one."""
        kind = "" if bounds.certificate else "; not a certificate, the oracle is not known to be exact"
        if self.relative_gap and 0.0 <= bounds.relative_gap <= self.relative_gap:
            found = f"the relative gap {bounds.relative_gap:.3g} is at most {self.relative_gap:g}{kind}"
            return Stopped("relative gap", found, k)
        if self.gap and 0.0 <= bounds.gap <= self.gap:
            return Stopped("gap", f"the gap {bounds.gap:.3g} is at most {self.gap:g}{kind}", k)
        if self.passes and passes >= self.passes:
            return Stopped("passes", f"{passes:g} passes over the examples were made", k)
        if self.seconds and seconds >= self.seconds:
            return Stopped("seconds", f"the {self.seconds:g} seconds that it had are used", k)
        if self.steps and count >= self.steps:
            return Stopped("steps", f"{count} steps were made", k)
        return None


def until(
    events: Generator[Step | Evaluated, None, Stopped], rule: Until, n: int, before: float = 0.0
) -> Iterator[Step | Evaluated | Stopped]:
    """The events up to the first that meets the rule, what is still to be said about it, then why it
    stopped. `before` are the seconds of a run that goes on.

    A run that must be over by a certain time keeps as much of it as the last look took.
    """
    count, passes, spent, closing = 0, 0.0, before, 0.0
    while True:
        began = clock()
        try:
            event = next(events)
        except StopIteration as end:
            yield end.value
            return
        took = clock() - began
        spent += took
        yield event
        if isinstance(event, Step):
            count, passes = count + 1, event.oracle_calls / max(n, 1)
        else:
            closing = took
        needed = closing if isinstance(event, Step) else 0.0
        stopped = rule.reason_to_stop(event.k, event.bounds, passes, spent + needed, count)
        if stopped:
            yield (yield from last_words(events, stopped, rule))
            return


def confirm(stopped: Stopped, look: Step | Evaluated, rule: Until) -> Stopped:
    """The reason to stop, unless it is a gap that the look at the same step finds to be larger: slacks that
    are rounding alone, times a large C, count for more than what is left to gain.
    """
    if stopped.reason not in ("relative gap", "gap") or not look.bounds.certificate:
        return stopped
    found, allowed = (
        (look.bounds.relative_gap, rule.relative_gap)
        if stopped.reason == "relative gap"
        else (look.bounds.gap, rule.gap)
    )
    if not found > 1.01 * allowed + 1e-9:
        return stopped
    told = f"not confirmed: {stopped.sentence}, but looked at again the {stopped.reason} is {found:.3g}"
    return Stopped("rounding", f"{told}; bring features, losses and C nearer to 1", stopped.k)


def last_words(
    events: Generator[Step | Evaluated, None, Stopped], stopped: Stopped, rule: Until
) -> Generator[Step | Evaluated, None, Stopped]:
    """What a stream says when it is told to end: the look at its last step, where it looks at all. Returns
    why it ended: as it was told, or because that look proved that the oracle is not exact.
    """
    with suppress(Enough):
        try:
            look = events.throw(Enough(stopped))
            stopped = confirm(stopped, look, rule)
            yield look
        except StopIteration as end:
            disproved = isinstance(end.value, Stopped) and end.value.reason == NOT_EXACT
            stopped = end.value if disproved else stopped
    events.close()
    return stopped


def start_of(problem: Problem, learner: Learner, seed: int) -> Started:
    """What is trained and minimised, with which settings, from which seed."""
    objective = learner.objective or HINGE
    kind, chosen = objective.kind(problem), asdict(cast("Any", learner))
    named = "" if learner.objective is None else objective.name
    about = problem.name, type(learner).__name__, problem.n, problem.dim
    return Started(*about, seed, kind == "exact", chosen, kind, named, objective.risk)


def train(
    problem: Problem,
    learner: Learner | None = None,
    *,
    seed: int = 0,
    rule: Until | None = None,
    look_every: float = 10.0,
    test: Dataset | Problem | None = None,
    state: Mapping[str, Any] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[Event]:
    """A whole run: Started, then Steps with an Evaluated every `look_every` passes, then Stopped.

    Without a learner the one that suits the problem trains, with its defaults, as on the command line. `test`
    is data, or the problem already put on them, so that a run that is often changed does so once. With
    `state` the run goes on from that keyframe, bit for bit where problem and learner are the same. Whole
    passes are computed where `parallel_config` says.
    """
    check_problem_entry(problem)
    rule = Until() if rule is None else rule
    with spread(problem) as shared:
        yield from train_here(shared, learner, seed, rule, look_every, test, state, cancelled)


def train_here(
    problem: Problem,
    learner: Learner | None,
    seed: int,
    rule: Until,
    look_every: float,
    test: Dataset | Problem | None,
    state: Mapping[str, Any] | None,
    cancelled: Callable[[], bool],
) -> Iterator[Event]:
    """The same, whoever computes the problem's passes."""
    learner = suited_learner(problem)[0]() if learner is None else learner
    check_entry(learner, rule)
    reason = learner.refuses(problem)
    if reason:
        raise Refused(reason)
    yield start_of(problem, learner, seed)
    watch = OracleWatch(problem, learner, price_of(learner))
    steps = metered(problem, learner, np.random.default_rng(seed), state, cancelled, watch)
    if problem.n:
        # Its own meter: looks can be cancelled too, but are not counted as training.
        looked_at = cast("Problem", Metered(problem, Meter(cancelled), watch))
        events = evaluated(steps, looked_at, learner, look_every, test, watch)
    else:
        events = cast("Generator[Step | Evaluated, None, Stopped]", steps)
    yield from until(events, rule, problem.n, count_before(state)[1])


def check_problem_entry(problem: Any) -> None:
    """Refuse what is no problem, before anything is asked of it."""
    missing = lacking(problem)
    if missing:
        raise Refused(
            f"the problem is of type {type(problem).__name__}, without {missing[0]}; give a Problem"
        )


def check_entry(learner: Any, rule: Any) -> None:
    """Refuse what is no learner or no rule to stop."""
    if isinstance(learner, type) or not hasattr(learner, "steps"):
        called = getattr(learner, "__name__", type(learner).__name__)
        raise Refused(
            f"the learner is {called}; give one of LEARNERS with its settings, such as NSlack(C=1.0)"
        )
    if rule is not None and not isinstance(rule, Until):
        raise Refused(f"the rule to stop is of type {type(rule).__name__}; give Until(...), or none")


def lockstep(runs: Mapping[str, Iterator[Event]], by: str) -> Iterator[tuple[str, Event]]:
    """Several runs side by side: the one that is behind on the clock `by` ("oracle_calls" or "seconds") moves
    next.
    """
    clock = dict.fromkeys(runs, 0.0)
    going = dict(runs)
    while going:
        name = min(going, key=lambda run: clock[run])
        for event in going[name]:
            yield name, event
            if isinstance(event, Step):
                clock[name] = float(getattr(event, by))
                break
        else:
            del going[name]
