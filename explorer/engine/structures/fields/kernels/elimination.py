"""In which order to eliminate the nodes of a graph, and which pairs of nodes that joins.

Eliminating a node joins all its neighbours to each other: that is where a Cholesky factor of a matrix with
the graph's pattern has entries. Taking a node of smallest degree each time keeps them few (minimum degree, on
the quotient graph of George and Liu 1989: an eliminated node stands for the clique that it left behind, and
swallows the older cliques it was in). On an n-node grid the factor has O(n log n) blocks. Ties go to the node
whose degree changed last.
"""

from typing import NamedTuple

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.vectors import Ints


class Pattern(NamedTuple):
    """Where a factor has blocks: column order[j]'s rows are rows[start[j]] .. rows[start[j + 1] - 1], nodes
    by number.

    `rank` is the inverse of `order`; edge e belongs to the column of its earlier end, at entry place[e] of
    `rows`.
    """

    order: Ints
    rank: Ints
    start: Ints
    rows: Ints
    place: Ints


class _Quotient(NamedTuple):
    """Node u's nodes are slot[at[u]] .. slot[at[u] + nodes[u] - 1], its cliques the last cliques[u] before
    at[u + 1].
    """

    at: Ints
    slot: Ints
    nodes: Ints
    cliques: Ints
    mark: Ints


class _Shelf(NamedTuple):
    """Nodes by degree, as lists linked both ways; -1 ends a list."""

    degree: Ints
    head: Ints
    after: Ints
    before: Ints


@compiled
def _put(shelf: _Shelf, u: int, degree: int) -> None:
    shelf.degree[u] = degree
    top = shelf.head[degree]
    shelf.after[u], shelf.before[u], shelf.head[degree] = top, -1, u
    if top >= 0:
        shelf.before[top] = u


@compiled
def _take(shelf: _Shelf, u: int) -> None:
    if shelf.before[u] >= 0:
        shelf.after[shelf.before[u]] = shelf.after[u]
    else:
        shelf.head[shelf.degree[u]] = shelf.after[u]
    if shelf.after[u] >= 0:
        shelf.before[shelf.after[u]] = shelf.before[u]


@compiled
def _quotient(ends: Ints, n: int) -> _Quotient:
    """The graph itself, without cliques; edges that are given twice count once."""
    at = np.zeros(n + 1, np.int64)
    for e in range(len(ends)):
        at[ends[e, 0] + 1] += 1
        at[ends[e, 1] + 1] += 1
    for u in range(n):
        at[u + 1] += at[u]
    slot, nodes = np.empty(at[n], np.int64), np.zeros(n, np.int64)
    for e in range(len(ends)):
        for d in range(2):
            u = ends[e, d]
            slot[at[u] + nodes[u]] = ends[e, 1 - d]
            nodes[u] += 1
    mark = np.full(n, -1)
    for u in range(n):
        kept = 0
        for k in range(at[u], at[u] + nodes[u]):
            if mark[slot[k]] != u:
                mark[slot[k]] = u
                slot[at[u] + kept] = slot[k]
                kept += 1
        nodes[u] = kept
    return _Quotient(at, slot, nodes, np.zeros(n, np.int64), np.full(n, -1))


@compiled
def _reach(q: _Quotient, u: int, stamp: int, rank: Ints, start: Ints, rows: Ints, out: Ints) -> int:
    """The nodes not yet eliminated that are joined to u, written to `out` and marked; returns how many."""
    count = 0
    q.mark[u] = stamp
    for k in range(q.at[u], q.at[u] + q.nodes[u]):
        v = q.slot[k]
        if q.mark[v] != stamp and rank[v] < 0:
            q.mark[v] = stamp
            out[count] = v
            count += 1
    for k in range(q.at[u + 1] - q.cliques[u], q.at[u + 1]):
        j = rank[q.slot[k]]
        for r in range(start[j], start[j + 1]):
            v = rows[r]
            if q.mark[v] != stamp and rank[v] < 0:
                q.mark[v] = stamp
                out[count] = v
                count += 1
    return count


@compiled
def _tidy(q: _Quotient, i: int, u: int, stamp: int, swallowed: Ints) -> None:
    """Node i is now in the clique of u: it needs its own lists of u, of others there, and of older cliques no
    more.
    """
    kept = 0
    for k in range(q.at[i], q.at[i] + q.nodes[i]):
        if q.mark[q.slot[k]] != stamp:
            q.slot[q.at[i] + kept] = q.slot[k]
            kept += 1
    q.nodes[i] = kept
    low, kept = q.at[i + 1], 0
    for k in range(q.at[i + 1] - 1, q.at[i + 1] - 1 - q.cliques[i], -1):
        if swallowed[q.slot[k]] != u:
            kept += 1
            q.slot[low - kept] = q.slot[k]
    q.slot[low - kept - 1] = u
    q.cliques[i] = kept + 1


@compiled
def _longer(rows: Ints, used: int, size: int) -> Ints:
    """The same entries with more room."""
    out = np.empty(size, np.int64)
    for r in range(used):
        out[r] = rows[r]
    return out


@compiled
def minimum_degree(ends: Ints, n: int) -> Pattern:
    """An order of small fill for n nodes joined by `ends`, and the factor's pattern."""
    # The quotient graph, and a shelf of the nodes left by degree.
    q = _quotient(ends, n)
    order, rank, start = np.empty(n, np.int64), np.full(n, -1), np.zeros(n + 1, np.int64)
    rows, near, far = np.empty(4 * (len(ends) + n), np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    swallowed = np.full(n, -1)
    shelf = _Shelf(np.zeros(n, np.int64), np.full(n + 1, -1), np.full(n, -1), np.full(n, -1))
    for u in range(n - 1, -1, -1):
        _put(shelf, u, q.nodes[u])
    stamp, least = 0, 0
    for j in range(n):
        # Take a node of the smallest degree.
        while shelf.head[least] < 0:
            least += 1
        u = shelf.head[least]
        _take(shelf, u)
        # Its column of the factor: all nodes that it can reach through eliminated ones.
        stamp += 1
        clique = stamp
        count = _reach(q, u, clique, rank, start, rows, near)
        start[j + 1] = start[j] + count
        if start[j + 1] > len(rows):
            rows = _longer(rows, start[j], 2 * start[j + 1])
        for c in range(count):
            rows[start[j] + c] = near[c]
        # It becomes a clique, and swallows those it was in.
        order[j], rank[u] = u, j
        for k in range(q.at[u + 1] - q.cliques[u], q.at[u + 1]):
            swallowed[q.slot[k]] = u
        for c in range(count):
            _tidy(q, near[c], u, clique, swallowed)
        # A second round, since counting reach overwrites the marks that tidying reads.
        for c in range(count):
            i = near[c]
            stamp += 1
            _take(shelf, i)
            degree = _reach(q, i, stamp, rank, start, rows, far)
            _put(shelf, i, degree)
            least = min(least, degree)
    return Pattern(order, rank, start, _longer(rows, start[n], start[n]), _places(ends, rank, start, rows))


@compiled
def _places(ends: Ints, rank: Ints, start: Ints, rows: Ints) -> Ints:
    """The entry of each edge."""
    place = np.empty(len(ends), np.int64)
    for e in range(len(ends)):
        a, b = ends[e, 0], ends[e, 1]
        early, late = (a, b) if rank[a] < rank[b] else (b, a)
        for r in range(start[rank[early]], start[rank[early] + 1]):
            if rows[r] == late:
                place[e] = r
    return place
