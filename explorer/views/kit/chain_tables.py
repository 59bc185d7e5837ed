"""What views of sequences ask of one chain: truth, prediction, most tempting labelling, Viterbi's tables.

chi[t, s]   = unary[t, s] + max_a (chi[t-1, a] + trans[a, s]),   zeta[t, s] = the a that attains it
price[t, s] = max { score(y) : y_t = s } - max_y score(y)       the min-marginal: 0 on the best path
"""

from typing import NamedTuple

import numpy as np

from explorer.engine.structures.chains.kernels.min_marginals import max_marginals
from explorer.engine.structures.chains.kernels.viterbi import viterbi_tables
from explorer.engine.structures.chains.oracles.viterbi import Chains
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.vectors import Array, Ints


class Labellings(NamedTuple):
    """Three labellings of one example."""

    truth: Ints
    guess: Ints
    rival: Ints


def labellings(problem: Chain, i: int, scores: Chains) -> Labellings:
    """The truth of example i, and what predictor and oracle answer to these scores."""
    truth = np.asarray(problem.dataset.labels[i], dtype=np.int64)
    rival = problem.separator.most_violated(scores, truth, problem.delta, problem.pricing)
    return Labellings(truth, problem.predictor.best(scores), rival)


def tables(chains: Chains) -> tuple[Array, Ints, Array]:
    """chi, zeta and price."""
    chi, zeta = np.empty(chains.unary.shape), np.empty(chains.unary.shape, dtype=np.int64)
    through = np.empty(chains.unary.shape)
    best = viterbi_tables(chains.unary, chains.trans, chains.start, chains.stop, chi, zeta)
    max_marginals(chains.unary, chains.trans, chains.start, chains.stop, through)
    return chi, zeta, np.minimum(through - best, 0.0)
