"""What links are worth beside words: web pages clustered by kind with and without features of pairs.

    words             psi_ij = x_i * x_j                                                       (WebKB-N)
    words and links   psi_ij = [x_i * x_j ; linked_ij [x_i * x_j ; 1] ; co-cited_ij [x_i * x_j ; 1]]
        (WebKB-L)

Finley 2009, Table 4.3. Pages are made up (`data.web_pages`), which says that links help because they were
made to; and real (`data.webkb`), if EXPLORER_DATA has them. Of the source's four universities two are there,
with 1,703 words instead of 50,397 and a fifth of the pages: Washington is missing, and the pages named
Cornell are those of Texas again. So one university trains and one tests, and C and the predictor are chosen
on two halves of the training pages. C is one of six powers of ten, from .1 to 10,000 with links and from 1
to 100,000 without, as there. Cost: CPU seconds for each university and kind of features: 1 to 2 for made-up
pages, some 12 for real ones.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import ClassVar, final

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.data.readers.webkb import read_webkb, webkb_folder
from explorer.engine.data.web_pages import all_pages
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.studies.support import published_clusterings as printed
from explorer.studies.support.k_means_sets import (
    SetTraining,
    outcome_of,
    prices,
    printed_prices,
    row_of,
)
from explorer.studies.support.published_clusterings import ITERATIVE, METHODS, NONE, PAIR, SPECTRAL
from explorer.studies.support.rows import judge, row, where
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, at_place, quiet

ALL, MADE_UP, REAL = "all", "made-up", "WebKB"
WORDS, LINKS = "words", "words and links"
PRINTED = {WORDS: printed.WEB_WORDS, LINKS: printed.WEB_LINKS}


@final
@settings
class FeatureAblation:
    """Losses on universities that were left out."""

    name: ClassVar[str] = "feature-ablation"
    title: ClassVar[str] = "What links are worth beside words"
    source: ClassVar[str] = "Finley 2009, Table 4.3 (WebKB-N and WebKB-L)"
    about: ClassVar[str] = (
        "Pages of one university are clustered by kind with a similarity learned from others, by words or "
        "by words and links. "
        "In the source links lower the loss every time, and both ways of training beat pairs and no training."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("pages", "pages", key=True),
        Column("features", "features", key=True),
        Column("test", "left out", key=True),
        Column("method", "trained with", key=True),
        Column("loss", "test loss", form=".1f"),
        Column("inner", "inner loss", form=".1f"),
        Column("C", "C", form="g"),
        Column("predictor", "predictor"),
        Column("steps", "steps", form=",d"),
        Column("ended", "training"),
        Column("seconds", "seconds", form=".1f"),
    )
    plot: ClassVar[Plot] = Plot("bars", "test", ("loss",), series="method", panel="features")

    data: str = knob(ALL, "Which pages; all: those that are here.", choices=(ALL, MADE_UP, REAL))
    sets: int = knob(4, "Made-up universities; every one is left out once.", low=3, high=12)
    folds: int = knob(12, "Leave out only this many of them.", low=1, high=12)
    size: int = knob(60, "Made-up pages of each.", low=12, high=1000)
    words: int = knob(200, "Different words of made-up pages.", low=20, high=5000)
    lowest: int = knob(-1, "Power of ten of the smallest C; by words alone 0 or more.", low=-6, high=6)
    highest: int = knob(5, "Power of ten of the largest C; with links at most 4.", low=-6, high=6)
    restarts: int = knob(10, "Starts of discrete predictors.", low=1, high=1000)
    eps: float = knob(1.0, "Tolerance of training, on losses from 0 to 100.", low=1e-6, high=10.0, log=True)
    most: int = knob(100, "Most steps of a training.", low=1, high=10_000)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    def __post_init__(self) -> None:
        prices(self.lowest, self.highest)
        for features in PRINTED:
            self.prices_of(features)

    @classmethod
    def quick(cls) -> "FeatureAblation":
        return cls(data=MADE_UP, sets=3, folds=1, size=36, words=100, lowest=2, highest=3, most=30)

    @property
    def sources(self) -> tuple[str, ...]:
        """The pages that this study runs on."""
        return (MADE_UP, *((REAL,) if webkb_here() else ())) if self.data == ALL else (self.data,)

    def prices_of(self, features: str) -> tuple[float, ...]:
        """The prices tried: those that the source names for these features, between lowest and highest."""
        return printed_prices(PRINTED[features], self.lowest, self.highest)

    @property
    def total(self) -> int:
        made_up = min(self.sets, self.folds) * (MADE_UP in self.sources)
        return (made_up + 3 * (REAL in self.sources)) * len(PRINTED) * len(METHODS)

    @property
    def published(self) -> tuple[Row, ...]:
        """Table 4.3, WebKB; beside real pages only."""
        if REAL not in self.sources:
            return ()
        return tuple(
            row(pages=REAL, features=features, test=test, method=method, loss=loss)
            for features, data in PRINTED.items()
            for test, losses in printed.lines(data)
            for method, loss in zip(METHODS, losses, strict=True)
        )

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """Made-up pages first; every university by both kinds of features."""
        for pages in self.sources:
            by = {features: self._pages(pages, features == LINKS) for features in PRINTED}
            count = len(by[WORDS]) if pages == REAL else min(self.folds, self.sets)
            for fold, features, method in product(range(1, count + 1), PRINTED, METHODS):
                yield self._row(pages, by[features], fold, features, method, pulse)

    def _pages(self, pages: str, links: bool) -> Dataset:
        if pages == REAL:
            return read_webkb(webkb_folder(), links)
        return all_pages(self.sets, self.size, self.words, links, self.seed)

    def _row(self, pages: str, data: Dataset, fold: int, features: str, method: str, pulse: Pulse) -> Row:
        tried = self.prices_of(features)
        recipe = SetTraining(tried, self.eps, self.most, self.restarts, self.seed)
        noted = at_place(pulse, f"{pages}, {features}, university {fold}, {method}")
        found = outcome_of(data, fold, method, recipe, noted)
        test = found.test if pages == REAL else f"{MADE_UP} {found.test}"  # they only share names
        return row(pages=pages, features=features, test=test, method=method, **row_of(found, method))

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """All rows."""
        return tuple(rows)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """Both claims, for each kind of pages."""
        return tuple(finding for pages in self.sources for finding in _found(rows, pages))


def webkb_here() -> bool:
    """Whether EXPLORER_DATA has the real pages."""
    try:
        return webkb_folder().is_dir()
    except Refused:
        return False


def mean_loss(rows: Sequence[Row], **cells: str) -> float:
    """The mean test loss of some rows; NaN where there are none."""
    found = [each.number("loss") for each in where(rows, **cells)]
    return float(np.mean(found)) if found else float("nan")


def _found(rows: Sequence[Row], pages: str) -> Iterator[Finding]:
    here = where(rows, pages=pages)
    for method in (ITERATIVE, SPECTRAL):
        words, links = (mean_loss(here, features=f, method=method) for f in (WORDS, LINKS))
        yield judge(
            f"On {pages} pages links lower the mean loss after training with {method}.",
            (words, links),
            links < words,
            f"{words:.1f} by words, {links:.1f} with links; "
            f"the source {printed.mean(printed.WEB_WORDS, method):.1f} and "
            f"{printed.mean(printed.WEB_LINKS, method):.1f}",
        )
    for features in PRINTED:
        loss = {method: mean_loss(here, features=features, method=method) for method in METHODS}
        yield judge(
            f"On {pages} pages, by {features}, both ways of training beat the pair classifier and no "
            "training on the mean.",
            list(loss.values()),
            max(loss[ITERATIVE], loss[SPECTRAL]) < min(loss[PAIR], loss[NONE]),
            ", ".join(f"{method} {x:.1f}" for method, x in loss.items()),
        )
