"""Supervised clustering: learn the similarity of pairs so that a clusterer finds the partitions that people
made.

    correlation clustering   Psi(x, y) = s sum_{i < j together in y} psi_ij
        s = 1 / m^2 (or 1), any number of clusters
    k-means, spectral        Psi(x, Y) = sum_{i < j} (Y Y')_ij psi_ij
        k clusters, known beforehand
        with `diagonal`      Psi(x, Y) = sum_{i, j} (Y Y')_ij psi_ij
            every ordered pair, and items themselves

so that w . Psi is the score that a clusterer maximises under the similarity K_ij = <w, psi_ij> (see
`similarity.Question`). Finley 2009, chapters 3 and 4, where the two sums of k-means are printed as if they
were equal. Relaxed clusterers answer with shares of pairs, or a Y with orthonormal columns: Psi and the
losses that fold are defined for them too. `loss_asked` False leaves the loss out of the oracle's question,
though never out of the cut. `nonnegative` asks for w >= 0: with features that are kernels the similarity is
then a kernel. Cost of a pass: K of every set, then the clusterer.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np

from explorer.engine.contracts import Dataset, Loss, Rule
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
from explorer.engine.structures.clusterings.losses import Pairwise
from explorer.engine.structures.clusterings.oracles import AllPartitions
from explorer.engine.structures.clusterings.partitions import (
    all_partitions,
    bell,
    checked_labels,
    indicator,
    is_relaxed,
    pair_count,
    pair_vector,
    stirling,
    together,
)
from explorer.engine.structures.clusterings.question import ClusterOracle, Question, loss_of
from explorer.engine.threads import each
from explorer.engine.vectors import Array, Ints, Sparse, Vector

Model = Literal["correlation", "k-means"]

RECHECKED = 200_000
"""An exact oracle is asked beside an approximate one where all sets together have no more partitions than
this.
"""


@checked_calls
@dataclass(frozen=True)
class Clustering:
    """One partition for every set of items."""

    dataset: Dataset
    model: Model = "correlation"
    delta: Loss = field(default_factory=Pairwise)
    pricing: Pricing = field(default_factory=Pricing)
    separator: ClusterOracle = field(default_factory=AllPartitions)
    predictor: ClusterOracle = field(default_factory=AllPartitions)
    normalise: bool = True
    diagonal: bool = False
    loss_asked: bool = True
    nonnegative: bool = False
    name: str = "clustering"

    def __post_init__(self) -> None:
        object.__setattr__(self, "dataset", check_item_sets(self.dataset, self.model))
        for i in range(self.n):  # sizes and losses are refused here, not in the middle of a run
            asked = self.question(np.zeros(self.dim), i)
            for oracle, question in ((self.separator, asked), (self.predictor, asked.without_loss())):
                reason = oracle.refuses(question)
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
        return self.oracle_kind == "exact"

    @property
    def oracle_kind(self) -> str:
        """exact, under or over; not told the loss, it may miss the most violated of what it searches."""
        kind = self.separator.kind
        if self.loss_asked:
            return kind
        return "over, untold" if kind == "over" else "under, untold"

    @property
    def predictor_title(self) -> str:
        """Which clusterer makes a prediction."""
        return self.predictor.title

    @cached_property
    def exact_twin(self) -> "Clustering | None":
        """The same problem with an exact oracle, where its own is not and the sets are small enough."""
        if not self.oracle_kind.startswith("under"):
            return None
        counts = (
            stirling(x.m, x.groups) if self.model == "k-means" else bell(x.m) for x in self.dataset.inputs
        )
        small = all(x.m <= 11 for x in self.dataset.inputs) and sum(counts) <= RECHECKED
        return replace(self, separator=AllPartitions(), loss_asked=True) if small else None

    @property
    def groups(self) -> dict[str, slice]:
        """Where each kind of weight lies in w."""
        return groups_of(self.dataset.inputs[0])

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """w >= 0, one rule for each weight, where that is asked."""
        one = np.ones(1)
        each = (Sparse(np.array([f]), one, self.dim) for f in range(self.dim))
        return tuple(Rule(a, 0.0, group=f) for f, a in enumerate(each)) if self.nonnegative else ()

    @cached_property
    def chunk(self) -> int:
        """Sets whose pass takes some tens of milliseconds, or a single one."""
        return set_passes.chunk_of(self.dataset.inputs, 40_000)

    def on(self, dataset: Dataset) -> Self:
        return replace(self, dataset=dataset)

    def similarity(self, w: Array, x: ItemSet) -> Array:
        """K, scaled so that a clusterer's score is w . Psi."""
        K = similarity(x, w)
        if self.model == "k-means" and self.diagonal:
            return K
        np.fill_diagonal(K, 0.0)
        return K * (0.5 if self.model == "k-means" else self._scale(x))

    def _scale(self, x: ItemSet) -> float:
        return 1.0 / x.m**2 if self.normalise else 1.0

    def _groups(self, x: ItemSet) -> int | None:
        if self.model == "k-means" and x.groups is None:
            raise Refused("k-means must be told how many clusters to make; give the item set `groups`")
        return x.groups if self.model == "k-means" else None

    def question(self, w: Array, i: int) -> Question:
        """What the training oracle is asked about example i."""
        x = self.dataset.inputs[i]
        return Question(
            self.similarity(w, x), self._groups(x), self.dataset.labels[i], self.delta, self.pricing
        )

    def checked_input(self, x: Any, place: str) -> ItemSet:
        return like_known(x, self.dataset.inputs[0], place)

    def predict(self, w: Array, x: ItemSet) -> Any:
        asked = Question(self.similarity(w, x), self._groups(x))
        reason = self.predictor.refuses(asked)
        if reason:
            raise Refused(reason)
        return self.predictor.solve(asked).label

    def predictions(self, w: Array) -> list[Any]:
        return each(lambda i: self.predict(w, self.dataset.inputs[i]), 0, self.n)

    def weighting(self, x: ItemSet, label: Any) -> Weighting:
        """The beta_ij with Psi(x, label) = sum_{i < j} beta_ij psi_ij (and the weights of the items
        themselves).
        """
        if self.model == "correlation":
            s = self._scale(x)
            if is_relaxed(label):
                return Weighting(s * label)
            return Weighting(s * together(label), factor=np.sqrt(s) * (indicator(label) > 0.0))
        Y = label.reshape(x.m, -1) if is_relaxed(label) else indicator(label)
        if not self.diagonal:
            return Weighting(pair_vector(Y @ Y.T), factor=Y)
        return Weighting(2.0 * pair_vector(Y @ Y.T), np.sum(Y**2, axis=1), np.sqrt(2.0) * Y)

    def features(self, i: int, label: Any) -> Vector:
        x = self.dataset.inputs[i]
        return total(x, self.weighting(x, self._fitting(i, label)))

    def check_label(self, i: int, label: Any) -> None:
        self._fitting(i, label)

    def _fitting(self, i: int, label: Any) -> Any:
        """A clustering may come from a file; compiled code would look wherever it says."""
        found, x = np.asarray(label), self.dataset.inputs[i]
        if is_relaxed(found):
            size = pair_count(x.m) if self.model == "correlation" else x.m * (x.groups or 0)
            fits = found.shape == (size,) and bool(np.isfinite(found).all())
        else:
            fits = found.shape == (x.m,) and bool(np.all((found >= 0) & (found < x.m)))
        if not fits:
            raise Refused(f"example {i} has {x.m} items; the clustering given does not fit it")
        return found if is_relaxed(found) else found.astype(np.int64)

    def loss(self, i: int, label: Any) -> float:
        x = self.dataset.inputs[i]
        return loss_of(self.delta, self.dataset.labels[i], label, self._groups(x))

    def losses(self, labels: list[Any]) -> Array:
        return np.array([self.loss(i, label) for i, label in enumerate(labels)])

    def most_violated(self, w: Array, i: int) -> tuple[Question, Any]:
        """The question about example i and the oracle's answer; the truth where it knows nothing better."""
        question = self.question(w, i)
        label = self.separator.solve(question if self.loss_asked else question.without_loss()).label
        return question, set_passes.at_least_truth(question, label, question.truth)

    def oracle(self, w: Array, i: int) -> Cut:
        return self.cuts(w, i, i + 1)[0]

    def cuts(self, w: Array, lo: int, hi: int) -> list[Cut]:
        return set_passes.cuts(self, w, lo, hi)

    def difference(self, i: int, label: Any) -> Vector:
        """Psi(x_i, y_i) - Psi(x_i, label)."""
        x = self.dataset.inputs[i]
        truth, other = self.weighting(x, self.dataset.labels[i]), self.weighting(x, label)
        if x.nodes is None:  # pairs that are treated alike cancel before their features are looked at
            return total(x, Weighting(truth.beta - other.beta))
        return total(x, truth) - total(x, other)

    def sweep(self, w: Array, lo: int, hi: int) -> Sweep:
        return set_passes.sweep(self, w, lo, hi)

    def labellings(self, i: int) -> Iterable[Ints]:
        x = self.dataset.inputs[i]
        return all_partitions(x.m, self._groups(x))

    def labellings_count(self, i: int) -> int:
        x = self.dataset.inputs[i]
        k = self._groups(x)
        return bell(x.m) if k is None else stirling(x.m, k)


def check_item_sets(dataset: Dataset, model: Model) -> Dataset:
    """Item sets of one width with a partition each; for k-means each knows how many clusters its truth
    has.
    """
    if not len(dataset):
        raise Refused("there are no item sets; give at least one")
    if len(dataset.inputs) != len(dataset.labels):
        raise Refused(
            f"there are {len(dataset.inputs)} item sets but {len(dataset.labels)} clusterings; give one each"
        )
    widths = dataset.inputs[0].widths
    labels = []
    for i, (x, y) in enumerate(zip(dataset.inputs, dataset.labels, strict=True)):
        if x.widths != widths:
            raise Refused(
                f"item set {i} has {x.widths} features of items, relations and features of pairs, "
                f"item set 0 has {widths}; give all the same"
            )
        labels.append(checked_labels(y, x.m, f"the clustering of item set {i}"))
    inputs = dataset.inputs
    if model == "k-means":
        inputs = tuple(replace(x, groups=int(y.max()) + 1) for x, y in zip(inputs, labels, strict=True))
    return replace(dataset, inputs=tuple(inputs), labels=tuple(labels))
