"""Greedy search against enumeration and hand-made fields."""

import numpy as np
import pytest

from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.oracles.greedy import Greedy
from tests.engine.structures.fields.oracles.sample_fields import (
    Part,
    better,
    complete,
    mixed,
    optimum,
    own_labels,
    stacked,
    stuck,
)


@pytest.mark.parametrize("states", [1, 2, 3, 4])
@pytest.mark.parametrize("start", ["zeros", "nodewise"])
def test_no_change_of_one_node_betters_the_answer(states: int, start: str) -> None:
    for seed, ties in ((0, False), (1, True)):
        fields = mixed(np.random.default_rng(seed), states, ties=ties)
        found = Greedy(start).solve(fields)
        assert all(stuck(field, y) for field, y in zip(fields, own_labels(fields, found.labels), strict=True))
        assert np.all(fields.scores(found.labels) <= optimum(fields) + 1e-9)
        assert np.all(np.isinf(found.bound))


@pytest.mark.spec("D6")
def test_on_1000_complete_problems_it_is_optimal_in_71_per_cent_and_always_stuck() -> None:
    fields = complete(1000, 10)
    labels = Greedy().solve(fields).labels
    worse = better(fields, labels)
    assert 0.66 <= np.mean(worse == 0) <= 0.76
    assert all(stuck(field, y) for field, y in zip(fields, own_labels(fields, labels), strict=True))


def test_it_takes_the_largest_gain_first_and_not_the_first_gain() -> None:
    # From (0, 0): node 0 gains 1, node 1 gains 2; both on lose 3. The first gain would end at (1, 0).
    pair = np.array([[[0.0, 0.0], [0.0, -3.0]]])
    field = stacked([Part(np.array([[0.0, 1.0], [0.0, 2.0]]), np.array([[0, 1]]), pair)])
    assert Greedy().solve(field).labels.tolist() == [0, 1]
    assert Greedy().path(field).tolist() == [[0, 0], [0, 1]]


def test_where_it_starts_decides_where_it_ends() -> None:
    # Two nodes that want to be on together, and gain nothing alone.
    pair = np.array([[[1.0, 0.0], [0.0, 1.5]]])
    field = stacked([Part(np.array([[0.0, 0.1], [0.0, 0.1]]), np.array([[0, 1]]), pair)])
    assert Greedy("zeros").solve(field).labels.tolist() == [0, 0]
    assert Greedy("nodewise").solve(field).labels.tolist() == [1, 1]


def test_equal_gains_go_to_the_smaller_node_then_to_the_smaller_state() -> None:
    pair = np.zeros((1, 3, 3))
    pair[0, 1:, 1:] = -1.0
    field = stacked([Part(np.array([[0.0, 1.0, 1.0], [0.0, 1.0, 1.0]]), np.array([[0, 1]]), pair)])
    assert Greedy().path(field).tolist() == [[0, 0], [1, 0]]


def test_the_path_raises_the_score_by_the_best_single_change_and_ends_at_the_answer() -> None:
    fields = complete(20, 8, seed=3)
    for field, y in zip(fields, own_labels(fields, Greedy().solve(fields).labels), strict=True):
        path = Greedy().path(field)
        assert path[-1].tolist() == y.tolist()
        scores = [field.scores(row)[0] for row in path]
        for k in range(1, len(path)):
            flips = [np.where(np.arange(8) == u, 1 - path[k - 1], path[k - 1]) for u in range(8)]
            assert scores[k] == pytest.approx(max(field.scores(flip)[0] for flip in flips))
            assert scores[k] > scores[k - 1]


def test_the_scores_are_left_alone_and_one_field_is_answered_as_in_a_batch() -> None:
    fields = mixed(np.random.default_rng(5), 3, n=100)
    before = fields.unary.copy(), fields.pair.copy()
    labels = Greedy().solve(fields).labels
    assert all(np.array_equal(a, b) for a, b in zip(before, (fields.unary, fields.pair), strict=True))
    alone = [Greedy().solve(field).labels for field in fields]
    assert np.array_equal(labels, np.concatenate(alone))


def test_an_unknown_start_is_refused_with_the_known_ones() -> None:
    with pytest.raises(Refused, match="zeros, nodewise"):
        Greedy("truth")
