"""The most violated forest of links: H = r - u (w . Psi(truth) - w . Psi(y)), with r and u as `Pricing` says.

Psi sums the features of links, the loss sees only the partition. For a given partition H grows with the score
of its links, so their best choice is the best spanning tree of every cluster, and it is enough to search
partitions.

    all forests    every partition with its best trees: exact; Bell(m) partitions, 2^m trees
    link search    Kruskal on the similarity with the loss added link by link, then single links are added and
                   cut while H rises. No sum over links is a loss of pairs, so this is a heuristic and may
                   miss the most violated forest.

Finley 2009, section 6.2, names the need for such an oracle and leaves it open. Cost of a search: for each
step one loss for every link and NEAR for every cluster. The losses of clusterings are searched in compiled
code (see `kernels.link_moves`), of any other the loss is asked in Python.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple, Protocol, cast, final

import numpy as np

from explorer.engine.contracts import Loss
from explorer.engine.pricing import Pricing
from explorer.engine.structures.clusterings.kernels.link_moves import best_climb, losses_of
from explorer.engine.structures.clusterings.kernels.spanning_forest import held_together, tree_weights
from explorer.engine.structures.clusterings.link_forests import partition_of, trees_inside
from explorer.engine.structures.clusterings.loss_codes import stake_of
from explorer.engine.structures.clusterings.partitions import canonical
from explorer.engine.structures.clusterings.question import Folds
from explorer.engine.vectors import Array, Ints

MOST_ITEMS = 9
"""Items of which every partition is looked at: 21,147 of them."""

NEAR = 4
"""A cluster is tried with this many of the clusters most similar to it."""


@dataclass(frozen=True, slots=True, eq=False)
class LinkQuestion:
    """Maximise H over all forests: similarity K, the true partition and the score of its links."""

    K: Array
    truth: Ints
    own: float
    delta: Loss
    pricing: Pricing

    def score(self, parents: Ints) -> float:
        """The sum of K over the links."""
        item = np.flatnonzero(parents >= 0)
        return float(np.sum(self.K[item, parents[item]]))

    def margin(self, parents: Ints) -> float:
        """How much more the links of the truth score."""
        return self.own - self.score(parents)

    def worth(self, score: float, labels: Ints) -> float:
        """H of any forest with this score and partition."""
        return self.pricing.violation(self.own - score, self.delta.value(self.truth, labels))

    def value(self, parents: Ints) -> float:
        """H of a forest."""
        return self.worth(self.score(parents), partition_of(parents))


class LinkOracle(Protocol):
    """Answers with the parents of a forest; `kind` is "exact" or "under"."""

    title: ClassVar[str]
    help: ClassVar[str]
    kind: ClassVar[str]

    def refuses(self, m: int) -> str | None: ...
    def solve(self, question: LinkQuestion) -> Ints: ...


@final
@dataclass(frozen=True, slots=True)
class AllForests:
    """Every partition with its best spanning trees."""

    title: ClassVar[str] = "all forests"
    help: ClassVar[str] = (
        f"Looks at every partition with its best trees; exact for any loss, at most {MOST_ITEMS} items."
    )
    kind: ClassVar[str] = "exact"

    def refuses(self, m: int) -> str | None:
        """More than MOST_ITEMS items."""
        return (
            None
            if m <= MOST_ITEMS
            else f"{m} items have too many forests to look at; choose link search, or fewer items"
        )

    def solve(self, question: LinkQuestion) -> Ints:
        """The first best forest."""
        labels, subsets = _listed(len(question.K))
        scores = tree_weights(question.K)[subsets].sum(axis=1)
        losses = _losses(cast("Hashable", question.delta), tuple(question.truth.tolist()))
        best = int(np.argmax(question.pricing.violations(question.own - scores, losses)))
        return trees_inside(question.K, labels[best])


@lru_cache(maxsize=MOST_ITEMS)
def _listed(m: int) -> tuple[Ints, Ints]:
    """All partitions, and each one's clusters as numbers of subsets (0 where there is none)."""
    labels = np.zeros((1, 0), dtype=np.int64)
    for _ in range(
        m
    ):  # each row goes on with every cluster it has and a new one: the order of `all_partitions`
        ways = labels.max(axis=1, initial=-1) + 2
        last = np.arange(ways.sum()) - np.repeat(np.cumsum(ways) - ways, ways)
        labels = np.column_stack([np.repeat(labels, ways, axis=0), last])
    labels = np.ascontiguousarray(labels)
    subsets = np.zeros((len(labels), m), dtype=np.int64)
    for item in range(m):
        np.add.at(subsets, (np.arange(len(labels)), labels[:, item]), 1 << item)
    return labels, subsets


