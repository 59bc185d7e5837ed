"""Heads for the tokens of stacked sentences: the best tree, and the best head of every token by itself.

    max over trees of  sum_d S[head(d), d],
        S of sentence i lies in scores[cells[i]:] as (m + 1) rows of m

Maximum arborescence by Chu and Liu 1965 and Edmonds 1967: every node takes its best edge; a circle is
contracted into one node, whose incoming edges are priced by what they gain over the edge they replace; at the
end circles are opened again, the last one first. Pfahler 2015, section 6.2.2. Written with a stack of
contractions, without recursion. Of equal edges that from the smallest head is taken. Cost: O(m^2) for each
circle, so O(m^3) at most; best heads O(m^2).
"""

import numpy as np
from numpy.typing import NDArray

from explorer.engine.compiled import compiled
from explorer.engine.vectors import Array, Ints

Flags = NDArray[np.bool_]


@compiled
def best_heads(scores: Array, cells: Ints, places: Ints, lo: int, hi: int, heads: Ints) -> None:
    """Every token of sentences lo .. hi - 1 takes its best head: no tree, where heads run in a circle."""
    for i in range(lo, hi):
        m, at = places[i + 1] - places[i], cells[i]
        for d in range(1, m + 1):
            best = 0
            for h in range(1, m + 1):
                if h != d and scores[at + h * m + d - 1] > scores[at + best * m + d - 1]:
                    best = h
            heads[places[i] + d - 1] = best


@compiled
def best_arborescences(scores: Array, cells: Ints, places: Ints, lo: int, hi: int, heads: Ints) -> None:
    """The best tree of sentences lo .. hi - 1."""
    for i in range(lo, hi):
        m = places[i + 1] - places[i]
        arborescence(scores[cells[i] : cells[i + 1]], m, heads[places[i] : places[i + 1]])


@compiled
def arborescence(scores: Array, m: int, heads: Ints) -> None:
    """The best tree of one sentence, written to `heads`."""
    # Each circle becomes a node of its own: at most m - 1 of them beside m + 1.
    most = 2 * m + 1
    weight = np.full((most, most), -np.inf)
    for h in range(m + 1):
        for d in range(1, m + 1):
            if h != d:
                weight[h, d] = scores[h * m + d - 1]
    live = np.zeros(most, dtype=np.bool_)
    live[: m + 1] = True
    into = np.zeros(most, dtype=np.int64)  # the node from which a node's edge comes
    enters = np.zeros((most, most), dtype=np.int64)  # [u, c]: where in the circle c the edge from u ends
    leaves = np.zeros((most, most), dtype=np.int64)  # [c, u]: where in the circle c the edge to u begins
    circle = np.zeros((most, most), dtype=np.bool_)
    # Best edges, and as long as there is a circle, contract it and choose again.
    count = m + 1
    take_best(weight, live, into, count)
    size = find_circle(into, live, count, circle[count - 1])
    while size > 0:
        contract(weight, live, into, enters, leaves, circle[count - 1], count)
        count += 1
        take_best(weight, live, into, count)
        size = find_circle(into, live, count, circle[count - 1])
    # Open the circles, the last one first: edges out of one begin at a member again, and the edge
    # into it replaces that of the member where it ends.
    for c in range(count - 1, m, -1):
        live[c] = False
        members = circle[c - 1]
        for u in range(c):
            live[u] = live[u] or members[u]
        for u in range(c):
            if live[u] and not members[u] and into[u] == c:
                into[u] = leaves[c, u]
        into[enters[into[c], c]] = into[c]
    heads[:] = into[1 : m + 1]


@compiled
def take_best(weight: Array, live: Flags, into: Ints, count: int) -> None:
    """Every live node but the root takes its best edge."""
    for v in range(1, count):
        if live[v]:
            best = -1
            for u in range(count):
                if live[u] and u != v and (best < 0 or weight[u, v] > weight[best, v]):
                    best = u
            into[v] = best


@compiled
def find_circle(into: Ints, live: Flags, count: int, members: Flags) -> int:
    """Mark the first circle of edges; returns its size, 0 where there is none."""
    seen = np.zeros(count, dtype=np.int64)
    for start in range(1, count):
        if not live[start]:
            continue
        at = start
        while at != 0 and seen[at] == 0:
            seen[at] = start
            at = into[at]
        if at != 0 and seen[at] == start:
            members[:] = False
            size = 0
            while not members[at]:
                members[at] = True
                size += 1
                at = into[at]
            return size
    return 0


@compiled
def contract(
    weight: Array, live: Flags, into: Ints, enters: Ints, leaves: Ints, members: Flags, c: int
) -> None:
    """Make node c of the members of a circle: an edge into it is worth what it gains over the edge that it
    replaces.
    """
    for v in range(c):
        if members[v]:
            live[v] = False
    for u in range(c):
        if not live[u]:
            continue
        inward, outward = -1, -1
        for v in range(c):
            if members[v]:
                gain = weight[u, v] - weight[into[v], v]
                if inward < 0 or gain > weight[u, c]:
                    inward, weight[u, c] = v, gain
                if outward < 0 or weight[v, u] > weight[c, u]:
                    outward, weight[c, u] = v, weight[v, u]
        enters[u, c], leaves[c, u] = inward, outward
    live[c] = True
