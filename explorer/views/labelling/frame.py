"""The labelling of one example as plain arrays: prediction, what the oracle finds, what decides a node.

    sum(u, s) = unary[u, s] + sum over neighbours v of pair(s, y_v),
        the state of u with the largest sum is the best
                                                                        one while its neighbours keep theirs

Nodes are the cells of a grid, the nodes of a graph or the labels of a multi-label problem. A relaxed
labelling gives a node shares of its states; then pair(s, y_v) is the mean over the shares of v. Edits
(`edits`) change the prediction only. Cost: one call of the predictor, one of the training oracle (both
remembered by who asks), and one look per edge and pair of states.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.refusals import Refused
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.fields.fields import Fields, is_relaxed, round_label, unflatten
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.vectors import Array, Ints
from explorer.views.kit.memory import Memory
from explorer.views.kit.words.label_words import state_names
from explorer.views.labelling.edits import NOTHING, Edits, apply_edits, no_edges_because, valid_edits
from explorer.views.labelling.places import nodes_of

FILLS = ("prediction", "most tempting", "truth", "own scores")
"""What the nodes can be filled with; the last one takes every node by itself."""

SURE = 1e-6
"""A node is fractional when no state has a share above 1 - SURE."""


@dataclass(frozen=True, slots=True, eq=False)
class NodeStates:
    """One labelling: the state of every node, and its shares (m, K) where some node is fractional."""

    labels: Ints
    shares: Array | None = None

    @property
    def fractional(self) -> Ints:
        """The nodes that have no single state."""
        if self.shares is None:
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero(self.shares.max(axis=1) < 1.0 - SURE)

    def weights(self, states: int) -> Array:
        """The shares (m, K), whole ones where the labelling is hard."""
        return np.eye(states)[self.labels] if self.shares is None else self.shares


@dataclass(frozen=True, slots=True, eq=False)
class OracleAnswers:
    """What the oracles say about one example at one w."""

    field: Fields
    guess: NodeStates
    rival: NodeStates
    loss: float
    violation: float


@dataclass(frozen=True, slots=True, eq=False)
class LabellingFrame:
    """One example's labelling; `base`: its unary scores, `field`: also the edits, `shown` fills the nodes."""

    step: int | None
    name: str
    example: int
    examples: int
    kind: str
    states: tuple[str, ...]
    names: tuple[str, ...]
    shape: tuple[int, int] | None
    place: Array
    base: Array
    field: Fields
    truth: Ints
    guess: NodeStates
    before: NodeStates
    rival: NodeStates
    loss: float
    violation: float
    fill: str
    shown: NodeStates
    edits: Edits
    added: Ints
    removed: Ints
    refused: str
    no_edges_because: str

    def __len__(self) -> int:
        return len(self.truth)

    @property
    def wrong(self) -> Ints:
        """The nodes whose fill is not the truth."""
        return np.flatnonzero(self.shown.labels != self.truth)


def frame(
    problem: FieldLabelling,
    trace: Trace,
    at: int,
    example: int = 0,
    name: str = "Example",
    *,
    fill: str = FILLS[0],
    edits: Edits = NOTHING,
    phase: int = 0,
    memory: Memory | None = None,
) -> LabellingFrame:
    """The labelling of an example at step `at`, or at w = 0; while a step looks for cuts, what it finds."""
    i = min(max(0, example), problem.n - 1)
    moment = trace.at(min(at, len(trace) - 1)) if len(trace) else None
    w, w_at = (np.zeros(problem.dim), -1) if moment is None else (moment.w, moment.w_at)
    known = Memory(1) if memory is None else memory.of(problem, trace)
    found = known.get((w_at, i), lambda: ask_oracles(problem, w, i))
    truth = np.asarray(problem.dataset.labels[i], dtype=np.int64)
    because = no_edges_because(problem)
    edits = valid_edits(edits, found.field, not because)
    field, added, removed = apply_edits(found.field, edits)
    guess, refused = _what_if(problem, field, found.guess) if edits else (found.guess, "")
    if phase and fill == FILLS[0]:
        fill = FILLS[1]
    own = NodeStates(np.argmax(found.field.unary, axis=1).astype(np.int64))
    filled = dict(zip(FILLS, (guess, found.rival, NodeStates(truth), own), strict=True))
    kind, shape, names, place = nodes_of(problem, i)
    return LabellingFrame(
        step=None if moment is None else moment.at,
        name=name,
        example=i,
        examples=problem.n,
        kind=kind,
        states=state_names(problem.dataset, problem.states),
        names=names,
        shape=shape,
        place=place,
        base=found.field.unary,
        field=field,
        truth=truth,
        guess=guess,
        before=found.guess,
        rival=found.rival,
        loss=found.loss,
        violation=found.violation,
        fill=fill,
        shown=filled[fill],
        edits=edits,
        added=added,
        removed=removed,
        refused=refused,
        no_edges_because=because,
    )


