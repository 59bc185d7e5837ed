"""Visits of points with all classes at hand: the same dual, the same w, and no step that lowers the dual."""

from typing import Any

import numpy as np
import pytest

from explorer.engine.dual.block_steps import PAIRWISE
from explorer.engine.dual.blocks import DualBlocks, blocks_of
from explorer.engine.dual.slots import own_slots
from explorer.engine.learners.sequential_dual import STEPS
from explorer.engine.losses import CostMatrix, ZeroOne
from explorer.engine.objective import cut_of
from explorer.engine.structures.classes.kernels.visits import settle_classes
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.vectors import dense
from explorer.engine.visits import Plan
from tests.catalogue import THREE, points
from tests.referee import optimum


def visited(problem: Multiclass, C: float, passes: int, seed: int = 0) -> tuple[DualBlocks, list[float]]:
    """Blocks after some passes, and the dual after each."""
    blocks, rng = blocks_of(problem, C, STEPS), np.random.default_rng(seed)
    plan, duals = Plan(True, blocks.share, PAIRWISE, 5, 10), [0.0]
    for _ in range(passes):
        blocks.visit(rng.permutation(problem.n), plan)
        duals.append(blocks.dual)
    return blocks, duals


def held_cuts(blocks: DualBlocks) -> Any:
    """Example, class and mass of every cut in the cache."""
    for i in range(blocks.problem.n):
        own = own_slots(blocks.cache, i)
        for q in range(blocks.cache.held[i]):
            yield i, int(own.labels[q, 0]), float(own.alpha[q])


@pytest.mark.parametrize("delta", [ZeroOne(), CostMatrix(THREE)])
def test_w_is_the_sum_of_the_cuts_that_hold_mass_and_the_dual_never_falls(delta: Any) -> None:
    problem = Multiclass(points(n=12), 3, delta)
    blocks, duals = visited(problem, 5.0, 8)
    made = sum(alpha * dense(cut_of(problem, i, k).psi) for i, k, alpha in held_cuts(blocks))
    assert blocks.w == pytest.approx(made, abs=1e-12)
    assert np.all(np.diff(duals) >= -1e-12)
    masses = np.zeros(problem.n)
    for i, k, alpha in held_cuts(blocks):
        assert k != problem.dataset.labels[i]
        assert alpha >= 0.0
        masses[i] += alpha
    assert np.all(masses <= blocks.share * (1 + 1e-12))


@pytest.mark.parametrize("delta", [ZeroOne(), CostMatrix(THREE)])
def test_many_passes_reach_the_optimum_of_another_solver(delta: Any) -> None:
    problem = Multiclass(points(n=12), 3, delta)
    blocks, _ = visited(problem, 5.0, 300)
    assert blocks.dual == pytest.approx(optimum(problem, 5.0).upper, rel=1e-4)


def test_one_visit_of_one_point_is_the_hand_calculation() -> None:
    # x = (1, 0), truth 0, zero-one loss, cap 1: g = (0, 1, 1). The first step moves t = min(1, 1 / 2) to
    # class 1; then
    # s_0 = 1/2, s_1 = -1/2: g = (0, 0, 1/2), so t = min(1/2, 1/4) goes to class 2, and so on towards 1/3
    # each.
    g, mass, moved = np.array([0.0, 1.0, 1.0]), np.zeros(3), np.empty(3)
    plan = Plan(True, 1.0, PAIRWISE, 1, 10)
    settle_classes(plan, 0, 1.0, g, mass, moved)
    assert moved.tolist() == [-0.5, 0.5, 0.0]
    assert g.tolist() == [0.0, 0.0, 0.5]
    g, mass = np.array([0.0, 1.0, 1.0]), np.zeros(3)
    settle_classes(plan._replace(steps=200), 0, 1.0, g, mass, moved)
    assert mass == pytest.approx([1 / 3, 1 / 3, 1 / 3])
    assert g == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)


def test_a_pass_without_the_oracle_changes_nothing_and_has_nothing_left_to_gain() -> None:
    blocks, _ = visited(Multiclass(points(12), 3), 5.0, 1)
    before, blocks.cache.gaps[:] = blocks.w.copy(), 7.0
    found = blocks.visitor.visit(
        blocks.w, np.arange(12), blocks.cache, Plan(False, blocks.share, PAIRWISE, 5, 10), blocks.born
    )
    assert len(found) == 0
    assert blocks.w.tolist() == before.tolist()
    assert blocks.cache.gaps.tolist() == [0.0] * 12
