"""Point-incremental k-means with exact gains: each item in turn goes to the cluster that raises H the most.

    S(c) = sum_{j, l in c} K_jl,   s_i(c) = sum_{j in c} K_ij,   item i from a to b changes the score by

    (S(b) + 2 s_i(b) + K_ii) / (|b| + 1) - S(b) / |b|  +  (S(a) - 2 s_i(a) + K_ii) / (|a| - 1) - S(a) / |a|

(here s_i(a) counts item i itself). Finley 2009, section 4.3.3. The score never falls, whatever the signs of
K's eigenvalues; no cluster is emptied. The loss changes by the two clusters' own numbers (see
`cluster_stakes`). All s_i(c) are kept up to date, so a look at an item is O(k) and a move O(m). Ties go to
the smaller cluster; an item never moves for a tie.
"""

from typing import NamedTuple

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.structures.clusterings.kernels.loss_values import (
    NONE,
    Stake,
    joining,
    smallest_gain,
    worth,
)
from explorer.engine.vectors import Array, Ints


class Grouped(NamedTuple):
    """A clustering into k clusters with its tables; `now` is (score, part)."""

    labels: Ints
    size: Ints
    total: Array
    spread: Array
    shared: Ints  # (true clusters, k)
    sums: Array  # (k, m): s_i(c)
    now: Array


@compiled
def group_items(K: Array, k: int, stake: Stake, labels: Ints) -> Grouped:
    """The tables of a clustering; `labels` is used, not copied."""
    m = len(K)
    shape = (len(stake.sizes), k)
    g = Grouped(
        labels,
        np.zeros(k, np.int64),
        np.zeros(k),
        np.zeros(k),
        np.zeros(shape, np.int64),
        np.zeros((k, m)),
        np.zeros(2),
    )
    for i in range(m):
        c, t = labels[i], stake.truth[i]
        g.now[1] += joining(stake, t, g.shared[t, c], g.size[c], g.spread[c])
        g.spread[c] += (2.0 * g.shared[t, c] + 1.0) / stake.sizes[t]
        g.size[c] += 1
        g.shared[t, c] += 1
        g.sums[c] += K[i]
    for i in range(m):
        g.total[labels[i]] += g.sums[labels[i], i]
    g.now[0] = np.sum(g.total / g.size)
    return g


@compiled
def best_move(K: Array, stake: Stake, g: Grouped, i: int, least: float) -> tuple[int, float, float, float]:
    """The cluster that item i should go to (its own, if no gain is above `least`), the gain, and score and
    part there.
    """
    a, t, own, k = g.labels[i], stake.truth[i], K[i, i], len(g.size)
    score = g.now[0] + (g.total[a] - 2.0 * g.sums[a, i] + own) / (g.size[a] - 1) - g.total[a] / g.size[a]
    part, value = g.now[1], 0.0
    if stake.loss != NONE:
        thinner = g.spread[a] - (2.0 * g.shared[t, a] - 1.0) / stake.sizes[t]
        part -= joining(stake, t, g.shared[t, a] - 1, g.size[a] - 1, thinner)
        value = worth(stake, g.now[0], g.now[1], k)
    to, most, new_score, new_part = a, least, g.now[0], g.now[1]
    for b in range(k):
        if b != a:
            there = score + (g.total[b] + 2.0 * g.sums[b, i] + own) / (g.size[b] + 1) - g.total[b] / g.size[b]
            if stake.loss == NONE:
                parts, gain = 0.0, there - g.now[0]
            else:
                parts = part + joining(stake, t, g.shared[t, b], g.size[b], g.spread[b])
                gain = worth(stake, there, parts, k) - value
            if gain > most:
                to, most, new_score, new_part = b, gain, there, parts
    return to, most, new_score, new_part


@compiled
def move(K: Array, stake: Stake, g: Grouped, i: int, b: int) -> None:
    """Put item i into cluster b; `now` is left to the caller."""
    a, t = g.labels[i], stake.truth[i]
    g.total[a] += K[i, i] - 2.0 * g.sums[a, i]
    g.total[b] += K[i, i] + 2.0 * g.sums[b, i]
    g.spread[a] -= (2.0 * g.shared[t, a] - 1.0) / stake.sizes[t]
    g.spread[b] += (2.0 * g.shared[t, b] + 1.0) / stake.sizes[t]
    g.size[a] -= 1
    g.size[b] += 1
    g.shared[t, a] -= 1
    g.shared[t, b] += 1
    for j in range(len(K)):
        g.sums[a, j] -= K[i, j]
        g.sums[b, j] += K[i, j]
    g.labels[i] = b


@compiled
def sweep(K: Array, stake: Stake, g: Grouped, least: float, items: Ints, ends: Ints, gains: Array) -> int:
    """Visit every item once; move n writes its item, (from, to), and (gain, value after it). Returns how many
    moved.
    """
    moves = 0
    for i in range(len(K)):
        a = g.labels[i]
        if g.size[a] == 1:
            continue
        b, gain, score, part = best_move(K, stake, g, i, least)
        if b != a:
            move(K, stake, g, i, b)
            g.now[0], g.now[1] = score, part
            items[moves] = i
            ends[moves, 0], ends[moves, 1] = a, b
            gains[moves, 0], gains[moves, 1] = gain, worth(stake, score, part, len(g.size))
            moves += 1
    return moves


@compiled
def least_move(K: Array, stake: Stake) -> float:
    """The gain below which a move is taken for rounding; scores are at most m max |K|."""
    return smallest_gain(stake, len(K) * np.max(np.abs(K)))


@compiled
def settle(K: Array, k: int, stake: Stake, starts: Ints) -> tuple[int, float]:
    """From each start, sweep until nothing moves, in place; returns the first best one and its worth."""
    m, least = len(K), least_move(K, stake)
    items, ends, gains = np.empty(m, np.int64), np.empty((m, 2), np.int64), np.empty((m, 2))
    first, most = 0, -np.inf
    for n in range(len(starts)):
        g = group_items(K, k, stake, starts[n])
        while sweep(K, stake, g, least, items, ends, gains) > 0:
            pass
        value = worth(stake, g.now[0], g.now[1], k)
        if value > most:
            first, most = n, value
    return first, most
