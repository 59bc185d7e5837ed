"""How much noise supervised k-means bears: test losses on Synth against the chance that a cluster is
mistaken.

    row    noise, method: the mean over the sets that are left out, C and the predictor chosen inside the
           training sets

What stands beside our losses is not the source's, which has one noise only (printed as .20), but a table that
an earlier prototype of this experiment gave; its C and predictor were chosen on the test loss itself, with
single starts, so that it is optimistic in one way and not in another. With k clusters a pair's region is the
right one with probability (1 - noise (k - 1) / k)^2. Cost: that of `synth_table.py` for each noise, on a
shorter grid of prices.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import ClassVar, final

import numpy as np

from explorer.engine.data.cluster_synth import make_synth
from explorer.engine.knobs import knob, settings
from explorer.studies.clusterings.synth_table import chance_loss
from explorer.studies.support.k_means_sets import SetTraining, outcome_of, prices
from explorer.studies.support.published_clusterings import ITERATIVE, PAIR, SPECTRAL
from explorer.studies.support.rows import judge, row, value
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, at_place, quiet

LEARNERS = (ITERATIVE, SPECTRAL, PAIR)
NOISES = (0.20, 0.30, 0.40, 0.45, 0.48, 0.50, 0.60, 0.70)
FEW = (0.20, 0.48, 0.70)
PROTOTYPE: dict[float, tuple[float, float, float]] = {
    0.20: (0.0, 0.0, 0.0),
    0.40: (4.8, 10.3, 8.2),
    0.45: (23.3, 44.2, 22.4),
    0.48: (48.5, 53.8, 50.0),
    0.50: (56.0, 61.4, 60.4),
}
RANGES = ("71 to 76", "72 to 76", "73 to 75")
"""What the prototype says of .60 and .70 together."""


@final
@settings
class NoiseSweep:
    """Loss against noise."""

    name: ClassVar[str] = "noise-sweep"
    title: ClassVar[str] = "How much noise can a clusterer learn through?"
    source: ClassVar[str] = "Synth of Finley 2009, section 4.5.1, with more or less noise"
    about: ClassVar[str] = (
        "Each noise gets its own Synth data; every set is left out once, and three learners are tested on "
        "it. "
        "From no loss at all to pure chance it is a short way, between noise .40 and .60."
    )
    beside: ClassVar[str] = "earlier prototype (not the source)"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("noise", "noise", key=True, form="g"),
        Column("method", "trained with", key=True),
        Column("loss", "test loss", form=".1f"),
        Column("low", "smallest of a set", form=".1f"),
        Column("high", "largest of a set", form=".1f"),
        Column("steps", "steps, mean", form=".0f"),
        Column("seconds", "seconds", form=".1f"),
        Column("range", "range over .60 and .70"),
    )
    plot: ClassVar[Plot] = Plot("lines", "noise", ("loss",), series="method")

    every: bool = knob(True, "All eight noises, not only .20, .48 and .70.")
    sets: int = knob(5, "Sets of points; every one is left out once.", low=3, high=20)
    folds: int = knob(20, "Leave out only this many of them.", low=1, high=20)
    groups: int = knob(5, "Clusters of a set.", low=2, high=20)
    per_group: int = knob(20, "Points of each cluster.", low=2, high=100)
    lowest: int = knob(-1, "Power of ten of the smallest C.", low=-6, high=6)
    highest: int = knob(1, "Power of ten of the largest C.", low=-6, high=6)
    restarts: int = knob(10, "Starts of discrete predictors.", low=1, high=1000)
    eps: float = knob(1.0, "Tolerance of training, on losses from 0 to 100.", low=1e-6, high=10.0, log=True)
    most: int = knob(100, "Most steps of a training.", low=1, high=10_000)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def __post_init__(self) -> None:
        prices(self.lowest, self.highest)

    @classmethod
    def quick(cls) -> "NoiseSweep":
        return cls(every=False, sets=3, folds=1, per_group=12, lowest=0, most=30)

    @property
    def noises(self) -> tuple[float, ...]:
        """From little noise to much."""
        return NOISES if self.every else FEW

    @property
    def total(self) -> int:
        return len(self.noises) * len(LEARNERS)

    @property
    def published(self) -> tuple[Row, ...]:
        """The prototype's table."""
        known = [
            row(noise=noise, method=method, loss=loss)
            for noise, losses in PROTOTYPE.items()
            for method, loss in zip(LEARNERS, losses, strict=True)
        ]
        ranges = [
            row(noise=noise, method=method, range=text)
            for noise in (0.60, 0.70)
            for method, text in zip(LEARNERS, RANGES, strict=True)
        ]
        return tuple(found for found in (*known, *ranges) if found["noise"] in self.noises)

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """From little noise to much."""
        for noise, method in product(self.noises, LEARNERS):
            yield self._row(noise, method, at_place(pulse, f"noise {noise:g}, {method}"))

    def _row(self, noise: float, method: str, pulse: Pulse) -> Row:
        data = make_synth(self.sets, self.groups, self.per_group, noise=noise, seed=self.seed)
        recipe = SetTraining(prices(self.lowest, self.highest), self.eps, self.most, self.restarts, self.seed)
        folds = range(1, min(self.folds, self.sets) + 1)
        found = [outcome_of(data, fold, method, recipe, at_place(pulse, f"set {fold}")) for fold in folds]
        losses = [outcome.loss for outcome in found]
        return row(
            noise=noise,
            method=method,
            loss=float(np.mean(losses)),
            low=min(losses),
            high=max(losses),
            steps=float(np.mean([outcome.model.steps for outcome in found])) if method != PAIR else None,
            seconds=sum(outcome.seconds for outcome in found),
        )

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """All rows."""
        return tuple(rows)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """Where it starts, where it ends, and who is ahead between."""
        loss = {
            (noise, m): value(rows, "loss", noise=noise, method=m) for noise in self.noises for m in LEARNERS
        }
        first, last = ([loss[noise, m] for m in LEARNERS] for noise in (self.noises[0], self.noises[-1]))
        between = [noise for noise in self.noises if 0.40 <= noise <= 0.50]
        chance = chance_loss(self.groups, self.per_group)
        falls = [max(0.0, loss[a, m] - loss[b, m]) for a, b in pairwise(self.noises) for m in LEARNERS]
        return (
            judge(
                "At the noise that the source prints, .20, nothing is lost: at most 1.",
                first,
                max(first) <= 1.0,
                ", ".join(f"{m} {x:.1f}" for m, x in zip(LEARNERS, first, strict=True)),
            ),
            judge(
                "At noise .70 nothing is learned: losses are within 8 of chance.",
                last,
                all(abs(x - chance) <= 8.0 for x in last),
                ", ".join(f"{m} {x:.1f}" for m, x in zip(LEARNERS, last, strict=True))
                + f"; chance {chance:.1f}",
            ),
            judge(
                "More noise never helps by more than 5 points.",
                list(loss.values()),
                max(falls) <= 5.0,
                f"it helps by {max(falls):.1f} at most",
            ),
            judge(
                "From noise .40 to .50 Iterative does better than Spectral every time.",
                [loss[noise, m] for noise in between for m in (ITERATIVE, SPECTRAL)],
                all(loss[noise, ITERATIVE] < loss[noise, SPECTRAL] for noise in between),
                ", ".join(
                    f"{n:g}: {loss[n, ITERATIVE]:.1f} against {loss[n, SPECTRAL]:.1f}" for n in between
                ),
            ),
        )
