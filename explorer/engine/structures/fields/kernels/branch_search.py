"""The best labelling of one field by branch and bound, with tree-reweighted messages as the bound.

Depth first: take a node that the messages disagree about and try its proposed state; afterwards, without that
state, go on where the search was. A subproblem is left when its bound is no better than the best labelling so
far. A state is struck out when even the bound through it, D - (the node's best - its own score), is no
better. Any messages bound any subproblem, so a child starts from those of its parent. Land and Doig 1960;
cost of a subproblem: a few sweeps of e K^2.
"""

from typing import NamedTuple

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.halting import Flag
from explorer.engine.incidence import Field, first_best
from explorer.engine.structures.fields.kernels.tree_reweighted import (
    edge_rest,
    keep,
    own_scores,
    score_of,
    sweep,
)
from explorer.engine.vectors import Array, Ints

KEPT = 64
"""Levels whose messages are kept to come back to; below, the search goes on with those it has."""
MOST_SWEEPS = 20


class Mask(NamedTuple):
    """The scores as given; which states are alive; those struck out, in order; how many are, at index 0 of
    `used`.

    A state that is struck out has `penalty` subtracted from its score, so that no labelling with it can be
    the best.
    """

    given: Array
    alive: Ints
    struck: Ints
    used: Ints
    penalty: float


@compiled
def _strike(field: Field, mask: Mask, u: int, s: int) -> None:
    field.unary[u, s] = mask.given[u, s] - mask.penalty
    mask.alive[u] -= 1
    mask.struck[mask.used[0]] = u * field.unary.shape[1] + s
    mask.used[0] += 1


@compiled
def _restore(field: Field, mask: Mask, used: int) -> None:
    """Bring back all but the first `used` states that were struck out."""
    K = field.unary.shape[1]
    while mask.used[0] > used:
        mask.used[0] -= 1
        u, s = divmod(mask.struck[mask.used[0]], K)
        field.unary[u, s] = mask.given[u, s]
        mask.alive[u] += 1


@compiled
def _is_alive(field: Field, mask: Mask, u: int, s: int) -> bool:
    return field.unary[u, s] == mask.given[u, s]


@compiled
def _bounded(
    field: Field, m: Array, found: Ints, labels: Ints, best: float, grain: float
) -> tuple[float, float]:
    """Sweeps while they help: the bound, and the best score so far, whose labelling is `labels`."""
    last, bound = np.inf, np.inf
    for k in range(MOST_SWEEPS):
        bound = sweep(field, m, found, k % 2 == 0)
        score = score_of(field, found)
        if score > best:
            best = score
            keep(found, labels)
        if bound <= best + grain:
            break
        if k % 2 == 1:
            if last - bound < 0.1 * (bound - best):
                break
            last = bound
    return bound, best


@compiled
def _strike_hopeless(field: Field, m: Array, mask: Mask, spare: float) -> None:
    """Strike out the states that cost their node more than the bound has to spare."""
    n, K = field.unary.shape
    own = np.empty(K)
    for u in range(n):
        own_scores(field, m, u, own)
        top = own[first_best(own)]
        for s in range(K):
            if mask.alive[u] > 1 and _is_alive(field, mask, u, s) and top - own[s] >= spare:
                _strike(field, mask, u, s)


@compiled
def _most_disputed(field: Field, m: Array, found: Ints, mask: Mask) -> int:
    """The undecided node that lacks most, with its edges, of the bound under the labelling found; -1 if all
    are decided.
    """
    n, K = field.unary.shape
    own, lack = np.empty(K), np.empty(n)
    for u in range(n):
        own_scores(field, m, u, own)
        lack[u] = own[first_best(own)] - own[found[u]]
    for e in range(len(field.ends)):
        a, b = field.ends[e]
        s, t = found[a], found[b]
        missing = edge_rest(field, m, e) - (field.pair[field.table[e], s, t] - m[2 * e, s] - m[2 * e + 1, t])
        lack[a] += missing
        lack[b] += missing
    chosen = -1
    for u in range(n):
        if mask.alive[u] > 1 and (chosen < 0 or lack[u] > lack[chosen]):
            chosen = u
    return chosen


@compiled
def _first_alive(field: Field, mask: Mask, u: int) -> int:
    s = 0
    while not _is_alive(field, mask, u, s):
        s += 1
    return s


@compiled
def search(given: Field, m: Array, labels: Ints, most: int, grain: float, flag: Flag) -> int:
    """Make `labels`, the best known labelling, the best there is; returns the subproblems looked at, `most` +
    1 if more, or if the flag goes up.

    Labellings that differ by less than `grain` count as equal. The messages m are a start, and lost.
    """
    n, K = given.unary.shape
    # A field whose states can be struck out, its bound, and the best labelling known.
    field = Field(given.unary.copy(), given.ends, given.table, given.pair, given.at, given.halves)
    found, best = labels.copy(), score_of(given, labels)
    bound, best = _bounded(field, m, found, labels, best, grain)
    mask = Mask(
        given.unary,
        np.full(n, K),
        np.empty(n * K, np.int64),
        np.zeros(1, np.int64),
        1.0 + 2.0 * (bound - best),
    )
    # The way down: which node was given which state, how many states were struck out before,
    # and the messages to come back to.
    node, state, used = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    kept = np.empty((min(n, KEPT), len(m), K))
    depth = 0
    for count in range(1, most + 1):
        if flag[0]:
            break
        # A subproblem that may hold something better: strike out what cannot be in it, and branch
        # on the node that the messages disagree about most.
        if bound > best + grain:
            _strike_hopeless(field, m, mask, bound - best - grain)
            u = _most_disputed(field, m, found, mask)
        else:
            u = -1
        if u >= 0:
            # Go down: only the proposed state of u stays alive.
            s = found[u] if _is_alive(field, mask, u, found[u]) else _first_alive(field, mask, u)
            node[depth], state[depth], used[depth] = u, s, mask.used[0]
            if depth < KEPT:
                for h in range(len(m)):
                    for t in range(K):
                        kept[depth, h, t] = m[h, t]
            for t in range(K):
                if t != s and _is_alive(field, mask, u, t):
                    _strike(field, mask, u, t)
            depth += 1
        else:
            # Nothing better below: go up, where that state of that node is struck out instead.
            if depth == 0:
                return count
            depth -= 1
            _restore(field, mask, used[depth])
            _strike(field, mask, node[depth], state[depth])
            if depth < KEPT:
                for h in range(len(m)):
                    for t in range(K):
                        m[h, t] = kept[depth, h, t]
        bound, best = _bounded(field, m, found, labels, best, grain)
    return most + 1
