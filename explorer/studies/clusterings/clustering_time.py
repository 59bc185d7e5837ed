"""How long supervised k-means trains: CPU seconds against the number of sets, points, clusters and features.

    sets       n small sets, of 4 points a cluster
    points     m = 5 clusters of q points
    clusters   k, with m and N as near to 100 and 750 as k allows
    features   N = 15 regions of f features, of which a pair turns on f / 10

Finley 2009, Figures 4.1 to 4.4: Synth with one size changed at a time, 1-slack, fixed C, Iterative and
Spectral oracles. The source trains with C = 1e4 on 20 draws for each point and shows drawings only; so does
`--set C=1e4 --set repeats=20 --set most=100000 --json FILE --resume FILE`, for hours, and broken off it goes
on after its last row. Here the share of features that a pair turns on is kept, for zeros are not stored, and
with 5 features a pair N alone would hardly matter. Seconds are those of the processor, for all threads of
this process together, with linear algebra on one of them: other programs hardly matter, and the second core
does not help. The median of the draws counts; a first training that is not timed makes sure that nothing is
compiled meanwhile. Slopes are of straight lines through log-log points; where sets are small, what a round
costs in itself makes those of seconds flatter than the order of growth: at C = 1e4, from 10 to 40 sets,
seconds with Spectral have the slope 0.64 and oracle calls 0.95. Counts depend on no machine: steps, calls,
and the multiplications that similarities take, one for each call, pair of items and feature that it turns on.
With more features the same points are easier to tell apart, so that far fewer steps are needed: in sets of 20
points at C = 1e4 the work falls while N grows, and the growth of the source is that of a single step. Cost:
about a CPU minute for each draw at C = 100, and much more at C = 1e4, where Spectral takes thousands of steps
on sets of 50 points and more.
"""

import time
from collections.abc import Iterator, Sequence
from itertools import product
from typing import ClassVar, final

import numpy as np

from explorer.engine.data.cluster_synth import make_synth
from explorer.engine.knobs import knob, settings
from explorer.studies.support.k_means_sets import (
    Model,
    SetTraining,
    fit_planes,
    oracle_named,
    problem_of,
)
from explorer.studies.support.published_clusterings import ITERATIVE, SPECTRAL
from explorer.studies.support.rows import judge, row, where
from explorer.studies.support.study import Column, Finding, Plot, Pulse, Row, at_place, quiet

SETS, POINTS, CLUSTERS, FEATURES = "sets", "points", "clusters", "features"
AXES: dict[str, tuple[int, ...]] = {
    SETS: (10, 20, 40, 80, 160),
    POINTS: (20, 40, 80),
    CLUSTERS: (2, 5, 10, 14),
    FEATURES: (100, 200, 400, 800, 1600),
}
"""n; q; k; f."""

SHORT: dict[str, tuple[int, ...]] = {SETS: (5, 20), POINTS: (10, 20), CLUSTERS: (2, 5), FEATURES: (50, 100)}
BASE = {"sets": 5, "groups": 5, "per_group": 20, "features": 50, "active": 5}
METHODS = (ITERATIVE, SPECTRAL)
COUNTED = ((SETS, 0.8, 1.2), (FEATURES, 0.7, 1.3), (POINTS, 1.5, 3.5))
"""Between which powers of each size the work of Spectral grows, counted on no clock."""


