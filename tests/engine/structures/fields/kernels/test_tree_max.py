"""Max-product on single trees against enumeration."""

import networkx as nx
import numpy as np
import pytest

from explorer.engine.incidence import Field, field_at, scratch
from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.kernels.tree_max import first_cyclic, hang, tree_best, tree_best_all
from tests.engine.structures.fields.oracles.sample_fields import (
    definition,
    every,
    graph_edges,
    own_labels,
    scored,
    stacked,
    tree_edges,
)


def stack(fields: Fields) -> tuple[np.ndarray, ...]:
    return fields.unary, fields.nodes, fields.ends, fields.edges, fields.table, fields.pair


def single(fields: Fields) -> Field:
    return field_at(0, *stack(fields), *scratch(fields.nodes, fields.edges, 0, 1))


def test_parents_come_before_children_and_roots_are_the_largest_nodes() -> None:
    rng = np.random.default_rng(0)
    for _ in range(10):
        edges = tree_edges(rng, 9, keep=0.7)
        order, parent = np.empty(9, dtype=np.int64), np.empty(9, dtype=np.int64)
        field = single(stacked([scored(rng, 9, edges, 2)]))
        graph = nx.Graph(edges)
        graph.add_nodes_from(range(9))
        parts = list(nx.connected_components(graph))
        assert hang(field, order, parent) == len(parts)
        assert sorted(order.tolist()) == list(range(9))
        assert {u for u in range(9) if parent[u] == -1} == {max(part) for part in parts}
        place = np.argsort(order)
        for u in np.flatnonzero(parent >= 0):
            e, d = divmod(int(parent[u]), 2)
            assert edges[e][d] == u
            assert place[edges[e][1 - d]] < place[u]


@pytest.mark.parametrize("states", [1, 2, 3])
def test_it_finds_the_best_labelling_of_a_tree(states: int) -> None:
    rng = np.random.default_rng(states)
    for m in (1, 2, 5, 6):
        for ties in (False, True):
            fields = stacked([scored(rng, m, tree_edges(rng, m), states, ties)])
            labels = np.full(m, -1)
            tree_best(single(fields), labels)
            assert definition(fields, labels[None])[0] == pytest.approx(every(fields)[1].max())


def test_a_stack_is_decoded_field_by_field_and_only_where_asked() -> None:
    rng = np.random.default_rng(4)
    fields = stacked([scored(rng, m, tree_edges(rng, m), 2) for m in (3, 5, 1, 4)])
    labels = np.full(len(fields.unary), -1)
    tree_best_all(*stack(fields), 1, 3, labels)
    parts = own_labels(fields, labels)
    assert set(parts[0]) | set(parts[3]) == {-1}
    for i in (1, 2):
        rows, scores = every(fields.one(i))
        assert parts[i].tolist() == rows[scores.argmax()].tolist()


def test_the_first_field_with_a_cycle_is_the_one_that_networkx_calls_no_forest() -> None:
    rng = np.random.default_rng(5)
    for _ in range(30):
        sizes = rng.integers(1, 6, 5).tolist()
        edges = [graph_edges(rng, m, 0.35) for m in sizes]
        graphs = [nx.Graph(pairs) for pairs in edges]
        cyclic = [i for i, graph in enumerate(graphs) if len(graph) and not nx.is_forest(graph)]
        fields = stacked([scored(rng, m, pairs, 2) for m, pairs in zip(sizes, edges, strict=True)])
        assert first_cyclic(*stack(fields), 0, 5) == (cyclic[0] if cyclic else -1)
