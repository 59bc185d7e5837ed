"""Maximum flow and minimum cut on sparse graphs with real capacities, by two search trees that grow level by level.

    max flow from s to t = min over node sets R of  sum of the capacities that leave R + {s}

A source tree and a sink tree hold the nodes within some distance of s and t along arcs with capacity left. The tree with
fewer nodes to look at grows by a whole level; where the trees meet, flow is pushed along the path, and nodes that lost
their way to the root (orphans) look for a new parent at the smallest distance, or leave the tree. The two trees and the
orphans are those of Boykov and Kolmogorov, "An experimental comparison of min-cut/max-flow algorithms" (2004); the
levels are those of Goldberg et al., "Maximum flows by incremental breadth-first search" (2011): a node's distance never
falls, so for n nodes and m arcs the work is at most O(n^2 m), whatever the capacities are.

Arcs of a node lie behind each other (compressed rows); every arc knows its reverse, its `sister`. The arcs of s and t are
one number per node: terminal[u] > 0 is capacity left from s, terminal[u] < 0 is minus that to t. A capacity of at most
`least` counts as used up, so that rounding makes no path; `least` = 0 is exact for whole numbers.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorer.engine.kernels.compiled import compiled
from explorer.engine.vectors import Array, Ints

Int32s = NDArray[np.int32]

SOURCE, SINK = 0, 1
ROOT, ORPHAN = -1, -2
TOLERANCE = 1e-14
"""`least`, as a share of the largest capacity."""

DEPTH, FIRST, WAITING, LOST, ORPHANS = 0, 2, 4, 6, 7
"""Places in Network.counts; the first three hold one number for each tree."""


class Network(NamedTuple):
    """A flow problem and its working memory, for at most as many nodes and arcs as it was made for.

    level[u] is u's distance in the source tree, minus that in the sink tree, or 0 outside both. parent[u] is the arc
    from u to its parent; current[u] the first of u's arcs that may still lead to one. Nodes that have not been looked
    at since they joined a tree wait in `queue`, a ring for each tree.
    """

    start: Int32s
    head: Int32s
    sister: Int32s
    residual: Array
    terminal: Array
    level: Int32s
    parent: Int32s
    current: Int32s
    queue: Int32s
    queued: NDArray[np.bool_]
    orphans: Int32s
    counts: Ints


@compiled
def network(nodes: int, arcs: int) -> Network:
    """Memory for that many nodes and arcs; an edge has two arcs, one in each direction."""
    ints = np.zeros((4, nodes + 1), np.int32)
    ends = np.empty((2, arcs), np.int32)
    queued = np.zeros((2, nodes), np.bool_)
    rings = np.empty((3, nodes), np.int32)
    reals = np.zeros(arcs + nodes)
    return Network(
        ints[0], ends[0], ends[1], reals[:arcs], reals[arcs:], ints[1], ints[2], ints[3], rings[:2], queued, rings[2],
        np.zeros(8, np.int64),
    )  # fmt: skip


@compiled
def connect(net: Network, n: int, ends: Ints, arc: Int32s) -> None:
    """Lay out the arcs of these edges; arc[e] is the one from ends[e, 0] to ends[e, 1]."""
    start, fill = net.start, net.current
    for u in range(n + 1):
        start[u] = 0
    for e in range(len(ends)):
        start[ends[e, 0] + 1] += 1
        start[ends[e, 1] + 1] += 1
    for u in range(n):
        start[u + 1] += start[u]
        fill[u] = start[u]
    for e in range(len(ends)):
        arc[e] = join(net, ends[e, 0], ends[e, 1])


@compiled
def join(net: Network, u: int, v: int) -> int:
    """Take the next free arc of u and of v as a pair; `current` counts what is taken. Answers the arc from u to v."""
    there, back = net.current[u], net.current[v]
    net.current[u] += 1
    net.current[v] += 1
    net.head[there], net.sister[there] = v, back
    net.head[back], net.sister[back] = u, there
    return int(there)


@compiled
def max_flow(net: Network, n: int, least: float) -> float:
    """Push all the flow there is, turning capacities into what is left of them; answers how much was pushed.

    Afterwards one tree has nothing left to look at: it is the whole side of the cut that its terminal can reach.
    """
    flow, waiting = _push_short(net, n, least), net.counts[WAITING : WAITING + 2]
    _plant(net, n, least)
    while waiting[SOURCE] > 0 and waiting[SINK] > 0:
        flow += _grow(net, n, SOURCE if waiting[SOURCE] <= waiting[SINK] else SINK, least)
    return flow


@compiled
def complete(net: Network, n: int, side: int, least: float) -> None:
    """After max_flow: let one tree take every node that its terminal reaches (source) or that reaches it (sink)."""
    while net.counts[WAITING + side] > 0:
        _grow(net, n, side, least)


@compiled
def _push_short(net: Network, n: int, least: float) -> float:
    """Push along every path from s over a single arc to t; it saves the trees most of their work on images."""
    flow = 0.0
    for u in range(n):
        left = net.terminal[u]
        if left <= least:
            continue
        for a in range(net.start[u], net.start[u + 1]):
            v = net.head[a]
            if net.terminal[v] < -least and net.residual[a] > least:
                amount = min(left, net.residual[a], -net.terminal[v])
                net.residual[a] -= amount
                net.residual[net.sister[a]] += amount
                net.terminal[v] += amount
                left -= amount
                flow += amount
                if left <= least:
                    break
        net.terminal[u] = left
    return flow


@compiled
def _plant(net: Network, n: int, least: float) -> None:
    """Start both trees with the nodes that have capacity from s or to t."""
    net.counts[:] = 0
    net.counts[DEPTH] = net.counts[DEPTH + 1] = 1
    for u in range(n):
        net.level[u] = 0
        net.queued[SOURCE, u] = net.queued[SINK, u] = False
        if abs(net.terminal[u]) > least:
            side = SOURCE if net.terminal[u] > 0.0 else SINK
            net.level[u] = 1 - 2 * side
            net.parent[u] = ROOT
            net.current[u] = net.start[u]
            _wait(net, n, side, u)


@compiled
def _wait(net: Network, n: int, side: int, u: int) -> None:
    """Put u at the end of the nodes to look at, unless it is among them."""
    if net.queued[side, u]:
        return
    net.queued[side, u] = True
    at = net.counts[FIRST + side] + net.counts[WAITING + side]
    net.queue[side, at - n if at >= n else at] = u
    net.counts[WAITING + side] += 1


@compiled
def _grow(net: Network, n: int, side: int, least: float) -> float:
    """Look at all nodes of the tree's last level once; they bring in the next level, or find paths."""
    sign, depth, flow = 1 - 2 * side, net.counts[DEPTH + side], 0.0
    net.counts[DEPTH + side] = depth + 1
    for _ in range(net.counts[WAITING + side]):
        u = _next(net, n, side)
        if net.level[u] == sign * (depth + 1):  # it moved away while it waited
            _wait(net, n, side, u)
        a = net.start[u]
        while a < net.start[u + 1] and net.level[u] == sign * depth:
            bridge = _take_in(net, n, u, a, side, least)
            if bridge < 0:
                break
            flow += _augment(net, n, bridge if side == SOURCE else net.sister[bridge], least)
            _settle(net, n, least)
            a = bridge  # it may carry more
    return flow


