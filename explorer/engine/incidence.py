"""One field of a stack, with the edges that meet at each of its nodes as compressed rows.

    halves[at[u]] .. halves[at[u + 1] - 1]  are the half-edges that leave node u, in the order of the edges
    half-edge 2 e + d  leaves ends[e, d] and arrives at ends[e, 1 - d]

so that half-edge h belongs to edge h // 2 and its reverse is h ^ 1. Cost: one look per node and edge.
"""

from typing import NamedTuple

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.vectors import Array, Ints


class Field(NamedTuple):
    """Scores of one field, nodes numbered from 0, and the half-edges at each node."""

    unary: Array
    ends: Ints
    table: Ints
    pair: Array
    at: Ints
    halves: Ints


@compiled
def incidence(ends: Ints, at: Ints, halves: Ints) -> None:
    """Fill at (one entry more than there are nodes) and halves (two entries for each edge)."""
    at[:] = 0
    for e in range(len(ends)):
        at[ends[e, 0]] += 1
        at[ends[e, 1]] += 1
    total = 0
    for u in range(len(at)):
        total += at[u]
        at[u] = total
    # Filled from the last edge back: every row's end moves down to its beginning.
    for h in range(2 * len(ends) - 1, -1, -1):
        u = ends[h >> 1, h & 1]
        at[u] -= 1
        halves[at[u]] = h


@compiled
def scratch(nodes: Ints, edges: Ints, lo: int, hi: int) -> tuple[Ints, Ints]:
    """Memory for at and halves of the largest of fields lo .. hi - 1."""
    m, e = 0, 0
    for i in range(lo, hi):
        m = max(m, nodes[i + 1] - nodes[i])
        e = max(e, edges[i + 1] - edges[i])
    return np.empty(m + 1, np.int64), np.empty(2 * e, np.int64)


@compiled
def field_at(
    i: int,
    unary: Array,
    nodes: Ints,
    ends: Ints,
    edges: Ints,
    table: Ints,
    pair: Array,
    at: Ints,
    halves: Ints,
) -> Field:
    """Field i; its rows of half-edges are written to the beginning of at and halves."""
    a, b, c, d = nodes[i], nodes[i + 1], edges[i], edges[i + 1]
    own_at, own_halves = at[: b - a + 1], halves[: 2 * (d - c)]
    incidence(ends[c:d], own_at, own_halves)
    return Field(unary[a:b], ends[c:d], table[c:d], pair, own_at, own_halves)


@compiled
def pair_score(field: Field, h: int, leaving: int, arriving: int) -> float:
    """What the edge of half-edge h scores when h leaves a node in one state and arrives at one in another."""
    if h & 1:
        return float(field.pair[field.table[h >> 1], arriving, leaving])
    return float(field.pair[field.table[h >> 1], leaving, arriving])


@compiled
def first_best(scores: Array) -> int:
    """The first state of the largest score."""
    found = 0
    for s in range(1, len(scores)):
        if scores[s] > scores[found]:
            found = s
    return found
