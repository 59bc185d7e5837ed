"""A race: two to four learners on one problem, on one clock, each with its own trace.

One race with the settings a visitor finds is run once per process, in the background, and shown to everybody
first.
"""

import threading
import time
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import param

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.tasks import TASKS, Task
from explorer.engine.contracts import Problem
from explorer.engine.events import NOT_EXACT, Stopped
from explorer.engine.learners import LEARNERS, by_name, name_of
from explorer.engine.refusals import Refused
from explorer.engine.runs.trace import Trace
from explorer.session.choices import MOST_SECONDS, refusals
from explorer.session.jobs import InLane
from explorer.session.knobs import editable, values
from explorer.session.memo import Once
from explorer.session.problem_cache import problem_like, problem_of
from explorer.session.problems.making import Making
from explorer.session.runner import Runner

CLOCKS = {"oracle calls": "oracle_calls", "seconds": "seconds"}
MOST_LANES = 4
CHOICES = ["learners", "C", "relative_gap", "passes", "seed", "data", "model"]
"""A change of one of these starts the race over; so does another task, which brings data of its own."""


@dataclass(frozen=True, slots=True)
class Setup:
    """Every choice of a race, as plain data, with every setting of data and model written out."""

    task: Task | str = TASKS[0].name
    data: Mapping[str, Any] = field(default_factory=dict)
    learners: tuple[str, ...] = ("one-slack", "frank-wolfe", "sequential-dual")
    C: float = 10.0
    relative_gap: float = 0.01
    passes: float = 100.0
    seed: int = 0
    clock: str = "oracle calls"
    model: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        recipe = self._problem()
        object.__setattr__(self, "task", recipe.task)
        object.__setattr__(self, "data", recipe.data)
        object.__setattr__(self, "model", recipe.model)

    def _problem(self) -> Recipe:
        return Recipe(self.task, self.data, model=self.model)

    def refusals(self) -> dict[str, str]:
        """Which learners cannot take part, each with its reason; refused if there can be no such data."""
        return refusals(problem_like(self._problem()))

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
        settings = {"C": self.C} if "C" in {f.name for f in fields(by_name(name))} else {}
        return replace(self._problem(), rule=rule, learner=name, settings=settings, seed=self.seed)


FIRST = Setup()


