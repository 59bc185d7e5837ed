"""How an oracle arrives at its answer, as a film: steps to walk through, and what is drawn over all of them.

A step says in one sentence, with its numbers, what happens and what is reached, and holds what a picture can
show: every structure has its own. Over the steps there is one of three pictures: curves (a score that climbs,
messages that swing), a tree of merges, or bars (a spectrum, a list of values). A film is made from a reply,
is hardly longer than MOST_STEPS, and ends with the answer, so that its last step and the table of answers say
the same. Everything is plain arrays.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from explorer.engine.vectors import Array, Ints
from explorer.labs.compare import OracleComparison, Reply

NONE: Ints = np.zeros(0, dtype=np.int64)

SURE = 1e-6
"""A share further than this from 0 and 1 is fractional."""

MOST_STEPS = 120
"""What follows after as many steps is summed up in the last one."""

C = TypeVar("C")
Q = TypeVar("Q")
T = TypeVar("T")


class Shot(Protocol):
    """What every step has: a sentence, and what is reached."""

    @property
    def says(self) -> str: ...
    @property
    def value(self) -> float: ...


S = TypeVar("S", bound=Shot)


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """Values (steps, curves) with names, a level to compare with, and the nodes of the curves, if any."""

    x: str
    y: str
    names: tuple[str, ...]
    values: Array
    level: float = np.nan
    level_name: str = ""
    nodes: Ints = field(default_factory=lambda: NONE)


@dataclass(frozen=True, slots=True, eq=False)
class Join:
    """Two blocks joined: their members, what is gained, and the value after it."""

    first: Ints
    second: Ints
    gain: float
    value: float


@dataclass(frozen=True, slots=True, eq=False)
class MergeTree:
    """All joins from single items on, the value of single items, the items' names, the value's name."""

    start: float
    joins: tuple[Join, ...]
    names: tuple[str, ...]
    y: str


@dataclass(frozen=True, slots=True, eq=False)
class ValueBars:
    """Values with names; the first `chosen` stand out."""

    x: str
    y: str
    names: tuple[str, ...]
    values: Array
    chosen: int
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Film(Generic[S]):
    """All steps of one oracle on one question, and what is to be learnt from them."""

    title: str
    steps: tuple[S, ...]
    over: Curves | MergeTree | ValueBars
    verdict: str = ""

    def __len__(self) -> int:
        return len(self.steps)


@dataclass(frozen=True, slots=True, eq=False)
class Request(Generic[C, Q]):
    """An answer whose making is to be shown: the oracle, its case, and what all the others say."""

    oracle: Any
    case: C
    reply: Reply
    compared: OracleComparison[Q]

    @property
    def question(self) -> Q:
        """What the oracle was asked."""
        return self.compared.question

    @property
    def what(self) -> str:
        """What is maximised."""
        return self.compared.what

    @property
    def top(self) -> float:
        """The best known score."""
        return self.compared.top

    @property
    def best(self) -> str:
        """How the best known score is called."""
        return f"best {'' if self.compared.proven else 'known '}{self.what}"

    @property
    def labels(self) -> Ints:
        """The answer's labelling."""
        assert self.reply.labels is not None, "only relaxed clusterings have none"
        return self.reply.labels

    def verdict(self, value: float) -> str:
        """How far an answer is from the best known one."""
        gap = self.top - value
        if gap > 1e-9 * max(1.0, abs(self.top)):
            return f"The {self.best} is {self.top:.4g}, {gap:.4g} higher."
        exists = f"Nothing better exists: the {self.best} is {self.top:.4g}."
        return exists if self.compared.proven else "Nothing better is known."

    def curves(self, steps: Sequence[Shot], x: str) -> Curves:
        """The value after every step, against the best known one."""
        values = np.array([[step.value] for step in steps])
        return Curves(x, self.what, (self.what,), values, self.top, self.best)


def make_film(
    request: Request[C, Q],
    makers: Mapping[str, Callable[[Request[C, Q]], Film[S]]],
    plain: Callable[[Request[C, Q]], Film[S]],
    blank: Callable[[str], S],
) -> Film[S]:
    """The film of an oracle by its title, else a `plain` one; of a refusal a `blank` step that says why."""
    reply = request.reply
    if reply.refused:
        step = blank(f"{'It waits' if reply.waits else 'It cannot answer'}: {reply.refused}.")
        return blank_film(reply.title, step, f"Nothing to show: {reply.title} does not answer.")
    return makers.get(reply.title, plain)(request)


def blank_film(title: str, step: S, note: str) -> Film[S]:
    """A film of one step that says why there is nothing to see."""
    return Film(title, (step,), ValueBars("step", "value", (), np.zeros(0), 0, note))


def shorten(rows: Sequence[T]) -> tuple[list[T], int]:
    """At most MOST_STEPS rows, the last one kept, and how many were left out before it."""
    if len(rows) <= MOST_STEPS:
        return list(rows), 0
    return [*rows[: MOST_STEPS - 1], rows[-1]], len(rows) - MOST_STEPS


def step_sentence(film: Film[Any], at: int) -> str:
    """The oracle, where its film stands and what happens; at its end also what is to be learnt."""
    title = f"{film.title[:1].upper()}{film.title[1:]}. " if film.title else ""
    count = f"Step {at} of {len(film) - 1}. " if len(film) > 1 else ""
    last = f" {film.verdict}" if at == len(film) - 1 and film.verdict else ""
    return f"{title}{count}{film.steps[at].says}{last}"
