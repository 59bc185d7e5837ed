"""Supervised clustering beside other ways to learn a clustering, on test sets whose clusters were not seen in
training.

    blobs     groups of points that differ along two axes; along two others, stretched, all points are alike
    clouds    groups side by side along x; along y all points are spread alike
    marbles   groups by hue, red, green and blue in training, yellow, cyan and magenta in testing

The source argues this in words (Finley 2009, sections 1.3 to 1.7) and prints no figures. Losses are means
over test sets, all items counted, the told ones of semi-supervised methods too. The normalised loss is for a
known number of clusters (all items apart would lose nothing): it is left out where a way makes more than
there are. The centres of blobs differ from set to set; the axes do not. A way that refuses, or breaks down,
says why in its row. Cost: one training for each way, with its cross validation.
"""

import time
from collections.abc import Iterator, Sequence
from typing import ClassVar, final

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.data.clouds import clouds
from explorer.engine.data.item_sets import differences, halves, item_sets
from explorer.engine.data.marbles import marbles
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.item_sets import ItemSet, item_set
from explorer.engine.structures.clusterings.losses import Normalised, Pairwise
from explorer.engine.vectors import Ints
from explorer.studies.support import clustering_ways as way
from explorer.studies.support.correlation_sets import Manner
from explorer.studies.support.rows import judge, row, value, where
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, at_place, quiet

BLOBS, CLOUDS, MARBLES, ALL = "blobs", "clouds", "marbles", "all"
FAMILIES = (BLOBS, CLOUDS, MARBLES)
STRETCHED = (BLOBS, CLOUDS)
"""Where plain distance is misled."""

PRICES = (1.0, 1e2, 1e4)
NEAR_ZERO, HALF = 1.0, 5.0
"""A pairwise loss that counts as none, and how far from 50 a normalised one counts as a cut in half."""


