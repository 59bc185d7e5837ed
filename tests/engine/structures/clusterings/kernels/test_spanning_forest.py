"""Spanning forests against plain Python."""

from itertools import combinations

import numpy as np
import pytest

from explorer.engine.structures.clusterings.kernels.spanning_forest import (
    best_trees,
    components,
    earlier,
    held_together,
    kruskal,
    merges,
    parents_of,
    top,
    tree_weights,
)


def plain_kruskal(K: np.ndarray, least: float) -> list[tuple[int, int]]:
    """The same rule with sets: the best pair between two different sets, while it is good enough."""
    m = len(K)
    where = {i: {i} for i in range(m)}
    links = []
    for i, j in sorted(combinations(range(m), 2), key=lambda pair: -K[pair]):
        if K[i, j] >= least and where[i] is not where[j]:
            both = where[i] | where[j]
            where |= dict.fromkeys(both, both)
            links.append((i, j))
    return links


def symmetric(rng: np.random.Generator, m: int) -> np.ndarray:
    half = np.triu(rng.normal(size=(m, m)), 1)
    return half + half.T


@pytest.mark.parametrize("m", [1, 2, 3, 7])
def test_links_are_taken_as_the_plain_rule_takes_them(m: int) -> None:
    rng = np.random.default_rng(m)
    first, second = np.triu_indices(m, 1)
    for least in (-np.inf, 0.0, 0.5):
        K = symmetric(rng, m)
        scores = K[first, second]
        found = kruskal(np.argsort(-scores, kind="stable"), first, second, scores, least, m)
        assert [(int(first[p]), int(second[p])) for p in found] == plain_kruskal(K, least)


def test_equal_scores_are_taken_in_the_order_given() -> None:
    first, second = np.triu_indices(3, 1)
    zero = np.zeros(3)
    assert kruskal(np.array([0, 1, 2]), first, second, zero, 0.0, 3).tolist() == [0, 1]
    assert kruskal(np.array([2, 1, 0]), first, second, zero, 0.0, 3).tolist() == [2, 1]


def test_the_top_of_a_chain_is_found_and_the_chain_shortened() -> None:
    up = np.array([0, 0, 1, 2])
    assert top(up, 3) == 0
    assert up[3] < 2


def test_parents_point_to_the_smallest_item_of_each_tree_whatever_the_order_of_links() -> None:
    ends = np.array([[4, 5], [1, 4], [0, 3]])
    expected = [-1, -1, -1, 0, 1, 4]
    assert parents_of(ends, 6).tolist() == expected
    assert parents_of(ends[::-1].copy(), 6).tolist() == expected
    assert parents_of(np.zeros((0, 2), dtype=np.int64), 2).tolist() == [-1, -1]


def test_trees_are_numbered_by_their_roots_and_circles_are_seen() -> None:
    assert components(np.array([-1, -1, -1, 0, 1, 4])).tolist() == [0, 1, 2, 0, 1, 1]
    assert components(np.array([1, 2, 0, -1])).tolist() == [-1, -1, -1, 0]


def test_merges_count_their_items_and_name_earlier_clusters() -> None:
    first, second = np.triu_indices(4, 1)
    scores = np.array([5.0, 0.0, -1.0, 0.0, -2.0, 3.0])  # 01 02 03 12 13 23
    table = merges(np.argsort(-scores, kind="stable"), first, second, scores, 4)
    assert table.tolist() == [[0, 1, 5, 2], [2, 3, 3, 2], [4, 5, 0, 4]]


def test_the_tree_weight_of_a_subset_is_that_of_its_best_links() -> None:
    K = symmetric(np.random.default_rng(0), 5)
    found = tree_weights(K)
    for subset in range(1 << 5):
        members = [i for i in range(5) if subset >> i & 1]
        part = K[np.ix_(members, members)]
        assert found[subset] == pytest.approx(sum(part[i, j] for i, j in plain_kruskal(part, -np.inf)))


def test_pairs_come_in_the_order_of_the_upper_triangle() -> None:
    pairs = list(combinations(range(4), 2))
    for n, (a, b) in enumerate(pairs):
        for p, (c, d) in enumerate(pairs):
            assert earlier(b, a, c, d) == earlier(a, b, d, c) == (n < p)


@pytest.mark.parametrize("ties", [False, True])
def test_the_best_trees_of_clusters_are_those_of_the_plain_rule(ties: bool) -> None:
    rng = np.random.default_rng(2)
    for m in (1, 2, 5, 8):
        K = symmetric(rng, m)
        K = np.round(K) if ties else K
        labels = np.arange(m) * 3 // m
        inside = np.where(labels[:, None] == labels[None, :], K, -100.0)
        links = plain_kruskal(inside, -50.0)
        parent, order = best_trees(K, labels, labels.max() + 1)
        assert parent.tolist() == parents_of(np.array(links, dtype=np.int64).reshape(-1, 2), m).tolist()
        assert sorted(order.tolist()) == list(range(m))
        where = np.argsort(order)
        assert all(where[p] < where[i] for i, p in enumerate(parent) if p >= 0)


@pytest.mark.parametrize("least", [-0.5, 0.0, 1.0])
def test_what_is_held_together_are_the_trees_of_the_links_that_are_taken(least: float) -> None:
    rng = np.random.default_rng(4)
    for m in (1, 2, 6, 8):
        K = symmetric(rng, m)
        links = np.array(plain_kruskal(K, least), dtype=np.int64).reshape(-1, 2)
        assert held_together(K, least).tolist() == components(parents_of(links, m)).tolist()
