"""What labellings of many stacked fields are worth, and what they count.

    score(y) = sum_u unary[u, y_u] + sum_e pair[table[e], y_a, y_b]      e = (a, b)

Field i has rows nodes[i] .. nodes[i + 1] of `unary` and edges edges[i] .. edges[i + 1] of `ends`, whose
entries are numbered within the field. Cost: one look per node and edge.
"""

from explorer.engine.compiled import compiled
from explorer.engine.vectors import Array, Ints


@compiled
def field_scores(
    unary: Array, nodes: Ints, ends: Ints, edges: Ints, table: Ints, pair: Array, labels: Ints, out: Array
) -> None:
    """out_i = score of field i's labelling."""
    for i in range(len(nodes) - 1):
        first, total = nodes[i], 0.0
        for u in range(first, nodes[i + 1]):
            total += unary[u, labels[u]]
        for e in range(edges[i], edges[i + 1]):
            total += pair[table[e], labels[first + ends[e, 0]], labels[first + ends[e, 1]]]
        out[i] = total


@compiled
def add_pairs(
    nodes: Ints, ends: Ints, edges: Ints, table: Ints, labels: Ints, weight: Array, out: Array
) -> None:
    """out[table[e], y_a, y_b] += weight_i for every edge of every field i."""
    for i in range(len(nodes) - 1):
        first = nodes[i]
        for e in range(edges[i], edges[i + 1]):
            out[table[e], labels[first + ends[e, 0]], labels[first + ends[e, 1]]] += weight[i]


@compiled
def raise_by_loss(unary: Array, nodes: Ints, truth: Ints, cost: Array, factor: Array, out: Array) -> None:
    """out[u, s] = unary[u, s] + factor_i cost[truth_u, s]: scores whose best labelling is the most violated
    one.
    """
    for i in range(len(nodes) - 1):
        for u in range(nodes[i], nodes[i + 1]):
            for s in range(unary.shape[1]):
                out[u, s] = unary[u, s] + factor[i] * cost[truth[u], s]