@final
@settings
class ClusteringTime:
    """CPU seconds of training."""

    name: ClassVar[str] = "clustering-time"
    title: ClassVar[str] = "How long does training a clusterer take?"
    source: ClassVar[str] = "Finley 2009, Figures 4.1 to 4.4"
    about: ClassVar[str] = (
        "Synth with one size changed at a time is trained with the Iterative and the Spectral oracle, "
        "several draws each. "
        "Time grows no faster than the sets and the features do, and with Iterative it varies more."
    )
    beside: ClassVar[str] = "published"
    columns: ClassVar[tuple[Column, ...]] = (
        Column("axis", "what is changed", key=True),
        Column("size", "to", key=True, form=",d"),
        Column("method", "trained with", key=True),
        Column("seconds", "CPU seconds, median", form=".3f"),
        Column("variation", "s.d. / mean over draws", form=".2f"),
        Column("steps", "steps, median", form=".0f"),
        Column("swings", "s.d. / mean of the steps", form=".2f"),
        Column("calls", "oracle calls, median", form=",.0f"),
        Column("work", "multiplications, median", form=".3g"),
        Column("a_step", "milliseconds a step", form=".1f"),
        Column("ended", "training"),
    )
    plot: ClassVar[Plot] = Plot("lines", "size", ("seconds",), series="method", panel="axis", log=("x", "y"))

    axis: str = knob("all", "What is changed.", choices=("all", *AXES))
    every: bool = knob(True, "All sizes, not only two small ones of each.")
    repeats: int = knob(5, "Draws, of which the median counts; the source has 20.", low=2, high=100)
    noise: float = knob(0.48, "How likely a cluster is mistaken; the source prints 0.20.", low=0.0, high=0.8)
    C: float = knob(100.0, "Price of the mean slack.", low=1e-6, log=True)
    eps: float = knob(1.0, "Tolerance of training, on losses from 0 to 100.", low=1e-6, high=10.0, log=True)
    most: int = knob(1000, "Most steps of a training.", low=1, high=100_000)
    seed: int = knob(0, "The first random draw.", low=0, high=9999)

    @classmethod
    def quick(cls) -> "ClusteringTime":
        return cls(every=False, repeats=2, C=10.0)

    @property
    def axes(self) -> dict[str, tuple[int, ...]]:
        """The sizes along every axis that is asked for."""
        sizes = AXES if self.every else SHORT
        return {axis: sizes[axis] for axis in sizes if self.axis in ("all", axis)}

    @property
    def total(self) -> int:
        return len(METHODS) * sum(len(sizes) for sizes in self.axes.values())

    @property
    def published(self) -> tuple[Row, ...]:
        """The source only shows drawings."""
        return ()

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]:
        """Axis by axis, from small to large."""
        return self.rows_after(0, pulse)

    def rows_after(self, count: int, pulse: Pulse = quiet) -> Iterator[Row]:
        """The rows but for the first `count`."""
        for method in METHODS:
            self._timed(method, {**BASE, "sets": 2, "per_group": 2}, self.seed, at_place(pulse, "warming up"))
        places = [(axis, *place) for axis, sizes in self.axes.items() for place in product(sizes, METHODS)]
        for axis, size, method in places[count:]:
            yield self._row(axis, size, method, at_place(pulse, f"{size} {axis}, {method}"))

    def _row(self, axis: str, size: int, method: str, pulse: Pulse) -> Row:
        shape = shape_of(axis, size)
        runs = [self._timed(method, shape, self.seed + draw, pulse) for draw in range(self.repeats)]
        seconds = np.array([spent for spent, _ in runs])
        counts = np.array([model.steps for _, model in runs], dtype=float)
        steps = float(np.median(counts))
        return row(
            axis=axis,
            size=shown_size(axis, shape),
            method=method,
            seconds=float(np.median(seconds)),
            variation=float(np.std(seconds, ddof=1) / np.mean(seconds)),
            steps=steps,
            swings=float(np.std(counts, ddof=1) / np.mean(counts)),
            calls=steps * shape["sets"],
            work=steps * shape["sets"] * pairs_of(shape) * shape["active"],
            a_step=1e3 * float(np.median([spent / model.steps for spent, model in runs])),
            ended="to eps" if all(model.ended for _, model in runs) else "steps ran out",
        )

    def _timed(self, method: str, shape: dict[str, int], seed: int, pulse: Pulse) -> tuple[float, Model]:
        """CPU seconds of one training."""
        from threadpoolctl import threadpool_limits  # comes with scikit-learn

        oracle = oracle_named(method, seed)
        problem = problem_of(make_synth(**shape, noise=self.noise, seed=seed), oracle, oracle)
        with threadpool_limits(limits=1):  # idle threads of linear algebra spin, and their time would count
            began = time.process_time()
            model = fit_planes(problem, self.C, SetTraining((self.C,), self.eps, self.most, seed=seed), pulse)
            return time.process_time() - began, model

    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """All rows."""
        return tuple(rows)

    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]:
        """The slopes, and who is the more erratic."""
        return (
            _slope(rows, SETS, ITERATIVE, -9.0, 1.1, "grows linearly with the sets, or slower"),
            _slope(rows, SETS, SPECTRAL, -9.0, 1.1, "grows linearly with the sets, or slower"),
            _slope(rows, SETS, SPECTRAL, 0.8, 1.2, "grows with the sets to the power of 0.8 to 1.2"),
            _slope(rows, FEATURES, ITERATIVE, -9.0, 1.1, "grows linearly with the features, or slower"),
            _slope(rows, FEATURES, SPECTRAL, -9.0, 1.1, "grows linearly with the features, or slower"),
            _slope(rows, FEATURES, SPECTRAL, 0.7, 1.3, "grows with the features to the power of 0.7 to 1.3"),
            _slope(rows, POINTS, SPECTRAL, 1.5, 3.5, "grows with the points to the power of 1.5 to 3.5"),
            *(_counted(rows, axis, low, high) for axis, low, high in COUNTED),
            _slope(rows, CLUSTERS, SPECTRAL, -9.0, 0.0, "falls with the number of clusters"),
            _variation(rows),
            _slower(rows),
        )


