"""The local-polytope optimum of every field of a stack: messages first, an interior point where they leave a doubt.

1. Tree-reweighted sweeps lower the bound and propose labellings. Where a labelling's score meets the bound, it is the optimum
   of the program, and of the field.
2. Otherwise the parts in doubt are cut out (`field_parts`), and the program of each is solved by `interior_point`. Their shares and the
   labelling outside are a feasible point of the whole; the new messages bound it. While the two differ, the parts grow;
   at the latest they are the whole field.

Shares that come near 0, 1/2 and 1 are made so, and an edge's shares are completed to agree with its ends' exactly
(Altschuler et al. 2017). Cost: e K^2 for a sweep; mostly nothing else.
"""

from typing import NamedTuple

import numpy as np

from explorer.engine.kernels.compiled import compiled
from explorer.engine.kernels.field_parts import (
    Flags,
    Part,
    components,
    cut_out,
    even_out,
    grow,
    lacks,
    negligible,
    outside,
    settle_border,
)
from explorer.engine.kernels.incidence import Field, field_at, scratch
from explorer.engine.kernels.interior_point import interior_point, start
from explorer.engine.kernels.tree_reweighted import dual_bound, score_of, sweep
from explorer.engine.vectors import Array, Ints

WARMTH = 0.2
"""The least slack to start from, as a share of the largest score."""
NEAR = 1e-4
"""Shares so near to 0, 1/2 or 1 are taken for it."""


class Effort(NamedTuple):
    """How many sweeps and interior-point steps may be made, and the gap to reach, as a share of the bound."""

    sweeps: int
    steps: int
    tolerance: float


class Answer(NamedTuple):
    """Shares of nodes and edges, and the best labelling met."""

    node: Array
    edge: Array
    labels: Ints


@compiled
def size_of(field: Field) -> float:
    """The largest of all scores, without its sign."""
    top = 0.0
    for value in field.unary.flat:
        top = max(top, abs(value))
    for t in field.table:
        for value in field.pair[t].flat:
            top = max(top, abs(value))
    return top


@compiled
def sweeps(field: Field, m: Array, labels: Ints, most: int, tolerance: float) -> float:
    """Up to `most` sweeps while they help; `labels` becomes the best labelling met. Returns its score."""
    found, size = labels.copy(), size_of(field)
    best, last = -np.inf, np.inf
    for k in range(most):
        bound = sweep(field, m, found, k % 2 == 0)
        score = score_of(field, found)
        if score > best:
            best = score
            labels[:] = found
        gap = bound - best
        if gap <= tolerance * max(abs(bound), size):
            break
        if k % 5 == 4:
            if gap > 0.8 * last:
                break
            last = gap
    return best


@compiled
def whole_shares(field: Field, answer: Answer) -> None:
    """The shares of the answer's labelling."""
    answer.node[:] = 0.0
    answer.edge[:] = 0.0
    for u in range(len(answer.labels)):
        answer.node[u, answer.labels[u]] = 1.0
    for e in range(len(field.ends)):
        answer.edge[e, answer.labels[field.ends[e, 0]], answer.labels[field.ends[e, 1]]] = 1.0


@compiled
def snap(shares: Array, near: float) -> None:
    """Make shares sum to 1, and those that are `near` 0, 1/2 or 1 exactly that."""
    total = 0.0
    for s in range(len(shares)):
        target = np.rint(2.0 * shares[s]) / 2.0
        shares[s] = target if abs(shares[s] - target) <= near else max(shares[s], 0.0)
        total += shares[s]
    shares /= total


@compiled
def couple(shares: Array, a: Array, b: Array) -> None:
    """Scale an edge's shares down where its sums exceed a and b, then add what is missing, so that its sums are a and b."""
    K = len(a)
    row, column, missing = np.zeros(K), np.zeros(K), 0.0
    for s in range(K):
        total = np.sum(shares[s])
        if total > a[s]:
            shares[s] *= a[s] / total
    for t in range(K):
        total = np.sum(shares[:, t])
        if total > b[t]:
            shares[:, t] *= b[t] / total
        column[t] = max(b[t] - np.sum(shares[:, t]), 0.0)
    for s in range(K):
        row[s] = max(a[s] - np.sum(shares[s]), 0.0)
        missing += row[s]
    if missing > 0.0:
        for s in range(K):
            shares[s] += row[s] / missing * column


@compiled
def _solve_part(part: Part, warmth: float, goal: float, steps: int, m: Array, answer: Answer) -> None:
    """The program of one part: its shares go to the answer, its multipliers to the messages."""
    point = start(part.field, part.m, warmth)
    interior_point(part.field, point, goal, steps)
    for c in range(len(part.nodes)):
        answer.node[part.nodes[c]] = point.x[c]
    for c in range(len(part.edges)):
        e = part.edges[c]
        answer.edge[e] = point.xe[c]
        m[2 * e] = point.p[2 * c]
        m[2 * e + 1] = point.p[2 * c + 1]


