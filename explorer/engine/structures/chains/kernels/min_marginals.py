"""The best score through every state at every position.

    out[t, s]   = max { score(y) : y_t = s } = chi[t, s] + omega[t, s]
    chi[t, s]   = unary[t, s] + max_a (chi[t-1, a] + trans[a, s])         prefix up to t, as in `viterbi`
    omega[t, s] = max_b (trans[s, b] + unary[t+1, b] + omega[t+1, b])     suffix after t; omega[T-1] = stop

Every row has the same maximum, the best score of all. On energies (minus the scores) these are the
min-marginals; the difference between a row's maximum and an entry is the price of forcing that state. Source:
max-product on a chain, Wainwright and Jordan, "Graphical models, exponential families, and variational
inference" (2008), section 8. Cost O(T K^2) time. -inf where every path through the state is forbidden.
"""

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.structures.chains.kernels.viterbi import max_step, prefix_scores
from explorer.engine.vectors import Array


@compiled
def max_marginals(unary: Array, trans: Array, start: Array, stop: Array, out: Array) -> None:
    """Set out[t, s] to the score of the best path through state s at position t; out must not be unary."""
    length = unary.shape[0]
    if length == 0:
        return
    prefix_scores(unary, 0, length, trans, start, out)
    back = np.ascontiguousarray(trans.T)
    omega = stop.copy()
    after = np.empty_like(stop)
    for t in range(length - 1, -1, -1):
        after[:] = unary[t] + omega
        out[t] += omega
        max_step(after, back, omega)
