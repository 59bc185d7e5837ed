"""The conditional random field: its optimum, its lower bound, its moves, and what it does not take."""

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from explorer.engine.contracts import Dataset
from explorer.engine.descent import precondition
from explorer.engine.events import Evaluated, Step
from explorer.engine.learners import CRF, SequentialDual
from explorer.engine.likelihoods import Likelihood
from explorer.engine.losses import ZeroOne
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.runs.path import path
from explorer.engine.runs.streams import Until, train
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.convex_risk import ConvexRisk
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.structures.fields.graph_map import GraphMap
from explorer.engine.structures.fields.oracles import ICM
from explorer.engine.structures.fields.problem import FieldLabelling
from tests import referee
from tests.catalogue import chains, listed, plain, points, small_graphs, sparse_chains

TO_THE_END = Until(relative_gap=0.0)


def run(problem: Any, learner: CRF, rule: Until = TO_THE_END, **how: Any) -> list[Any]:
    return list(train(problem, learner, rule=rule, **how))


def steps_of(events: list[Any]) -> list[Step]:
    return [event for event in events if isinstance(event, Step)]


PROBLEMS = {
    "chains": lambda: Chain(chains(), 3),
    "chains without ends": lambda: Chain(chains(seed=3), 3, ends=False),
    "sparse chains": lambda: Chain(sparse_chains(), 3),
    "points": lambda: Multiclass(points(), 3),
    "binary": lambda: Binary(points(classes=2), "regularised"),
    "listed": lambda: listed(Pricing()),
    "graphs": lambda: FieldLabelling(small_graphs(), GraphMap(3)),
}


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("C", [0.3, 20.0])
def test_it_ends_at_the_optimum_that_another_solver_finds_with_a_gap_of_nothing(name: str, C: float) -> None:
    problem: Any = PROBLEMS[name]()
    best = referee.likelihood_optimum(problem, C)
    assert best.upper - best.lower <= 1e-12 * best.upper
    *_, last = steps_of(run(problem, CRF(C=C)))
    assert last.w == pytest.approx(best.w, abs=1e-6)
    assert last.bounds.primal == pytest.approx(best.value, rel=1e-10)
    assert 0.0 <= last.bounds.relative_gap <= 1e-12


@pytest.mark.parametrize("name", PROBLEMS)
def test_no_step_claims_more_than_the_optimum(name: str) -> None:
    problem: Any = PROBLEMS[name]()
    best = referee.likelihood_optimum(problem, 5.0)
    found = steps_of(run(problem, CRF(C=5.0)))
    assert len(found) > 3
    for step in found:
        assert step.bounds.dual <= best.upper * (1.0 + 1e-12)
        assert step.bounds.primal >= best.lower * (1.0 - 1e-12)
        assert step.bounds.certificate
    primal = np.array([step.bounds.primal for step in found])
    dual = np.array([step.bounds.dual for step in found])
    assert np.all(np.diff(primal) < 0.0)
    assert np.all(np.diff(dual) >= 0.0)


def test_it_begins_where_all_labellings_are_equally_likely() -> None:
    data = chains()
    step = next(CRF(C=2.0).steps(Chain(data, 3), np.random.default_rng(0)))
    assert step.bounds.primal == pytest.approx(2.0 * math.log(3.0) * np.mean([len(y) for y in data.labels]))


def test_on_points_of_two_classes_it_is_logistic_regression() -> None:
    problem = Binary(points(classes=2), "none")
    x, signs = np.asarray(problem.dataset.inputs), 2.0 * np.asarray(problem.dataset.labels) - 1.0

    def logistic(w: Any) -> Any:
        return 0.5 * w @ w + 4.0 * np.mean(np.log1p(np.exp(-signs * (x @ w))))

    known = minimize(logistic, np.zeros(3), tol=1e-12)
    *_, last = steps_of(run(problem, CRF(C=4.0)))
    assert last.bounds.primal == pytest.approx(known.fun, rel=1e-9)
    assert last.w == pytest.approx(known.x, abs=1e-5)


def test_loss_scaling_penalty_and_oracle_of_the_problem_play_no_part() -> None:
    first = [step.w.tolist() for step in steps_of(run(Chain(chains(), 3), CRF()))]
    other = Chain(chains(), 3, delta=ZeroOne(), pricing=Pricing("slack", "squared"))
    assert [step.w.tolist() for step in steps_of(run(other, CRF()))] == first


def test_an_approximate_oracle_takes_nothing_from_its_certificate() -> None:
    problem = FieldLabelling(small_graphs(), GraphMap(3), separator=ICM())
    assert not problem.oracle_is_exact
    first, *rest = run(problem, CRF(), rule=Until(relative_gap=1e-4))
    assert (first.exact, first.oracle, first.objective, first.risk) == (
        True,
        "exact",
        "negative log-likelihood",
        "mean log loss",
    )
    assert rest[-1].reason == "relative gap"
    assert "not a certificate" not in rest[-1].sentence
    looks = [event for event in rest if isinstance(event, Evaluated)]
    assert looks
    assert all(look.bounds.certificate and math.isnan(look.true_slack) for look in looks)


