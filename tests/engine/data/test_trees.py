"""Random trees: they are trees, their labels follow the edges, and their places can be drawn."""

import networkx as nx
import numpy as np
import pytest

from explorer.engine.data.trees import tree_places, trees
from explorer.engine.refusals import Refused


def test_every_graph_is_a_tree_with_edges_from_parent_to_child() -> None:
    train, test = trees(n=20, n_test=5, nodes=15)
    for x in (*train.inputs, *test.inputs):
        assert nx.is_tree(nx.Graph(x.edges.tolist()))
        assert (x.edges[:, 0] < x.edges[:, 1]).all()
        assert x.nodes.shape == (15, 3)
    assert train.meta["states"] == ("A", "B", "C")


def test_children_keep_the_label_of_their_parent_as_often_as_stay_says() -> None:
    train, _ = trees(n=200, n_test=1, nodes=30, stay=0.7, seed=1)
    pairs = np.concatenate([y[x.edges] for x, y in zip(train.inputs, train.labels, strict=True)])
    kept = pairs[:, 0] == pairs[:, 1]
    assert kept.mean() == pytest.approx(0.7, abs=0.025)
    jumps = (pairs[~kept, 1] - pairs[~kept, 0]) % 3
    assert np.mean(jumps == 1) == pytest.approx(0.5, abs=0.05), "the other states are equally likely"
    roots = np.bincount([y[0] for y in train.labels], minlength=3)
    assert np.all(np.abs(roots - 200 / 3) < 5 * np.sqrt(200 / 3))


def test_features_are_the_label_plus_noise() -> None:
    train, _ = trees(n=100, n_test=1, noise=0.5)
    rest = np.concatenate([x.nodes - np.eye(3)[y] for x, y in zip(train.inputs, train.labels, strict=True)])
    assert rest.mean() == pytest.approx(0.0, abs=0.03)
    assert rest.std() == pytest.approx(0.5, abs=0.02)


def test_places_put_children_below_and_no_two_nodes_on_one_spot() -> None:
    train, _ = trees(n=20, n_test=1, nodes=25)
    for x in train.inputs:
        assert x.place is not None
        assert (x.place[x.edges[:, 1], 1] == x.place[x.edges[:, 0], 1] - 1).all()
        assert len(np.unique(x.place, axis=0)) == 25


def test_a_parent_stands_above_the_middle_of_its_children() -> None:
    # 0 has the children 1 and 2, 2 has 3 and 4: the leaves 1, 3, 4 stand side by side.
    assert tree_places(np.array([0, 0, 2, 2])).tolist() == [[0.75, 0], [0, -1], [1.5, -1], [1, -2], [2, -2]]


def test_a_tree_may_be_a_single_node() -> None:
    train, _ = trees(n=1, n_test=1, nodes=1)
    assert len(train.inputs[0]) == 1
    assert len(train.inputs[0].edges) == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"nodes": 0}, "nodes is 0; give at least one of each"),
        ({"states": 1}, "states is 1; choose between 2 and 26"),
        ({"noise": -0.1}, "noise is -0.1"),
        ({"stay": 1.1}, "stay is 1.1; it is a probability"),
    ],
)
def test_impossible_trees_are_refused(given: dict[str, float], said: str) -> None:
    with pytest.raises(Refused, match=said):
        trees(**given)  # type: ignore[arg-type]
