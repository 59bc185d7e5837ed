"""Local search on single fields, step by step against the definition."""

import numpy as np
import pytest

from explorer.engine.incidence import Field, field_at, scratch
from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.kernels.moves import (
    climb,
    climb_all,
    icm,
    icm_all,
    local_scores,
    smallest_gain,
)
from tests.engine.structures.fields.oracles.sample_fields import (
    Part,
    changes,
    definition,
    graph_edges,
    grid_edges,
    mixed,
    own_labels,
    scored,
    stacked,
    stuck,
)


def stack(fields: Fields) -> tuple[np.ndarray, ...]:
    return fields.unary, fields.nodes, fields.ends, fields.edges, fields.table, fields.pair


def single(fields: Fields) -> Field:
    return field_at(0, *stack(fields), *scratch(fields.nodes, fields.edges, 0, 1))


def test_local_scores_are_score_differences_up_to_a_constant() -> None:
    rng = np.random.default_rng(0)
    for states in (1, 2, 4):
        fields = stacked([scored(rng, 5, graph_edges(rng, 5, 0.7), states)])
        labels, out = rng.integers(0, states, 5), np.empty(states)
        for u in range(5):
            local_scores(single(fields), labels, u, out)
            tried = definition(fields, changes(fields, labels)[u * states : (u + 1) * states])
            assert np.allclose(out - out[0], tried - tried[0], atol=1e-12)


@pytest.mark.parametrize("states", [2, 3])
def test_every_greedy_move_is_the_best_single_change(states: int) -> None:
    rng = np.random.default_rng(states)
    fields = stacked([scored(rng, 6, graph_edges(rng, 6, 0.8), states)])
    field, labels = single(fields), np.zeros(6, dtype=np.int64)
    for _ in range(50):
        rows = changes(fields, labels)
        if not climb(field, 1, labels):
            break
        assert labels.tolist() == rows[definition(fields, rows).argmax()].tolist()
    assert stuck(fields, labels)
    assert climb(field, -1, labels) == 0


def test_greedy_moves_are_counted_and_limited() -> None:
    unary = np.array([[0.0, 1.0], [0.0, 3.0], [0.0, 2.0], [0.0, -1.0]])
    field, labels = (
        single(stacked([Part(unary, np.zeros((0, 2), int), np.zeros((0, 2, 2)))])),
        np.zeros(4, np.int64),
    )
    assert climb(field, 2, labels) == 2
    assert labels.tolist() == [0, 1, 1, 0]
    assert climb(field, -1, labels) == 1
    assert labels.tolist() == [1, 1, 1, 0]


def test_differences_below_rounding_are_no_gain() -> None:
    # 0.1 + 0.2 and 0.3 are the same score; in floating point they differ by 5.6e-17.
    pair = np.zeros((2, 2, 2))
    pair[0, 1, 0], pair[1, 1, 0] = 0.1, 0.2
    ends = np.array([[0, 1], [0, 2]])
    fields = stacked([Part(np.array([[0.3, 0.0], [9.0, 0.0], [9.0, 0.0]]), ends, pair)])
    labels = np.zeros(3, dtype=np.int64)
    assert 0.1 + 0.2 > 0.3
    assert 1e-14 < smallest_gain(single(fields)) < 1e-10
    assert climb(single(fields), -1, labels) == 0
    assert icm(single(fields), labels) == 1


def test_icm_ends_after_a_sweep_without_a_change() -> None:
    # Alike neighbours on a path, of which only the last has an opinion: the news moves back one node a sweep.
    unary = np.zeros((4, 2))
    unary[3, 1] = 3.0
    ends = np.array([(0, 1), (1, 2), (2, 3)])
    pair = np.array([[[0.0, 0.0], [0.0, 2.0]], [[1.0, 0.0], [0.0, 2.0]], [[0.0, 0.0], [0.0, 2.0]]])
    pair[0, 0, 0] = 1.0
    fields = stacked([Part(unary, ends, pair)])
    labels = np.array([0, 0, 0, 1])
    assert icm(single(fields), labels) == 4
    assert labels.tolist() == [1, 1, 1, 1]


def test_a_stack_is_searched_field_by_field_and_only_where_asked() -> None:
    rng = np.random.default_rng(4)
    fields = mixed(rng, 3, n=6, most=4)
    for search in (climb_all, icm_all):
        labels = np.zeros(len(fields.unary), dtype=np.int64)
        search(*stack(fields), 1, 5, labels)
        parts = own_labels(fields, labels)
        assert all(stuck(field, y) for field, y in list(zip(fields, parts, strict=True))[1:5])
        assert not parts[0].any()
        assert not parts[5].any()


def test_on_a_grid_of_whole_numbers_with_many_ties_both_end() -> None:
    fields = stacked([scored(np.random.default_rng(6), 20, grid_edges(4, 5), 3, ties=True)])
    for search in (climb_all, icm_all):
        labels = np.zeros(20, dtype=np.int64)
        search(*stack(fields), 0, 1, labels)
        assert stuck(fields, labels)
