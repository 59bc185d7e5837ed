"""Partitions: their number, their forms, and what is refused."""

import numpy as np
import pytest

from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.partitions import (
    all_partitions,
    bell,
    canonical,
    checked_labels,
    clusters,
    contingency,
    from_clusters,
    indicator,
    is_relaxed,
    pair_matrix,
    pair_vector,
    spoken,
    stirling,
    together,
)


@pytest.mark.spec("C1")
@pytest.mark.parametrize(("m", "count"), [(1, 1), (5, 52), (8, 4140), (9, 21147)])
def test_every_partition_is_listed_once(m: int, count: int) -> None:
    found = {tuple(y) for y in all_partitions(m)}
    assert len(found) == count == bell(m)
    assert all(tuple(canonical(y)) == y for y in list(found)[:200])


@pytest.mark.parametrize(("m", "k", "count"), [(4, 2, 7), (6, 3, 90), (8, 5, 1050), (5, 5, 1), (3, 4, 0)])
def test_partitions_into_k_clusters_are_counted_by_stirling_numbers(m: int, k: int, count: int) -> None:
    found = list(all_partitions(m, k))
    assert len(found) == count == stirling(m, k)
    assert all(len(set(y)) == k for y in found)


def test_clusters_are_numbered_by_first_appearance() -> None:
    assert canonical([7, 2, 7, 9, 2]).tolist() == [0, 1, 0, 2, 1]
    assert canonical(["b", "a", "b"]).tolist() == [0, 1, 0]


@pytest.mark.spec("C12")
def test_the_matrix_form_is_the_printed_one() -> None:
    Y = indicator([0, 1, 0, 1, 1])
    a, b = 2**-0.5, 3**-0.5
    assert np.allclose(Y, [[a, 0], [0, b], [a, 0], [0, b], [0, b]])
    assert np.allclose(Y.T @ Y, np.eye(2))


@pytest.mark.spec("C12")
def test_the_trace_is_the_mean_similarity_within_clusters() -> None:
    rng = np.random.default_rng(0)
    K = rng.normal(size=(6, 6))
    K = K + K.T
    for y in all_partitions(6):
        by_sum = sum(K[np.ix_(c, c)].sum() / len(c) for c in clusters(y))
        Y = indicator(y)
        assert np.isclose(np.trace(Y.T @ K @ Y), by_sum)


def test_pairs_and_matrices_are_two_forms_of_the_same() -> None:
    values = np.arange(1.0, 7.0)
    matrix = pair_matrix(values, 4)
    assert matrix[0].tolist() == [0, 1, 2, 3]
    assert matrix[3].tolist() == [3, 5, 6, 0]
    assert pair_vector(matrix).tolist() == values.tolist()
    assert together([0, 0, 1, 0]).tolist() == [1, 0, 1, 0, 1, 0]


def test_a_contingency_table_counts_shared_items() -> None:
    assert contingency([0, 0, 0, 1, 1], [0, 1, 1, 1, 1]).tolist() == [[1, 2], [0, 2]]


def test_a_partition_is_said_in_words() -> None:
    assert spoken([0, 0, 1, 0], "abcd") == "a b d / c"


def test_shares_are_told_from_cluster_numbers() -> None:
    assert is_relaxed(np.zeros(3))
    assert not is_relaxed(np.zeros(3, dtype=int))


@pytest.mark.spec("C1")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([[0, 1], [1, 2]], "item 'b' is in clusters 0 and 1; put it in one only"),
        ([[0], [2]], "item 'b' is in no cluster; add it"),
        ([[0, 1], [2, 3]], "cluster 1 names item 3, but items are numbered 0 to 2"),
    ],
)
def test_lists_that_are_no_partition_are_refused(given: list[list[int]], said: str) -> None:
    with pytest.raises(Refused, match=said):
        from_clusters(given, 3, "abc")


@pytest.mark.spec("C1")
def test_lists_that_are_a_partition_become_labels() -> None:
    assert from_clusters([[2], [0, 1]], 3).tolist() == [0, 0, 1]


def test_labels_of_the_wrong_length_or_without_a_number_are_refused() -> None:
    with pytest.raises(Refused, match="one cluster for each of the 3 items"):
        checked_labels([0, 1], 3)
    with pytest.raises(Refused, match="gives item 1 no number"):
        checked_labels([0.0, np.nan, 1.0], 3)
