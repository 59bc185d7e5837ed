"""A session: the choices, the trace, the step that is looked at, and the transport that drives its run.

The cursor is a step of the trace; while `following` it stays at the newest one. `tick` rises whenever
something new can be drawn: views watch `tick` and `cursor`, nothing else. All methods run on the page's own
thread; the run is wherever the runner puts it.
"""

from collections.abc import Callable, Iterable
from typing import Any

import param

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.tasks import Task
from explorer.engine.contracts import Dataset, Problem, is_relaxed
from explorer.engine.events import NOT_EXACT, Event, Stopped
from explorer.engine.refusals import Refused
from explorer.engine.runs.trace import Trace
from explorer.session.check import Checking
from explorer.session.choices import MOST_SECONDS, Choices
from explorer.session.glance import Glance
from explorer.session.heading import Heading
from explorer.session.history.kept_runs import KeptRun, KeptRuns, Undo, restore, run_of
from explorer.session.history.sweep import ChoiceSweep
from explorer.session.jobs import Keyframe, keeps_cuts
from explorer.session.path import Tracing
from explorer.session.problem_cache import problem_of, stand_in
from explorer.session.problems.making import MAKING, Making
from explorer.session.reel import Reel
from explorer.session.runner import InThread, Runner
from explorer.session.shared_runs import shared_run
from explorer.session.training import Training
from explorer.session.viewpoint import Viewpoint

STATUS = ("idle", "running", "paused", "stopped", "failed")

PHASES = ("Find most tempting", "Add cut", "Solve again", "Update bounds")
"""What one step consists of, in the order in which it happens."""


