"""Iterated conditional modes against enumeration and a plain loop."""

import numpy as np
import pytest

from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.oracles.icm import ICM
from tests.engine.structures.fields.oracles.sample_fields import (
    Ints,
    Part,
    changes,
    complete,
    definition,
    mixed,
    optimum,
    own_labels,
    stacked,
    stuck,
)


def plain_sweeps(field: Fields) -> Ints:
    """Node after node, every state tried by its whole score."""
    y, before = field.unary.argmax(axis=1), None
    while before is None or before.tolist() != y.tolist():
        before = y.copy()
        for u in range(len(y)):
            scores = definition(field, changes(field, y)[u * field.states : (u + 1) * field.states])
            if scores[y[u]] < scores.max() - 1e-12:
                y[u] = int(np.argmax(scores))
    return y


@pytest.mark.parametrize("states", [1, 2, 3, 4])
def test_it_ends_where_plain_sweeps_end_and_no_change_of_one_node_betters_it(states: int) -> None:
    for seed, ties in ((0, False), (1, True)):
        fields = mixed(np.random.default_rng(seed), states, ties=ties)
        found = ICM().solve(fields)
        for field, y in zip(fields, own_labels(fields, found.labels), strict=True):
            assert y.tolist() == plain_sweeps(field).tolist()
            assert stuck(field, y)
        assert np.all(fields.scores(found.labels) <= optimum(fields) + 1e-9)


def test_a_node_that_is_already_at_a_best_state_keeps_it() -> None:
    # Node 0 starts at state 1; its neighbour then makes both of its states worth the same.
    pair = np.array([[[0.0, 1.0], [0.0, 0.0]]])
    field = stacked([Part(np.array([[0.0, 1.0], [0.0, 5.0]]), np.array([[0, 1]]), pair)])
    assert ICM().solve(field).labels.tolist() == [1, 1]


def test_it_starts_from_every_nodes_own_best_state() -> None:
    # All off and all on both cannot be bettered at one node; each node alone prefers to be on.
    pair = np.array([[[1.0, 0.0], [0.0, 1.0]]])
    field = stacked([Part(np.array([[0.0, 0.1], [0.0, 0.1]]), np.array([[0, 1]]), pair)])
    assert ICM().solve(field).labels.tolist() == [1, 1]


def test_one_field_is_answered_as_in_a_batch() -> None:
    fields = complete(80, 9, seed=2)
    alone = [ICM().solve(field).labels for field in fields]
    assert np.array_equal(ICM().solve(fields).labels, np.concatenate(alone))


def test_its_path_changes_one_node_at_a_time_and_ends_with_the_answer() -> None:
    for field in mixed(np.random.default_rng(3), 3, 20):
        path = ICM().path(field)
        assert path[0].tolist() == field.unary.argmax(axis=1).tolist()
        assert path[-1].tolist() == ICM().solve(field).labels.tolist()
        assert np.all((np.diff(path, axis=0) != 0).sum(axis=1) == 1)
        assert np.all(np.diff(definition(field, path)) > 0.0)
