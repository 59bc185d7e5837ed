"""Maximum flow against networkx and scipy, the capacity of cuts, and hand calculation."""

from typing import NamedTuple

import networkx as nx
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import maximum_flow

from explorer.engine.structures.fields.kernels.flow_network import Network, connect, network
from explorer.engine.structures.fields.kernels.max_flow import SINK, SOURCE, complete, max_flow

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


class Flows(NamedTuple):
    """Edges with a capacity each way, and what comes from s (positive) or goes to t (negative) at every
    node.
    """

    ends: Ints
    forth: Array
    back: Array
    terminal: Array


def random_flows(rng: np.random.Generator, n: int, share: float, most: int) -> Flows:
    """Whole capacities, many of them 0, on a random graph."""
    ends = np.array([(a, b) for a in range(n) for b in range(a) if rng.random() < share], np.int64).reshape(
        -1, 2
    )
    e = len(ends)
    capacities = rng.integers(0, most, e), rng.integers(0, most, e), rng.integers(-2 * most, 2 * most + 1, n)
    return Flows(ends, *(part.astype(float) for part in capacities))


def solved(flows: Flows, least: float = 0.0, net: Network | None = None) -> tuple[float, Network, Ints]:
    """The flow, the network after it, and the arc of every edge."""
    n, e = len(flows.terminal), len(flows.ends)
    net, arc = net or network(n, 2 * e), np.empty(e, np.int32)
    connect(net, n, flows.ends, arc)
    net.arcs["residual"][arc] = flows.forth
    net.arcs["residual"][net.arcs["sister"][arc]] = flows.back
    net.nodes["terminal"][:n] = flows.terminal
    return max_flow(net, n, least), net, arc.astype(np.int64)


def arcs(flows: Flows) -> list[tuple[int, int, float]]:
    """All arcs, s and t last."""
    s, t = len(flows.terminal), len(flows.terminal) + 1
    out = [(a, b, c) for (a, b), c in zip(flows.ends.tolist(), flows.forth, strict=True)]
    out += [(b, a, c) for (a, b), c in zip(flows.ends.tolist(), flows.back, strict=True)]
    return out + [(s, u, c) if c > 0 else (u, t, -c) for u, c in enumerate(flows.terminal)]


def by_networkx(flows: Flows) -> float:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(flows.terminal) + 2))
    graph.add_weighted_edges_from(arcs(flows), weight="capacity")
    return float(nx.maximum_flow_value(graph, len(flows.terminal), len(flows.terminal) + 1))


def by_scipy(flows: Flows) -> int:
    a, b, c = zip(*arcs(flows), strict=True)
    size = len(flows.terminal) + 2
    capacity = coo_array((np.array(c, np.int32), (a, b)), shape=(size, size)).tocsr()
    return int(maximum_flow(capacity, size - 2, size - 1).flow_value)


def cut_capacity(flows: Flows, source: Ints) -> float:
    """What leads from the nodes of the source's side, and s, to the others, and t."""
    n = len(flows.terminal)
    inside = np.append(source, [True, False])
    return sum(c for a, b, c in arcs(flows) if inside[a] and not inside[b]) if n else 0.0


def test_flows_of_small_random_graphs_equal_those_of_networkx() -> None:
    rng = np.random.default_rng(0)
    for _ in range(120):
        flows = random_flows(
            rng, int(rng.integers(1, 10)), rng.choice([0.2, 0.5, 1.0]), int(rng.choice([2, 4, 40]))
        )
        assert solved(flows)[0] == by_networkx(flows)


def test_flows_of_larger_random_graphs_equal_those_of_scipy() -> None:
    rng = np.random.default_rng(1)
    for n, share, most in ((60, 0.05, 30), (60, 0.3, 3), (40, 1.0, 100), (200, 0.01, 20), (200, 0.015, 2)):
        flows = random_flows(rng, n, share, most)
        flows.terminal[rng.random(n) < 0.7] = 0.0  # few nodes at s and t make long paths
        assert solved(flows)[0] == by_scipy(flows)


