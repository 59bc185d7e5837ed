"""The n-slack cutting plane: three orders, hard and soft margins, squared slacks, rules, warm starts."""

import math
from collections.abc import Callable
from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest

from explorer.engine.contracts import Dataset, Learner, Rule
from explorer.engine.data.toys import overlapping, two_points
from explorer.engine.dual import optimality, qp
from explorer.engine.dual.working_set import restore, slack_prices
from explorer.engine.learners import NSlack, OneSlack
from explorer.engine.losses import CostMatrix
from explorer.engine.objective import all_cuts, cut_of, from_sum, mean_loss, slacks, sweep, violation
from explorer.engine.pricing import Pricing, Scaling
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.own import Listed
from explorer.engine.theory.bounds import worst_violation
from tests.engine.learners.toys import circle_toy, line_toy, noisy, run

COSTLY = CostMatrix(((0, 1, 5, 1), (1, 0, 5, 1), (2, 2, 0, 1), (1, 1, 1, 0)))


@pytest.mark.spec("A16")
def test_the_line_toy_takes_four_cuts_in_the_first_round_and_ends_in_the_second() -> None:
    steps, stopped = run(NSlack(C=from_sum(1.0, 4)), line_toy())
    assert [step.detail["added"] for step in steps] == [4, 0]
    last = steps[-1]
    assert last.w == pytest.approx([0.125, -0.125])
    assert last.bounds.primal == pytest.approx(0.015625)
    assert last.bounds.dual == pytest.approx(0.015625)
    mass = dict(zip(last.detail["example"].tolist(), last.detail["alpha"], strict=True))
    assert mass == pytest.approx({0: 0.0, 1: 0.03125, 2: 0.0, 3: 0.0})
    assert stopped.reason == "no new cut"


@pytest.mark.spec("A17")
@pytest.mark.parametrize("order", ["solve first", "each"])
@pytest.mark.parametrize("C_sum", [0.01, 1.0])
def test_the_other_orders_find_the_same_optimum(order: str, C_sum: float) -> None:
    C = from_sum(C_sum, 4)
    steps, _ = run(NSlack(C=C, order=order), line_toy())
    assert steps[-1].bounds.primal == pytest.approx({0.01: 0.0119, 1.0: 1 / 64}[C_sum], abs=1e-3 * C)


@pytest.mark.spec("A17")
@pytest.mark.parametrize("eps", [0.1, 0.001])
def test_solving_after_each_cut_needs_fewer_cuts(eps: float) -> None:
    steps, _ = run(NSlack(C=from_sum(1.0, 4), eps=eps, order="each"), line_toy())
    assert [[cut.i for cut in step.cuts] for step in steps] == [[0, 1], []]
    small, _ = run(NSlack(C=from_sum(0.01, 4), eps=eps, order="each"), line_toy())
    assert sum(step.detail["added"] for step in small) == 4
    assert small[-1].w[0] - small[-1].w[1] == pytest.approx(0.18)


@pytest.mark.spec("A17")
@pytest.mark.parametrize("order", ["batch", "solve first", "each"])
@pytest.mark.parametrize("scaling", ["margin", "slack"])
def test_at_the_end_nothing_is_violated_by_more_than_eps(order: str, scaling: Scaling) -> None:
    problem = noisy(20, 4, delta=COSTLY, pricing=Pricing(scaling))
    last = run(NSlack(C=10.0, eps=0.01, order=order), problem)[0][-1]
    assert worst_violation(problem, last.w, last.detail["slack"]) <= 0.01 + 1e-9


@pytest.mark.spec("A18")
@pytest.mark.parametrize("order", ["batch", "solve first"])
def test_every_cut_added_is_the_most_violated_of_its_example(order: str) -> None:
    problem = noisy(15, 4, delta=COSTLY)
    for step in run(NSlack(C=10.0, order=order), problem)[0]:
        for cut in step.cuts:
            found = [violation(problem, step.w, cut_of(problem, cut.i, y)) for y in range(4)]
            assert violation(problem, step.w, cut) == pytest.approx(max(found))


@pytest.mark.spec("A5")
@pytest.mark.parametrize("bias", ["none", "free"])
def test_two_points_have_the_hard_margin_one(bias: str) -> None:
    problem = Binary(two_points(), bias=bias)
    last = run(NSlack(C=math.inf), problem)[0][-1]
    normal, offset = problem.plane(last.w)
    assert normal == pytest.approx([1.0, 0.0], abs=1e-6)
    assert offset == pytest.approx(0.0, abs=1e-6)
    assert 1.0 / np.linalg.norm(normal) == pytest.approx(1.0)