@compiled
def _next(net: Network, n: int, side: int) -> int:
    """The node that has waited longest."""
    at = net.counts[FIRST + side]
    net.counts[FIRST + side] = 0 if at + 1 == n else at + 1
    net.counts[WAITING + side] -= 1
    u = net.queue[side, at]
    net.queued[side, u] = False
    return int(u)


@compiled
def _take_in(net: Network, n: int, u: int, a: int, side: int, least: float) -> int:
    """Take in the free nodes at the ends of u's arcs from a on; stops at an arc to the other tree and answers it, or -1."""
    sign = 1 - 2 * side
    found = -1
    while a < net.start[u + 1] and found < 0:
        v = net.head[a]
        if net.level[v] * sign <= 0 and net.residual[a if side == SOURCE else net.sister[a]] > least:
            if net.level[v] == 0:
                net.level[v] = net.level[u] + sign
                net.parent[v] = net.sister[a]
                net.current[v] = net.start[v]
                _wait(net, n, side, v)
            else:
                found = a
        a += 1
    return found


@compiled
def _augment(net: Network, n: int, bridge: int, least: float) -> float:
    """Push as much as possible down the source tree, over the bridge and up the sink tree; finds the orphans."""
    u, v = net.head[net.sister[bridge]], net.head[bridge]
    amount = min(net.residual[bridge], _room(net, u, v))
    net.residual[bridge] -= amount
    net.residual[net.sister[bridge]] += amount
    while net.parent[u] != ROOT:
        a = net.parent[u]
        back = net.sister[a]
        net.residual[a] += amount
        net.residual[back] -= amount
        if net.residual[back] <= least:
            _orphan_first(net, n, u)
        u = net.head[a]
    net.terminal[u] -= amount
    if net.terminal[u] <= least:
        _orphan_first(net, n, u)
    while net.parent[v] != ROOT:
        a = net.parent[v]
        net.residual[a] -= amount
        net.residual[net.sister[a]] += amount
        if net.residual[a] <= least:
            _orphan_first(net, n, v)
        v = net.head[a]
    net.terminal[v] += amount
    if net.terminal[v] >= -least:
        _orphan_first(net, n, v)
    return float(amount)


