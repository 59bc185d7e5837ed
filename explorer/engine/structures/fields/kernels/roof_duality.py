"""Roof duality: the best relaxed labelling of a binary field, with shares 0, 1/2 and 1, by one maximum flow.

    max sum_u a_u y_u + sum_e b_e y_e + constant,     y_e <= y_a, y_e <= y_b, y_a + y_b <= 1 + y_e,
        y in [0, 1]

with b_e = P_00 + P_11 - P_01 - P_10 of the edge (a, b). The network has two nodes for each u: u (at the
source: y_u = 0) and its complement u + m (at the source: y_u = 1). gain_u = a_u + sum of b_e / 2 over the
edges at u is half a capacity at u and half at u + m; b_e > 0 joins a with b and their complements, b_e < 0
joins a with the complement of b and b with that of a, always by |b_e| / 4 each way. Then max = constant' +
sum of gains > 0 - flow, and a node is 0 or 1 where a minimum cut separates it from its complement, else 1/2:
ambiguous. Hammer, Hansen and Simeone (1984); Boros and Hammer (2002); Finley 2009, section 5.3.2. Some best
labelling has every unambiguous node as it is here (persistence).

Of all minimum cuts one with the fewest ambiguous nodes is taken: after the flow, u is ambiguous only if u and
its complement lie on one cycle of arcs with capacity left (Kolmogorov and Rother 2007), so fields without
negative b_e have none. A node without edges and without a preference takes 0. Cost: see `max_flow`, on twice
the nodes and edges.
"""

import numpy as np

from explorer.engine.compiled import compiled
from explorer.engine.structures.fields.kernels.flow_network import Int32s, Network, join, network
from explorer.engine.structures.fields.kernels.graph_cut import largest
from explorer.engine.structures.fields.kernels.max_flow import SOURCE, TOLERANCE, complete, max_flow
from explorer.engine.vectors import Array, Ints

UNKNOWN = -1


@compiled
def roof_fields(
    unary: Array,
    nodes: Ints,
    ends: Ints,
    edges: Ints,
    table: Ints,
    pair: Array,
    lo: int,
    hi: int,
    twice: Ints,
    bound: Array,
) -> None:
    """twice_u = 2 y_u of each of fields lo .. hi - 1, and the score of that relaxed labelling."""
    m, e = largest(nodes, edges, lo, hi)
    net, arc = network(2 * m, 4 * e), np.empty((e, 2), np.int32)
    for i in range(lo, hi):
        a, b, c, d = nodes[i], nodes[i + 1], edges[i], edges[i + 1]
        bound[i] = roof(unary[a:b], ends[c:d], table[c:d], pair, net, arc[: d - c], twice[a:b])


@compiled
def roof(unary: Array, ends: Ints, table: Ints, pair: Array, net: Network, arc: Int32s, twice: Ints) -> float:
    """Write twice the shares of one field's nodes; answers the score of the relaxed labelling."""
    m = len(unary)
    _lay_out(ends, table, pair, m, net)
    most, least = _load(unary, ends, table, pair, net, arc)
    most -= max_flow(net, 2 * m, least)
    complete(net, 2 * m, SOURCE, least)
    ambiguous = 0
    for u in range(m):
        off, on = net.nodes[u]["level"] > 0, net.nodes[u + m]["level"] > 0
        twice[u] = 0 if off else 2 if on else UNKNOWN
        ambiguous += twice[u] == UNKNOWN
    if ambiguous > 0:
        _make_symmetric(net, arc)
        _split(net, m, least, twice)
    return most


@compiled
def attraction(pair: Array, t: int) -> float:
    """b = P_00 + P_11 - P_01 - P_10 of a table; it attracts if positive."""
    return float((pair[t, 0, 0] - pair[t, 0, 1]) + (pair[t, 1, 1] - pair[t, 1, 0]))


@compiled
def _lay_out(ends: Ints, table: Ints, pair: Array, m: int, net: Network) -> None:
    """Make room for one arc of u, and of its complement, for each edge at u that attracts or repels."""
    nodes = net.nodes
    for u in range(2 * m + 1):
        nodes[u]["start"] = 0
    for e in range(len(ends)):
        if attraction(pair, table[e]) != 0.0:
            for side in range(2):
                nodes[ends[e, side] + 1]["start"] += 1
    for u in range(m):
        nodes[u + 1]["start"] += nodes[u]["start"]
        nodes[u]["current"] = nodes[u]["start"]
    for u in range(m):
        nodes[m + u + 1]["start"] = nodes[m]["start"] + nodes[u + 1]["start"]
        nodes[m + u]["current"] = nodes[m + u]["start"]


@compiled
def _load(
    unary: Array, ends: Ints, table: Ints, pair: Array, net: Network, arc: Int32s
) -> tuple[float, float]:
    """Set all arcs and capacities; answers the score with all gains and no cut, and what counts as no
    capacity.
    """
    m, nodes, arcs, most, top = len(unary), net.nodes, net.arcs, 0.0, 0.0
    for u in range(m):
        most += unary[u, 0]
        nodes[u]["terminal"] = 0.5 * (unary[u, 0] - unary[u, 1])
    for e in range(len(ends)):
        a, b, t = ends[e, 0], ends[e, 1], table[e]
        pull = attraction(pair, t)
        most += pair[t, 0, 0] + max(0.0, -0.5 * pull)
        nodes[a]["terminal"] += 0.25 * ((pair[t, 0, 0] - pair[t, 1, 0]) + (pair[t, 0, 1] - pair[t, 1, 1]))
        nodes[b]["terminal"] += 0.25 * ((pair[t, 0, 0] - pair[t, 0, 1]) + (pair[t, 1, 0] - pair[t, 1, 1]))
        arc[e] = UNKNOWN
        if pull != 0.0:
            arc[e, 0] = join(net, a, b if pull > 0.0 else b + m)
            arc[e, 1] = join(net, a + m, b + m if pull > 0.0 else b)
            top = max(top, 0.25 * abs(pull))
            for there in arc[e]:
                arcs[there]["residual"] = arcs[arcs[there]["sister"]]["residual"] = 0.25 * abs(pull)
    for u in range(m):
        most += max(0.0, -2.0 * nodes[u]["terminal"])
        top = max(top, abs(nodes[u]["terminal"]))
        nodes[u + m]["terminal"] = -nodes[u]["terminal"]
    return most, TOLERANCE * top


