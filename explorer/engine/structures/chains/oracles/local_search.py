"""Search in the space of whole outputs: change one label at a time, always the one that gains most.

    y <- argmax_{y' differs from y at one position} score(y'),    until no change gains anything

Doppa, Fern and Tadepalli 2014 (output-space search with one changed decision as the neighbourhood). It starts
from greedy decoding, or from every position's own best state, and never ends below its start: the score rises
with each change, so it also ends. Ties go to the first position and the smaller state. Cost of a change: one
look at every position and state.
"""

from typing import ClassVar, final

import numpy as np

from explorer.engine.contracts import Decomposes, Loss
from explorer.engine.knobs import knob, settings
from explorer.engine.pricing import Pricing
from explorer.engine.structures.chains.oracles.beam import Beam
from explorer.engine.structures.chains.oracles.viterbi import Chains, with_costs
from explorer.engine.vectors import Array, Ints

GREEDY, APART = "greedy", "apart"
LEAST = 1e-12
"""A change gains something if it gains more than this share of the scores' size."""


@final
@settings
class LocalSearch:
    """Hill climbing among whole labellings."""

    title: ClassVar[str] = "local search"
    help: ClassVar[str] = "Begins with a whole labelling and changes one label at a time while that gains."
    kind: ClassVar[str] = "under"

    start: str = knob(
        GREEDY, "Begin with greedy decoding, or every position's own best.", choices=(GREEDY, APART)
    )

    def refuses(self, loss: Loss, pricing: Pricing) -> str | None:
        """Only a loss that is a sum over positions can be added to their scores."""
        if pricing.adds_up and isinstance(loss, Decomposes):
            return None
        return "Local search adds up losses of positions; choose Hamming under margin scaling, or Viterbi."

    def work(self, length: float, states: int, loss: Loss, pricing: Pricing) -> float:
        """About how many operations one chain takes."""
        return length * length * states + 100_000.0

    def best(self, chains: Chains) -> Ints:
        """Where the climb ends, for every chain."""
        return np.concatenate([self.climb(chains.one(i))[-1] for i in range(len(chains.lengths))])

    def climb(self, chain: Chains) -> Ints:
        """Every labelling on the way from the start to the answer, one row each."""
        path = self.first(chain)
        least = LEAST * (1.0 + float(np.abs(chain.unary).sum() + np.abs(chain.trans).sum()))
        rows = [path]
        while True:
            u = local_scores(chain, path)
            gains = u - u[np.arange(len(path)), path][:, None]
            t, k = np.unravel_index(int(np.argmax(gains)), gains.shape)
            if not gains[t, k] > least:
                return np.array(rows)
            path = path.copy()
            path[t] = k
            rows.append(path)

    def first(self, chain: Chains) -> Ints:
        """The labelling to begin with."""
        if self.start == GREEDY:
            return Beam().best(chain)
        return np.argmax(chain.unary, axis=1).astype(np.int64)

    def most_violated(self, chains: Chains, truth: Ints, loss: Loss, pricing: Pricing) -> Ints:
        """The same with every position's cost added."""
        assert isinstance(loss, Decomposes)
        return self.best(with_costs(chains, truth, loss))


def local_scores(chain: Chains, path: Ints) -> Array:
    """What every state at every position adds to the score, given the labels beside it."""
    u = chain.unary.copy()
    u[1:] += chain.trans[path[:-1]]
    u[:-1] += chain.trans[:, path[1:]].T
    u[0] += chain.start
    u[-1] += chain.stop
    return u
