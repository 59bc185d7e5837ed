"""Articles of one area of the news clustered by topic, with a similarity learned from the day's other areas.

    rows     day, area that is left out, method;
        C and the predictor by leave-one-out inside the six other areas
    methods  trained with Iterative, trained with Spectral, pair classifier, all weights 1

Finley 2009, Table 4.4: seven areas on each of three days (1, 2 and 4 August 2004), some 150 articles in 10
topics each, 30 cosines of word vectors for every pair. The articles are gone; these are made up (`data.news`)
and fewer, each day another draw, so that an area shares only its name with the one printed beside it: means
and the order of the methods can be compared, single areas cannot. C is a power of ten from 1 to 100,000, as
there. Cost: for each area 37 trainings with each oracle, some 12 CPU seconds at the usual size.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import ClassVar, final

import numpy as np

from explorer.engine.data.news import AREAS, all_areas
from explorer.engine.knobs import knob, settings
from explorer.studies.support import published_clusterings as printed
from explorer.studies.support.k_means_sets import (
    SetTraining,
    outcome_of,
    prices,
    printed_prices,
    row_of,
)
from explorer.studies.support.published_clusterings import ITERATIVE, METHODS, NONE, PAIR, SPECTRAL
from explorer.studies.support.rank_statistics import compared_rows
from explorer.studies.support.rows import judge, row, where
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, at_place, quiet

MEAN = "mean"


@final
@settings
class NewsAreasStudy:
    """Losses on areas of the news that were left out."""

    name: ClassVar[str] = "news-areas"
    title: ClassVar[str] = "Topics of the news, area by area"
    source: ClassVar[str] = "Finley 2009, Table 4.4"
    about: ClassVar[str] = (
        "Each area of a day's news is clustered into topics with a similarity learned from the other six. "
        "In the source both trained methods beat the pair classifier and no training in every area, and are "
        "equally good; the articles here are made up, so that only means and order can be compared."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("day", "day", key=True),
        Column("test", "area left out", key=True),
        Column("method", "trained with", key=True),
        Column("loss", "test loss", form=".1f"),
        Column("inner", "inner loss", form=".1f"),
        Column("C", "C", form="g"),
        Column("predictor", "predictor"),
        Column("steps", "steps", form=",d"),
        Column("ended", "training"),
        Column("seconds", "seconds", form=".1f"),
    )
    plot: ClassVar[Plot] = Plot("heat", "method", ("loss",), series="test", panel="day", of="table")

    days: int = knob(3, "Days, each with its own articles.", low=1, high=3)
    folds: int = knob(7, "Leave out only this many of the seven areas.", low=1, high=7)
    topics: int = knob(10, "Topics of an area.", low=2, high=15)
    articles: int = knob(6, "Most articles of a topic; some 15 in the source.", low=2, high=20)
    failures: float = knob(0.3, "Share of articles whose extraction fails.", low=0.0, high=1.0)
    lowest: int = knob(0, "Power of ten of the smallest C.", low=0, high=5)
    highest: int = knob(5, "Power of ten of the largest C.", low=0, high=5)
    restarts: int = knob(10, "Starts of discrete predictors.", low=1, high=1000)
    eps: float = knob(1.0, "Tolerance of training, on losses from 0 to 100.", low=1e-6, high=10.0, log=True)
    most: int = knob(100, "Most steps of a training.", low=1, high=10_000)
    seed: int = knob(0, "The first random draw.", low=0, high=9999)

    def __post_init__(self) -> None:
        prices(self.lowest, self.highest)

    @classmethod
    def quick(cls) -> "NewsAreasStudy":
        return cls(days=1, folds=2, topics=4, articles=5, lowest=2, highest=3, restarts=3, most=30)

    @property
    def recipe(self) -> SetTraining:
        """How every model is trained and tested."""
        tried = printed_prices(printed.NEWS, self.lowest, self.highest)
        return SetTraining(tried, self.eps, self.most, self.restarts, self.seed)

    @property
    def shown_days(self) -> tuple[str, ...]:
        """The days by their printed names."""
        return printed.NEWS_DAYS[: self.days]

    @property
    def total(self) -> int:
        return self.days * self.folds * len(METHODS)

    @property
    def published(self) -> tuple[Row, ...]:
        """Table 4.4: four losses for each of 21 areas, and their means, of the days that are shown."""
        return tuple(
            row(day=day, test=test, method=method, loss=loss)
            for day in self.shown_days
            for test, losses in (*printed.lines(day), (MEAN, _printed_means(day)))
            for method, loss in zip(METHODS, losses, strict=True)
        )

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """Day by day, area by area."""
        for number, day in enumerate(self.shown_days):
            data = all_areas(self.topics, self.articles, self.failures, self.seed + number)
            for fold, method in product(range(1, self.folds + 1), METHODS):
                noted = at_place(pulse, f"{day}, {AREAS[fold - 1]}, {method}")
                found = outcome_of(data, fold, method, self.recipe, noted)
                yield row(day=day, test=found.test, method=method, **row_of(found, method))

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """All rows, and each day's means below its areas."""
        days = dict.fromkeys(str(found["day"]) for found in rows)
        return tuple(each for day in days for each in (*where(rows, day=day), *_means(rows, day)))

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """Who beats whom, in every area and on the mean."""
        lines = _lines(rows)
        beaten = sum(max(line[ITERATIVE], line[SPECTRAL]) < min(line[PAIR], line[NONE]) for line in lines)
        means = {
            method: float(np.mean([line[method] for line in lines])) if lines else np.nan
            for method in METHODS
        }
        same = compared_rows(rows, "method", ITERATIVE, SPECTRAL, same=("day", "test"))
        return (
            judge(
                "Both trained methods beat the pair classifier and no training in every area.",
                list(means.values()),
                beaten == len(lines),
                f"in {beaten} of {len(lines)} areas",
            ),
            judge(
                "On the mean both trained methods beat the pair classifier and no training.",
                list(means.values()),
                max(means[ITERATIVE], means[SPECTRAL]) < min(means[PAIR], means[NONE]),
                ", ".join(
                    f"{method} {means[method]:.1f} (printed {printed.mean(printed.NEWS, method):.1f})"
                    for method in METHODS
                ),
            ),
            judge(
                "Training with Iterative and with Spectral differ by less than 5 points on the mean.",
                (means[ITERATIVE], means[SPECTRAL]),
                abs(means[ITERATIVE] - means[SPECTRAL]) < 5.0,
                f"{means[ITERATIVE]:.1f} and {means[SPECTRAL]:.1f}; {same}",
            ),
        )


def _printed_means(day: str) -> tuple[float, ...]:
    return tuple(round(printed.mean(day, method), 1) for method in METHODS)


def _means(rows: Sequence[Row], day: str) -> Iterator[Row]:
    """One row for each method that this day has."""
    for method in METHODS:
        losses = [found.number("loss") for found in where(rows, day=day, method=method)]
        if losses:
            yield row(day=day, test=MEAN, method=method, loss=float(np.mean(losses)))


def _lines(rows: Sequence[Row]) -> list[dict[str, float]]:
    """The losses of every area that has been tested with all methods."""
    found: dict[tuple[object, object], dict[str, float]] = {}
    for each in rows:
        found.setdefault((each["day"], each["test"]), {})[str(each["method"])] = each.number("loss")
    return [line for line in found.values() if len(line) == len(METHODS)]
