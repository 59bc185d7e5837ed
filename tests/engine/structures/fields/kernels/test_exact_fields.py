"""The stages of branch and bound on a few small fields; whole answers are tested with the oracle."""

import numpy as np
import pytest

from explorer.engine.halting import new_flag
from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.kernels.exact_fields import judge_labels, open_fractional, search_parts
from explorer.engine.structures.fields.kernels.relaxed_fields import Relaxed, choose_parts
from explorer.engine.structures.fields.oracles.relaxation import cut_out, relax, stack_of
from tests.engine.structures.fields.oracles.sample_fields import (
    Ints,
    Part,
    optimum,
    scored,
    stacked,
    tree_edges,
)

TRIANGLE = np.array([(0, 1), (1, 2), (2, 0)])


def samples() -> Fields:
    """A tree and a triangle whose corners all want to differ."""
    rng = np.random.default_rng(0)
    frustrated = Part(0.01 * rng.normal(size=(3, 2)), TRIANGLE, -np.tile(np.eye(2), (3, 1, 1)))
    return stacked([scored(rng, 5, tree_edges(rng, 5), 2), frustrated])


def searched(fields: Fields, known: Relaxed, most: int) -> Ints:
    """Search all parts of open fields once; returns the subproblems of each field."""
    choose_parts(stack_of(fields), known, 1, 0, 2)
    parts, taken = cut_out(fields, known), np.zeros(1, dtype=np.int64)
    labels = known.labels[parts.nodes]
    search_parts(stack_of(parts.fields), parts.m, labels, most, np.array([1e-9]), taken, new_flag(), 0, 1)
    known.labels[parts.nodes] = labels
    looked = np.array([0, taken[0]])
    judge_labels(stack_of(fields), known, looked, most, 0, 2)
    return looked


def test_only_fields_without_a_proven_labelling_are_searched_and_then_proven() -> None:
    fields = samples()
    stack, known, best = stack_of(fields), relax(fields, 100, 60, 1e-10), optimum(fields)
    open_fractional(stack, known, 0, 2)
    assert known.open.tolist() == [False, True]
    looked = searched(fields, known, 1000)
    assert not known.open.any()
    assert looked[0] == 0
    assert looked[1] > 1
    assert fields.scores(known.labels) == pytest.approx(best, abs=1e-9)
    assert known.bound == pytest.approx(best, abs=1e-8)


def test_a_search_that_takes_too_long_is_closed_without_a_proof() -> None:
    fields = samples()
    stack, known = stack_of(fields), relax(fields, 100, 60, 1e-10)
    before = known.bound.copy()
    open_fractional(stack, known, 0, 2)
    looked = searched(fields, known, 1)
    assert not known.open.any()
    assert looked.tolist() == [0, 2]
    assert np.array_equal(known.bound, before)