def ask_oracles(problem: FieldLabelling, w: Array, i: int) -> OracleAnswers:
    """One call of the predictor and one of the training oracle."""
    with _named("training oracle", problem.separator):
        field, (label,) = problem.most_violated(w, i, i + 1)
    with _named("predictor", problem.predictor):
        guess = decode(problem.predictor, field)
    truth = np.asarray(problem.dataset.labels[i], dtype=np.int64)
    score = field.relaxed_score(0, label) if is_relaxed(label) else float(field.scores(np.asarray(label))[0])
    loss, margin = float(problem.loss(i, label)), float(field.scores(truth)[0]) - score
    return OracleAnswers(
        field,
        guess,
        node_states(label, *field.unary.shape),
        loss,
        float(problem.pricing.violation(margin, loss)),
    )


@contextmanager
def _named(role: str, oracle: Any) -> Iterator[None]:
    """A refusal says whose it is."""
    try:
        yield
    except Refused as reason:
        raise Refused(f"The {role}, {oracle.title}, refuses this example: {reason}.") from reason


def decode(oracle: Any, field: Fields) -> NodeStates:
    """The oracle's labelling of one field, or its reason to refuse."""
    reason = oracle.refuses(field)
    if reason:
        raise Refused(reason)
    found = oracle.solve(field)
    return node_states(found.fractions.get(0, found.labels), *field.unary.shape)


def node_states(label: Any, m: int, states: int) -> NodeStates:
    """A labelling as it is drawn."""
    labels = round_label(label, m, states)
    if not is_relaxed(label):
        return NodeStates(labels)
    shares = unflatten(np.asarray(label), m, states)[0]
    made = NodeStates(labels, shares)
    return made if len(made.fractional) else NodeStates(labels)


def _what_if(problem: FieldLabelling, field: Fields, before: NodeStates) -> tuple[NodeStates, str]:
    """What the predictor makes of an edited field; if it refuses, the labelling before and its reason."""
    try:
        return decode(problem.predictor, field), ""
    except Refused as reason:
        return before, str(reason)


# what decides -----------------------------------------------------------------------------------------------


def pulls(field: Fields, shares: Array) -> tuple[Array, Array]:
    """What every edge adds to each state of its first end, and of its second, given the other end (e, K)."""
    pair = field.pair[field.table]
    first = np.einsum("est,et->es", pair, shares[field.ends[:, 1]])
    return first, np.einsum("est,es->et", pair, shares[field.ends[:, 0]])


def sums(shown: LabellingFrame) -> Array:
    """For every node and state its own score and what the neighbours add (m, K)."""
    field = shown.field
    total = field.unary.copy()
    for end, part in enumerate(pulls(field, shown.shown.weights(field.states))):
        np.add.at(total, field.ends[:, end], part)
    return total


def neighbours(shown: LabellingFrame, node: int) -> tuple[Ints, Array]:
    """The neighbours of a node, the one that matters most first, and what each adds to its states (n, K)."""
    field = shown.field
    first, second = pulls(field, shown.shown.weights(field.states))
    here, there = (np.flatnonzero(field.ends[:, end] == node) for end in (0, 1))
    who = np.concatenate([field.ends[here, 1], field.ends[there, 0]])
    adds = np.concatenate([first[here], second[there]])
    order = np.argsort(-np.ptp(adds, axis=1), kind="stable") if len(adds) else np.zeros(0, dtype=np.int64)
    return who[order], adds[order]


def edge_table(shown: LabellingFrame) -> dict[str, Array]:
    """Both ends of every edge, their states, and the pairwise score: a mean where ends are fractional."""
    field, labels = shown.field, shown.shown.labels
    shares, (a, b) = shown.shown.weights(field.states), field.ends.T
    score = np.einsum("es,es->e", pulls(field, shares)[0], shares[a])
    return {"a": a, "b": b, "ya": labels[a], "yb": labels[b], "score": score}


def borders(shown: LabellingFrame) -> Array:
    """The lines (n, 4) between cells of a grid whose truths differ: x0, y0, x1, y1."""
    if shown.shape is None:
        return np.zeros((0, 4))
    truth = shown.truth.reshape(shown.shape)
    row, column = np.nonzero(truth[:, 1:] != truth[:, :-1])
    across = np.stack([column + 0.5, row - 0.5, column + 0.5, row + 0.5], axis=1)
    row, column = np.nonzero(truth[1:] != truth[:-1])
    return np.concatenate([across, np.stack([column - 0.5, row + 0.5, column + 0.5, row + 0.5], axis=1)])
