"""A session: the choices, the trace, the step that is looked at, and the transport that drives its job.

Choices live in Param objects made from the knobs; `recipe()` freezes them. The cursor is a step of the trace;
while `following` it stays at the newest one. `tick` rises whenever something new can be drawn: views watch
`tick` and `cursor`, nothing else. All methods run on the page's own thread; the job runs wherever the runner
puts it.
"""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import param

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.tasks import TASKS, Task
from explorer.engine.contracts import Dataset, Problem, relaxed
from explorer.engine.events import NOT_EXACT, Event, Stopped
from explorer.engine.learners import LEARNERS, by_name, name_of
from explorer.engine.refusals import Refused
from explorer.engine.runs.path import refusal
from explorer.engine.runs.streams import Until, train
from explorer.engine.runs.trace import Moment, Trace, recorded
from explorer.session import run_store as shelf
from explorer.session.check import Checking
from explorer.session.jobs import RESTARTS, Keyframe
from explorer.session.knobs import editable, values
from explorer.session.memo import Once
from explorer.session.path import Tracing
from explorer.session.problem_cache import problem_of
from explorer.session.runner import InThread, Runner

STATUS = ("idle", "running", "paused", "stopped", "failed")

PHASES = ("Find most violated", "Add cut", "Solve again", "Update bounds")
"""What one step consists of, in the order in which it happens."""

MOST_SECONDS = 600.0
"""No run trains longer than this in a session."""


def _capped(rule: Mapping[str, Any]) -> dict[str, Any]:
    """A stopping rule under which no run trains longer than a session allows."""
    return dict(rule) | {"seconds": min(rule["seconds"] or MOST_SECONDS, MOST_SECONDS)}


def _bounded(recipe: Recipe) -> Recipe:
    """The recipe as a session trains it."""
    return replace(recipe, rule=_capped(recipe.rule))


def _finished(recipe: Recipe) -> Trace:
    found = shelf.kept(recipe)
    if found is not None:
        return found
    problem, test = problem_of(recipe)
    trace = Trace()
    events = train(problem, recipe.make_learner(), seed=recipe.seed, rule=recipe.make_rule(), test=test)
    for _ in recorded(events, trace):
        pass
    shelf.keep(recipe, trace)
    return trace


_runs = Once(_finished, most=48, key=Recipe.key)


def shared_run(recipe: Recipe) -> Trace:
    """The recipe's run trained to its end, made once and shared, for a first page that shows something at
    once.
    """
    return _runs(_bounded(recipe))


def ready_run(recipe: Recipe) -> Trace | None:
    """The shared run if it has been made; never waits for it."""
    return _runs.ready(_bounded(recipe))


def on_shelf(recipe: Recipe) -> bool:
    """Whether the recipe's run is kept on disk: then asking for it takes a moment, not a training."""
    return shelf.place(_bounded(recipe)).exists()


