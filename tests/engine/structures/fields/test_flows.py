"""Flows path by path: their value is networkx's, their cut is full, and a field's flow is what its best score
lacks.
"""

import networkx as nx
import numpy as np
import pytest

from explorer.engine.structures.fields.flows import (
    Flow,
    augmenting_paths,
    doubled_network,
    empty_flow,
    network_of,
    source_side,
)
from explorer.engine.structures.fields.oracles.graph_cut import cut_of
from explorer.engine.structures.fields.oracles.roof_duality import RoofDuality
from tests.engine.structures.fields.oracles.sample_fields import (
    complete,
    every,
    graph_edges,
    grid_edges,
    scored,
    stacked,
)


def some_network(seed: int) -> Flow:
    """Nodes with random ties to source or sink, and random edges between them."""
    rng = np.random.default_rng(seed)
    ends = np.array(graph_edges(rng, 8, 0.5), dtype=np.int64).reshape(-1, 2)
    return empty_flow(ends, rng.uniform(0.0, 1.0, len(ends)), rng.normal(size=8))


def outside(start: Flow) -> float:
    """The value of a maximum flow, by networkx."""
    graph = nx.DiGraph()
    graph.add_nodes_from(["source", "sink"])
    for (a, b), c in zip(start.ends.tolist(), start.capacity, strict=True):
        graph.add_edge(a, b, capacity=float(c))
        graph.add_edge(b, a, capacity=float(c))
    for u, t in enumerate(start.terminal):
        graph.add_edge(*(("source", u) if t > 0 else (u, "sink")), capacity=float(abs(t)))
    return float(nx.maximum_flow_value(graph, "source", "sink"))


@pytest.mark.parametrize("seed", range(12))
def test_the_paths_carry_together_what_networkx_finds(seed: int) -> None:
    start = some_network(seed)
    assert sum(carried for _, carried in augmenting_paths(start)) == pytest.approx(outside(start))


@pytest.mark.parametrize("seed", range(6))
def test_paths_never_get_shorter_and_never_use_more_than_there_is(seed: int) -> None:
    start = some_network(seed)
    flows = [flow for flow, _ in augmenting_paths(start)]
    lengths = [len(flow.path) for flow in flows]
    assert lengths == sorted(lengths)
    for flow in flows:
        assert flow.left.min(initial=0.0) >= -1e-12
        assert flow.left.sum(axis=1) == pytest.approx(2.0 * start.capacity)
        assert np.all(np.abs(flow.terminal_left) <= np.abs(start.terminal) + 1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_what_the_source_still_reaches_is_a_cut_of_the_same_capacity(seed: int) -> None:
    start = some_network(seed)
    flows = list(augmenting_paths(start))
    last = flows[-1][0] if flows else start
    side = source_side(last)
    crossed = side[start.ends[:, 0]] != side[start.ends[:, 1]]
    cut = start.capacity[crossed].sum() + start.terminal[~side & (start.terminal > 0)].sum()
    cut -= start.terminal[side & (start.terminal < 0)].sum()
    assert cut == pytest.approx(sum(carried for _, carried in flows))


def test_the_flow_of_an_attracting_field_is_what_its_best_score_lacks() -> None:
    rng = np.random.default_rng(5)
    part = scored(rng, 9, grid_edges(3, 3), 2)
    part.pair[:] = rng.uniform(0.0, 1.0, (len(part.ends), 1, 1)) * np.eye(2)
    field = stacked([part])
    cut = cut_of(field)
    flow = sum(carried for _, carried in augmenting_paths(network_of(field, cut)))
    assert cut.constant - flow == pytest.approx(every(field)[1].max())


def test_the_doubled_networks_flow_is_what_the_bound_of_roof_duality_lacks() -> None:
    """bound = (all that could be gained) - flow, where an edge's best is 1/2 |b| above its mean over both
    kinds.
    """
    for field in complete(5, 6, seed=2):
        start, pair = doubled_network(field), field.pair[field.table]
        pull = pair[:, 0, 0] + pair[:, 1, 1] - pair[:, 0, 1] - pair[:, 1, 0]
        most = field.unary[:, 0].sum() + (pair[:, 0, 0] + np.maximum(0.0, -0.5 * pull)).sum()
        most += np.maximum(0.0, -2.0 * start.terminal[: len(field.unary)]).sum()
        flow = sum(carried for _, carried in augmenting_paths(start))
        assert flow == pytest.approx(outside(start))
        assert most - flow == pytest.approx(float(RoofDuality().solve(field).bound[0]))
