"""The best of all partitions, counted through as restricted growth strings: item i joins a cluster in use, or
the next.

    correlation   item i adds s_i(c) = sum of K_ij over the members j of its cluster c
    k-means       it makes S(c) / |c| into (S(c) + 2 s_i(c) + K_ii) / (|c| + 1),  S(c) = sum_{j, l in c} K_jl

The last item is tried in every cluster without being put there, so a partition costs a few operations: O(m)
for each of the Bell(m - 1) clusterings of the other items, O(1) for each of Bell(m). Sums are put back as
they were, not subtracted, so nothing drifts. Of equal partitions the first in the order of their labels is
kept.
"""

from typing import NamedTuple

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.structures.clusterings.kernels.loss_values import NONE, Stake, joining, worth
from explorer.engine.vectors import Array, Ints


class Growing(NamedTuple):
    """The clustering of the first items: tables of its clusters, and what was there before each item came."""

    labels: Ints
    size: Ints
    total: Array
    spread: Array
    shared: Ints  # (true clusters, clusters)
    sums: Array  # s_i(c), a row for each item
    used: Ints  # clusters before item i
    score: Array  # of the items before i
    part: Array
    old_total: Array
    old_spread: Array


@compiled
def growing(m: int, true_clusters: int) -> Growing:
    """No item placed."""
    return Growing(
        np.full(m, -1, np.int64),
        np.zeros(m + 1, np.int64),
        np.zeros(m + 1),
        np.zeros(m + 1),
        np.zeros((true_clusters, m + 1), np.int64),
        np.zeros((m, m + 1)),
        np.zeros(m + 1, np.int64),
        np.zeros(m + 1),
        np.zeros(m + 1),
        np.zeros(m),
        np.zeros(m),
    )


@compiled
def reach(K: Array, g: Growing, i: int) -> None:
    """s_i(c) for all clusters of the items before i."""
    g.sums[i, : g.used[i] + 1] = 0.0
    for j in range(i):
        g.sums[i, g.labels[j]] += K[i, j]


@compiled
def score_with(K: Array, groups: int, g: Growing, i: int, c: int) -> float:
    """The score once item i is in cluster c."""
    if groups == 0:
        return g.score[i] + g.sums[i, c]
    before = g.total[c] / g.size[c] if g.size[c] > 0 else 0.0
    return g.score[i] + (g.total[c] + 2.0 * g.sums[i, c] + K[i, i]) / (g.size[c] + 1) - before


@compiled
def place(K: Array, groups: int, stake: Stake, g: Growing, i: int, c: int) -> None:
    """Put item i into cluster c."""
    t = stake.truth[i]
    g.score[i + 1] = score_with(K, groups, g, i, c)
    g.part[i + 1] = g.part[i] + joining(stake, t, g.shared[t, c], g.size[c], g.spread[c])
    g.old_total[i], g.old_spread[i] = g.total[c], g.spread[c]
    g.total[c] += 2.0 * g.sums[i, c] + K[i, i]
    g.spread[c] += (2.0 * g.shared[t, c] + 1.0) / stake.sizes[t]
    g.size[c] += 1
    g.shared[t, c] += 1
    g.used[i + 1] = max(g.used[i], c + 1)


@compiled
def lift(stake: Stake, g: Growing, i: int, c: int) -> None:
    """Take item i, the last to come, out of cluster c."""
    g.total[c], g.spread[c] = g.old_total[i], g.old_spread[i]
    g.size[c] -= 1
    g.shared[stake.truth[i], c] -= 1


@compiled
def best_end(K: Array, groups: int, stake: Stake, g: Growing) -> tuple[int, float]:
    """The cluster in which the last item is worth most, and that worth; -1 if it can be in none."""
    i = len(K) - 1
    t, used, score, own = stake.truth[i], g.used[i], g.score[i], K[i, i]
    sums, size, total, spread, shared = g.sums[i], g.size, g.total, g.spread, g.shared[t]
    found, best = -1, -np.inf
    for c in range(used + 1):
        clusters = max(used, c + 1)
        if groups > 0 and clusters != groups:
            continue
        there = score + sums[c]
        if groups > 0:
            before = total[c] / size[c] if size[c] > 0 else 0.0
            there = score + (total[c] + 2.0 * sums[c] + own) / (size[c] + 1) - before
        if stake.loss != NONE:
            part = g.part[i] + joining(stake, t, shared[c], size[c], spread[c])
            there = worth(stake, there, part, clusters)
        if there > best:
            found, best = c, there
    return found, best


@compiled
def best_partition(K: Array, groups: int, stake: Stake) -> tuple[Ints, float]:
    """The first best partition (into exactly `groups` clusters unless 0) and its worth."""
    m = len(K)
    g, best, found = growing(m, len(stake.sizes)), -np.inf, np.zeros(m, np.int64)
    i = 0
    while i >= 0:
        # The next cluster for item i: it comes for the first time, or is taken out of the last one.
        c = g.labels[i] + 1
        if c == 0:
            reach(K, g, i)
        elif i < m - 1:
            lift(stake, g, i, c - 1)
        # The last item is tried everywhere at once.
        if i == m - 1:
            c, value = best_end(K, groups, stake, g)
            if value > best:
                best = value
                found[:] = g.labels
                found[i] = c
            i -= 1
        # Tried in all clusters: go back to the item before.
        elif c > g.used[i] or (groups > 0 and c >= groups):
            g.labels[i] = -1
            i -= 1
        else:
            # Put it there and go on with the next item.
            g.labels[i] = c
            place(K, groups, stake, g, i, c)
            if (
                groups == 0 or g.used[i + 1] + m - 1 - i >= groups
            ):  # else too few items are left to fill all clusters
                i += 1
    return found, best
