"""Upper bounds on the best score of a field by sequential tree-reweighted messages, and labellings read off
them.

    D(m) = sum_u max_s ( unary[u, s] + sum over half-edges h that leave u of m[h, s] )
         + sum_e max_st ( pair_e[s, t] - m[2 e, s] - m[2 e + 1, t] )
             >= score of every y

For any messages m the two sums score every labelling the same (a reparameterisation), so D is a bound; its
minimum is the optimum of the local-polytope program. A sweep goes through the nodes in order: a node takes
from its edges to earlier nodes all that they hold, and gives to each edge to a later node the share 1 /
max(earlier, later) of what it has. Sweeps in turn upwards and downwards never raise D, and often end at its
minimum (Kolmogorov 2006, TRW-S, as in Kolmogorov 2015, algorithm 1). While it goes, a sweep labels every node
by its best state given the earlier labels. Cost of a sweep: e K^2.
"""

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.incidence import Field, first_best
from explorer.engine.vectors import Array, Ints


@compiled
def collect(pair: Array, table: int, m: Array, h: int) -> None:
    """Give the node that half-edge h leaves all that its edge holds: afterwards each of its states has the
    rest 0.
    """
    back, K = h ^ 1, m.shape[1]
    for s in range(K):
        best = -np.inf
        if h & 1:
            for t in range(K):
                if pair[table, t, s] - m[back, t] > best:
                    best = pair[table, t, s] - m[back, t]
        else:
            for t in range(K):
                if pair[table, s, t] - m[back, t] > best:
                    best = pair[table, s, t] - m[back, t]
        m[h, s] = best


@compiled
def sweep(field: Field, m: Array, labels: Ints, upwards: bool) -> float:
    """One turn of every node, in place; returns D up to rounding. Best in turns, upwards and downwards."""
    # One function, and no rows taken out of arrays: with calls and views it takes twice as long.
    unary, ends, table, pair, at, halves = field
    n, K = unary.shape
    total, given = np.empty(K), np.empty(K)
    bound = 0.0
    for j in range(n):
        u = j if upwards else n - 1 - j
        earlier, later = 0, 0
        # Collect all that the edges to earlier nodes hold; `given` is the score given their labels.
        for s in range(K):
            total[s] = given[s] = unary[u, s]
        for k in range(at[u], at[u + 1]):
            h = halves[k]
            v = ends[h >> 1, 1 - (h & 1)]
            if (v < u) == upwards:
                earlier += 1
                collect(pair, table[h >> 1], m, h)
                for s in range(K):
                    given[s] += (
                        pair[table[h >> 1], labels[v], s] if h & 1 else pair[table[h >> 1], s, labels[v]]
                    )
            else:
                later += 1
                for s in range(K):
                    given[s] += m[h, s]
            for s in range(K):
                total[s] += m[h, s]
        # Label the node, and share out what it has over the edges to later nodes.
        labels[u] = first_best(given)
        share = 1.0 / max(earlier, later, 1)
        for k in range(at[u], at[u + 1]):
            h = halves[k]
            if (ends[h >> 1, 1 - (h & 1)] < u) != upwards:
                for s in range(K):
                    m[h, s] -= share * total[s]
        # What it keeps is its part of the bound.
        bound += (1.0 - later * share) * total[first_best(total)]
    return bound


@compiled
def own_scores(field: Field, m: Array, u: int, out: Array) -> None:
    """out[s] = unary[u, s] and all messages to u."""
    for s in range(len(out)):
        out[s] = field.unary[u, s]
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
        bound += own[first_best(own)]
    for e in range(len(field.ends)):
        bound += edge_rest(field, m, e)
    return bound


@compiled
def keep(labels: Ints, out: Ints) -> None:
    """out = labels; an assignment of whole arrays takes seconds to compile, for the sake of its error
    message.
    """
    for u in range(len(labels)):
        out[u] = labels[u]


@compiled
def score_of(field: Field, labels: Ints) -> float:
    """The score of one labelling."""
    total = 0.0
    for u in range(len(field.unary)):
        total += field.unary[u, labels[u]]
    for e in range(len(field.ends)):
        total += field.pair[field.table[e], labels[field.ends[e, 0]], labels[field.ends[e, 1]]]
    return total
