"""The graph labeller: one labelling in every form of graph, and what cannot be labelled."""

from typing import Any

import networkx as nx
import numpy as np
import pytest

from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.graphs import grid
from explorer.estimators.graphs import GraphLabeller
from tests.estimators.samples import pictures

X, Y = pictures()


def as_networkx(picture: Any) -> nx.Graph:
    """A picture as a graph whose nodes are named by row and column."""
    found = nx.grid_2d_graph(*picture.shape)
    for node in found:
        found.nodes[node]["features"] = [picture[node]]
    return found


def as_arrays(picture: Any) -> tuple[Any, Any]:
    """A picture as node features and edges."""
    made = grid(picture.reshape(-1, 1), *picture.shape)
    return made.nodes, made.edges


def test_pictures_networkx_graphs_and_arrays_are_the_same_graphs() -> None:
    seen = GraphLabeller(C=10.0, pairwise="symmetric").fit(X, Y)
    graphs = [as_networkx(x) for x in X]
    joined = GraphLabeller(C=10.0, pairwise="symmetric").fit(graphs, [dict(np.ndenumerate(y)) for y in Y])
    plain = GraphLabeller(C=10.0, pairwise="symmetric").fit([as_arrays(x) for x in X], [y.ravel() for y in Y])
    assert joined.certificate_.primal == pytest.approx(seen.certificate_.primal, rel=2e-3)
    assert np.array_equal(plain.weights_, seen.weights_)
    for picture, by_node, flat in zip(
        seen.predict(X), joined.predict(graphs), plain.predict([as_arrays(x) for x in X]), strict=True
    ):
        assert picture.shape == (4, 5)
        assert np.array_equal(picture.ravel(), flat)
        assert set(by_node) == set(np.ndindex(4, 5))
    assert seen.score(X, Y) == pytest.approx(
        np.mean([np.mean(a == b) for a, b in zip(seen.predict(X), Y, strict=True)])
    )


def test_a_node_that_changes_alone_changes_the_score_by_what_is_said() -> None:
    chain = (np.array([[1.0], [-0.2], [2.0]]), [(0, 1), (1, 2)])
    fitted = GraphLabeller(C=10.0, oracle="exhaustive", predictor="exhaustive").fit(
        [chain], [["a", "b", "a"]]
    )
    weight = {(k, f, y): w for k, f, y, w in fitted.weights_frame().itertuples(index=False)}

    def score(labels: Any) -> float:
        own = sum(weight["feature", "x0", y] * x for x, y in zip(chain[0].ravel(), labels, strict=True))
        return own + sum(weight["edge 0", labels[a], labels[b]] for a, b in chain[1])

    labels, found = list(fitted.predict([chain])[0]), fitted.decision_function([chain])[0]
    for u in range(3):
        other = [*labels]
        other[u] = "b" if labels[u] == "a" else "a"
        here, there = (list(fitted.classes_).index(y) for y in (labels[u], other[u]))
        assert found[u, here] - found[u, there] == pytest.approx(score(labels) - score(other))
        assert score(labels) >= score(other)


def test_edge_features_have_weights_of_their_own() -> None:
    rng = np.random.default_rng(0)
    data = [(rng.normal(size=(4, 2)), [(0, 1), (1, 2), (2, 3)], rng.normal(size=(3, 2))) for _ in range(3)]
    fitted = GraphLabeller().fit(data, [[0, 1, 0, 1]] * 3)
    assert len(fitted.weights_) == 2 * 2 + 2 * 4
    assert sorted(set(fitted.weights_frame().kind)) == ["edge 0", "edge 1", "feature"]
    lonely = (rng.normal(size=(2, 2)), [])
    assert len(fitted.predict([lonely])[0]) == 2
    with pytest.raises(Refused, match="trained on 2 and 2"):
        fitted.predict([(rng.normal(size=(2, 3)), [])])


def test_across_and_down_are_told_apart_in_pictures_only() -> None:
    assert len(GraphLabeller(pairwise="directional").fit(X, Y).weights_) == 2 + 2 * 4
    with pytest.raises(Refused, match="grid"):
        GraphLabeller(pairwise="directional").fit([as_arrays(x) for x in X], [y.ravel() for y in Y])


@pytest.mark.parametrize(
    ("data", "labels", "words"),
    [
        ([], [], "no graphs"),
        (nx.path_graph(3), [0, 1, 0], "list of graphs"),
        ([nx.path_graph(3)], [[0, 1, 0]], "no attribute 'features'"),
        ([(np.ones((2, 1)), [(0, 5)])], [[0, 1]], "names node 5"),
        ([np.ones((2, 2))], [[0, 1, 0]], "4 nodes"),
        ([np.ones((2, 2))], [{0: 1}], "labels by node"),
        (["text"], [[0]], "is a str"),
    ],
)
def test_bad_data_are_refused_in_a_sentence(data: Any, labels: Any, words: str) -> None:
    with pytest.raises(Refused, match=words):
        GraphLabeller().fit(data, labels)


def test_edges_carry_what_a_function_of_their_ends_or_several_attributes_say() -> None:
    made = GraphLabeller(C=10.0, edge_features=lambda a, b: [1.0, abs(a[0] - b[0])]).fit(X, Y)
    graphs = [as_networkx(x) for x in X]
    for graph in graphs:
        for a, b in graph.edges:
            apart = abs(graph.nodes[a]["features"][0] - graph.nodes[b]["features"][0])
            graph.edges[a, b].update(joined=1.0, apart=apart)
    given = GraphLabeller(C=10.0, edge_attribute=["joined", "apart"])
    given.fit(graphs, [dict(np.ndenumerate(y)) for y in Y])
    assert made.n_edge_features_ == given.n_edge_features_ == 2
    assert given.certificate_.primal == pytest.approx(made.certificate_.primal, rel=2e-3)
    with pytest.raises(Refused, match="trained on 1 and 2"):
        given.predict([as_arrays(X[0])])
