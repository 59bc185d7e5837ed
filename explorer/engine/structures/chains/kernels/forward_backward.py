"""Log partition function and marginals of a chain: the log-sum-exp twin of Viterbi.

    log Z = log sum_y exp(score(y)),        p(y) = exp(score(y) - log Z)
    alpha[t, s] = unary[t, s] + log sum_a exp(alpha[t-1, a] + trans[a, s]),        alpha[0] = start + unary[0]
    beta[t, s]  = log sum_b exp(trans[s, b] + unary[t+1, b] + beta[t+1, b]),       beta[T-1] = stop
    log Z = log sum_s exp(alpha[T-1, s] + stop[s])
    p(y_t = s) = exp(alpha[t, s] + beta[t, s] - log Z)
    p(y_t = a, y_{t+1} = b) = exp(alpha[t, a] + trans[a, b] + unary[t+1, b] + beta[t+1, b] - log Z)

Source: Rabiner, "A tutorial on hidden Markov models" (1989), sections III.A and III.B, in the log domain;
named beside Viterbi in the degree thesis, section 2.2. Cost O(T K^2) exponentials. `expect_chains` does so
for many chains below each other, and keeps of the edges only the sum over each chain, which is what features
count.

Every sum is shifted by its own largest term, so that scores of any size and forbidden moves (-inf) are safe.
If all paths are forbidden, log Z = -inf and all marginals are 0. For an inverse temperature the caller
multiplies all scores by it.
"""

import math

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.structures.chains.kernels.viterbi import max_step
from explorer.engine.vectors import Array, Ints


@compiled
def _sum_step(prev: Array, trans: Array, peak: Array, out: Array) -> None:
    """Set out[b] = log sum_a exp(prev[a] + trans[a, b]); `peak` is work space."""
    states = prev.shape[0]
    max_step(prev, trans, peak)
    for b in range(states):
        out[b] = 0.0
        # -inf - -inf would be NaN; shifted by 0 instead, every term is exp(-inf) = 0
        if peak[b] == -np.inf:
            peak[b] = 0.0
    for a in range(states):
        for b in range(states):
            out[b] += math.exp(prev[a] + trans[a, b] - peak[b])
    for b in range(states):
        out[b] = peak[b] + math.log(out[b]) if out[b] > 0.0 else -np.inf


@compiled
def _log_sum(x: Array, y: Array) -> float:
    """log sum_s exp(x[s] + y[s])."""
    peak = np.max(x + y)
    if peak == -np.inf:
        return -np.inf
    total = 0.0
    for s in range(x.shape[0]):
        total += math.exp(x[s] + y[s] - peak)
    return float(peak + math.log(total))


@compiled
def log_partition(unary: Array, trans: Array, start: Array, stop: Array, alpha_out: Array) -> float:
    """Return log Z and fill alpha_out (T x K), which does not contain `stop`."""
    length = unary.shape[0]
    if length == 0:
        return 0.0
    peak = np.empty_like(start)
    alpha_out[0] = start + unary[0]
    for t in range(1, length):
        _sum_step(alpha_out[t - 1], trans, peak, alpha_out[t])
        alpha_out[t] += unary[t]
    return _log_sum(alpha_out[length - 1], stop)


@compiled
def _edge(left: Array, trans: Array, right: Array, log_z: float, out: Array) -> None:
    for a in range(left.shape[0]):
        for b in range(right.shape[0]):
            out[a, b] = math.exp(left[a] + trans[a, b] + right[b] - log_z)


@compiled
def marginals(
    unary: Array, trans: Array, start: Array, stop: Array, node_out: Array, edge_out: Array
) -> float:
    """Return log Z; fill node_out[t, s] = p(y_t = s) and edge_out[t, a, b] = p(y_t = a, y_{t+1} = b)."""
    length = unary.shape[0]
    alpha = np.empty(unary.shape)
    log_z = log_partition(unary, trans, start, stop, alpha)
    if log_z == -np.inf:
        node_out[:] = 0.0
        edge_out[:] = 0.0
        return log_z
    back = np.ascontiguousarray(trans.T)
    beta, right, peak = stop.copy(), np.empty_like(stop), np.empty_like(stop)
    for t in range(length - 1, -1, -1):
        node_out[t] = np.exp(alpha[t] + beta - log_z)
        right[:] = unary[t] + beta
        if t > 0:
            _edge(alpha[t - 1], trans, right, log_z, edge_out[t - 1])
            _sum_step(right, back, peak, beta)
    return log_z


@compiled
def expect_chains(
    unary: Array,
    offsets: Ints,
    trans: Array,
    start: Array,
    stop: Array,
    first: int,
    last: int,
    log_z: Array,
    node: Array,
    edge: Array,
) -> None:
    """Of chains first .. last - 1 fill log_z, the marginals of their rows in `node`, and the sums of edge
    marginals.
    """
    states = unary.shape[1]
    for i in range(first, last):
        lo, hi = offsets[i], offsets[i + 1]
        pairs = np.empty((max(hi - lo - 1, 0), states, states))
        log_z[i] = marginals(unary[lo:hi], trans, start, stop, node[lo:hi], pairs)
        edge[i] = 0.0
        for t in range(pairs.shape[0]):
            edge[i] += pairs[t]
