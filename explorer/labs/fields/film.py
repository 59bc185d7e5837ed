"""How an oracle arrives at its answer, as a film: a list of steps that can be walked through, and a track of
lines.

A step says in one sentence what happens, and holds what a picture of the field can show: a labelling or
shares of states, the nodes that change, numbers at the nodes, messages along edges, and what a flow leaves of
an edge. The track has one point per step, for numbers that rise, fall or swing. Everything is plain arrays.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from explorer.engine.structures.fields.fields import Fields
from explorer.engine.vectors import Array, Ints
from explorer.labs.fields.instance import Instance

NONE: Ints = np.zeros(0, dtype=np.int64)

SURE = 1e-6
"""A node is fractional when no state has a share above 1 - SURE."""

MOST_STEPS = 120
"""A film is no longer than this; what follows is summed up in its last step."""


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """An oracle (by its name, and itself) that answered on a field; the best known score, and the labelling
    that has it.
    """

    name: str
    oracle: Any
    case: Instance
    labels: Ints
    shares: Array | None
    score: float
    bound: float
    top: float
    target: Ints

    @property
    def field(self) -> Fields:
        """The field."""
        return self.case.field


@dataclass(frozen=True, slots=True, eq=False)
class Messages:
    """One per direction of every edge: from `tail` to `head`, for `state`, by `lead` over the state it likes
    least.
    """

    tail: Ints
    head: Ints
    state: Ints
    lead: Array


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """A flow: capacity and what is left of it, (e,) and (e, 2); the same for terminals (m,), above 0 from the
    source.
    """

    capacity: Array
    left: Array
    terminal: Array
    terminal_left: Array
    path: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One moment: what it says and what the picture shows.

    `values` are numbers at the nodes, called `called`; `source` tells which nodes are on the source's side of
    a cut, and `cut` which edges it goes through; `drawn` is what is drawn instead of the field, if the oracle
    works on another.
    """

    says: str
    labels: Ints
    score: float
    shares: Array | None = None
    changed: Ints = field(default_factory=lambda: NONE)
    values: Array | None = None
    called: str = ""
    messages: Messages | None = None
    network: Network | None = None
    source: Ints | None = None
    cut: Ints = field(default_factory=lambda: NONE)
    drawn: Instance | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """Lines over the steps: values (steps, lines), their names, and a level to compare with."""

    x: str
    y: str
    names: tuple[str, ...]
    values: Array
    level: float
    level_name: str
    nodes: Ints = field(default_factory=lambda: NONE)
    """The node that each line belongs to, where lines belong to nodes."""


@dataclass(frozen=True, slots=True, eq=False)
class Film:
    """All steps of one oracle on one field, and what is to be learnt from them."""

    name: str
    steps: tuple[Step, ...]
    track: Track | None
    verdict: str

    def __len__(self) -> int:
        return len(self.steps)


def missing(score: float, top: float) -> str:
    """How far an answer is from the best known one."""
    gap = top - score
    return (
        "Nothing better is known."
        if gap <= 1e-9 * max(1.0, abs(top))
        else f"The best known score is {gap:.4g} higher."
    )


def score_of(field: Fields, labels: Ints) -> float:
    """The score of a labelling of one field."""
    return float(field.scores(labels)[0])


def score_track(steps: Sequence[Step], top: float, x: str) -> Track:
    """The score after every step, against the best known one."""
    values = np.array([[step.score] for step in steps])
    return Track(x, "score", ("score",), values, top, "best known score")


def listed(nodes: Sequence[int] | Ints, most: int = 6) -> str:
    """Nodes in words."""
    names = [str(int(u)) for u in nodes[:most]]
    more = f" and {len(nodes) - most} more" if len(nodes) > most else ""
    word = "node" if len(nodes) == 1 else "nodes"
    return f"{word} {', '.join(names)}{more}" if len(nodes) else "no node"
