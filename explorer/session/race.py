"""A race: two to four learners on one problem, on one clock, each with its own trace."""

import uuid
from dataclasses import replace
from typing import Any

import param

from explorer.engine.learners import LEARNERS, by_name, name_of
from explorer.engine.protocols import Refused
from explorer.engine.tasks import TASKS, Recipe
from explorer.engine.trace import Trace
from explorer.session.jobs import InLane
from explorer.session.runner import Runner
from explorer.session.state import MOST_SECONDS, problem_of

CLOCKS = {"oracle calls": "oracle_calls", "seconds": "seconds"}
MOST_LANES = 4


class Race(param.Parameterized):
    """Who runs, on what, and how far they are."""

    task = param.Selector(objects=[t.name for t in TASKS], doc="The problem that all learners get.")
    learners = param.ListSelector(
        default=["one-slack", "frank-wolfe", "subgradient"],
        objects=[name_of(c) for c in LEARNERS],
        doc="Two to four learners.",
    )
    C = param.Number(10.0, bounds=(1e-3, 1e4), doc="Price of the mean slack, the same for all.")
    relative_gap = param.Number(0.01, bounds=(1e-6, 1.0), doc="A learner is done at this relative gap.")
    passes = param.Number(100.0, bounds=(1.0, 2000.0), doc="A learner gives up after this many passes.")
    clock = param.Selector(objects=list(CLOCKS), doc="What keeps the learners side by side.")
    status = param.Selector(objects=["idle", "running", "paused", "stopped", "failed"], default="idle")
    message = param.String("")
    tick = param.Integer(0)

    def __init__(self, runner: Runner, **params: Any) -> None:
        super().__init__(**params)
        self.runner = runner
        self.key = ""
        self.traces: dict[str, Trace] = {}
        self.param.watch(lambda *_: self.reset(), ["task", "learners", "C", "relative_gap", "passes", "clock"])

    def lanes(self) -> dict[str, Recipe]:
        """The recipe of every learner; refused when they are too many, too few, or not for this problem."""
        if not 2 <= len(self.learners) <= MOST_LANES:
            raise Refused(f"choose two to {MOST_LANES} learners; {len(self.learners)} are chosen")
        rule = {"relative_gap": self.relative_gap, "passes": self.passes, "seconds": MOST_SECONDS}
        base = Recipe(task=self.task, rule=rule)
        problem, _ = problem_of(base)
        out = {}
        for name in self.learners:
            settings = {"C": self.C} if "C" in by_name(name).__dataclass_fields__ else {}  # type: ignore[attr-defined]
            recipe = replace(base, learner=name, settings=settings)
            reason = recipe.make_learner().refuses(problem)
            if reason:
                raise Refused(f"{by_name(name).title} cannot take part: {reason}")
            out[name] = recipe
        return out

    def play(self) -> None:
        """Start, or go on."""
        if not self.key:
            try:
                lanes = self.lanes()
            except Refused as refusal:
                self.param.update(status="failed", message=str(refusal))
                return
            self.key = uuid.uuid4().hex
            self.traces = {name: Trace() for name in lanes}
            self.runner.order(self.key, "race", lanes, CLOCKS[self.clock])
        self.runner.order(self.key, "play", 0.0)
        self.param.update(status="running", message="")

    def pause(self) -> None:
        """Hold all learners where they are."""
        self.runner.order(self.key, "pause")
        self.status = "paused"

    def reset(self) -> None:
        """Forget the race."""
        if self.key:
            self.runner.order(self.key, "close")
        self.key, self.traces = "", {}
        self.param.update(status="idle", message="", tick=self.tick + 1)

    def collect(self) -> None:
        """Take in what the learners said."""
        if not self.key:
            return
        events = self.runner.collect(self.key)
        for event in events:
            if isinstance(event, InLane):
                self.traces[event.lane].append(event.event)
            elif hasattr(event, "sentence"):
                self.param.update(status="failed" if event.reason == "failed" else "stopped", message=event.sentence)
        if events:
            self.tick += 1

    def close(self) -> None:
        """End the race's job."""
        self.reset()
