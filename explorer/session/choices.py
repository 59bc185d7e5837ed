"""What a user chose, as something that can be edited; `recipe` freezes it.

The settings of data, model, learner and stopping rule are Param objects made from their knobs: another task
brings its own data and model, another learner its own settings. `edits` rises with every change, except that
of the task, which changes everything else as well.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import param

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.tasks import TASKS, Task
from explorer.engine.contracts import Problem
from explorer.engine.learners import LEARNERS, by_name, name_of
from explorer.engine.runs.streams import Until
from explorer.session.knobs import editable, values

MOST_SECONDS = 600.0
"""No run trains longer than this in a session."""

NAMES = ("task", "loss", "scaling", "penalty", "oracle", "predictor", "learner", "seed")
"""The choices that are one value each."""


def limit(rule: Mapping[str, Any]) -> dict[str, Any]:
    """A stopping rule under which no run trains longer than a session allows."""
    return dict(rule) | {"seconds": min(rule["seconds"] or MOST_SECONDS, MOST_SECONDS)}


def refusals(problem: Problem) -> dict[str, str]:
    """Which learners refuse the problem, each with its reason."""
    reasons = {name_of(kind): kind().refuses(problem) for kind in LEARNERS}
    return {name: reason for name, reason in reasons.items() if reason}


class Choices(param.Parameterized):
    """Every choice of a run."""

    task: Any = param.Selector(
        objects=[t.name for t in TASKS], doc="What is learned: data, labels and feature map."
    )
    loss: Any = param.Selector(objects=["hamming"], doc="How wrong a labelling is.")
    scaling: Any = param.Selector(
        objects=["margin", "slack"], doc="What the loss scales: the margin asked for, or the slack."
    )
    penalty: Any = param.Selector(
        objects=["linear", "squared"], doc="What a slack costs: itself, or half its square."
    )
    oracle: Any = param.Selector(
        objects=["Viterbi"], check_on_set=False, doc="How the most tempting labelling is found in training."
    )
    predictor: Any = param.Selector(
        objects=["Viterbi"], check_on_set=False, doc="How labels are predicted afterwards."
    )
    learner: Any = param.Selector(
        objects=[name_of(c) for c in LEARNERS], default="one-slack", doc="The training algorithm."
    )
    seed: Any = param.Integer(0, bounds=(0, 9999), doc="Seed of the learner's random choices.")
    data: Any = param.Parameter(doc="Settings of the data.")
    model: Any = param.Parameter(doc="Settings of the problem that is made of them.")
    settings: Any = param.Parameter(doc="Settings of the learner.")
    rule: Any = param.Parameter(doc="When to stop.")
    edits: Any = param.Integer(0, doc="Rises when something else than the task was changed.")

    def __init__(self, recipe: Recipe, opened: Iterable[Task] = ()) -> None:
        """`opened` are the tasks outside the catalogue that this user may choose."""
        super().__init__()
        self.tasks = {task.name: task for task in (*TASKS, *opened)}
        self.show(recipe)
        self.param.watch(self._take_task, ["task"])
        self.param.watch(self._take_learner, ["learner"])
        self.param.watch(self._count, ["loss", "scaling", "penalty", "oracle", "predictor", "seed"])

    def show(self, recipe: Recipe) -> None:
        """Be the choices of a recipe."""
        task = recipe.task
        with param.parameterized.discard_events(self):
            self._offer(task)
            self.param.update(**{name: getattr(recipe, name) for name in NAMES} | {"task": task.name})
        self.data = self._watched(editable(task.data)(**recipe.data))
        self.model = self._watched(editable(type(task.model))(**recipe.model))
        self.settings = self._watched(editable(by_name(recipe.learner))(**recipe.settings))
        self.rule = self._watched(editable(Until)(**recipe.rule))

    def _offer(self, task: Task) -> None:
        """Let the selectors list what the task has."""
        self.tasks.setdefault(task.name, task)
        self.param.task.objects = list(self.tasks)
        self.param.loss.objects = list(task.losses)
        self.param.oracle.objects = list(task.oracles)
        self.param.predictor.objects = list(task.oracles)

    @property
    def chosen_task(self) -> Task:
        """The task itself."""
        return self.tasks[self.task]

    def recipe(self) -> Recipe:
        """The choices as they stand, frozen."""
        return self._with(values(self.settings))

    def _with(self, settings: Mapping[str, Any]) -> Recipe:
        """The choices with these settings of the learner."""
        chosen = {name: getattr(self, name) for name in NAMES} | {"task": self.chosen_task}
        records: dict[str, Any] = {
            "data": values(self.data),
            "model": values(self.model),
            "rule": limit(values(self.rule)),
        }
        return Recipe(**chosen, **records, settings=settings)

    def _watched(self, record: param.Parameterized) -> param.Parameterized:
        """The settings, counted when one of them is changed."""
        record.param.watch(self._count, [name for name in record.param if name != "name"])
        return record

    def _count(self, *events: Any) -> None:
        self.edits += 1

    def _take_task(self, event: Any) -> None:
        self.show(Recipe(self.chosen_task))

    def _take_learner(self, event: Any) -> None:
        """Another learner begins with what the task recommends, at the same price of slack."""
        record: Any = editable(by_name(self.learner))(**self._with({}).settings)
        price = getattr(self.settings, "C", None)
        if price is not None and "C" in record.param:
            record.C = price
        self.settings = self._watched(record)
        self._count()


__all__ = ["MOST_SECONDS", "Choices", "limit", "refusals"]
