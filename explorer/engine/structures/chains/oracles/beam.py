"""Beam search: positions in order, of all prefixes only the best few are kept.

    B_t = the `width` best of  { (y, k) : y in B_{t-1}, k },
        score(y, k) = score(y) + trans[y_last, k] + unary[t, k]

With width 1 it is greedy decoding, the policy that search-based learners train. It never finds more than the
best labelling. Ties go to the prefix that is ahead, then to the smaller state. Cost O(T width K).
"""

from typing import ClassVar, final

import numpy as np

from explorer.engine.contracts import Decomposes, Loss
from explorer.engine.knobs import knob, settings
from explorer.engine.pricing import Pricing
from explorer.engine.structures.chains.oracles.viterbi import Chains, with_costs
from explorer.engine.vectors import Array, Ints


@final
@settings
class Beam:
    """Beam search."""

    title: ClassVar[str] = "beam search"
    help: ClassVar[str] = "Keeps the best few prefixes from left to right; width 1 is greedy decoding."
    kind: ClassVar[str] = "under"

    width: int = knob(1, "Prefixes that are kept.", low=1, high=1000)

    def refuses(self, loss: Loss, pricing: Pricing) -> str | None:
        """Only a loss that is a sum over positions can be added while going along."""
        if pricing.adds_up and isinstance(loss, Decomposes):
            return None
        return "Beam search adds up losses along the chain; choose Hamming under margin scaling, or Viterbi."

    def work(self, length: float, states: int, loss: Loss, pricing: Pricing) -> float:
        """About how many operations one chain takes: numpy's calls, for every position."""
        return length * (states * self.width + 20_000.0)

    def best(self, chains: Chains) -> Ints:
        """The best labelling in the beam, for every chain."""
        return np.concatenate([self.candidates(chains.one(i))[0][0] for i in range(len(chains.lengths))])

    def candidates(self, chain: Chains) -> tuple[Ints, Array]:
        """What is in the beam at the end, the best first, with its scores."""
        paths, scores = np.zeros((1, 0), dtype=np.int64), np.zeros(1)
        states = chain.unary.shape[1]
        for t, unary in enumerate(chain.unary):
            into = chain.start[None, :] if t == 0 else chain.trans[paths[:, -1]]
            every = (scores[:, None] + into + unary).ravel()
            if t + 1 == len(chain.unary):
                every = every + np.tile(chain.stop, len(paths))
            kept = np.argsort(-every, kind="stable")[: self.width]
            paths = np.column_stack([paths[kept // states], kept % states])
            scores = every[kept]
        return paths, scores

    def most_violated(self, chains: Chains, truth: Ints, loss: Loss, pricing: Pricing) -> Ints:
        """The same with every position's cost added."""
        assert isinstance(loss, Decomposes)
        return self.best(with_costs(chains, truth, loss))
