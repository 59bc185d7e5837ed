"""Supervised k-means on Synth: which oracle trains the better similarity, and is either better than
classifying pairs?

    rows     data set, set that is left out, method;
        C and the predictor by leave-one-out inside the training sets
    methods  trained with Iterative, trained with Spectral, pair classifier, all weights 1

Finley 2009, Table 4.3 (Synth). The source says noise .20, with which every trained method is almost free of
errors; near .48 losses are like the printed ones, a noise that was fitted to them and is no claim about the
source's generator. With all weights 1 every pair has the similarity `active`, so all clusterings of a set tie
and the loss is that of chance, about 76.7 for 5 clusters of 20.

Iterative starts, as the source describes it, from one random assignment (section 4.3.3); the pair
classifier's C weighs the sum of its slacks, as in SVM-light, the program that section 3.6.2 names. Over five
data sets at noise .48 the mean losses are then 46.4 (Iterative), 53.1 (Spectral), 50.2 (Pair), 77.4 (None),
where the source prints 46.5, 58.8, 50.2, 74.7. With ten starts Iterative has 37.2; with one start and C on
the mean, Pair has 39.5. One thing is not the source's: SVM-light does not square slacks, and we do unless
told otherwise. At noise .48 no region has a majority of pairs that are together, so a machine that counts
plain slack does best to call every pair apart: it learns next to nothing, with losses of 60 and 71 on the two
sets tried. Of Synth the source says only "an SVM" (section 4.5.2), and this choice was made knowing the
printed figures (on two data sets Pair had 45 with C on the sum, 37 to 38 on the mean): that Pair agrees with
them is no independent evidence. Cost: some 11 CPU seconds for each set left out, most of it for Spectral at
large C.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import ClassVar, final

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.data.cluster_synth import make_synth
from explorer.engine.knobs import knob, settings
from explorer.studies.support import published_clusterings as printed
from explorer.studies.support.k_means_sets import SetTraining, outcome_of, prices, row_of
from explorer.studies.support.published_clusterings import ITERATIVE, METHODS, NONE, PAIR, SPECTRAL
from explorer.studies.support.rank_statistics import compared_rows
from explorer.studies.support.rows import judge, row, value, where
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, at_place, quiet

MEAN = "mean"
AS_PRINTED, FITTED = 0.20, 0.48
CHANCE = 76.7
EXPECTED = {ITERATIVE: (47.0, 8.0), PAIR: (50.0, 8.0), SPECTRAL: (57.0, 8.0), NONE: (76.0, 3.0)}
"""Where the means should lie at noise .48, from the printed ones and an earlier prototype."""

CHOSEN = (
    "its kind of slack and C is one of four that were tried with this figure known, so that it agrees "
    "proves little"
)


@final
@settings
class SynthTable:
    """Losses on sets of points that were left out."""

    name: ClassVar[str] = "synth-table"
    title: ClassVar[str] = "Which clusterer to train with?"
    source: ClassVar[str] = "Finley 2009, Table 4.3 (Synth) and section 4.5"
    about: ClassVar[str] = (
        "Sets of points whose pairs tell through noise from which clusters they come; each is left out of "
        "training once. "
        "Training with Iterative does better than with Spectral, and classifying pairs does well, for pairs "
        "are independent here."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("test", "set left out", key=True),
        Column("method", "trained with", key=True),
        Column("data", "data set", form="d"),
        Column("loss", "test loss", form=".1f"),
        Column("error", "s.d. over data sets", form=".1f"),
        Column("inner", "inner loss", form=".1f"),
        Column("C", "C", form="g"),
        Column("predictor", "predictor"),
        Column("steps", "steps", form=",d"),
        Column("ended", "training"),
        Column("seconds", "seconds", form=".1f"),
    )
    plot: ClassVar[Plot] = Plot("bars", "test", ("loss",), series="method", of="table")

    noise: float = knob(
        FITTED, "How likely a cluster is mistaken; the source prints 0.20.", low=0.0, high=0.8
    )
    data_sets: int = knob(5, "Data sets that are drawn; the source has one.", low=1, high=100)
    sets: int = knob(5, "Sets of points in each; every one is left out once.", low=3, high=20)
    folds: int = knob(20, "Leave out only this many of them.", low=1, high=20)
    groups: int = knob(5, "Clusters of a set.", low=2, high=20)
    per_group: int = knob(20, "Points of each cluster.", low=2, high=100)
    lowest: int = knob(-2, "Power of ten of the smallest C.", low=-6, high=6)
    highest: int = knob(3, "Power of ten of the largest C.", low=-6, high=6)
    restarts: int = knob(1, "Starts of discrete predictors; the source describes one.", low=1, high=1000)
    on_sum: bool = knob(
        True, "C of the pair classifier weighs the sum of its slacks, as in the source, not their mean."
    )
    squared: bool = knob(True, "Square the slacks of the pair classifier; the source does not.")
    eps: float = knob(1.0, "Tolerance of training, on losses from 0 to 100.", low=1e-6, high=10.0, log=True)
    most: int = knob(150, "Most steps of a training.", low=1, high=10_000)
    seed: int = knob(0, "The first random draw.", low=0, high=9999)

    def __post_init__(self) -> None:
        prices(self.lowest, self.highest)

    @classmethod
    def quick(cls) -> "SynthTable":
        return cls(data_sets=1, sets=4, folds=2, per_group=8, lowest=-1, highest=1, most=30)

    @property
    def recipe(self) -> SetTraining:
        """How every model is trained and tested."""
        tried = prices(self.lowest, self.highest)
        return SetTraining(tried, self.eps, self.most, self.restarts, self.seed, self.on_sum, self.squared)

    @property
    def tests(self) -> int:
        """Sets of each data set that are left out."""
        return min(self.folds, self.sets)

    @property
    def total(self) -> int:
        return self.data_sets * self.tests * len(METHODS)

    @property
    def published(self) -> tuple[Row, ...]:
        """Table 4.3, Synth, and its means."""
        lines = [
            (test, dict(zip(METHODS, losses, strict=True))) for test, losses in printed.lines(printed.SYNTH)
        ]
        means = {method: round(printed.mean(printed.SYNTH, method), 1) for method in METHODS}
        return tuple(
            row(test=test, method=method, loss=losses[method])
            for test, losses in (*lines, (MEAN, means))
            for method in METHODS
        )

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """Data set by data set, fold by fold."""
        for number in range(self.data_sets):
            data = self.draw_sets(self.seed + number)
            for fold, method in product(range(1, self.tests + 1), METHODS):
                noted = at_place(pulse, f"data set {self.seed + number}, set {fold}, {method}")
                found = outcome_of(data, fold, method, self.recipe, noted)
                yield row(test=found.test, method=method, data=self.seed + number, **row_of(found, method))

    def draw_sets(self, seed: int) -> Dataset:
        """All sets of one draw."""
        return make_synth(self.sets, self.groups, self.per_group, noise=self.noise, seed=seed)

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """The mean over data sets for every set left out, then over all."""
        places = [*dict.fromkeys(str(found["test"]) for found in rows), MEAN]
        return tuple(
            mean_row(test, method, found)
            for test, method in product(places, METHODS)
            if (found := [each for each in where(rows, method=method) if test in (each["test"], MEAN)])
        )

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """Who is better, what chance costs, and what the noise as printed leads to."""
        means = {method: value(self.table(rows), "loss", test=MEAN, method=method) for method in METHODS}
        found = (self._order(rows, means), self._pair(means), self._chance(means))
        if self.noise <= AS_PRINTED:
            return (*found, self._almost_free(rows))
        return (*found, *(_like_printed(means, method) for method in METHODS)) if self._full else found

    @property
    def _full(self) -> bool:
        """Whether the data are as in the source, at the fitted noise."""
        return (self.noise, self.groups, self.per_group) == (FITTED, 5, 20)

    def _order(self, rows: Sequence[Row], means: dict[str, float]) -> Finding:
        same = compared_rows(rows, "method", ITERATIVE, SPECTRAL, same=("data", "test"))
        return judge(
            "Training with Iterative gives a smaller mean loss than training with Spectral.",
            (means[ITERATIVE], means[SPECTRAL]),
            means[ITERATIVE] < means[SPECTRAL],
            f"{means[ITERATIVE]:.1f} against {means[SPECTRAL]:.1f}; {same}",
        )

    def _pair(self, means: dict[str, float]) -> Finding:
        return judge(
            "The pair classifier lies between Iterative and Spectral.",
            [means[method] for method in (ITERATIVE, PAIR, SPECTRAL)],
            means[ITERATIVE] <= means[PAIR] <= means[SPECTRAL],
            ", ".join(f"{method} {means[method]:.1f}" for method in (ITERATIVE, PAIR, SPECTRAL)),
        )

    def _chance(self, means: dict[str, float]) -> Finding:
        chance = (
            CHANCE if (self.groups, self.per_group) == (5, 20) else chance_loss(self.groups, self.per_group)
        )
        return judge(
            "Without training all clusterings tie, and the loss is that of chance.",
            (means[NONE],),
            abs(means[NONE] - chance) <= 3.0,
            f"{means[NONE]:.1f} against {chance:.1f} for two random clusterings",
        )

    def _almost_free(self, rows: Sequence[Row]) -> Finding:
        worst = {
            m: max((f.number("loss") for f in where(rows, method=m)), default=np.nan) for m in METHODS[:3]
        }
        return judge(
            "With noise as printed or less, no trained method has a loss above 1 on any set.",
            list(worst.values()),
            max(worst.values()) <= 1.0,
            ", ".join(f"{method} at most {loss:.1f}" for method, loss in worst.items())
            + f"; {self.restarts} starts",
        )


def mean_row(test: str, method: str, found: Sequence[Row]) -> Row:
    """The mean of some rows; `error` is the spread of the data sets' means."""
    by_data: dict[object, list[float]] = {}
    for each in found:
        by_data.setdefault(each["data"], []).append(each.number("loss"))
    means = [float(np.mean(losses)) for losses in by_data.values()]
    return row(
        test=test,
        method=method,
        loss=float(np.mean([each.number("loss") for each in found])),
        error=float(np.std(means, ddof=1)) if len(means) > 1 else None,
        seconds=float(np.sum([each.number("seconds") for each in found])),
    )


def chance_loss(groups: int, per_group: int) -> float:
    """The normalised loss of k balanced clusters against k independent random ones of the same sizes, on
    average.

    E |c and d|^2 = q^2 / m + variance of a hypergeometric count, with clusters of q among m = k q.
    """
    m, q = groups * per_group, per_group
    variance = q * (q / m) * (1.0 - q / m) * (m - q) / (m - 1.0)
    return 100.0 * (1.0 - groups * ((q * q / m) ** 2 + variance) / q**2)


def _like_printed(means: dict[str, float], method: str) -> Finding:
    middle, room = EXPECTED[method]
    return judge(
        f"At noise .48 the mean loss of {method} is within {room:g} of {middle:g}.",
        (means[method],),
        abs(means[method] - middle) <= room,
        f"{means[method]:.1f}; printed {printed.mean(printed.SYNTH, method):.1f}, at a noise that is "
        "printed as .20" + (f"; {CHOSEN}" if method == PAIR else ""),
    )
