"""Train for one loss and test with another: MITRE and pairwise loss on documents of coreferent mentions.

    rows     trained for MITRE, trained for the pairwise loss, a classifier of pairs (PCC), all in one
             cluster, all apart
    columns  the loss of the test; `difference` is the loss minus that of the model trained for the test's own
             loss

Finley 2009, Tables 3.1 and 3.3, sections 3.6.3 and 3.6.4: greedy merges as oracle and predictor. Its
documents (MUC-6) are licensed; these are generated with their shares of entities and mentions
(`data.coreference`), so only the order of the numbers can be compared, not their size. Everyone's C is chosen
on the training documents. Margin scaling, as there; a model for MITRE may do better under slack scaling
(section 6.3, `dominating_cut`), whose C are some 10^4 times smaller. Cost: two trainings with cross
validation.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar, cast, final

import numpy as np

from explorer.baselines.clustering.pair_classifier import imbalance
from explorer.engine.contracts import Dataset
from explorer.engine.data.coreference import coreference
from explorer.engine.knobs import knob, settings
from explorer.engine.pricing import Scaling
from explorer.engine.vectors import Array
from explorer.studies.support.correlation_sets import (
    LOSSES,
    MITRE,
    PAIRWISE,
    SIGNIFICANT,
    Manner,
    Trained,
    correlation,
    decades,
    default_losses,
    losses_of,
    machine,
    pair_machine,
    paired_test,
)
from explorer.studies.support.rows import judge, row, value
from explorer.studies.support.sets import standard_error
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, at_place, quiet

FOR = {loss: f"trained for {loss}" for loss in LOSSES}
PCC, ONE, APART = "pair classifier", "all in one", "all apart"

PRINTED = {
    (FOR[MITRE], MITRE): 41.3,
    (FOR[MITRE], PAIRWISE): 4.06,
    (FOR[PAIRWISE], MITRE): 42.8,
    (FOR[PAIRWISE], PAIRWISE): 2.89,
    (PCC, MITRE): 51.6,
    (PCC, PAIRWISE): 3.15,
    (ONE, MITRE): 51.0,
    (APART, PAIRWISE): 3.59,
}
"""Tables 3.1 and 3.3, and the share of positive pairs there."""

POSITIVE = 3.6
EQUAL = 1e-9
"""Means that differ by less are the same: their sums are rounded."""


@final
@settings
class LossMismatch:
    """Loss of training by loss of test."""

    name: ClassVar[str] = "loss-mismatch"
    title: ClassVar[str] = "Train for the loss that counts?"
    source: ClassVar[str] = "Finley 2009, Tables 3.1 and 3.3"
    about: ClassVar[str] = (
        "Clusterings of mentions are learned for the MITRE and for the pairwise loss, and each model is "
        "tested with both. "
        "Beside them stand a classifier of pairs and the two clusterings that need no learning."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("method", "method", key=True),
        Column("test", "test loss", key=True),
        Column("loss", "loss", form=".2f"),
        Column("error", "s.e.", form=".2f"),
        Column("difference", "minus the one trained for it", form="+.2f"),
        Column("sd", "s.d. of the difference", form=".2f"),
        Column("p", "p, paired t", form=".3f"),
        Column("positive", "positive pairs, %", form=".2f"),
        Column("C", "C", form="g"),
        Column("rounds", "rounds", form=",.0f"),
    )
    plot: ClassVar[Plot] = Plot("bars", "method", ("loss",), panel="test")

    n: int = knob(20, "Documents to train on; 30 in the source.", low=2, high=200)
    n_test: int = knob(20, "Documents to test on; 30 in the source.", low=2, high=200)
    entities: int = knob(40, "Entities in a document; 101 in the source.", low=3, high=200)
    scaling: str = knob("margin", "Scaling of the structural SVM.", choices=("margin", "slack"))
    least: float = knob(1e5, "The smallest C that is tried; then powers of ten.", low=1e-6, log=True)
    most: float = knob(1e10, "The largest C that is tried.", low=1e-6, log=True)
    folds: int = knob(3, "Folds of the cross validation that chooses C; 10 in the source.", low=2, high=30)
    eps: float = knob(0.2, "Tolerance of training, on losses from 0 to 100.", low=1e-6, high=10.0, log=True)
    rounds: int = knob(300, "Rounds at most, at each C.", low=1, high=100_000)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def __post_init__(self) -> None:
        decades(self.least, self.most)

    @classmethod
    def quick(cls) -> "LossMismatch":
        return cls(n=6, n_test=6, entities=14, least=1e6, most=1e6, eps=1.0)

    @property
    def total(self) -> int:
        return 10

    @property
    def published(self) -> tuple[Row, ...]:
        """Tables 3.1 and 3.3."""
        return tuple(
            row(method=method, test=test, loss=loss, positive=POSITIVE if method == APART else None)
            for (method, test), loss in PRINTED.items()
        )

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """What needs no learning, the two models under both losses, the classifier of pairs."""
        train, test = coreference(self.n, self.n_test, self.entities, self.seed)
        for method in (ONE, APART):
            yield from (_default(test, method, loss) for loss in LOSSES)
        models = {loss: self._trained(train, loss, at_place(pulse, FOR[loss])) for loss in LOSSES}
        own = {loss: self._losses(test, loss, models[loss]) for loss in LOSSES}
        for loss in LOSSES:
            for tested in LOSSES:
                yield _told(
                    FOR[loss], tested, models[loss], self._losses(test, tested, models[loss]), own[tested]
                )
        manner = self._manner()
        for tested in LOSSES:
            pairs = pair_machine(correlation(train, tested), manner, at_place(pulse, f"for {tested}"))
            yield _told(PCC, tested, pairs, self._losses(test, tested, pairs), own[tested])

    def _manner(self) -> Manner:
        return Manner(decades(self.least, self.most), self.folds, self.eps, self.rounds, self.seed)

    def _trained(self, train: Dataset, loss: str, pulse: Pulse) -> Trained:
        problem = correlation(train, loss, scaling=cast("Scaling", self.scaling))
        return machine(problem, self._manner(), pulse)

    def _losses(self, test: Dataset, loss: str, model: Trained) -> Array:
        return losses_of(correlation(test, loss), model.w)

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """All rows."""
        return tuple(rows)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """What each loss is good for, and whether training for clusterings pays."""
        return (
            _mismatch(rows),
            _no_better(rows),
            *(_below(rows, loss) for loss in LOSSES),
            *_defaults(rows),
            _share(rows),
        )


def _default(test: Dataset, method: str, loss: str) -> Row:
    """A clustering that needs no learning."""
    losses = default_losses(correlation(test, loss), "all in one" if method == ONE else "all apart")
    positive = (
        100.0 * float(np.mean([imbalance([y]).share for y in test.labels])) if method == APART else None
    )
    mean = float(np.mean(losses))
    return row(method=method, test=loss, loss=mean, error=standard_error(losses), positive=positive)


def _told(method: str, tested: str, model: Trained, losses: Array, own: Array) -> Row:
    """A model under one loss, beside the model that was trained for it."""
    found = {} if method == FOR[tested] else paired_test(losses, own)._asdict()
    mean, error = float(np.mean(losses)), standard_error(losses)
    return row(method=method, test=tested, loss=mean, error=error, C=model.C, rounds=model.rounds, **found)


def _mismatch(rows: Sequence[Row]) -> Finding:
    other, own = (value(rows, "loss", method=FOR[loss], test=PAIRWISE) for loss in LOSSES)
    p = value(rows, "p", method=FOR[MITRE], test=PAIRWISE)
    return judge(
        "Training for MITRE gives a worse pairwise loss than training for the pairwise loss.",
        (other, own),
        other > own + EQUAL,
        f"{other:.2f} against {own:.2f}, p = {p:.3f}",
    )


def _no_better(rows: Sequence[Row]) -> Finding:
    """Whether a model beats, beyond chance, the one that was trained for the test's loss."""
    crossed = [(FOR[MITRE], PAIRWISE), (FOR[PAIRWISE], MITRE)]
    found = [
        (value(rows, "difference", method=m, test=t), value(rows, "p", method=m, test=t)) for m, t in crossed
    ]
    said = [
        f"{m}, tested with {t}: {d:+.2f}, p = {p:.3f}" for (m, t), (d, p) in zip(crossed, found, strict=True)
    ]
    return judge(
        "Training for another loss is never significantly better than training for the test's own.",
        [number for pair in found for number in pair],
        all(d >= -EQUAL or p >= SIGNIFICANT for d, p in found),
        "; ".join(said),
    )


