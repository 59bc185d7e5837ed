"""A flow problem in memory: nodes and arcs as records, laid out once and filled with capacities as often as
needed.

Arcs of a node lie behind each other (compressed rows); every arc knows its reverse, its `sister`. The arcs of
s and t are one number per node: terminal > 0 is capacity from s, terminal < 0 is minus that to t. `max_flow`
turns capacities into what is left of them. Cost of laying out: one look per node and edge.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorer.engine.compiled import compiled
from explorer.engine.vectors import Ints

Int32s = NDArray[np.int32]
Records = NDArray[np.void]

NODE = np.dtype(
    [
        ("start", "i4"),
        ("level", "i4"),
        ("parent", "i4"),
        ("current", "i4"),
        ("terminal", "f8"),
        ("waits", "i8"),
    ]
)
"""start is the first arc; the next node's start ends them. level is the distance in the source tree, minus
that in the sink tree, or 0 outside both. parent is the arc to the parent in the tree, current the first arc
that may still lead to one. waits has a bit for each tree that has yet to look at the node."""

ARC = np.dtype([("head", "i4"), ("sister", "i4"), ("residual", "f8")])
"""head is the node at the other end, residual the capacity left."""


class Network(NamedTuple):
    """Nodes, arcs and working memory, for at most as many nodes and arcs as it was made for.

    `rings` are circular lists: the nodes that each tree has to look at, and the orphans; `counts` says where
    they begin.
    """

    nodes: Records
    arcs: Records
    rings: Int32s
    counts: Ints


@compiled
def network(nodes: int, arcs: int) -> Network:
    """Memory for that many nodes and arcs; an edge has two arcs, one in each direction."""
    rings = np.empty((3, nodes), np.int32)
    return Network(np.zeros(nodes + 1, NODE), np.zeros(arcs, ARC), rings, np.zeros(8, np.int64))


@compiled
def connect(net: Network, n: int, ends: Ints, arc: Int32s) -> None:
    """Lay out the arcs of these edges; arc[e] is the one from ends[e, 0] to ends[e, 1]."""
    nodes = net.nodes
    for u in range(n + 1):
        nodes[u]["start"] = 0
    for e in range(len(ends)):
        nodes[ends[e, 0] + 1]["start"] += 1
        nodes[ends[e, 1] + 1]["start"] += 1
    for u in range(n):
        nodes[u + 1]["start"] += nodes[u]["start"]
        nodes[u]["current"] = nodes[u]["start"]
    for e in range(len(ends)):
        arc[e] = join(net, ends[e, 0], ends[e, 1])


@compiled
def join(net: Network, u: int, v: int) -> int:
    """Take the next free arc of u and of v as a pair; `current` counts what is taken. Answers the arc from u
    to v.
    """
    there, back = net.nodes[u]["current"], net.nodes[v]["current"]
    net.nodes[u]["current"] += 1
    net.nodes[v]["current"] += 1
    net.arcs[there]["head"], net.arcs[there]["sister"] = v, back
    net.arcs[back]["head"], net.arcs[back]["sister"] = u, there
    return int(there)
