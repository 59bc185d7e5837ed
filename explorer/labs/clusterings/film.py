"""How a clusterer arrives at its answer, as a film: steps to walk through, and what is drawn over all of
them.

A step says in one sentence, with its numbers, what happens, and holds what pictures can show: a clustering,
shares of the pairs, the items that move, triangles. Over the steps there is one of three pictures: lines (an
objective that climbs or swings), a tree of merges, or bars (a spectrum, a list of values). Everything is
plain arrays.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from explorer.engine.structures.clusterings.partitions import canonical, clusters, pair_vector
from explorer.engine.structures.clusterings.question import Question
from explorer.engine.vectors import Array, Ints

NONE: Ints = np.zeros(0, dtype=np.int64)
NO_TRIANGLES: Ints = np.zeros((0, 3), dtype=np.int64)

SURE = 1e-6
"""A share further than this from 0 and 1 is fractional."""

MOST_SINGLE = 9
"""More clusters of one item than this are not listed."""

MOST_STEPS = 120
"""A film is no longer than this; what follows is summed up in its last step."""


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """A clusterer that answered a question; the items' names, its answer, and the best known value."""

    oracle: Any
    question: Question
    names: tuple[str, ...]
    answer: Any
    top: float
    proven: bool

    @property
    def what(self) -> str:
        """What is maximised."""
        return "H" if self.question.asks_loss else "score"


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One moment; `shares` (m, m) are shares of pairs or a relaxed co-membership, called `called`."""

    says: str
    labels: Ints
    value: float
    shares: Array | None = None
    called: str = ""
    changed: Ints = field(default_factory=lambda: NONE)
    triangles: Ints = field(default_factory=lambda: NO_TRIANGLES)

    @property
    def fractional(self) -> int:
        """How many pairs are neither together nor apart."""
        if self.shares is None:
            return 0
        e = pair_vector(self.shares)
        return int(np.sum((e > SURE) & (e < 1.0 - SURE)))


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Values (steps, lines) with names, and a level to compare with."""

    x: str
    y: str
    names: tuple[str, ...]
    values: Array
    level: float
    level_name: str


@dataclass(frozen=True, slots=True, eq=False)
class Merge:
    """Two blocks joined: their members, their cross sum, and the value after it."""

    first: Ints
    second: Ints
    gain: float
    value: float


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """All merges from single items on, and the value of single items."""

    start: float
    merges: tuple[Merge, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Bars:
    """Values with names; the first `chosen` stand out."""

    x: str
    y: str
    names: tuple[str, ...]
    values: Array
    chosen: int
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Film:
    """All steps of one clusterer on one question, and what is to be learnt from them."""

    title: str
    steps: tuple[Step, ...]
    over: "Lines | Tree | Bars"
    verdict: str

    def __len__(self) -> int:
        return len(self.steps)


def value_lines(steps: Sequence[Step], asked: Request, x: str) -> Lines:
    """The value after every step, against the best known one."""
    values = np.array([[step.value] for step in steps])
    known = f"best {'' if asked.proven else 'known '}{asked.what}"
    return Lines(x, asked.what, (asked.what,), values, asked.top, known)


def missing(asked: Request, value: float) -> str:
    """How far an answer is from the best known one."""
    gap, best = asked.top - value, "best" if asked.proven else "best known"
    if gap <= 1e-9 * max(1.0, abs(asked.top)):
        return (
            f"Nothing better exists: the best {asked.what} is {asked.top:.4g}."
            if asked.proven
            else "No better one is known."
        )
    return f"The {best} {asked.what} is {asked.top:.4g}, {gap:.4g} higher."


def block(members: Sequence[int] | Ints, names: Sequence[str]) -> str:
    """A cluster in words: abcd."""
    parts = [names[int(i)] for i in members]
    return "".join(parts) if all(len(part) == 1 for part in parts) else "{" + ", ".join(parts) + "}"


def told(labels: Any, names: Sequence[str]) -> str:
    """A clustering in words: abcd / efg / hi; many single items are only counted."""
    parts = clusters(canonical(labels))
    single = sum(len(members) == 1 for members in parts)
    shown = [members for members in parts if len(members) > 1 or single <= MOST_SINGLE]
    counted = [f"{single} single items"] if single > MOST_SINGLE else []
    return " / ".join([block(members, names) for members in shown] + counted)


def shortened(rows: list[Any]) -> tuple[list[Any], int]:
    """At most MOST_STEPS rows, the last one kept, and how many were left out before it."""
    if len(rows) <= MOST_STEPS:
        return rows, 0
    return [*rows[: MOST_STEPS - 1], rows[-1]], len(rows) - MOST_STEPS


def signed(value: float) -> str:
    """A number with its sign."""
    return f"{value:+.4g}".replace("-", "−")


def plus(value: float) -> str:
    """What is added, as part of a sum: "+ 3" or "− 3"."""
    return f"{'−' if value < 0 else '+'} {abs(value):.4g}"
