"""Rounds of learning with latent links: guess the links of every true cluster, learn, guess again.

    round 0   links are the best trees under the mean of the features, or any; then the best trees under the w
              before
    convex    1/2 |w|^2 + C mean slack where the truths have the links of the round: what the round minimises
    latent    the same with the best links at w: never above `convex`, and the next `convex` never above it

Finley 2009, section 6.2, asks for links as latent variables; the rule is that of `latent_links`. It promises
a falling objective where the oracle is exact: sets of at most nine points are asked of all forests, larger
ones of a search, which may miss cuts. A round that raises the latent objective ends the run untold; the row
before it says so. Bands are separable by a threshold on the second axis. Cost: one training for each round,
each from the planes of the one before.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, product
from typing import ClassVar, final

import numpy as np

from explorer.baselines.latent_links import LinkRound, train
from explorer.engine.contracts import Dataset
from explorer.engine.data.clouds import moons
from explorer.engine.data.item_sets import differences, halves, item_sets
from explorer.engine.halting import Cancelled
from explorer.engine.knobs import knob, settings
from explorer.engine.learners import OneSlack
from explorer.engine.objective import mean_loss
from explorer.engine.structures.clusterings.item_sets import ItemSet, item_set
from explorer.engine.structures.clusterings.link_forests import trees_inside
from explorer.engine.structures.clusterings.link_oracles import MOST_ITEMS, AllForests, LinkSearch
from explorer.engine.structures.clusterings.partitions import pair_count, pair_matrix
from explorer.engine.structures.clusterings.single_link import SingleLink
from explorer.engine.vectors import Ints
from explorer.studies.support.rows import judge, row, where
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, quiet

MOONS, BANDS, BOTH = "moons", "bands", "both"
SETTLED, LEVEL, RAISED, CAPPED = "links settled", "falls no more", "next round rose", "rounds ran out"
MEAN, RANDOM = STARTS = ("mean of the features", "random trees")
LEAST_FALL = 1e-7
"""A round that lowers the latent objective relatively by less is the last one; rises below this are
rounding.
"""

NEAR_ZERO = 1.0
"""A pairwise loss, of 100, that counts as near 0."""


@final
@settings
class LatentLinkRounds:
    """Objectives and losses, round by round."""

    name: ClassVar[str] = "latent-links"
    title: ClassVar[str] = "Which links hold a cluster together?"
    source: ClassVar[str] = "Finley 2009, section 6.2"
    about: ClassVar[str] = (
        "Single link needs to know which links hold the true clusters together, and people give only the "
        "clusters. "
        "Links are guessed, weights learned, and links guessed again, until nothing changes."
    )
    beside: ClassVar[str] = "nothing: the source proposes this and prints no figures"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("data", "sets", key=True),
        Column("start", "first links", key=True),
        Column("round", "round", key=True, form="d"),
        Column("latent", "latent objective", form=",.6g"),
        Column("convex", "objective with its links", form=",.6g"),
        Column("changed", "sets whose links change", form="d"),
        Column("train_loss", "training loss", form=".2f"),
        Column("test_loss", "test loss", form=".2f"),
        Column("oracle", "oracle"),
        Column("ended", "ended"),
    )
    plot: ClassVar[Plot] = Plot("lines", "round", ("latent",), series="start", panel="data", log=("y",))

    data: str = knob(
        BOTH, "Two half circles, two bands, or one after the other.", choices=(BOTH, MOONS, BANDS)
    )
    n: int = knob(8, "Training sets.", low=1, high=100)
    n_test: int = knob(20, "Test sets.", low=1, high=1000)
    points: int = knob(
        30, "Points of a set of half moons; up to nine every forest is looked at.", low=4, high=60
    )
    band_points: int = knob(
        7, "Points of a set of bands, for which every forest is looked at.", low=4, high=MOST_ITEMS
    )
    noise: float = knob(0.04, "Standard deviation around the half circles.", low=0.0, high=0.5)
    start: str = knob(
        BOTH, "The first links: the best under the mean of the features, or any.", choices=(BOTH, *STARTS)
    )
    C: float = knob(1e4, "Price of the mean slack.", low=1e-6, high=1e9, log=True)
    eps: float = knob(
        1e-4, "Tolerance of each training, on losses from 0 to 100.", low=1e-9, high=10.0, log=True
    )
    most: int = knob(12, "Rounds at most.", low=1, high=100)
    seed: int = knob(0, "Which random draw.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "LatentLinkRounds":
        return cls(n=4, n_test=6, points=24, band_points=6, most=6)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The sets that are run."""
        return (MOONS, BANDS) if self.data == BOTH else (self.data,)

    @property
    def runs(self) -> tuple[tuple[str, str], ...]:
        """Every kind of sets with every start."""
        return tuple(product(self.kinds, STARTS if self.start == BOTH else (self.start,)))

    @property
    def total(self) -> int:
        return len(self.runs) * self.most

    @property
    def published(self) -> tuple[Row, ...]:
        """The source prints nothing."""
        return ()

    def sets(self, kind: str, start: str) -> tuple[SingleLink, SingleLink]:
        """Training and test sets, with every forest for an oracle where there are few enough points."""
        if kind == MOONS:
            made, size = moons(self.n, self.n_test, self.points, self.noise, self.seed), self.points
        else:
            made, size = bands(self.n, self.n_test, self.band_points, self.seed), self.band_points
        first = made[0] if start == MEAN else any_links(made[0], self.seed)
        problem = SingleLink(first, separator=AllForests() if size <= MOST_ITEMS else LinkSearch())
        return problem, problem.on(made[1])

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """Run by run, a row for each round."""
        for kind, start in self.runs:
            problem, tested = self.sets(kind, start)
            told: list[LinkRound] = []
            # A round becomes a row when the next is known, which says how the run ended.
            for found in self._rounds(problem, f"{kind}, {start}", pulse):
                if told:
                    yield self._row((kind, start), problem, tested, told[-1], None)
                told.append(found)
            if told:
                yield self._row((kind, start), problem, tested, told[-1], self._end(told))

    def _rounds(self, problem: SingleLink, what: str, pulse: Pulse) -> Iterator[LinkRound]:
        """The rounds of a run; a pulse that says no ends everything, not only the run."""
        learner = OneSlack(C=self.C, eps=self.eps, qp_tolerance=1e-10)
        stopped = False

        def cancelled() -> bool:
            nonlocal stopped
            try:
                pulse(f"{what}: training")
            except Cancelled:
                stopped = True
            return stopped

        yield from train(
            problem, learner, seed=self.seed, rounds=self.most, tolerance=LEAST_FALL, cancelled=cancelled
        )
        if stopped:
            raise Cancelled

    def _end(self, told: Sequence[LinkRound]) -> str:
        """Why there is no further round."""
        last = told[-1]
        if not last.changed:
            return SETTLED
        fall = told[-2].objective - last.objective if len(told) > 1 else np.inf
        if fall <= LEAST_FALL * max(1.0, abs(last.objective)):
            return LEVEL
        return CAPPED if last.k + 1 >= self.most else RAISED

    def _row(
        self,
        run: tuple[str, str],
        problem: SingleLink,
        tested: SingleLink,
        found: LinkRound,
        ended: str | None,
    ) -> Row:
        return row(
            data=run[0],
            start=run[1],
            round=found.k,
            latent=found.objective,
            convex=found.convex,
            changed=found.changed,
            train_loss=found.train_loss,
            test_loss=mean_loss(tested, found.w),
            oracle=problem.separator.title,
            ended=ended,
        )

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """All rows."""
        return tuple(rows)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """Three questions for each run."""
        runs = [(run, where(rows, data=run[0], start=run[1])) for run in self.runs]
        return tuple(finding for run, found in runs if found for finding in _judged(", ".join(run), found))


