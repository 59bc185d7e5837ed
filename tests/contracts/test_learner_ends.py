"""How runs end: always, for a reason, at the same optimum however the problem is put, and honestly at
extremes.
"""

import math
from dataclasses import replace
from itertools import islice
from typing import Any

import cvxpy as cp
import numpy as np
import pytest

from explorer.engine.contracts import Dataset, Rule
from explorer.engine.events import Step, Stopped
from explorer.engine.learners import LEARNERS, Bundle, FrankWolfe, NSlack, OneSlack, SampledCuts, name_of
from explorer.engine.objective import value
from explorer.engine.pricing import Pricing
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.structures.classes.multiclass import Multiclass
from explorer.engine.theory.bounds import worst_violation
from tests import referee
from tests.catalogue import chains, listed, points
from tests.engine.learners.toys import tiny_clustering


def ended(learner: Any, problem: Any, most: int = 2000) -> tuple[list[Step], Stopped | None]:
    """The steps of a run, and why it ended; None when it did not within `most` steps."""
    generator, steps = learner.steps(problem, np.random.default_rng(0)), []
    while len(steps) < most:
        try:
            steps.append(next(generator))
        except StopIteration as end:
            return steps, end.value
    return steps, None


PROBLEMS = {
    "multiclass": Multiclass(points(20), 3),
    "multiclass, slack scaled": Multiclass(points(20, seed=3), 3, pricing=Pricing("slack")),
    "chains": Chain(chains(10), 3),
    "listed": listed(Pricing()),
}
CUTTING = (
    *(NSlack(eps=0.0, order=order) for order in ("batch", "solve first", "each")),
    NSlack(eps=0.0, prune_after=1),
    OneSlack(eps=0.0),
    OneSlack(eps=0.0, cache=5),
    OneSlack(eps=0.0, prune_after=1),
    Bundle(eps=0.0),
    SampledCuts(eps=0.0, fraction=0.5),
)


@pytest.mark.parametrize("C", [1.0, 100.0, 1e5])
@pytest.mark.parametrize("learner", CUTTING, ids=repr)
def test_a_tolerance_of_zero_does_not_go_on_for_ever(learner: Any, C: float) -> None:
    for name, problem in PROBLEMS.items():
        steps, stopped = ended(replace(learner, C=C), problem)
        assert stopped is not None, name
        if learner.certifies:
            assert steps[-1].bounds.relative_gap < 1e-6, name


@pytest.mark.parametrize("kind", LEARNERS, ids=name_of)
def test_a_learner_that_ends_gives_a_short_reason_a_sentence_and_its_last_step(kind: type) -> None:
    learner = kind()
    data = Dataset("two", np.array([[-1.0, 0.2], [1.0, 0.1]]), np.array([0, 1]))
    one = tuple(x[None] for x in data.inputs), tuple(np.array([y]) for y in data.labels)
    made = (Multiclass(data, 2), Binary(data, "regularised"), Chain(Dataset("two of one", *one), 2))
    problem: Any = next(problem for problem in made if not kind().refuses(problem))
    steps, stopped = ended(learner, problem, 500)
    assert [step.k for step in steps] == list(range(len(steps)))
    if stopped is not None:
        assert 1 <= len(stopped.reason.split()) <= 3
        assert stopped.reason not in ("cancelled", "failed")
        assert len(stopped.sentence) > 10
        assert stopped.k == steps[-1].k


