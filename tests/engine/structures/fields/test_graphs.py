"""Graphs as inputs: what they hold, and which sentence names the place and the fix of what does not fit."""

import networkx as nx
import numpy as np
import pytest

from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.graphs import (
    Graph,
    across_and_down,
    checked_labels,
    from_networkx,
    graph,
    graphs,
    grid,
)

ROWS = [[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]]


def test_a_graph_keeps_rows_and_edges_read_only() -> None:
    made = graph(ROWS, [(0, 1), (2, 1)])
    assert made.nodes.tolist() == ROWS
    assert made.edges.tolist() == [[0, 1], [2, 1]]
    assert made.edge_features.tolist() == [[1.0], [1.0]]
    assert len(made) == 3
    assert not any(part.flags.writeable for part in (made.nodes, made.edges, made.edge_features))


def test_the_given_arrays_stay_the_callers_own() -> None:
    rows = np.array(ROWS)
    made = graph(rows, [(0, 1)])
    rows[0, 0] = 7.0
    assert made.nodes[0, 0] == 1.0


@pytest.mark.parametrize("edges", [[], (), np.zeros((0, 2)), np.zeros((0, 2), dtype=int)])
def test_a_graph_may_have_no_edges(edges: object) -> None:
    made = graph(ROWS, edges)
    assert made.edges.shape == (0, 2)
    assert made.edges.dtype == np.int64
    assert made.edge_features.shape == (0, 1)


def test_a_graph_may_fall_into_pieces() -> None:
    made = graph(np.ones((5, 1)), [(0, 1), (3, 4)])
    assert len(made) == 5
    assert len(made.edges) == 2


def test_a_grid_of_twelve_by_twelve_has_144_nodes_and_264_edges() -> None:
    made = grid(np.ones((144, 3)), 12, 12)
    assert (len(made), len(made.edges), made.shape) == (144, 264, (12, 12))
    assert nx.is_isomorphic(nx.Graph(made.edges.tolist()), nx.grid_2d_graph(12, 12))


def test_a_grid_numbers_its_cells_row_by_row() -> None:
    made = grid(np.ones((6, 1)), 2, 3)
    assert {tuple(pair) for pair in made.edges.tolist()} == {
        (0, 1),
        (1, 2),
        (3, 4),
        (4, 5),
        (0, 3),
        (1, 4),
        (2, 5),
    }
    assert made.place is not None
    assert made.place.tolist() == [[0, 0], [1, 0], [2, 0], [0, -1], [1, -1], [2, -1]]


def test_only_a_grid_has_directions() -> None:
    with pytest.raises(Refused, match="only the edges of a grid"):
        across_and_down(graph(np.ones((2, 1)), [(0, 1)]))


def test_directional_edges_tell_across_from_down() -> None:
    made = grid(np.ones((6, 1)), 2, 3, directional=True)
    across = made.edges[:, 1] - made.edges[:, 0] == 1
    assert made.edge_features.tolist() == [[1.0, 0.0] if a else [0.0, 1.0] for a in across]