def test_a_look_measures_the_likelihood_and_not_the_hinge() -> None:
    problem = Chain(chains(), 3)
    events = run(problem, CRF(C=3.0), look_every=0.0)
    steps = {step.k: step for step in steps_of(events)}
    rows = referee.all_rows(problem)
    looks = [event for event in events if isinstance(event, Evaluated)]
    assert len(looks) == len(steps)
    for look in looks:
        w = steps[look.k].w
        value = referee.log_loss(rows, w, 3.0)[0]
        assert look.bounds.primal == pytest.approx(value, rel=1e-12)
        assert look.mean_slack == pytest.approx((value - 0.5 * w @ w) / 3.0, rel=1e-9)


def test_every_trial_counts_one_call_for_every_example_listed_ones_too() -> None:
    for problem in (Chain(chains(), 3), listed(Pricing())):
        calls = [step.oracle_calls for step in steps_of(run(problem, CRF()))]
        assert calls[0] == problem.n
        assert all(call % problem.n == 0 for call in calls)
        assert all(b > a for a, b in pairwise(calls))


def test_a_changed_price_goes_on_from_the_weights_and_keeps_the_curvature() -> None:
    problem = Chain(chains(20, 6, 4, seed=2), 3)
    learner = CRF(C=10.0)
    *_, last = steps_of(run(problem, learner))
    cold = steps_of(run(problem, CRF(C=12.0), rule=Until(relative_gap=1e-9)))
    warm = steps_of(run(problem, CRF(C=12.0), rule=Until(relative_gap=1e-9), state=last.state))
    assert len(warm) < len(cold)
    assert warm[-1].bounds.primal == pytest.approx(referee.likelihood_optimum(problem, 12.0).value, rel=1e-8)
    assert warm[0].detail["pairs"] > 1


def test_a_lower_bound_of_another_price_is_not_kept() -> None:
    problem = Multiclass(points(), 3)
    *_, last = steps_of(run(problem, CRF(C=50.0)))
    first = next(CRF(C=0.1).steps(problem, np.random.default_rng(0), last.state))
    assert first.bounds.dual <= referee.likelihood_optimum(problem, 0.1).upper


def test_the_two_loops_apply_the_inverse_of_a_hessian_they_have_seen_all_of() -> None:
    rng = np.random.default_rng(1)
    half = rng.normal(size=(4, 4))
    Q = half @ half.T  # of a quadratic risk; the objective adds the identity
    hessian, g = np.eye(4) + 3.0 * Q, rng.normal(size=4)
    conjugate = np.linalg.eigh(hessian)[1].T  # along these, four moves say all there is to say
    pairs = tuple((s, Q @ s) for s in conjugate)
    assert precondition(g, pairs, 3.0) == pytest.approx(np.linalg.solve(hessian, g), rel=1e-9)
    assert precondition(g, (), 3.0) == pytest.approx(g)


def test_what_has_no_sums_over_all_labellings_is_refused_with_a_sentence() -> None:
    assert "too many to list" in str(CRF().refuses(plain(Pricing())))
    large = FieldLabelling(small_graphs(), GraphMap(3))
    many = replace(large, dataset=Dataset("many", large.dataset.inputs * 300, large.dataset.labels * 300))
    assert "too many to list" in str(CRF().refuses(many))
    assert CRF().refuses(ConvexRisk()) is not None
    assert "C is infinite" in str(CRF(C=math.inf).refuses(Chain(chains(), 3)))
    with pytest.raises(Refused, match="use a learner of cuts"):
        next(train(plain(Pricing()), CRF()))


def test_there_is_no_path_of_slacks_for_it() -> None:
    with pytest.raises(Refused, match="minimises no slacks"):
        next(path(Chain(chains(), 3), CRF(), 0.1, 1.0))
    assert next(path(Chain(chains(), 3), SequentialDual(certify_every=1), 0.1, 1.0, 0.1)).C == 0.1


def test_its_objective_says_what_it_is() -> None:
    problem = Multiclass(points(), 3)
    w = np.random.default_rng(3).normal(size=problem.dim)
    found = Likelihood().measure(problem, w, 7.0)
    assert found.value == pytest.approx(0.5 * w @ w + 7.0 * found.risk, rel=1e-12)
    assert found.value == pytest.approx(referee.log_loss(referee.all_rows(problem), w, 7.0)[0], rel=1e-12)


@pytest.mark.parametrize("size", [1.0, 1e4, 1e8])
def test_bounds_hold_where_the_objective_is_a_small_difference_of_large_numbers(size: float) -> None:
    # One point x = size in two classes: J = w^2 / 4 + log(1 + exp(-size w)) for the difference w of the two
    # weights; its derivative w / 2 - size / (1 + exp(size w)) rises, so bisection finds where it is 0.
    problem = Multiclass(Dataset("one", np.array([[size]]), np.array([0])), 2)
    low, high, x = np.longdouble(0), np.longdouble(2), np.longdouble(size)
    for _ in range(200):
        w = (low + high) / 2
        share = np.exp(-x * w)
        low, high = (low, w) if w / 2 > x * share / (1 + share) else (w, high)
    best = float(w * w / 4 + np.log1p(np.exp(-x * w)))
    found = [event.bounds for event in run(problem, CRF(C=1.0)) if hasattr(event, "bounds")]
    assert len(found) > 3
    for bounds in found:
        assert bounds.dual <= best * (1 + 1e-9)
        assert bounds.primal >= best * (1 - 1e-9)
        assert bounds.gap >= 0.0