def _below(rows: Sequence[Row], loss: str) -> Finding:
    ours, theirs = (value(rows, "loss", method=method, test=loss) for method in (FOR[loss], PCC))
    p = value(rows, "p", method=PCC, test=loss)
    return judge(
        f"By {loss} the clustering machine is better than the classifier of pairs.",
        (ours, theirs),
        ours < theirs - EQUAL,
        f"{ours:.2f} against {theirs:.2f}, p = {p:.3f}",
    )


def _defaults(rows: Sequence[Row]) -> Iterator[Finding]:
    """Learning against the better clustering that needs none; and the printed failure of the mismatched
    model.
    """
    floor = {
        loss: [value(rows, "loss", method=method, test=loss) for method in (ONE, APART)] for loss in LOSSES
    }
    for loss in LOSSES:
        ours = value(rows, "loss", method=FOR[loss], test=loss)
        yield judge(
            f"By {loss} the clustering machine is better than the default.",
            (ours, *floor[loss]),
            ours < min(floor[loss]),
            f"{ours:.2f} against {min(floor[loss]):.2f}",
        )
    other = value(rows, "loss", method=FOR[MITRE], test=PAIRWISE)
    yield judge(
        "Trained for MITRE, it is no better than the default by the pairwise loss.",
        (other, *floor[PAIRWISE]),
        other >= min(floor[PAIRWISE]),
        f"{other:.2f} against {min(floor[PAIRWISE]):.2f}",
    )


def _share(rows: Sequence[Row]) -> Finding:
    loss, share = (value(rows, name, method=APART, test=PAIRWISE) for name in ("loss", "positive"))
    return judge(
        "The pairwise loss of leaving all apart is the share of positive pairs.",
        (loss, share),
        abs(loss - share) < EQUAL,
        f"{loss:.4f} and {share:.4f} %",
    )
