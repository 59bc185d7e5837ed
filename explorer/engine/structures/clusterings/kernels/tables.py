"""What greedy merges keep of every two clusters, brought up to date when two become one.

    score       cross[a, b] = sum of K_ij over i in a, j in b             additive when clusters merge
    pairwise    common[a, b] = sum_t n_ta n_tb                            additive
    MITRE       common[a, b] = true clusters t that both touch
        additive, but for those that a, b and another touch
    normalised  common[a, b] = sum_t n_ta n_tb / |t|                      additive

n_ta counts the items of true cluster t in cluster a. A cluster is called by its smallest item. Cost of a
merger: O(m), and for MITRE another O(m) for each true cluster that both touched, of which there are at most m
in all.
"""

from typing import NamedTuple

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.structures.clusterings.kernels.loss_values import (
    MITRE,
    NONE,
    NORMALISED,
    PAIRWISE,
    Stake,
    worth,
)
from explorer.engine.vectors import Array, Ints


class Merging(NamedTuple):
    """Clusters by their smallest items, what lies between each two of them, and `now`, (score, part)."""

    alive: Ints  # the clusters' names, the first `count` of them
    size: Ints
    spread: Array
    cross: Array
    common: Array
    touches: Ints  # (true clusters, m): 1 where a true cluster has items in a cluster; for MITRE
    now: Array


class Merged(NamedTuple):
    """The merges in order: (first, second) and (gain, value after it)."""

    ends: Ints
    gains: Array


@compiled
def single(K: Array, stake: Stake) -> Merging:
    """Every item a cluster."""
    m, t = len(K), len(stake.sizes)
    common, touches = np.zeros((1, 1)), np.zeros((1, 1), np.int64)
    spread, now = np.zeros(m), np.zeros(2)
    if stake.loss != NONE:
        common = np.zeros((m, m))
        for i in range(m):
            spread[i] = 1.0 / stake.sizes[stake.truth[i]]
            for j in range(m):
                if stake.truth[i] == stake.truth[j]:
                    common[i, j] = spread[i] if stake.loss == NORMALISED else 1.0
        if stake.loss == NORMALISED:
            now[1] = t
        if stake.loss == MITRE:
            now[1] = m
            touches = np.zeros((t, m), np.int64)
            for i in range(m):
                touches[stake.truth[i], i] = 1
    return Merging(np.arange(m), np.ones(m, np.int64), spread, K.copy(), common, touches, now)


@compiled
def change(loss: int, common: float, size_a: int, size_b: int, spread_a: float, spread_b: float) -> float:
    """What the part gains when two clusters merge; scalars only, since this is asked of every pair."""
    if loss == PAIRWISE:
        return size_a * size_b - 2.0 * common
    if loss == MITRE:
        return -common
    if loss == NORMALISED:
        return (
            (spread_a + spread_b + 2.0 * common) / (size_a + size_b) - spread_a / size_a - spread_b / size_b
        )
    return 0.0


@compiled
def part_change(stake: Stake, g: Merging, a: int, b: int) -> float:
    """What the part gains when clusters a and b merge."""
    if stake.loss == NONE:
        return 0.0
    return change(stake.loss, g.common[a, b], g.size[a], g.size[b], g.spread[a], g.spread[b])


@compiled
def join(stake: Stake, g: Merging, count: int, a: int, b: int) -> None:
    """Merge cluster b into a < b; `count` clusters were alive."""
    # Worth, sizes and spreads of the merged cluster.
    g.now[0] += g.cross[a, b]
    g.now[1] += part_change(stake, g, a, b)
    if stake.loss != NONE:
        g.spread[a] += g.spread[b] + 2.0 * g.common[a, b]
    g.size[a] += g.size[b]
    # Sums with every other cluster; b leaves the list of those alive.
    at = 0
    for n in range(count):
        d = g.alive[n]
        if d != b:
            g.alive[at] = d
            at += 1
            if d != a:
                g.cross[a, d] += g.cross[b, d]
                g.cross[d, a] = g.cross[a, d]
                if stake.loss != NONE:
                    g.common[a, d] += g.common[b, d]
                    g.common[d, a] = g.common[a, d]
    # For MITRE, `common` counts true clusters that two clusters share.
    if stake.loss == MITRE:
        for t in range(len(g.touches)):
            if g.touches[t, b] == 1:
                if g.touches[t, a] == 1:  # counted for a and for b, but both are one cluster now
                    for n in range(count - 1):
                        d = g.alive[n]
                        if d != a and g.touches[t, d] == 1:
                            g.common[a, d] -= 1.0
                            g.common[d, a] -= 1.0
                g.touches[t, a] = 1


@compiled
def slope_at(stake: Stake, clusters: int) -> float:
    """The loss gained per unit of part when a merger leaves one cluster less than `clusters`; margin scaling,
    linear.
    """
    m = len(stake.truth)
    if stake.loss == PAIRWISE:
        return 100.0 / max(0.5 * m * (m - 1), 1.0)
    if stake.loss == MITRE:
        return 200.0 / max(2 * m - len(stake.sizes) - clusters + 1, 1)
    return -100.0 / len(stake.sizes)


@compiled
def note(stake: Stake, g: Merging, m: int, count: int, a: int, b: int, gain: float, log: Merged) -> None:
    """Write down a merger that left `count` clusters."""
    at = m - count - 1
    log.ends[at, 0], log.ends[at, 1] = a, b
    log.gains[at, 0], log.gains[at, 1] = gain, worth(stake, g.now[0], g.now[1], count)


@compiled
def labels_after(m: int, ends: Ints) -> Ints:
    """The clustering that these merges make, numbered by first appearance."""
    name, out = np.arange(m), np.full(m, -1)
    for n in range(len(ends) - 1, -1, -1):  # clusters are named by their smallest item, and merged into that
        name[ends[n, 1]] = name[ends[n, 0]]
    used = 0
    for i in range(m):
        if name[i] == i:
            out[i] = used
            used += 1
        else:
            out[i] = out[name[i]]
    return out
