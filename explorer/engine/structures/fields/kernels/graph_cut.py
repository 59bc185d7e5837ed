"""The best mixture of two labellings of a field, by a minimum cut: graph cut, and the moves of expansion and
swap.

    max over x in {0, 1}^m of score(y),     y_u = first_u where x_u = 0, second_u where x_u = 1

With the four scores P_00 .. P_11 of an edge (a, b), b_e = P_00 + P_11 - P_01 - P_10, this is the score

    constant + sum_u gain_u x_u - sum_e b_e / 2 |x_a - x_b|
    gain_a += (P_10 + P_11 - P_00 - P_01) / 2,      gain_b += (P_01 + P_11 - P_00 - P_10) / 2

so where no b_e is negative (the mixture is submodular), the best one is a minimum cut: nodes at the source
take x = 0, an edge is an arc of capacity b_e / 2 each way, |gain_u| leads from s or to t. A negative b_e is
taken as 0, as if P_01 and P_10 were lower; then the answer may miss the best one. Kolmogorov and Zabih, "What
energy functions can be minimized via graph cuts?" (2004). For first = 0 and second = 1 it is the whole binary
field. Ties go to `first`. Cost: see `max_flow`.
"""

from typing import NamedTuple

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.structures.fields.kernels.flow_network import Int32s, Network, connect, network
from explorer.engine.structures.fields.kernels.max_flow import SINK, TOLERANCE, complete, max_flow
from explorer.engine.vectors import Array, Ints


class Mixing(NamedTuple):
    """A field, the network that mixes two of its labellings, and the arc of every edge from its first to its
    second end.
    """

    unary: Array
    ends: Ints
    table: Ints
    pair: Array
    net: Network
    arc: Int32s


@compiled
def largest(nodes: Ints, edges: Ints, lo: int, hi: int) -> tuple[int, int]:
    """The most nodes and the most edges that any of fields lo .. hi - 1 has."""
    m, e = 0, 0
    for i in range(lo, hi):
        m = max(m, nodes[i + 1] - nodes[i])
        e = max(e, edges[i + 1] - edges[i])
    return m, e


@compiled
def mixing(
    i: int,
    unary: Array,
    nodes: Ints,
    ends: Ints,
    edges: Ints,
    table: Ints,
    pair: Array,
    net: Network,
    arc: Int32s,
) -> Mixing:
    """Field i, its edges laid out in the network."""
    a, b, c, d = nodes[i], nodes[i + 1], edges[i], edges[i + 1]
    connect(net, b - a, ends[c:d], arc)
    return Mixing(unary[a:b], ends[c:d], table[c:d], pair, net, arc[: d - c])


@compiled
def load(mix: Mixing, first: Ints, second: Ints) -> tuple[float, float, bool]:
    """Set all capacities; answers a score that no mixture exceeds, the largest capacity, and whether it is
    submodular.
    """
    nodes, arcs, most, top, submodular = mix.net.nodes, mix.net.arcs, 0.0, 0.0, True
    for u in range(len(mix.unary)):
        most += mix.unary[u, first[u]]
        nodes[u]["terminal"] = mix.unary[u, first[u]] - mix.unary[u, second[u]]
    for e in range(len(mix.ends)):
        a, b, t = mix.ends[e, 0], mix.ends[e, 1], mix.table[e]
        none, right = mix.pair[t, first[a], first[b]], mix.pair[t, first[a], second[b]]
        left, both = mix.pair[t, second[a], first[b]], mix.pair[t, second[a], second[b]]
        half = 0.5 * ((none - right) + (both - left))
        most += none + max(0.0, -half)
        submodular = submodular and half >= 0.0
        half = max(0.0, half)
        top = max(top, half)
        nodes[a]["terminal"] += 0.5 * ((none - left) + (right - both))
        nodes[b]["terminal"] += 0.5 * ((none - right) + (left - both))
        arcs[mix.arc[e]]["residual"] = arcs[arcs[mix.arc[e]]["sister"]]["residual"] = half
    for u in range(len(mix.unary)):
        most += max(0.0, -nodes[u]["terminal"])
        top = max(top, abs(nodes[u]["terminal"]))
    return most, top, submodular


@compiled
def mix_best(mix: Mixing, first: Ints, second: Ints, out: Ints) -> tuple[float, float, bool]:
    """Write the best mixture; answers what none exceeds (its score, where submodular) and load's other two
    answers.
    """
    most, top, submodular = load(mix, first, second)
    n, least = len(mix.unary), TOLERANCE * top
    flow = max_flow(mix.net, n, least)
    complete(mix.net, n, SINK, least)
    for u in range(n):
        out[u] = second[u] if mix.net.nodes[u]["level"] < 0 else first[u]
    return most - flow, top, submodular


@compiled
def cut_fields(
    unary: Array,
    nodes: Ints,
    ends: Ints,
    edges: Ints,
    table: Ints,
    pair: Array,
    lo: int,
    hi: int,
    labels: Ints,
    best: Array,
) -> None:
    """The best labelling of each of fields lo .. hi - 1, two states and all edges submodular, and its
    score.
    """
    m, e = largest(nodes, edges, lo, hi)
    net, arc = network(m, 2 * e), np.empty(e, np.int32)
    zeros, ones = np.zeros(m, np.int64), np.ones(m, np.int64)
    for i in range(lo, hi):
        mix = mixing(i, unary, nodes, ends, edges, table, pair, net, arc)
        best[i] = mix_best(mix, zeros, ones, labels[nodes[i] : nodes[i + 1]])[0]
