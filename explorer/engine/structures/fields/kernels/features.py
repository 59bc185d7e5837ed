"""Scores, losses and features of one field at a time, for compiled visits: w is [unary block W ; pair block
P].

Labellings are whole numbers. With more than two states they are one state per node. With two they are twice
the share of state 1 of every node, then twice the share of (1, 1) of every edge, so that half-integral
answers of a relaxed oracle (0, 1/2, 1) have a place among them. Scores, losses and features are linear in the
shares. Cost: O(entries columns + e K^2) for the scores of a field, then O(m + e) for each labelling.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorer.engine.compiled import compiled
from explorer.engine.vectors import Array, Ints
from explorer.engine.visits import Labels


class FieldCorpus(NamedTuple):
    """CSR rows (one for each node, or `shared` by all nodes of an example), true labels, edges and how
    weights are tied.

    Edge e has the marks marks[e], or names the table table[e] where there are none. The loss of example i is
    factor[i] cost[truth, label], summed over nodes. `oracle` and `effort` say how labellings are found.
    """

    start: NDArray[np.int32]
    column: NDArray[np.int32]
    value: Array
    shared: bool
    truth: Ints
    nodes: Ints
    ends: Ints
    edges: Ints
    table: Ints
    marks: Array
    tables: int
    slot: Ints
    cost: Array
    factor: Array
    oracle: int
    effort: Array


class Local(NamedTuple):
    """Room for one field: scores of nodes and edges, raised scores, and coefficients of features."""

    unary: Array
    raised: Array
    pair: Array
    node: Array
    edge: Array
    numbers: Labels


@compiled
def room_for(corpus: FieldCorpus, order: Ints) -> Local:
    """Room for the largest of these fields."""
    m, e, K = 0, 0, corpus.cost.shape[0]
    for i in order:
        m = max(m, corpus.nodes[i + 1] - corpus.nodes[i])
        e = max(e, corpus.edges[i + 1] - corpus.edges[i])
    table = np.empty((e, K, K))
    return Local(
        np.empty((m, K)),
        np.empty((m, K)),
        table,
        np.zeros((m, K)),
        np.zeros((e, K, K)),
        np.empty(m + e, np.int32),
    )


@compiled
def of_size(local: Local, m: int, e: int) -> Local:
    """The part of the room that one field needs."""
    numbers = local.numbers[: m + e] if local.unary.shape[1] == 2 else local.numbers[:m]
    return Local(local.unary[:m], local.raised[:m], local.pair[:e], local.node[:m], local.edge[:e], numbers)


@compiled
def score_field(corpus: FieldCorpus, i: int, W: Array, P: Array, local: Local) -> None:
    """Fill unary, raised and pair of field i: W is F x columns, P is tables x slots."""
    first, m, K = corpus.nodes[i], len(local.unary), local.unary.shape[1]
    # Node scores: x W, of one row for all labels or of a row for each node.
    for u in range(m):
        for s in range(K):
            local.unary[u, s] = 0.0
    if corpus.shared:
        for at in range(corpus.start[i], corpus.start[i + 1]):
            x, f = corpus.value[at], corpus.column[at]
            for u in range(m):
                local.unary[u, 1] += x * W[f, u]
    else:
        for u in range(m):
            for at in range(corpus.start[first + u], corpus.start[first + u + 1]):
                x, f = corpus.value[at], corpus.column[at]
                for s in range(K):
                    local.unary[u, s] += x * W[f, s]
    for u in range(m):
        for s in range(K):
            # With the loss added: the oracle's question.
            local.raised[u, s] = (
                local.unary[u, s] + corpus.factor[i] * corpus.cost[corpus.truth[first + u], s]
            )
    # Pair scores: an edge's own table, or the tables of its marks added up.
    from_edge = corpus.edges[i]
    for e in range(len(local.pair)):
        for a in range(K):
            for b in range(K):
                k, total = corpus.slot[a, b], 0.0
                if k >= 0:
                    if corpus.marks.shape[1] == 0:
                        total = P[corpus.table[from_edge + e], k]
                    else:
                        for g in range(corpus.marks.shape[1]):
                            total += corpus.marks[from_edge + e, g] * P[g, k]
                local.pair[e, a, b] = total


@compiled
def labelling_score(corpus: FieldCorpus, i: int, local: Local, numbers: Labels) -> float:
    """The score of a labelling, given the scores of its nodes and edges."""
    m, from_edge, total = len(local.unary), corpus.edges[i], 0.0
    if local.unary.shape[1] != 2:
        for u in range(m):
            total += local.unary[u, numbers[u]]
        for e in range(len(local.pair)):
            ends = corpus.ends[from_edge + e]
            total += local.pair[e, numbers[ends[0]], numbers[ends[1]]]
        return float(total)
    for u in range(m):
        y = 0.5 * numbers[u]
        total += (1.0 - y) * local.unary[u, 0] + y * local.unary[u, 1]
    for e in range(len(local.pair)):
        ends = corpus.ends[from_edge + e]
        y, z, both = 0.5 * numbers[ends[0]], 0.5 * numbers[ends[1]], 0.5 * numbers[m + e]
        total += (1.0 - y - z + both) * local.pair[e, 0, 0] + (z - both) * local.pair[e, 0, 1]
        total += (y - both) * local.pair[e, 1, 0] + both * local.pair[e, 1, 1]
    return float(total)


@compiled
def labelling_loss(corpus: FieldCorpus, i: int, m: int, numbers: Labels) -> float:
    """The loss of a labelling of field i; linear in its shares."""
    first, total = corpus.nodes[i], 0.0
    for u in range(m):
        t = corpus.truth[first + u]
        if corpus.cost.shape[0] == 2:
            y = 0.5 * numbers[u]
            total += (1.0 - y) * corpus.cost[t, 0] + y * corpus.cost[t, 1]
        else:
            total += corpus.cost[t, numbers[u]]
    return float(corpus.factor[i] * total)


@compiled
def true_score(corpus: FieldCorpus, i: int, local: Local) -> float:
    """The score of the true labelling of field i."""
    first, from_edge, total = corpus.nodes[i], corpus.edges[i], 0.0
    for u in range(len(local.unary)):
        total += local.unary[u, corpus.truth[first + u]]
    for e in range(len(local.pair)):
        ends = corpus.ends[from_edge + e]
        total += local.pair[e, corpus.truth[first + ends[0]], corpus.truth[first + ends[1]]]
    return float(total)


@compiled
def add_difference(corpus: FieldCorpus, i: int, numbers: Labels, by: float, local: Local) -> None:
    """Add by * (shares of the truth - shares of the labelling) to the node and edge coefficients."""
    first, from_edge, m = corpus.nodes[i], corpus.edges[i], len(local.node)
    two = local.node.shape[1] == 2
    for u in range(m):
        local.node[u, corpus.truth[first + u]] += by
        if two:
            y = 0.5 * numbers[u]
            local.node[u, 0] -= by * (1.0 - y)
            local.node[u, 1] -= by * y
        else:
            local.node[u, numbers[u]] -= by
    for e in range(len(local.edge)):
        a, b = corpus.ends[from_edge + e, 0], corpus.ends[from_edge + e, 1]
        local.edge[e, corpus.truth[first + a], corpus.truth[first + b]] += by
        if two:
            y, z, both = 0.5 * numbers[a], 0.5 * numbers[b], 0.5 * numbers[m + e]
            local.edge[e, 0, 0] -= by * (1.0 - y - z + both)
            local.edge[e, 0, 1] -= by * (z - both)
            local.edge[e, 1, 0] -= by * (y - both)
            local.edge[e, 1, 1] -= by * both
        else:
            local.edge[e, numbers[a], numbers[b]] -= by


@compiled
def clear(local: Local) -> None:
    """Set all coefficients to 0."""
    local.node[:] = 0.0
    local.edge[:] = 0.0


@compiled
def add_features(corpus: FieldCorpus, i: int, local: Local, W: Array, P: Array) -> None:
    """(W, P) += the features of field i with these coefficients."""
    first, from_edge, K = corpus.nodes[i], corpus.edges[i], local.node.shape[1]
    for u in range(len(local.node)):
        if corpus.shared:
            by = local.node[u, 1]
            if by != 0.0:
                for at in range(corpus.start[i], corpus.start[i + 1]):
                    W[corpus.column[at], u] += by * corpus.value[at]
        else:
            for s in range(K):
                by = local.node[u, s]
                if by != 0.0:
                    for at in range(corpus.start[first + u], corpus.start[first + u + 1]):
                        W[corpus.column[at], s] += by * corpus.value[at]
    for e in range(len(local.edge)):
        for a in range(K):
            for b in range(K):
                k, by = corpus.slot[a, b], local.edge[e, a, b]
                if k >= 0 and by != 0.0:
                    if corpus.marks.shape[1] == 0:
                        P[corpus.table[from_edge + e], k] += by
                    else:
                        for g in range(corpus.marks.shape[1]):
                            P[g, k] += by * corpus.marks[from_edge + e, g]


@compiled
def coefficient_score(corpus: FieldCorpus, i: int, numbers: Labels, local: Local) -> float:
    """(truth - labelling) . (the field's scores in `unary` and `pair`)."""
    return true_score(corpus, i, local) - labelling_score(corpus, i, local, numbers)


@compiled
def parts(corpus: FieldCorpus, w: Array, columns: int) -> tuple[Array, Array]:
    """Views into w: unary weights F x columns, pairwise weights tables x slots."""
    per_table = 0
    for a in range(corpus.slot.shape[0]):
        for b in range(corpus.slot.shape[1]):
            per_table = max(per_table, corpus.slot[a, b] + 1)
    split = len(w) - corpus.tables * per_table
    return w[:split].reshape((split // columns, columns)), w[split:].reshape((corpus.tables, per_table))