@compiled
def fit(ends: Ints, node: Array, edge: Array, near: float) -> None:
    """Make shares a point of the local polytope that is near to them, see `snap`."""
    for u in range(len(node)):
        snap(node[u], near)
    for e in range(len(ends)):
        for s in range(node.shape[1] if near > 0.0 else 0):
            for t in range(node.shape[1]):
                target = np.rint(2.0 * edge[e, s, t]) / 2.0
                edge[e, s, t] = target if abs(edge[e, s, t] - target) <= near else edge[e, s, t]
        couple(edge[e], node[ends[e, 0]], node[ends[e, 1]])


@compiled
def value_of(field: Field, node: Array, edge: Array) -> float:
    """The score of shares."""
    total = np.sum(field.unary * node)
    for e in range(len(field.ends)):
        total += np.sum(field.pair[field.table[e]] * edge[e])
    return float(total)


@compiled
def _tidy(field: Field, bound: float, goal: float, answer: Answer) -> None:
    """Take the shares next to 0, 1/2 and 1 for these, unless that costs more than the goal."""
    node, edge = answer.node.copy(), answer.edge.copy()
    fit(field.ends, node, edge, NEAR)
    value = value_of(field, node, edge)
    if bound - value <= goal or value >= value_of(field, answer.node, answer.edge):
        answer.node[:] = node
        answer.edge[:] = edge


@compiled
def _border_shares(field: Field, core: Flags, answer: Answer) -> None:
    """Between a part and the labelling outside, an edge's shares are the products of its ends'."""
    for e in range(len(field.ends)):
        a, b = field.ends[e]
        if core[a] != core[b]:
            for s in range(answer.node.shape[1]):
                answer.edge[e, s] = answer.node[a, s] * answer.node[b]


@compiled
def _refine(field: Field, m: Array, goal: float, steps: int, answer: Answer) -> float:
    """Solve the parts in doubt until the answer is proven to the goal; returns the bound."""
    n, warmth = len(field.unary), WARMTH * size_of(field)
    lack, core = np.empty(n + len(field.ends)), np.zeros(n, np.bool_)
    of, number = np.empty(n, np.int64), np.empty(n, np.int64)
    bound, gap = dual_bound(field, m), np.inf
    even_out(field, m)
    lacks(field, m, answer.node, answer.edge, lack)
    while gap > goal and not np.all(core):
        grow(field, lack, negligible(lack, 0.25 * goal), 1 if gap == np.inf else 2, core)
        settle_border(field, m, answer.labels, core)
        count = components(field, core, of)
        for which in range(count):
            part = cut_out(field, m, of, which, number)
            _solve_part(part, warmth, 0.25 * goal / count, steps, m, answer)
        _border_shares(field, core, answer)
        fit(field.ends, answer.node, answer.edge, 0.0)
        bound = min(bound, dual_bound(field, m))
        gap = bound - value_of(field, answer.node, answer.edge)
        lacks(field, m, answer.node, answer.edge, lack)
        outside(field, core, lack)
    _tidy(field, bound, goal, answer)
    return bound


@compiled
def relax(field: Field, effort: Effort, m: Array, answer: Answer) -> float:
    """Fill the answer and leave its messages in m; returns the bound."""
    m[:] = 0.0
    answer.labels[:] = 0
    best = sweeps(field, m, answer.labels, effort.sweeps, effort.tolerance)
    whole_shares(field, answer)
    bound = dual_bound(field, m)
    goal = effort.tolerance * max(abs(bound), size_of(field))
    if bound - best > goal and effort.steps > 0:
        bound = _refine(field, m, goal, effort.steps, answer)
        for u in range(len(field.unary)):
            answer.labels[u] = np.argmax(answer.node[u])
        best = score_of(field, answer.labels)
        if bound - best <= goal:
            whole_shares(field, answer)
    return max(bound, best)


@compiled
def relax_fields(
    unary: Array,
    nodes: Ints,
    ends: Ints,
    edges: Ints,
    table: Ints,
    pair: Array,
    lo: int,
    hi: int,
    effort: Effort,
    node: Array,
    edge: Array,
    labels: Ints,
    bound: Array,
) -> None:
    """Shares, labels and bounds of fields lo .. hi - 1, each at its place in the stack."""
    at, halves = scratch(nodes, edges, lo, hi)
    memory = np.empty((len(halves), unary.shape[1]))
    for i in range(lo, hi):
        field = field_at(i, unary, nodes, ends, edges, table, pair, at, halves)
        a, b, c, d = nodes[i], nodes[i + 1], edges[i], edges[i + 1]
        answer = Answer(node[a:b], edge[c:d], labels[a:b])
        bound[i] = relax(field, effort, memory[: len(field.halves)], answer)
