"""Second-order chains: everything by enumeration, and the first-order chain where triples weigh nothing."""

from itertools import product

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.enumeration import listed_expectation
from explorer.engine.learners import CRF, NSlack
from explorer.engine.losses import FScore
from explorer.engine.refusals import Refused
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.structures.chains.second_order import SecondOrderChain
from explorer.engine.vectors import dense
from tests import referee
from tests.catalogue import chains


def random_case(seed: int) -> tuple[SecondOrderChain, np.ndarray]:
    rng = np.random.default_rng(seed)
    T, K = int(rng.integers(1, 6)), int(rng.integers(2, 4))
    data = Dataset("one", (rng.normal(size=(T, 2)),), (rng.integers(0, K, T),))
    problem = SecondOrderChain(data, K, ends=bool(seed % 2))
    return problem, rng.normal(size=problem.dim)


def every(problem: SecondOrderChain, w: np.ndarray) -> list[tuple[float, tuple[int, ...]]]:
    """Every labelling with its score, term by term from the definition."""
    K, x = problem.states, problem.dataset.inputs[0]
    parts = {name: w[where] for name, where in problem.groups.items()}
    W, A, B = parts["emissions"].reshape(-1, K), parts["transitions"].reshape(K, K), parts["triples"]
    found = []
    for y in product(range(K), repeat=len(x)):
        score = sum(float(x[t] @ W[:, k]) for t, k in enumerate(y))
        score += sum(A[y[t - 1], y[t]] for t in range(1, len(y)))
        score += sum(B.reshape(K, K, K)[y[t - 2], y[t - 1], y[t]] for t in range(2, len(y)))
        if problem.ends:
            score += parts["start"][y[0]] + parts["stop"][y[-1]]
        found.append((float(score), y))
    return sorted(found, reverse=True)


@pytest.mark.spec("A26")
@pytest.mark.parametrize("seed", range(24))
def test_the_best_the_k_best_and_the_most_violated_labellings_are_those_of_enumeration(seed: int) -> None:
    problem, w = random_case(seed)
    known = every(problem, w)
    x, truth = problem.dataset.inputs[0], problem.dataset.labels[0]
    assert problem.predict(w, x).tolist() == list(known[0][1])
    paths, scores = problem.most_likely(w, x, 5)
    assert scores == pytest.approx([score for score, _ in known[:5]])
    assert [path.tolist() for path in paths] == [list(y) for _, y in known[:5]]
    cut = problem.oracle(w, 0)
    worst = max(score + np.count_nonzero(truth != np.array(y)) for score, y in known)
    own = float(w @ dense(problem.features(0, cut.label)))
    assert own + cut.loss == pytest.approx(worst)


@pytest.mark.spec("A26")
@pytest.mark.parametrize("seed", range(12))
def test_marginals_and_log_z_are_sums_over_all_labellings(seed: int) -> None:
    problem, w = random_case(seed)
    log_z, psi = listed_expectation(problem, w, 0)
    found = problem.expectation(w, 0, 1)
    assert found.log_z[0] == pytest.approx(log_z)
    assert dense(found.psi) == pytest.approx(psi, abs=1e-10)
    node = problem.marginals(w, 0)[0]
    assert node.sum(axis=1) == pytest.approx(np.ones(len(node)))


@pytest.mark.spec("A26")
@pytest.mark.parametrize("seed", range(6))
def test_with_weights_of_nothing_for_triples_it_is_the_first_order_chain(seed: int) -> None:
    problem, w = random_case(seed)
    w[problem.groups["triples"]] = 0.0
    first = Chain(problem.dataset, problem.states, ends=problem.ends)
    v = w[: first.dim]
    assert np.array_equal(
        problem.predict(w, problem.dataset.inputs[0]), first.predict(v, first.dataset.inputs[0])
    )
    assert problem.expectation(w, 0, 1).log_z == pytest.approx(first.expectation(v, 0, 1).log_z)
    assert problem.oracle(w, 0).label.tolist() == first.oracle(v, 0).label.tolist()


def test_training_reaches_the_optima_of_other_solvers() -> None:
    problem = SecondOrderChain(chains(states=2, seed=5), 2)
    *_, last = NSlack(C=4.0, eps=1e-8).steps(problem, np.random.default_rng(0))
    assert last.bounds.primal == pytest.approx(referee.optimum(problem, 4.0).value, rel=1e-6)
    *_, field = CRF(C=4.0).steps(problem, np.random.default_rng(0))
    assert field.bounds.primal == pytest.approx(referee.likelihood_optimum(problem, 4.0).value, rel=1e-8)


def test_too_many_states_and_losses_that_do_not_add_up_are_refused() -> None:
    with pytest.raises(Refused, match="pairs"):
        SecondOrderChain(Dataset("many", (np.ones((1, 1)),), (np.array([0]),)), 31)
    with pytest.raises(Refused, match="Hamming"):
        SecondOrderChain(chains(states=2), 2, delta=FScore())
