"""Enumeration: try every labelling. Exact for every loss and pricing, for outputs small enough to list.

On chains: K^T labellings each. The referee for all faster oracles, and the only oracle for losses that
nothing else can fold in. Ties go to the labelling that comes first when read from the last position back to
the first, the order in which Viterbi breaks them.
"""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from explorer.engine.contracts import Loss
from explorer.engine.enumeration import MOST, all_labellings
from explorer.engine.pricing import Pricing
from explorer.engine.structures.chains.oracles.viterbi import Chains
from explorer.engine.vectors import Array, Ints


@final
@dataclass(frozen=True, slots=True)
class Enumerate:
    """Every labelling in turn."""

    title: ClassVar[str] = "enumeration"
    help: ClassVar[str] = "Tries every labelling: exact for any loss, only for tiny examples."
    kind: ClassVar[str] = "exact"

    def refuses(self, loss: Loss, pricing: Pricing) -> str | None:
        """Takes any loss."""
        return None

    def work(self, length: float, states: int, loss: Loss, pricing: Pricing) -> float:
        """About how many operations the most violated labelling of one chain takes; a loss is a call of
        Python.
        """
        return (length + 1500.0) * min(float(MOST), states**length)

    def best(self, chains: Chains) -> Ints:
        """The best labelling of every chain."""
        parts = []
        for i, length in enumerate(chains.lengths):
            every = all_labellings(int(length), len(chains.trans))
            parts.append(every[int(np.argmax(score_each(chains.one(i), every)))])
        return np.concatenate(parts)

    def most_violated(self, chains: Chains, truth: Ints, loss: Loss, pricing: Pricing) -> Ints:
        """The labelling of every chain with the largest H."""
        parts = []
        for i, length in enumerate(chains.lengths):
            own = truth[chains.offsets[i] : chains.offsets[i + 1]]
            chain, every = chains.one(i), all_labellings(int(length), len(chains.trans))
            losses = np.array([loss.value(own, label) for label in every])
            margins = chain.scores(own)[0] - score_each(chain, every)
            parts.append(every[int(np.argmax(pricing.violations(margins, losses)))])
        return np.concatenate(parts)


def score_each(chain: Chains, every: Ints) -> Array:
    """The score of each of many labellings of one chain."""
    total = chain.start[every[:, 0]] + chain.stop[every[:, -1]]
    for t in range(every.shape[1]):
        total = total + chain.unary[t, every[:, t]]
        if t:
            total = total + chain.trans[every[:, t - 1], every[:, t]]
    return np.asarray(total)
