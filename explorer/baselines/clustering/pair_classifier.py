"""Pairs as binary examples: a linear machine says "same cluster" or "different", and its output is the
similarity.

    minimise  1/2 |w|^2 + C * mean over pairs of cost(slack),   slack = max(0, 1 - t (w . psi + b)),
        t = +1 together, -1 apart
    K_ij = w . psi_ij + b

"PCC" of Finley 2009, section 3.6.2, and "Pair" of section 4.5.2. The machine is trained for accuracy on
pairs, neither for a clustering nor for its loss; few pairs are positive, so calling all of them negative is
accurate and useless. cost(s) is s, or s^2 / 2 when squared; liblinear's own constant C_sum is C / n, or C /
(2n). With an offset, liblinear also penalises b^2 / 2. Features may be dense or CSR. Cost: liblinear, some
passes over all pairs' entries.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
from scipy import sparse as sp

from explorer.baselines.clustering._arrays import items_of, pair_features, partition, square, together
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.rows import Rows, is_sparse, stack
from explorer.engine.vectors import Array, Ints


@dataclass(frozen=True, slots=True)
class Imbalance:
    """How many of the pairs are positive, and how accurate the rule is that calls every pair negative."""

    pairs: int
    positive: int

    @property
    def share(self) -> float:
        """Positive pairs among all pairs."""
        return self.positive / self.pairs

    @property
    def negative_rule_accuracy(self) -> float:
        """The share of pairs that are right when all are called negative."""
        return 1.0 - self.share


@dataclass(frozen=True, slots=True, eq=False)
class PairMachine:
    """Trained weights: `similarity` turns the pairs of an item set into K."""

    w: Array
    offset: float
    imbalance: Imbalance
    accuracy: float
    converged: bool

    def similarity(self, psi: Any) -> Array:
        """K of one item set: the signed output of every pair, zero on the diagonal."""
        rows = pair_features(psi)
        if rows.shape[1] != len(self.w):
            raise Refused(
                f"psi has {rows.shape[1]} features but the machine {len(self.w)}; give the same features"
            )
        return square(rows @ self.w + self.offset)


@final
@settings
class PairClassifier:
    """A linear machine on pairs."""

    title: ClassVar[str] = "pair classifier"
    help: ClassVar[str] = (
        "Trains a binary machine to say of every pair whether it belongs together; its output is K."
    )
    kind: ClassVar[str] = "similarity"
    paper: ClassVar[str] = "Finley 2009, 3.6.2 and 4.5.2"

    C: float = knob(100.0, "Weight of the mean slack of pairs.", low=1e-6, high=1e9, log=True)
    squared: bool = knob(True, "Penalise half the squared slack instead of the slack.")
    offset: bool = knob(False, "Add a constant to every pair's output.")
    balance: bool = knob(False, "Let positive and negative pairs weigh the same in total.")
    passes: int = knob(5000, "Most passes of liblinear.", low=1, high=10**7, log=True)

    def fit(
        self, psis: Sequence[Any], partitions: Sequence[Any], rows: Sequence[Ints] | None = None
    ) -> PairMachine:
        """Train on the pairs of all item sets, or on the chosen `rows` of each."""
        psi, same = examples(psis, partitions, rows)
        counts = Imbalance(len(same), int(same.sum()))
        if counts.positive in (0, counts.pairs):
            only = "positive" if counts.positive else "negative"
            raise Refused(f"all {counts.pairs} pairs are {only}; select pairs of both kinds")
        machine, converged = self._machine(psi, same)
        w, b = (
            machine.coef_.ravel().astype(np.float64),
            float(np.ravel(machine.intercept_)[0] if self.offset else 0.0),
        )
        accuracy = float(np.mean((psi @ w + b > 0.0) == (same > 0.5)))
        return PairMachine(w, b, counts, accuracy, converged)

    def _machine(self, psi: Rows, same: Array) -> tuple[Any, bool]:
        from sklearn.exceptions import ConvergenceWarning  # scikit-learn takes a second to import
        from sklearn.svm import LinearSVC

        machine = LinearSVC(
            C=self.C / (2 * len(same) if self.squared else len(same)),
            loss="squared_hinge" if self.squared else "hinge",
            dual=not self.squared,
            fit_intercept=self.offset,
            class_weight="balanced" if self.balance else None,
            max_iter=self.passes,
            tol=1e-6,
            random_state=0,
        )
        with warnings.catch_warnings():
            # Running out of passes is told by `converged`, not by a warning.
            warnings.simplefilter("ignore", ConvergenceWarning)
            machine.fit(psi, np.where(same > 0.5, 1, -1))
        return machine, bool(np.max(machine.n_iter_) < self.passes)


def examples(
    psis: Sequence[Any], partitions: Sequence[Any], rows: Sequence[Ints] | None
) -> tuple[Rows, Array]:
    """The chosen pairs of all item sets, stacked, and 1.0 for those that belong together."""
    if not len(psis) == len(partitions) == len(rows if rows is not None else psis) or len(psis) == 0:
        given = len(rows) if rows is not None else len(psis)
        raise Refused(
            f"there are {len(psis)} psis, {len(partitions)} partitions and {given} selections; give one of "
            "each"
        )
    features, same = [], []
    for i, (psi, y) in enumerate(zip(psis, partitions, strict=True)):
        table = pair_features(psi, f"psi of item set {i}")
        truth = together(partition(y, items_of(table.shape[0]), f"the partition of item set {i}"))
        chosen = np.arange(len(truth)) if rows is None else _rows(rows[i], len(truth), i)
        features.append(table[chosen])
        same.append(truth[chosen])
    for i, table in enumerate(features):
        if table.shape[1] != features[0].shape[1]:
            raise Refused(
                f"item set {i} has {table.shape[1]} pair features but item set 0 {features[0].shape[1]}; "
                "align them"
            )
    if any(is_sparse(table) for table in features):
        features = [sp.csr_array(table) for table in features]
    return stack(features), np.concatenate(same)


def imbalance(partitions: Sequence[Any]) -> Imbalance:
    """Positive pairs among all pairs of all item sets."""
    counts = [np.bincount(partition(y)) for y in partitions]
    pairs = sum(int(c.sum()) * (int(c.sum()) - 1) // 2 for c in counts)
    if pairs == 0:
        raise Refused("no item set has two items; give at least one that has")
    return Imbalance(pairs, sum(int((c * (c - 1) // 2).sum()) for c in counts))


def _rows(chosen: Any, pairs: int, i: int) -> Ints:
    rows = np.asarray(chosen, dtype=np.int64)
    if rows.ndim != 1 or (len(rows) and not (rows.min() >= 0 and rows.max() < pairs)):
        raise Refused(
            f"the selection of item set {i} names pairs outside 0 to {pairs - 1}; select rows of its psi"
        )
    return rows
