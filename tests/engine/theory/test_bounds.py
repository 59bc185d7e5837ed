"""What the theorems promise, held against real runs and hand calculations."""

import math

import numpy as np
import pytest

from explorer.engine.contracts import Dataset, Learner
from explorer.engine.data.toys import circle
from explorer.engine.enumeration import listable
from explorer.engine.learners import NSlack, OneSlack, Perceptron, Subgradient
from explorer.engine.losses import CostMatrix
from explorer.engine.objective import sweep, value
from explorer.engine.pricing import Penalty, Pricing, Scaling
from explorer.engine.refusals import Refused
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.convex_risk import ConvexRisk
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.structures.classes.own import Listed
from explorer.engine.theory.bounds import (
    extent,
    n_slack_bound,
    older_bound,
    one_slack_bound,
    perceptron_bound,
    risk_bound,
    separator,
    worst_violation,
)
from explorer.engine.vectors import dense
from tests.engine.learners.toys import first, line_toy, noisy, run, tiny_clustering


@pytest.mark.spec("A10")
def test_the_separator_of_the_line_toy_has_the_known_margin() -> None:
    found = separator(line_toy())
    assert found is not None
    assert found.w_hat == pytest.approx(np.array([1.0, -1.0]) / math.sqrt(2.0))
    assert (found.R, found.delta) == pytest.approx((10.0 * math.sqrt(2.0), 4.0 * math.sqrt(2.0)))
    assert perceptron_bound(found) == pytest.approx(6.25)


def test_the_separator_keeps_its_margin_on_every_wrong_labelling() -> None:
    problem = noisy(20, 3, noise=0.0)
    found = separator(problem)
    assert found is not None
    assert np.linalg.norm(found.w_hat) == pytest.approx(1.0)
    slack = np.zeros(problem.n)
    # Zero-one loss: H = 1 - w . psi, at most 0 for all labellings where w = w_hat / delta.
    assert worst_violation(problem, found.w_hat / found.delta, slack) <= 1e-9
    assert value(problem, found.w_hat / found.delta, 1.0) == pytest.approx(0.5 / found.delta**2)


def test_data_that_nothing_separates_have_no_separator() -> None:
    assert separator(noisy(40, 3, noise=3.0)) is None
    twins = Multiclass(Dataset("twins", np.ones((2, 1)), np.array([0, 1])), 2)
    assert separator(twins) is None


def test_only_small_problems_that_enumerate_can_be_listed() -> None:
    rng = np.random.default_rng(0)
    chains = [Dataset("chain", [rng.normal(size=(T, 2))], [np.zeros(T, dtype=int)]) for T in (5, 30)]
    assert [listable(Chain(data, 3)) for data in chains] == [True, False]
    assert not listable(ConvexRisk())
    with pytest.raises(Refused, match="list"):
        extent(ConvexRisk())


def test_the_extent_of_the_circle_toy_is_known_by_hand() -> None:
    # A point (cos, sin, 1) has length sqrt 2; the truth's block minus another one has twice its square.
    found = extent(Multiclass(circle(), 3))
    assert (found.radius, found.loss, found.longest) == pytest.approx((2.0, 1.0, math.sqrt(2.0)))


@pytest.mark.spec("A14")
@pytest.mark.parametrize(
    "learner", [NSlack(C=20.0), OneSlack(C=20.0), Subgradient(C=20.0), Perceptron(passes=20)]
)
@pytest.mark.parametrize("scaling", ["margin", "slack"])
def test_the_mean_loss_never_exceeds_the_mean_slack(learner: Learner, scaling: Scaling) -> None:
    problem = noisy(30, 4, noise=2.0, pricing=Pricing(scaling))
    for step in first(learner, problem, 12):
        loss, slack = risk_bound(problem, step.w, sweep(problem, step.w))
        assert loss <= slack + 1e-12


@pytest.mark.spec("F04", "A13")
@pytest.mark.parametrize("scaling", ["margin", "slack"])
@pytest.mark.parametrize("penalty", ["linear", "squared"])
def test_the_hinge_bounds_the_loss_on_random_weights(scaling: Scaling, penalty: Penalty) -> None:
    costs = CostMatrix(((0, 1, 7), (2, 0, 0.5), (3, 1, 0)))
    problem = noisy(25, 3, delta=costs, pricing=Pricing(scaling, penalty))
    rng = np.random.default_rng(0)
    for _ in range(40):
        w = 3.0 * rng.normal(size=problem.dim)
        part = sweep(problem, w)
        slack = np.maximum(problem.pricing.violations(part.margins, part.losses), 0.0)
        bound = slack**2 if penalty == "squared" else slack
        losses = [problem.loss(i, y) for i, y in enumerate(problem.predictions(w))]
        assert np.all(losses <= bound + 1e-9)


@pytest.mark.spec("C15")
def test_the_risk_of_the_tiny_clustering_problem_is_within_its_bound() -> None:
    problem = tiny_clustering()
    last = run(OneSlack(C=1000.0, eps=0.1), problem)[0][-1]
    loss, slack = risk_bound(problem, last.w, sweep(problem, last.w))
    assert loss == pytest.approx(15.0)
    assert last.detail["xi"] + 0.1 == pytest.approx(57.99, abs=0.005)
    assert loss <= slack <= last.detail["xi"] + 0.1


@pytest.mark.spec("C16")
def test_at_the_end_a_scan_of_all_outputs_finds_no_violation_above_eps() -> None:
    problem, eps = tiny_clustering(), 0.01
    last = run(NSlack(C=1000.0, eps=eps, order="each"), problem)[0][-1]
    assert worst_violation(problem, last.w, last.detail["slack"]) <= eps
    one = run(OneSlack(C=1000.0, eps=eps), problem)[0][-1]
    needed = np.array([max(0.0, scan(problem, one.w, i)) for i in range(problem.n)])
    assert np.mean(needed) <= one.detail["xi"] + eps


