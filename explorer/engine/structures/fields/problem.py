"""Labelling the nodes of graphs: unary and pairwise features, any field oracle for training and any other
afterwards.

    Psi(x, y) = [ sum_u features of node u at y_u ;  sum_(u,v) features of the edge at (y_u, y_v) ]

so that w . Psi is the score of a pairwise Markov random field. Degree thesis, equations 3.24 and 3.25; Finley
2009, section 5.2. What a node's and an edge's features are is the business of a `FieldMap` (`graph.py`,
`multilabel.py`). Loss-augmented inference adds the loss to the unary scores, so it is inference again; a loss
that is no sum over nodes, slack scaling and squared slacks are left to enumeration. A relaxed oracle answers
with shares: Psi and the loss are linear in them. Cost of a pass: one matrix product, then the oracle.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np

from explorer.engine.checks import check_states
from explorer.engine.contracts import Dataset, Decomposes, Loss
from explorer.engine.enumeration import all_labellings
from explorer.engine.events import Cut, Sweep
from explorer.engine.losses import Hamming
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused, checked_calls
from explorer.engine.rows import csr
from explorer.engine.structures.fields import answers
from explorer.engine.structures.fields.fields import (
    CompiledDecoder,
    FieldOracle,
    Fields,
    Solved,
    Visited,
    hard,
    is_relaxed,
    kind_of,
)
from explorer.engine.structures.fields.kernels.features import FieldCorpus
from explorer.engine.structures.fields.kernels.visits import rebuild_fields, visit_fields, worst_of_fields
from explorer.engine.structures.fields.layout import FieldLayout, as_halves, from_halves
from explorer.engine.structures.fields.oracles import Exhaustive, Tree
from explorer.engine.threads import in_parts
from explorer.engine.vectors import Array, Ints, Vector
from explorer.engine.visits import Cache, Log, Plan

RECHECKED = 4_000_000
"""An exact oracle is asked beside an approximate one where all examples together have no more labellings than
this.
"""


class FieldMap(Protocol):
    """How examples become fields: checks the data, and lays out rows, edges and weights."""

    @property
    def states(self) -> int: ...
    def check(self, dataset: Dataset) -> Dataset: ...
    def layout(self, inputs: Any) -> FieldLayout: ...
    def groups(self, layout: FieldLayout) -> dict[str, slice]: ...
    def checked_input(self, x: Any, known: Any, place: str) -> Any: ...


@checked_calls
@dataclass(frozen=True)
class FieldLabelling:
    """One state for every node of a graph."""

    dataset: Dataset
    map: FieldMap
    delta: Loss = field(default_factory=Hamming)
    pricing: Pricing = field(default_factory=Pricing)
    separator: FieldOracle = field(default_factory=Exhaustive)
    predictor: FieldOracle = field(default_factory=Exhaustive)
    name: str = "graph labelling"

    def __post_init__(self) -> None:
        decomposed = self.pricing.adds_up and isinstance(self.delta, Decomposes)
        if not decomposed and not isinstance(self.separator, Exhaustive):
            raise Refused(
                f"{self.separator.title} takes a loss that is a sum over nodes, with margin scaling and "
                "linear slacks; "
                "choose Hamming, margin and linear, or the exhaustive oracle on tiny graphs"
            )
        object.__setattr__(self, "dataset", self.map.check(self.dataset))
        if isinstance(self.delta, Decomposes):
            self.delta.costs(self.states)
        level = self.fields(np.zeros(self.dim), 0, self.n)
        for oracle in (self.separator, self.predictor):
            reason = oracle.refuses(level)  # sizes and shapes are refused here, not in the middle of a run
            if reason:
                raise Refused(reason)

    @property
    def n(self) -> int:
        return len(self.dataset)

    @property
    def states(self) -> int:
        """K: the states of a node."""
        return self.map.states

    @property
    def dim(self) -> int:
        return self.layout.dim

    @property
    def oracle_is_exact(self) -> bool:
        return self.oracle_kind == "exact"

    @property
    def oracle_kind(self) -> str:
        """exact, under or over: what the training oracle searches."""
        return kind_of(self.separator)

    @cached_property
    def exact_twin(self) -> "FieldLabelling | None":
        """The same problem with an exact oracle, where its own is not and one is cheap enough to be asked now
        and then.
        """
        if self.oracle_is_exact or self.oracle_kind == "over":
            return None
        level = self.fields(np.zeros(self.dim), 0, self.n)
        if Tree().refuses(level) is None:
            return replace(self, separator=Tree())
        largest = int(np.diff(self.layout.nodes).max())
        small = self.n * self.states**largest <= RECHECKED
        return replace(self, separator=Exhaustive()) if small else None

    @property
    def groups(self) -> dict[str, slice]:
        """Where each kind of weight lies in w."""
        return self.map.groups(self.layout)

    @cached_property
    def layout(self) -> FieldLayout:
        """All examples below each other."""
        return self.map.layout(self.dataset.inputs)

    @cached_property
    def truth(self) -> Ints:
        """All labels behind each other."""
        return np.concatenate([np.asarray(y) for y in self.dataset.labels]).astype(np.int64)

    @cached_property
    def chunk(self) -> int:
        """Examples whose pass takes some tens of milliseconds, or a single one."""
        size = len(self.layout.ends) * self.states**2 + len(self.truth) * self.states
        return max(1, min(1000, int(200_000 * self.n / max(size, 1))))

    def on(self, dataset: Dataset) -> Self:
        return replace(self, dataset=dataset)

    def fields(self, w: Array, lo: int, hi: int) -> Fields:
        """The fields of examples lo .. hi at w."""
        return as_fields(self.layout.part(lo, hi), w)

    def field_of(self, w: Array, x: Any) -> Fields:
        """The field of any one input."""
        return as_fields(self.map.layout(as_batch(x)), w)

    def checked_input(self, x: Any, place: str) -> Any:
        return self.map.checked_input(x, self.dataset.inputs, place)

    def check_label(self, i: int, label: Any) -> None:
        self._fitting(i, label)

    def predict(self, w: Array, x: Any) -> Any:
        found = self._solved(self.predictor, self.field_of(w, x))
        return found.fractions.get(0, found.labels)

    def predictions(self, w: Array) -> list[Any]:
        out: list[Any] = []
        for lo in range(0, self.n, self.chunk):
            fields = self.fields(w, lo, min(lo + self.chunk, self.n))
            out += answers.apart(fields.nodes, self._solved(self.predictor, fields))
        return out

    def _solved(self, oracle: FieldOracle, fields: Fields) -> Solved:
        reason = oracle.refuses(fields)
        if reason:
            raise Refused(reason)
        return oracle.solve(fields)

    def most_violated(self, w: Array, lo: int, hi: int) -> tuple[Fields, list[Any]]:
        """The plain fields of examples lo .. hi and their most violated labellings."""
        fields, found = self._answers(w, lo, hi)
        return fields, answers.apart(fields.nodes, found)

    def _answers(self, w: Array, lo: int, hi: int) -> tuple[Fields, Solved]:
        """The plain fields of examples lo .. hi and what the training oracle answers, as it comes."""
        fields, truth = self.fields(w, lo, hi), self._truth(lo, hi)
        if self.pricing.adds_up and isinstance(self.delta, Decomposes):
            return fields, self._solved(self.separator, fields.with_loss(truth, self.delta))
        return fields, hard(fields, Exhaustive().most_violated(fields, truth, self.delta, self.pricing))

    def _truth(self, lo: int, hi: int) -> Ints:
        return self.truth[self.layout.nodes[lo] : self.layout.nodes[hi]]

    def features(self, i: int, label: Any) -> Vector:
        part = self.layout.part(i, i + 1)
        found = answers.stack_answers([self._fitting(i, label)], np.diff(part.nodes), self.states)
        return part.gather(*answers.counts(part, found, np.ones(1)))

    def _fitting(self, i: int, label: Any) -> Any:
        """A labelling may come from a file; compiled code would write wherever it says."""
        found = np.asarray(label)
        m, e = np.diff(self.layout.nodes)[i], np.diff(self.layout.edges)[i]
        if is_relaxed(found):
            fits = found.shape == (m * self.states + e * self.states**2,) and bool(np.isfinite(found).all())
        else:
            fits = found.shape == (m,) and bool(np.all((found >= 0) & (found < self.states)))
        if not fits:
            raise Refused(
                f"example {i} has {m} nodes with states 0 to {self.states - 1}; the labelling given does "
                "not fit it"
            )
        return found if is_relaxed(found) else found.astype(np.int64)

    def loss(self, i: int, label: Any) -> float:
        return answers.loss(self.delta, self.states, np.asarray(self.dataset.labels[i]), label)

    def losses(self, labels: list[Any]) -> Array:
        found = answers.stack_answers(labels, np.diff(self.layout.nodes), self.states)
        return answers.losses(self.delta, self.states, self.layout.nodes, self.truth, found)

    def oracle(self, w: Array, i: int) -> Cut:
        return self.cuts(w, i, i + 1)[0]

    def cuts(self, w: Array, lo: int, hi: int) -> list[Cut]:
        fields, found = self._answers(w, lo, hi)
        lost = answers.losses(self.delta, self.states, fields.nodes, self._truth(lo, hi), found)
        return [
            Cut(i, label.copy(), self._difference(i, label), float(r))
            for i, label, r in zip(range(lo, hi), answers.apart(fields.nodes, found), lost, strict=True)
        ]

    def _difference(self, i: int, label: Any) -> Vector:
        """Psi(x_i, y_i) - Psi(x_i, label)."""
        part, m = self.layout.part(i, i + 1), np.diff(self.layout.nodes[i : i + 2])
        return answers.difference(
            part, self._truth(i, i + 1), answers.stack_answers([label], m, self.states), np.ones(1)
        )

    def sweep(self, w: Array, lo: int, hi: int) -> Sweep:
        return self._sweep(w, lo, hi, floor=True)

    def raw_sweep(self, w: Array, lo: int, hi: int) -> Sweep:
        return self._sweep(w, lo, hi, floor=False)

    def _sweep(self, w: Array, lo: int, hi: int, floor: bool) -> Sweep:
        """All cuts of examples lo .. hi added up; with a floor, the truth replaces an answer below it."""
        (fields, found), truth = self._answers(w, lo, hi), self._truth(lo, hi)
        lost = answers.losses(self.delta, self.states, fields.nodes, truth, found)
        margins = fields.scores(truth) - answers.scores(fields, found)
        below = self.pricing.violations(margins, lost) < 0.0
        if floor and np.any(below):
            found = answers.with_truths(found, below, fields.nodes, truth)
            lost[below] = margins[below] = 0.0
        psi = answers.difference(self.layout.part(lo, hi), truth, found, self.pricing.weights(lost))
        own = found._replace(labels=found.labels.copy())
        return Sweep(tuple(answers.apart(fields.nodes, own)), lost, margins, psi)

    @property
    def decoder(self) -> CompiledDecoder | None:
        """How compiled visits ask the training oracle, where they can."""
        return self.separator.decoder(self.states) if isinstance(self.separator, Visited) else None

    @property
    def visitable(self) -> bool:
        """Compiled visits know some of the oracles, with a loss that is a sum over nodes."""
        return self.decoder is not None and self.pricing.adds_up and isinstance(self.delta, Decomposes)

    @property
    def alphabet(self) -> int:
        """Visits do not recombine labellings of graphs."""
        return 0

    @property
    def revisits(self) -> bool:
        return True

    @cached_property
    def places(self) -> Ints:
        return self.layout.nodes + (self.layout.edges if self.states == 2 else 0)

    @cached_property
    def corpus(self) -> FieldCorpus:
        """The data as compiled visits read them."""
        assert isinstance(self.delta, Decomposes)
        layout, decoder = self.layout, self.decoder
        assert decoder is not None
        sizes = np.maximum(np.diff(layout.nodes), 1)
        marks = np.zeros((len(layout.ends), 0)) if layout.marks is None else np.array(layout.marks)
        start, column, value = csr(layout.rows)
        return FieldCorpus(
            start=start,
            column=column,
            value=value,
            shared=layout.shared_row,
            truth=self.truth,
            nodes=np.array(layout.nodes),
            ends=np.array(layout.ends),
            edges=np.array(layout.edges),
            table=np.array(layout.table),
            marks=marks,
            tables=layout.tables,
            slot=np.array(layout.slot),
            cost=np.array(self.delta.costs(self.states), dtype=float),
            factor=1.0 / sizes if self.delta.normalised else np.ones(self.n),
            oracle=decoder.number,
            effort=decoder.effort,
        )

    def labelling(self, i: int, numbers: Any) -> Any:
        found = np.array(numbers, dtype=np.int64)
        return from_halves(found, self.layout.part(i, i + 1)) if self.states == 2 else found

    def numbers(self, i: int, label: Any) -> Any:
        if self.states == 2:
            return as_halves(label, self.layout.part(i, i + 1))
        if is_relaxed(label):
            raise Refused(
                f"the saved run gives example {i} a fractional labelling, which this oracle cannot take over"
            )
        return label

    def visit(self, w: Array, order: Ints, cache: Cache, plan: Plan, log: Log, born: int) -> int:
        return visit_fields(self.corpus, order, w, self.layout.columns, cache, plan, log, born)

    def rebuild(self, cache: Cache) -> Array:
        check_states(cache.labels[: cache.ends[2]], 3 if self.states == 2 else self.states)
        w = np.zeros(self.dim)
        rebuild_fields(self.corpus, self.layout.columns, cache, w)
        return w

    def worst(self, w: Array) -> Array:
        found = np.empty(self.n)
        in_parts(lambda a, b: worst_of_fields(self.corpus, a, b, w, self.layout.columns, found), 0, self.n)
        return found

    def labellings(self, i: int) -> Iterable[Ints]:
        return iter(all_labellings(len(self.dataset.labels[i]), self.states))

    def labellings_count(self, i: int) -> int:
        return int(self.states ** len(self.dataset.labels[i]))


def as_fields(part: FieldLayout, w: Array) -> Fields:
    """The fields that a layout makes at w."""
    unary, pair = part.scores(w)
    return Fields(unary, part.nodes, part.ends, part.edges, part.table, pair)


def as_batch(x: Any) -> Any:
    """One input as a list of inputs, keeping arrays arrays and sparse rows sparse."""
    if hasattr(x, "nodes"):
        return (x,)
    return x.reshape(1, -1) if hasattr(x, "reshape") else np.asarray(x)[None]
