"""One run as a job that a worker can take turns on: pull a little, change its mind, go on.

A job owns the learner's generator and the newest keyframe. What it hands out is light: keyframes stay here,
and cuts lose their feature vectors (the page can make them again from the labelling). A changed recipe
re-uses the keyframe, so the working set survives a change of C, loss or oracle.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.events import NOT_EXACT, Event, Step, Stopped, bare
from explorer.engine.refusals import NotExact, OracleFault, Refused
from explorer.engine.runs.path import PathPoint, tireless, walk
from explorer.engine.runs.streams import Cancelled, lockstep, train
from explorer.engine.runs.trace import Thinned
from explorer.session.problem_cache import held_out_of, problem_of

RESTARTS = ("task", "stamp", "data", "model", "seed", "learner")
"""A change of one of these cannot re-use the working set: the run starts over.

So it does when a relaxed oracle gives way to another: its fractional cuts bound nothing there."""

OPENING = ("open", "race", "path", "study", "check")
"""The orders that begin a job."""


def light(event: Event) -> Event:
    """The event as it travels to a page: a step without its keyframe and its cuts' feature vectors."""
    if not isinstance(event, Step):
        return event
    return replace(event, state={}, cuts=bare(event.cuts))


def told(fault: Exception) -> str:
    """A fault as one sentence: ours explain themselves, others are named."""
    known = isinstance(fault, Refused | OracleFault | ArithmeticError)
    return str(fault) if known else f"the run broke with {type(fault).__name__}: {str(fault)[:200]}"


@dataclass(frozen=True, slots=True, eq=False)
class InLane:
    """An event of one learner of a race."""

    lane: str
    event: Event


@dataclass(frozen=True, slots=True, eq=False)
class Keyframe:
    """The state after the steps said so far, from which the run can be taken up again; sent when asked
    for.
    """

    steps: int
    state: Mapping[str, Any]


class Job:
    """A run in progress, for one session."""

    def __init__(self, recipe: Recipe, saved: Keyframe | None = None) -> None:
        self.recipe = recipe
        self.cancelled = False
        self.states: Thinned[Mapping[str, Any]] = Thinned(128_000_000)
        self.count = 0
        if saved is not None:
            self.count = saved.steps
            self.states.put(self.count - 1, saved.state)
        self._events = self._open(saved.state if saved is not None else None)

    def _open(self, state: Mapping[str, Any] | None) -> Iterator[Event]:
        """The events of the current recipe, from a keyframe when there is one."""
        return train(
            problem_of(self.recipe)[0],
            self.recipe.make_learner(),
            seed=self.recipe.seed,
            rule=self.recipe.make_rule(),
            test=held_out_of(self.recipe),
            state=state,
            cancelled=lambda: self.cancelled,
        )

    def change(self, recipe: Recipe, at: int | None = None) -> None:
        """Go on under another recipe, from the keyframe of step `at` (the newest by default)."""
        before, after = self.recipe, recipe
        same = all(getattr(before, name) == getattr(after, name) for name in RESTARTS)
        state = None
        if same and self.states.kept:
            _, state = self.states.nearest(self.count if at is None else at)
        else:
            self.states, self.count = Thinned(self.states.budget), 0
        self.recipe, self.cancelled = after, False
        self._events = self._open(state)

    def keyframe(self) -> Keyframe:
        """Where the run stands; without a state before the first step."""
        return Keyframe(self.count, self.states.nearest(self.count)[1] if self.states.kept else {})

    def end(self) -> None:
        """Let go of the run now: run and job hold each other, and its arrays are too large to wait for the
        collector.
        """
        self._events = iter(())

    def pull(self, seconds: float, most: int) -> list[Event]:
        """Up to `most` steps, or as many as fit in about `seconds`, with everything said between them."""
        out: list[Event] = []
        ends, steps = time.perf_counter() + seconds, 0
        try:
            for event in self._events:
                out.append(self._kept(event))
                steps += isinstance(event, Step)
                if isinstance(event, Stopped) or steps >= most or time.perf_counter() >= ends:
                    break
        except Exception as fault:  # noqa: BLE001  # whatever breaks here must not take other people's jobs along
            out.append(Stopped("failed", told(fault), self.count))
        return out

    def _kept(self, event: Event) -> Event:
        """Remember a step's keyframe; hand the step on without it."""
        if not isinstance(event, Step):
            return event
        self.states.put(self.count, event.state)
        self.count += 1
        return light(event)


