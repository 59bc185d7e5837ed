"""Beam search and local search: never above the best labelling, never below where they began."""

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.learners import NSlack
from explorer.engine.losses import Hamming, ZeroOne
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.structures.chains.oracles import Beam, LocalSearch
from explorer.engine.structures.chains.oracles.viterbi import Chains
from explorer.engine.structures.chains.problem import Chain
from tests import brute
from tests.catalogue import chains


def random_chain(seed: int) -> Chains:
    rng = np.random.default_rng(seed)
    chain = brute.random_chain(rng, rng.integers(1, 6), rng.integers(2, 4))
    return Chains(chain.unary, np.array([0, len(chain.unary)]), chain.trans, chain.start, chain.stop)


def greedy(chain: Chains) -> list[int]:
    """Position after position, by hand."""
    path: list[int] = []
    for t, unary in enumerate(chain.unary):
        score = unary + (chain.trans[path[-1]] if path else chain.start)
        if t + 1 == len(chain.unary):
            score = score + chain.stop
        path.append(int(np.argmax(score)))
    return path


@pytest.mark.parametrize("seed", range(20))
def test_a_beam_of_one_is_greedy_and_a_beam_of_all_is_exact(seed: int) -> None:
    chain = random_chain(seed)
    known = brute.best_path(brute.Chain(chain.unary, chain.trans, chain.start, chain.stop))
    assert Beam(1).best(chain).tolist() == greedy(chain)
    assert Beam(3**5).best(chain).tolist() == known[0].tolist()
    for width in (1, 2, 4):
        assert chain.scores(Beam(width).best(chain))[0] <= known[1] + 1e-12


@pytest.mark.spec("F64")
@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("start", ["greedy", "apart"])
def test_a_climb_never_ends_below_its_start_and_every_step_changes_one_label_for_the_better(
    seed: int, start: str
) -> None:
    chain, search = random_chain(seed), LocalSearch(start)
    rows = search.climb(chain)
    scores = np.array([chain.scores(row)[0] for row in rows])
    assert rows[0].tolist() == search.first(chain).tolist()
    assert np.all(np.diff(scores) > 0.0)
    assert np.all(np.count_nonzero(np.diff(rows, axis=0), axis=1) == 1)
    assert search.best(chain).tolist() == rows[-1].tolist()
    best = brute.best_path(brute.Chain(chain.unary, chain.trans, chain.start, chain.stop))[1]
    assert scores[-1] <= best + 1e-12
    for t in range(len(rows[-1])):
        for k in range(chain.unary.shape[1]):
            other = rows[-1].copy()
            other[t] = k
            assert chain.scores(other)[0] <= scores[-1] + 1e-9, "no single change gains anything"


@pytest.mark.parametrize("oracle", [Beam(1), Beam(3), LocalSearch(), LocalSearch("apart")])
@pytest.mark.parametrize("delta", [Hamming(), Hamming(normalised=True)])
def test_cuts_are_real_never_above_the_most_violated_and_never_below_the_truth(oracle, delta) -> None:
    problem, exact = Chain(chains(), 3, delta, separator=oracle), Chain(chains(), 3, delta)
    assert not problem.oracle_is_exact
    assert problem.exact_twin.oracle_is_exact
    for w in np.random.default_rng(0).normal(size=(8, problem.dim)):
        for cut, best in zip(problem.cuts(w, 0, 5), exact.cuts(w, 0, 5), strict=True):
            found, most = cut.loss - w @ cut.psi, best.loss - w @ best.psi
            assert -1e-12 <= found <= most + 1e-9
            assert cut.loss == pytest.approx(delta.value(problem.dataset.labels[cut.i], cut.label))


def test_training_with_a_search_reaches_no_more_than_the_optimum() -> None:
    exact = Chain(chains(), 3)
    *_, best = NSlack(C=5.0, eps=1e-8).steps(exact, np.random.default_rng(0))
    for oracle in (Beam(), LocalSearch()):
        *_, last = NSlack(C=5.0, eps=1e-8).steps(
            Chain(chains(), 3, separator=oracle), np.random.default_rng(0)
        )
        assert last.bounds.dual <= best.bounds.primal * (1.0 + 1e-9)


@pytest.mark.parametrize("oracle", [Beam(), LocalSearch()])
def test_losses_and_prices_that_do_not_add_up_are_refused(oracle) -> None:
    data = Dataset("one", (np.ones((2, 1)),), (np.array([0, 1]),))
    for delta, pricing in ((ZeroOne(), Pricing()), (Hamming(), Pricing("slack"))):
        with pytest.raises(Refused, match="Viterbi"):
            Chain(data, 2, delta, pricing, separator=oracle)
