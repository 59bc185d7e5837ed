"""Every vector operation says the same thing for dense and for sparse vectors."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.engine.vectors import (
    Sparse,
    add_into,
    blend,
    combine,
    dense,
    dot,
    nbytes,
    scale,
    sparse,
    squared_norm,
    total,
)

REPEATABLE = settings(derandomize=True, database=None, deadline=None, max_examples=100)
DIM = 7

whole = st.integers(-3, 3).map(float)
arrays = st.lists(whole, min_size=DIM, max_size=DIM).map(np.array)


def as_sparse(x: Any) -> Sparse:
    index = np.flatnonzero(x)
    return Sparse(index.astype(np.int64), x[index], len(x))


def forms(x: Any) -> tuple[Any, Any]:
    return x, as_sparse(x)


@REPEATABLE
@given(st.lists(st.tuples(st.integers(0, DIM - 1), whole), max_size=12))
def test_a_sparse_vector_sums_repeated_positions_sorts_them_and_drops_zeros(
    entries: list[tuple[int, float]],
) -> None:
    by_hand = np.zeros(DIM)
    for position, value in entries:
        by_hand[position] += value
    index = np.array([position for position, _ in entries], dtype=np.int64)
    made = sparse(index, np.array([value for _, value in entries]), DIM)
    assert np.array_equal(made.index, np.flatnonzero(by_hand))
    assert np.array_equal(dense(made), by_hand)
    assert np.all(made.value != 0.0)


@REPEATABLE
@given(arrays, arrays, whole, whole)
def test_products_and_sums_do_not_depend_on_the_storage(x: Any, y: Any, s: float, t: float) -> None:
    for a, b in product(forms(x), forms(y)):
        assert dot(a, b) == float(np.sum(x * y))
        assert squared_norm(a) == float(np.sum(x * x))
        assert np.array_equal(dense(scale(s, a)), s * x)
        assert np.array_equal(dense(blend(s, a, t, b)), s * x + t * y)
        assert np.array_equal(dense(total([a, b, a], DIM)), x + y + x)
        assert np.array_equal(combine([s, t], [a, b], DIM), s * x + t * y)


@REPEATABLE
@given(arrays, arrays, whole)
def test_adding_into_an_accumulator_changes_only_the_accumulator(x: Any, y: Any, t: float) -> None:
    for b in forms(y):
        mine, kept = x.copy(), dense(b).copy()
        add_into(mine, t, b)
        assert np.array_equal(mine, x + t * y)
        assert np.array_equal(dense(b), kept)


def test_sums_of_sparse_vectors_stay_sparse_and_any_dense_part_makes_them_dense() -> None:
    x = np.array([0.0, 2.0, 0.0])
    assert isinstance(blend(1.0, as_sparse(x), 1.0, as_sparse(x)), Sparse)
    assert isinstance(total([as_sparse(x), as_sparse(x)], 3), Sparse)
    assert isinstance(blend(1.0, x, 1.0, as_sparse(x)), np.ndarray)
    assert isinstance(total([as_sparse(x), x], 3), np.ndarray)


def test_entries_that_cancel_leave_no_trace() -> None:
    x = as_sparse(np.array([0.0, 2.0, 0.0]))
    gone = blend(1.0, x, -1.0, x)
    assert isinstance(gone, Sparse)
    assert len(gone.index) == 0


def test_the_sum_of_no_vectors_is_zero() -> None:
    assert np.array_equal(dense(total([], 3)), np.zeros(3))
    assert np.array_equal(combine([], [], 3), np.zeros(3))


def test_no_operation_but_add_into_changes_its_arguments() -> None:
    x = np.array([1.0, 0.0, 3.0])
    for a in forms(x):
        parts = [a] if isinstance(a, np.ndarray) else [a.index, a.value]
        for part in parts:
            part.flags.writeable = False
        blend(2.0, a, 3.0, a)
        scale(2.0, a)
        total([a, a], 3)
        combine([1.0, 2.0], [a, a], 3)
        dense(a)


def test_the_memory_of_a_vector_is_that_of_its_stored_numbers() -> None:
    x = np.zeros(1000)
    x[:3] = 1.0
    assert nbytes(x) == 8000
    assert nbytes(as_sparse(x)) == 3 * 8 + 3 * 8


def test_combining_refuses_unequal_counts() -> None:
    with pytest.raises(ValueError, match="argument"):
        combine([1.0], [np.ones(2), np.ones(2)], 2)