@pytest.mark.spec("A5")
def test_the_soft_margin_agrees_with_an_independent_solver() -> None:
    problem = Binary(overlapping(20)[0], bias="regularised")
    w = cp.Variable(3)
    hinge = cp.pos(1.0 - cp.multiply(problem.signs, problem.points @ w))
    other = cp.Problem(cp.Minimize(cp.sum_squares(w) / 2 + 0.3 * cp.sum(hinge)))
    other.solve(solver=cp.CLARABEL)
    steps, _ = run(NSlack(C=from_sum(0.3, problem.n), eps=1e-6), problem)
    assert steps[-1].bounds.primal == pytest.approx(other.value, abs=1e-4)


@pytest.mark.spec("A6")
def test_squared_slacks_leave_fewer_of_them_at_zero() -> None:
    at_zero = {}
    for penalty in ("linear", "squared"):
        problem = Binary(overlapping(60)[0], pricing=Pricing("margin", penalty))
        last = run(NSlack(C=from_sum(1.0, 120), eps=1e-7), problem)[0][-1]
        at_zero[penalty] = int(np.sum(last.detail["slack"] <= 1e-6))
    assert at_zero["squared"] < at_zero["linear"]


@pytest.mark.spec("C14")
@pytest.mark.parametrize("scaling", ["margin", "slack"])
def test_squared_slacks_meet_the_optimality_conditions_and_bound_the_risk(scaling: Scaling) -> None:
    problem = noisy(30, 4, delta=COSTLY, pricing=Pricing(scaling, "squared"))
    last = run(NSlack(C=5.0, eps=1e-7, qp_tolerance=1e-13), problem)[0][-1]
    working = restore(problem, last.state, 5.0)
    prices = slack_prices(problem, 5.0, problem.n)
    program = qp.Working(working.gram.copy(), working.b, working.slots(problem.n), prices, "squared")
    assert optimality.residuals(program, working.alpha).worst < 1e-6
    found = slacks(problem, sweep(problem, last.w))
    assert np.mean(found**2) >= mean_loss(problem, last.w)


@pytest.mark.parametrize("scaling", ["margin", "slack"])
def test_squared_slacks_agree_with_an_independent_solver(scaling: Scaling) -> None:
    problem = noisy(15, 4, delta=COSTLY, pricing=Pricing(scaling, "squared"))
    w, xi = cp.Variable(problem.dim), cp.Variable(problem.n, nonneg=True)
    cuts = [cut_of(problem, i, y) for i in range(problem.n) for y in range(4)]
    size = {"margin": lambda r: 1.0, "slack": lambda r: r}[scaling]
    below = [xi[c.i] >= math.sqrt(c.loss) - size(math.sqrt(c.loss)) * (c.psi @ w) for c in cuts if c.loss]
    goal = cp.sum_squares(w) / 2 + 5.0 / (2 * problem.n) * cp.sum_squares(xi)
    other = cp.Problem(cp.Minimize(goal), below)
    other.solve(solver=cp.CLARABEL)
    assert run(NSlack(C=5.0, eps=1e-6), problem)[0][-1].bounds.primal == pytest.approx(other.value, rel=1e-5)


@pytest.mark.parametrize("learner", [NSlack(C=5.0, eps=1e-6), OneSlack(C=5.0, eps=1e-6)])
def test_rules_with_their_own_slack_agree_with_an_independent_solver(learner: Learner) -> None:
    a, b, c = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, -1.0])
    shared = (Rule(-a, 0.2, 3.0, 0), Rule(b, 2.0, 3.0, 0))
    problem = Binary(overlapping(15)[0], bias="regularised", rules=(*shared, Rule(c, 0.1, math.inf, 1)))
    w, rho = cp.Variable(3), cp.Variable(nonneg=True)
    hinge = cp.pos(1.0 - cp.multiply(problem.signs, problem.points @ w))
    goal = cp.sum_squares(w) / 2 + 5.0 / problem.n * cp.sum(hinge) + 3.0 * rho
    other = cp.Problem(cp.Minimize(goal), [-a @ w >= 0.2 - rho, b @ w >= 2.0 - rho, c @ w >= 0.1])
    other.solve(solver=cp.CLARABEL)
    last = run(learner, problem)[0][-1]
    assert last.bounds.primal == pytest.approx(other.value, abs=1e-4)
    assert last.w == pytest.approx(w.value, abs=1e-3)


