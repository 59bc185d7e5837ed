"""Upper bounds on the best score of a field by sequential tree-reweighted messages, and labellings read off them.

    D(m) = sum_u max_s ( unary[u, s] + sum over half-edges h that leave u of m[h, s] )
         + sum_e max_st ( pair_e[s, t] - m[2 e, s] - m[2 e + 1, t] )                                     >= score of every y

For any messages m the two sums score every labelling the same (a reparameterisation), so D is a bound; its minimum is the
optimum of the local-polytope program. A sweep goes through the nodes in order: a node takes from its edges to earlier
nodes all that they hold, and gives to each edge to a later node the share 1 / max(earlier, later) of what it has.
Sweeps in turn upwards and downwards never raise D, and often end at its minimum (Kolmogorov 2006, TRW-S, as in Kolmogorov 2015,
algorithm 1). While it goes, a sweep labels every node by its best state given the earlier labels. Cost of a sweep: e K^2.
"""

import numpy as np

from explorer.engine.kernels.compiled import compiled
from explorer.engine.kernels.incidence import Field, first_best, pair_score
from explorer.engine.vectors import Array, Ints


@compiled
def collect(field: Field, m: Array, h: int) -> None:
    """Give the node that half-edge h leaves all that its edge holds: afterwards each of its states has the rest 0."""
    table = field.pair[field.table[h >> 1]]
    K, back = len(table), m[h ^ 1]
    for s in range(K):
        best = -np.inf
        if h & 1:
            for t in range(K):
                best = max(best, table[t, s] - back[t])
        else:
            for t in range(K):
                best = max(best, table[s, t] - back[t])
        m[h, s] = best


@compiled
def _visit(field: Field, m: Array, labels: Ints, u: int, upwards: bool, total: Array, given: Array) -> float:
    """Node u's turn; returns what stays at it."""
    total[:] = field.unary[u]
    given[:] = field.unary[u]
    earlier, later = 0, 0
    for k in range(field.at[u], field.at[u + 1]):
        h = field.halves[k]
        v = field.ends[h >> 1, 1 - (h & 1)]
        if (v < u) == upwards:
            earlier += 1
            collect(field, m, h)
            for s in range(len(total)):
                total[s] += m[h, s]
                given[s] += pair_score(field, h, s, labels[v])
        else:
            later += 1
            for s in range(len(total)):
                total[s] += m[h, s]
                given[s] += m[h, s]
    labels[u] = first_best(given)
    share = 1.0 / max(earlier, later, 1)
    for k in range(field.at[u], field.at[u + 1]):
        h = field.halves[k]
        if (field.ends[h >> 1, 1 - (h & 1)] < u) != upwards:
            for s in range(len(total)):
                m[h, s] -= share * total[s]
    return (1.0 - later * share) * float(np.max(total))


@compiled
def sweep(field: Field, m: Array, labels: Ints, upwards: bool) -> float:
    """One turn of every node, in place; returns D up to rounding, if the last sweep went the other way."""
    n, K = field.unary.shape
    total, given = np.empty(K), np.empty(K)
    bound = 0.0
    for j in range(n):
        bound += _visit(field, m, labels, j if upwards else n - 1 - j, upwards, total, given)
    return bound


@compiled
def own_scores(field: Field, m: Array, u: int, out: Array) -> None:
    """out[s] = unary[u, s] and all messages to u."""
    out[:] = field.unary[u]
    for k in range(field.at[u], field.at[u + 1]):
        for s in range(len(out)):
            out[s] += m[field.halves[k], s]


@compiled
def edge_rest(field: Field, m: Array, e: int) -> float:
    """max_st pair_e[s, t] - m[2 e, s] - m[2 e + 1, t]."""
    table, best = field.pair[field.table[e]], -np.inf
    for s in range(len(table)):
        for t in range(len(table)):
            best = max(best, table[s, t] - m[2 * e, s] - m[2 * e + 1, t])
    return best


@compiled
def dual_bound(field: Field, m: Array) -> float:
    """D(m), from its definition."""
    n, K = field.unary.shape
    own, bound = np.empty(K), 0.0
    for u in range(n):
        own_scores(field, m, u, own)
        bound += np.max(own)
    for e in range(len(field.ends)):
        bound += edge_rest(field, m, e)
    return bound


@compiled
def score_of(field: Field, labels: Ints) -> float:
    """The score of one labelling."""
    total = 0.0
    for u in range(len(field.unary)):
        total += field.unary[u, labels[u]]
    for e in range(len(field.ends)):
        total += field.pair[field.table[e], labels[field.ends[e, 0]], labels[field.ends[e, 1]]]
    return total
