"""Points in the plane: clouds, moons, and the six points that are linked in two ways."""

import networkx as nx
import numpy as np
import pytest

from explorer.engine.data.clouds import NEAR, clouds, link_figure, moons
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.item_sets import similarity
from explorer.engine.structures.clusterings.partitions import canonical, pair_vector, together
from explorer.engine.vectors import Array, Ints


def linked(K: Array) -> tuple[set[str], Ints]:
    """The maximum spanning forest without links below 0, by networkx, and its components."""
    m = len(K)
    source = nx.Graph()
    source.add_nodes_from(range(m))
    source.add_weighted_edges_from((i, j, K[i, j]) for i in range(m) for j in range(i) if K[i, j] >= 0.0)
    forest = nx.maximum_spanning_tree(source)
    names = "abcdef" if m == 6 else "." * m
    label = np.empty(m, dtype=np.int64)
    for number, members in enumerate(nx.connected_components(forest)):
        label[list(members)] = number
    return {"".join(sorted(names[i] + names[j])) for i, j in forest.edges}, canonical(label)


def test_clouds_are_told_apart_by_the_first_axis_alone() -> None:
    found, misled = [], []
    for data in clouds(n=20, n_test=20):
        for x, y in zip(data.inputs, data.labels, strict=True):
            found.append(
                np.array_equal(pair_vector(similarity(x, np.array([1.0, 0.0, 0.4]))) > 0, together(y) > 0)
            )
            misled.append(
                np.array_equal(pair_vector(similarity(x, np.array([1.0, 1.0, 0.4]))) > 0, together(y) > 0)
            )
    assert np.mean(found) >= 0.95
    assert not any(misled)


def test_features_of_clouds_are_negated_squares_and_one() -> None:
    x = clouds(n=1, n_test=1, points=5)[0].inputs[0]
    i, j = np.triu_indices(5, 1)
    assert x.pairs[:, :2] == pytest.approx(-((x.place[i] - x.place[j]) ** 2))
    assert (x.pairs[:, 2] == 1.0).all()


def test_sets_have_two_groups_up_to_as_many_as_asked() -> None:
    train, test = clouds(n=30, n_test=1, points=12, groups=4)
    assert (len(train), len(test)) == (30, 1)
    assert {int(y.max()) + 1 for y in train.labels} == {2, 3, 4}
    assert all(
        x.groups == int(y.max()) + 1 and x.m == 12 for x, y in zip(train.inputs, train.labels, strict=True)
    )


def test_single_links_follow_the_moons_and_all_pairs_do_not() -> None:
    near = NEAR / (NEAR + 0.48**2)
    right, all_pairs = [], []
    for data in moons(n=10, n_test=10):
        for x, y in zip(data.inputs, data.labels, strict=True):
            K = similarity(x, np.array([0.0, 0.0, 1.0, -near]))
            right.append(np.array_equal(linked(K)[1], y))
            upper = pair_vector(K)
            # Were the moons the best clustering by sums over all pairs, single points could not beat them.
            all_pairs.append(float(together(y) @ upper) > 0.0)
    assert np.mean(right) >= 0.95
    assert not any(all_pairs)


@pytest.mark.spec("D32")
def test_two_weightings_link_the_six_points_differently_into_the_same_clusters() -> None:
    data = link_figure()
    x, truth = data.inputs[0], data.labels[0]
    for w, links in (
        ((0.1, 1.0, -0.45), {"ac", "bc", "de", "ef"}),
        ((1.0, 0.1, -0.45), {"ab", "bc", "de", "df"}),
    ):
        found, label = linked(similarity(x, np.array(w)))
        assert found == links
        assert np.array_equal(label, truth)
        without = linked(similarity(x, np.array([*w[:2], 0.0])))[1]
        assert not without.any()


def test_the_same_seed_gives_the_same_points() -> None:
    for make in (clouds, moons):
        first, again, other = (make(seed=seed)[0].inputs[0].place for seed in (1, 1, 2))
        assert np.array_equal(first, again)
        assert not np.array_equal(first, other)


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(Refused, match="groups is 30; choose 2 up to the number of points, 18"):
        clouds(groups=30)
    with pytest.raises(Refused, match="choose at least 1, 1 and 4"):
        moons(n=0)
    with pytest.raises(Refused, match="noise is -1; it is a standard deviation"):
        clouds(noise=-1)
