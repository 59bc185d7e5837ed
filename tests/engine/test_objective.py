"""The one objective: its conventions, its value by hand, and passes over the examples however cut."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from explorer.engine.contracts import Batch, Dataset, Rule
from explorer.engine.data import toys
from explorer.engine.events import EVERY_EXAMPLE, Bounds, Cut, Sweep
from explorer.engine.losses import CostMatrix, ZeroOne
from explorer.engine.objective import (
    all_cuts,
    bounds_of,
    check_oracle,
    chunks,
    conventions,
    cut_of,
    from_sum,
    join_sweeps,
    label_key,
    mean_loss,
    mean_plane,
    plane_of,
    primal,
    rule_cost,
    slacks,
    sweep,
    sweep_of,
    touching_plane,
    value,
    violation,
)
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import NotExact, OracleFault
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.convex_risk import ConvexRisk
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.vectors import dense
from tests.catalogue import PROBLEMS, listed, plain, points


def line_toy() -> Multiclass:
    """x = -10, -4 labelled +1 and x = 6, 5 labelled -1, block features."""
    return Multiclass(toys.four_points(), 2)


def line_objective(u: float, C_sum: float) -> float:
    """J = u^2 / 4 + C sum_a max(0, 1 - a u) at w = (u/2, -u/2), from the requirement's closed form."""
    return u**2 / 4 + C_sum * sum(max(0.0, 1.0 - a * u) for a in (10, 4, 6, 5))


# Conventions.


def test_one_c_in_every_convention() -> None:
    found = conventions(2.0, 8)
    assert (found.mean, found.sum, found.lam, found.lam_unhalved, found.reg) == (2.0, 0.25, 0.5, 0.25, 4.0)
    assert from_sum(found.sum, 8) == found.mean


def test_every_convention_is_the_same_objective_up_to_a_factor() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        C, n, w2, xi = 10.0 ** rng.uniform(-3, 3), int(rng.integers(1, 9)), rng.random(), rng.random(9)
        total = float(np.sum(xi[:n]))
        ours, c = 0.5 * w2 + C * total / n, conventions(C, n)
        assert 0.5 * w2 + c.sum * total == pytest.approx(ours)
        assert 0.5 * c.lam * w2 + total / n == pytest.approx(ours / C)
        assert c.lam_unhalved * w2 + total / n == pytest.approx(ours / C)
        assert 0.5 * c.reg * w2 + total == pytest.approx(ours / c.sum)


# Prices.


@pytest.mark.parametrize(
    ("pricing", "r", "u"),
    [
        (Pricing(), 4.0, 1.0),
        (Pricing("slack"), 4.0, 4.0),
        (Pricing("margin", "squared"), 2.0, 1.0),
        (Pricing("slack", "squared"), 2.0, 2.0),
    ],
)
def test_a_loss_of_four_is_priced_as_each_form_of_the_problem_says(
    pricing: Pricing, r: float, u: float
) -> None:
    assert pricing.size(4.0) == r
    assert pricing.weight(4.0) == u
    assert pricing.violation(0.25, 4.0) == r - u * 0.25
    assert pricing.violation(0.0, 0.0) == 0.0
    assert pricing.weights(np.array([4.0, 4.0])).tolist() == [u, u]
    assert pricing.violations(np.array([0.25]), np.array([4.0])).tolist() == [r - u * 0.25]
    squared = pricing.penalty == "squared"
    assert pricing.cost(np.array([3.0])).tolist() == [4.5 if squared else 3.0]


def test_a_plane_bounds_the_slack_of_its_cut() -> None:
    problem = replace(line_toy(), pricing=Pricing("slack"))
    cut = Cut(2, 1, np.array([6.0, -6.0]), 1.0)
    plane = plane_of(problem, cut)
    w = np.array([0.05, -0.05])
    assert (plane.b, plane.group, plane.label) == (1.0, 2, 1)
    assert violation(problem, w, cut) == pytest.approx(1.0 - 0.6)
    assert plane.b - dense(plane.a) @ w == pytest.approx(violation(problem, w, cut))


def test_equal_labellings_have_equal_keys_and_others_do_not() -> None:
    assert label_key(np.array([0, 1])) == label_key(np.array([0, 1]))
    assert label_key(np.array([0, 1])) != label_key(np.array([1, 0]))
    assert label_key(np.array([[0, 1]])) != label_key(np.array([0, 1]))
    assert label_key((1, 2)) == label_key((1, 2)) != label_key((2, 1))