@lru_cache(maxsize=512)
def _losses(delta: Any, truth: tuple[int, ...]) -> Array:
    """The loss of every partition, in the order of the list; it does not change with w."""
    own, (listed, _) = np.array(truth, dtype=np.int64), _listed(len(truth))
    stake = stake_of(delta, own, 0.0, Pricing())
    return (
        np.array([delta.value(own, labels) for labels in listed])
        if stake is None
        else losses_of(stake, listed)
    )


class _Move(NamedTuple):
    gain: float
    labels: Ints


@final
@dataclass(frozen=True, slots=True)
class LinkSearch:
    """Kruskal on the loss-augmented similarity, improved link by link."""

    title: ClassVar[str] = "link search"
    help: ClassVar[str] = (
        "Single link with the loss added to each link, then adding and cutting links; may miss the best."
    )
    kind: ClassVar[str] = "under"

    def refuses(self, m: int) -> str | None:
        """Takes any number of items."""
        return None

    def solve(self, question: LinkQuestion) -> Ints:
        """The best of the forests that the starts climb to; the earlier start among equals."""
        stake, starts = (
            stake_of(question.delta, question.truth, question.own, question.pricing),
            _starts(question),
        )
        if stake is None:
            return max((self._climb(question, labels) for labels in starts), key=question.value)
        # Another order, or read-only numbers, would be compiled anew.
        first, _ = best_climb(np.require(question.K, np.float64, ["C", "W"]), stake, starts, NEAR)
        return trees_inside(question.K, starts[first])

    def _climb(self, question: LinkQuestion, labels: Ints) -> Ints:
        """Add or cut the link that raises H most, and link every cluster anew in the best way, while that
        helps.
        """
        parents = trees_inside(question.K, labels)
        while True:
            score, value = question.score(parents), question.worth(question.score(parents), labels)
            moves = list(_moves(question.K, parents, labels))
            worths = [question.worth(score + move.gain, move.labels) for move in moves]
            if not moves or max(worths) <= value + 1e-12 * max(1.0, abs(value)):
                return parents
            labels = moves[int(np.argmax(worths))].labels
            parents = trees_inside(question.K, labels)


def _starts(question: LinkQuestion) -> Ints:
    """Partitions to climb from, each once: single link with the loss on each link and without it, single
    items, the truth.
    """
    K = np.require(question.K, np.float64, ["C", "W"])
    found = question.delta.fold(question.truth, None) if isinstance(question.delta, Folds) else None
    both = [held_together(K if found is None else K + found[1], 0.0), held_together(K, 0.0)]
    every = (*both, np.arange(len(K)), question.truth)
    return np.array(list(dict.fromkeys(tuple(labels.tolist()) for labels in every)), dtype=np.int64)


def _moves(K: Array, parents: Ints, labels: Ints) -> Iterator[_Move]:
    """Every cluster joined to each of those near to it by their best link, every link cut."""
    best = _best_links(K, labels)
    near = best >= np.sort(best, axis=1)[:, -NEAR:][:, :1]
    for c, d in np.argwhere(np.triu(near | near.T, 1)):
        # d's items become c's and later clusters move up: still numbered by first appearance.
        yield _Move(float(best[c, d]), np.where(labels == d, c, labels - (labels > d)))
    for item in np.flatnonzero(parents >= 0):
        alone = np.array(parents)
        alone[item] = -1
        yield _Move(-float(K[item, parents[item]]), canonical(partition_of(alone)))


def _best_links(K: Array, labels: Ints) -> Array:
    """The largest similarity of an item of cluster c and one of another cluster d."""
    count = int(labels.max()) + 1
    out = np.full((count, count), -np.inf)
    np.maximum.at(out, (labels[:, None], labels[None, :]), K)
    np.fill_diagonal(out, -np.inf)
    return out


LINK_ORACLES: tuple[type[LinkOracle], ...] = (LinkSearch, AllForests)
"""In menu order."""
