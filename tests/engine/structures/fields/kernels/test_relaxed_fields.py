"""The stages of the fast relaxation, one by one, on a few small fields; whole answers are tested with the
oracle.
"""

import numpy as np
import pytest

from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.kernels.relaxed_fields import (
    Relaxed,
    choose_parts,
    finish_fields,
    judge,
    known_of,
    size_of,
    sweep_fields,
)
from explorer.engine.structures.fields.oracles.relaxation import cut_out, refine, stack_of, unknown
from tests.engine.structures.fields.kernels.one_field import infeasible, kernel_field
from tests.engine.structures.fields.oracles.sample_fields import Part, optimum, scored, stacked, tree_edges

TRIANGLE = np.array([(0, 1), (1, 2), (2, 0)])


def samples() -> Fields:
    """A tree, a triangle whose corners all want to differ, and a lone node."""
    rng = np.random.default_rng(0)
    frustrated = Part(0.01 * rng.normal(size=(3, 2)), TRIANGLE, -np.tile(np.eye(2), (3, 1, 1)))
    return stacked([scored(rng, 5, tree_edges(rng, 5), 2), frustrated, scored(rng, 1, [], 2)])


def swept(fields: Fields) -> Relaxed:
    known = unknown(fields)
    sweep_fields(stack_of(fields), known, 100, 1e-8, 0, len(fields))
    return known


def test_sweeps_prove_the_tree_and_leave_the_triangle_open() -> None:
    fields = samples()
    known, best = swept(fields), optimum(fields)
    assert known.open.tolist() == [False, True, False]
    assert fields.scores(known.labels)[[0, 2]] == pytest.approx(best[[0, 2]], abs=1e-9)
    assert np.all(known.bound >= best)
    assert np.all(known.gap[[0, 2]] <= known.goal[[0, 2]])
    assert infeasible(fields.one(0).ends, known.node[:5], known.edge[:4]) == 0.0


def test_the_other_stages_bring_the_triangle_to_its_fractional_optimum() -> None:
    fields = samples()
    stack, known = stack_of(fields), swept(fields)
    choose_parts(stack, known, 1, 0, 3)
    assert known.core[5:8].all()
    assert known.part.tolist() == [-1] * 5 + [0, 0, 0, -1]
    assert known.parts.tolist() == [0, 1, 0]
    refine(cut_out(fields, known), known, 60)
    judge(stack, known, 0, 3)
    assert not known.open.any()
    finish_fields(stack, known, np.array([False, True, False]), 0, 3)
    assert known.bound[1] == pytest.approx(
        fields.unary[5:8].sum() / 2, abs=1e-8
    )  # all halves, no edge disappointed
    assert np.all(known.node[5:8] == 0.5)
    assert known.edge[4:7].tolist() == [[[0.0, 0.5], [0.5, 0.0]]] * 3


def test_a_stage_touches_only_the_fields_it_is_given() -> None:
    fields = samples()
    known = unknown(fields)
    known.labels[:], known.bound[:] = -7, -7.0
    sweep_fields(stack_of(fields), known, 100, 1e-8, 1, 2)
    assert known.bound.tolist()[0::2] == [-7.0, -7.0]
    assert np.flatnonzero(known.labels == -7).tolist() == [0, 1, 2, 3, 4, 8]


def test_what_is_known_of_one_field_is_a_view_of_all() -> None:
    fields = samples()
    known = swept(fields)
    own = known_of(stack_of(fields), known, 1)
    assert np.shares_memory(own.node, known.node)
    assert [len(part) for part in (own.m, own.node, own.edge, own.labels, own.bound, own.lack)] == [
        6,
        3,
        3,
        3,
        1,
        6,
    ]


def test_the_size_of_a_field_is_its_largest_score() -> None:
    part = scored(np.random.default_rng(1), 4, [(0, 1), (2, 3)], 3)
    largest = max(np.abs(part.unary).max(), np.abs(part.pair).max())
    assert size_of(kernel_field(part)) == largest
    assert (
        size_of(kernel_field(Part(part.unary * 0.0, part.ends, part.pair * 1e3)))
        == 1e3 * np.abs(part.pair).max()
    )
