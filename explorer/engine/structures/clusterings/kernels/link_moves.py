"""Adding and cutting single links of the best forest of a partition, while H rises.

    add   clusters c, d become one by their best link:      score + max K_ij over i in c, j in d,
        part + change(c, d)
    cut   an item's subtree s leaves its cluster c = s + e:  score - K of the link,
        part - change(s, e)

`change` is what the part of the loss gains by a merger (see `cluster_tables`, `cluster_stakes`); a cut is a
merger undone. It asks for the counts of true clusters on both sides, and those of a subtree are summed from
its leaves upwards. After each move every cluster gets its best tree anew, so the true score is never below
the one that chose the move. Moves are looked at in the order of clusters, then of items, and of equal moves
the first is made. Cost of a move: O(m^2 + m |y|) for |y| true clusters.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorer.engine.compiled import compiled
from explorer.engine.structures.clusterings.kernels.loss_values import (
    MITRE,
    NORMALISED,
    Stake,
    joining,
    loss_from,
    price,
    smallest_gain,
    worth,
)
from explorer.engine.structures.clusterings.kernels.spanning_forest import best_trees
from explorer.engine.structures.clusterings.kernels.tables import change, slope_at
from explorer.engine.vectors import Array, Ints


class Hung(NamedTuple):
    """The best trees of k clusters, and how many items (of each true cluster) hang on each item, itself
    included.
    """

    parent: Ints
    order: Ints
    roots: Ints  # of the clusters, in their order
    size: Ints
    below: Ints  # (m, true clusters)


@compiled
def forest_of(K: Array, stake: Stake, labels: Ints, k: int) -> Hung:
    """The forest of a partition with its counts."""
    m = len(K)
    parent, order = best_trees(K, labels, k)
    roots, size, below = (
        np.empty(k, np.int64),
        np.ones(m, np.int64),
        np.zeros((m, len(stake.sizes)), np.int64),
    )
    for i in range(m):
        below[i, stake.truth[i]] = 1
    for n in range(m - 1, -1, -1):
        i = order[n]
        if parent[i] < 0:
            roots[labels[i]] = i
        else:
            size[parent[i]] += size[i]
            for t in range(len(stake.sizes)):
                below[parent[i], t] += below[i, t]
    return Hung(parent, order, roots, size, below)


@compiled
def part_of(stake: Stake, labels: Ints, k: int) -> float:
    """The part of the loss that a partition into k clusters has."""
    size, spread, shared = np.zeros(k, np.int64), np.zeros(k), np.zeros((k, len(stake.sizes)), np.int64)
    part = 0.0
    for i in range(len(labels)):
        c, t = labels[i], stake.truth[i]
        part += joining(stake, t, shared[c, t], size[c], spread[c])
        spread[c] += (2.0 * shared[c, t] + 1.0) / stake.sizes[t]
        size[c] += 1
        shared[c, t] += 1
    return part


@compiled
def in_common(stake: Stake, a: Ints, b: Ints) -> float:
    """What `change` asks of two sets of items with this many in each true cluster; for a = b, the normalised
    loss's spread.
    """
    if stake.loss == NORMALISED:
        share = 0.0
        for t in range(len(a)):
            share += a[t] * b[t] / stake.sizes[t]
        return share
    count = 0
    for t in range(len(a)):
        count += int(a[t] > 0 and b[t] > 0) if stake.loss == MITRE else a[t] * b[t]
    return float(count)


@compiled
def merger(stake: Stake, a: Ints, b: Ints, size_a: int, size_b: int) -> float:
    """What the part gains when two sets of items become one cluster."""
    mixed = stake.loss == NORMALISED
    spread_a, spread_b = in_common(stake, a, a) if mixed else 0.0, in_common(stake, b, b) if mixed else 0.0
    return change(stake.loss, in_common(stake, a, b), size_a, size_b, spread_a, spread_b)


@compiled
def best_links(K: Array, labels: Ints, k: int) -> Array:
    """The largest similarity of an item of cluster c and one of another cluster d."""
    out = np.full((k, k), -np.inf)
    for i in range(len(K)):
        c = labels[i]
        for j in range(i):
            d = labels[j]
            if c != d and K[i, j] > out[c, d]:
                out[c, d] = K[i, j]
                out[d, c] = K[i, j]
    return out


@compiled
def least_near(links: Array, near: int) -> Array:
    """The `near`-th largest entry of every row, the smallest where there are fewer."""
    k = len(links)
    out, top = np.empty(k), np.empty(min(near, k))
    for c in range(k):
        top[:] = -np.inf
        for d in range(k):
            if links[c, d] > top[-1]:
                at = len(top) - 1
                while at > 0 and top[at - 1] < links[c, d]:
                    top[at] = top[at - 1]
                    at -= 1
                top[at] = links[c, d]
        out[c] = top[-1]
    return out


@compiled
def best_addition(
    K: Array, stake: Stake, labels: Ints, g: Hung, now: tuple[float, float], least: float, near: int
) -> tuple[int, int, float]:
    """The two clusters, one among the `near` nearest of the other, whose link raises H most; -1 if none is
    above `least`.
    """
    k = len(g.roots)
    links = best_links(K, labels, k)
    reach = least_near(links, near)
    base, slope = loss_from(stake, now[1], k - 1), slope_at(stake, k)
    first, second, best = -1, -1, least
    for c in range(k):
        a = g.roots[c]
        for d in range(c + 1, k):
            if links[c, d] < reach[c] and links[c, d] < reach[d]:
                continue
            b = g.roots[d]
            loss = base + slope * merger(stake, g.below[a], g.below[b], g.size[a], g.size[b])
            there = price(stake.slack, stake.squared, stake.score - now[0] - links[c, d], loss)
            if there > best:
                first, second, best = c, d, there
    return first, second, best


@compiled
def best_removal(
    K: Array, stake: Stake, labels: Ints, g: Hung, now: tuple[float, float], least: float
) -> tuple[int, float]:
    """The item whose link to its parent should be cut; -1 if no such H is above `least`."""
    k = len(g.roots)
    base, slope = loss_from(stake, now[1], k + 1), slope_at(stake, k + 2)
    item, best = -1, least
    for i in range(len(K)):
        if g.parent[i] < 0:
            continue
        root = g.roots[labels[i]]
        rest = g.below[root] - g.below[i]
        loss = base - slope * merger(stake, g.below[i], rest, g.size[i], g.size[root] - g.size[i])
        there = price(stake.slack, stake.squared, stake.score - now[0] + K[i, g.parent[i]], loss)
        if there > best:
            item, best = i, there
    return item, best


@compiled
def renumber(labels: Ints) -> int:
    """Number the clusters by first appearance, in place; returns how many there are."""
    new, k = np.full(len(labels) + 1, -1), 0
    for i in range(len(labels)):
        if new[labels[i]] < 0:
            new[labels[i]] = k
            k += 1
        labels[i] = new[labels[i]]
    return k


@compiled
def part_off(g: Hung, item: int, labels: Ints) -> None:
    """Give an item and all that hangs on it a cluster of their own."""
    off: NDArray[np.bool_] = np.zeros(len(labels), np.bool_)
    for i in g.order:  # parents come before their children
        off[i] = i == item or (g.parent[i] >= 0 and off[g.parent[i]])
        if off[i]:
            labels[i] = len(g.roots)


@compiled
def climb(K: Array, stake: Stake, labels: Ints, near: int) -> float:
    """Add or cut the link that raises H most while one does; the partition is changed in place, H is
    returned.
    """
    grain, k = smallest_gain(stake, len(K) * np.max(np.abs(K))), renumber(labels)
    while True:
        g, score = forest_of(K, stake, labels, k), 0.0
        for i in range(len(K)):
            score += K[i, g.parent[i]] if g.parent[i] >= 0 else 0.0
        now = (score, part_of(stake, labels, k))
        value = worth(stake, now[0], now[1], k)
        c, d, best = best_addition(K, stake, labels, g, now, value + grain, near)
        item, _ = best_removal(K, stake, labels, g, now, best)
        if item >= 0:
            part_off(g, item, labels)
        elif c >= 0:
            labels[labels == d] = c
        else:
            return value
        k = renumber(labels)


@compiled
def best_climb(K: Array, stake: Stake, starts: Ints, near: int) -> tuple[int, float]:
    """Climb from every start, in place; returns the first best one and its H."""
    first, most = 0, -np.inf
    for n in range(len(starts)):
        value = climb(K, stake, starts[n], near)
        if value > most:
            first, most = n, value
    return first, most


@compiled
def losses_of(stake: Stake, partitions: Ints) -> Array:
    """The loss of every partition, one in a row."""
    out = np.empty(len(partitions))
    for n in range(len(partitions)):
        k = np.max(partitions[n]) + 1
        out[n] = loss_from(stake, part_of(stake, partitions[n], k), k)
    return out