LEARNERS = [NSlack, OneSlack]


@pytest.mark.parametrize("make", LEARNERS)
def test_a_warm_start_under_another_price_reaches_the_cold_optimum_sooner(
    make: Callable[..., Learner],
) -> None:
    problem = noisy(40, 4)
    state = run(make(C=20.0, eps=1e-4), problem)[0][-1].state
    for C in (10.0, 40.0):
        warm, cold = (run(make(C=C, eps=1e-4), problem, state=start)[0] for start in (state, None))
        assert warm[-1].bounds.primal == pytest.approx(cold[-1].bounds.primal, abs=C * 1e-4)
        assert len(warm) < len(cold)
        assert warm[0].k == state["k"] + 1


@pytest.mark.parametrize("make", LEARNERS)
@pytest.mark.parametrize("scaling", ["margin", "slack"])
def test_another_loss_prices_the_planes_anew_and_reaches_the_cold_optimum(
    make: Callable[..., Learner], scaling: Scaling
) -> None:
    problem = noisy(40, 4, pricing=Pricing(scaling))
    state = run(make(C=10.0, eps=1e-4), problem)[0][-1].state
    costly = replace(problem, delta=COSTLY)
    warm, cold = (run(make(C=10.0, eps=1e-4), costly, state=start)[0] for start in (state, None))
    assert warm[-1].bounds.primal == pytest.approx(cold[-1].bounds.primal, abs=10.0 * 1e-4)
    assert warm[0].bounds.dual > 0.5 * cold[-1].bounds.dual


def multilabel(scaling: Scaling) -> Listed:
    """Twenty examples of four labels with pair features; the loss is the share of wrong ones in per cent."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(20, 3)), [tuple(row) for row in rng.integers(0, 2, (20, 4)).tolist()]
    outputs = [tuple((k >> j) & 1 for j in range(4)) for k in range(16)]
    pairs = [(a, b) for a in range(4) for b in range(a)]

    def psi(point, label):
        together = [float(label[a] * label[b]) for a, b in pairs]
        return np.concatenate([np.outer(label, point).ravel(), together])

    def wrong(truth, label):
        return 25.0 * sum(a != b for a, b in zip(truth, label, strict=True))

    return Listed(Dataset("multilabel", x, y), psi, wrong, lambda _: outputs, 18, Pricing(scaling))


@pytest.mark.spec("D1")
@pytest.mark.parametrize("scaling", ["margin", "slack"])
def test_one_and_n_slacks_agree_and_no_labelling_is_violated_at_the_end(scaling: Scaling) -> None:
    problem, eps = multilabel(scaling), 1e-3
    C = {"margin": 1.0, "slack": 0.01}[scaling]
    n_slack = run(NSlack(C=C, eps=eps), problem)[0][-1]
    one_slack = run(OneSlack(C=C, eps=eps), problem)[0][-1]
    assert abs(n_slack.bounds.dual - one_slack.bounds.dual) <= 2 * C * eps
    assert abs(n_slack.bounds.primal - one_slack.bounds.primal) <= 2 * C * eps
    assert worst_violation(problem, n_slack.w, n_slack.detail["slack"]) <= eps + 1e-9
    needed = [max(0.0, violation(problem, one_slack.w, cut)) for cut in all_cuts(problem, one_slack.w)]
    assert np.mean(needed) <= one_slack.detail["xi"] + eps + 1e-9
    assert worst_violation(problem, one_slack.w, np.array(needed)) <= 1e-9


def test_a_hard_margin_that_no_w_can_keep_is_refused() -> None:
    with pytest.raises(ValueError, match="separated"):
        run(NSlack(C=math.inf), noisy(40, 3, noise=3.0))


def test_the_circle_toy_has_a_hard_margin() -> None:
    problem = circle_toy()
    last = run(NSlack(C=math.inf), problem)[0][-1]
    w = cp.Variable(problem.dim)
    cuts = [cut_of(problem, i, y) for i in range(12) for y in range(3)]
    other = cp.Problem(cp.Minimize(cp.sum_squares(w) / 2), [c.psi @ w >= 1.0 for c in cuts if c.loss])
    other.solve(solver=cp.CLARABEL)
    assert last.bounds.dual == pytest.approx(other.value, rel=1e-4)
