"""What a tree oracle is asked: a score for every possible edge of stacked sentences, and how the loss is
folded in.

    H(y) = L(y_i, y) - (S(y_i) - S(y)),      S(y) = sum_d S[head(d), d]

A loss that costs the same for every wrong head is added to the edges that are not the truth's: S + c 1[edge
not in truth]. That is the same as S + c (1/2 - 1[edge in truth]) but for a constant, since every tree has one
edge for each token (Pfahler 2015, equation 4.21 and section 6.2.4).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

import numpy as np

from explorer.engine.contracts import Counts, Decomposes, Loss, Undecomposed
from explorer.engine.halting import halt
from explorer.engine.pricing import Pricing
from explorer.engine.threads import in_parts
from explorer.engine.vectors import Array, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """Edge scores below each other: sentence i has tokens places[i] .. places[i + 1] and (m + 1) rows of m
    scores.
    """

    scores: Array
    cells: Ints
    places: Ints

    @property
    def count(self) -> int:
        """How many sentences there are."""
        return len(self.places) - 1

    @property
    def lengths(self) -> Ints:
        """Tokens of each sentence."""
        return np.diff(self.places)

    def one(self, i: int) -> Array:
        """Sentence i: [h, d - 1] is the score of the edge from h to d."""
        m = int(self.places[i + 1] - self.places[i])
        return self.scores[self.cells[i] : self.cells[i + 1]].reshape(m + 1, m)

    def edge_places(self, heads: Ints) -> Ints:
        """Where the score of each token's edge lies."""
        first, m = np.repeat(self.places[:-1], self.lengths), np.repeat(self.lengths, self.lengths)
        return np.asarray(
            np.repeat(self.cells[:-1], self.lengths) + heads * m + np.arange(len(heads)) - first
        )

    def totals(self, heads: Ints) -> Array:
        """The score of each sentence's heads."""
        return np.asarray(np.add.reduceat(self.scores[self.edge_places(heads)], self.places[:-1]))

    def with_loss(self, truth: Ints, loss: Loss) -> "Tables":
        """The same with the loss of every wrong head added."""
        assert isinstance(loss, Counts)
        each = np.array([loss.of_count(1, int(m)) for m in self.lengths])
        raised = self.scores + np.repeat(each, np.diff(self.cells))
        right = self.edge_places(truth)
        raised[right] = self.scores[right]
        return replace(self, scores=raised)


class TreeOracle(Protocol):
    """A decoder of trees; `kind` is "exact", "under" (it may miss trees) or "over" (heads may run in a
    circle).
    """

    title: ClassVar[str]
    help: ClassVar[str]
    kind: ClassVar[str]

    def refuses(self, longest: int, loss: Loss, pricing: Pricing) -> str | None:
        """Why it cannot answer about sentences of this length, or fold in this loss."""
        ...

    def best(self, tables: Tables) -> Ints: ...
    def most_violated(self, tables: Tables, truth: Ints, loss: Loss, pricing: Pricing) -> Ints: ...


Decode = Callable[[Array, Ints, Ints, int, int, Ints], None]


def stack_tables(scores: list[Array]) -> Tables:
    """Tables of single sentences, below each other."""
    lengths = np.array([table.shape[1] for table in scores], dtype=np.int64)
    flat = np.concatenate([np.ascontiguousarray(table, dtype=np.float64).ravel() for table in scores])
    return Tables(flat, ends(lengths * (lengths + 1)), ends(lengths))


def ends(sizes: Ints) -> Ints:
    """Where parts of these sizes begin and end."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def decode_all(kernel: Decode, tables: Tables) -> Ints:
    """The heads of all tokens, sentence by sentence on all cores."""
    heads = np.zeros(int(tables.places[-1]), dtype=np.int64)

    def work(lo: int, hi: int) -> None:
        kernel(tables.scores, tables.cells, tables.places, lo, hi, heads)

    in_parts(work, 0, tables.count)
    return heads


def one_by_one(best: Callable[[Array], Ints], tables: Tables) -> Ints:
    """The heads of all tokens from a function of one table."""
    found = []
    for i in range(tables.count):
        halt()
        found.append(best(tables.one(i)))
    return np.concatenate(found)


def unfoldable(loss: Loss, pricing: Pricing) -> str | None:
    """Why a loss cannot be added to the edges."""
    folds = isinstance(loss, Decomposes) and isinstance(loss, Counts)
    if folds and pricing.scaling == "margin" and pricing.penalty == "linear":
        return None
    why = loss.undecomposed if isinstance(loss, Undecomposed) else ""
    why = why or "Only a price for each wrong head can be added to the scores of edges."
    return (
        f"{why} With {pricing.scaling} scaling and {pricing.penalty} slack cost that is not so here; choose "
        "the "
        "attachment error with margin scaling and linear slacks, or the oracle that lists all trees of "
        "short sentences"
    )