def shape_of(axis: str, size: int) -> dict[str, int]:
    """The sizes of Synth for a place on an axis."""
    changed = {
        SETS: {"sets": size, "per_group": 4},
        POINTS: {"per_group": size},
        CLUSTERS: {"groups": size, "per_group": 100 // size, "features": 750 // (size * (size + 1) // 2)},
        FEATURES: {"features": size, "active": max(1, size // 10)},
    }
    return {**BASE, **changed[axis]}


def pairs_of(shape: dict[str, int]) -> int:
    """Pairs of items in a set."""
    m = shape["groups"] * shape["per_group"]
    return m * (m - 1) // 2


def shown_size(axis: str, shape: dict[str, int]) -> int:
    """n, m, k or N."""
    k = shape["groups"]
    return {
        SETS: shape["sets"],
        POINTS: k * shape["per_group"],
        CLUSTERS: k,
        FEATURES: k * (k + 1) // 2 * shape["features"],
    }[axis]


def slope(rows: Sequence[Row], axis: str, method: str, column: str = "seconds") -> float:
    """Of the straight line through the log of seconds, or of another column, against log size; NaN for fewer
    than two sizes.
    """
    found = where(rows, axis=axis, method=method)
    if len(found) < 2:
        return float("nan")
    x, y = (np.log([each.number(name) for each in found]) for name in ("size", column))
    return float(np.polyfit(x, y, 1)[0]) if np.isfinite(y).all() else float("nan")


def _slope(rows: Sequence[Row], axis: str, method: str, low: float, high: float, words: str) -> Finding:
    found, calls = (slope(rows, axis, method, column) for column in ("seconds", "calls"))
    return judge(
        f"The time of training with {method} {words}.",
        (found,),
        low <= found <= high,
        f"log-log slope {found:.2f}" + ("" if np.isnan(calls) else f", that of oracle calls {calls:.2f}"),
    )


def _counted(rows: Sequence[Row], axis: str, low: float, high: float) -> Finding:
    found = slope(rows, axis, SPECTRAL, "work")
    return judge(
        f"Counted in multiplications, training with {SPECTRAL} grows with the {axis} to the power of {low:g} "
        f"to {high:g}.",
        (found,),
        low <= found <= high,
        f"log-log slope {found:.2f}",
    )


def _variation(rows: Sequence[Row]) -> Finding:
    means = {m: _mean([f.number("variation") for f in where(rows, method=m)]) for m in METHODS}
    return judge(
        "Training with Iterative varies more from draw to draw than with Spectral.",
        list(means.values()),
        means[ITERATIVE] > means[SPECTRAL],
        ", ".join(f"{method} {100.0 * x:.0f} % of the mean" for method, x in means.items()),
    )


def _slower(rows: Sequence[Row]) -> Finding:
    by_size = {m: [f.number("seconds") for f in where(rows, axis=FEATURES, method=m)] for m in METHODS}
    pairs = list(zip(by_size[ITERATIVE], by_size[SPECTRAL], strict=False))
    return judge(
        "Whatever the number of features, Spectral takes longer than Iterative.",
        [x for pair in pairs for x in pair],
        all(a < b for a, b in pairs),
        f"at {sum(a < b for a, b in pairs)} of {len(pairs)} sizes",
    )


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else float("nan")
