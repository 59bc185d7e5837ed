"""Pseudo-likelihood, piecewise training and stochastic gradients of the random field, on label sequences."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from explorer.engine.enumeration import listed_expectation
from explorer.engine.learners import CRF, PiecewiseField, PseudoLikelihoodField, StochasticCRF
from explorer.engine.likelihoods import Likelihood, PieceLikelihood, PseudoLikelihood, local_risk, log_risk
from explorer.engine.structures.chains.kernels.gibbs import gibbs_sweep
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.vectors import dense
from tests import brute, referee
from tests.catalogue import chains, points, sparse_chains
from tests.local_referee import conditional_sums, objective, piece_sums, sums_optimum

PROBLEMS = {
    "chains": lambda: Chain(chains(), 3),
    "without ends": lambda: Chain(chains(seed=3), 3, ends=False),
    "sparse": lambda: Chain(sparse_chains(), 3),
}
SUMS = {"conditionals": conditional_sums, "pieces": piece_sums}


@pytest.mark.spec("C25")
@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("sums", SUMS)
def test_the_value_and_gradient_of_single_terms_are_those_of_sums_written_down(name: str, sums: str) -> None:
    problem = PROBLEMS[name]()
    rng = np.random.default_rng(0)
    for _ in range(3):
        w = rng.normal(size=problem.dim)
        at = local_risk(problem, sums)(w)
        value, gradient, _ = objective(SUMS[sums](problem), w, 1.0 / problem.n)
        assert at.risk == pytest.approx(value - 0.5 * w @ w)
        assert at.slope == pytest.approx(gradient - w, abs=1e-10)


@pytest.mark.spec("C24", "C25")
@pytest.mark.parametrize("risk", [log_risk, *(lambda p, s=s: local_risk(p, s) for s in SUMS)])
def test_gradients_agree_with_finite_differences(risk: Any) -> None:
    problem = Chain(chains(), 3)
    given = risk(problem)
    w = np.random.default_rng(1).normal(size=problem.dim)
    near = approx_fprime(w, lambda v: given(v).risk, 1e-6)
    assert given(w).slope == pytest.approx(near, abs=1e-5)


@pytest.mark.spec("C24")
def test_log_z_is_the_sum_over_all_labellings() -> None:
    problem = Chain(chains(n=6, longest=6, seed=2), 3)
    w = np.random.default_rng(2).normal(size=problem.dim)
    assert max(problem.labellings_count(i) for i in range(problem.n)) > 200
    for i in range(problem.n):
        log_z, psi = listed_expectation(problem, w, i)
        found = problem.expectation(w, i, i + 1)
        assert found.log_z[0] == pytest.approx(log_z, abs=1e-10)
        assert dense(found.psi) == pytest.approx(psi, abs=1e-10)


@pytest.mark.parametrize("name", PROBLEMS)
def test_pieces_never_cost_less_than_the_likelihood(name: str) -> None:
    problem = PROBLEMS[name]()
    rng = np.random.default_rng(3)
    for size in (0.1, 1.0, 5.0):
        w = size * rng.normal(size=problem.dim)
        exact, pieces = log_risk(problem)(w).risk, local_risk(problem, "pieces")(w).risk
        assert pieces >= exact - 1e-9


def test_without_transitions_and_ends_all_three_objectives_are_one() -> None:
    problem = Chain(chains(), 3, ends=False)
    w = np.random.default_rng(4).normal(size=problem.dim)
    w[problem.groups["transitions"]] = 0.0
    kinds = (Likelihood(), PseudoLikelihood())
    values = [kind.measure(problem, w, 2.0).value for kind in kinds]
    assert values[0] == pytest.approx(values[1])
    edges = sum(len(y) - 1 for y in problem.dataset.labels) / problem.n
    pieces = PieceLikelihood().measure(problem, w, 2.0).value
    assert pieces == pytest.approx(values[0] + 2.0 * edges * np.log(9.0))


@pytest.mark.parametrize(
    ("learner", "sums"), [(PseudoLikelihoodField, conditional_sums), (PiecewiseField, piece_sums)]
)
@pytest.mark.parametrize("C", [0.3, 20.0])
def test_both_end_at_the_optimum_of_another_solver(learner: Any, sums: Any, C: float) -> None:
    problem = Chain(chains(), 3)
    best = sums_optimum(problem, sums(problem), C)
    *_, last = learner(C=C).steps(problem, np.random.default_rng(0))
    assert last.w == pytest.approx(best.w, abs=1e-6)
    assert last.bounds.primal == pytest.approx(best.value, rel=1e-10)
    assert last.bounds.relative_gap <= 1e-11


@pytest.mark.parametrize("settings", [{}, {"batch": 1}, {"eta": 0.05}])
def test_stochastic_gradients_come_near_the_optimum_and_their_bounds_hold_it(settings: Any) -> None:
    problem = Chain(chains(n=12), 3)
    best = referee.likelihood_optimum(problem, 5.0)
    steps = StochasticCRF(C=5.0, **settings).steps(problem, np.random.default_rng(0))
    found = [next(steps) for _ in range(150)]
    for step in found:
        assert step.bounds.dual <= best.upper * (1.0 + 1e-12)
        assert step.bounds.primal >= best.lower * (1.0 - 1e-12)
    assert found[-1].bounds.primal <= 1.01 * best.value
    assert found[-1].bounds.relative_gap < 0.05


def test_step_sizes_beyond_reason_shrink_w_and_never_turn_it_around() -> None:
    steps = StochasticCRF(C=1e-3, eta=1e3).steps(Chain(chains(), 3), np.random.default_rng(0))
    assert all(np.all(np.isfinite(next(steps).w)) for _ in range(20))


@pytest.mark.spec("C25")
def test_after_many_sweeps_drawn_features_are_the_expected_ones() -> None:
    problem = Chain(chains(n=3), 3)
    w, rng = np.random.default_rng(6).normal(size=problem.dim), np.random.default_rng(0)
    drawn = np.array([dense(problem.sample_features(w, 0, 3, 12, rng)) for _ in range(1500)])
    known = sum(listed_expectation(problem, w, i)[1] for i in range(3))
    error = drawn.std(axis=0) / np.sqrt(len(drawn))
    assert np.all(np.abs(drawn.mean(axis=0) - known) <= 5.0 * error + 1e-9)


@pytest.mark.spec("C25")
def test_contrastive_divergence_comes_near_the_optimum_and_its_bounds_hold_it() -> None:
    problem = Chain(chains(n=40, longest=5, seed=1), 3)
    best = referee.likelihood_optimum(problem, 5.0)
    steps = StochasticCRF(C=5.0, expected="samples", eta=0.3).steps(problem, np.random.default_rng(0))
    found = [next(steps).bounds for _ in range(40)]
    assert all(bounds.dual <= best.upper and bounds.primal >= best.lower for bounds in found)
    assert best.lower <= found[-1].primal <= 1.05 * best.upper


def test_problems_that_cannot_draw_or_have_no_terms_are_refused() -> None:
    from explorer.engine.structures.classes.multiclass import Multiclass

    problem = Multiclass(points(), 3)
    assert "drawn" in str(StochasticCRF(expected="samples").refuses(problem))
    assert "sequences" in str(PiecewiseField().refuses(problem))
    assert StochasticCRF().refuses(problem) is None


def test_a_sweep_draws_every_position_from_its_conditional() -> None:
    rng = np.random.default_rng(5)
    chain = brute.random_chain(rng, 3, 3)
    paths, scores = brute.all_paths_with_scores(chain)
    n = 40_000
    offsets = np.arange(0, 3 * n + 1, 3)
    drawn = np.tile(paths[np.argmax(scores)], n)
    unary = np.tile(chain.unary, (n, 1))
    for _ in range(12):
        gibbs_sweep(unary, offsets, chain.trans, chain.start, chain.stop, drawn, rng.random(3 * n))
    share = np.exp(scores - scores.max())
    share /= share.sum()
    seen = np.array([np.mean(np.all(drawn.reshape(n, 3) == path, axis=1)) for path in paths])
    assert np.abs(seen - share).max() < 5.0 * np.sqrt(0.25 / n)


def test_a_sweep_of_one_position_inverts_the_shares_by_hand() -> None:
    chain = brute.Chain(np.log(np.array([[0.2, 0.5, 0.3]])), np.zeros((3, 3)), np.zeros(3), np.zeros(3))
    for uniform, label in ((0.0, 0), (0.19, 0), (0.21, 1), (0.69, 1), (0.71, 2), (0.999, 2)):
        path = np.array([1])
        gibbs_sweep(*chain[:1], np.array([0, 1]), *chain[1:], path, np.array([uniform]))
        assert path.tolist() == [label]


def test_a_changed_price_keeps_the_weights_but_not_the_lower_bound() -> None:
    problem, learner = Chain(chains(), 3), StochasticCRF(C=5.0)
    steps = learner.steps(problem, np.random.default_rng(0))
    last = [next(steps) for _ in range(5)][-1]
    moved = next(replace(learner, C=0.1).steps(problem, np.random.default_rng(0), last.state))
    best = referee.likelihood_optimum(problem, 0.1)
    assert moved.bounds.dual <= best.upper
    assert next(CRF(C=0.1).steps(problem, np.random.default_rng(0))).bounds.dual <= best.upper
