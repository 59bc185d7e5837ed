"""Partition function and marginals against enumeration and a textbook model."""

import numpy as np
import pytest

from explorer.engine.structures.chains.kernels.forward_backward import log_partition, marginals
from explorer.engine.structures.chains.kernels.viterbi import viterbi
from tests import brute
from tests.brute import Array, Chain


def log_z(chain: Chain) -> float:
    return log_partition(*chain, np.empty(chain.unary.shape))


def beliefs(chain: Chain) -> tuple[float, Array, Array]:
    length, states = chain.unary.shape
    node, edge = np.full((length, states), np.nan), np.full((max(length - 1, 0), states, states), np.nan)
    return marginals(*chain, node, edge), node, edge


def some_path_exists(chain: Chain) -> bool:
    return brute.best_path(chain)[1] > -np.inf


@pytest.mark.spec("A25")
def test_the_textbook_observations_have_likelihood_0_033612() -> None:
    assert np.exp(log_z(brute.textbook_hmm())) == pytest.approx(0.033612, abs=1e-15)


@pytest.mark.spec("A25")
def test_the_marginals_of_the_textbook_model_are_those_of_its_eight_paths() -> None:
    value, node, edge = beliefs(brute.textbook_hmm())
    expected_node, expected_edge = brute.marginals(brute.textbook_hmm())
    assert np.exp(value) == pytest.approx(0.033612, abs=1e-15)
    assert np.allclose(node, expected_node, atol=1e-14)
    assert np.allclose(edge, expected_edge, atol=1e-14)


@pytest.mark.spec("A25")
@pytest.mark.parametrize("share_forbidden", [0.0, 0.4])
def test_log_z_and_marginals_are_those_of_the_enumeration(share_forbidden: float) -> None:
    rng = np.random.default_rng(0)
    compared = 0
    while compared < 50:
        chain = brute.random_chain(rng, rng.integers(1, 6), rng.integers(1, 5))
        chain = brute.forbid(rng, chain, share_forbidden)
        if not some_path_exists(chain):
            continue
        value, node, edge = beliefs(chain)
        expected_node, expected_edge = brute.marginals(chain)
        assert value == pytest.approx(brute.log_partition(chain), abs=1e-12)
        assert value == log_z(chain)
        assert np.allclose(node, expected_node, atol=1e-12)
        assert np.allclose(edge, expected_edge, atol=1e-12)
        compared += 1


def test_alpha_is_the_log_sum_over_the_prefixes_that_end_in_a_state() -> None:
    chain = brute.random_chain(np.random.default_rng(1), 5, 3)
    alpha = np.empty((5, 3))
    log_partition(*chain, alpha)
    for t in range(5):
        prefix = chain._replace(unary=chain.unary[: t + 1], stop=np.zeros(3))
        paths, scores = brute.all_paths_with_scores(prefix)
        for s in range(3):
            assert alpha[t, s] == pytest.approx(np.log(np.exp(scores[paths[:, -1] == s]).sum()))


def test_edges_sum_to_the_nodes_on_both_sides_on_a_long_chain() -> None:
    _, node, edge = beliefs(brute.random_chain(np.random.default_rng(2), 200, 5))
    assert np.allclose(node.sum(axis=1), 1)
    assert np.allclose(edge.sum(axis=2), node[:-1])
    assert np.allclose(edge.sum(axis=1), node[1:])


def test_scores_of_a_million_overflow_nowhere() -> None:
    chain = brute.random_chain(np.random.default_rng(3), 6, 3)
    large = Chain(*(1e6 * part for part in chain))
    path, score = brute.best_path(chain)
    value, node, edge = beliefs(large)
    assert value == pytest.approx(1e6 * score)
    assert node.argmax(axis=1).tolist() == path.tolist()
    assert np.allclose(node.max(axis=1), 1)
    assert np.isfinite(edge).all()


def test_at_a_high_inverse_temperature_log_z_is_the_best_score() -> None:
    chain = brute.random_chain(np.random.default_rng(4), 8, 4)
    cold = Chain(*(1000.0 * part for part in chain))
    best = viterbi(*chain, np.empty(8, dtype=np.int64))
    assert log_z(cold) / 1000.0 == pytest.approx(best, abs=1e-2)
    assert log_z(cold) / 1000.0 >= best - 1e-12


def test_the_gradient_of_log_z_is_the_marginals() -> None:
    chain = brute.random_chain(np.random.default_rng(5), 4, 3)
    _, node, edge = beliefs(chain)
    h = 1e-5
    for a, b in np.ndindex(3, 3):
        bump = np.zeros((3, 3))
        bump[a, b] = h
        up, down = (log_z(chain._replace(trans=chain.trans + sign * bump)) for sign in (1, -1))
        assert (up - down) / (2 * h) == pytest.approx(edge[:, a, b].sum(), abs=1e-8)
    for t, s in np.ndindex(4, 3):
        bump = np.zeros((4, 3))
        bump[t, s] = h
        up, down = (log_z(chain._replace(unary=chain.unary + sign * bump)) for sign in (1, -1))
        assert (up - down) / (2 * h) == pytest.approx(node[t, s], abs=1e-8)


def test_when_every_path_is_forbidden_log_z_is_minus_infinity_and_the_marginals_are_0() -> None:
    chain = brute.random_chain(np.random.default_rng(6), 4, 3)
    value, node, edge = beliefs(chain._replace(trans=np.full((3, 3), -np.inf)))
    assert value == -np.inf
    assert not node.any()
    assert not edge.any()


def test_a_state_that_no_start_and_no_move_reaches_has_probability_0() -> None:
    chain = brute.random_chain(np.random.default_rng(7), 4, 3)
    chain.trans[:, 1] = -np.inf
    chain.start[1] = -np.inf
    value, node, edge = beliefs(chain)
    assert value == pytest.approx(brute.log_partition(chain))
    assert node[:, 1].tolist() == [0.0] * 4
    assert edge[:, 1].max() == edge[:, :, 1].max() == 0.0


def test_a_chain_of_one_position_is_a_softmax_and_a_single_state_is_certain() -> None:
    chain = brute.random_chain(np.random.default_rng(8), 1, 4)
    _, node, edge = beliefs(chain)
    total = np.exp(chain.start + chain.unary[0] + chain.stop)
    assert np.allclose(node[0], total / total.sum())
    assert edge.shape == (0, 4, 4)
    certain = beliefs(brute.random_chain(np.random.default_rng(9), 5, 1))
    assert np.allclose(certain[1], 1)
    assert np.allclose(certain[2], 1)


def test_the_empty_chain_has_log_z_0() -> None:
    assert beliefs(brute.random_chain(np.random.default_rng(10), 0, 3))[0] == 0.0
