"""A maximum flow one path after another, for networks small enough to watch: shortest paths first.

    terminal[u] > 0: an arc from the source to u,    < 0: one from u to the sink,
        an edge: arcs in both directions
    along the shortest path from source to sink through arcs with capacity left, send what all of it carries

Edmonds and Karp (1972); ties go to smaller nodes. When no path is left, what the source still reaches is one
side of a minimum cut, whose capacity is the flow. `kernels/max_flow.py` finds the same value faster and shows
no paths. A binary field of attracting edges is such a network (`network_of`); one of edges of any sign is,
when every node gets a complement (`doubled_network`). Cost: one search of m^2 looks for each path, and at
most m e paths.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.oracles.graph_cut import MinimumCut
from explorer.engine.vectors import Array, Ints

Marks = NDArray[np.bool_]
EMPTY = 1e-9
"""A capacity below this share of the largest one is used up."""


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """A network of m nodes and e edges, what a flow leaves of each capacity, and the path filled last.

    capacity (e,) holds in both directions, left (e, 2) is what remains there and back; terminal (m,) and
    terminal_left (m,) are above 0 for arcs from the source, below 0 for arcs to the sink.
    """

    ends: Ints
    capacity: Array
    left: Array
    terminal: Array
    terminal_left: Array
    path: tuple[int, ...] = ()

    @property
    def least(self) -> float:
        """What counts as nothing left."""
        return EMPTY * max(self.capacity.max(initial=0.0), np.abs(self.terminal).max(initial=0.0), 1e-300)


def empty_flow(ends: Ints, capacity: Array, terminal: Array) -> Flow:
    """The network before anything flows."""
    return Flow(ends, capacity, np.stack([capacity] * 2, axis=1), terminal, terminal)


def network_of(field: Fields, cut: MinimumCut) -> Flow:
    """The network of a binary field whose edges attract, from its minimum cut; nothing flows yet."""
    return empty_flow(field.ends, cut.capacity, cut.terminal)


def doubled_network(field: Fields) -> Flow:
    """The network of roof duality: nodes 0 .. m - 1, complements m .. 2 m - 1, two ties for each edge.

    With b = pair[0, 0] + pair[1, 1] - pair[0, 1] - pair[1, 0] an attracting edge (b > 0) ties u to v and
    complement to complement, a repelling one u to the complement of v and v to that of u, always by |b| / 4.
    """
    m, pair = len(field.unary), field.pair[field.table]
    pull = pair[:, 0, 0] + pair[:, 1, 1] - pair[:, 0, 1] - pair[:, 1, 0]
    terminal = 0.5 * (field.unary[:, 0] - field.unary[:, 1])
    np.add.at(
        terminal, field.ends[:, 0], 0.25 * (pair[:, 0, 0] - pair[:, 1, 0] + pair[:, 0, 1] - pair[:, 1, 1])
    )
    np.add.at(
        terminal, field.ends[:, 1], 0.25 * (pair[:, 0, 0] - pair[:, 0, 1] + pair[:, 1, 0] - pair[:, 1, 1])
    )
    a, b = field.ends.T
    other = np.where(pull > 0.0, b, b + m)
    ends = np.concatenate([np.stack([a, other], axis=1), np.stack([a + m, (other + m) % (2 * m)], axis=1)])
    return empty_flow(ends, np.tile(0.25 * np.abs(pull), 2), np.concatenate([terminal, -terminal]))


def augmenting_paths(start: Flow) -> Iterator[tuple[Flow, float]]:
    """The flow after each shortest path, and what that path carries; edges of one pair are one arc."""
    m, (a, b) = len(start.terminal), start.ends.T
    source, sink = m, m + 1
    rest = np.zeros((m + 2, m + 2))
    np.add.at(rest, (a, b), start.left[:, 0])
    np.add.at(rest, (b, a), start.left[:, 1])
    rest[source, :m], rest[:m, sink] = np.maximum(start.terminal, 0.0), np.maximum(-start.terminal, 0.0)
    while (path := shortest_path(rest, source, sink, start.least)) is not None:
        arcs = (np.array(path[:-1]), np.array(path[1:]))
        carried = float(rest[arcs].min())
        rest[arcs] -= carried
        rest[arcs[::-1]] += carried
        terminal = np.where(start.terminal > 0.0, rest[source, :m], -rest[:m, sink])
        left = np.stack([rest[a, b], rest[b, a]], axis=1)
        yield replace(start, left=left, terminal_left=terminal, path=tuple(path[1:-1])), carried


def shortest_path(rest: Array, source: int, sink: int, least: float) -> list[int] | None:
    """The nodes of a shortest path through arcs of which more than `least` is left, or None."""
    parent, waiting = {source: source}, [source]
    for u in waiting:
        for v in np.flatnonzero(rest[u] > least).tolist():
            if v not in parent:
                parent[v] = u
                waiting.append(v)
        if sink in parent:
            path = [sink]
            while path[-1] != source:
                path.append(parent[path[-1]])
            return path[::-1]
    return None


def source_side(flow: Flow) -> Marks:
    """Which nodes the source still reaches through arcs with capacity left."""
    seen = flow.terminal_left > flow.least
    arcs = np.concatenate(
        [flow.ends[flow.left[:, 0] > flow.least], flow.ends[flow.left[:, 1] > flow.least][:, ::-1]]
    )
    while True:
        new = arcs[seen[arcs[:, 0]] & ~seen[arcs[:, 1]], 1]
        if not len(new):
            return seen
        seen[new] = True
