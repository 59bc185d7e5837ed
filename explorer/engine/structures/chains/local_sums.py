"""Sums over the labels of single positions or terms of many chains, and labellings drawn near the truth.

    conditionals    cost_i = sum_t [ log sum_k exp u_t(k) - u_t(y_t) ],
                    u_t(k) = unary[t, k] + trans[y_{t-1}, k] + trans[k, y_{t+1}]
    pieces          cost_i = sum of [ log sum exp - value in the truth ] over unary rows, transitions, ends

What pseudo-likelihood, piecewise training and contrastive divergence ask for. The gradient of each is
expected minus true features under the same local distributions. Cost: one look at every term.
"""

import numpy as np

from explorer.engine.structures.chains.kernels.gibbs import gibbs_sweep
from explorer.engine.structures.chains.oracles.viterbi import Chains
from explorer.engine.vectors import Array, Ints


def softmax(u: Array) -> tuple[Array, Array]:
    """log sum exp of every row, and the shares."""
    peak = u.max(axis=-1, keepdims=True)
    e = np.exp(u - peak)
    total = e.sum(axis=-1, keepdims=True)
    return (peak + np.log(total))[..., 0], e / total


def members(path: Ints, states: int) -> Array:
    """A one at each position's label."""
    out = np.zeros((len(path), states))
    out[np.arange(len(path)), path] = 1.0
    return out


def neighbours(chains: Chains) -> tuple[Ints, Ints]:
    """Positions that have one before them, and positions that have one after them."""
    inner = np.ones(len(chains.unary), dtype=bool)
    inner[chains.offsets[:-1]] = False
    after = np.ones(len(chains.unary), dtype=bool)
    after[chains.offsets[1:] - 1] = False
    return np.flatnonzero(inner), np.flatnonzero(after)


def conditional_costs(chains: Chains, truth: Ints) -> tuple[Array, Array, list[Array]]:
    """Each chain's cost, expected minus true labels of every position, and of transitions, start and stop."""
    K, (has_before, has_after) = chains.unary.shape[1], neighbours(chains)
    first, last = chains.offsets[:-1], chains.offsets[1:] - 1
    u = chains.unary.copy()
    u[has_before] += chains.trans[truth[has_before - 1]]
    u[has_after] += chains.trans[:, truth[has_after + 1]].T
    u[first] += chains.start
    u[last] += chains.stop
    log_sum, shares = softmax(u)
    cost = log_sum - u[np.arange(len(u)), truth]
    off, true = shares - members(truth, K), members(truth, K)
    trans = true[has_before - 1].T @ off[has_before] + off[has_after].T @ true[has_after + 1]
    costs = np.add.reduceat(cost, first)
    return costs, off, [trans, off[first].sum(axis=0), off[last].sum(axis=0)]


def piece_costs(chains: Chains, truth: Ints, ends: bool) -> tuple[Array, Array, list[Array]]:
    """The same when every unary row, transition and end is normalised by itself."""
    K, (has_before, _) = chains.unary.shape[1], neighbours(chains)
    first, last = chains.offsets[:-1], chains.offsets[1:] - 1
    log_sum, shares = softmax(chains.unary)
    cost = log_sum - chains.unary[np.arange(len(truth)), truth]
    off, true = shares - members(truth, K), members(truth, K)
    whole, pairs = softmax(chains.trans.ravel())
    cost[has_before] += whole - chains.trans[truth[has_before - 1], truth[has_before]]
    seen = true[has_before - 1].T @ true[has_before]
    tail = [len(has_before) * pairs.reshape(K, K) - seen]
    for at, weights in ((first, chains.start), (last, chains.stop)):
        total, share = softmax(weights)
        if ends:
            cost[at] += total - weights[truth[at]]
        tail.append(len(at) * share - true[at].sum(axis=0))
    return np.add.reduceat(cost, first), off, tail


def draw_paths(chains: Chains, truth: Ints, sweeps: int, rng: np.random.Generator) -> Ints:
    """One labelling for every chain, after this many sweeps from the truth."""
    paths = np.array(truth, dtype=np.int64)
    scores = chains.unary, chains.offsets, chains.trans, chains.start, chains.stop
    for _ in range(sweeps):
        gibbs_sweep(*scores, paths, rng.random(len(paths)))
    return paths