def test_either_side_of_the_trees_is_a_cut_whose_capacity_is_the_flow() -> None:
    rng = np.random.default_rng(2)
    for _ in range(60):
        n = int(rng.integers(2, 14))
        flows = random_flows(rng, n, 0.4, 8)
        flow, net, _ = solved(flows)
        complete(net, n, SOURCE, 0.0)
        complete(net, n, SINK, 0.0)
        level = net.nodes["level"][:n]
        assert cut_capacity(flows, level > 0) == flow
        assert cut_capacity(flows, ~(level < 0)) == flow


def test_what_is_left_is_a_flow_that_nodes_pass_on_and_capacities_allow() -> None:
    rng = np.random.default_rng(3)
    for _ in range(40):
        n = int(rng.integers(2, 12))
        flows = random_flows(rng, n, 0.6, 8)
        flow, net, arc = solved(flows)
        left = net.arcs["residual"]
        assert np.all(left >= 0.0)
        over = flows.forth - left[arc]  # along the edge, from its first to its second end
        assert np.array_equal(left[net.arcs["sister"][arc]] - flows.back, over)
        entered = flows.terminal - net.nodes["terminal"][:n]
        leaving = np.bincount(flows.ends[:, 0], over, n) - np.bincount(flows.ends[:, 1], over, n)
        assert np.array_equal(entered, leaving)
        assert entered[entered > 0].sum() == flow


def test_real_capacities_of_all_sizes_give_a_flow_that_equals_the_cut() -> None:
    rng = np.random.default_rng(4)
    for _ in range(40):
        n = int(rng.integers(2, 14))
        flows = random_flows(rng, n, 0.5, 9)
        flows = Flows(flows.ends, *(part * 10.0 ** rng.uniform(-9, 3, part.shape) for part in flows[1:]))
        largest = max(abs(c) for _, _, c in arcs(flows))
        flow, net, _ = solved(flows, 1e-14 * largest)
        complete(net, n, SOURCE, 1e-14 * largest)
        assert flow == pytest.approx(cut_capacity(flows, net.nodes["level"][:n] > 0), abs=1e-12 * largest)


def test_the_capacities_on_which_augmenting_paths_may_go_on_for_ever_are_solved() -> None:
    # Zwick's network: s and t have arcs of capacity M to and from v1 .. v4, between which arcs carry 1, 1 and
    # the golden
    # ratio's r. v1 and v4 have both kinds, the second over nodes of their own: 4 and 5 at s, 6 at t. The best
    # is 2 M + 1.
    r, M = (5**0.5 - 1) / 2, 4.0
    ends = np.array([(1, 0), (1, 2), (3, 2), (4, 0), (5, 3), (3, 6)])
    flows = Flows(
        ends, np.array([1.0, 1.0, r, M, M, M]), np.zeros(6), M * np.array([-1.0, 1, -1, 0, 1, 1, -1])
    )
    assert solved(flows)[0] == pytest.approx(2 * M + 1, abs=1e-12)


def test_a_path_carries_its_narrowest_arc() -> None:
    flows = Flows(np.array([(0, 1), (1, 2)]), np.array([3.0, 2.0]), np.zeros(2), np.array([5.0, 0.0, -4.0]))
    assert solved(flows)[0] == 2.0


def test_without_a_way_from_source_to_sink_nothing_flows() -> None:
    none = np.zeros((0, 2), np.int64)
    assert solved(Flows(none, np.zeros(0), np.zeros(0), np.array([1.0, -1.0])))[0] == 0.0
    assert solved(Flows(none, np.zeros(0), np.zeros(0), np.zeros(0)))[0] == 0.0
    back = Flows(np.array([(0, 1)]), np.zeros(1), np.ones(1), np.array([1.0, -1.0]))
    assert solved(back)[0] == 0.0


def test_memory_of_a_larger_network_may_be_used_again() -> None:
    rng = np.random.default_rng(5)
    net = network(14, 14 * 13)
    for _ in range(20):
        flows = random_flows(rng, int(rng.integers(1, 15)), 0.6, 9)
        assert solved(flows, net=net)[0] == solved(flows)[0]
