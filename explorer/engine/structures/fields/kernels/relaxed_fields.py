"""The local-polytope optimum of every field of a stack, in rounds; each function here is one stage for fields
lo .. hi - 1.

1. `sweep_fields`: tree-reweighted sweeps lower the bound and propose labellings. Where a labelling's score
meets the bound, it
   is the optimum of the program, and of the field. The other fields stay open.
2. `choose_parts`: the parts in doubt (`field_parts`), to be cut out. 3. `solve_parts`: the program of each
(`interior_point`). 4. `judge`: their shares and the labelling outside are a feasible point of the whole; the
new messages bound it. While the two
   differ, stages 2 to 4 follow again with larger parts; at the latest they are the whole field.
5. `finish_fields`: shares that come near 0, 1/2 and 1 are made so; a labelling that meets the bound after all
is taken.

Cost: e K^2 for a sweep; mostly nothing else. Stages, since a function that held them all would take minutes
to compile.
"""

from typing import NamedTuple

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.incidence import Field, field_at, first_best, scratch
from explorer.engine.structures.fields.kernels.interior_point import interior_point, start
from explorer.engine.structures.fields.kernels.parts import (
    Flags,
    components,
    even_out,
    grow,
    is_whole,
    lacks,
    negligible,
    only_outside,
    settle_border,
)
from explorer.engine.structures.fields.kernels.relaxed_shares import (
    border_shares,
    fit,
    score_of_shares,
    whole_shares,
)
from explorer.engine.structures.fields.kernels.tree_reweighted import dual_bound, keep, score_of, sweep
from explorer.engine.vectors import Array, Ints

WARMTH = 0.2
"""The least slack to start from, as a share of the largest score."""
NEAR = 1e-4
"""Shares so near to 0, 1/2 or 1 are taken for it."""
PATIENCE = 5
"""After this many sweeps the gap should have come down by a fifth."""


class Stack(NamedTuple):
    """Fields below each other, as in `explorer.engine.structures.fields.fields`."""

    unary: Array
    nodes: Ints
    ends: Ints
    edges: Ints
    table: Ints
    pair: Array


class Relaxed(NamedTuple):
    """What is known of a stack of N nodes, E edges and n fields.

    Messages m (2 E, K); shares of nodes (N, K) and edges (E, K, K); the best labels met, or the largest
    shares. For each field its bound, the gap to its shares' score, the gap to reach, whether it is open, its
    largest score and its number of parts. `core` and `part` (N) say which nodes are in doubt and in which
    part, -1 for none; `lack` (N + E) holds what every node, then every edge, of a field lacks.
    """

    m: Array
    node: Array
    edge: Array
    labels: Ints
    bound: Array
    gap: Array
    goal: Array
    open: Flags
    size: Array
    parts: Ints
    core: Flags
    part: Ints
    lack: Array


@compiled
def field_of(stack: Stack, i: int, at: Ints, halves: Ints) -> Field:
    """Field i."""
    return field_at(i, stack.unary, stack.nodes, stack.ends, stack.edges, stack.table, stack.pair, at, halves)


@compiled
def known_of(stack: Stack, known: Relaxed, i: int) -> Relaxed:
    """What is known of field i alone; numbers stay in rows of one entry."""
    a, b, c, d = stack.nodes[i], stack.nodes[i + 1], stack.edges[i], stack.edges[i + 1]
    shares = (known.m[2 * c : 2 * d], known.node[a:b], known.edge[c:d], known.labels[a:b])
    one = slice(i, i + 1)
    figures = (known.bound[one], known.gap[one], known.goal[one], known.open[one])
    return Relaxed(
        shares[0],
        shares[1],
        shares[2],
        shares[3],
        figures[0],
        figures[1],
        figures[2],
        figures[3],
        known.size[one],
        known.parts[one],
        known.core[a:b],
        known.part[a:b],
        known.lack[a + c : b + d],
    )


@compiled
def size_of(field: Field) -> float:
    """The largest of all scores, without its sign."""
    top = 0.0
    for u in range(len(field.unary)):
        for s in range(field.unary.shape[1]):
            top = max(top, abs(field.unary[u, s]))
    for t in field.table:
        for s in range(field.unary.shape[1]):
            for r in range(field.unary.shape[1]):
                top = max(top, abs(field.pair[t, s, r]))
    return top


@compiled
def _sweeps(field: Field, known: Relaxed, most: int, tolerance: float) -> float:
    """Up to `most` sweeps while they help; the labels become the best labelling met. Returns its score."""
    found, size = known.labels.copy(), size_of(field)
    known.size[0] = size
    best, last = -np.inf, np.inf
    for k in range(most):
        bound = sweep(field, known.m, found, k % 2 == 0)
        score = score_of(field, found)
        if score > best:
            best = score
            keep(found, known.labels)
        gap, known.goal[0] = bound - best, tolerance * max(abs(bound), size)
        if gap <= known.goal[0]:
            break
        if k % PATIENCE == PATIENCE - 1:
            if gap > 0.8 * last:
                break
            last = gap
    return best