class Race(param.Parameterized):
    """Who runs, on what, and how far they are."""

    task: Any = param.Selector(objects=[t.name for t in TASKS], doc="The problem that all learners get.")
    data = param.Parameter(doc="Settings of the data.")
    model = param.Parameter(doc="Settings of the problem that is made of them.")
    learners = param.ListSelector(
        default=list(FIRST.learners),
        objects=[name_of(c) for c in LEARNERS],
        doc="Who takes part: two to four learners.",
    )
    C = param.Number(FIRST.C, bounds=(1e-3, 1e4), doc="Price of the mean slack, the same for all.")
    relative_gap = param.Number(
        FIRST.relative_gap, bounds=(1e-6, 1.0), doc="A learner is done at this relative gap."
    )
    passes = param.Number(
        FIRST.passes, bounds=(1.0, 2000.0), doc="A learner gives up after this many passes."
    )
    seed = param.Integer(FIRST.seed, bounds=(0, 9999), doc="Seed of the learners' random choices.")
    clock: Any = param.Selector(
        objects=list(CLOCKS), doc="The learner that is behind on this clock moves next."
    )
    status: Any = param.Selector(objects=["idle", "running", "paused", "stopped", "failed"], default="idle")
    message = param.String("")
    refusal = param.String("", doc="Why the choices as they are now cannot race; the race before them stays.")
    tick = param.Integer(0)

    log_scaled = frozenset({"C", "relative_gap"})

    def __init__(
        self,
        runner: Runner,
        data: Mapping[str, Any] | None = None,
        model: Mapping[str, Any] | None = None,
        opened: Iterable[Task] = (),
        **params: Any,
    ) -> None:
        """`opened` are the tasks outside the catalogue that this user may choose."""
        task = params.pop("task", self.param.task.default)
        if "learners" in params:
            params["learners"] = list(params["learners"])
        super().__init__(**params)
        brought = (*opened, task) if isinstance(task, Task) else opened
        self.tasks = {known.name: known for known in (*TASKS, *brought)}
        self.param.task.objects = list(self.tasks)
        self.task = str(task)
        self.runner, self.making = runner, Making(runner)
        self.key = ""
        self.traces: dict[str, Trace] = {}
        self._fresh: dict[str, Trace] = {}
        self.watched: Race | None = None
        self._seen = 0
        self.param.update(**self._records(data or {}, model or {}))
        self.param.watch(lambda *_: self._new_task(), ["task"])
        self.param.watch(lambda *_: self.start_over(), CHOICES)
        self.param.watch(lambda *_: self._new_clock(), ["clock"])

    def _records(self, data: Mapping[str, Any], model: Mapping[str, Any]) -> dict[str, param.Parameterized]:
        """The task's data and model as something that can be edited; an edit starts the race over."""
        recipe = Recipe(self.tasks[self.task], data, model=model)
        records = recipe.records
        found = {
            "data": editable(type(records.data))(**recipe.data),
            "model": editable(type(records.model))(**recipe.model),
        }
        for name, record in found.items():
            self._watch(name, record)
        return found

    def _watch(self, name: str, record: param.Parameterized) -> None:
        def edited(*_: Any) -> None:
            if record is getattr(self, name):
                self.param.trigger(name)

        record.param.watch(edited, [setting for setting in record.param if setting != "name"])

    def _new_task(self) -> None:
        """Another task has its own data, and takes of the learners those that can take part."""
        refused = Setup(self.tasks[self.task]).refusals()
        able = [name for name in self.learners if name not in refused]
        self.param.update(**self._records({}, {}), learners=able)

    def setup(self) -> Setup:
        """The choices as they stand, frozen."""
        chosen = {f.name: getattr(self, f.name) for f in fields(Setup)}
        records = {"task": self.tasks[self.task], "data": values(self.data), "model": values(self.model)}
        return Setup(**(chosen | records | {"learners": tuple(self.learners)}))

    def refusals(self) -> dict[str, str]:
        """Which learners cannot take part, each with its reason; refused if there can be no such data."""
        return self.setup().refusals()

    def play(self) -> None:
        """Start, or go on; a finished race is run again. Choices that cannot race change nothing."""
        fresh = self.status == "stopped" or self.watched or not self.key
        if fresh and not self._open():
            return
        self.runner.order(self.key, "play", 0.0)
        self.param.update(status="running", message="")

    def _open(self) -> bool:
        """Bring the learners to the start. What was shown stays until they move, or if one cannot take
        part.
        """
        lanes = self._lanes()
        if lanes is None:
            return False
        self._forget()
        self.key = uuid.uuid4().hex
        self._fresh = {name: Trace() for name in lanes}
        self.runner.order(self.key, "race", lanes, CLOCKS[self.clock])
        return True

    def _lanes(self) -> dict[str, Recipe] | None:
        """The recipe of every learner, or none where the choices cannot race, which is said."""
        try:
            lanes, refusal = self.setup().lanes(), ""
        except Refused as refused:
            lanes, refusal = None, str(refused)
        self.refusal = refusal
        return lanes

    def watch(self, other: "Race") -> None:
        """Show another race, to its end if it is still under way; its record is read, never written."""
        self._forget()
        self.watched, self._seen = other, 0
        self._look(other)

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
        """Race again under the choices as they are now; before the first start, wait for it.

        Choices that cannot race leave the race as it is: it goes on, and why is said.
        """
        if self._lanes() is None:
            return
        self._forget()
        if self.status != "idle":
            self.play()

    def _new_clock(self) -> None:
        """Every record has both clocks: a finished race is only drawn anew, one under way starts over."""
        if self.status == "stopped":
            self.tick += 1
        else:
            self.start_over()

    @property
    def ended(self) -> bool:
        """Whether the race is over and nobody has taken that in yet."""
        return (
            self.watched.status != "running"
            if self.watched
            else bool(self.key) and self.runner.has_ended(self.key)
        )

    def problem(self, recipe: Recipe) -> Problem | None:
        """The problem of a lane, to be looked at; none until a worker has made it."""
        if not self.making.must_wait(recipe):
            return problem_of(recipe)[0]
        if self.making.recipe != recipe:
            self.making.start(recipe, lambda: self.param.update(tick=self.tick + 1), lambda why: None)
        return None

    def collect(self) -> int:
        """Take in what the learners said since the last call; returns how much that was."""
        self.making.collect()
        if self.watched:
            return self._look(self.watched)
        events = self.runner.collect(self.key) if self.key else []
        if events:
            self.param.update(tick=self.tick + 1, **self._taken(events))
        return len(events)

    def _look(self, other: "Race") -> int:
        """Take over where the watched race stands; once it has ended there is nothing more to watch."""
        status, message = other.status, other.message
        self.traces = other.traces
        seen = sum(len(trace) for trace in self.traces.values())
        if status != "running":
            self.watched = None
        new, self._seen = seen - self._seen, seen
        if new or status != self.status:
            self.param.update(status=status, message=message, tick=self.tick + 1)
        return new

    def _taken(self, events: Iterable[Any]) -> dict[str, str]:
        """Put every event into its learner's trace; what is to be said of the end, if it is among them."""
        said = {}
        for event in events:
            if isinstance(event, InLane):
                self.traces = self._fresh
                self.traces[event.lane].append(event.event)
            elif isinstance(event, Stopped):
                said = {
                    "status": "failed" if event.reason in ("failed", NOT_EXACT) else "stopped",
                    "message": event.sentence,
                }
        return said

    def close(self) -> None:
        """End the race's job; there may be no page left to tell."""
        self.making.close()
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


__all__ = ["CLOCKS", "FIRST", "MOST_LANES", "Race", "Setup", "first_race"]