# Extremes.


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e2, 1e4])
@pytest.mark.parametrize("C", [1e-6, 1.0, 1e6, 1e9])
def test_at_extremes_an_exact_oracle_is_not_accused_and_no_bound_crosses(C: float, scale: float) -> None:
    data = points(n=12)
    problem = Multiclass(replace(data, inputs=scale * data.inputs), 3)
    learners = [NSlack(C=C, order=order) for order in ("batch", "solve first", "each")]
    for learner in (*learners, OneSlack(C=C), Bundle(C=C), FrankWolfe(C=C)):
        steps = list(islice(learner.steps(problem, np.random.default_rng(0)), 60))
        for step in steps:
            upper = value(problem, step.w, C)
            assert not step.bounds.dual > upper * (1 + 1e-9), learner
            assert math.isnan(step.bounds.primal) or step.bounds.primal == pytest.approx(upper, rel=1e-6)
        if C * scale**2 < 1e9 and not isinstance(learner, FrankWolfe):
            assert steps[-1].bounds.gap <= max(C * learner.eps, 1e-6 * steps[-1].bounds.primal), learner


# The same problem put differently.

EXACT = (NSlack(eps=1e-9, qp_tolerance=1e-12), OneSlack(eps=1e-9), Bundle(eps=1e-9))


def best(learner: Any, problem: Any, C: float) -> float:
    steps, _ = ended(replace(learner, C=C), problem)
    return steps[-1].bounds.dual


@pytest.mark.parametrize("learner", EXACT, ids=repr)
def test_the_order_of_the_examples_does_not_matter(learner: Any) -> None:
    data = points(12)
    order = np.random.default_rng(1).permutation(12)
    shuffled = replace(data, inputs=data.inputs[order], labels=data.labels[order])
    first, second = (best(learner, Multiclass(d, 3), 5.0) for d in (data, shuffled))
    assert first == pytest.approx(second, rel=1e-7)


@pytest.mark.parametrize("learner", EXACT, ids=repr)
def test_every_example_twice_is_the_same_problem(learner: Any) -> None:
    data = points(8)
    twice = replace(data, inputs=np.vstack([data.inputs] * 2), labels=np.concatenate([data.labels] * 2))
    first, second = (best(learner, Multiclass(d, 3), 5.0) for d in (data, twice))
    assert first == pytest.approx(second, rel=1e-7)


@pytest.mark.parametrize("learner", EXACT, ids=repr)
@pytest.mark.parametrize("s", [0.1, 30.0])
def test_features_times_s_and_c_over_s_squared_divide_the_objective_by_s_squared(
    learner: Any, s: float
) -> None:
    data = points(10)
    larger = replace(data, inputs=s * data.inputs)
    first = best(learner, Multiclass(data, 3), 5.0)
    assert best(learner, Multiclass(larger, 3), 5.0 / s**2) * s**2 == pytest.approx(first, rel=1e-6)


@pytest.mark.spec("A15")
@pytest.mark.parametrize("name", ["multiclass", "chains", "listed"])
def test_the_constrained_optimum_is_the_minimum_of_the_hinge_form(name: str) -> None:
    problem, C = PROBLEMS[name], 3.0
    rows = referee.all_rows(problem)
    w = cp.Variable(problem.dim)
    hinges = [
        cp.max(rows.loss[rows.example == i] - rows.psi[rows.example == i] @ w) for i in range(problem.n)
    ]
    program = cp.Problem(cp.Minimize(cp.sum_squares(w) / 2 + C / problem.n * sum(hinges)))
    program.solve(solver=cp.CLARABEL)
    for learner in EXACT:
        assert best(learner, problem, C) == pytest.approx(program.value, rel=1e-4)


# The tiny clustering problem, its optimum from an independent solver.


@pytest.mark.spec("C13", "C16", "C18", "D1")
@pytest.mark.parametrize(("C", "eps", "printed"), [(100.0, 0.1, 6769.1637), (1000.0, 0.01, 62229.540)])
def test_both_forms_solve_the_tiny_clustering_problem(C: float, eps: float, printed: float) -> None:
    problem = tiny_clustering()
    true = referee.optimum(problem, C)
    runs = {
        name: ended(kind(C=C, eps=eps), problem)[0][-1] for name, kind in (("1", OneSlack), ("n", NSlack))
    }
    assert true.lower == pytest.approx(printed, rel=1e-6)
    for last in runs.values():
        assert last.bounds.dual <= true.upper * (1 + 1e-9)
        assert last.bounds.primal - true.lower <= C * eps
        assert last.bounds.primal == pytest.approx(printed, rel=1e-3)
    slack = referee.slacks(referee.all_rows(problem), runs["n"].w)
    assert worst_violation(problem, runs["n"].w, runs["n"].detail["slack"]) <= eps * (1 + 1e-9)
    assert runs["1"].detail["xi"] == pytest.approx(float(np.mean(slack)), abs=eps)


