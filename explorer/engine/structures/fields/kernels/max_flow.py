"""Maximum flow and minimum cut on sparse graphs with real capacities, by two search trees that grow level by
level.

    max flow from s to t = min over node sets R of  sum of the capacities that leave R + {s}

A source tree and a sink tree hold the nodes within some distance of s and t along arcs with capacity left.
The tree with fewer nodes to look at grows by a whole level; where the trees meet, flow is pushed along the
path, and nodes that lost their way to the root (orphans) look for a new parent at the smallest distance, or
leave the tree. The two trees and the orphans are those of Boykov and Kolmogorov, "An experimental comparison
of min-cut/max-flow algorithms" (2004); the levels are those of Goldberg et al., "Maximum flows by incremental
breadth-first search" (2011): a node's distance never falls, so for n nodes and m arcs the work is at most
O(n^2 m), whatever the capacities are.

A capacity of at most `least` counts as used up, so that rounding makes no path; `least` = 0 is exact for
whole numbers. Conditional expressions below never look into the network: the compiler would count its arrays
at every branch, which takes longer than the search.
"""

from explorer.engine.compiled import compiled
from explorer.engine.structures.fields.kernels.flow_network import Network

SOURCE, SINK = 0, 1
ROOT, ORPHAN = -1, -2
TOLERANCE = 1e-14
"""`least`, as a share of the largest capacity."""

DEPTH, FIRST, WAITING, LOST, ORPHANS = 0, 2, 4, 6, 7
"""Places in Network.counts; the first three hold one number for each tree."""


@compiled
def max_flow(net: Network, n: int, least: float) -> float:
    """Push all the flow there is, turning capacities into what is left of them; answers how much was pushed.

    Afterwards one tree has nothing left to look at: it is the whole side of the cut that its terminal can
    reach.
    """
    flow = _push_short(net, n, least)
    _plant(net, n, least)
    while net.counts[WAITING + SOURCE] > 0 and net.counts[WAITING + SINK] > 0:
        side = SOURCE
        if net.counts[WAITING + SINK] < net.counts[WAITING + SOURCE]:
            side = SINK
        flow += _grow(net, n, side, least)
    return flow


@compiled
def complete(net: Network, n: int, side: int, least: float) -> None:
    """After max_flow: let one tree take every node that its terminal reaches (source) or that reaches it
    (sink).
    """
    while net.counts[WAITING + side] > 0:
        _grow(net, n, side, least)


@compiled
def _push_short(net: Network, n: int, least: float) -> float:
    """Push along every path from s over a single arc to t; it saves the trees most of their work on
    images.
    """
    flow, nodes, arcs = 0.0, net.nodes, net.arcs
    for u in range(n):
        left = nodes[u]["terminal"]
        if left <= least:
            continue
        for a in range(nodes[u]["start"], nodes[u + 1]["start"]):
            v = arcs[a]["head"]
            if nodes[v]["terminal"] < -least and arcs[a]["residual"] > least:
                amount = min(left, arcs[a]["residual"], -nodes[v]["terminal"])
                arcs[a]["residual"] -= amount
                arcs[arcs[a]["sister"]]["residual"] += amount
                nodes[v]["terminal"] += amount
                left -= amount
                flow += amount
                if left <= least:
                    break
        nodes[u]["terminal"] = left
    return flow


@compiled
def _plant(net: Network, n: int, least: float) -> None:
    """Start both trees with the nodes that have capacity from s or to t."""
    net.counts[:] = 0
    net.counts[DEPTH + SOURCE] = net.counts[DEPTH + SINK] = 1
    for u in range(n):
        left = net.nodes[u]["terminal"]
        net.nodes[u]["level"] = net.nodes[u]["waits"] = 0
        if abs(left) > least:
            side = SOURCE if left > 0.0 else SINK
            net.nodes[u]["level"] = 1 - 2 * side
            net.nodes[u]["parent"] = ROOT
            net.nodes[u]["current"] = net.nodes[u]["start"]
            _wait(net, n, side, u)


@compiled
def _wait(net: Network, n: int, side: int, u: int) -> None:
    """Put u at the end of the nodes to look at, unless it is among them."""
    if net.nodes[u]["waits"] & (1 + side) == 0:
        net.nodes[u]["waits"] |= 1 + side
        at = net.counts[FIRST + side] + net.counts[WAITING + side]
        net.rings[side, at - n if at >= n else at] = u
        net.counts[WAITING + side] += 1


@compiled
def _next(net: Network, n: int, side: int) -> int:
    """The node that has waited longest."""
    at = net.counts[FIRST + side]
    net.counts[FIRST + side] = 0 if at + 1 == n else at + 1
    net.counts[WAITING + side] -= 1
    u = net.rings[side, at]
    net.nodes[u]["waits"] &= 2 - side
    return int(u)


@compiled
def _grow(net: Network, n: int, side: int, least: float) -> float:
    """Look at all nodes of the tree's last level once; they bring in the next level, or find paths."""
    sign, depth, flow = 1 - 2 * side, net.counts[DEPTH + side], 0.0
    net.counts[DEPTH + side] = depth + 1
    for _ in range(net.counts[WAITING + side]):
        u = _next(net, n, side)
        if net.nodes[u]["level"] == sign * (depth + 1):  # it moved away while it waited
            _wait(net, n, side, u)
        a = int(net.nodes[u]["start"])
        while a >= 0 and net.nodes[u]["level"] == sign * depth:
            a = _take_in(net, n, u, a, side, least)
            if a >= 0:  # it may carry more afterwards
                flow += _augment(net, n, a, side, least)
                _settle(net, n, least)
    return flow


