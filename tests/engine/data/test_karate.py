"""The karate club and clubs like it: Zachary's network, the block model, and features without the answer."""

import networkx as nx
import numpy as np
import pytest

from explorer.engine.data.karate import HI, OFFICER, chances, drawn_club, karate, member_names, true_club
from explorer.engine.refusals import Refused


def test_the_first_test_example_is_the_true_club() -> None:
    _, test = karate(n=1, n_test=2)
    source, club = nx.karate_club_graph(), test.inputs[0]
    assert (len(club), len(club.edges)) == (34, 78)
    assert {frozenset(pair) for pair in club.edges.tolist()} == {frozenset(pair) for pair in source.edges}
    sides = [test.meta["states"][k] for k in test.labels[0]]
    assert sides == [source.nodes[v]["club"] for v in source]


def test_the_true_club_is_only_tested_on() -> None:
    train, _ = karate(n=10, n_test=1)
    true = {frozenset(pair) for pair in true_club()[0].tolist()}
    assert all({frozenset(pair) for pair in club.edges.tolist()} != true for club in train.inputs)


def test_drawn_clubs_have_as_many_friendships_as_the_true_one_between_any_two_groups() -> None:
    friends, side = true_club()
    group = side.copy()
    group[HI], group[OFFICER] = 2, 3

    def counted(pairs: np.ndarray) -> np.ndarray:
        out = np.zeros((4, 4))
        np.add.at(out, (group[pairs].min(axis=1), group[pairs].max(axis=1)), 1.0)
        return out

    rng = np.random.default_rng(0)
    mean = np.mean([counted(drawn_club(rng)) for _ in range(400)], axis=0)
    assert chances().sum() == pytest.approx(78.0)
    assert mean == pytest.approx(counted(friends), abs=0.8)


def test_features_tell_the_network_and_its_leaders() -> None:
    _, test = karate(n=1, n_test=1)
    source, rows = nx.karate_club_graph(), test.inputs[0].nodes
    assert (rows[:, 0] == 1.0).all()
    assert 10.0 * rows[:, 1] == pytest.approx([source.degree(v) for v in source])
    for v in source:
        far = [min(4, nx.shortest_path_length(source, v, leader)) for leader in (OFFICER, HI)]
        assert 2.0 * rows[v, 2] == pytest.approx(far[0] - far[1])
        inside = [sum(u == leader or u in source[leader] for u in source[v]) for leader in (HI, OFFICER)]
        assert 10.0 * rows[v, 3] == pytest.approx(inside[0] - inside[1])


def test_opinions_are_the_side_plus_noise() -> None:
    train, test = karate(n=100, n_test=1, features="opinion", noise=0.5)
    rest = np.concatenate(
        [x.nodes[:, 2] - (1 - 2 * y) for x, y in zip(train.inputs, train.labels, strict=True)]
    )
    assert rest.mean() == pytest.approx(0.0, abs=0.05)
    assert rest.std() == pytest.approx(0.5, abs=0.03)
    assert len(test.meta["feature_names"]) == test.inputs[0].nodes.shape[1] == 3


def test_members_have_names_and_places() -> None:
    train, test = karate(n=1, n_test=1)
    assert test.inputs[0].names == member_names()
    assert (member_names()[0], member_names()[1], member_names()[33]) == ("Mr. Hi", "member 2", "Officer")
    assert all(
        x.place is not None and len(np.unique(x.place, axis=0)) == 34 for x in (*train.inputs, *test.inputs)
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"features": "age"}, "features is 'age'; choose one of leaders, opinion"),
        ({"n_test": 0}, "n is 20 and n_test is 0; draw at least one club of each"),
        ({"noise": -1.0}, "noise is -1.0"),
    ],
)
def test_impossible_clubs_are_refused(given: dict[str, object], said: str) -> None:
    with pytest.raises(Refused, match=said):
        karate(**given)  # type: ignore[arg-type]
