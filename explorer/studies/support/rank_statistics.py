"""Two columns of paired losses compared: win / tie / lose, and Wilcoxon's signed ranks with an exact tail.

    d_i = a_i - b_i without zeros, r_i = rank of |d_i| (equal ones share the mean of their ranks),
        W = sum_i sign(d_i) r_i
    P = share of the 2^n assignments of signs whose W is at least |W|

Finley 2009, section 4.5.5 and Table 4.5. A win is a smaller loss of the first. Doubled ranks are whole
numbers also where they are shared, so the distribution of W is counted exactly, by adding one rank after the
other: n^3 additions. `normal` is the usual approximation, with |W| brought half a step nearer to 0. Beware:
lines that share training sets are not independent.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints
from explorer.studies.support.rows import where
from explorer.studies.support.study import Cell, Row

SAME = 1e-9
"""Differences that are closer than this are equal: losses are printed with one decimal, and 20.4 - 20.4 must
be a tie.
"""


@dataclass(frozen=True, slots=True)
class RankComparison:
    """How often the first column is smaller, equal, larger; W of first minus second; one tail, exact and
    normal.
    """

    win: int
    tie: int
    lose: int
    W: float
    p: float
    normal: float

    @property
    def n(self) -> int:
        """Pairs that differ."""
        return self.win + self.lose

    def __str__(self) -> str:
        return f"{self.win}/{self.tie}/{self.lose} win/tie/lose, W = {self.W:g}, one-tail p = {self.p:.3g}"


def compare_ranks(first: Sequence[float] | Array, second: Sequence[float] | Array) -> RankComparison:
    """The statistics of two columns whose lines belong together."""
    if len(first) != len(second):
        raise Refused(f"the columns have {len(first)} and {len(second)} lines; give them the same lines")
    d = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    if not np.isfinite(d).all():
        raise Refused(
            f"line {int(np.argmin(np.isfinite(d)))} has no number in one of the columns; leave it out"
        )
    differs = np.abs(d) > SAME
    ranks = mid_ranks(np.abs(d[differs]))
    W = float(np.sum(np.sign(d[differs]) * ranks))
    win, lose = int(np.sum(d[differs] < 0.0)), int(np.sum(d[differs] > 0.0))
    return RankComparison(
        win, int(np.sum(~differs)), lose, W, exact_tail(ranks, abs(W)), normal_tail(ranks, abs(W))
    )


def compared_rows(
    rows: Sequence[Row], by: str, first: Cell, second: Cell, column: str = "loss", same: Sequence[str] = ()
) -> RankComparison:
    """The same of our own rows: those with `by` = first against those with `by` = second that agree in the
    cells `same`.
    """
    theirs = {
        tuple(found.get(name) for name in same): found.number(column) for found in where(rows, **{by: second})
    }
    pairs = [
        (found.number(column), theirs[key])
        for found in where(rows, **{by: first})
        if (key := tuple(found.get(name) for name in same)) in theirs
    ]
    known = [pair for pair in pairs if not any(map(math.isnan, pair))]
    return compare_ranks([a for a, _ in known], [b for _, b in known])


def mid_ranks(sizes: Array) -> Array:
    """Ranks from 1; equal sizes share the mean of their ranks."""
    order = np.argsort(sizes, kind="stable")
    gaps = np.diff(sizes[order], prepend=-np.inf) > SAME
    group = np.cumsum(gaps) - 1
    last = np.cumsum(np.bincount(group)) if len(sizes) else np.zeros(0)
    shared = last - (np.bincount(group) - 1) / 2.0 if len(sizes) else last
    out = np.empty(len(sizes))
    out[order] = shared[group]
    return out


def exact_tail(ranks: Array, W: float) -> float:
    """The share of all assignments of signs to these ranks whose sum is at least W."""
    doubled: Ints = np.rint(2.0 * ranks).astype(np.int64)
    counts = np.ones(
        1
    )  # counts[s]: assignments whose positive doubled ranks add up to s; below 2^53 they are exact
    for rank in doubled:
        longer = np.zeros(len(counts) + int(rank))
        longer[: len(counts)] += counts
        longer[int(rank) :] += counts
        counts = longer
    sums = 2 * np.arange(len(counts)) - int(np.sum(doubled))  # doubled W of each
    return float(np.sum(counts[sums >= 2.0 * W - SAME]) / np.sum(counts))


def normal_tail(ranks: Array, W: float) -> float:
    """The tail beyond W - 1/2 of a normal distribution with the variance of W, sum_i r_i^2."""
    spread = float(np.sqrt(np.sum(ranks**2)))
    return 0.5 * math.erfc((W - 0.5) / spread / math.sqrt(2.0)) if spread > 0.0 else 1.0


def drawn_tail(ranks: Array, W: float, draws: int, rng: np.random.Generator) -> float:
    """The same share among random assignments of signs."""
    signs = rng.integers(0, 2, size=(draws, len(ranks))) * 2 - 1
    return float(np.mean(signs @ ranks >= W - SAME))