@compiled
def _take_in(net: Network, n: int, u: int, a: int, side: int, least: float) -> int:
    """Take in the free nodes at the ends of u's arcs from a on; answers an arc to the other tree, or -1 for
    none.
    """
    sign, found, end = 1 - 2 * side, -1, net.nodes[u + 1]["start"]
    while a < end and found < 0:
        v, back = net.arcs[a]["head"], net.arcs[a]["sister"]
        level = net.nodes[v]["level"]
        if level * sign <= 0 and net.arcs[a if side == SOURCE else back]["residual"] > least:
            if level == 0:
                net.nodes[v]["level"] = net.nodes[u]["level"] + sign
                net.nodes[v]["parent"] = back
                net.nodes[v]["current"] = net.nodes[v]["start"]
                _wait(net, n, side, int(v))
            else:
                found = a
        a += 1
    return found


@compiled
def _augment(net: Network, n: int, found: int, side: int, least: float) -> float:
    """Push as much as possible from s to t over an arc, found from one side, between the trees; notes the
    orphans.
    """
    back = int(net.arcs[found]["sister"])
    bridge, back = (found, back) if side == SOURCE else (back, found)
    u, v = int(net.arcs[back]["head"]), int(net.arcs[bridge]["head"])
    amount = _room(net, u, SOURCE, _room(net, v, SINK, net.arcs[bridge]["residual"]))
    net.arcs[bridge]["residual"] -= amount
    net.arcs[back]["residual"] += amount
    _drain(net, n, u, 1, amount, least)
    _drain(net, n, v, -1, amount, least)
    return amount


@compiled
def _room(net: Network, u: int, side: int, room: float) -> float:
    """The least capacity left between u and the terminal of its tree, at most `room`."""
    up = net.nodes[u]["parent"]
    while up != ROOT:
        back = net.arcs[up]["sister"]
        room = min(room, net.arcs[back if side == SOURCE else up]["residual"])
        u = net.arcs[up]["head"]
        up = net.nodes[u]["parent"]
    return min(room, abs(net.nodes[u]["terminal"]))


@compiled
def _drain(net: Network, n: int, u: int, sign: int, amount: float, least: float) -> None:
    """Take capacity from all arcs between u and the terminal; a node that loses the last of it becomes an
    orphan.
    """
    up = net.nodes[u]["parent"]
    while up != ROOT:
        back = net.arcs[up]["sister"]
        net.arcs[up]["residual"] += sign * amount
        net.arcs[back]["residual"] -= sign * amount
        if net.arcs[back if sign > 0 else up]["residual"] <= least:
            _orphan(net, n, u, True)
        u = int(net.arcs[up]["head"])
        up = net.nodes[u]["parent"]
    net.nodes[u]["terminal"] -= sign * amount
    if abs(net.nodes[u]["terminal"]) <= least:
        _orphan(net, n, u, True)


@compiled
def _orphan(net: Network, n: int, u: int, first: bool) -> None:
    """Note an orphan, to be settled first (on a path, met from the bridge to the root) or last (a child of
    another).
    """
    net.nodes[u]["parent"] = ORPHAN
    at = net.counts[LOST] - 1 if first else net.counts[LOST] + net.counts[ORPHANS]
    at = at + n if at < 0 else at - n if at >= n else at
    if first:
        net.counts[LOST] = at
    net.rings[2, at] = u
    net.counts[ORPHANS] += 1


@compiled
def _settle(net: Network, n: int, least: float) -> None:
    """Give every orphan a parent one level nearer to the root; else move it away from the root, or out of the
    tree.
    """
    while net.counts[ORPHANS] > 0:
        at = net.counts[LOST]
        net.counts[LOST] = 0 if at + 1 == n else at + 1
        net.counts[ORPHANS] -= 1
        u = int(net.rings[2, at])
        a = _nearer(net, u, least)
        if a >= 0:
            net.nodes[u]["parent"] = net.nodes[u]["current"] = a
        else:
            _move_away(net, n, u, least)


@compiled
def _nearer(net: Network, u: int, least: float) -> int:
    """An arc to a parent one level nearer to the root, or -1; arcs before `current` cannot lead to one
    again.
    """
    here, a, end, found = net.nodes[u]["level"], int(net.nodes[u]["current"]), net.nodes[u + 1]["start"], -1
    sign = 1 if here > 0 else -1
    while a < end and found < 0 and here != sign:
        v, back = net.arcs[a]["head"], net.arcs[a]["sister"]
        if net.nodes[v]["level"] == here - sign and net.arcs[back if sign > 0 else a]["residual"] > least:
            found = a
        a += 1
    return found


@compiled
def _move_away(net: Network, n: int, u: int, least: float) -> None:
    """Put u behind the nearest neighbour that its tree has, or outside; its children become orphans."""
    sign, side = (1, SOURCE) if net.nodes[u]["level"] > 0 else (-1, SINK)
    depth = net.counts[DEPTH + side]
    nearest, parent = depth, -1
    for a in range(net.nodes[u]["start"], net.nodes[u + 1]["start"]):
        v, back = net.arcs[a]["head"], net.arcs[a]["sister"]
        distance = net.nodes[v]["level"] * sign
        if distance > 0:
            if net.nodes[v]["parent"] == back:
                _orphan(net, n, int(v), False)
            if distance < nearest and net.arcs[back if sign > 0 else a]["residual"] > least:
                nearest, parent = distance, a
    net.nodes[u]["level"] = 0 if parent < 0 else sign * (nearest + 1)
    if parent >= 0:
        net.nodes[u]["parent"] = net.nodes[u]["current"] = parent
        if nearest + 1 == depth:
            _wait(net, n, side, u)