class Shift:
    """One worker's jobs, taking turns: nobody waits longer than the others' slices."""

    def __init__(self, send: Callable[[str, list[Event]], None], turnseconds: float = 0.05) -> None:
        self.send = send
        self.slice = turnseconds
        self.jobs: dict[str, Any] = {}
        self.wanted: dict[str, float] = {}
        self.pace: dict[str, tuple[float, float]] = {}

    def command(self, name: str, order: str, *args: Any) -> None:
        """Carry out one order for job `name`: open, race, path, study, check, change, play, pause, step,
        keyframe, close.
        """
        if order in OPENING:
            kind = KINDS[order]
            self.wanted[name] = 0
            self.jobs[name] = kind(*args)
        elif order == "close":
            if name in self.jobs:
                self.jobs.pop(name).end()
            self.wanted.pop(name, None)
            self.pace.pop(name, None)
        elif name in self.jobs:
            if order == "change":
                self.jobs[name].change(*args)
            elif order == "play":
                self.wanted[name], self.pace[name] = float("inf"), (args[0], time.perf_counter())
            elif order == "pause":
                self.wanted[name] = 0
            elif order == "step":
                owed = self.wanted[name] if self.wanted[name] < float("inf") else 0
                self.wanted[name], self.pace[name] = owed + args[0], (0.0, 0.0)
            elif order == "keyframe":
                self.send(name, [self.jobs[name].keyframe()])

    @property
    def busy(self) -> bool:
        """Whether any job wants to go on."""
        return any(self.wanted.values())

    def turn(self) -> float:
        """Give every job that wants one a slice; returns how long all of them can wait."""
        idle = 0.5
        wanting = [n for n, want in self.wanted.items() if want]
        # Alone, a job may take longer: a short run then arrives whole, and is drawn once.
        turn = self.slice if len(wanting) > 1 else 2 * self.slice
        for name in wanting:
            per_second, since = self.pace.get(name, (0.0, 0.0))
            now = time.perf_counter()
            if per_second and now < since:
                idle = min(idle, since - now)
                continue
            most = 1 if per_second else min(self.wanted[name], 10_000)
            events = self.jobs[name].pull(turn, int(most))
            idle = 0.0
            if per_second:
                self.pace[name] = (per_second, max(since + 1.0 / per_second, now))
            done = not events or isinstance(events[-1], Stopped)
            steps = sum(isinstance(e, Step) for e in events)
            self.wanted[name] = 0 if done else self.wanted[name] - steps
            if events:
                self.send(name, events)
        return idle


class RaceJob:
    """Several learners on the same problem, kept side by side on one clock; events carry their lane's
    name.
    """

    def __init__(self, lanes: Mapping[str, Recipe], by: str) -> None:
        self.cancelled = False
        self._events = lockstep({name: self._lane(recipe) for name, recipe in lanes.items()}, by)

    def _lane(self, recipe: Recipe) -> Iterator[Event]:
        problem, test = problem_of(recipe)
        learner, rule = recipe.make_learner(), recipe.make_rule()
        return train(
            problem,
            learner,
            seed=recipe.seed,
            rule=rule,
            test=test,
            look_every=2.0,
            cancelled=lambda: self.cancelled,
        )

    def end(self) -> None:
        """Let go of the run now: run and job hold each other, and its arrays are too large to wait for the
        collector.
        """
        self._events = iter(())

    def pull(self, seconds: float, most: int) -> list[Event]:
        """As many events as fit in about `seconds`, each wrapped with its lane; a Stopped at the very end."""
        out: list[Event] = []
        ends = time.perf_counter() + seconds
        try:
            for lane, event in self._events:
                out.append(InLane(lane, light(event)))  # type: ignore[arg-type]  # unpacked by the race's session
                if time.perf_counter() >= ends:
                    return out
            out.append(Stopped("finished", "every learner has stopped", -1))
        except Exception as fault:  # noqa: BLE001  # as in Job.pull
            out.append(Stopped("failed", told(fault), -1))
        return out


class PathJob:
    """The regularisation path of a run's problem and learner: the points, and between them what is tried
    now.
    """

    def __init__(
        self,
        recipe: Recipe,
        span: tuple[float, float, float],
        seconds: float,
    ) -> None:
        self.cancelled = False
        self.left = seconds
        self.count = 0
        problem, test = problem_of(recipe)
        learner = tireless(recipe.make_learner())
        self._events = walk(
            problem, learner, *span, test=test, seed=recipe.seed, cancelled=lambda: self.cancelled
        )

    def end(self) -> None:
        """Let go of the path now, as in Job."""
        self._events = iter(())

    def pull(self, seconds: float, most: int) -> list[Event]:
        """The points that fit in about `seconds`, and the newest step towards the next one."""
        out: list[Any] = []
        begun = time.perf_counter()
        try:
            for said in self._events:
                self.count += isinstance(said, PathPoint)
                if out and not isinstance(out[-1], PathPoint):
                    out.pop()
                out.append(said)
                if time.perf_counter() - begun >= seconds:
                    break
            else:
                out.append(Stopped("finished", "the whole path is traced", self.count))
        except Cancelled:
            out.append(Stopped("cancelled", "the path was cancelled", self.count))
        except NotExact as proof:
            out.append(Stopped(NOT_EXACT, str(proof), self.count))
        except Exception as fault:  # noqa: BLE001  # as in Job.pull
            out.append(Stopped("failed", told(fault), self.count))
        self.left -= time.perf_counter() - begun
        if self.left <= 0.0 and not isinstance(out[-1], Stopped):
            out.append(
                Stopped("seconds", "the path took too long; raise eps or take fewer decades", self.count)
            )
        return out


def study_job(*args: Any) -> Any:
    """A published experiment; its code is loaded by the workers that run one."""
    from explorer.session.study_job import StudyJob

    return StudyJob(*args)


def check_job(*args: Any) -> Any:
    """A step beside an independent solver; its code is loaded by the workers that check one."""
    from explorer.session.check_job import CheckJob

    return CheckJob(*args)


KINDS: Mapping[str, Callable[..., Any]] = {
    "open": Job,
    "race": RaceJob,
    "path": PathJob,
    "study": study_job,
    "check": check_job,
}
"""What each opening order begins."""