@pytest.mark.spec("C13", "C14", "D1")
@pytest.mark.parametrize(
    "pricing", [Pricing("slack"), Pricing("margin", "squared"), Pricing("slack", "squared")]
)
def test_the_other_forms_of_the_tiny_clustering_problem_agree_with_the_independent_solver(
    pricing: Pricing,
) -> None:
    problem = replace(tiny_clustering(), pricing=pricing)
    true = referee.optimum(problem, 10.0)
    learners = [
        NSlack(C=10.0, eps=1e-3),
        *([OneSlack(C=10.0, eps=1e-3)] if pricing.penalty == "linear" else []),
    ]
    for learner in learners:
        last = ended(learner, problem)[0][-1]
        assert last.bounds.dual <= true.upper * (1 + 1e-9)
        assert last.bounds.primal == pytest.approx(true.value, rel=1e-4)


# Extra rules on w.

RULED = replace(
    Binary(points(n=10, features=3, classes=2), "none"),
    rules=(
        Rule(np.array([0.0, 1.0, 0.0]), 2.0),
        Rule(np.array([1.0, 0.0, 0.0]), 1.0, weight=0.5, group=1),
        Rule(np.array([1.0, 0.0, 1.0]), 3.0, weight=0.5, group=1),
    ),
)


def ruled_optimum(problem: Any, C: float) -> tuple[float, Any]:
    """Hinges, one hard rule, and two rules that share one slack of price 1/2."""
    squared = problem.pricing.penalty == "squared"
    w, xi, shared = cp.Variable(problem.dim), cp.Variable(problem.n, nonneg=True), cp.Variable(nonneg=True)
    signs = 2.0 * problem.dataset.labels - 1.0
    cost, extra = (cp.sum_squares(xi) / 2, cp.square(shared) / 2) if squared else (cp.sum(xi), shared)
    keep = [cp.multiply(signs, problem.dataset.inputs @ w) >= 1 - xi]
    keep += [w[1] >= 2.0, w[0] >= 1.0 - shared, w[0] + w[2] >= 3.0 - shared]
    program = cp.Problem(cp.Minimize(cp.sum_squares(w) / 2 + C / problem.n * cost + 0.5 * extra), keep)
    program.solve(solver=cp.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
    return float(program.value), np.asarray(w.value)


@pytest.mark.parametrize("penalty", ["linear", "squared"])
@pytest.mark.parametrize("kind", LEARNERS, ids=name_of)
def test_extra_rules_are_kept_or_the_problem_is_refused(kind: Any, penalty: Any) -> None:
    problem = replace(RULED, pricing=Pricing("margin", penalty))
    learner = replace(
        kind(), **{"C": 4.0, "eps": 1e-7} if {"C", "eps"} <= set(kind.__dataclass_fields__) else {}
    )
    if learner.refuses(problem):
        return
    value_, w = ruled_optimum(problem, 4.0)
    last = ended(learner, problem, 300)[0][-1]
    assert last.w[1] >= 2.0 - 1e-6, "the rule without a price is kept by all"
    assert not last.bounds.dual > value_ * (1 + 1e-7)
    if learner.certifies:
        assert last.w == pytest.approx(w, abs=1e-3)
        assert value(problem, last.w, 4.0) == pytest.approx(value_, rel=1e-5)
        assert last.bounds.dual == pytest.approx(value_, rel=1e-5)