@final
@settings
class OtherWays:
    """Losses of every way, side by side."""

    name: ClassVar[str] = "other-ways"
    title: ClassVar[str] = "Other ways to learn a clustering"
    source: ClassVar[str] = "Finley 2009, sections 1.3 to 1.7"
    about: ClassVar[str] = (
        "Test sets have clusters that no training set had, and axes that mislead plain distance. "
        "Semi-supervised methods are told the clusters of some test items; the others see no label of a "
        "test set."
    )
    beside: ClassVar[str] = "nothing: the source argues in words and prints no figures"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("data", "sets", key=True),
        Column("method", "method", key=True),
        Column("kind", "kind"),
        Column("pairwise", "pairwise loss", form=".1f"),
        Column("normalised", "normalised loss", form=".1f"),
        Column("links", "links told of a test set", form=".0f"),
        Column("seconds", "seconds", form=".2f"),
        Column("note", "why not"),
    )
    plot: ClassVar[Plot] = Plot("bars", "method", ("pairwise",), panel="data")

    data: str = knob(ALL, "Which sets.", choices=(ALL, *FAMILIES))
    n: int = knob(6, "Training sets.", low=1, high=30)
    n_test: int = knob(10, "Test sets.", low=1, high=100)
    points: int = knob(24, "Items of each set, about.", low=8, high=100)
    stretch: float = knob(
        3.0, "Standard deviation of blobs along the axes that say nothing.", low=0.0, high=100.0
    )
    told: int = knob(2, "Items of each test cluster that semi-supervised methods are told.", low=1, high=20)
    examples: int = knob(
        200, "Pairs of each kind, or comparisons, that metric learners see.", low=1, high=5000
    )
    chosen: bool = knob(True, "Choose C by cross validation; otherwise it is 10,000.")
    passes: int = knob(50, "Passes of the perceptron at most.", low=1, high=10_000)
    restarts: int = knob(10, "Starts of k-means and mixtures.", low=1, high=100)
    eps: float = knob(0.1, "Tolerance of training, on losses from 0 to 100.", low=1e-6, high=10.0, log=True)
    most: int = knob(200, "Rounds of a training at each C, at most.", low=1, high=10_000)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "OtherWays":
        return cls(BLOBS, n=3, n_test=3, points=12, examples=40, chosen=False, passes=10, restarts=3, most=40)

    @property
    def families(self) -> tuple[str, ...]:
        """The sets that are tried."""
        return FAMILIES if self.data == ALL else (self.data,)

    @property
    def total(self) -> int:
        return sum(len(way.ways(family == MARBLES)) for family in self.families)

    @property
    def published(self) -> tuple[Row, ...]:
        """The source prints nothing."""
        return ()

    @property
    def asked(self) -> way.Trial:
        """How every way is tried."""
        manner = Manner(PRICES if self.chosen else PRICES[-1:], 3, self.eps, self.most, self.seed)
        return way.Trial(manner, self.passes, self.examples, self.told, self.restarts)

    def sets(self, family: str) -> tuple[Dataset, Dataset]:
        """Training and test sets."""
        if family == BLOBS:
            return blobs(self.n, self.n_test, self.points, self.stretch, self.seed)
        if family == CLOUDS:
            return clouds(self.n, self.n_test, self.points, 4, seed=self.seed)
        return marbles(self.n, self.n_test, max(2, self.points // 3), seed=self.seed)

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """Family by family, way by way."""
        for family in self.families:
            made = self.sets(family)
            for number, method in enumerate(way.ways(family == MARBLES)):
                noted = at_place(pulse, f"{family}, {method.title}")
                given = way.Given(*made, self.asked, np.random.default_rng([self.seed, number]), noted)
                yield self._row(family, method, given)

    def _row(self, family: str, method: way.Way, given: way.Given) -> Row:
        """The losses of a way, or the sentence with which it gave up."""
        began, found, note = time.perf_counter(), None, None
        try:
            found = method.cluster(given)
        except (
            ValueError,
            ArithmeticError,
            LookupError,
        ) as error:  # a refusal, or a factorisation that broke down
            note = str(error) if isinstance(error, Refused) else f"broke down: {error}"
        return row(
            data=family,
            method=method.title,
            kind=method.kind,
            pairwise=None if found is None else _mean_loss(Pairwise(), given.test, found),
            normalised=None
            if found is None or _too_many(given.test, found)
            else _mean_loss(Normalised(), given.test, found),
            links=_links(given) if method.kind == way.SEMI else None,
            seconds=time.perf_counter() - began,
            note=note,
        )

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """All rows."""
        return tuple(rows)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """What the sections say, asked of every family that bears on it."""
        stretched = [family for family in self.families if family in STRETCHED]
        found = [
            question(family, rows) for family in stretched for question in (_learned, _metrics, _no_labels)
        ]
        found += [_pairs(family, rows) for family in self.families]
        return (*found, _transfer(rows)) if MARBLES in self.families else tuple(found)


def _mean_loss(loss: Pairwise | Normalised, test: Dataset, found: Sequence[Ints]) -> float:
    return float(np.mean([loss.value(y, z) for y, z in zip(test.labels, found, strict=True)]))


def _too_many(test: Dataset, found: Sequence[Ints]) -> bool:
    """Whether some set is split into more clusters than it has."""
    return any(len(np.unique(z)) > len(np.unique(y)) for y, z in zip(test.labels, found, strict=True))


def _links(given: way.Given) -> float:
    """Links between told items, the mean over test sets."""
    sizes = [sum(min(given.asked.told, int(size)) for size in np.bincount(y)) for y in given.test.labels]
    return float(np.mean([size * (size - 1) / 2 for size in sizes]))


def _of(kind: str, family: str, rows: Sequence[Row], column: str = "pairwise") -> dict[str, float]:
    """The losses of all ways of a kind."""
    return {str(found["method"]): found.number(column) for found in where(rows, data=family, kind=kind)}


def _least(losses: dict[str, float]) -> tuple[str, float]:
    """The best of those that came to an end."""
    known = {title: loss for title, loss in losses.items() if not np.isnan(loss)}
    return min(known.items(), key=lambda entry: entry[1]) if known else ("none", float("nan"))


def _learned(family: str, rows: Sequence[Row]) -> Finding:
    ours = value(rows, "pairwise", data=family, method=way.GREEDY)
    title, best = _least(_of(way.UNTRAINED, family, rows))
    return judge(
        f"{family}: supervised correlation clustering beats every way without training.",
        (ours, best),
        ours < best,
        f"pairwise loss {ours:.1f}; the best untrained way, {title}, {best:.1f}",
    )


def _metrics(family: str, rows: Sequence[Row]) -> Finding:
    plain = value(rows, "normalised", data=family, method=way.PLAIN)
    learned = _of(way.METRIC, family, rows, "normalised")
    return judge(
        f"{family}: k-means in any learned metric beats plain k-means, which the other axes mislead.",
        (plain, *learned.values()) if learned else (),
        all(loss < plain for loss in learned.values()),
        f"normalised loss of plain k-means {plain:.1f}; "
        + ", ".join(f"{t} {x:.1f}" for t, x in learned.items()),
    )


def _no_labels(family: str, rows: Sequence[Row]) -> Finding:
    ours = value(rows, "pairwise", data=family, method=way.GREEDY)
    title, best = _least(_of(way.SEMI, family, rows))
    return judge(
        f"{family}: what was learned from other sets serves no worse than some labels of the test sets "
        "themselves.",
        (ours, best),
        ours <= best,
        f"pairwise loss {ours:.1f}, no label seen; the best that was told some, {title}, {best:.1f}",
    )


def _pairs(family: str, rows: Sequence[Row]) -> Finding:
    ours, other = (
        value(rows, "pairwise", data=family, method=method) for method in (way.GREEDY, way.ALL_PAIRS)
    )
    return judge(
        f"{family}: training for the clustering is no worse than training for single pairs.",
        (ours, other),
        ours <= other,
        f"pairwise loss {ours:.1f} against {other:.1f}",
    )


def _transfer(rows: Sequence[Row]) -> Finding:
    classes = value(rows, "normalised", data=MARBLES, method=way.NEAREST)
    ours = value(rows, "pairwise", data=MARBLES, method=way.GREEDY)
    return judge(
        "marbles: of unseen colours a classifier cuts each group in half (near 50), supervised clustering "
        "loses nothing.",
        (classes, ours),
        abs(classes - 50.0) <= HALF and ours <= NEAR_ZERO,
        f"normalised loss of the classifier {classes:.1f}, pairwise loss of supervised clustering {ours:.1f}",
    )


def blobs(n: int, n_test: int, points: int, stretch: float, seed: int) -> tuple[Dataset, Dataset]:
    """Training and test sets of 2 to 4 groups, psi_ij = [-squared difference along each axis; 1]."""
    rng = np.random.default_rng(seed)
    drawn = [_blob(rng, points, stretch) for _ in range(n + n_test)]
    names = ("near in a", "near in b", "near in c", "near in d", "1")
    about = "Groups differ along axes a and b; along c and d, which are stretched, all points are alike."
    return halves(item_sets("blobs", [x for x, _ in drawn], [y for _, y in drawn], names, about), n)


def _blob(rng: np.random.Generator, points: int, stretch: float) -> tuple[ItemSet, Ints]:
    """Centres are the corners of a polygon turned at random, at least 1.7 from each other, with a spread of
    0.15 around.
    """
    k = int(rng.integers(2, 5))
    y = rng.permutation(np.arange(points) % k)
    angle = 2.0 * np.pi * (y / k + rng.random())
    centres = 1.2 * np.column_stack([np.cos(angle), np.sin(angle)])
    near, idle = 0.15 * rng.normal(size=(points, 2)), stretch * rng.normal(size=(points, 2))
    place = np.hstack([centres + near, idle])
    pairs = np.column_stack([-(differences(place) ** 2), np.ones(points * (points - 1) // 2)])
    return item_set(points, pairs=pairs, place=place, groups=k, where="a set of blobs"), y
