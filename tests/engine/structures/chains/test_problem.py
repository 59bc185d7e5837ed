"""Label sequences: the worked example, every loss by enumeration, dense and sparse rows, and long
features.
"""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from explorer.engine.contracts import Dataset
from explorer.engine.learners import NSlack, OneSlack
from explorer.engine.losses import CostMatrix, FScore, Hamming, ZeroOne
from explorer.engine.objective import cut_of, value
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.structures.chains.oracles import Enumerate
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.vectors import dense
from tests import brute, referee
from tests.catalogue import THREE, chains, sparse_chains

# Emissions (A, B) of three positions, transitions AA, AB, BA, BB.
EMISSIONS = np.array([[1.0, 0.0], [0.0, 0.5], [0.2, 0.0]])
MOVES = np.array([[0.3, -0.2], [0.0, 0.4]])


def worked_example(delta: Any) -> tuple[Chain, Any]:
    """The chain of the example: its rows name the positions, so the emission weights are the emissions."""
    data = Dataset("worked", (np.eye(3),), (np.zeros(3, dtype=np.int64),))
    return Chain(data, 2, delta, ends=False), np.concatenate([EMISSIONS.ravel(), MOVES.ravel()])


@pytest.mark.spec("F30")
def test_the_best_path_of_the_worked_example_is_aaa() -> None:
    problem, w = worked_example(Hamming())
    best = problem.predict(w, np.eye(3))
    assert best.tolist() == [0, 0, 0]
    assert w @ dense(problem.features(0, best)) == pytest.approx(1.8)


@pytest.mark.spec("F30")
@pytest.mark.parametrize(
    ("delta", "label", "score", "hinge"),
    [
        (Hamming(), [1, 1, 1], 4.3, 2.5),
        (Hamming(normalised=True), [0, 1, 1], 2.366667, 0.566667),
    ],
    ids=["counted", "normalised"],
)
def test_the_most_violated_paths_of_the_worked_example(
    delta: Any, label: Any, score: float, hinge: float
) -> None:
    problem, w = worked_example(delta)
    cut = problem.oracle(w, 0)
    assert cut.label.tolist() == label
    assert cut.loss + w @ dense(problem.features(0, cut.label)) == pytest.approx(score, abs=1e-6)
    assert cut.loss - w @ dense(cut.psi) == pytest.approx(hinge, abs=1e-6)


@pytest.mark.spec("A24")
@pytest.mark.parametrize("ends", [True, False])
def test_loss_augmented_decoding_is_enumeration_on_random_chains(ends: bool) -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        T, K, F = int(rng.integers(1, 6)), int(rng.integers(2, 4)), int(rng.integers(1, 4))
        x, y = rng.normal(size=(T, F)), rng.integers(0, K, T)
        problem = Chain(Dataset("one", (x,), (y,)), K, ends=ends)
        w = rng.normal(size=problem.dim)
        W, trans = w[: F * K].reshape(F, K), w[F * K : F * K + K * K].reshape(K, K)
        start, stop = (w[-2 * K : -K], w[-K:]) if ends else (np.zeros(K), np.zeros(K))
        chain = brute.Chain(x @ W, trans, start, stop)
        paths, scores = brute.all_paths_with_scores(chain)
        augmented = scores + np.count_nonzero(paths != y, axis=1)
        cut = problem.oracle(w, 0)
        found = brute.path_score(chain, cut.label) + cut.loss
        assert found == pytest.approx(augmented.max(), abs=1e-12)
        assert found >= brute.path_score(chain, y) - 1e-12, "never below the truth"


@pytest.mark.parametrize("ends", [True, False])
def test_features_count_emissions_transitions_and_ends(ends: bool) -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(4, 2)), np.array([2, 0, 0, 1])
    problem = Chain(Dataset("one", (x,), (y,)), 3, ends=ends)
    by_hand = np.zeros((2, 3))
    for t, k in enumerate(y):
        by_hand[:, k] += x[t]
    trans = np.zeros((3, 3))
    trans[2, 0] = trans[0, 0] = trans[0, 1] = 1.0
    expected = [*by_hand.ravel(), *trans.ravel()] + ([0, 0, 1, 0, 1, 0] if ends else [])
    assert dense(problem.features(0, y)) == pytest.approx(expected)
    assert problem.dim == len(expected)
    groups = problem.groups
    assert list(groups) == ["emissions", "transitions", *(["start", "stop"] if ends else [])]
    assert sum(where.stop - where.start for where in groups.values()) == problem.dim


def test_a_chain_of_one_position_is_a_multiclass_example() -> None:
    x = np.array([[1.0, 2.0]])
    problem = Chain(Dataset("one", (x,), (np.array([1]),)), 3, ends=False)
    w = np.arange(15.0)
    scores = x[0] @ w[:6].reshape(2, 3)
    assert problem.predict(w, x).tolist() == [int(np.argmax(scores))]
    assert problem.oracle(w, 0).label.tolist() == [int(np.argmax(scores + np.array([1, 0, 1])))]


