"""The working set: its Gram matrix, pruning, keyframes, another C and another loss."""

import math
from dataclasses import astuple, replace
from itertools import islice
from typing import Any

import numpy as np
import pytest

from explorer.engine.contracts import Dataset, Rule
from explorer.engine.data.toys import circle
from explorer.engine.dual import optimality, qp
from explorer.engine.dual.working_set import (
    WorkingSet,
    restore,
    rule_planes,
    slack_prices,
    solvable,
    solved_program,
)
from explorer.engine.events import EVERY_EXAMPLE
from explorer.engine.learners import Bundle, NSlack, OneSlack, SampledCuts
from explorer.engine.losses import CostMatrix, Hamming, ZeroOne
from explorer.engine.objective import Plane, cut_of, mean_plane, plane_of, sweep
from explorer.engine.pricing import Pricing
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.vectors import Sparse, dense
from tests import referee

PRICES = ((0.0, 1.0, 4.0), (2.0, 0.0, 3.0), (0.5, 4.0, 0.0))


def points(n: int = 6, classes: int = 3, seed: int = 0) -> Dataset:
    rng = np.random.default_rng(seed)
    return Dataset("points", rng.normal(size=(n, 4)), rng.integers(0, classes, n))


def chains(n: int = 4, seed: int = 0) -> Dataset:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 5, n)
    return Dataset(
        "chains",
        tuple(rng.normal(size=(t, 2)) for t in lengths),
        tuple(rng.integers(0, 3, t) for t in lengths),
    )


def as_sparse(x: Any) -> Sparse:
    index = np.flatnonzero(x).astype(np.int64)
    return Sparse(index, x[index], len(x))