@compiled
def _room(net: Network, u: int, v: int) -> float:
    """The least capacity left on the way from s to u and from v to t."""
    room = np.inf
    while net.parent[u] != ROOT:
        room = min(room, net.residual[net.sister[net.parent[u]]])
        u = net.head[net.parent[u]]
    while net.parent[v] != ROOT:
        room = min(room, net.residual[net.parent[v]])
        v = net.head[net.parent[v]]
    return min(room, net.terminal[u], -net.terminal[v])


@compiled
def _orphan_first(net: Network, n: int, u: int) -> None:
    """Orphans on a path are met from the bridge to the root; those nearer to the root are settled first."""
    net.parent[u] = ORPHAN
    net.counts[LOST] = (n if net.counts[LOST] == 0 else net.counts[LOST]) - 1
    net.orphans[net.counts[LOST]] = u
    net.counts[ORPHANS] += 1


@compiled
def _settle(net: Network, n: int, least: float) -> None:
    """Give every orphan a parent one level nearer to the root; else move it away from the root, or out of the tree."""
    while net.counts[ORPHANS] > 0:
        at = net.counts[LOST]
        net.counts[LOST] = 0 if at + 1 == n else at + 1
        net.counts[ORPHANS] -= 1
        u = net.orphans[at]
        sign = 1 if net.level[u] > 0 else -1
        # Arcs before `current` cannot lead to a parent at this level again.
        a = net.current[u] if net.level[u] != sign else net.start[u + 1]
        while a < net.start[u + 1] and net.parent[u] == ORPHAN:
            back = net.sister[a] if sign > 0 else a
            if net.level[net.head[a]] == net.level[u] - sign and net.residual[back] > least:
                net.parent[u] = net.current[u] = a
            a += 1
        if net.parent[u] == ORPHAN:
            _move_away(net, n, u, sign, least)


@compiled
def _move_away(net: Network, n: int, u: int, sign: int, least: float) -> None:
    """Put u behind the nearest neighbour that its tree has, or outside; its children become orphans."""
    side = SOURCE if sign > 0 else SINK
    depth = net.counts[DEPTH + side]
    nearest, parent = depth, -1
    for a in range(net.start[u], net.start[u + 1]):
        v, back = net.head[a], net.sister[a]
        distance = net.level[v] * sign
        if distance > 0:
            if net.parent[v] == back:
                _orphan_last(net, n, v)
            if distance < nearest and net.residual[back if sign > 0 else a] > least:
                nearest, parent = distance, a
    net.level[u] = 0 if parent < 0 else sign * (nearest + 1)
    if parent >= 0:
        net.parent[u] = net.current[u] = parent
        if nearest + 1 == depth:
            _wait(net, n, side, u)


@compiled
def _orphan_last(net: Network, n: int, u: int) -> None:
    """A node whose parent moved is settled after all that are orphans already."""
    net.parent[u] = ORPHAN
    at = net.counts[LOST] + net.counts[ORPHANS]
    net.orphans[at - n if at >= n else at] = u
    net.counts[ORPHANS] += 1
