"""A sample of the audit in every run of the suite, and that the audit itself sees what is wrong."""

import math
from dataclasses import replace
from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest

from explorer.engine.events import Bounds, Step
from explorer.engine.learners.n_slack import NSlack
from explorer.engine.runs.streams import Until, train
from tests.audit.audit import Tally, audit, check_bounds, summary
from tests.audit.draws import random_case
from tests.audit.exact import Inseparable, optimum


def problem(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(12, 3)), rng.random(12), np.repeat(np.arange(3), 4)


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("bias", [False, True])
def test_the_exact_optimum_agrees_with_an_independent_solver(squared: bool, bias: bool) -> None:
    a, b, example = problem(4)
    d = np.where(np.arange(12) % 3 == 0, -1.0, 1.0)
    w, xi, beta = cp.Variable(3), cp.Variable(3, nonneg=True), cp.Variable()
    cost = cp.sum_squares(xi) / 2 if squared else cp.sum(xi)
    margin = a @ w + (beta * d if bias else 0.0)
    other = cp.Problem(cp.Minimize(cp.sum_squares(w) / 2 + 4.0 * cost), [xi[example] >= b - margin])
    other.solve(solver=cp.CLARABEL)
    found = optimum(a, b, example, 4.0, squared, d if bias else None)
    assert float(found) == pytest.approx(other.value, rel=1e-6)


def test_the_exact_optimum_of_two_points_on_a_line_is_known_by_hand() -> None:
    # w >= 1 and w >= 1/3 without slack: w = 1.
    rows, b = np.array([[1.0], [3.0]]), np.ones(2)
    assert optimum(rows, b, [0, 1], None) == Fraction(1, 2)
    # w = price * (1 + 3) = 1/4 leaves slacks 3/4 and 1/4: 1/32 + 1/16 = 3/32.
    assert optimum(rows, b, [0, 1], 1 / 16) == Fraction(3, 32)
    with pytest.raises(Inseparable):
        optimum(np.array([[1.0], [-1.0]]), b, [0, 1], None)


def test_runs_at_every_scale_certify_nothing_false() -> None:
    tally = Tally()
    with np.errstate(all="ignore"):
        for seed in range(12):
            audit(seed, tally)
    assert tally.faults == []
    assert tally.count["certificates"] > 500, summary(tally)
    assert tally.count["converged"] > 50, summary(tally)


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_many_runs_at_every_scale_certify_nothing_false() -> None:
    tally = Tally()
    with np.errstate(all="ignore"):
        seed = 10_000
        while tally.count["runs"] < 10_000:
            audit(seed, tally)
            seed += 1
    assert tally.faults == [], summary(tally)


def test_the_audit_sees_bounds_that_are_wrong_by_a_hundred_thousandth() -> None:
    case = next(c for c in map(random_case, range(50)) if c.exact and c.structure == "multiclass")
    a, b, example, _ = case.rows()
    squared = case.problem.pricing.penalty == "squared"
    best = optimum(a, b, example, 1.0 / case.problem.n, squared)
    told = [e for e in train(case.problem, NSlack(), rule=Until(steps=20)) if isinstance(e, Step)][-1].bounds
    assert best > 0
    for wrong, faults in ((1.0, 0), (1.0 + 1e-5, 1)):
        tally = Tally()
        check_bounds(
            case,
            NSlack(),
            replace(told, dual=wrong * float(best), primal=math.inf),
            (best, best),
            0,
            "",
            tally,
        )
        check_bounds(case, NSlack(), Bounds(float(best) / wrong, -math.inf, True), (best, best), 0, "", tally)
        assert tally.count["false certificate"] == 2 * faults
