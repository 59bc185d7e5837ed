"""What a clustering is worth, in numbers that change by a few operations when an item moves or two clusters
merge.

    shared[t, c]  items that true cluster t and cluster c have in common, size[c] = sum_t shared[t, c]

    pairwise    part = sum_c C(size[c], 2) - 2 sum_{t, c} C(shared[t, c], 2)
        loss = 100 (pairs of the truth + part) / C(m, 2)
    MITRE       part = pairs (t, c) with items in common
        loss = 100 (1 - 2 (m - part) / (2 m - |y| - |z|))
    normalised  part = sum_c spread[c] / size[c]                               loss = 100 (1 - part / |y|)
                spread[c] = sum_t shared[t, c]^2 / |t|

for a truth y with |y| clusters t and a clustering z with |z| clusters c. The worth is H = r - u (true score -
score) with r = loss or its square root, u = 1 or r (Finley 2009, section 2.1.2); without a loss it is the
score.
"""

from typing import NamedTuple

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.vectors import Ints

NONE, PAIRWISE, MITRE, NORMALISED = 0, 1, 2, 3

GRAIN = 1e-12
"""Gains smaller than this share of the numbers they are differences of are taken for rounding."""

ROUNDED = 1e-10
"""Losses, in per cent, of which no square root is taken: one item in the wrong place costs more than 100 /
m^2.
"""


class Stake(NamedTuple):
    """A loss by its number, the truth, its clusters' sizes and score, and how loss and score are put
    together.
    """

    loss: int
    truth: Ints
    sizes: Ints
    score: float
    slack: bool
    squared: bool


@compiled
def loss_from(stake: Stake, part: float, clusters: int) -> float:
    """The loss of a clustering with this many clusters."""
    m = len(stake.truth)
    if stake.loss == PAIRWISE:
        pairs = 0.0
        for size in stake.sizes:
            pairs += 0.5 * size * (size - 1)
        return 100.0 * (pairs + part) / max(0.5 * m * (m - 1), 1.0)
    if stake.loss == MITRE:
        most = 2 * m - len(stake.sizes) - clusters
        return 100.0 * (1.0 - 2.0 * (m - part) / most) if most > 0 else 0.0
    return max(0.0, 100.0 * (1.0 - part / len(stake.sizes)))


@compiled
def price(slack: bool, squared: bool, margin: float, loss: float) -> float:
    """H of a margin and a loss."""
    r = loss
    if squared:
        r = np.sqrt(loss) if loss > ROUNDED else 0.0
    return r * (1.0 - margin) if slack else r - margin


@compiled
def worth(stake: Stake, score: float, part: float, clusters: int) -> float:
    """H of a clustering, or its score where no loss takes part."""
    if stake.loss == NONE:
        return score
    return price(stake.slack, stake.squared, stake.score - score, loss_from(stake, part, clusters))


@compiled
def joining(stake: Stake, t: int, shared: int, size: int, spread: float) -> float:
    """What the part gains when an item of true cluster t joins a cluster that is so far as described."""
    if stake.loss == PAIRWISE:
        return size - 2.0 * shared
    if stake.loss == MITRE:
        return 1.0 if shared == 0 else 0.0
    if stake.loss == NORMALISED:
        before = spread / size if size > 0 else 0.0
        return (spread + (2.0 * shared + 1.0) / stake.sizes[t]) / (size + 1) - before
    return 0.0


@compiled
def smallest_gain(stake: Stake, size: float) -> float:
    """GRAIN times the size of H, for scores of this size."""
    if stake.loss == NONE:
        return GRAIN * size
    if stake.slack:
        return GRAIN * 100.0 * (1.0 + size + abs(stake.score))
    return GRAIN * (100.0 + size)
