"""Bad data is refused with place and fix; good data comes back normalised, read-only and no larger."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array, csr_matrix

from explorer.engine.checks import checked_points, checked_sequences, points
from explorer.engine.refusals import Refused

NAMES = ("dog", "cat", "bus")
NAN, INF = float("nan"), float("inf")


def with_value(shape: tuple[int, ...], at: tuple[int, ...], value: float) -> Any:
    x = np.ones(shape)
    x[at] = value
    return x


BAD_POINTS = {
    "nan": (with_value((3, 2), (1, 1), NAN), [0, 1, 2], ["example 1", "feature 1", "nan"]),
    "inf": (with_value((3, 2), (2, 0), INF), [0, 1, 2], ["example 2", "feature 0", "inf"]),
    "minus inf": ([[0, 0], [-INF, 0]], [0, 1], ["example 1", "-inf"]),
    "empty": (np.ones((0, 2)), [], ["empty", "at least one example"]),
    "label too large": (np.ones((3, 2)), [0, 3, 1], ["example 1", "label 3", "0 to 2", "dog, cat, bus"]),
    "label too large, array": (np.ones((3, 2)), np.array([0, 1, 7]), ["example 2", "label 7"]),
    "unsigned label too large": (np.ones((2, 2)), np.array([0, 2**63], dtype=np.uint64), ["example 1"]),
    "negative label": (np.ones((3, 2)), [0, 1, -1], ["example 2", "label -1"]),
    "negative label, array": (np.ones((3, 2)), np.array([0, -1, 1]), ["example 1", "label -1"]),
    "float label": (np.ones((3, 2)), [0, 1, 1.5], ["example 2", "label 1.5", "whole number"]),
    "float labels": (np.ones((2, 2)), np.array([0.0, 1.0]), ["example 0", "label 0.0", "whole number"]),
    "string label": (np.ones((3, 2)), [0, "cat", 1], ["example 1", "label 'cat'", "whole number"]),
    "missing label": (np.ones((3, 2)), [0, None, 1], ["example 1", "None"]),
    "two labels at once": (np.ones((2, 2)), np.zeros((2, 2), dtype=int), ["example 0", "[0, 0]"]),
    "too few labels": (np.ones((3, 2)), [0, 1], ["example 2 has no label", "3 inputs and 2 labels"]),
    "too few inputs": (np.ones((2, 2)), [0, 1, 1], ["example 2 has no input"]),
    "different feature counts": ([[1, 2], [1, 2, 3]], [0, 1], ["example 1", "3 features", "example 0 has 2"]),
    "a number as a row": ([[1, 2], 3], [0, 1], ["example 1", "0 dimensions"]),
    "a matrix as a row": ([[1, 2], [[3, 4]]], [0, 1], ["example 1", "2 dimensions"]),
    "ragged row": ([[1, 2], [[3], [4, 5]]], [0, 1], ["example 1", "different lengths"]),
    "words as features": ([[1, 2], ["a", "b"]], [0, 1], ["example 1", "real numbers"]),
    "complex features": ([[1, 2], [1j, 2]], [0, 1], ["example 1", "real numbers"]),
    "one dimension": (np.ones(3), [0, 1, 2], ["shape (3,)", "(n, F)"]),
    "three dimensions": (np.ones((3, 2, 2)), [0, 1, 2], ["shape (3, 2, 2)", "(n, F)"]),
    "no features": (np.ones((3, 0)), [0, 1, 2], ["at least one feature"]),
    "no list": (np.ones((3, 2)), 5, ["labels are 5", "list or an array"]),
    "no array": (np.float64(3.0), [0], ["inputs are 3.0", "list or an array"]),
    "sparse": (csr_array(np.eye(3)), [0, 1, 2], ["sparse", "dense (n, F)"]),
}

ONE = np.ones((2, 2))

BAD_SEQUENCES = {
    "nan": (
        [ONE, with_value((3, 2), (2, 1), NAN)],
        [[0, 1], [0, 1, 1]],
        ["example 1, position 2", "feature 1"],
    ),
    "inf": ([with_value((2, 2), (1, 0), INF)], [[0, 1]], ["example 0, position 1", "feature 0", "inf"]),
    "sparse nan": (
        [csr_array(with_value((2, 2), (1, 1), NAN))],
        [[0, 1]],
        ["example 0, position 1", "feature 1"],
    ),
    "empty": ([], [], ["empty", "at least one example"]),
    "empty example": ([ONE, np.ones((0, 2))], [[0, 1], []], ["example 1 is empty"]),
    "empty sparse example": ([csr_array((0, 2))], [[]], ["example 0 is empty"]),
    "no features": ([np.ones((2, 0))], [[0, 1]], ["example 0 is empty"]),
    "label too large": ([ONE, ONE], [[0, 1], [1, 3]], ["example 1, position 1", "label 3", "dog, cat, bus"]),
    "negative label": ([ONE], [np.array([-1, 0])], ["example 0, position 0", "label -1"]),
    "float label": ([ONE, ONE], [[0, 1], [0, 0.5]], ["example 1, position 1", "label 0.5"]),
    "string label": ([ONE, ONE], [[0, 1], "ab"], ["example 1, position 0", "label 'a'"]),
    "labels longer": ([ONE, ONE], [[0, 1], [0, 1, 1]], ["example 1", "2 rows of features but 3 labels"]),
    "labels shorter": ([ONE, ONE], [[0], [0, 1]], ["example 0", "2 rows of features but 1 labels"]),
    "one number for all labels": ([ONE], [1], ["labels of example 0 are 1"]),
    "too few labellings": ([ONE, ONE], [[0, 1]], ["example 1 has no label"]),
    "different feature counts": ([ONE, np.ones((2, 3))], [[0, 1]] * 2, ["example 1", "3 features"]),
    "ragged rows": ([ONE, [[1, 2], [3]]], [[0, 1]] * 2, ["example 1", "different lengths"]),
    "one dimension": ([ONE, np.ones(2)], [[0, 1]] * 2, ["example 1", "1 dimensions", "(T, F)"]),
    "three dimensions": ([np.ones((2, 2, 2))], [[0, 1]], ["example 0", "3 dimensions"]),
    "sparse and dense": ([ONE, csr_array(ONE)], [[0, 1]] * 2, ["example 1", "both sparse or both dense"]),
    "words as features": ([ONE, [["a"], ["b"]]], [[0, 1]] * 2, ["example 1", "real numbers"]),
    "one matrix for all": (csr_array(ONE), [[0, 1]], ["tuple with one matrix per example"]),
}


def damaged() -> Any:
    x = csr_array(np.eye(3))
    x.indices[1] = 17
    return x


@pytest.mark.parametrize("case", BAD_POINTS)
def test_bad_points_are_refused_with_place_and_fix(case: str) -> None:
    inputs, labels, parts = BAD_POINTS[case]
    with pytest.raises(Refused) as refusal:
        checked_points(inputs, labels, NAMES)
    assert [part for part in parts if part not in str(refusal.value)] == []


@pytest.mark.parametrize("case", BAD_SEQUENCES)
def test_bad_sequences_are_refused_with_place_and_fix(case: str) -> None:
    inputs, labels, parts = BAD_SEQUENCES[case]
    with pytest.raises(Refused) as refusal:
        checked_sequences(inputs, labels, NAMES)
    assert [part for part in parts if part not in str(refusal.value)] == []


def test_a_sparse_matrix_that_points_outside_itself_is_refused() -> None:
    with pytest.raises(Refused, match="example 0 is a damaged CSR matrix"):
        checked_sequences([damaged()], [[0, 1, 2]], NAMES)


def test_a_not_finite_value_is_found_wherever_it_hides() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        i, t, f = (int(k) for k in rng.integers(0, 5, 3))
        inputs = rng.normal(size=(5, 5, 5))
        inputs[i, t, f] = rng.choice([NAN, INF, -INF])
        for form in (np.asarray, csr_array):
            with pytest.raises(Refused, match=f"example {i}, position {t} .* feature {f};"):
                checked_sequences([form(x) for x in inputs], np.zeros((5, 5), dtype=int), NAMES)


def test_the_number_of_states_may_stand_for_their_names() -> None:
    assert checked_points(ONE, [0, 1], 2)[1].tolist() == [0, 1]
    with pytest.raises(Refused, match=r"from 0 to 1$"):
        checked_points(ONE, [0, 2], 2)


@pytest.mark.parametrize(
    "inputs",
    [
        [[1, 2], [3, 4]],
        ((1, 2), np.array([3, 4])),
        np.array([[1, 2], [3, 4]], dtype=np.int8),
        np.array([[1, 2], [3, 4]], dtype=">f4"),
        np.asfortranarray([[1.0, 2.0], [3.0, 4.0]]),
        np.array([[1, 9, 2, 9], [3, 9, 4, 9]])[:, ::2],
    ],
)
def test_points_become_contiguous_native_and_read_only(inputs: Any) -> None:
    x, y = checked_points(inputs, (1, 0), NAMES)
    assert x.tolist() == [[1, 2], [3, 4]]
    assert (x.dtype, y.dtype) == (np.float64, np.int64)
    assert x.dtype.isnative
    assert x.flags.c_contiguous
    assert not x.flags.writeable
    assert not y.flags.writeable


def test_what_is_already_fine_is_viewed_and_left_writeable_for_its_owner() -> None:
    mine = np.ones((4, 2))
    x, _ = checked_points(mine, np.zeros(4, dtype=np.int64), NAMES)
    assert np.shares_memory(mine, x)
    assert mine.flags.writeable


def test_dense_sequences_become_contiguous_and_read_only() -> None:
    x, y = checked_sequences([[[1, 2]], np.ones((3, 2), dtype=int)], [[2], (0, 1, 2)], NAMES)
    assert [a.shape for a in x] == [(1, 2), (3, 2)]
    assert all(a.dtype == np.float64 and not a.flags.writeable for a in x if isinstance(a, np.ndarray))
    assert [b.tolist() for b in y] == [[2], [0, 1, 2]]
    assert all(b.dtype == np.int64 and not b.flags.writeable for b in y)


@pytest.mark.parametrize("form", [csr_array, csr_matrix, csc_array])
def test_sparse_rows_stay_sparse(form: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = form(np.array([[0, 2.0, 0], [1, 0, 3]]))
    for dense in ("toarray", "todense"):
        monkeypatch.setattr(csr_array, dense, None)
    (x,), _ = checked_sequences([matrix], [[0, 1]], NAMES)
    assert isinstance(x, csr_array)
    assert (x.indices.tolist(), x.indptr.tolist(), x.data.tolist()) == ([1, 0, 2], [0, 1, 3], [2, 1, 3])
    assert not any(part.flags.writeable for part in (x.data, x.indices, x.indptr))


def test_unsorted_and_repeated_columns_are_put_in_order_on_a_copy() -> None:
    mine = csr_array((np.array([1.0, 2.0, 3.0]), np.array([2, 0, 2]), np.array([0, 3])), shape=(1, 4))
    (x,), _ = checked_sequences([mine], [[0]], NAMES)
    assert isinstance(x, csr_array)
    assert (x.indices.tolist(), x.data.tolist()) == ([0, 2], [2, 4])
    assert mine.indices.tolist() == [2, 0, 2]
    assert mine.data.flags.writeable


def test_a_read_only_csr_still_multiplies() -> None:
    (x,), _ = checked_sequences([csr_array(np.eye(3))], [[0, 1, 2]], NAMES)
    assert (x @ np.arange(6.0).reshape(3, 2)).tolist() == [[0, 1], [2, 3], [4, 5]]


def test_arrays_in_meta_are_read_only_too() -> None:
    data = points("mine", ONE, [0, 1], NAMES, extra=np.ones(2))
    assert data.meta["states"] == NAMES
    assert not data.meta["extra"].flags.writeable