# The value by hand.


@pytest.mark.spec("A22")
@pytest.mark.parametrize("C_sum", [0.01, 1 / 32, 1.0])
def test_the_objective_of_the_line_toy_is_its_closed_form(C_sum: float) -> None:
    problem = line_toy()
    for u in (-0.5, 0.0, 0.1, 0.18, 0.25, 1.0):
        w = np.array([u / 2, -u / 2])
        assert value(problem, w, from_sum(C_sum, 4)) == pytest.approx(line_objective(u, C_sum), rel=1e-12)


def test_the_objective_of_the_line_toy_with_squared_slacks_is_half_their_squares() -> None:
    problem = replace(line_toy(), pricing=Pricing("margin", "squared"))
    u = 0.05
    by_hand = u**2 / 4 + 3.0 / 4 * sum(0.5 * max(0.0, 1.0 - a * u) ** 2 for a in (10, 4, 6, 5))
    assert value(problem, np.array([u / 2, -u / 2]), 3.0) == pytest.approx(by_hand, rel=1e-12)


def test_w_of_zero_costs_c_times_the_mean_largest_loss() -> None:
    costs = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 3.0], [0.5, 4.0, 0.0]])
    for name in ("multiclass CostMatrix margin linear", "multiclass CostMatrix slack linear"):
        problem = PROBLEMS[name]()
        worst = costs[problem.dataset.labels].max(axis=1)
        assert value(problem, np.zeros(problem.dim), 5.0) == pytest.approx(5.0 * worst.mean())


def test_a_hard_margin_costs_nothing_when_kept_and_everything_when_broken() -> None:
    problem = Binary(toys.two_points(), bias="none")
    assert value(problem, np.array([1.0, 0.0]), math.inf) == 0.5
    assert value(problem, np.array([0.9, 0.0]), math.inf) == math.inf
    assert value(problem, np.array([2.0, 0.0]), math.inf) == 2.0


def test_extra_rules_cost_their_worst_breach_per_group_and_infinity_without_a_price() -> None:
    e = np.array([1.0, 0.0])
    rules = (Rule(e, 3.0, 10.0, 0), Rule(e, 4.0, 10.0, 0), Rule(-e, -9.0, 2.0, 1))
    problem = Binary(toys.two_points(), bias="none", rules=rules)
    w = np.array([2.0, 0.0])
    assert (
        rule_cost(problem, w) == 20.0
    )  # the worse of the two breaches 1 and 2, at 10; the third rule is kept
    assert value(problem, w, 1.0) == 2.0 + 20.0
    squared = replace(problem, pricing=Pricing("margin", "squared"))
    assert rule_cost(squared, w) == 10.0 * 0.5 * 2.0**2
    hard = replace(problem, rules=(Rule(e, 3.0),))
    assert rule_cost(hard, w) == math.inf
    assert rule_cost(hard, np.array([3.0, 0.0])) == 0.0


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
def test_a_hard_rule_and_a_hard_margin_are_kept_to_a_share_of_their_own_size(size: float) -> None:
    e, w = np.array([1.0, 0.0]), np.array([size, 0.0])
    two = Binary(toys.two_points(), bias="none")
    for share, cost in ((1e-6, math.inf), (1e-8, 0.0)):
        assert rule_cost(replace(two, rules=(Rule(e, size * (1.0 + share)),)), w) == cost
        assert (
            rule_cost(
                replace(two, rules=(Rule(np.array([1.0, -1.0]), 0.0),)),
                size * np.array([1.0, 1.0 + 4 * share]),
            )
            == cost
        )
    priced = replace(two, delta=CostMatrix(((0.0, size), (size, 0.0))))
    assert value(priced, (1.0 - 1e-6) * w, math.inf) == math.inf
    assert value(priced, (1.0 - 1e-8) * w, math.inf) == pytest.approx(0.5 * size**2)
    assert value(priced, 0.0 * w, math.inf) == math.inf


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
def test_a_lower_bound_gives_way_to_an_objective_that_is_short_by_a_tolerance_and_by_nothing_else(
    size: float,
) -> None:
    two = Binary(toys.two_points(), bias="none")
    ruled = replace(two, rules=(Rule(np.array([1.0, 0.0]), 1.0),))
    for problem, C in ((two, math.inf), (ruled, 1.0)):
        assert bounds_of(problem, C, size, size * (1 + 1e-7), True) == Bounds(size, size, True)
        assert bounds_of(problem, C, size, size * (1 + 1e-5), True).gap < 0.0
        assert bounds_of(problem, C, size, size * (1 - 1e-7), False) == Bounds(size, size * (1 - 1e-7), False)
    assert bounds_of(two, 1e8, size, size * (1 + 1e-7), True).gap < 0.0
    assert bounds_of(replace(ruled, rules=()), 1.0, size, size * (1 + 1e-7), True).gap < 0.0


