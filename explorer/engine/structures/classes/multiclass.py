"""Multiclass classification (Crammer and Singer 2001), with any cost matrix.

    features(x, k) = x in column k of an F x K matrix, so scores = x W and predict = argmax_k (x W)_k

The oracle is enumeration of the K classes: argmax_k H_k with margin w . psi_k = score_truth - score_k; ties
go to the smaller class. With two classes it is the binary SVM in which only the difference of the two columns
counts. Rows are dense or sparse (CSR). Cost of a pass: one matrix product.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from explorer.engine.checks import check_states, check_whole, checked_row, checked_rows
from explorer.engine.contracts import Dataset, Decomposes, Loss
from explorer.engine.dual.block_steps import PAIRWISE
from explorer.engine.events import Cut, Expectation, Sweep
from explorer.engine.losses import ZeroOne
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import checked_calls
from explorer.engine.rows import csr, difference, is_sparse, label_sum, scores
from explorer.engine.structures.chains.kernels.cuts import Corpus
from explorer.engine.structures.chains.kernels.visits import rebuild_chains, visit_chains
from explorer.engine.structures.classes.kernels.visits import visit_classes
from explorer.engine.vectors import Array, Ints, Vector
from explorer.engine.visits import Cache, Log, Plan

NO_TAIL = np.zeros(0)


@checked_calls
@dataclass(frozen=True)
class Multiclass:
    """One label among K for each feature row."""

    dataset: Dataset
    classes: int
    delta: Loss = field(default_factory=ZeroOne)
    pricing: Pricing = field(default_factory=Pricing)
    name: str = "multiclass"
    oracle_is_exact: bool = True

    def __post_init__(self) -> None:
        x, y = checked_rows(self.dataset.inputs, self.dataset.labels, self.classes)
        object.__setattr__(self, "dataset", replace(self.dataset, inputs=x, labels=y))
        _ = self.costs  # a loss for another number of classes is refused here, not in the middle of a run

    @property
    def n(self) -> int:
        return len(self.dataset)

    @property
    def dim(self) -> int:
        return int(self.dataset.inputs.shape[1]) * self.classes

    @property
    def chunk(self) -> int:
        return max(1, min(2000, 4_000_000 // self.dim))

    @cached_property
    def costs(self) -> Array:
        """Delta(truth, label) as a K x K matrix."""
        if isinstance(self.delta, Decomposes):
            return self.delta.costs(self.classes)
        return np.array([[self.delta.value(a, b) for b in range(self.classes)] for a in range(self.classes)])

    def on(self, dataset: Dataset) -> Self:
        return replace(self, dataset=dataset)

    def checked_input(self, x: Any, place: str) -> Any:
        return checked_row(x, self.dataset.inputs.shape[1], place)

    def check_label(self, i: int, label: Any) -> None:
        check_whole(label, self.classes, f"the label of example {i}")

    def features(self, i: int, label: Any) -> Vector:
        return label_sum(self.dataset.inputs[i : i + 1], np.array([label]), self.classes, NO_TAIL)

    def loss(self, i: int, label: Any) -> float:
        return float(self.costs[self.dataset.labels[i], label])

    def predict(self, w: Array, x: Any) -> int:
        return int(np.argmax(x @ w.reshape(-1, self.classes)))

    def predictions(self, w: Array) -> list[Any]:
        guesses = np.argmax(scores(self.dataset.inputs, w.reshape(-1, self.classes)), axis=1)
        return list(guesses.tolist())

    def losses(self, labels: list[Any]) -> Array:
        return np.asarray(self.costs[self.dataset.labels, labels])

    def oracle(self, w: Array, i: int) -> Cut:
        return self.cuts(w, i, i + 1)[0]

    def cuts(self, w: Array, lo: int, hi: int) -> list[Cut]:
        label, _, losses = self._worst(w, lo, hi)
        x, y, one = self.dataset.inputs, self.dataset.labels, np.ones(1)
        return [
            Cut(
                i,
                int(k),
                difference(x[i : i + 1], y[i : i + 1], np.array([k]), one, self.classes, NO_TAIL),
                float(c),
            )
            for i, k, c in zip(range(lo, hi), label, losses, strict=True)
        ]

    def sweep(self, w: Array, lo: int, hi: int) -> Sweep:
        label, margins, losses = self._worst(w, lo, hi)
        weight = self.pricing.weights(losses)
        psi = difference(
            self.dataset.inputs[lo:hi], self.dataset.labels[lo:hi], label, weight, self.classes, NO_TAIL
        )
        return Sweep(tuple(label.tolist()), losses, margins, psi)

    def expectation(self, w: Array, lo: int, hi: int) -> Expectation:
        """The softmax of the scores: multinomial logistic regression."""
        rows = self.dataset.inputs[lo:hi]
        score = scores(rows, w.reshape(-1, self.classes))
        shift = score.max(axis=1)
        share = np.exp(score - shift[:, None])
        mass = share.sum(axis=1)
        return Expectation(shift + np.log(mass), np.ravel(rows.T @ (share / mass[:, None])))

    def _worst(self, w: Array, lo: int, hi: int) -> tuple[Ints, Array, Array]:
        """The most violated class of each example with its margin and loss."""
        truth = self.dataset.labels[lo:hi]
        score = scores(self.dataset.inputs[lo:hi], w.reshape(-1, self.classes))
        rows = np.arange(hi - lo)
        margins = score[rows, truth][:, None] - score
        losses = self.costs[truth]
        label = np.argmax(self.pricing.violations(margins, losses), axis=1)
        return label, margins[rows, label], losses[rows, label]

    @property
    def visitable(self) -> bool:
        """Compiled visits are for a loss that is added to the score."""
        return self.pricing.adds_up

    @property
    def alphabet(self) -> int:
        """There is one place, and nothing to recombine."""
        return 0

    @property
    def revisits(self) -> bool:
        """Pairwise visits look at all classes anyway, so a pass over the cached ones would be an exact
        one.
        """
        return False

    @cached_property
    def places(self) -> Ints:
        return np.arange(self.n + 1)

    @cached_property
    def corpus(self) -> Corpus:
        """The points as chains of length 1 without transitions: what compiled visits read."""
        truth, costs = np.array(self.dataset.labels, dtype=np.int64), np.array(self.costs, dtype=float)
        return Corpus(*csr(self.dataset.inputs), truth, self.places, costs, np.ones(self.n), False)

    @cached_property
    def norms(self) -> Array:
        """|x|^2 of every point."""
        x = self.dataset.inputs
        return np.asarray(x.power(2).sum(axis=1) if is_sparse(x) else np.einsum("ij,ij->i", x, x))

    def labelling(self, i: int, numbers: Any) -> int:
        return int(numbers[0])

    def numbers(self, i: int, label: Any) -> Any:
        return label

    def visit(self, w: Array, order: Ints, cache: Cache, plan: Plan, log: Log, born: int) -> int:
        if plan.rule != PAIRWISE:
            return visit_chains(self.corpus, order, w, self.dim // self.classes, cache, plan, log, born)
        return visit_classes(self.corpus, self.norms, order, w, cache, plan, log, born)

    def rebuild(self, cache: Cache) -> Array:
        check_states(cache.labels[: cache.ends[2]], self.classes)
        w = np.zeros(self.dim)
        rebuild_chains(self.corpus, self.dim // self.classes, cache, w)
        return w

    def worst(self, w: Array) -> Array:
        score = scores(self.dataset.inputs, w.reshape(-1, self.classes))
        truth = self.dataset.labels
        return np.asarray(np.max(score + self.costs[truth], axis=1) - score[np.arange(self.n), truth])

    def labellings(self, i: int) -> Iterable[int]:
        return range(self.classes)

    def labellings_count(self, i: int) -> int:
        return self.classes
