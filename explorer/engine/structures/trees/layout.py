"""What all dependency problems share: the sentences' possible edges laid out, the oracle's question, and its
answers.

    S_i[h, d] = sum over hash functions of the weight that w gives the hash of edge (h, d) in sentence i
        (sufficient weights)

Pre-image and loss-augmented pre-image are then the best tree under S and under S raised by the loss (Pfahler
2015, section 4.2.3). Edges are held flat, sentence by sentence, head by head, so that a pass over all
sentences is a few array operations and one compiled call.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from explorer.engine.contracts import Loss, Problem
from explorer.engine.events import Cut
from explorer.engine.losses import Hamming
from explorer.engine.objective import cut_of
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.structures.trees.oracles import Tables, TreeOracle, ends
from explorer.engine.vectors import Array, Ints


@dataclass(frozen=True, slots=True, eq=False)
class TreeLayout:
    """Tokens and possible edges of stacked sentences; `cell` holds a number for every edge and hash function,
    or -1.
    """

    places: Ints
    cells: Ints
    cell: Ints
    truth: Ints

    @property
    def width(self) -> int:
        """How many hash functions there are."""
        return len(self.cell)

    def tables(self, weights: Array) -> Tables:
        """Edge scores from a weight for every number; an edge without number weighs nothing."""
        padded = np.append(weights, 0.0)  # -1 is the last
        return Tables(padded[self.cell].sum(axis=0), self.cells, self.places)

    def part(self, lo: int, hi: int) -> "TreeLayout":
        """Sentences lo .. hi - 1."""
        a, b, c, d = self.places[lo], self.places[hi], self.cells[lo], self.cells[hi]
        places, cells = self.places[lo : hi + 1] - a, self.cells[lo : hi + 1] - c
        return TreeLayout(places, cells, self.cell[:, c:d], self.truth[a:b])

    def numbers(self, heads: Ints) -> Ints:
        """The numbers of the edges that these heads make, as (hash function, token)."""
        return np.asarray(self.cell[:, Tables(np.empty(0), self.cells, self.places).edge_places(heads)])

    def split(self, heads: Ints) -> tuple[Ints, ...]:
        """Each sentence's own part of stacked heads."""
        return tuple(np.split(heads, self.places[1:-1]))


def laid_out(tables: Sequence[Ints], truths: Sequence[Ints]) -> TreeLayout:
    """The layout of sentences given by the numbers of their edges."""
    lengths = np.array([table.shape[2] for table in tables], dtype=np.int64)
    cell = np.concatenate([table.reshape(len(table), -1) for table in tables], axis=1)
    return TreeLayout(
        ends(lengths), ends(lengths * (lengths + 1)), np.ascontiguousarray(cell), np.concatenate(truths)
    )


@dataclass(frozen=True, slots=True, eq=False)
class TreeAnswers:
    """The most violated heads of a run of sentences, their losses and margins; never less violated than the
    truth.
    """

    heads: Ints
    losses: Array
    margins: Array


def most_violated(
    layout: TreeLayout, tables: Tables, oracle: TreeOracle, delta: Loss, pricing: Pricing
) -> TreeAnswers:
    """What the training oracle answers; where that is less violated than the truth, the truth."""
    heads = oracle.most_violated(tables, layout.truth, delta, pricing)
    margins = tables.totals(layout.truth) - tables.totals(heads)
    losses = losses_of(layout, heads, delta)
    below = pricing.violations(margins, losses) < 0.0
    if np.any(below):
        kept = np.repeat(below, tables.lengths)
        heads = np.where(kept, layout.truth, heads)
        margins, losses = np.where(below, 0.0, margins), np.where(below, 0.0, losses)
    return TreeAnswers(heads, losses, margins)


class TreeProblem(Problem, Protocol):
    """A problem over sentences: all their possible edges, the scores of these, and the training oracle."""

    @property
    def layout(self) -> TreeLayout: ...
    @property
    def delta(self) -> Loss: ...
    @property
    def separator(self) -> TreeOracle: ...
    def tables(self, w: Array, lo: int, hi: int) -> Tables: ...


def answers(problem: TreeProblem, w: Array, lo: int, hi: int) -> TreeAnswers:
    """The most violated trees of sentences lo .. hi - 1."""
    part, tables = problem.layout.part(lo, hi), problem.tables(w, lo, hi)
    return most_violated(part, tables, problem.separator, problem.delta, problem.pricing)


def cuts(problem: TreeProblem, w: Array, lo: int, hi: int) -> list[Cut]:
    """Their cuts."""
    parts = problem.layout.part(lo, hi).split(answers(problem, w, lo, hi).heads)
    return [cut_of(problem, i, label) for i, label in enumerate(parts, start=lo)]


def losses_of(layout: TreeLayout, heads: Ints, delta: Loss) -> Array:
    """The loss of each sentence's part of stacked heads."""
    both = zip(layout.split(layout.truth), layout.split(heads), strict=True)
    return np.array([delta.value(truth, label) for truth, label in both])


def check_oracles(
    layout: TreeLayout, separator: TreeOracle, predictor: TreeOracle, delta: Loss, pricing: Pricing
) -> None:
    """Refuse, before any training, sentences and losses that an oracle cannot take."""
    longest = int(np.max(np.diff(layout.places)))
    reason = separator.refuses(longest, delta, pricing)
    reason = reason or predictor.refuses(longest, Hamming(), Pricing())  # it is never asked about a loss
    if reason:
        raise Refused(reason)


def one_table(numbers: Ints, weights: Array) -> Tables:
    """The scores of one sentence's edges."""
    m = numbers.shape[2]
    padded: Any = np.append(weights, 0.0)
    return Tables(padded[numbers].sum(axis=0).ravel(), np.array([0, m * (m + 1)]), np.array([0, m]))
