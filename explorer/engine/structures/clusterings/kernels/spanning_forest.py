"""Spanning forests of m items whose pairs have scores, by Kruskal's rule: take the best pair that closes no
circle.

    links = pairs in the order of falling score, while score >= least, each taken when its two items are not
            yet connected

`order` names the pairs to look at, best first, as numbers of the upper triangle; so the caller decides ties,
and which pairs may be linked at all. Parents point towards the smallest item of each tree, whose own parent
is -1: equal link sets have equal parents. Cost: nearly linear in the pairs, once they are sorted. Where
clusters are given, Prim's rule grows the best tree of each from its smallest item instead: s^2 for a cluster
of s, and nothing to sort.
"""

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.incidence import incidence
from explorer.engine.vectors import Array, Ints


@compiled
def top(up: Ints, i: int) -> int:
    """The item that stands for the set of i; every second item on the way is hung higher."""
    while up[i] != i:
        up[i] = up[up[i]]
        i = up[i]
    return i


@compiled
def kruskal(order: Ints, first: Ints, second: Ints, scores: Array, least: float, m: int) -> Ints:
    """The pairs that are linked, in the order in which they are taken."""
    up, links, taken = np.arange(m), np.empty(max(m - 1, 0), dtype=np.int64), 0
    for p in order:
        if taken == m - 1 or scores[p] < least:
            break
        a, b = top(up, first[p]), top(up, second[p])
        if a != b:
            up[max(a, b)] = min(a, b)
            links[taken] = p
            taken += 1
    return links[:taken]


@compiled
def merges(order: Ints, first: Ints, second: Ints, scores: Array, m: int) -> Array:
    """One row for each link that joins everything: both clusters (item i is cluster i, row r makes m + r),
    score, size.
    """
    up, number, size = np.arange(m), np.arange(m), np.ones(m, dtype=np.int64)
    table, row = np.empty((m - 1, 4)), 0
    for p in order:
        a, b = top(up, first[p]), top(up, second[p])
        if a != b:
            up[b] = a
            size[a] += size[b]
            table[row, 0], table[row, 1] = min(number[a], number[b]), max(number[a], number[b])
            table[row, 2], table[row, 3] = scores[p], size[a]
            number[a] = m + row
            row += 1
    return table


@compiled
def parents_of(ends: Ints, m: int) -> Ints:
    """The parent of every item in the forest of these links, -1 for the smallest item of each tree."""
    at, halves = np.empty(m + 1, dtype=np.int64), np.empty(2 * len(ends), dtype=np.int64)
    incidence(ends, at, halves)
    parent, queue = np.full(m, -2, dtype=np.int64), np.empty(m, dtype=np.int64)
    for root in range(m):
        if parent[root] != -2:
            continue
        parent[root], queue[0], done, known = -1, root, 0, 1
        while done < known:
            u = queue[done]
            done += 1
            for h in halves[at[u] : at[u + 1]]:
                v = ends[h >> 1, 1 - (h & 1)]
                if parent[v] == -2:
                    parent[v] = u
                    queue[known] = v
                    known += 1
    return parent


@compiled
def components(parent: Ints) -> Ints:
    """The number of the tree that holds each item, in the order of the roots; -1 where parents run in a
    circle.
    """
    m = len(parent)
    number, trees = np.full(m, -1, dtype=np.int64), 0
    for i in range(m):
        if parent[i] < 0:
            number[i] = trees
            trees += 1
    for i in range(m):
        root, steps = i, 0
        while parent[root] >= 0 and steps < m:
            root = parent[root]
            steps += 1
        number[i] = number[root] if parent[root] < 0 else -1
    return number


@compiled
def earlier(a: int, b: int, c: int, d: int) -> bool:
    """Whether the pair a, b comes before c, d in the upper triangle, row by row."""
    return min(a, b) < min(c, d) or (min(a, b) == min(c, d) and max(a, b) < max(c, d))


@compiled
def best_trees(K: Array, labels: Ints, clusters: int) -> tuple[Ints, Ints]:
    """Parents in the best spanning tree of every cluster, and the items cluster by cluster, parents before
    children.

    Of equal pairs the earlier is the better one, as in Kruskal's rule with a stable order: both make the same
    trees.
    """
    m = len(K)
    at, order = np.zeros(clusters + 1, dtype=np.int64), np.empty(m, dtype=np.int64)
    parent, link = np.full(m, -1, dtype=np.int64), np.full(m, -np.inf)
    for i in range(m):
        at[labels[i] + 1] += 1
    at = np.cumsum(at)
    free = at.copy()
    for i in range(m):
        order[free[labels[i]]] = i
        free[labels[i]] += 1
    for c in range(clusters):
        for n in range(at[c] + 1, at[c + 1]):
            u, near = order[n - 1], n
            for p in range(n, at[c + 1]):
                v, best = order[p], order[near]
                if parent[v] < 0 or K[u, v] > link[v] or (K[u, v] == link[v] and earlier(u, v, parent[v], v)):
                    parent[v], link[v] = u, K[u, v]
                if link[v] > link[best] or (
                    link[v] == link[best] and earlier(v, parent[v], best, parent[best])
                ):
                    near = p
            order[n], order[near] = order[near], order[n]
    return parent, order


@compiled
def held_together(K: Array, least: float) -> Ints:
    """The clusters that single link makes: what pairs of at least `least` connect, numbered by first
    appearance.
    """
    m = len(K)
    up, number, count = np.arange(m), np.empty(m, dtype=np.int64), 0
    for i in range(m):
        for j in range(i):
            if K[j, i] >= least:
                a, b = top(up, i), top(up, j)
                up[max(a, b)] = min(a, b)
    for i in range(m):  # the smallest item stands for its set, so it is met first
        if up[i] == i:
            number[i] = count
            count += 1
        else:
            number[i] = number[top(up, i)]
    return number


@compiled
def tree_weights(K: Array) -> Array:
    """The score of the best spanning tree of every subset of the items; bit i of a subset's number says that
    i is in it.
    """
    m = len(K)
    out, link, inside = np.zeros(1 << m), np.empty(m), np.empty(m, dtype=np.bool_)
    for subset in range(1, 1 << m):
        for i in range(m):
            link[i], inside[i] = -np.inf, False
        at = 0
        while not (subset >> at) & 1:
            at += 1
        while at >= 0:
            inside[at], near = True, -1
            for j in range(m):
                if (subset >> j) & 1 and not inside[j]:
                    link[j] = max(link[j], K[at, j])
                    if near < 0 or link[j] > link[near]:
                        near = j
            out[subset] += 0.0 if near < 0 else link[near]
            at = near
    return out
