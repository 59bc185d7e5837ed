"""What a task is: data of some structure, how they become a problem, and the choices that it may be given.

    data.make() -> training and test data -> prepare(train, test, model) -> build(train, parts) -> Problem

The record of `data` says what is drawn or read, the record of `model` what is made of it: which weights there
are, which features of pairs or sentences, whether the oracle is told the loss. Both are records of knobs;
`model` holds the values to begin with.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from explorer.engine.catalogue.oracle_names import oracle_named, title_in
from explorer.engine.contracts import Dataset, Loss, Problem
from explorer.engine.knobs import settings as record_of_settings
from explorer.engine.learners import by_name
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused

M = TypeVar("M")
Pair = tuple[Dataset, Dataset | None]
NOTHING: Mapping[str, Any] = {}
IN_PYTHON = "it is a problem in Python, change it there"
SHOWN: Mapping[str, Any] = {"certify_every": 1, "cached_passes": 10}
"""A page shows fewer steps, each with both bounds; a program wants only the answer, sooner."""


@record_of_settings
class NoSettings:
    """Nothing to set."""


NOTHING_TO_SET = NoSettings()


class Parts(NamedTuple, Generic[M]):
    """What a problem is made of besides its data."""

    loss: Loss
    pricing: Pricing
    separator: Any
    predictor: Any
    model: M


class TaskSource(Protocol):
    """Where the data of a task outside the catalogue come from; equal where they come from the same place."""

    def stamp(self) -> str:
        """Another text whenever the data may be others."""

    def make(self, data: Any) -> Pair:
        """Training and test data, as a record of settings has them."""

    def memo(self) -> dict[str, str]:
        """What a saved run must remember beside the task's name, to find the same data again."""

    def remake(self) -> tuple[Any, ...]:
        """A function and its arguments that make the task again in another process; refused if none can."""


def as_they_are(train: Dataset, test: Dataset | None, model: Any) -> Pair:
    """The data themselves."""
    return train, test


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Something to learn: of the catalogue, where it is the same object wherever it is named, or from a
    source.

    A task with `pricing` is a whole problem, with a loss and an oracle of its own. `why` says for what its
    learner was chosen, where it was.
    """

    name: str
    title: str
    data: type[Any]
    learner: str
    settings: Mapping[str, Any]
    losses: Mapping[str, Loss]
    oracle_types: tuple[type[Any], ...]
    build: Callable[[Dataset, Parts[Any]], Problem]
    model: Any = NOTHING_TO_SET
    prepare: Callable[[Dataset, Dataset | None, Any], Pair] = as_they_are
    source: TaskSource | None = None
    pricing: Pricing | None = None
    about: str = ""
    why: str = ""

    def __str__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        same_source = isinstance(other, Task) and self.source is not None and self.source == other.source
        return self is other or same_source

    def __hash__(self) -> int:
        return hash(self.source or self.name)

    def __reduce__(self) -> Any:
        from explorer.engine.catalogue.tasks import task_named

        return (task_named, (self.name,)) if self.source is None else self.source.remake()

    @property
    def help(self) -> str:
        """One sentence about the data."""
        return self.about or " ".join((self.data.__doc__ or "").split())

    @property
    def whole(self) -> bool:
        """Whether it is a whole problem, of which nothing can be chosen."""
        return self.pricing is not None

    def make(self, data: Any) -> Pair:
        """Training and test data, as this record of its settings says."""
        found: Pair = data.make() if self.source is None else self.source.make(data)
        return found

    def prices(self, scaling: str, penalty: str) -> Pricing:
        """These prices, the usual ones for empty texts; a whole problem has its own."""
        usual = self.pricing or Pricing()
        asked = Pricing(scaling or usual.scaling, penalty or usual.penalty)  # type: ignore[arg-type]
        if self.pricing not in (None, asked):
            raise Refused(f"{self.name} has {usual.scaling} scaling and {usual.penalty} slacks; {IN_PYTHON}")
        return asked

    @property
    def oracles(self) -> tuple[str, ...]:
        """The titles of its oracles, the one to begin with first."""
        return tuple(kind.title for kind in self.oracle_types)

    def loss_name(self, name: str) -> str:
        """This loss, the first one for no name; refused if the task does not have it."""
        found = name or next(iter(self.losses))
        if found not in self.losses and self.whole:
            raise Refused(f"{self.name} has a loss of its own, not {found!r}; {IN_PYTHON}")
        if found not in self.losses:
            raise Refused(f"{self.name} has no loss {found!r}; choose one of {', '.join(self.losses)}")
        return found

    def oracle(self, text: str) -> Any:
        """The oracle that a text names, the first one for no text; refused if the task does not have it."""
        title = title_in(text or self.oracles[0])
        if title not in self.oracles and self.whole:
            raise Refused(f"{self.name} has an oracle of its own, not {title!r}; {IN_PYTHON}")
        if title not in self.oracles:
            raise Refused(f"{self.name} has no oracle {title!r}; choose one of {', '.join(self.oracles)}")
        return oracle_named(text or title, self.oracle_types)

    def settings_of(self, learner: Any) -> Mapping[str, Any]:
        """What a learner begins with here: the task's own with its settings, others with price and
        tolerance.
        """
        shared = {"C", "eps"} & {f.name for f in fields(learner)}
        names = set(self.settings) if learner is by_name(self.learner) else shared
        return {name: value for name, value in self.settings.items() if name in names}


def with_first(title: str, kinds: tuple[type[Any], ...]) -> tuple[type[Any], ...]:
    """The same oracles with the one of this title first: the one to begin with."""
    return tuple(sorted(kinds, key=lambda kind: kind.title != title))


__all__ = ["NOTHING", "SHOWN", "NoSettings", "Pair", "Parts", "Task", "TaskSource", "with_first"]
