"""Pairwise Markov random fields, many below each other: the scores that field oracles maximise.

    score(y) = sum_u unary[u, y_u] + sum_{e = (a, b)} pair[table[e], y_a, y_b],     y_u in 0 .. K-1

A *relaxed* labelling gives every node shares of its states and every edge shares of its pairs of states, as a
point of the local polytope: one flat float vector, the m K node shares followed by the e K^2 edge shares. A
hard labelling is an array of m whole numbers. Cost of a score: one look per node and edge.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np

from explorer.engine.contracts import Decomposes
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.kernels.scores import field_scores, raise_by_loss
from explorer.engine.threads import SMALL, in_parts
from explorer.engine.vectors import Array, Ints

LARGE = 2000
"""Nodes and edges that are worth a second thread, however few fields they belong to."""


@dataclass(frozen=True, slots=True, eq=False)
class Fields:
    """Field i has rows nodes[i] .. nodes[i + 1] of `unary`; its edges' ends are numbered from 0 within the
    field.
    """

    unary: Array
    nodes: Ints
    ends: Ints
    edges: Ints
    table: Ints
    pair: Array

    def __len__(self) -> int:
        return len(self.nodes) - 1

    @property
    def states(self) -> int:
        """K."""
        return int(self.unary.shape[1])

    def one(self, i: int) -> "Fields":
        """Field i alone."""
        a, b, c, d = self.nodes[i], self.nodes[i + 1], self.edges[i], self.edges[i + 1]
        ends = (np.array([0, b - a]), self.ends[c:d], np.array([0, d - c]), self.table[c:d])
        return Fields(self.unary[a:b], *ends, self.pair)

    def __iter__(self) -> Iterator["Fields"]:
        return (self.one(i) for i in range(len(self)))

    def scores(self, labels: Ints) -> Array:
        """The score of each field's hard labelling, all stacked."""
        out = np.empty(len(self))
        field_scores(self.unary, self.nodes, self.ends, self.edges, self.table, self.pair, labels, out)
        return out

    def relaxed_score(self, i: int, shares: Array) -> float:
        """The score of a relaxed labelling of field i: linear in its shares."""
        field = self.one(i)
        node, edge = unflatten(shares, len(field.unary), self.states)
        return float(np.sum(field.unary * node) + np.sum(self.pair[field.table] * edge))

    def with_loss(self, truth: Ints, loss: Decomposes) -> "Fields":
        """The same fields with the loss added to every wrong state: their best labelling is the most violated
        one.
        """
        lengths = np.diff(self.nodes)
        factor = 1.0 / np.maximum(lengths, 1) if loss.normalised else np.ones(len(self))
        out = np.empty_like(self.unary)
        raise_by_loss(self.unary, self.nodes, truth, loss.costs(self.states), factor, out)
        return replace(self, unary=out)


def spread(fields: Fields, work: Callable[[int, int], object]) -> None:
    """Call work(lo, hi) on runs of fields that together are all of them, on all cores where they are large
    enough.
    """
    large = len(fields.unary) + len(fields.ends) >= LARGE
    in_parts(work, 0, len(fields), 2 if large else SMALL)


class Solved(NamedTuple):
    """What an oracle answers: hard labels of all fields, relaxed ones where they are fractional, and bounds.

    `labels` holds rounded labels where an answer is fractional; `fractions[i]` is that answer, flat.
    `bound[i]` is at least the best score of field i, infinite where the oracle knows none.
    """

    labels: Ints
    bound: Array
    fractions: dict[int, Array]


class FieldOracle(Protocol):
    """A decoder of fields; `kind` is "exact", "under" (labellings, maybe not the best) or "over" (relaxed
    ones).
    """

    title: ClassVar[str]
    help: ClassVar[str]
    kind: ClassVar[str]

    def refuses(self, fields: Fields) -> str | None:
        """Why it cannot decode these fields (states, or signs of their pairwise scores)."""
        ...

    def solve(self, fields: Fields) -> Solved: ...


@runtime_checkable
class Rounds(Protocol):
    """A relaxed oracle that may be told to answer with hard labellings only."""

    @property
    def rounds(self) -> bool: ...


def kind_of(oracle: FieldOracle) -> str:
    """exact, under or over; a relaxed oracle that is told to answer hard labellings is "under"."""
    return "under" if isinstance(oracle, Rounds) and oracle.rounds else oracle.kind


class CompiledDecoder(NamedTuple):
    """How compiled visits know an oracle: its number, and its settings, 0 where it has none."""

    number: int
    nodewise: bool = False
    sweeps: int = 0
    damping: float = 0.0
    tolerance: float = 0.0

    @property
    def effort(self) -> Array:
        """The settings as numbers."""
        return np.array(self[1:], dtype=float)


@runtime_checkable
class Visited(Protocol):
    """An oracle that compiled visits can ask themselves; None where they cannot for this many states."""

    def decoder(self, states: int) -> CompiledDecoder | None: ...


def hard(fields: Fields, labels: Ints, bound: Array | None = None) -> Solved:
    """An answer without fractions; without `bound` nothing is known about the best scores."""
    return Solved(labels, np.full(len(fields), np.inf) if bound is None else bound, {})


def flatten(node: Array, edge: Array) -> Array:
    """Node shares (m, K) and edge shares (e, K, K) as one relaxed labelling."""
    return np.concatenate([np.ravel(node), np.ravel(edge)])


def unflatten(shares: Array, m: int, states: int) -> tuple[Array, Array]:
    """The node shares (m, K) and edge shares (e, K, K) of a relaxed labelling."""
    at = m * states
    return shares[:at].reshape(m, states), shares[at:].reshape(-1, states, states)


def boolean_form(fields: Fields) -> tuple[Array, Array, Array]:
    """a (N,), b (e,) and constant (n,) with score(y) = constant + sum_u a_u y_u + sum_uv b_uv y_u y_v, for
    two states.

    a_u collects phi_u(1) - phi_u(0) and, of every edge at u, the change that u makes while the other end is 0
    (Finley 2009, section 5.2). b_uv > 0 attracts: its ends gain by being on together.
    """
    if fields.states != 2:
        raise Refused(
            f"the fields have {fields.states} states; only two states reduce to one number per node and edge"
        )
    pair, per_field = fields.pair[fields.table], np.repeat(np.arange(len(fields)), np.diff(fields.edges))
    first = fields.nodes[per_field]
    a = fields.unary[:, 1] - fields.unary[:, 0]
    np.add.at(a, first + fields.ends[:, 0], pair[:, 1, 0] - pair[:, 0, 0])
    np.add.at(a, first + fields.ends[:, 1], pair[:, 0, 1] - pair[:, 0, 0])
    b = pair[:, 1, 1] + pair[:, 0, 0] - pair[:, 0, 1] - pair[:, 1, 0]
    constant = np.zeros(len(fields))
    np.add.at(constant, np.repeat(np.arange(len(fields)), np.diff(fields.nodes)), fields.unary[:, 0])
    np.add.at(constant, per_field, pair[:, 0, 0])
    return a, b, constant


def is_relaxed(label: Any) -> bool:
    """Whether a labelling consists of shares instead of states."""
    return bool(np.asarray(label).dtype.kind == "f")


def round_label(label: Any, m: int, states: int) -> Ints:
    """The hard labelling nearest to any labelling: the state of the largest share, the smaller one of
    equals.
    """
    if not is_relaxed(label):
        return np.asarray(label, dtype=np.int64)
    return np.argmax(unflatten(np.asarray(label), m, states)[0], axis=1).astype(np.int64)
