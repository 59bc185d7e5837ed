"""A race: two to four learners on one problem, on one clock, each with its own trace.

One race with the settings a visitor finds is run once per process, in the background, and shown to everybody first.
"""

import threading
import time
import uuid
from typing import Any

import param

from explorer.engine.events import Stopped
from explorer.engine.learners import LEARNERS, by_name, name_of
from explorer.engine.protocols import Refused
from explorer.engine.tasks import TASKS, Recipe
from explorer.engine.trace import Trace
from explorer.session.jobs import InLane
from explorer.session.once import Once
from explorer.session.runner import Runner
from explorer.session.state import MOST_SECONDS, problem_of

CLOCKS = {"oracle calls": "oracle_calls", "seconds": "seconds"}
MOST_LANES = 4


class Race(param.Parameterized):
    """Who runs, on what, and how far they are."""

    task = param.Selector(objects=[t.name for t in TASKS], doc="The problem that all learners get.")
    learners = param.ListSelector(
        default=["one-slack", "frank-wolfe", "sequential-dual"],
        objects=[name_of(c) for c in LEARNERS],
        doc="Who takes part: two to four learners.",
    )
    C = param.Number(10.0, bounds=(1e-3, 1e4), doc="Price of the mean slack, the same for all.")
    relative_gap = param.Number(0.01, bounds=(1e-6, 1.0), doc="A learner is done at this relative gap.")
    passes = param.Number(100.0, bounds=(1.0, 2000.0), doc="A learner gives up after this many passes.")
    clock = param.Selector(objects=list(CLOCKS), doc="The learner that is behind on this clock moves next.")
    status = param.Selector(objects=["idle", "running", "paused", "stopped", "failed"], default="idle")
    message = param.String("")
    tick = param.Integer(0)

    def __init__(self, runner: Runner, **params: Any) -> None:
        super().__init__(**params)
        self.runner = runner
        self.key = ""
        self.traces: dict[str, Trace] = {}
        self._fresh: dict[str, Trace] = {}
        self.watched: Race | None = None
        self.param.watch(lambda *_: self.start_over(), ["task", "learners", "C", "relative_gap", "passes"])
        self.param.watch(lambda *_: self._new_clock(), ["clock"])

    def lanes(self) -> dict[str, Recipe]:
        """The recipe of every learner; refused when they are too many, too few, or not for this problem."""
        if not 2 <= len(self.learners) <= MOST_LANES:
            raise Refused(f"choose two to four learners, not {len(self.learners)}")
        refused = self.refusals()
        for name in self.learners:
            if name in refused:
                raise Refused(f"{by_name(name).title} cannot take part: {refused[name]}")
        return {name: self._recipe(name) for name in self.learners}

    def _recipe(self, name: str) -> Recipe:
        rule = {"relative_gap": self.relative_gap, "passes": self.passes, "seconds": MOST_SECONDS}
        settings = {"C": self.C} if "C" in by_name(name).__dataclass_fields__ else {}  # type: ignore[attr-defined]
        return Recipe(task=self.task, rule=rule, learner=name, settings=settings)

    def refusals(self) -> dict[str, str]:
        """Which learners cannot take part in this task, each with its reason."""
        problem, _ = problem_of(Recipe(task=self.task))
        reasons = {name_of(kind): kind().refuses(problem) for kind in LEARNERS}
        return {name: reason for name, reason in reasons.items() if reason}

    def play(self) -> None:
        """Start, or go on; a finished race is run again."""
        if self.status == "stopped" or self.watched:
            self._forget()
        if not self.key and not self._open():
            return
        self.runner.order(self.key, "play", 0.0)
        self.param.update(status="running", message="")

    def _open(self) -> bool:
        """Bring the learners to the start. What was shown stays until they move, or if one cannot take part."""
        try:
            lanes = self.lanes()
        except Refused as refusal:
            self.param.update(status="failed", message=str(refusal))
            return False
        self.key = uuid.uuid4().hex
        self._fresh = {name: Trace() for name in lanes}
        self.runner.order(self.key, "race", lanes, CLOCKS[self.clock])
        return True

    def watch(self, other: "Race") -> None:
        """Show another race, to its end if it is still under way; its record is read, never written."""
        self._forget()
        self.watched = other
        self._look()

    def pause(self) -> None:
        """Hold all learners where they are; from a race of others, look away."""
        self.watched = None
        if self.key:
            self.runner.order(self.key, "pause")
        self.status = "paused"

    def reset(self) -> None:
        """Forget the race."""
        self._forget()
        self.traces = {}
        self.param.update(status="idle", message="", tick=self.tick + 1)

    def _forget(self) -> None:
        if self.key:
            self.runner.order(self.key, "close")
        self.key, self.watched = "", None

    def start_over(self) -> None:
        """Race again under the choices as they are now; before the first start, wait for it."""
        self._forget()
        if self.status != "idle":
            self.play()

    def _new_clock(self) -> None:
        """Every record has both clocks: a finished race is only drawn anew, one under way starts over."""
        if self.status == "stopped":
            self.tick += 1
        else:
            self.start_over()

    def collect(self) -> None:
        """Take in what the learners said."""
        if self.watched:
            self._look()
        elif self.key:
            events = self.runner.collect(self.key)
            for event in events:
                self._take(event)
            if events:
                self.tick += 1

    def _look(self) -> None:
        """Take over where the watched race stands; once it has ended there is nothing more to watch."""
        other = self.watched
        assert other is not None
        status, message = other.status, other.message
        self.traces = other.traces
        if status != "running":
            self.watched = None
        self.param.update(status=status, message=message, tick=self.tick + 1)

    def _take(self, event: Any) -> None:
        if isinstance(event, InLane):
            self.traces = self._fresh
            self.traces[event.lane].append(event.event)
        elif isinstance(event, Stopped):
            self.param.update(status="failed" if event.reason == "failed" else "stopped", message=event.sentence)

    def close(self) -> None:
        """End the race's job; there may be no page left to tell."""
        self._forget()
        self.traces = {}


def _begun(runner: Runner) -> Race:
    race = Race(runner)
    race.play()
    threading.Thread(target=_attend, args=(race,), name="explorer-first-race", daemon=True).start()
    return race


def _attend(race: Race) -> None:
    """Collect a race that no page collects."""
    while race.status == "running":
        race.collect()
        time.sleep(0.1)


first_race = Once(_begun, most=1)
"""The race that every visitor of this runner sees first: begun once, in the background."""


__all__ = ["CLOCKS", "MOST_LANES", "Race", "first_race"]