def _judged(run: str, rows: Sequence[Row]) -> tuple[Finding, ...]:
    first, last = rows[0], rows[-1]
    ended = str(last.get("ended", "not yet"))
    steps = [(b.number("latent"), a.number("convex"), a.number("latent")) for b, a in pairwise(rows)]
    rises = [max(convex, latent) - before for before, convex, latent in steps]
    slight = [2.0 * LEAST_FALL * max(1.0, before) for before, _, _ in steps]
    falls = all(rise <= least for rise, least in zip(rises, slight, strict=True))
    missing = [] if "ended" in last else [float("nan")]
    claim = (
        f"{run}: the latent objective never rises, and no convex optimum is above the latent objective "
        "before it."
    )
    fall = f"{first.number('latent'):,.6g} to {last.number('latent'):,.6g} in {len(rows)} rounds"
    told = f"{fall}, oracle: {first.get('oracle', 'not known')}; ended: {ended}"
    rising = judge(claim, [first.number("latent"), *missing], falls and ended != RAISED, told)
    return (
        *(
            () if len(rows) == 1 and ended == SETTLED else (rising,)
        ),  # a single round has nothing to be compared with
        judge(
            f"{run}: the training loss falls to 0, or near it (below {NEAR_ZERO:g} of 100).",
            [last.number("train_loss"), *missing],
            last.number("train_loss") < NEAR_ZERO,
            f"{first.number('train_loss'):.2f} in round 0, {last.number('train_loss'):.2f} in the last",
        ),
        judge(
            f"{run}: links that were learned test no worse than those of the first guess.",
            [first.number("test_loss"), last.number("test_loss"), *missing],
            last.number("test_loss") <= first.number("test_loss"),
            f"test loss {first.number('test_loss'):.2f} with the first guess, "
            f"{last.number('test_loss'):.2f} at the end",
        ),
    )


def any_links(data: Dataset, seed: int) -> Dataset:
    """The same sets with random trees inside their true clusters for labels."""
    rng = np.random.default_rng(seed)
    drawn = [pair_matrix(rng.random(pair_count(x.m)), x.m) for x in data.inputs]
    links = tuple(trees_inside(K, y) for K, y in zip(drawn, data.labels, strict=True))
    return replace(data, labels=links)


def bands(n: int, n_test: int, points: int, seed: int) -> tuple[Dataset, Dataset]:
    """Points in two bands 2 apart and at most 0.4 high; along the bands, 6 long, they lie anywhere."""
    rng = np.random.default_rng(seed)
    drawn = [_band(rng, points) for _ in range(n + n_test)]
    about = "Two bands of points: the height tells them apart, the place along a band says nothing."
    names = ("near in x", "near in y", "1")
    return halves(item_sets("bands", [x for x, _ in drawn], [y for _, y in drawn], names, about), n)


def _band(rng: np.random.Generator, points: int) -> tuple[ItemSet, Ints]:
    y = rng.permutation(np.arange(points) % 2)
    place = np.column_stack([rng.uniform(-3.0, 3.0, points), 2.0 * y + rng.uniform(-0.2, 0.2, points)])
    pairs = np.column_stack([-(differences(place) ** 2), np.ones(points * (points - 1) // 2)])
    return item_set(points, pairs=pairs, place=place, groups=2, where="a set of two bands"), y