def scan(problem: Listed, w: np.ndarray, i: int) -> float:
    """The largest H of example i, straight from its definition under margin scaling."""
    truth = problem.dataset.labels[i]
    gold = w @ problem.features(i, truth)
    return max(problem.loss(i, y) + w @ problem.features(i, y) - gold for y in problem.labellings(i))


@pytest.mark.spec("C17")
def test_the_bounds_of_the_tiny_clustering_problem_hold_and_theorem_seven_gives_its_number() -> None:
    problem = tiny_clustering()
    found = extent(problem)
    radius, loss = found.radius, found.loss
    bound = one_slack_bound(1000.0, 0.1, loss, radius, "margin")
    assert bound == 31_514
    assert len(run(OneSlack(C=1000.0, eps=0.1), problem)[0]) <= bound
    added = sum(step.detail["added"] for step in run(NSlack(C=1000.0, eps=0.1, order="each"), problem)[0])
    assert added <= n_slack_bound(1000.0, 0.1, loss, radius, problem.n, "margin")


@pytest.mark.spec("C13", "C18")
@pytest.mark.parametrize(("C", "eps", "optimum"), [(100.0, 0.1, 6769.1637), (1000.0, 0.01, 62229.540)])
def test_one_slack_is_the_mean_of_n_slacks(C: float, eps: float, optimum: float) -> None:
    problem = tiny_clustering()
    one = run(OneSlack(C=C, eps=eps), problem)[0][-1]
    n = run(NSlack(C=C, eps=eps, order="each"), problem)[0][-1]
    assert one.bounds.primal == pytest.approx(optimum, abs=1e-3)
    assert n.bounds.primal == pytest.approx(optimum, abs=1e-3)
    assert one.detail["xi"] == pytest.approx(np.mean(n.detail["slack"]), abs=eps)


@pytest.mark.spec("D2")
@pytest.mark.parametrize("scaling", ["margin", "slack"])
def test_the_bounds_are_never_exceeded_on_random_small_problems(scaling: Scaling) -> None:
    rng = np.random.default_rng(0)
    for seed in range(50):
        costs = CostMatrix(rng.uniform(0.5, 3.0, (3, 3)) * (1.0 - np.eye(3)))
        problem = noisy(int(rng.integers(3, 8)), 3, seed, delta=costs, pricing=Pricing(scaling))
        found = extent(problem)
        radius, loss = found.radius, found.loss
        C, eps = 10.0 ** rng.uniform(-1, 2), 10.0 ** rng.uniform(-2, -0.5)
        n_slack, _ = run(NSlack(C=C, eps=eps, order="each"), problem)
        one_slack, _ = run(OneSlack(C=C, eps=eps), problem)
        added = sum(step.detail["added"] for step in n_slack)
        assert added <= n_slack_bound(C, eps, loss, radius, problem.n, scaling)
        longest = max(
            np.linalg.norm(dense(problem.features(i, y))) for i in range(problem.n) for y in range(3)
        )
        assert found.longest == pytest.approx(longest)
        assert added <= older_bound(C, eps, loss, longest, problem.n)
        assert eps < 4.0 * radius**2 * C
        assert len(one_slack) <= one_slack_bound(C, eps, loss, radius, scaling)


def test_the_bounds_are_the_printed_formulas() -> None:
    assert n_slack_bound(1.0, 0.5, 2.0, 3.0, 10, "margin") == pytest.approx(max(80.0, 576.0))
    assert n_slack_bound(1.0, 0.5, 2.0, 3.0, 10, "slack") == pytest.approx(2304.0)
    assert one_slack_bound(1.0, 0.5, 72.0, 3.0, "margin") == 1 + 288
    assert one_slack_bound(1.0, 0.5, 2.0, 3.0, "slack") == math.ceil(math.log2(1 / 72)) + 1152
    assert older_bound(1.0, 0.5, 2.0, 3.0, 10) == pytest.approx(4 * (36 + 20))


def dominating(scaling: Scaling) -> Listed:
    """Ten items, psi of the only true pair with squared norm 4, one wrong output of loss 100."""
    pair = np.array([2.0, 0.0])
    return Listed(
        Dataset("dominating", [0], [1]),
        lambda x, y: y * pair / 100.0,
        lambda truth, y: 100.0 * (truth != y),
        lambda x: (0, 1),
        2,
        Pricing(scaling),
    )


@pytest.mark.spec("D34")
@pytest.mark.parametrize("C", [1.0, 1000.0, 200_000.0])
def test_one_dominating_constraint_keeps_the_slack_high(C: float) -> None:
    last = run(NSlack(C=C, eps=1e-6), dominating("margin"))[0][-1]
    assert last.w[0] / 2.0 == pytest.approx(C / 100.0, rel=1e-6)
    assert last.detail["slack"][0] == pytest.approx(100.0 - 4.0 * C / 10**4, abs=1e-4)


@pytest.mark.spec("D34")
@pytest.mark.parametrize(("scaling", "first_C"), [("margin", 250_000.0), ("slack", 25.0)])
def test_the_slack_vanishes_at_ten_thousand_times_less_under_slack_scaling(
    scaling: Scaling, first_C: float
) -> None:
    problem = dominating(scaling)
    before = run(NSlack(C=0.99 * first_C, eps=1e-6), problem)[0][-1].detail["slack"][0]
    after = run(NSlack(C=first_C, eps=1e-6), problem)[0][-1].detail["slack"][0]
    assert before == pytest.approx(1.0, abs=1e-4)
    assert after == pytest.approx(0.0, abs=1e-4)
