"""Tree-reweighted bounds against enumeration and the definition of D in numpy."""

import numpy as np
import pytest

from explorer.engine.structures.fields.kernels.tree_reweighted import collect, dual_bound, score_of, sweep
from tests.engine.structures.fields.kernels.one_field import bound, kernel_field, random_part
from tests.engine.structures.fields.oracles.sample_fields import every, scored, stacked, tree_edges


@pytest.mark.parametrize("states", [1, 2, 3])
def test_any_messages_bound_every_labelling(states: int) -> None:
    rng = np.random.default_rng(states)
    for _ in range(10):
        part = random_part(rng, states, 5)
        field, m = kernel_field(part), rng.normal(size=(2 * len(part.ends), states))
        assert dual_bound(field, m) == pytest.approx(bound(part, m), abs=1e-12)
        assert dual_bound(field, m) >= every(stacked([part]))[1].max() - 1e-9


def test_sweeps_never_raise_the_bound_and_tell_it() -> None:
    rng = np.random.default_rng(4)
    for _ in range(10):
        part = random_part(rng, 3)
        field, m = kernel_field(part), rng.normal(size=(2 * len(part.ends), 3))
        labels, last = np.zeros(len(part.unary), dtype=np.int64), bound(part, m)
        for k in range(8):
            told = sweep(field, m, labels, k % 2 == 0)
            assert told == pytest.approx(bound(part, m), abs=1e-9)
            assert told <= last + 1e-9
            last = told


def test_labellings_on_the_way_are_labellings_with_their_scores() -> None:
    rng = np.random.default_rng(5)
    part = random_part(rng, 3)
    field, m = kernel_field(part), np.zeros((2 * len(part.ends), 3))
    labels = np.zeros(len(part.unary), dtype=np.int64)
    for k in range(4):
        sweep(field, m, labels, k % 2 == 0)
        rows, scores = every(stacked([part]))
        assert score_of(field, labels) == pytest.approx(scores[np.all(rows == labels, axis=1)][0])


def test_on_trees_the_bound_meets_the_best_labelling() -> None:
    rng = np.random.default_rng(6)
    for _ in range(10):
        part = scored(rng, 6, tree_edges(rng, 6), 3)
        field, m = kernel_field(part), np.zeros((10, 3))
        labels, best = np.zeros(6, dtype=np.int64), every(stacked([part]))[1].max()
        found = [(sweep(field, m, labels, k % 2 == 0), score_of(field, labels)) for k in range(60)]
        assert found[-1][0] == pytest.approx(best, abs=1e-6)
        assert max(score for _, score in found) == pytest.approx(best, abs=1e-9)


def test_collecting_leaves_nothing_at_the_edge_for_any_state() -> None:
    rng = np.random.default_rng(7)
    part = scored(rng, 2, [(0, 1)], 4)
    field = kernel_field(part)
    for h in (0, 1):
        m = rng.normal(size=(2, 4))
        collect(field.pair, 0, m, h)
        left = part.pair[0] - m[0][:, None] - m[1][None, :]
        assert left.max(axis=1 - h) == pytest.approx(np.zeros(4), abs=1e-12)