def test_the_primal_value_of_no_examples_is_that_of_w_alone() -> None:
    assert primal(ConvexRisk(), np.array([2.0]), 1.0, np.zeros(0)) == 2.0


def test_the_empirical_risk_is_the_mean_loss_of_the_predictions() -> None:
    problem = line_toy()
    assert mean_loss(problem, np.array([1.0, -1.0])) == 0.0
    assert mean_loss(problem, np.array([-1.0, 1.0])) == 1.0
    own = plain(Pricing())
    w = np.array([0.3, -1.0, 0.2])
    guesses = [own.predict(w, x) for x in own.dataset.inputs]
    assert mean_loss(own, w) == np.mean([own.loss(i, y) for i, y in enumerate(guesses)])


# Passes.


@pytest.mark.parametrize(("n", "size"), [(0, 3), (1, 1), (7, 3), (9, 3), (5, 100)])
def test_chunks_cover_every_example_once_in_order(n: int, size: int) -> None:
    parts = chunks(n, size)
    assert [i for lo, hi in parts for i in range(lo, hi)] == list(range(n))
    assert all(hi - lo <= size for lo, hi in parts)


@dataclass(frozen=True)
class InChunks(Multiclass):
    """A multiclass problem whose passes are cut into small runs."""

    @property
    def chunk(self) -> int:
        return 3


def same_sweep(first: Sweep, second: Sweep) -> None:
    assert len(first.labels) == len(second.labels)
    for a, b in zip(first.labels, second.labels, strict=True):
        assert np.array_equal(a, b)
    assert first.losses == pytest.approx(second.losses, abs=1e-12)
    assert first.margins == pytest.approx(second.margins, abs=1e-12)
    assert dense(first.psi) == pytest.approx(dense(second.psi), abs=1e-12)


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_pass_is_the_sum_of_single_oracle_calls(name: str) -> None:
    problem = PROBLEMS[name]()
    rng = np.random.default_rng(1)
    for w in (np.zeros(problem.dim), rng.normal(size=problem.dim), 0.1 * rng.normal(size=problem.dim)):
        single = sweep_of(problem, w, [problem.oracle(w, i) for i in range(problem.n)])
        whole = sweep(problem, w)
        same_sweep(whole, single)
        same_sweep(sweep(problem, w, range(problem.n)), single)
        cuts = all_cuts(problem, w)
        H = [max(0.0, violation(problem, w, cut)) for cut in cuts]
        assert slacks(problem, whole) == pytest.approx(H, abs=1e-12)
        plane = mean_plane(problem, whole)
        assert plane.group == EVERY_EXAMPLE
        assert plane.b - dense(plane.a) @ w == pytest.approx(np.mean(H), abs=1e-12)


def test_passes_in_chunks_join_to_the_same_pass() -> None:
    data = points(n=8)
    small, whole = InChunks(data, 3), Multiclass(data, 3)
    w = np.random.default_rng(2).normal(size=9)
    assert isinstance(small, Batch)
    same_sweep(sweep(small, w), sweep(whole, w))
    parts = [whole.sweep(w, lo, hi) for lo, hi in chunks(8, 3)]
    same_sweep(join_sweeps(parts, whole.dim), whole.sweep(w, 0, 8))
    assert [cut.i for cut in all_cuts(small, w)] == list(range(8))


def test_a_pass_over_chosen_examples_holds_only_those() -> None:
    problem = PROBLEMS["chains Hamming(normalised=False, times=1.0) margin linear ends"]()
    w = np.random.default_rng(3).normal(size=problem.dim)
    part = sweep(problem, w, [3, 1])
    assert len(part.labels) == 2
    assert np.array_equal(part.labels[0], problem.oracle(w, 3).label)
    assert np.array_equal(part.labels[1], problem.oracle(w, 1).label)