@pytest.mark.parametrize(
    ("delta", "pricing"),
    [
        *product((Hamming(), Hamming(normalised=True), ZeroOne()), (Pricing(), Pricing("slack"))),
        (CostMatrix(THREE), Pricing()),
        (Hamming(), Pricing("margin", "squared")),
        (ZeroOne(), Pricing("slack", "squared")),
    ],
)
def test_training_reaches_the_optimum_of_the_enumerated_program(delta: Any, pricing: Pricing) -> None:
    problem = Chain(chains(), 3, delta, pricing)
    best = referee.optimum(problem, 5.0)
    *_, last = NSlack(C=5.0, eps=1e-8, qp_tolerance=1e-12).steps(problem, np.random.default_rng(0))
    assert best.upper - best.lower < 1e-6 * best.upper
    assert last.bounds.dual == pytest.approx(best.value, rel=1e-6)
    assert last.bounds.primal == pytest.approx(best.value, rel=1e-6)


def test_sparse_and_dense_rows_are_the_same_problem() -> None:
    data = sparse_chains()
    whole = replace(data, inputs=tuple(x.toarray() for x in data.inputs))
    rng = np.random.default_rng(2)
    for delta, pricing in ((Hamming(), Pricing()), (ZeroOne(), Pricing("slack"))):
        first, second = Chain(data, 3, delta, pricing), Chain(whole, 3, delta, pricing)
        for w in rng.normal(size=(5, first.dim)):
            assert value(first, w, 2.0) == pytest.approx(value(second, w, 2.0), rel=1e-12)
            for one, other in zip(first.predictions(w), second.predictions(w), strict=True):
                assert np.array_equal(one, other)
            for i in range(first.n):
                assert dense(first.features(i, first.dataset.labels[i])) == pytest.approx(
                    dense(second.features(i, second.dataset.labels[i])), abs=1e-12
                )


def test_a_single_state_leaves_nothing_to_learn() -> None:
    problem = Chain(Dataset("one state", (np.ones((3, 2)),), (np.zeros(3, dtype=np.int64),)), 1)
    for pricing in (Pricing(), Pricing("slack"), Pricing("margin", "squared")):
        (step,) = NSlack().steps(replace(problem, pricing=pricing), np.random.default_rng(0))
        assert step.bounds.primal == step.bounds.dual == 0.0


def test_marginals_are_those_of_enumeration() -> None:
    problem = Chain(chains(), 3)
    rng = np.random.default_rng(3)
    w = rng.normal(size=problem.dim)
    W, trans, start, stop = problem.parts(w)
    for i, x in enumerate(problem.dataset.inputs):
        chain = brute.Chain(x @ W, trans, start, stop)
        node, edge, log_z = problem.marginals(w, i)
        assert node == pytest.approx(brute.marginals(chain)[0], abs=1e-10)
        assert edge == pytest.approx(brute.marginals(chain)[1], abs=1e-10)
        assert log_z == pytest.approx(brute.log_partition(chain), abs=1e-10)


@pytest.mark.parametrize("pricing", [Pricing("slack"), Pricing("margin", "squared")])
def test_what_viterbi_cannot_fold_in_is_refused_with_a_way_out(pricing: Pricing) -> None:
    with pytest.raises(Refused, match="enumeration oracle"):
        Chain(chains(), 3, CostMatrix(THREE), pricing)
    with pytest.raises(Refused, match="cannot add it to the scores"):
        Chain(chains(states=2), 2, FScore())
    assert Chain(chains(), 3, CostMatrix(THREE), pricing, separator=Enumerate()).oracle_is_exact


def test_a_cost_matrix_for_another_number_of_states_is_refused_when_the_problem_is_made() -> None:
    with pytest.raises(Refused, match="2 states but the problem has 3"):
        Chain(chains(), 3, CostMatrix(((0, 1), (1, 0))))


def test_enumeration_of_long_chains_is_refused_before_it_begins() -> None:
    data = Dataset("long", (np.ones((30, 1)),), (np.zeros(30, dtype=np.int64),))
    problem = Chain(data, 2, separator=Enumerate())
    with pytest.raises(Refused, match="use Viterbi, or shorter examples"):
        problem.oracle(np.zeros(problem.dim), 0)


def test_a_loss_that_misses_some_mistakes_still_trains_to_the_optimum() -> None:
    # With three states the F-score does not see confusions among the others. x = 1 is of state 0, x = 1/2 of
    # state 2;
    # both must beat state 1 by a margin of 1, so state 2 grows larger than state 0 unless something holds it
    # down.
    data = Dataset("two points", (np.array([[1.0]]), np.array([[0.5]])), (np.array([0]), np.array([2])))
    problem = Chain(data, 3, FScore(), ends=False, separator=Enumerate())
    assert cut_of(problem, 0, np.array([2])).loss == 0.0
    best = referee.optimum(problem, 5.0)
    for order in ("batch", "solve first", "each"):
        learner = NSlack(C=5.0, eps=1e-8, qp_tolerance=1e-12, order=order)
        *_, last = learner.steps(problem, np.random.default_rng(0))
        assert last.bounds.dual == pytest.approx(best.value, rel=1e-6), order


def test_csr_matrices_of_the_caller_are_left_alone() -> None:
    rows = tuple(csr_array(x) for x in (np.eye(3), np.ones((2, 3))))
    problem = Chain(Dataset("mine", rows, (np.array([0, 1, 0]), np.array([1, 1]))), 2)
    list(OneSlack().steps(problem, np.random.default_rng(0)))
    assert rows[0].data.flags.writeable
    assert np.array_equal(rows[0].toarray(), np.eye(3))