@compiled
def _make_symmetric(net: Network, arc: Int32s) -> None:
    """Average the flow with its mirror image, which swaps source and sink, nodes and complements: a maximum
    flow too.
    """
    for e in range(len(arc)):
        if arc[e, 0] != UNKNOWN:
            _average(net, arc[e, 0], net.arcs[arc[e, 1]]["sister"])
            _average(net, arc[e, 1], net.arcs[arc[e, 0]]["sister"])


@compiled
def _average(net: Network, a: int, b: int) -> None:
    """Give two arcs the mean of what is left of both."""
    mean = 0.5 * (net.arcs[a]["residual"] + net.arcs[b]["residual"])
    net.arcs[a]["residual"] = net.arcs[b]["residual"] = mean


@compiled
def _split(net: Network, m: int, least: float, twice: Ints) -> None:
    """Give 0 or 1 to every node that no cycle joins with its complement.

    Tarjan's components come out last ones first: what they lead to has a smaller number. Taking of u and its
    complement the one that comes later to the source's side never leads out of what is taken.
    """
    part = net.rings[2]
    for u in range(2 * m):
        net.nodes[u]["level"], part[u] = 0, UNKNOWN
    count, found = 0, 0
    for u in range(2 * m):
        if twice[u % m] == UNKNOWN and net.nodes[u]["level"] == 0:
            count, found = _visit(net, m, u, least, twice, count, found)
    for u in range(m):
        if twice[u] == UNKNOWN:
            twice[u] = 0 if part[u] < part[u + m] else 2 if part[u] > part[u + m] else 1


@compiled
def _visit(
    net: Network, m: int, root: int, least: float, twice: Ints, count: int, found: int
) -> tuple[int, int]:
    """Tarjan's search from one node, among nodes without a label; counts the nodes seen and the components
    found.

    The flow's memory is used again: level is the order of a node, parent its lowest link, current its next
    arc, rings[0] the nodes without a component, rings[1] the way to the node at hand, rings[2] the
    components.
    """
    nodes, part, path, waiting = net.nodes, net.rings[2], net.rings[1], net.rings[0]
    opened, depth, entered = 0, 0, root
    while depth > 0 or entered >= 0:
        # Enter a node: number it, and remember it as open and as the end of the path.
        if entered >= 0:
            count += 1
            nodes[entered]["level"] = nodes[entered]["parent"] = count
            nodes[entered]["current"] = nodes[entered]["start"]
            waiting[opened] = path[depth] = entered
            opened, depth, entered = opened + 1, depth + 1, -1
        # Follow the next arc with capacity left, into a new node or back to an open one.
        u = path[depth - 1]
        a = nodes[u]["current"]
        if a < nodes[u + 1]["start"]:
            nodes[u]["current"] += 1
            v = net.arcs[a]["head"]
            if net.arcs[a]["residual"] > least and twice[v % m] == UNKNOWN:
                if nodes[v]["level"] == 0:
                    entered = int(v)
                elif part[v] == UNKNOWN:
                    nodes[u]["parent"] = min(nodes[u]["parent"], nodes[v]["level"])
            continue
        # All arcs seen: step back, and hand the lowest link on.
        depth -= 1
        if depth > 0:
            before = path[depth - 1]
            nodes[before]["parent"] = min(nodes[before]["parent"], nodes[u]["parent"])
        # A node that reaches nothing older closes a component: all opened since then.
        if nodes[u]["parent"] == nodes[u]["level"]:
            while part[u] == UNKNOWN:
                opened -= 1
                part[waiting[opened]] = found
            found += 1
    return count, found


@compiled
def write_shares(twice: Ints, ends: Ints, table: Ints, pair: Array, out: Array) -> None:
    """The relaxed labelling of one field, flat: both states of every node, then all four pairs of every edge.

    Given its nodes an edge is on by y_e = min(y_a, y_b) if it attracts, else by max(0, y_a + y_b - 1).
    """
    m = len(twice)
    for u in range(m):
        out[2 * u + 1] = 0.5 * twice[u]
        out[2 * u] = 1.0 - out[2 * u + 1]
    for e in range(len(ends)):
        y, z = 0.5 * twice[ends[e, 0]], 0.5 * twice[ends[e, 1]]
        both = min(y, z) if attraction(pair, table[e]) >= 0.0 else max(0.0, y + z - 1.0)
        at = 2 * m + 4 * e
        out[at], out[at + 1], out[at + 2], out[at + 3] = 1.0 - y - z + both, z - both, y - both, both


@compiled
def fractional_shares(
    nodes: Ints,
    ends: Ints,
    edges: Ints,
    table: Ints,
    pair: Array,
    twice: Ints,
    at: Ints,
    which: Ints,
    out: Array,
) -> None:
    """The relaxed labellings of the fields `which`, at out[at[k]] .. out[at[k + 1]]."""
    for k in range(len(which)):
        i = which[k]
        a, b, c, d = nodes[i], nodes[i + 1], edges[i], edges[i + 1]
        write_shares(twice[a:b], ends[c:d], table[c:d], pair, out[at[k] : at[k + 1]])