@pytest.mark.parametrize(("rows", "columns", "edges"), [(1, 1, 0), (1, 4, 3), (4, 1, 3)])
def test_a_grid_may_be_a_chain_or_a_single_cell(rows: int, columns: int, edges: int) -> None:
    made = grid(np.ones((rows * columns, 1)), rows, columns, directional=True)
    assert made.edge_features.shape == (edges, 2)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (
            lambda: graph(ROWS, [(0, 3)]),
            "the graph: edge 0 names node 3, but nodes are numbered 0 to 2; correct it",
        ),
        (lambda: graph(ROWS, [(0, 1), (-1, 2)]), "edge 1 names node -1, but nodes are numbered 0 to 2"),
        (lambda: graph(ROWS, [(0, 1), (2, 2)]), "edge 1 joins node 2 with itself; leave self-loops out"),
        (
            lambda: graph(ROWS, [(0, 1), (1, 0)]),
            "nodes 0 and 1 are joined more than once; give each edge once",
        ),
        (lambda: graph(ROWS, [(0, 1), (1, 2), (1, 2)]), "nodes 1 and 2 are joined more than once"),
        (lambda: graph(ROWS, [(0, 1, 2)]), r"edges have shape \(1, 3\) and type int64; give pairs"),
        (lambda: graph(ROWS, [(0, 1), (2,)]), "the edges have rows of different lengths; give all the same"),
        (lambda: graph(ROWS, [(0.0, 1.0)]), "and type float64; give pairs of node numbers"),
        (lambda: graph(ROWS, None), "give pairs of node numbers"),
        (
            lambda: graph([[1.0], [2.0, 3.0]], []),
            "the nodes have rows of different lengths; give all the same",
        ),
        (lambda: graph([1.0, 2.0], []), r"the nodes have shape \(2,\).*give rows of numbers, one for each"),
        (lambda: graph([["a"], ["b"]], []), "type <U1; give rows of numbers"),
        (lambda: graph([[1.0], [np.nan]], []), "the nodes, row 1, column 0, hold nan; give finite numbers"),
        (lambda: graph(np.zeros((0, 2)), []), "the graph has no nodes; leave it out, or give it some"),
        (lambda: graph(np.zeros((3, 0)), []), "give rows of numbers"),
        (
            lambda: graph(ROWS, [(0, 1)], [[1.0], [2.0]]),
            "has 1 edges but 2 rows of edge features; give one for each",
        ),
        (lambda: graph(ROWS, [], [[1.0]]), "has 0 edges but 1 rows of edge features"),
        (lambda: graph(ROWS, [(0, 1)], [[np.inf]]), "the edge features, row 0, column 0, hold inf"),
        (
            lambda: graph(ROWS, [], place=[[0, 0]]),
            r"the places have shape \(1, 2\); give x and y for each of the 3",
        ),
        (lambda: graph(ROWS, [], names=["a"]), "has 3 nodes but 1 names; give one for each node, or none"),
        (lambda: graph(ROWS, [(0, 0)], names="abc"), "joins node 'a' with itself"),
        (
            lambda: grid(ROWS, 2, 2),
            "the grid has 3 nodes, not 2 rows of 2; give one row of features per cell",
        ),
        (lambda: grid(ROWS, 0, 3), "the grid has 0 rows and 3 columns; give it at least one of each"),
    ],
)
def test_what_is_no_graph_is_refused_with_its_place_and_the_fix(made: object, said: str) -> None:
    with pytest.raises(Refused, match=said):
        made()  # type: ignore[operator]


def test_refusals_name_the_graph_that_they_are_about() -> None:
    with pytest.raises(Refused, match=r"^file 7: edge 0 names node 9"):
        graph(ROWS, [(9, 0)], where="file 7")


def club() -> nx.Graph:
    """Three named members, two friendships with a strength and a length."""
    source = nx.Graph()
    for name, features, spot in (
        ("ann", [1.0, 2.0], (0, 0)),
        ("bob", [3.0, 4.0], (1, 0)),
        ("eve", [5.0, 6.0], (0, 1)),
    ):
        source.add_node(name, features=features, size=features[0], pos=spot)
    source.add_edge("ann", "eve", marks=[0.5, 1.0])
    source.add_edge("bob", "eve", marks=[0.25, 2.0])
    return source


def test_a_networkx_graph_brings_features_edges_places_and_names() -> None:
    made = from_networkx(club(), edge_features="marks")
    assert made.nodes.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert made.edges.tolist() == [[0, 2], [1, 2]]
    assert made.edge_features.tolist() == [[0.5, 1.0], [0.25, 2.0]]
    assert made.place is not None
    assert made.place.tolist() == [[0, 0], [1, 0], [0, 1]]
    assert made.names == ("ann", "bob", "eve")


def test_a_single_number_is_a_feature_too() -> None:
    assert from_networkx(club(), features="size").nodes.tolist() == [[1.0], [3.0], [5.0]]


def test_directed_graphs_keep_the_direction_of_their_edges() -> None:
    source = nx.DiGraph([(1, 0)])
    nx.set_node_attributes(source, 1.0, "features")
    made = from_networkx(source)
    assert [made.names[k] for k in made.edges[0]] == ["1", "0"]


