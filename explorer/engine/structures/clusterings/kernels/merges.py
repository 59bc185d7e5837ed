"""Greedy merges: from single items on, join the two clusters whose merger raises H the most, until none does.

    margin scaling, linear    a merger gains cross[a, b] + slope * (change of the part), see `cluster_tables`,
                              `cluster_stakes`
    elsewhere                 H of every merger is made from its score and its loss

Finley 2009, algorithms 3 and 4. In the first case only MITRE's slope 200 / (2 m - |y| - |z| + 1) depends on
the step, and it falls. Every row keeps its best partner with an upper bound on its gain, and is looked at
again only when its bound is the largest: O(m) for most mergers, O(m^2) at worst. For MITRE, partners without
a true cluster in common are kept apart from the others, since the slope does not touch them. Elsewhere every
pair is looked at, O(m^2) for a merger. Of equal mergers the one with the smallest first, then second cluster
is made.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorer.engine.compiled import compiled
from explorer.engine.structures.clusterings.kernels.loss_values import (
    MITRE,
    NONE,
    Stake,
    loss_from,
    price,
    smallest_gain,
    worth,
)
from explorer.engine.structures.clusterings.kernels.tables import (
    Merged,
    Merging,
    change,
    join,
    note,
    part_change,
    single,
    slope_at,
)
from explorer.engine.vectors import Array, Ints


class MergeRows(NamedTuple):
    """Best partners of the clusters before their own: two kinds (without and with true clusters in common)
    for MITRE.

    `bound` is at least the gain of every partner; it is the gain of `to` where the row is `fresh`.
    """

    to: Ints
    bound: Array
    fresh: NDArray[np.bool_]


@compiled
def best_partner(
    stake: Stake, g: Merging, count: int, slope: float, n: int, kind: int, rows: MergeRows
) -> None:
    """Look again for the later cluster that the n-th one alive gains most by merging with; -1 if there is
    none.
    """
    loss, alive, size, spread = stake.loss, g.alive, g.size, g.spread
    a, to, most = alive[n], -1, -np.inf
    cross, common = g.cross[a], g.common[a if loss != NONE else 0]
    for p in range(n + 1, count):
        b = alive[p]
        gain = cross[b]
        if loss != NONE:
            if loss == MITRE and (common[b] > 0.0) != (kind == 1):
                continue
            gain += slope * change(loss, common[b], size[a], size[b], spread[a], spread[b])
        if gain > most:
            to, most = b, gain
    rows.to[kind, a], rows.bound[kind, a], rows.fresh[kind, a] = to, most, True


@compiled
def best_merger(
    stake: Stake, g: Merging, count: int, slope: float, rows: MergeRows
) -> tuple[int, int, float]:
    """The two clusters that gain most by merging, but for what all mergers gain alike."""
    kinds = len(rows.to)
    while True:
        top, at, kind = -np.inf, 0, 0
        for n in range(count):
            for q in range(kinds):
                if rows.bound[q, g.alive[n]] > top:
                    top, at, kind = rows.bound[q, g.alive[n]], n, q
        a = g.alive[at]
        if rows.fresh[kind, a]:
            if (
                kinds == 2
                and rows.fresh[1, a]
                and rows.bound[1, a] == top
                and 0 <= rows.to[1, a] < rows.to[kind, a]
            ):
                kind = 1
            return a, rows.to[kind, a], top
        best_partner(stake, g, count, slope, at, kind, rows)


@compiled
def follow(stake: Stake, g: Merging, count: int, a: int, b: int, slope: float, rows: MergeRows) -> None:
    """Bring the rows up to date after b went into a: the gain with a is new, the one with b is gone."""
    for n in range(count):
        d = g.alive[n]
        mine = 1 if stake.loss == MITRE and d != a and g.common[d, a] > 0.0 else 0
        for kind in range(len(rows.to)):
            if d == a:
                best_partner(stake, g, count, slope, n, kind, rows)
                continue
            gone = rows.to[kind, d] == b or rows.to[kind, d] == a
            if d < a and kind == mine:
                gain = g.cross[d, a] + slope * part_change(stake, g, d, a)
                level = gain == rows.bound[kind, d] and rows.fresh[kind, d] and a < rows.to[kind, d]
                if gain > rows.bound[kind, d] or level:
                    rows.to[kind, d], rows.bound[kind, d], rows.fresh[kind, d] = a, gain, True
                    gone = False
            if gone:
                rows.fresh[kind, d] = False


@compiled
def loosen(stake: Stake, g: Merging, count: int, fall: float, rows: MergeRows) -> None:
    """The slope fell: gains of the second kind rose by at most that for each true cluster that a row
    touches.
    """
    for n in range(count):
        d = g.alive[n]
        rows.bound[1, d] += fall * min(g.size[d], len(stake.sizes))
        rows.fresh[1, d] = False


@compiled
def merge_by_rows(K: Array, stake: Stake, most: int, log: Merged) -> int:
    """Merges under margin scaling with a linear penalty, at most `most`; returns how many."""
    m, g = len(K), single(K, stake)
    least, slope, count = smallest_gain(stake, m * np.max(np.abs(K))), slope_at(stake, m), m
    kinds = 2 if stake.loss == MITRE else 1
    rows = MergeRows(np.full((kinds, m), -1), np.full((kinds, m), -np.inf), np.zeros((kinds, m), np.bool_))
    for n in range(m):
        for kind in range(kinds):
            best_partner(stake, g, m, slope, n, kind, rows)
    while m - count < most and count > 1:
        a, b, gain = best_merger(stake, g, count, slope, rows)
        if stake.loss == MITRE:  # any merger leaves one cluster less
            gain += loss_from(stake, g.now[1], count - 1) - loss_from(stake, g.now[1], count)
        if gain <= least:
            break
        join(stake, g, count, a, b)
        count -= 1
        note(stake, g, m, count, a, b, gain, log)
        fall, slope = slope - slope_at(stake, count), slope_at(stake, count)
        follow(stake, g, count, a, b, slope, rows)
        if kinds == 2:
            loosen(stake, g, count, fall, rows)
    return m - count


@compiled
def best_pair(stake: Stake, g: Merging, count: int, least: float) -> tuple[int, int, float]:
    """The two clusters whose merger has the largest H, above `least`, and that H; every pair is looked at."""
    base, slope, score = loss_from(stake, g.now[1], count - 1), slope_at(stake, count), g.now[0]
    loss, alive, size, spread = stake.loss, g.alive, g.size, g.spread
    first, second, best = -1, -1, least
    for n in range(count):
        a = alive[n]
        cross, common = g.cross[a], g.common[a]
        for p in range(n + 1, count):
            b = alive[p]
            part = change(loss, common[b], size[a], size[b], spread[a], spread[b])
            there = price(stake.slack, stake.squared, stake.score - score - cross[b], base + slope * part)
            if there > best:
                first, second, best = a, b, there
    return first, second, best


@compiled
def merge_by_pairs(K: Array, stake: Stake, most: int, log: Merged) -> int:
    """Merges with a loss, under any scaling and penalty, at most `most`; returns how many."""
    m, g = len(K), single(K, stake)
    least = smallest_gain(stake, m * np.max(np.abs(K)))
    count, value = m, worth(stake, g.now[0], g.now[1], m)
    while m - count < most and count > 1:
        a, b, best = best_pair(stake, g, count, value + least)
        if a < 0:
            break
        join(stake, g, count, a, b)
        count -= 1
        note(stake, g, m, count, a, b, best - value, log)
        value = best
    return m - count
