"""Forests of links: Algorithm 8 against scipy's spanning tree and linkage, and all forests by counting."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import squareform

from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.item_sets import item_set, similarity
from explorer.engine.structures.clusterings.link_forests import (
    all_forests,
    checked_parents,
    forest_count,
    from_links,
    is_forest,
    link_shares,
    links_of,
    merge_table,
    partition_of,
    single_link,
    trees_inside,
)
from explorer.engine.structures.clusterings.partitions import clusters, from_clusters, pair_vector, spoken

FIGURE = np.array([(1.0, 3.3), (0.5, 4.9), (2.6, 4.4), (8.2, 0.2), (9.8, 1.0), (7.3, 1.7)])


def symmetric(rng: np.random.Generator, m: int) -> np.ndarray:
    half = np.triu(rng.normal(size=(m, m)), 1)
    return half + half.T


def referee_links(K: np.ndarray, least: float) -> set[tuple[int, int]]:
    """scipy's minimum spanning tree of positive distances, without the links below `least`."""
    distance = np.triu(1.0 + K.max() - K, 1)
    tree = minimum_spanning_tree(distance).tocoo()
    ends = zip(tree.row.tolist(), tree.col.tolist(), strict=True)
    return {(min(a, b), max(a, b)) for a, b in ends if K[a, b] >= least}


@pytest.mark.spec("D32")
def test_single_link_is_the_maximum_spanning_forest_cut_at_zero_on_two_hundred_similarities() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        K = symmetric(rng, int(rng.integers(2, 15))) - 0.5
        expected = referee_links(K, 0.0)
        parents = single_link(K)
        assert {(int(a), int(b)) for a, b in links_of(parents)} == expected
        assert np.array_equal(partition_of(parents), from_clusters(_components(expected, len(K)), len(K)))


def _components(links: set[tuple[int, int]], m: int) -> list[list[int]]:
    sets = [{i} for i in range(m)]
    for a, b in links:
        both = next(s for s in sets if a in s) | next(s for s in sets if b in s)
        sets = [s for s in sets if not s & both] + [both]
    return [sorted(s) for s in sets]


def figure_features(constant: bool) -> np.ndarray:
    i, j = np.triu_indices(6, 1)
    apart = FIGURE[i] - FIGURE[j]
    return np.hstack([1.0 / apart**2, np.ones((len(i), 1))][: 2 if constant else 1])


@pytest.mark.spec("D32")
def test_two_similarities_make_the_same_partition_of_six_points_from_two_link_sets() -> None:
    x = item_set(6, pairs=figure_features(True), names=list("abcdef"))

    def linked(w: list[float]) -> str:
        return " ".join(
            "abcdef"[a] + "abcdef"[b] for a, b in links_of(single_link(similarity(x, np.array(w))))
        )

    assert linked([0.1, 1.0, -0.45]) == "ac bc de ef"
    assert linked([1.0, 0.1, -0.45]) == "ab bc de df"
    for w in ([0.1, 1.0, -0.45], [1.0, 0.1, -0.45]):
        assert spoken(partition_of(single_link(similarity(x, np.array(w)))), x.names) == "a b c / d e f"


@pytest.mark.spec("D32")
def test_without_the_constant_everything_is_one_cluster() -> None:
    x = item_set(6, pairs=figure_features(False))
    for w in ([0.1, 1.0], [1.0, 0.1]):
        assert partition_of(single_link(similarity(x, np.array(w)))).tolist() == [0] * 6


def test_a_similarity_of_zero_still_links() -> None:
    assert partition_of(single_link(np.zeros((3, 3)))).tolist() == [0, 0, 0]
    assert partition_of(single_link(np.full((3, 3), -1e-9))).tolist() == [0, 1, 2]
    assert single_link(np.zeros((1, 1))).tolist() == [-1]


def test_no_forest_scores_more_than_single_link_and_no_trees_more_than_the_best_of_each_cluster() -> None:
    rng = np.random.default_rng(1)
    for m in (2, 3, 4, 5):
        K = symmetric(rng, m)
        worth = [float(link_shares(y) @ pair_vector(K)) for y in all_forests(m)]
        assert float(link_shares(single_link(K)) @ pair_vector(K)) == pytest.approx(max(worth))
        labels = partition_of(
            next(y for y in all_forests(m) if len(clusters(partition_of(y))) == max(1, m // 2))
        )
        same = [
            v for v, y in zip(worth, all_forests(m), strict=True) if np.array_equal(partition_of(y), labels)
        ]
        assert float(link_shares(trees_inside(K, labels)) @ pair_vector(K)) == pytest.approx(max(same))


def test_every_forest_is_listed_once() -> None:
    # Labelled forests of 1 to 6 nodes: sequence A001858 of the OEIS.
    assert [forest_count(m) for m in range(1, 8)] == [1, 2, 7, 38, 291, 2932, 36961]
    for m in range(1, 6):
        listing = [tuple(y) for y in all_forests(m)]
        assert len(listing) == len(set(listing)) == forest_count(m)
        assert all(np.array_equal(from_links(links_of(y), m), y) for y in listing)


def test_the_merge_table_is_scipys_linkage_with_similarities_for_heights() -> None:
    rng = np.random.default_rng(2)
    for m in (2, 5, 12):
        K = symmetric(rng, m)
        far = K.max() - K
        np.fill_diagonal(far, 0.0)
        expected = linkage(squareform(far, checks=False), "single")
        found = merge_table(K)
        assert found[:, [0, 1, 3]] == pytest.approx(
            np.column_stack([np.sort(expected[:, :2], axis=1), expected[:, 3]])
        )
        assert K.max() - found[:, 2] == pytest.approx(expected[:, 2])


def test_links_and_parents_say_the_same() -> None:
    parents = from_links([(5, 4), (4, 1), (3, 0)], 6)
    assert parents.tolist() == [-1, -1, -1, 0, 1, 4]
    assert links_of(parents).tolist() == [[0, 3], [1, 4], [4, 5]]
    assert is_forest(parents)
    assert not is_forest(partition_of(parents))
    assert checked_parents([3, -1, -1, -1], 4, "it").tolist() == [-1, -1, -1, 0], (
        "a tree is hung on its smallest item"
    )


def test_what_is_no_forest_is_refused() -> None:
    with pytest.raises(Refused, match="close a circle"):
        from_links([(0, 1), (1, 2), (0, 2)], 3)
    with pytest.raises(Refused, match="names item 3"):
        from_links([(0, 3)], 3)
    with pytest.raises(Refused, match="circle at item 0"):
        checked_parents([1, 2, 0, -1], 4, "the label")
    for wrong in ([-1, 0], [-1, 4, 0], [-2, -1, -1], [0.0, -1.0, -1.0]):
        with pytest.raises(Refused, match="no forest of 3 items"):
            checked_parents(wrong, 3, "the label")
