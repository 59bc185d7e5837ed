"""Visits of fields: w is the sum of the cuts held, the Gram matrix is that of their features, and the dual
never falls.
"""

from typing import Any

import numpy as np
import pytest

from explorer.engine.dual.block_steps import PAIRWISE
from explorer.engine.dual.blocks import DualBlocks, blocks_of
from explorer.engine.dual.slots import own_slots
from explorer.engine.learners.sequential_dual import STEPS
from explorer.engine.objective import cut_of
from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.graph_map import GraphMap
from explorer.engine.structures.fields.kernels.decoders import every_labelling
from explorer.engine.structures.fields.label_map import LabelMap, all_pairs
from explorer.engine.structures.fields.oracles import Exhaustive
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.vectors import dense
from explorer.engine.visits import Plan
from tests.catalogue import labels_of_rows, small_graphs

KINDS: dict[str, Any] = {
    "full": lambda: FieldLabelling(small_graphs(), GraphMap(3)),
    "symmetric, marked": lambda: FieldLabelling(small_graphs(marks=2), GraphMap(3, "symmetric")),
    "two states": lambda: FieldLabelling(small_graphs(states=2), GraphMap(2)),
    "labels": lambda: FieldLabelling(labels_of_rows(), LabelMap(3, all_pairs(3))),
}


def visited(problem: Any, passes: int) -> tuple[DualBlocks, list[float]]:
    """Blocks after some passes over all examples, and the dual after each."""
    blocks, rng = blocks_of(problem, 5.0, STEPS, few=2), np.random.default_rng(0)
    plan, duals = Plan(True, blocks.share, PAIRWISE, 5, 10), [0.0]
    for _ in range(passes):
        blocks.visit(rng.permutation(problem.n), plan)
        duals.append(blocks.dual)
    return blocks, duals


def cuts(blocks: DualBlocks, i: int) -> list[Any]:
    """The cuts that example i holds, made from their numbers by the problem itself."""
    problem: Any = blocks.problem
    parts = own_slots(blocks.cache, i).labels[: blocks.cache.held[i]]
    return [cut_of(problem, i, problem.labelling(i, part)) for part in parts]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_cached_is_what_the_problem_says_of_it(kind: str) -> None:
    problem = KINDS[kind]()
    blocks, duals = visited(problem, 6)
    assert np.all(np.diff(duals) >= -1e-12)
    assert duals[-1] > 0.0
    w = np.zeros(problem.dim)
    for i in range(problem.n):
        held = cuts(blocks, i)
        psi = np.array([dense(cut.psi) for cut in held]).reshape(len(held), problem.dim)
        size, own = len(held), own_slots(blocks.cache, i)
        assert own.gram[:size, :size] == pytest.approx(psi @ psi.T, abs=1e-9)
        assert own.size[:size] == pytest.approx([cut.loss for cut in held], abs=1e-12)
        w += own.alpha[:size] @ psi
    assert blocks.w == pytest.approx(w, abs=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_a_cache_is_rebuilt_from_its_labellings_alone(kind: str) -> None:
    problem = KINDS[kind]()
    blocks, _ = visited(problem, 4)
    again = blocks_of(problem, 5.0, STEPS)
    again.restore(blocks.snapshot())
    assert np.array_equal(again.w, blocks.w)
    assert again.dual == pytest.approx(blocks.dual, rel=1e-12)
    for i in range(problem.n):
        size = int(blocks.cache.held[i])
        old, new = (own_slots(cache, i).gram[:size, :size] for cache in (blocks.cache, again.cache))
        assert np.array_equal(old, new)


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_and_labellings_are_the_same_thing(kind: str) -> None:
    problem = KINDS[kind]()
    for i in range(problem.n):
        for label in list(problem.labellings(i))[:20]:
            assert np.array_equal(problem.labelling(i, problem.numbers(i, label)), label)
    if problem.states == 2:
        m, e = len(problem.dataset.labels[0]), len(problem.layout.part(0, 1).ends)
        halves = np.concatenate([np.ones(m, int), np.zeros(e, int)])
        shares = problem.labelling(0, halves)
        assert shares.dtype == float
        assert np.array_equal(problem.numbers(0, shares), halves)
        assert problem.loss(0, shares) == pytest.approx(m / 2), "half of every label is wrong, and costs half"


def test_all_labellings_are_tried_at_once_as_one_by_one() -> None:
    rng = np.random.default_rng(0)
    for states, m in ((2, 6), (3, 4), (4, 1)):
        ends = np.array(
            [(a, b) if (a + b) % 2 else (b, a) for a in range(m) for b in range(a + 1, m)], np.int64
        ).reshape(-1, 2)
        for whole in (False, True):
            unary, pair = rng.normal(size=(m, states)), rng.normal(size=(len(ends), states, states))
            if whole:
                unary, pair = np.round(unary), np.round(pair)
            labels = np.empty(m, np.int64)
            every_labelling(unary, ends, pair, labels)
            problem = _field(unary, ends, pair)
            assert np.array_equal(labels, Exhaustive().solve(problem).labels)


def _field(unary: Any, ends: Any, pair: Any) -> Any:
    one, other = np.array([0, len(unary)]), np.array([0, len(ends)])
    return Fields(unary, one, ends, other, np.arange(len(ends)), pair)
