"""Half-edges by node against a plain list."""

import numpy as np
import pytest

from explorer.engine.incidence import field_at, first_best, incidence, pair_score, scratch
from tests.engine.structures.fields.oracles.sample_fields import graph_edges, scored, stacked


@pytest.mark.parametrize(("m", "share"), [(0, 0.0), (1, 0.0), (5, 0.0), (6, 0.5), (7, 1.0)])
def test_every_node_has_the_half_edges_that_leave_it_in_order(m: int, share: float) -> None:
    ends = np.array(graph_edges(np.random.default_rng(m), m, share), dtype=np.int64).reshape(-1, 2)
    at, halves = np.full(m + 1, -1), np.full(2 * len(ends), -1)
    incidence(ends, at, halves)
    for u in range(m):
        expected = [2 * e + d for e, pair in enumerate(ends) for d in (0, 1) if pair[d] == u]
        assert halves[at[u] : at[u + 1]].tolist() == expected
    assert (at[0], at[m]) == (0, 2 * len(ends))


def test_a_field_of_a_stack_has_its_own_scores_seen_from_either_end() -> None:
    rng = np.random.default_rng(0)
    parts = [scored(rng, m, graph_edges(rng, m, 0.7), 3) for m in (4, 1, 5)]
    fields = stacked(parts)
    room = scratch(fields.nodes, fields.edges, 0, 3)
    assert [len(part) for part in room] == [6, 2 * max(len(part.ends) for part in parts)]
    for i, part in enumerate(parts):
        field = field_at(
            i, fields.unary, fields.nodes, fields.ends, fields.edges, fields.table, fields.pair, *room
        )
        assert np.array_equal(field.unary, part.unary)
        assert np.array_equal(field.ends, part.ends)
        for e in range(len(part.ends)):
            assert pair_score(field, 2 * e, 1, 2) == part.pair[e, 1, 2]
            assert pair_score(field, 2 * e + 1, 1, 2) == part.pair[e, 2, 1]


def test_the_first_of_equal_scores_is_the_best() -> None:
    assert [first_best(np.array(row)) for row in ([1.0], [1.0, 1.0], [0.0, 2.0, 2.0])] == [0, 0, 1]
