"""Branch and bound on one field against enumeration."""

import numpy as np
import pytest

from explorer.engine.halting import new_flag
from explorer.engine.structures.fields.kernels.branch_search import search
from explorer.engine.structures.fields.kernels.tree_reweighted import score_of
from tests.engine.structures.fields.kernels.one_field import kernel_field, random_grid, random_part
from tests.engine.structures.fields.oracles.sample_fields import Part, every, scored, stacked


@pytest.mark.parametrize("states", [1, 2, 3])
def test_the_labelling_found_has_the_best_score(states: int) -> None:
    rng = np.random.default_rng(states)
    for _ in range(5):
        part = random_part(rng, states)
        field, labels = kernel_field(part), np.zeros(len(part.unary), dtype=np.int64)
        assert search(field, np.zeros((2 * len(part.ends), states)), labels, 1000, 1e-9, new_flag()) <= 1000
        assert score_of(field, labels) == pytest.approx(every(stacked([part]))[1].max(), abs=1e-8)


def test_any_messages_and_any_labelling_are_a_start() -> None:
    rng = np.random.default_rng(4)
    part = random_grid(rng, 2, 3, 3)
    field, best = kernel_field(part), every(stacked([part]))[1].max()
    for _ in range(3):
        labels = rng.integers(0, 3, 6)
        search(field, 3.0 * rng.normal(size=(14, 3)), labels, 5000, 1e-9, new_flag())
        assert score_of(field, labels) == pytest.approx(best, abs=1e-8)


def test_whole_scores_with_many_ties_are_searched_to_the_end() -> None:
    rng = np.random.default_rng(5)
    for _ in range(3):
        part = scored(rng, 5, [(a, b) for a in range(5) for b in range(a)], 3, ties=True)
        field, labels = kernel_field(part), np.zeros(5, dtype=np.int64)
        assert search(field, np.zeros((20, 3)), labels, 5000, 1e-9, new_flag()) <= 5000
        assert score_of(field, labels) == every(stacked([part]))[1].max()


def test_the_scores_given_are_left_alone() -> None:
    rng = np.random.default_rng(6)
    part = random_part(rng, 3)
    field = kernel_field(part)
    search(
        field,
        np.zeros((2 * len(part.ends), 3)),
        np.zeros(len(part.unary), dtype=np.int64),
        1000,
        1e-9,
        new_flag(),
    )
    assert np.array_equal(field.unary, part.unary)


def test_a_search_that_is_too_long_says_so() -> None:
    rng = np.random.default_rng(7)
    ends = np.array([(a, b) for a in range(7) for b in range(a)])
    part = Part(
        0.1 * rng.normal(size=(7, 2)), ends, -np.tile(np.eye(2), (21, 1, 1))
    )  # all want to differ from all
    field, labels = kernel_field(part), np.zeros(7, dtype=np.int64)
    assert search(field, np.zeros((42, 2)), labels, 3, 1e-9, new_flag()) == 4
    assert search(field, np.zeros((42, 2)), labels, 1000, 1e-9, new_flag()) > 3
    assert score_of(field, labels) == pytest.approx(every(stacked([part]))[1].max(), abs=1e-8)


def test_subproblems_are_counted_from_one() -> None:
    # A single node without edges is settled by its first look; what needs c looks has c as its least limit.
    alone = kernel_field(Part(np.array([[0.0, 1.0]]), np.zeros((0, 2), np.int64), np.zeros((0, 2, 2))))
    labels = np.zeros(1, dtype=np.int64)
    assert search(alone, np.zeros((0, 2)), labels, 10, 1e-9, new_flag()) == 1
    assert labels.tolist() == [1]
    ends = np.array([(a, b) for a in range(7) for b in range(a)])
    unary = 0.1 * np.random.default_rng(7).normal(size=(7, 2))
    field = kernel_field(Part(unary, ends, -np.tile(np.eye(2), (21, 1, 1))))
    needed = search(field, np.zeros((42, 2)), np.zeros(7, dtype=np.int64), 1000, 1e-9, new_flag())
    assert 3 < needed <= 1000
    assert search(field, np.zeros((42, 2)), np.zeros(7, dtype=np.int64), needed, 1e-9, new_flag()) == needed


def test_a_search_ends_when_its_flag_goes_up() -> None:
    part = random_grid(np.random.default_rng(4), 2, 3, 3)
    flag = new_flag()
    flag[0] = 1
    assert (
        search(kernel_field(part), np.zeros((14, 3)), np.zeros(6, dtype=np.int64), 5000, 1e-9, flag) == 5001
    )
