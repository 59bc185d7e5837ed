"""The recipe of a run: what is learned, how it is priced, which oracle and learner work on it, and when to
stop.

    Recipe("circle", settings={"C": 3.0})   ->   problem(), make_learner(), make_rule()

A recipe is filled and checked when it is made: every default is written out, every value has the type of its
setting, and what does not exist is refused with what there is. So two recipes are equal exactly when they say
the same. `plain` is a recipe as JSON can hold it, for links, saved runs and command lines, and `read` takes
it back; `key` is the same as text, for caches.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any, NamedTuple, Self

from explorer.engine.catalogue.formats.format import FileChoices
from explorer.engine.catalogue.oracle_names import spell
from explorer.engine.catalogue.task import NOTHING, Parts, Task
from explorer.engine.catalogue.tasks import AS_IT_IS, task_named, task_of
from explorer.engine.contracts import Dataset, Learner, Problem
from explorer.engine.knobs import check_knobs, knob
from explorer.engine.learners import by_name
from explorer.engine.refusals import Refused
from explorer.engine.runs.markup import facts, settings_words
from explorer.engine.runs.streams import Until

PROBLEM = ("task", "data", "model", "loss", "scaling", "penalty", "oracle", "predictor")
"""The choices that make a problem; the others are about who learns it."""

FILE = "file"
"""Where plain data say what belongs to a data file: its test file, and what the user said of it."""

OLD = {"own": "task"}
"""What runs of version 0.1 called the task when it was a file."""

TYPES = {
    bool: ((bool,), "yes or no"),
    int: ((Integral,), "a whole number"),
    float: ((Real,), "a number"),
    str: ((str,), "a text"),
    dict: ((Mapping,), "settings by name"),
}
"""What a value may be where a setting of this type is wanted, and how that is said."""


class Records(NamedTuple):
    """The choices of a recipe as the engine uses them."""

    data: Any
    parts: Parts[Any]
    learner: Any
    rule: Until

    @property
    def model(self) -> Any:
        """What is made of the data."""
        return self.parts.model


@dataclass(frozen=True, init=False, kw_only=True)
class Recipe:
    """Every choice of a run."""

    task: Task
    data: Mapping[str, Any]
    model: Mapping[str, Any]
    loss: str
    scaling: str = knob(
        "margin", "What the loss scales: the margin asked for, or the slack.", choices=("margin", "slack")
    )
    penalty: str = knob(
        "linear", "What a slack costs: itself, or half its square.", choices=("linear", "squared")
    )
    oracle: str
    predictor: str
    learner: str
    settings: Mapping[str, Any]
    seed: int = knob(0, "Seed of the learner's random choices.", low=0, high=9999)
    rule: Mapping[str, Any]
    stamp: str = field(init=False, repr=False)
    records: Records = field(init=False, repr=False, compare=False)

    def __init__(
        self,
        task: Task | str = "digit-words",
        data: Mapping[str, Any] = NOTHING,
        loss: str = "",
        scaling: str = "",
        penalty: str = "",
        oracle: str = "",
        predictor: str = "",
        learner: str = "",
        settings: Mapping[str, Any] = NOTHING,
        seed: int = 0,
        rule: Mapping[str, Any] = NOTHING,
        model: Mapping[str, Any] = NOTHING,
    ) -> None:
        chosen = task if isinstance(task, Task) else task_named(task)
        loss, prices = chosen.loss_name(loss), chosen.prices(scaling, penalty)
        oracles = (chosen.oracle(oracle), chosen.oracle(predictor))
        data, model = told_apart(chosen, data, model)
        parts = Parts(chosen.losses[loss], prices, *oracles, make_record(chosen.model, model))
        kind = by_name(learner or chosen.learner)
        learning = make_record(kind, {**chosen.settings_of(kind), **settings})
        records = Records(make_record(chosen.data, data), parts, learning, make_record(Until, rule))
        vars(self).update(
            task=chosen,
            data=asdict(records.data),
            model=asdict(parts.model),
            loss=loss,
            scaling=prices.scaling,
            penalty=prices.penalty,
            oracle=spell(parts.separator),
            predictor=spell(parts.predictor),
            learner=learner or chosen.learner,
            settings=asdict(learning),
            seed=as_type("seed", seed, int),
            rule=asdict(records.rule),
            stamp="" if chosen.source is None else chosen.source.stamp(),
            records=records,
        )
        check_knobs(self)

    @classmethod
    def of(
        cls,
        what: str | Path | Problem,
        test: Dataset | Path | None = None,
        file: FileChoices = AS_IT_IS,
        **choices: Any,
    ) -> Self:
        """The recipe of a task of the catalogue, a data file, path/to/file.py:name, or a problem of this
        process. A data file may have a test file, and `file` says what it does not say itself.
        """
        return cls(task_of(what, test, file=file), **choices)

    @classmethod
    def read(cls, found: Mapping[str, Any], opened: Iterable[Task] = ()) -> Self:
        """The recipe that plain data from outside stand for; refused where they are not those of a recipe.

        They name a task of the catalogue or one that was `opened` here: nothing else is opened, or run.
        """
        known = {f.name: f.type for f in fields(cls) if f.init} | {"task": str}
        kinds = {name: dict if kind == Mapping[str, Any] else kind for name, kind in known.items()}
        said = {OLD.get(name, name): value for name, value in found.items() if name != FILE}
        if cls.named_in(found).endswith(".graphml") and "held_out" not in said.get("data", {}):
            said["data"] = {"edges": "none", **said.get("data", {})}  # edges were all alike in version 0.1
        for name, value in said.items():
            if name not in kinds:
                raise Refused(f"a recipe has no {str(name)[:40]!r}; it has {', '.join(kinds)}")
            said[name] = as_type(name, value, kinds[name])
        task = task_named(said.pop("task"), opened) if "task" in said else cls().task
        return cls(task, **said)

    @staticmethod
    def named_in(found: Mapping[str, Any]) -> str:
        """The task that plain data from outside name."""
        return str(found.get("task") or found.get("own") or "")

    def plain(self) -> dict[str, Any]:
        """Every choice as JSON can hold it."""
        chosen = {f.name: getattr(self, f.name) for f in fields(self) if f.init} | {"task": self.task.name}
        said = {} if self.task.source is None else self.task.source.memo()
        return chosen | ({FILE: said} if said else {})

    def key(self, names: Sequence[str] = ()) -> str:
        """Text that is the same for the same choices; only of those that are named, if any are."""
        choices = self.plain()
        chosen = {name: choices[name] for name in names or choices}
        return json.dumps(chosen | {"stamp": self.stamp}, sort_keys=True)

    def _repr_html_(self) -> str:
        told = {
            name: settings_words(value) if isinstance(value, Mapping) else value
            for name, value in self.plain().items()
        }
        return facts("Recipe", {**told, "rule": settings_words({k: v for k, v in self.rule.items() if v})})

    def problem(self) -> tuple[Problem, Dataset | None]:
        """The training problem and the test data."""
        parts = self.records.parts
        train, test = self.task.make(self.records.data)
        train, test = self.task.prepare(train, test, parts.model)
        return self.task.build(train, parts), test

    def make_learner(self) -> Learner:
        """The learner with its settings."""
        found: Learner = self.records.learner
        return found

    def make_rule(self) -> Until:
        """When to stop."""
        return self.records.rule


def told_apart(
    task: Task, data: Mapping[str, Any], model: Mapping[str, Any]
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Settings of the data and of the model; those of the model that stand among the data are moved over.

    Links, saved runs and notebook cells of version 0.1 have both among the data; `--data` takes both, too.
    """
    moved = {f.name for f in fields(task.model)} & set(data)
    return (
        {name: value for name, value in data.items() if name not in moved},
        {**{name: data[name] for name in moved}, **model},
    )


def make_record(record: Any, settings: Mapping[str, Any]) -> Any:
    """A record of this type, or like this record, with these settings; unknown names and types are
    refused.
    """
    known = {f.name: f.type for f in fields(record)}
    kind = record if isinstance(record, type) else type(record)
    for name in settings:
        if name not in known:
            raise Refused(f"{kind.__name__} has no setting {name!r}; it has {', '.join(known) or 'none'}")
    values = {name: as_type(name, value, known[name]) for name, value in settings.items()}
    return record(**values) if record is kind else replace(record, **values)


def as_type(name: str, value: Any, kind: Any) -> Any:
    """The value as exactly this type, so that equal settings are written in the same way; refused if it is of
    another.
    """
    if kind not in TYPES:
        return value
    allowed, wanted = TYPES[kind]
    if not isinstance(value, allowed) or (kind is not bool and isinstance(value, bool)):
        raise Refused(f"{name} is {str(value)[:40]!r}; give {wanted}")
    return kind(value)


__all__ = ["PROBLEM", "Recipe", "as_type", "make_record"]