def changed(**what: object) -> nx.Graph:
    """The club with a change at eve, or at the friendship of bob and eve."""
    source = nx.MultiGraph(club()) if "again" in what else club()
    if "again" in what:
        source.add_edge("eve", "bob")
    if "loop" in what:
        source.add_edge("eve", "eve", marks=[1.0, 1.0])
    if "features" in what:
        source.nodes["eve"]["features"] = what["features"]
    if "missing" in what:
        del source.nodes["eve"]["features"]
    if "edge" in what:
        source.edges["bob", "eve"].clear()
    return source


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (changed(missing=1), "node 'eve' has no attribute 'features'; give every one its features"),
        (
            changed(features=[1.0]),
            r"node 'eve' has features of shape \(1,\), node 'ann' of \(2,\); give all the same",
        ),
        (changed(features="tall"), "node 'eve' has 'tall' as 'features'; give numbers"),
        (changed(features=[1.0, None]), "the nodes, row 2, column 1, hold nan; give finite numbers"),
        (changed(edge=1), "edge 'bob'-'eve' has no attribute 'marks'; give every one its features"),
        (changed(loop=1), "joins node 'eve' with itself"),
        (nx.Graph(), "the graph has no nodes"),
    ],
)
def test_a_networkx_graph_that_does_not_fit_is_refused_by_name(source: nx.Graph, said: str) -> None:
    with pytest.raises(Refused, match=said):
        from_networkx(source, edge_features="marks")


def test_two_edges_between_the_same_nodes_are_refused() -> None:
    with pytest.raises(Refused, match="nodes 'bob' and 'eve' are joined more than once"):
        from_networkx(changed(again=1))


def test_a_data_set_of_graphs_holds_them_with_their_labels() -> None:
    data = graphs(
        "two", [graph(ROWS, [(0, 1)]), graph(ROWS[:1], [])], [[0, 1, 1], np.array([True])], ("off", "on")
    )
    assert [y.tolist() for y in data.labels] == [[0, 1, 1], [1]]
    assert data.meta["states"] == ("off", "on")
    assert not data.labels[0].flags.writeable


def test_a_graph_without_edges_fits_among_graphs_with_any_edge_features() -> None:
    wide = graph(ROWS, [(0, 1)], [[1.0, 2.0, 3.0]])
    data = graphs("mixed", [graph(ROWS, []), wide], [[0, 0, 0]] * 2, ("off", "on"))
    assert [x.edge_features.shape for x in data.inputs] == [(0, 3), (1, 3)]


@pytest.mark.parametrize(
    ("inputs", "labels", "said"),
    [
        (
            [graph(ROWS, [])],
            [[0, 1, 2]],
            "example 0, node 2, has the label 2; give a whole number from 0 to 1",
        ),
        (
            [graph(ROWS, [])],
            [[0, -1, 1]],
            "example 0, node 1, has the label -1; give a whole number from 0 to 1",
        ),
        ([graph(ROWS, [])], [[0, 1]], r"example 0 has 3 nodes; its labels have shape \(2,\)"),
        ([graph(ROWS, [])], [[0.0, 1.0, 1.0]], "type float64: give a whole number for each"),
        ([graph(ROWS, [])], [[0, [1], 1]], "example 0: the labels have rows of different lengths"),
        ([graph(ROWS, [])], [], "there are 1 graphs and 0 labellings; give one labelling for each graph"),
        ([], [], "there are 0 graphs and 0 labellings"),
        (
            [graph(ROWS, []), graph([[1.0]], [])],
            [[0, 0, 0], [0]],
            "example 1 has 1 node features but example 0 has 2; give all the same",
        ),
        (
            [graph(ROWS, [(0, 1)]), graph(ROWS, [(0, 1)], [[1.0, 2.0]])],
            [[0, 0, 0]] * 2,
            "example 1 has 2 edge features but example 0 has 1; give all the same",
        ),
        ([nx.path_graph(3)], [[0, 0, 0]], "example 0 is a Graph; make it with graph, grid or from_networkx"),
    ],
)
def test_labels_that_do_not_fit_are_refused(inputs: list[Graph], labels: list[object], said: str) -> None:
    with pytest.raises(Refused, match=said):
        graphs("bad", inputs, labels, ("off", "on"))


def test_labels_are_checked_alone_when_the_data_are_already_there() -> None:
    found = checked_labels([graph(ROWS, [])], [np.array([2, 1, 0], dtype=np.uint8)], 3)
    assert found[0].dtype == np.int64
    assert found[0].tolist() == [2, 1, 0]