class Session(Viewpoint):
    """One user's studio."""

    status: Any = param.Selector(objects=list(STATUS), default="idle")
    message: Any = param.String("", doc="Why the run stopped, or what is wrong.")
    speed: Any = param.Number(
        4.0, bounds=(0.0, 100.0), doc="Steps a second while it is watched; 0 is as fast as it goes."
    )
    traced: Any = param.Integer(0, doc="Rises when there is something new on the regularisation path.")
    kept: Any = param.Integer(0, doc="Rises when runs that were put aside have changed.")
    checked: Any = param.Integer(0, doc="Rises when an independent solver has said more about a step.")

    def __init__(
        self, recipe: Recipe | None = None, runner: Runner | None = None, opened: Iterable[Task] = ()
    ) -> None:
        """`opened` are the tasks outside the catalogue that this user may choose."""
        super().__init__()
        self._owned = [] if runner else [InThread()]
        self.choices = Choices(recipe or Recipe(), opened)
        self.training = Training(runner or self._owned[0])
        self.making = Making(self.training.runner)
        self._play_then: float | None = None
        self.listening: list[Callable[[], None]] = []
        self._refusal = ""
        self.path = Tracing(self.training.runner, lambda: self.param.update(traced=self.traced + 1))
        self.check = Checking(self.training.runner, lambda: self.param.update(checked=self.checked + 1))
        self.glance, self.heading = Glance(self), Heading(self)
        self.reel = Reel(self)
        self.past, self.changes = KeptRuns(), Undo(self)
        self.sweep = ChoiceSweep(self.training.runner, self._keep_pinned)
        self.drawn = 0.0  # seconds that a page has drawn
        self._shown: Recipe | None = None
        self.trained_under = self.choices.recipe()
        self.begin_anew()
        self.choices.param.watch(lambda *_: self.reset(), ["task"])
        self.choices.param.watch(lambda *_: self._change(), ["edits"])

    def apply(self, recipe: Recipe) -> None:
        """Show the choices of a recipe and make its problem; the trace starts empty."""
        self.choices.show(recipe)
        self.reset()

    def recipe(self) -> Recipe:
        """The choices as they stand, frozen."""
        return self.choices.recipe()

    def _change(self) -> None:
        """A choice changed; this can be undone."""
        self.check.forget()
        self.changes.note(self.trained_under)
        self.take_choices()

    def take_choices(self) -> None:
        """Train on under the choices as they are, or begin anew where the working set cannot be kept."""
        try:
            recipe = self.recipe()
            self.path.keep_to(recipe)
            if self.making.must_wait(recipe):
                self.message = MAKING
                self.making.start(recipe, self.take_choices, self._not_made)
                return
            self.making.close()
            problem, test = problem_of(recipe)
            reason = recipe.make_learner().refuses(problem)
        except Refused as refused:
            reason = str(refused)
        if reason:
            self.param.update(status="failed", message=reason)
            return
        tighter = is_relaxed(self.problem) and not is_relaxed(problem)
        self.problem, self.test = problem, test
        if tighter or not keeps_cuts(self.training.recipe or self._shown, recipe):
            was_running = self.status == "running"
            self.begin_anew()
            if was_running:
                self.play()
        else:
            self._go_on(recipe)

    def _go_on(self, recipe: Recipe) -> None:
        """Train on under another recipe; from a finished run that is shown, on a record of our own."""
        self.trained_under = recipe
        if self.training.recipe is None:
            self.trace = self.trace.copy()
            self.training.open(recipe, Keyframe(len(self.trace), self.trace.keyframe()[1]))
        else:
            self.training.change(recipe)
        self.play()

    def reset(self) -> None:
        """Put the run aside, and wait for play; this can be undone."""
        self.changes.note(self.trained_under)
        self.begin_anew()

    def train_again(self) -> None:
        """Train from the start under the choices as they are; the run so far is put aside."""
        self.reset()
        self.play(self.speed)

    def begin_anew(self) -> None:
        """Put the run aside, and stop a path under way; what is proved of the choices' path stays."""
        self.heading.forget()
        self.past.put(run_of(self, self.trained_under))
        recipe = self.trained_under = self.recipe()
        self.path.stop()
        self.path.keep_to(recipe)
        self.check.forget()
        self.training.close()
        self._shown = None
        self.problem, self.test = self._problem_for(recipe)
        self.trace = Trace()
        rest = {"cursor": 0, "phase": 0, "following": True, "playing": False, "tick": self.tick + 1}
        message = MAKING if self.making.under_way else self._refusal
        self.param.update(status="failed" if self._refusal else "idle", message=message, **rest)

    def _problem_for(self, recipe: Recipe) -> tuple[Problem, Dataset | None]:
        """The problem of a recipe; until a worker has made it, or where it is refused, one of the same
        kind.
        """
        self.making.close()
        self._play_then, self._refusal = None, ""
        if self.making.must_wait(recipe):
            self.making.start(recipe, self._made, self._not_made)
            return stand_in(recipe)
        try:
            return problem_of(recipe)
        except Refused as refused:
            self._refusal = str(refused)
            return stand_in(recipe)

    def _made(self) -> None:
        """The problem that was waited for is there: begin with it, and play if that was asked for."""
        then = self._play_then
        self.begin_anew()
        if then is not None:
            self.play(then)

    def _not_made(self, why: str) -> None:
        """The problem cannot be had."""
        self._play_then = None
        self.param.update(status="failed", message=why)

    def _keep_pinned(self, run: KeptRun) -> None:
        """Keep a run of the sweep."""
        self.past.put(run, pinned=True)
        self.kept += 1

    def pin(self, number: int) -> None:
        """Pin the run of this number, or let go of it."""
        self.past.pin(number)
        self.kept += 1

    def forget_run(self, number: int) -> None:
        """Let go of the run of this number for good."""
        run = self.past.run_number(number)
        if run is not None:
            self.past.take(run.trace)
            self.kept += 1

    def bring_back(self, number: int) -> None:
        """Show the run of this number among those that were put aside; this can be undone."""
        run = self.past.run_number(number)
        if run is not None:
            self.changes.note(self.trained_under)
            restore(self, run)

    def show_finished(self) -> None:
        """Show a run of the catalogue as already trained, from the shared store; others wait for play."""
        recipe = self.recipe()
        if recipe.task.source is None:
            self.replay(shared_run(recipe))

    def replay(self, trace: Trace, resume: bool = False) -> None:
        """Show a recorded run, its last step first; with `resume` its keyframe, if any, is gone on from."""
        self.check.forget()
        self.heading.forget()
        if trace is not self.trace:
            self.past.put(run_of(self, self.trained_under))
        self.trained_under, self.trace = self.recipe(), trace
        self._shown = self.recipe() if self.trace.resumable else None
        message = trace.stops[-1][1].sentence if trace.stops else ""
        self.param.update(cursor=self.newest, following=True, status="stopped", message=message)
        self.tick += 1
        if resume and self.trace.resumable:
            self.training.open(self.recipe(), Keyframe(len(trace), trace.keyframe()[1]))
            if not trace.stops or trace.stops[-1][0] < len(trace):
                self.param.update(status="paused", message="")

    def ask_keyframe(self) -> None:
        """Hold the run and have its newest keyframe sent; it arrives with what is collected next."""
        self.pause()
        self.training.order("keyframe")

    def _ensure_open(self) -> None:
        """Have a run that can go on: a new one if there is none, or if it has stopped by itself."""
        if self.training.recipe is not None and not self.training.over:
            return
        self.training.close()
        if len(self.trace):
            self.past.put(run_of(self, self.trained_under))
            self.trace = Trace()
            self.param.update(cursor=0, phase=0)
        self.trained_under = self.recipe()
        self.training.open(self.recipe())

    def play(self, speed: float = 0.0) -> None:
        """Train on: as fast as it goes, or at this many steps a second."""
        if self.making.under_way:
            self._play_then = speed
            self.param.update(status="running", message=MAKING)
            return
        self._ensure_open()
        self.training.order("play", speed)
        self.param.update(status="running", message="", following=True, playing=False)

    def pause(self) -> None:
        """Stop after the step under way."""
        self.heading.forget()
        self.playing = False
        self._play_then = None
        self.training.order("pause")
        if self.status == "running":
            self.status = "paused"

    @property
    def has_next(self) -> bool:
        """Whether there is a step after the one looked at: on record, or still to be trained."""
        return self.cursor < self.newest or self.status not in ("stopped", "failed")

    def step(self) -> None:
        """Move one step on: through the record, or by training one more, unless the run is finished."""
        self.param.update(phase=0, playing=False)
        if self.cursor < self.newest:
            self.param.update(cursor=self.cursor + 1, following=False)
        elif self.has_next:
            self._train_one()
            self.param.update(status="paused", following=True)

    def _train_one(self) -> None:
        if self.making.under_way:
            return
        self._ensure_open()
        self.training.order("step", 1)

    def step_phase(self) -> None:
        """Move one phase on, into the next step on record or one trained for it; the fourth phase arrives
        there.

        The very first step is taken whole: before it there is nothing to look into.
        """
        if self.phase == len(PHASES) - 1 or not self.has_next or not len(self.trace):
            self.step()
            return
        if self.phase == 0 and self.cursor >= self.newest:
            self._train_one()
            self.following = False
        self.param.update(phase=self.phase + 1, playing=False)

    def seek(self, at: int) -> None:
        """Look at any recorded step."""
        at = self.clip(at)
        self.glance.forget()
        self.param.update(phase=0, cursor=at, following=at == self.newest and self.status == "running")

    def collect(self) -> int:
        """Take what the job said since the last call into the trace; returns how many events there were."""
        self.making.collect()
        for listen in list(self.listening):
            listen()
        self.path.collect()
        self.check.collect()
        self.sweep.collect()
        events = self.training.collect()
        changes: dict[str, Any] = {}
        for event in events:
            changes |= self._take(event)
        if events:
            changes["tick"] = self.tick + 1
            if self.following:
                changes |= {"cursor": self.newest} | self.heading.arrive("status" in changes)
            self.param.update(**changes)
            if not self.has_next:
                self.phase = 0
        return len(events)

    def _take(self, event: Event | Keyframe) -> dict[str, Any]:
        """Record an event; returns what it changes, to be seen together with the step it belongs to."""
        if isinstance(event, Keyframe):
            if event.steps == len(self.trace) and not self.trace.resumable:
                self.trace.states.put(event.steps - 1, event.state)
            return {}
        self.trace.append(event)
        if not isinstance(event, Stopped):
            return {}
        status = {"failed": "failed", NOT_EXACT: "failed", "cancelled": "paused"}.get(event.reason, "stopped")
        return {"status": status, "message": event.sentence}

    def trace_path(self, low: float, high: float, eps: float) -> None:
        """Have the regularisation path traced, beside the run and without disturbing it."""
        self.path.start(self.training.key, self.recipe(), (low, high, eps), MOST_SECONDS)

    def check_step(self) -> None:
        """Have the step under the cursor checked by an independent solver, beside the run."""
        self.check.start(self.training.key, self.trace, self.cursor, self.recipe())

    def close(self) -> None:
        """End the run and let go of everything."""
        self.making.close()
        self.path.close()
        self.check.forget()
        self.sweep.close()
        self.training.close()
        for runner in self._owned:
            runner.close()
        self.past, self.trace = KeptRuns(), Trace()
        self.changes.clear()


__all__ = ["PHASES", "STATUS", "Session"]
