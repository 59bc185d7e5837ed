"""Supervised single-link clustering: learn a similarity whose links, where it is at least 0, hold together
what belongs together.

    Psi(x, y) = sum over the links (i, j) of y of psi_ij,      K_ij = <w, psi_ij>,
        prediction: Kruskal's forest cut at 0

Finley 2009, section 6.2 and Algorithm 8. One partition has many link sets, so an answer carries its links:
each item's parent in a forest (see `forests`); its loss is that of its partition. People give partitions and
no links. Here the links of the truths are fixed, which keeps the problem convex: given as labels, or imputed
once from the mean of the features. `imputed` makes the problem with the links that are best under a given w,
`latent_links` goes back and forth between both. A forest with the right partition and other links loses
nothing, yet its cut asks that it scores no more than the truth. The prediction is exact: no forest scores
more. Cost of a pass: K of every set, then the oracle.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np

from explorer.engine.checks import read_only
from explorer.engine.contracts import Dataset, Loss
from explorer.engine.events import Cut, Sweep
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused, checked_calls
from explorer.engine.structures.clusterings import set_passes
from explorer.engine.structures.clusterings.item_sets import (
    ItemSet,
    Weighting,
    groups_of,
    like_known,
    similarity,
    total,
)
from explorer.engine.structures.clusterings.link_forests import (
    all_forests,
    checked_parents,
    forest_count,
    is_forest,
    link_shares,
    partition_of,
    single_link,
    trees_inside,
)
from explorer.engine.structures.clusterings.link_oracles import (
    MOST_ITEMS,
    AllForests,
    LinkOracle,
    LinkQuestion,
    LinkSearch,
)
from explorer.engine.structures.clusterings.losses import Pairwise
from explorer.engine.structures.clusterings.partitions import canonical
from explorer.engine.structures.clusterings.problem import check_item_sets
from explorer.engine.threads import each
from explorer.engine.vectors import Array, Ints, Vector


@checked_calls
@dataclass(frozen=True)
class SingleLink:
    """One forest of links for every set of items; after checking, the labels of `dataset` are the truths'
    links.
    """

    dataset: Dataset
    delta: Loss = field(default_factory=Pairwise)
    pricing: Pricing = field(default_factory=Pricing)
    separator: LinkOracle = field(default_factory=LinkSearch)
    name: str = "single link"
    model: ClassVar[Literal["single link"]] = "single link"

    def __post_init__(self) -> None:
        object.__setattr__(self, "dataset", link_sets(self.dataset))
        for x in self.dataset.inputs:
            reason = self.separator.refuses(x.m)
            if reason:
                raise Refused(reason)

    @property
    def n(self) -> int:
        return len(self.dataset)

    @property
    def dim(self) -> int:
        return int(self.dataset.inputs[0].dim)

    @property
    def oracle_is_exact(self) -> bool:
        return self.separator.kind == "exact"

    @property
    def oracle_kind(self) -> str:
        """exact, or under: a search may miss the most violated forest."""
        return self.separator.kind

    @property
    def predictor_title(self) -> str:
        """By which rule a prediction is made."""
        return self.model

    @cached_property
    def exact_twin(self) -> "SingleLink | None":
        """The same problem with an exact oracle, where its own is not and the sets are small enough."""
        small = all(x.m <= MOST_ITEMS for x in self.dataset.inputs)
        return replace(self, separator=AllForests()) if small and not self.oracle_is_exact else None

    @property
    def groups(self) -> dict[str, slice]:
        """Where each kind of weight lies in w."""
        return groups_of(self.dataset.inputs[0])

    @property
    def links(self) -> tuple[Ints, ...]:
        """Every truth's links, as parents."""
        return tuple(self.dataset.labels)

    @cached_property
    def partitions(self) -> tuple[Ints, ...]:
        """Every truth's clusters."""
        return tuple(read_only(partition_of(y)) for y in self.dataset.labels)

    @cached_property
    def chunk(self) -> int:
        """Sets whose pass takes some tens of milliseconds, or a single one."""
        return set_passes.chunk_of(self.dataset.inputs, 4_000)

    def on(self, dataset: Dataset) -> Self:
        return replace(self, dataset=dataset)

    def impute(self, w: Array) -> Self:
        """The same partitions with the links that score most at w: the best spanning tree of every true
        cluster.
        """
        found = [
            trees_inside(similarity(x, w), y)
            for x, y in zip(self.dataset.inputs, self.partitions, strict=True)
        ]
        return self.on(replace(self.dataset, labels=tuple(found)))

    def similarity(self, w: Array, x: ItemSet) -> Array:
        """K of all pairs; items are not linked to themselves."""
        K = similarity(x, w)
        np.fill_diagonal(K, 0.0)
        return K

    def question(self, w: Array, i: int) -> LinkQuestion:
        """What the training oracle is asked about example i."""
        K, truth = self.similarity(w, self.dataset.inputs[i]), self.dataset.labels[i]
        item = np.flatnonzero(truth >= 0)
        return LinkQuestion(
            K, self.partitions[i], float(np.sum(K[item, truth[item]])), self.delta, self.pricing
        )

    def checked_input(self, x: Any, place: str) -> ItemSet:
        return like_known(x, self.dataset.inputs[0], place)

    def predict(self, w: Array, x: ItemSet) -> Any:
        return single_link(self.similarity(w, x))

    def predictions(self, w: Array) -> list[Any]:
        return each(lambda i: self.predict(w, self.dataset.inputs[i]), 0, self.n)

    def weighting(self, x: ItemSet, label: Any) -> Weighting:
        """beta_ij = 1 for the links of a forest: Psi(x, label) = sum_{i < j} beta_ij psi_ij."""
        return Weighting(link_shares(label))

    def features(self, i: int, label: Any) -> Vector:
        x = self.dataset.inputs[i]
        return total(x, self.weighting(x, checked_parents(label, x.m, f"the label of example {i}")))

    def check_label(self, i: int, label: Any) -> None:
        m = self.dataset.inputs[i].m
        if np.shape(label) != (m,):
            raise Refused(f"the label of example {i} is no forest of {m} items, nor a partition of them")

    def loss(self, i: int, label: Any) -> float:
        """The loss of the partition; a label without links may be one already."""
        other = partition_of(label) if is_forest(label) else canonical(label)
        return self.delta.value(self.partitions[i], other)

    def losses(self, labels: list[Any]) -> Array:
        return np.array([self.loss(i, label) for i, label in enumerate(labels)])

    def most_violated(self, w: Array, i: int) -> tuple[LinkQuestion, Any]:
        """The question about example i and the oracle's answer; the truth where it knows nothing better."""
        question = self.question(w, i)
        label = self.separator.solve(question)
        return question, set_passes.at_least_truth(question, label, self.dataset.labels[i])

    def oracle(self, w: Array, i: int) -> Cut:
        return self.cuts(w, i, i + 1)[0]

    def cuts(self, w: Array, lo: int, hi: int) -> list[Cut]:
        return set_passes.cuts(self, w, lo, hi)

    def difference(self, i: int, label: Any) -> Vector:
        """Psi(x_i, y_i) - Psi(x_i, label); links that both have cancel before their features are looked
        at.
        """
        x = self.dataset.inputs[i]
        return total(x, Weighting(link_shares(self.dataset.labels[i]) - link_shares(label)))

    def sweep(self, w: Array, lo: int, hi: int) -> Sweep:
        return set_passes.sweep(self, w, lo, hi)

    def labellings(self, i: int) -> Iterable[Ints]:
        return all_forests(self.dataset.inputs[i].m)

    def labellings_count(self, i: int) -> int:
        return forest_count(self.dataset.inputs[i].m)


def link_sets(dataset: Dataset) -> Dataset:
    """Checked item sets whose labels are links: those given, or trees of the mean of the features in each
    cluster.
    """
    given = list(dataset.labels)
    known = [is_forest(y) for y in given]
    for i, x in enumerate(dataset.inputs[: len(given)]):
        if known[i]:
            given[i] = checked_parents(given[i], x.m, f"the label of item set {i}")
    plain = [partition_of(y) if forest else y for y, forest in zip(given, known, strict=True)]
    made = check_item_sets(replace(dataset, labels=tuple(plain)), "correlation")
    mean = np.full(made.inputs[0].dim, 1.0 / made.inputs[0].dim)
    labels = (
        y if forest else read_only(trees_inside(similarity(x, mean), part))
        for x, y, part, forest in zip(made.inputs, given, made.labels, known, strict=True)
    )
    return replace(made, labels=tuple(labels))