def test_an_answer_below_the_truth_counts_as_the_truth() -> None:
    problem = line_toy()
    w = np.array([10.0, -10.0])
    wrong = [cut_of(problem, i, 1 - y) for i, y in enumerate(problem.dataset.labels)]
    assert all(violation(problem, w, cut) < 0.0 for cut in wrong)
    part = sweep_of(problem, w, wrong)
    assert part.labels == tuple(problem.dataset.labels)
    assert np.array_equal(part.losses, np.zeros(4))
    assert np.array_equal(dense(part.psi), np.zeros(2))


# The plane that touches the risk.


@pytest.mark.parametrize("pricing", [Pricing(), Pricing("slack"), Pricing("margin", "squared")])
def test_the_touching_plane_lies_below_the_whole_risk_and_meets_it_at_w(pricing: Pricing) -> None:
    problem = listed(pricing)
    rng = np.random.default_rng(4)

    def risk(v: Any) -> float:
        return float(np.mean(pricing.cost(slacks(problem, sweep(problem, v)))))

    for _ in range(20):
        w = rng.normal(size=problem.dim)
        here, plane = touching_plane(problem, w)
        assert here == pytest.approx(risk(w), abs=1e-12)
        assert plane.b - dense(plane.a) @ w == pytest.approx(here, abs=1e-12)
        for v in rng.normal(size=(10, problem.dim)) * 3.0:
            assert risk(v) >= plane.b - dense(plane.a) @ v - 1e-12


def test_the_touching_plane_of_a_given_risk_is_its_tangent() -> None:
    problem = ConvexRisk()
    here, plane = touching_plane(problem, np.array([0.5]))
    # R(w) = log(1 + e^(-2w)) + 0.1 |w - 2|, R'(w) = -2 / (1 + e^(2w)) - 0.1 for w < 2
    assert here == pytest.approx(math.log(1 + math.exp(-1.0)) + 0.15)
    assert dense(plane.a)[0] == pytest.approx(2 / (1 + math.e) + 0.1)
    assert plane.b == pytest.approx(here + 0.5 * dense(plane.a)[0])


# Faults.


def test_an_exact_oracle_that_answers_with_less_than_before_is_named_with_its_example() -> None:
    problem = Multiclass(Dataset("d", np.eye(2), [0, 1]), 2, ZeroOne())
    cut, w = Cut(1, 0, np.array([0.0, 0.0, -1.0, 1.0]), 1.0), np.array([0.0, 0.0, 0.0, 0.8])
    assert violation(problem, w, cut) == pytest.approx(0.2)
    check_oracle(problem, w, cut, 0.2)
    with pytest.raises(OracleFault, match=r"example 1 is violated by 0\.2, an earlier one by 0\.5"):
        check_oracle(problem, w, cut, 0.5)
    check_oracle(replace(problem, oracle_is_exact=False), w, cut, 0.5)


def test_two_sweeps_are_joined_in_order() -> None:
    one = Sweep((0, 1), np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([1.0, 0.0]))
    other = Sweep((2,), np.array([5.0]), np.array([6.0]), np.array([0.0, 7.0]))
    both = join_sweeps([one, other], 2)
    assert both.labels == (0, 1, 2)
    assert both.losses.tolist() == [1.0, 2.0, 5.0]
    assert both.margins.tolist() == [3.0, 4.0, 6.0]
    assert dense(both.psi).tolist() == [1.0, 7.0]


def test_a_small_breach_of_a_rule_costs_what_it_is() -> None:
    rule = Rule(np.array([1.0, 0.0]), 0.5, 10.0, 0)
    problem = Binary(toys.two_points(), bias="none", rules=(rule,))
    assert rule_cost(problem, np.zeros(2)) == 5.0


def test_an_answer_may_be_off_by_the_rounding_of_its_margin_as_well() -> None:
    # |w| |psi| = 1e10, so a margin may be off by 1e-2; what is known, 1e3, by 1e-3.
    own = replace(plain(Pricing()), exact=True)
    w, psi = np.array([1e5, 0.0, 0.0]), np.array([1e5, 0.0, 0.0])
    for short, proof in ((0.0105, False), (0.0115, True)):
        cut = Cut(0, 0, psi, 1e10 + 1e3 - short)
        if proof:
            with pytest.raises(NotExact):
                check_oracle(own, w, cut, 1e3)
        else:
            check_oracle(own, w, cut, 1e3)
