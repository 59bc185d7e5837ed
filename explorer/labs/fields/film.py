"""One step of an oracle on a field: labelling or shares, what changes, numbers, messages, and a flow."""

from dataclasses import dataclass, field

import numpy as np

from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.flows import Flow, Marks
from explorer.engine.vectors import Array, Ints
from explorer.labs.fields.instance import FieldCase
from explorer.labs.film import NONE, Film, Request

FieldRequest = Request[FieldCase, Fields]


@dataclass(frozen=True, slots=True, eq=False)
class Arrows:
    """Messages along the edges: from `tail` to `head`, for `state`, by `lead` over the least liked one."""

    tail: Ints
    head: Ints
    state: Ints
    lead: Array


@dataclass(frozen=True, slots=True, eq=False)
class FieldStep:
    """One moment: what it says and what the picture shows; `value` is the labelling's score.

    `values` are numbers at the nodes, called `called`; `source` tells which nodes are on the source's side of
    a cut, and `cut` which edges it goes through; `drawn` is what is drawn instead of the field, if the oracle
    works on another.
    """

    says: str
    labels: Ints
    value: float
    shares: Array | None = None
    changed: Ints = field(default_factory=lambda: NONE)
    values: Array | None = None
    called: str = ""
    arrows: Arrows | None = None
    flow: Flow | None = None
    source: Marks | None = None
    cut: Ints = field(default_factory=lambda: NONE)
    drawn: FieldCase | None = None


FieldFilm = Film[FieldStep]


def own_best(field: Fields) -> Ints:
    """Every node's own best state."""
    return np.argmax(field.unary, axis=1).astype(np.int64)


def score_of(field: Fields, labels: Ints) -> float:
    """The score of a labelling of one field."""
    return float(field.scores(labels)[0])


def target_of(asked: FieldRequest) -> Ints:
    """The best known labelling nearest to the answer."""
    return asked.compared.target(asked.labels)


def node_words(nodes: Ints, most: int = 6) -> str:
    """Nodes in words."""
    names = [str(int(u)) for u in nodes[:most]]
    more = f" and {len(nodes) - most} more" if len(nodes) > most else ""
    word = "node" if len(nodes) == 1 else "nodes"
    return f"{word} {', '.join(names)}{more}" if len(nodes) else "no node"
