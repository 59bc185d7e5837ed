"""Points of the local polytope: what makes shares feasible, and what they score."""

import numpy as np
import pytest

from explorer.engine.structures.fields.kernels.relaxed_shares import (
    border_shares,
    fit,
    score_of_shares,
    snap,
    whole_shares,
)
from tests.engine.structures.fields.kernels.one_field import (
    infeasible,
    kernel_field,
    product_shares,
    random_part,
    shares_of,
)
from tests.engine.structures.fields.oracles.sample_fields import every, stacked


def test_the_shares_of_a_labelling_score_what_it_scores() -> None:
    rng = np.random.default_rng(0)
    part = random_part(rng, 3, 5)
    field, rows_scores = kernel_field(part), every(stacked([part]))
    node, edge = np.empty(part.unary.shape), np.empty(part.pair.shape)
    for y, score in list(zip(*rows_scores, strict=True))[:20]:
        whole_shares(field, y, node, edge)
        expected = shares_of(part, y)
        assert np.array_equal(node, expected[0])
        assert np.array_equal(edge, expected[1])
        assert score_of_shares(field, node, edge) == pytest.approx(score, abs=1e-12)


def test_shares_next_to_a_half_are_snapped_to_it_and_others_are_not() -> None:
    assert [snap(x, 1e-4) for x in (-1e-9, 1e-5, 0.50009, 0.9999999, 0.3)] == [0.0, 0.0, 0.5, 1.0, 0.3]
    assert snap(0.5001, 0.0) == 0.5001


@pytest.mark.parametrize("states", [2, 3])
def test_disturbed_points_become_points_near_by(states: int) -> None:
    rng = np.random.default_rng(states)
    for _ in range(5):
        part = random_part(rng, states)
        node, edge = product_shares(rng, part)
        near_node, near_edge = (
            node + 1e-7 * rng.normal(size=node.shape),
            edge + 1e-7 * rng.normal(size=edge.shape),
        )
        fit(part.ends, np.ones(len(node), dtype=bool), 0.0, near_node, near_edge)
        assert infeasible(part.ends, near_node, near_edge) < 1e-14
        assert near_node == pytest.approx(node, abs=2e-6)
        assert near_edge == pytest.approx(edge, abs=2e-6)


def test_points_stay_as_they_are_and_nodes_outside_the_core_too() -> None:
    rng = np.random.default_rng(5)
    part = random_part(rng, 3)
    node, edge = product_shares(rng, part)
    own_node, own_edge = node.copy(), edge.copy()
    fit(part.ends, np.ones(len(node), dtype=bool), 0.0, own_node, own_edge)
    assert own_node == pytest.approx(node, abs=1e-15)
    assert own_edge == pytest.approx(edge, abs=1e-15)
    own_node[0] = 7.0
    fit(part.ends, np.zeros(len(node), dtype=bool), 0.0, own_node, own_edge)
    assert np.all(own_node[0] == 7.0)


def test_edges_with_no_shares_at_all_are_filled_with_products() -> None:
    rng = np.random.default_rng(6)
    part = random_part(rng, 3)
    node, edge = product_shares(rng, part)
    found = np.zeros(edge.shape)
    fit(part.ends, np.ones(len(node), dtype=bool), 0.0, node, found)
    assert found == pytest.approx(edge, abs=1e-12)


def test_across_the_border_shares_are_products() -> None:
    node = np.array([[0.25, 0.75], [0.0, 1.0], [1.0, 0.0]])
    edge = np.full((2, 2, 2), -1.0)
    border_shares(np.array([[0, 1], [1, 2]]), np.array([True, False, False]), node, edge)
    assert edge[0].tolist() == [[0.0, 0.25], [0.0, 0.75]]
    assert np.all(edge[1] == -1.0)