def mixed_planes(count: int, dim: int = 5, seed: int = 0) -> list[Plane]:
    """Dense and sparse planes in turn by threes, in four groups."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(count, dim)) * (rng.random((count, dim)) < 0.6)
    vectors = [as_sparse(a) if (j // 3) % 2 else a for j, a in enumerate(rows)]
    return [Plane(a, float(rng.uniform(0, 1)), j % 4, j) for j, a in enumerate(vectors)]


@pytest.mark.parametrize("storage", ["dense", "sparse", "mixed"])
def test_the_gram_matrix_is_that_of_the_planes_however_they_are_stored(storage: str) -> None:
    planes = mixed_planes(40)
    if storage != "mixed":
        form = dense if storage == "dense" else lambda a: as_sparse(dense(a))
        planes = [replace(plane, a=form(plane.a)) for plane in planes]
    working = WorkingSet(5, planes)
    A = np.array([dense(plane.a) for plane in planes])
    assert working.gram == pytest.approx(A @ A.T, abs=1e-13)
    assert np.array_equal(working.gram, working.gram.T)
    working.alpha = np.random.default_rng(0).random(40)
    assert working.w() == pytest.approx(working.alpha @ A, abs=1e-13)


def test_b_and_slots_follow_the_planes() -> None:
    planes = [
        Plane(np.ones(2), 0.5, 1, "a"),
        Plane(np.ones(2), 0.0, -2, None),
        Plane(np.ones(2), 2.0, -4, None),
    ]
    working = WorkingSet(2, planes)
    assert working.b.tolist() == [0.5, 0.0, 2.0]
    assert working.slots(3).tolist() == [1, 3, 5]  # rules of group 0 and 2 come after three examples
    assert WorkingSet(2, [Plane(np.ones(2), 1.0, EVERY_EXAMPLE, ())]).slots(1).tolist() == [0]


@pytest.mark.spec("F11")
@pytest.mark.parametrize("longest", [1, 3])
def test_pruning_drops_exactly_the_planes_without_mass_in_the_last_solves(longest: int) -> None:
    problem = Multiclass(points(), 3)
    working = WorkingSet(problem.dim)
    ages: dict[int, int] = {}
    rng = np.random.default_rng(0)
    for _ in range(12):
        for cut in [problem.oracle(rng.normal(size=problem.dim), i) for i in range(3)]:
            working.add(plane_of(problem, cut))
        working.solve(problem, 1.0, problem.n, 1e-10)
        for j, a in zip(working.ids.tolist(), working.alpha, strict=True):
            ages[j] = 0 if a > 0.0 else ages.get(j, 0) + 1
        before, gram = working.ids.tolist(), working.gram.copy()
        dual = working.alpha @ working.b - 0.5 * working.alpha @ working.gram @ working.alpha
        dropped = working.prune(longest)
        kept = [j for j in before if ages[j] < longest]
        assert working.ids.tolist() == kept
        assert dropped == len(before) - len(kept)
        where = [before.index(j) for j in kept]
        assert np.array_equal(working.gram, gram[np.ix_(where, where)])
        after = working.alpha @ working.b - 0.5 * working.alpha @ working.gram @ working.alpha
        assert after == pytest.approx(dual, rel=1e-12), "the bound does not fall"


def test_rules_are_never_pruned() -> None:
    problem = Binary(points(classes=2), bias="none", rules=(Rule(np.ones(4), -100.0),))
    working = WorkingSet(4, rule_planes(problem))
    for _ in range(5):
        working.solve(problem, 1.0, problem.n, 1e-10)
    assert working.prune(1) == 0
    assert working.ids.tolist() == [-1]


def state_of(working: WorkingSet) -> list[Any]:
    return [working.alpha, working.idle, working.ids, working.gram, working.b, working.w()]


@pytest.mark.parametrize("storage", ["dense", "mixed"])
def test_a_restored_set_has_the_same_bits_now_and_after_more_planes(storage: str) -> None:
    problem = Multiclass(points(8), 3)
    planes = mixed_planes(40, dim=problem.dim, seed=3)
    if storage == "dense":
        planes = [replace(plane, a=dense(plane.a)) for plane in planes]
    working = WorkingSet(problem.dim)
    for start in range(0, 36, 4):
        for plane in planes[start : start + 4]:
            working.add(plane)
        working.solve(problem, 5.0, problem.n, 1e-10)
        working.prune(2)
        again = restore(problem, working.snapshot(problem, 5.0), 5.0)
        for mine, theirs in zip(state_of(working), state_of(again), strict=True):
            assert np.array_equal(mine, theirs)
        for each in (working, again):
            each.add(planes[36])
        assert np.array_equal(working.gram, again.gram)
        working = again


def test_a_snapshot_does_not_change_when_the_set_goes_on() -> None:
    problem = Multiclass(points(), 3)
    working = WorkingSet(problem.dim, mixed_planes(9, dim=problem.dim))
    working.solve(problem, 5.0, problem.n, 1e-10)
    state = working.snapshot(problem, 5.0)
    kept = {name: np.array(state[name], copy=True) for name in ("alpha", "idle", "ids")}
    planes = state["planes"]
    working.prune(1)
    for plane in mixed_planes(5, dim=problem.dim, seed=9):
        working.add(plane)
    working.solve(problem, 50.0, problem.n, 1e-10)
    assert state["planes"] is planes
    assert len(planes) == 9
    assert all(np.array_equal(state[name], kept[name]) for name in kept)


@pytest.mark.parametrize("C", [0.05, 1.0, 40.0])
@pytest.mark.parametrize("penalty", ["linear", "squared"])
def test_multipliers_scaled_to_another_c_are_feasible_and_lead_to_the_same_optimum(
    C: float, penalty: Any
) -> None:
    problem = Multiclass(points(), 3, pricing=Pricing("margin", penalty))
    rng = np.random.default_rng(1)
    working = WorkingSet(problem.dim)
    for _ in range(5):
        for i in range(problem.n):
            working.add(plane_of(problem, problem.oracle(rng.normal(size=problem.dim), i)))
    working.solve(problem, 2.0, problem.n, 1e-12)
    state = working.snapshot(problem, 2.0)
    other = restore(problem, state, C)
    assert other.alpha == pytest.approx(state["alpha"] * C / 2.0)
    if penalty == "linear":
        used = np.bincount(other.slots(problem.n), other.alpha, problem.n)
        assert np.all(used <= C / problem.n * (1 + 1e-12))
    warm = other.solve(problem, C, problem.n, 1e-12)
    cold = WorkingSet(problem.dim, working.planes).solve(problem, C, problem.n, 1e-12)
    assert warm.dual == pytest.approx(cold.dual, rel=1e-10)


def test_multipliers_of_a_hard_margin_survive_the_way_to_a_finite_c_and_back() -> None:
    problem = Binary(Dataset("two", np.array([[-1.0, 0.0], [1.0, 0.0]]), np.array([0, 1])), bias="none")
    cuts = [plane_of(problem, problem.oracle(np.zeros(2), i)) for i in range(2)]
    working = WorkingSet(2, cuts)
    working.solve(problem, math.inf, 2, 1e-12)
    assert working.w() == pytest.approx([1.0, 0.0])
    soft = restore(problem, working.snapshot(problem, math.inf), 0.5)
    found = soft.solve(problem, 0.5, 2, 1e-12)
    # J(w) = w^2 / 2 + (1 - w) / 2 on the first axis: w = 1/2
    assert soft.w() == pytest.approx([0.5, 0.0])
    assert found.dual == pytest.approx(0.375)
    hard = restore(problem, soft.snapshot(problem, 0.5), math.inf)
    hard.solve(problem, math.inf, 2, 1e-12)
    assert hard.w() == pytest.approx([1.0, 0.0])


# Another loss, another scaling: the labellings stay, their prices change.

CHAIN_LOSSES = (Hamming(), Hamming(normalised=True), ZeroOne(), CostMatrix(PRICES))
PRICINGS = (Pricing(), Pricing("slack"), Pricing("margin", "squared"), Pricing("slack", "squared"))


def chain_problems() -> list[Any]:
    found = []
    for loss in CHAIN_LOSSES:
        for pricing in PRICINGS:
            if isinstance(loss, CostMatrix) and pricing != Pricing():
                continue
            found.append(Chain(chains(), 3, loss, pricing))
    return found


@pytest.mark.parametrize("one_slack", [False, True], ids=["n-slack", "1-slack"])
def test_repriced_planes_are_those_that_the_same_labellings_make_anew(one_slack: bool) -> None:
    problems = chain_problems()
    rng = np.random.default_rng(5)
    for old in problems:
        working = WorkingSet(old.dim)
        for _ in range(3):
            w = rng.normal(size=old.dim)
            if one_slack:
                working.add(mean_plane(old, sweep(old, w)))
            else:
                for i in range(old.n):
                    working.add(plane_of(old, old.oracle(w, i)))
        state = working.snapshot(old, 1.0)
        for new in problems:
            again = restore(new, state, 1.0)
            for plane, was in zip(again.planes, working.planes, strict=True):
                pairs = list(enumerate(was.label)) if one_slack else [(was.group, was.label)]
                parts = [priced_by_hand(new, i, label) for i, label in pairs]
                assert dense(plane.a) == pytest.approx(np.mean([a for a, _ in parts], axis=0), abs=1e-12)
                assert plane.b == pytest.approx(np.mean([b for _, b in parts]), abs=1e-12)
                assert plane.group == was.group


def priced_by_hand(problem: Any, i: int, label: Any) -> tuple[Any, float]:
    cut = cut_of(problem, i, label)
    r = math.sqrt(cut.loss) if problem.pricing.penalty == "squared" else cut.loss
    return (r if problem.pricing.scaling == "slack" else 1.0) * dense(cut.psi), r


def test_planes_of_the_same_prices_are_taken_over_as_they_are() -> None:
    problem = Multiclass(points(), 3)
    working = WorkingSet(problem.dim, [plane_of(problem, problem.oracle(np.zeros(problem.dim), 0))])
    again = restore(problem, working.snapshot(problem, 1.0), 3.0)
    assert all(a is b for a, b in zip(working.planes, again.planes, strict=True))


def test_rules_keep_their_price_whatever_the_loss() -> None:
    rule = Rule(np.array([1.0, 0.0, 0.0, 0.0]), 2.0, weight=7.0, group=1)
    problem = Binary(points(classes=2), bias="none", rules=(rule,))
    working = restore(problem, None, 1.0)
    assert working.planes[0].b == 2.0
    prices = slack_prices(problem, 6.0, problem.n)
    assert prices.tolist() == [1.0] * 6 + [math.inf, 7.0]
    other = replace(problem, pricing=Pricing("slack"))
    assert restore(other, working.snapshot(problem, 1.0), 1.0).planes[0] is working.planes[0]


def test_a_rule_with_a_price_is_kept_as_well_as_it_pays() -> None:
    # No data pull: min w^2 / 2 + 7 max(0, 10 - w): w = 7.  Without a price: w = 10.
    data = Dataset("far", np.array([[0.0]]), np.array([0]))
    for weight, expected in ((7.0, 7.0), (math.inf, 10.0), (20.0, 10.0)):
        problem = Binary(data, bias="none", rules=(Rule(np.array([1.0]), 10.0, weight),))
        working = restore(problem, None, 1.0)
        found = working.solve(problem, 1.0, 1, 1e-12)
        assert working.w() == pytest.approx([expected])
        assert isinstance(found, qp.Solution)
        assert found.reached


@pytest.mark.spec("F10")
@pytest.mark.parametrize("penalty", ["linear", "squared"])
def test_a_keyframe_gives_back_the_program_that_its_multipliers_solve(penalty: Any) -> None:
    problem = Multiclass(circle(), 3, pricing=Pricing(penalty=penalty))
    exactly = {"C": 10.0, "qp_tolerance": 1e-13}
    n_slack = [NSlack(**exactly, order=order) for order in ("batch", "each")]
    for learner in (*n_slack, *(kind(**exactly) for kind in (OneSlack, SampledCuts, Bundle))):
        if learner.refuses(problem):
            continue
        for step in islice(learner.steps(problem, np.random.default_rng(0)), 8):
            program, alpha = solved_program(problem, step.state)
            again = optimality.residuals(program, alpha)
            assert again.worst < 1e-6, learner
            assert step.detail["residuals"] == pytest.approx(np.array(astuple(again)), abs=1e-9)
            if len(alpha):
                assert referee.working_set_optimum(program).dual == pytest.approx(step.bounds.dual, rel=1e-5)


def test_only_prices_beyond_all_proportion_are_lowered() -> None:
    # C |a|^2 / b is 1e11 here, and 1e15 there; then it is lowered to the cube root of 1e16 times that.
    gram, b, group = np.array([[1e14]]), np.ones(1), np.zeros(1, dtype=np.int64)
    small = qp.Working(gram, b, group, np.array([1e-3]))
    assert solvable(small).tolist() == [1e-3]
    large = replace(small, weight=np.array([10.0]))
    assert solvable(large) == pytest.approx([1e31 ** (1 / 3) * 1e-14])
