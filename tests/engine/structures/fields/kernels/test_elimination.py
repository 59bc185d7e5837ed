"""Elimination orders against elimination by the book, on sets."""

from itertools import combinations

import numpy as np
import pytest

from explorer.engine.structures.fields.kernels.elimination import minimum_degree
from tests.engine.structures.fields.oracles.sample_fields import graph_edges, grid_edges, tree_edges


def pairs_of(edges: list[tuple[int, int]]) -> np.ndarray:
    return np.array(edges, dtype=np.int64).reshape(-1, 2)


def by_the_book(ends: np.ndarray, n: int, order: list[int]) -> list[set[int]]:
    """Join the neighbours of each node in turn; returns its neighbours when its turn came."""
    near = [set[int]() for _ in range(n)]
    for a, b in ends.tolist():
        near[a].add(b)
        near[b].add(a)
    found = []
    for u in order:
        found.append(set(near[u]))
        for a, b in combinations(near[u], 2):
            near[a].add(b)
            near[b].add(a)
        for a in near[u]:
            near[a].discard(u)
        near[u] = set()
    return found


@pytest.mark.parametrize(("n", "share"), [(1, 0.0), (4, 0.0), (8, 0.3), (9, 0.6), (7, 1.0)])
def test_the_pattern_is_what_elimination_in_that_order_joins(n: int, share: float) -> None:
    rng = np.random.default_rng(n)
    for _ in range(5):
        ends = pairs_of(graph_edges(rng, n, share))
        found = minimum_degree(ends, n)
        assert sorted(found.order.tolist()) == list(range(n))
        assert found.order[found.rank].tolist() == list(range(n))
        expected = by_the_book(ends, n, found.order.tolist())
        for j in range(n):
            rows = found.rows[found.start[j] : found.start[j + 1]].tolist()
            assert sorted(rows) == sorted(expected[j])


def test_each_node_has_the_smallest_degree_when_its_turn_comes() -> None:
    rng = np.random.default_rng(0)
    for _ in range(5):
        ends = pairs_of(graph_edges(rng, 9, 0.4))
        order = minimum_degree(ends, 9).order.tolist()
        for j in range(9):
            later = [len(by_the_book(ends, 9, [*order[:j], u])[-1]) for u in order[j:]]
            assert later[0] == min(later)


def test_every_edge_has_its_place_in_the_column_of_its_earlier_end() -> None:
    ends = pairs_of(grid_edges(3, 4))
    found = minimum_degree(ends, 12)
    for e, (a, b) in enumerate(ends):
        early, late = sorted((a, b), key=lambda u: found.rank[u])
        assert found.rows[found.place[e]] == late
        assert found.start[found.rank[early]] <= found.place[e] < found.start[found.rank[early] + 1]


def test_trees_need_no_more_entries_than_they_have_edges() -> None:
    rng = np.random.default_rng(2)
    assert len(minimum_degree(pairs_of(tree_edges(rng, 20)), 20).rows) == 19


def test_an_edge_given_twice_counts_once() -> None:
    once, twice = pairs_of([(0, 1), (1, 2)]), pairs_of([(0, 1), (1, 0), (1, 2)])
    assert len(minimum_degree(twice, 3).rows) == len(minimum_degree(once, 3).rows) == 2
    assert minimum_degree(twice, 3).place[0] == minimum_degree(twice, 3).place[1]


def test_a_grid_keeps_its_entries_few() -> None:
    assert len(minimum_degree(pairs_of(grid_edges(12, 12)), 144).rows) < 1500  # row by row: 144 x 12 = 1728