@compiled
def sweep_fields(stack: Stack, known: Relaxed, most: int, tolerance: float, lo: int, hi: int) -> None:
    """Stage 1, from nothing."""
    at, halves = scratch(stack.nodes, stack.edges, lo, hi)
    for i in range(lo, hi):
        field, own = field_of(stack, i, at, halves), known_of(stack, known, i)
        own.m[:] = 0.0
        own.labels[:] = 0
        best = _sweeps(field, own, most, tolerance)
        whole_shares(field, own.labels, own.node, own.edge)
        own.bound[0] = max(dual_bound(field, own.m), best)  # which may be below it by rounding
        own.gap[0] = own.bound[0] - best
        own.open[0] = own.gap[0] > own.goal[0]
        if own.open[0]:
            own.core[:] = False
            even_out(field, own.m)
            lacks(field, own.m, own.node, own.edge, own.lack)


@compiled
def choose_parts(stack: Stack, known: Relaxed, rings: int, lo: int, hi: int) -> None:
    """Stage 2: the core of every open field grows by what lacks too much and this many rings around it."""
    at, halves = scratch(stack.nodes, stack.edges, lo, hi)
    for i in range(lo, hi):
        if known.open[i]:
            field, own = field_of(stack, i, at, halves), known_of(stack, known, i)
            grow(field, own.lack, negligible(own.lack, 0.25 * own.goal[0]), rings, own.core)
            settle_border(field, own.m, own.labels, own.core)
            known.parts[i] = components(field, own.core, own.part)
        else:
            known.part[stack.nodes[i] : stack.nodes[i + 1]] = -1
            known.parts[i] = 0


@compiled
def solve_parts(
    stack: Stack, m: Array, goal: Array, warmth: Array, steps: int, node: Array, edge: Array, lo: int, hi: int
) -> None:
    """Stage 3: shares of a stack of parts, each to its own goal, and multipliers in place of the messages."""
    at, halves = scratch(stack.nodes, stack.edges, lo, hi)
    K = stack.unary.shape[1]
    for i in range(lo, hi):
        field, a, b = field_of(stack, i, at, halves), stack.nodes[i], stack.edges[i]
        point = start(field, m[2 * b : 2 * stack.edges[i + 1]], warmth[i])
        interior_point(field, point, goal[i], steps)
        for u in range(len(field.unary)):
            for s in range(K):
                node[a + u, s] = point.x[u * K + s]
        for e in range(len(field.ends)):
            begin = (len(field.unary) + e * K) * K
            for s in range(K):
                m[2 * (b + e), s] = point.p[2 * e, s]
                m[2 * (b + e) + 1, s] = point.p[2 * e + 1, s]
                for t in range(K):
                    edge[b + e, s, t] = point.x[begin + s * K + t]


@compiled
def judge(stack: Stack, known: Relaxed, lo: int, hi: int) -> None:
    """Stage 4: make the shares of open fields feasible, and see which are proven."""
    at, halves = scratch(stack.nodes, stack.edges, lo, hi)
    for i in range(lo, hi):
        if known.open[i]:
            field, own = field_of(stack, i, at, halves), known_of(stack, known, i)
            border_shares(field.ends, own.core, own.node, own.edge)
            fit(field.ends, own.core, 0.0, own.node, own.edge)
            own.bound[0] = min(own.bound[0], dual_bound(field, own.m))
            own.gap[0] = own.bound[0] - score_of_shares(field, own.node, own.edge)
            lacks(field, own.m, own.node, own.edge, own.lack)
            only_outside(field, own.core, own.lack)
            own.open[0] = own.gap[0] > own.goal[0] and not is_whole(own.core)


@compiled
def finish_fields(stack: Stack, known: Relaxed, refined: Flags, lo: int, hi: int) -> None:
    """Stage 5, for the fields that went through stages 2 to 4: tidy shares where that costs nothing, and
    their labels.
    """
    at, halves = scratch(stack.nodes, stack.edges, lo, hi)
    for i in range(lo, hi):
        if not refined[i]:
            continue
        field, own = field_of(stack, i, at, halves), known_of(stack, known, i)
        node, edge = own.node.copy(), own.edge.copy()
        fit(field.ends, own.core, NEAR, node, edge)
        gap = own.bound[0] - score_of_shares(field, node, edge)
        if gap <= max(own.goal[0], own.gap[0]):
            fit(field.ends, own.core, NEAR, own.node, own.edge)
            own.gap[0] = gap
        for u in range(len(node)):
            own.labels[u] = first_best(own.node[u])
        score = score_of(field, own.labels)
        own.bound[0] = max(own.bound[0], score)
        if own.bound[0] - score <= own.goal[0]:
            whole_shares(field, own.labels, own.node, own.edge)
            own.gap[0] = own.bound[0] - score
