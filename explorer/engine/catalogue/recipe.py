"""The recipe of a run: what is learned, how it is priced, which oracle and learner work on it, and when to
stop.

    Recipe("circle", settings={"C": 3.0})   ->   problem(), make_learner(), make_rule()

A recipe is filled and checked when it is made: every default is written out, every value has the type of its
setting, and what does not exist is refused with what there is. So two recipes are equal exactly when they say
the same. `plain` is a recipe as JSON can hold it, for links, saved runs and command lines, and `read` takes
it back; `key` is the same as text, for caches.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from numbers import Integral, Real
from typing import Any, NamedTuple, Self

from explorer.engine.catalogue.tasks import Task, task_named
from explorer.engine.contracts import Dataset, Learner, Problem
from explorer.engine.knobs import check_knobs, knob
from explorer.engine.learners import by_name
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Until

NOTHING: Mapping[str, Any] = {}
PROBLEM = ("task", "data", "loss", "scaling", "penalty", "oracle", "predictor")
"""The choices that make a problem; the others are about who learns it."""

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
    learner: Any
    rule: Until


@dataclass(frozen=True, init=False, kw_only=True)
class Recipe:
    """Every choice of a run."""

    task: Task
    data: Mapping[str, Any]
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
    records: Records = field(init=False, repr=False, compare=False)

    def __init__(
        self,
        task: Task | str = "digit-words",
        data: Mapping[str, Any] = NOTHING,
        loss: str = "",
        scaling: str = "margin",
        penalty: str = "linear",
        oracle: str = "",
        predictor: str = "",
        learner: str = "",
        settings: Mapping[str, Any] = NOTHING,
        seed: int = 0,
        rule: Mapping[str, Any] = NOTHING,
    ) -> None:
        chosen = task if isinstance(task, Task) else task_named(task)
        name = learner or chosen.learner
        own = {**chosen.settings_of(by_name(name)), **settings}
        records = Records(made(chosen.data, data), made(by_name(name), own), made(Until, rule))
        self.__dict__.update(
            task=chosen,
            data=asdict(records.data),
            loss=chosen.loss_name(loss),
            scaling=scaling,
            penalty=penalty,
            oracle=chosen.oracle_text(oracle),
            predictor=chosen.oracle_text(predictor),
            learner=name,
            settings=asdict(records.learner),
            seed=typed("seed", seed, int),
            rule=asdict(records.rule),
            records=records,
        )
        check_knobs(self)

    @classmethod
    def read(cls, found: Mapping[str, Any]) -> Self:
        """The recipe that plain data from outside stand for; refused where they are not those of a recipe."""
        known = {f.name: f.type for f in fields(cls) if f.init} | {"task": str}
        for name in found:
            if name not in known:
                raise Refused(f"a recipe has no {str(name)[:40]!r}; it has {', '.join(known)}")
        kinds = {name: dict if kind == Mapping[str, Any] else kind for name, kind in known.items()}
        return cls(**{name: typed(name, value, kinds[name]) for name, value in found.items()})

    def plain(self) -> dict[str, Any]:
        """Every choice as JSON can hold it."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.init} | {"task": self.task.name}

    def key(self, names: Sequence[str] = ()) -> str:
        """Text that is the same for the same choices; only of those that are named, if any are."""
        choices = self.plain()
        return json.dumps({name: choices[name] for name in names or choices}, sort_keys=True)

    @property
    def pricing(self) -> Pricing:
        """Scaling and penalty together."""
        return Pricing(self.scaling, self.penalty)  # type: ignore[arg-type]  # checked against the choices above

    def problem(self) -> tuple[Problem, Dataset | None]:
        """The training problem and the test data."""
        train, test = self.records.data.make()
        return self.task.build(train, self.task.losses[self.loss], self), test

    def make_learner(self) -> Learner:
        """The learner with its settings."""
        found: Learner = self.records.learner
        return found

    def make_rule(self) -> Until:
        """When to stop."""
        return self.records.rule


def made(record: Any, settings: Mapping[str, Any]) -> Any:
    """A record with these settings; unknown names are refused with the known ones, values of another type
    with the type.
    """
    known = {f.name: f.type for f in fields(record)}
    for name in settings:
        if name not in known:
            raise Refused(f"{record.__name__} has no setting {name!r}; it has {', '.join(known) or 'none'}")
    return record(**{name: typed(name, value, known[name]) for name, value in settings.items()})


def typed(name: str, value: Any, kind: Any) -> Any:
    """The value as exactly this type, so that equal settings are written in the same way; refused if it is of
    another.
    """
    if kind not in TYPES:
        return value
    allowed, wanted = TYPES[kind]
    if not isinstance(value, allowed) or (kind is not bool and isinstance(value, bool)):
        raise Refused(f"{name} is {str(value)[:40]!r}; give {wanted}")
    return kind(value)


__all__ = ["PROBLEM", "Recipe", "made", "typed"]