class Session(param.Parameterized):
    """One user's studio."""

    task = param.Selector(
        objects=[t.name for t in TASKS], doc="What is learned: data, labels and feature map."
    )
    loss = param.Selector(objects=["hamming"], doc="How wrong a labelling is.")
    scaling = param.Selector(
        objects=["margin", "slack"], doc="What the loss scales: the margin asked for, or the slack."
    )
    penalty = param.Selector(
        objects=["linear", "squared"], doc="What a slack costs: itself, or half its square."
    )
    oracle = param.Selector(
        objects=["Viterbi"], check_on_set=False, doc="How the most violated labelling is found in training."
    )
    predictor = param.Selector(
        objects=["Viterbi"], check_on_set=False, doc="How labels are predicted afterwards."
    )
    learner = param.Selector(
        objects=[name_of(c) for c in LEARNERS], default="one-slack", doc="The training algorithm."
    )
    seed = param.Integer(0, bounds=(0, 9999), doc="Seed of the learner's random choices.")
    data = param.Parameter(doc="Settings of the data.")
    model = param.Parameter(doc="Settings of the problem that is made of them.")
    settings = param.Parameter(doc="Settings of the learner.")
    rule = param.Parameter(doc="When to stop.")

    status = param.Selector(objects=list(STATUS), default="idle")
    message = param.String("", doc="Why the run stopped, or what is wrong.")
    cursor = param.Integer(0, bounds=(0, None), doc="The step that all views show.")
    following = param.Boolean(True, doc="Whether the cursor stays at the newest step.")
    phase = param.Integer(0, bounds=(0, 3), doc="How far into the next step the views look.")
    speed = param.Number(0.0, bounds=(0.0, 100.0), doc="Steps per second; 0 is as fast as it goes.")
    example = param.Integer(0, bounds=(0, None), doc="The example that structure views show.")
    split = param.Selector(objects=["training", "test"], doc="Which data the example is one of.")
    tick = param.Integer(0, doc="Rises when there is something new to draw.")
    traced = param.Integer(0, doc="Rises when there is something new on the regularisation path.")
    checked = param.Integer(0, doc="Rises when an independent solver has said more about a step.")

    def __init__(
        self, recipe: Recipe | None = None, runner: Runner | None = None, opened: Iterable[Task] = ()
    ) -> None:
        """`opened` are the tasks outside the catalogue that this user may choose."""
        super().__init__()
        recipe = recipe or Recipe()
        self.tasks = {task.name: task for task in (*TASKS, *opened, recipe.task)}
        self.param.task.objects = list(self.tasks)
        self.key = uuid.uuid4().hex
        self.runner: Runner = runner or InThread()
        self._owns_runner = runner is None
        self.trace = Trace()
        self.problem: Problem
        self.test: Dataset | None
        self._opened: Recipe | None = None
        self._shown: Recipe | None = None
        self._held_out: tuple[Problem, Problem] | None = None
        self._before_glance: tuple[int, int, bool] | None = None
        self._glanced_at = -1
        self.path = Tracing(self.runner, lambda: self.param.update(traced=self.traced + 1))
        self.check = Checking(self.runner, lambda: self.param.update(checked=self.checked + 1))
        self.apply(recipe)
        self._watch_choices()

    # choices ------------------------------------------------------------------------------------------------

    def apply(self, recipe: Recipe) -> None:
        """Show the choices of a recipe and make its problem; the trace starts empty."""
        task = recipe.task
        with param.parameterized.discard_events(self):
            self._offer(task)
            self.param.update(
                task=task.name,
                loss=recipe.loss,
                scaling=recipe.scaling,
                penalty=recipe.penalty,
                oracle=recipe.oracle,
                predictor=recipe.predictor,
                learner=recipe.learner,
                seed=recipe.seed,
            )
        self.data = editable(task.data)(**recipe.data)
        self.model = editable(type(task.model))(**recipe.model)
        self.settings = editable(by_name(recipe.learner))(**recipe.settings)
        self.rule = editable(Until)(**recipe.rule)
        self._watch_settings()
        self.reset()

    def _offer(self, task: Task) -> None:
        """Let the selectors list what the task has."""
        self.tasks.setdefault(task.name, task)
        self.param.task.objects = list(self.tasks)
        self.param.loss.objects = list(task.losses)
        self.param.oracle.objects = list(task.oracles)
        self.param.predictor.objects = list(task.oracles)

    def recipe(self) -> Recipe:
        """The choices as they stand, frozen."""
        return self._choices(settings=values(self.settings))

    def _choices(self, settings: Mapping[str, Any]) -> Recipe:
        names = ("task", "loss", "scaling", "penalty", "oracle", "predictor", "learner", "seed")
        chosen = {name: getattr(self, name) for name in names} | {"task": self.tasks[self.task]}
        records = {"data": values(self.data), "model": values(self.model), "rule": _capped(values(self.rule))}
        return Recipe(**chosen, **records, settings=settings)

    def refusals(self) -> dict[str, str]:
        """Which learners refuse the problem as it stands, each with its reason."""
        out = {}
        for learner in LEARNERS:
            reason = learner().refuses(self.problem)
            if reason:
                out[name_of(learner)] = reason
        return out

    def _watch_choices(self) -> None:
        self.param.watch(self._new_task, ["task"])
        self.param.watch(self._new_learner, ["learner"])
        self.param.watch(self._changed, ["loss", "scaling", "penalty", "oracle", "predictor", "seed"])

    def _watch_settings(self) -> None:
        for part in (self.data, self.model, self.settings, self.rule):
            part.param.watch(self._changed, [name for name in part.param if name != "name"])

    def _new_task(self, event: Any) -> None:
        self.apply(Recipe(self.tasks[self.task]))

    def _new_learner(self, event: Any) -> None:
        C = getattr(self.settings, "C", None)
        record = editable(by_name(self.learner))(**self._choices(settings={}).settings)
        if C is not None and "C" in record.param:
            record.C = C
        self.settings = record
        record.param.watch(self._changed, [name for name in record.param if name != "name"])
        self._changed()

    def _changed(self, *events: Any) -> None:
        """A choice changed: keep the working set where it can be kept, and say what cannot be had."""
        self.check.forget()
        try:
            recipe = self.recipe()
            self.path.keep_to(recipe)
            problem, test = problem_of(recipe)
            reason = recipe.make_learner().refuses(problem)
        except Refused as refusal:
            reason = str(refusal)
        if reason:
            self.param.update(status="failed", message=reason)
            return
        tighter = relaxed(self.problem) and not relaxed(problem)
        self.problem, self.test = problem, test
        before = self._opened or self._shown
        anew = before is None or any(getattr(before, name) != getattr(recipe, name) for name in RESTARTS)
        if anew or tighter:
            was_running = self.status == "running"
            self.reset()
            if was_running:
                self.play()
            return
        if self._opened is None:
            # A finished run is shown: go on from it, on a record of our own.
            self.trace = self.trace.copy()
            self._open(Keyframe(len(self.trace), self.trace.keyframe()[1]))
        else:
            self._opened = recipe
            self.runner.order(self.key, "change", recipe)
        self.play()

    # transport ----------------------------------------------------------------------------------------------

    def reset(self) -> None:
        """Forget the run, and stop a path under way; the choices stay, and so does what is proved of their
        path.
        """
        self.path.stop()
        self.path.keep_to(self.recipe())
        self.check.forget()
        if self._opened is not None:
            self.runner.order(self.key, "close")
            self.key = uuid.uuid4().hex
        self._opened = self._shown = None
        self.problem, self.test = problem_of(self.recipe())
        self.trace = Trace()
        self.param.update(status="idle", message="", cursor=0, phase=0, following=True, tick=self.tick + 1)

    def show_finished(self) -> None:
        """Show a run of the catalogue as already trained, from the shared store; others wait for play."""
        recipe = self.recipe()
        if recipe.task.source is None:
            self.replay(shared_run(recipe))

    def replay(self, trace: Trace, resume: bool = False) -> None:
        """Show a recorded run, its last step first; with `resume` training goes on from its keyframe, if it
        has one.
        """
        self.check.forget()
        self.trace = trace
        self._shown = self.recipe() if self.resumable else None
        last = max(0, len(trace) - 1)
        message = trace.stops[-1][1].sentence if trace.stops else ""
        self.param.update(cursor=last, following=True, status="stopped", message=message, tick=self.tick + 1)
        if resume and self.resumable:
            self._open(Keyframe(len(trace), trace.keyframe()[1]))
            if not trace.stops or trace.stops[-1][0] < len(trace):
                self.param.update(status="paused", message="")

    @property
    def resumable(self) -> bool:
        """Whether the newest step is there with its keyframe, so that a saved run could be taken up again."""
        return bool(len(self.trace) and self.trace.keyframe()[1])

    def ask_keyframe(self) -> None:
        """Hold the run and have its newest keyframe sent; it arrives with what is collected next."""
        self.pause()
        self.runner.order(self.key, "keyframe")

    def _ensure_open(self) -> None:
        if self._opened is None:
            if len(self.trace):
                self.trace = Trace()
                self.param.update(cursor=0, phase=0)
            self._open()

    def _open(self, saved: Keyframe | None = None) -> None:
        """Give the worker the recipe, and the keyframe to go on from."""
        self._opened = self.recipe()
        self.runner.order(self.key, "open", self._opened, saved)

    def play(self) -> None:
        """Train on, at the chosen speed."""
        self._ensure_open()
        self.runner.order(self.key, "play", self.speed)
        self.param.update(status="running", message="", following=True)

    def pause(self) -> None:
        """Stop after the step under way."""
        self.runner.order(self.key, "pause")
        if self.status == "running":
            self.status = "paused"

    @property
    def has_next(self) -> bool:
        """Whether there is a step after the one looked at: on record, or still to be trained."""
        return self.cursor < len(self.trace) - 1 or self.status not in ("stopped", "failed")

    def step(self) -> None:
        """Move one step on: through the record, or by training one more; at the end of a finished run,
        stay.
        """
        self.phase = 0
        if self.cursor < len(self.trace) - 1:
            self.param.update(cursor=self.cursor + 1, following=False)
        elif self.has_next:
            self._ensure_open()
            self.runner.order(self.key, "step", 1)
            self.param.update(status="paused", following=True)

    def step_back(self) -> None:
        """Look one step earlier; nothing is lost."""
        self.param.update(phase=0, cursor=max(0, self.cursor - 1), following=False)

    def step_phase(self) -> None:
        """Move one phase on, into the next step on record or one trained for it; the fourth phase arrives
        there.

        The very first step is taken whole: before it there is nothing to look into.
        """
        if self.phase == len(PHASES) - 1 or not self.has_next or not len(self.trace):
            self.step()
            return
        if self.phase == 0 and self.cursor >= len(self.trace) - 1:
            self._ensure_open()
            self.runner.order(self.key, "step", 1)
            self.following = False
        self.phase += 1

    @property
    def next_phase(self) -> str:
        """What step_phase will do."""
        return PHASES[self.phase]

    def seek(self, at: int) -> None:
        """Look at any recorded step."""
        last = max(0, len(self.trace) - 1)
        at = min(max(0, at), last)
        self._before_glance = None
        self.param.update(phase=0, cursor=at, following=at == last and self.status == "running")

    def glance(self, at: int) -> None:
        """Look at a recorded step for as long as the pointer is on it; `look_back` returns to the step looked
        at before.
        """
        before = self._before_glance if self.glancing else (self.cursor, self.phase, self.following)
        self._glanced_at = min(max(0, at), max(0, len(self.trace) - 1))
        self._before_glance = before
        self.param.update(phase=0, cursor=self._glanced_at, following=False)

    @property
    def glancing(self) -> bool:
        """Whether the step is only glanced at: nothing has moved on from there since."""
        now = (self.cursor, self.phase, self.following)
        return self._before_glance is not None and now == (self._glanced_at, 0, False)

    @property
    def settled(self) -> int:
        """The step to which the page returns from a glance; without one, the step that is looked at."""
        return self._before_glance[0] if self.glancing and self._before_glance else self.cursor

    def look_back(self) -> None:
        """Return from a glance; to the newest step if the page followed the run."""
        if self.glancing and self._before_glance:
            cursor, phase, following = self._before_glance
            newest = max(0, len(self.trace) - 1)
            self._before_glance = None
            self.param.update(cursor=newest if following else cursor, phase=phase, following=following)

    @property
    def ended(self) -> bool:
        """Whether the run is over although the record does not say so yet."""
        return self.runner.ended(self.key)

    def collect(self) -> int:
        """Take what the job said since the last call into the trace; returns how many events there were."""
        self.path.collect()
        self.check.collect()
        events = self.runner.collect(self.key)
        changes: dict[str, Any] = {}
        for event in events:
            changes |= self._take(event)
        if events:
            changes["tick"] = self.tick + 1
            if self.following:
                changes["cursor"] = max(0, len(self.trace) - 1)
            self.param.update(**changes)
            if not self.has_next:
                self.phase = 0
        return len(events)

    def _take(self, event: Event | Keyframe) -> dict[str, Any]:
        """Record an event; returns what it changes, to be seen together with the step it belongs to."""
        if isinstance(event, Keyframe):
            if event.steps == len(self.trace) and not self.resumable:
                self.trace.states.put(event.steps - 1, event.state)
            return {}
        self.trace.append(event)
        if not isinstance(event, Stopped):
            return {}
        status = {"failed": "failed", NOT_EXACT: "failed", "cancelled": "paused"}.get(event.reason, "stopped")
        return {"status": status, "message": event.sentence}

    def trace_path(self, low: float, high: float, eps: float) -> None:
        """Have the regularisation path traced, beside the run and without disturbing it."""
        self.path.start(self.key, self.recipe(), (low, high, eps), MOST_SECONDS)

    def check_step(self) -> None:
        """Have the step under the cursor checked by an independent solver, beside the run."""
        self.check.start(self.key, self.trace, self.cursor, self.recipe())

    def no_path(self) -> str:
        """Why the choices as they stand have no path; empty if they have one."""
        recipe = self.recipe()
        try:
            return refusal(problem_of(recipe)[0], recipe.make_learner()) or ""
        except Refused as refused:
            return str(refused)

    def moment(self) -> Moment | None:
        """The step under the cursor, if there is one."""
        return self.trace.at(self.cursor) if len(self.trace) else None

    @property
    def shown(self) -> Problem:
        """The problem on the data that the chosen example is one of."""
        if self.split == "training" or self.test is None:
            return self.problem
        if self._held_out is None or self._held_out[0] is not self.problem:
            self._held_out = self.problem, self.problem.on(self.test)
        return self._held_out[1]

    @property
    def trained_on(self) -> int | None:
        """The chosen example where it is a training example, else None."""
        return self.example if self.shown is self.problem else None

    def close(self) -> None:
        """End the job and let go of everything."""
        self.path.close()
        self.check.forget()
        self.runner.order(self.key, "close")
        if self._owns_runner:
            self.runner.close()
        self.trace = Trace()


__all__ = ["PHASES", "STATUS", "Session", "problem_of", "ready_run", "shared_run"]
