"""Local search on fields: change one node at a time while that raises the score.

    local[u, s] = unary[u, s] + sum over edges (u, v) of pair[s, y_v]
        node u in state s, its neighbours as they are
    gain[u, s]  = local[u, s] - local[u, y_u]

`climb` makes the change of the largest gain of all nodes and states (greedy search, Finley 2009, section
5.3.1) and updates only the neighbours of the node that moved: O(m + degree K) for a move. `icm` goes through
the nodes in order and gives each its best state (iterated conditional modes, Besag 1986): O((m + e) K) for a
sweep. Both end where no single change raises the score. Ties go to the smaller node, then to the smaller
state; a node never moves for a tie.

A gain counts when it is above GRAIN times the size of the numbers that it is a difference of: sums in another
order differ by less, so that rounding cannot send the search in circles.
"""

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.incidence import Field, field_at, first_best, pair_score, scratch
from explorer.engine.vectors import Array, Ints

GRAIN = 1e-12


@compiled
def smallest_gain(field: Field) -> float:
    """GRAIN times (the largest unary score + the largest degree times the largest pairwise score), in
    size.
    """
    own, joint, degree = 0.0, 0.0, 0
    for u in range(len(field.unary)):
        degree = max(degree, field.at[u + 1] - field.at[u])
        for score in field.unary[u]:
            own = max(own, abs(score))
    for t in field.table:
        for score in field.pair[t].flat:
            joint = max(joint, abs(score))
    return GRAIN * (own + degree * joint)


@compiled
def local_scores(field: Field, labels: Ints, u: int, out: Array) -> None:
    """out[s] = local[u, s]."""
    out[:] = field.unary[u]
    for k in range(field.at[u], field.at[u + 1]):
        h = field.halves[k]
        state = labels[field.ends[h >> 1, 1 - (h & 1)]]
        for s in range(len(out)):
            out[s] += pair_score(field, h, s, state)


@compiled
def _follow(field: Field, mover: int, old: int, new: int, local: Array, to: Ints) -> None:
    """Bring the rows of the neighbours of a node that moved up to date."""
    for k in range(field.at[mover], field.at[mover + 1]):
        h = field.halves[k]
        v = field.ends[h >> 1, 1 - (h & 1)]
        for s in range(local.shape[1]):
            local[v, s] += pair_score(field, h, new, s) - pair_score(field, h, old, s)
        to[v] = first_best(local[v])


@compiled
def climb(field: Field, most: int, labels: Ints) -> int:
    """Make the best changes one by one, at most `most` of them (any number if below 0); returns how many."""
    local, to = np.empty_like(field.unary), np.empty(len(field.unary), np.int64)
    for u in range(len(to)):
        local_scores(field, labels, u, local[u])
        to[u] = first_best(local[u])
    least, moves = smallest_gain(field), 0
    while moves != most:
        best, mover = least, -1
        for u in range(len(to)):
            gain = local[u, to[u]] - local[u, labels[u]]
            if gain > best:
                best, mover = gain, u
        if mover < 0:
            break
        old, labels[mover] = labels[mover], to[mover]
        _follow(field, mover, old, to[mover], local, to)
        moves += 1
    return moves


@compiled
def icm(field: Field, labels: Ints) -> int:
    """Give every node its best state in turn until a sweep changes nothing; returns the number of sweeps."""
    here, least = np.empty(field.unary.shape[1]), smallest_gain(field)
    sweeps, changed = 0, True
    while changed:
        changed = False
        for u in range(len(labels)):
            local_scores(field, labels, u, here)
            found = first_best(here)
            if here[found] - here[labels[u]] > least:
                labels[u] = found
                changed = True
        sweeps += 1
    return sweeps


@compiled
def climb_all(
    unary: Array,
    nodes: Ints,
    ends: Ints,
    edges: Ints,
    table: Ints,
    pair: Array,
    lo: int,
    hi: int,
    labels: Ints,
) -> None:
    """Greedy search from the labels given, on the stacked fields lo .. hi - 1."""
    at, halves = scratch(nodes, edges, lo, hi)
    for i in range(lo, hi):
        field = field_at(i, unary, nodes, ends, edges, table, pair, at, halves)
        climb(field, -1, labels[nodes[i] : nodes[i + 1]])


@compiled
def icm_all(
    unary: Array,
    nodes: Ints,
    ends: Ints,
    edges: Ints,
    table: Ints,
    pair: Array,
    lo: int,
    hi: int,
    labels: Ints,
) -> None:
    """Iterated conditional modes from the labels given, on the stacked fields lo .. hi - 1."""
    at, halves = scratch(nodes, edges, lo, hi)
    for i in range(lo, hi):
        field = field_at(i, unary, nodes, ends, edges, table, pair, at, halves)
        icm(field, labels[nodes[i] : nodes[i + 1]])
