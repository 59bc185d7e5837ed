"""Block-coordinate Frank-Wolfe."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse as sp

from explorer.engine.contracts import Dataset
from explorer.engine.learners import FrankWolfe, NSlack
from explorer.engine.losses import CostMatrix
from explorer.engine.objective import cut_of, from_sum, value
from explorer.engine.pricing import Pricing
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.multiclass import Multiclass
from tests.engine.learners.toys import circle_toy, first, line_toy, noisy, run

OPTIMUM = 5.088641
"""Of the circle toy at C = 10, rounded."""


@pytest.mark.spec("F57")
@pytest.mark.parametrize("sampling", ["uniform", "gap"])
def test_the_dual_rises_and_stays_below_the_optimum(sampling: str) -> None:
    duals = [step.bounds.dual for step in first(FrankWolfe(C=10.0, sampling=sampling), circle_toy(), 60)]
    assert np.all(np.diff(duals) >= -1e-12)
    assert max(duals) <= OPTIMUM + 5e-7


@pytest.mark.spec("F57")
def test_sixty_passes_leave_a_gap_below_a_twentieth() -> None:
    problem = circle_toy()
    last = [first(FrankWolfe(C=10.0), problem, 60, seed)[-1] for seed in range(5)]
    gaps = [value(problem, step.w, 10.0) - step.bounds.dual for step in last]
    assert min(gaps) >= 0.0
    assert np.median(gaps) < 0.05


@pytest.mark.spec("A21")
@pytest.mark.parametrize("C_sum", [0.01, 1.0])
def test_it_finds_the_optimum_of_the_cutting_plane_within_a_hundredth(C_sum: float) -> None:
    problem, C = line_toy(), from_sum(C_sum, 4)
    best = run(NSlack(C=C), problem)[0][-1].bounds.primal
    step = first(FrankWolfe(C=C), problem, 300)[-1]
    found = value(problem, step.w, C)
    assert found == pytest.approx(best, rel=0.01)
    assert found - step.bounds.dual >= 0.0


def test_the_dual_of_the_averaged_answer_is_a_bound_too() -> None:
    problem = circle_toy()
    for step in first(FrankWolfe(C=10.0, averaged=True), problem, 40):
        assert step.bounds.dual <= OPTIMUM + 5e-7
        assert value(problem, step.w, 10.0) >= OPTIMUM - 5e-7


def test_the_weighted_mean_is_that_of_the_paper() -> None:
    problem = Multiclass(replace(circle_toy().dataset, inputs=[[1.0, 2.0]], labels=[1]), 2)
    plain = [np.zeros(4), *(step.w for step in first(FrankWolfe(C=3.0), problem, 6))]
    mean = plain[0]
    for k, step in enumerate(first(FrankWolfe(C=3.0, averaged=True), problem, 6)):
        mean = k / (k + 2) * mean + 2 / (k + 2) * plain[k + 1]
        assert step.w == pytest.approx(mean)


def test_weights_and_dual_are_those_of_the_labellings_it_keeps() -> None:
    problem = noisy(pricing=Pricing("slack"), delta=CostMatrix(2.0 * (1.0 - np.eye(4))))
    step = first(FrankWolfe(C=20.0), problem, 5)[-1]
    state, w, ell = step.state, np.zeros(problem.dim), 0.0
    for plane, mass in zip(state["labels"], state["alpha"], strict=True):
        cut = cut_of(problem, plane.group, plane.label)
        w += mass * cut.loss * cut.psi
        ell += mass * cut.loss
    assert len(state["alpha"]) > problem.n / 2
    assert min(state["alpha"]) >= 0.0
    assert step.w == pytest.approx(w)
    assert step.bounds.dual == pytest.approx(ell - 0.5 * w @ w)


@pytest.mark.parametrize("move", ["pairwise", "away"])
def test_steps_without_zigzag_reach_the_optimum_that_plain_ones_only_near(move: str) -> None:
    problem = circle_toy()
    plain = first(FrankWolfe(C=10.0), problem, 200)[-1].bounds.dual
    better = [step.bounds.dual for step in first(FrankWolfe(C=10.0, move=move), problem, 200)]
    assert np.all(np.diff(better) >= -1e-12)
    assert plain < better[-1] == pytest.approx(OPTIMUM, abs=1e-6)


def test_cached_passes_save_oracle_calls() -> None:
    problem = noisy()
    duals = [first(FrankWolfe(C=50.0, cached_passes=many), problem, 15)[-1].bounds.dual for many in (0, 10)]
    assert duals[1] > duals[0]


def test_a_run_goes_on_under_another_price_and_another_loss() -> None:
    problem = circle_toy()
    state = first(FrankWolfe(C=1.0), problem, 30)[-1].state
    step = first(FrankWolfe(C=10.0), problem, 100, state=state)[-1]
    assert step.bounds.dual == pytest.approx(OPTIMUM, rel=0.01)
    costly = replace(problem, delta=CostMatrix(((0, 1, 5), (1, 0, 5), (2, 2, 0))))
    best = run(NSlack(C=10.0), costly)[0][-1].bounds.dual
    moved = first(FrankWolfe(C=10.0), costly, 150, state=state)
    duals = [step.bounds.dual for step in moved]
    assert np.all(np.diff(duals) >= -1e-12)
    assert best * 0.99 <= duals[-1] <= best + 1e-9


def test_of_sparse_features_only_labellings_are_kept() -> None:
    rng = np.random.default_rng(0)
    inputs = [sp.random_array((3, 5000), density=0.002, rng=rng, format="csr") for _ in range(6)]
    problem = Chain(Dataset("sparse", inputs, [rng.integers(0, 2, 3) for _ in inputs]), 2)
    state = first(FrankWolfe(C=10.0), problem, 3)[-1].state
    kept = sum(
        value.nbytes for name, value in state.items() if isinstance(value, np.ndarray) and "w" not in name
    )
    assert kept < 3000


def test_it_refuses_squared_slacks_and_an_infinite_price() -> None:
    assert "quared" in str(FrankWolfe().refuses(line_toy(Pricing("margin", "squared"))))
    assert "infinite" in str(FrankWolfe(C=math.inf).refuses(line_toy()))
