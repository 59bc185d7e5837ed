"""Viterbi against enumeration, a textbook model and hand calculation."""

import os
from itertools import pairwise

import numpy as np
import pytest

from explorer.engine.structures.chains.kernels.viterbi import (
    augment,
    best_previous,
    max_step,
    viterbi,
    viterbi_all,
    viterbi_tables,
)
from tests import brute
from tests.brute import Array, Chain, Ints, Size

needs_compiler = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") not in {"", "0"}, reason="a speed of compiled code"
)


def decode(chain: Chain) -> tuple[Ints, float]:
    path = np.full(len(chain.unary), -7)
    return path, viterbi(*chain, path)


def wrong(states: Size) -> Array:
    return 1.0 - np.eye(int(states))


def augmented(chain: Chain, truth: Ints, cost: Array, factor: float | None = None) -> Chain:
    out = np.empty_like(chain.unary)
    offsets = np.array([0, len(truth)])
    if factor is None:
        augment(chain.unary, offsets, truth, cost, out)
    else:
        augment(chain.unary, offsets, truth, cost, out, np.array([factor]))
    return chain._replace(unary=out)


def stacked(rng: np.random.Generator, lengths: list[int], states: int) -> tuple[Chain, Ints]:
    chain = brute.random_chain(rng, sum(lengths), states)
    return chain, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


@pytest.mark.spec("A23")
def test_the_path_is_the_best_of_all_enumerated_on_500_random_chains() -> None:
    rng = np.random.default_rng(0)
    for _ in range(500):
        chain = brute.random_chain(rng, rng.integers(1, 8), rng.integers(1, 5))
        expected, score = brute.best_path(chain)
        path, value = decode(chain)
        assert path.tolist() == expected.tolist()
        assert value == pytest.approx(score, abs=1e-12)
        assert value == pytest.approx(brute.path_score(chain, path), abs=1e-12)


@pytest.mark.spec("A23")
def test_the_textbook_model_has_best_path_1_0_0_with_probability_0_01344() -> None:
    path, value = decode(brute.textbook_hmm())
    assert path.tolist() == [1, 0, 0]
    assert np.exp(value) == pytest.approx(0.01344, abs=1e-15)


@pytest.mark.spec("A24")
def test_the_loss_augmented_path_is_the_best_by_score_plus_loss() -> None:
    rng = np.random.default_rng(1)
    for _ in range(100):
        length, states = rng.integers(1, 6), rng.integers(2, 5)
        chain = brute.random_chain(rng, length, states)
        truth = rng.integers(0, states, length)
        cost = rng.random((states, states)) * wrong(states)
        paths, scores = brute.all_paths_with_scores(chain)
        scores = scores + cost[truth, paths].sum(axis=1)
        path, value = decode(augmented(chain, truth, cost))
        assert path.tolist() == paths[scores.argmax()].tolist()
        assert value == pytest.approx(scores.max(), abs=1e-12)


@pytest.mark.spec("A24")
def test_the_loss_augmented_value_is_never_below_the_score_of_the_truth() -> None:
    rng = np.random.default_rng(2)
    for _ in range(100):
        length, states = rng.integers(1, 12), rng.integers(1, 6)
        chain = brute.random_chain(rng, length, states)
        truth = rng.integers(0, states, length)
        assert decode(augmented(chain, truth, wrong(states)))[1] >= brute.path_score(chain, truth) - 1e-12


def three_words() -> Chain:
    unary = np.array([[1.0, 0.0], [0.0, 0.5], [0.2, 0.0]])
    return Chain(unary, np.array([[0.3, -0.2], [0.0, 0.4]]), np.zeros(2), np.zeros(2))


@pytest.mark.spec("F30")
def test_the_three_word_example_is_tagged_aaa_with_1_8() -> None:
    path, value = decode(three_words())
    assert path.tolist() == [0, 0, 0]
    assert value == pytest.approx(1.8)


@pytest.mark.spec("F30")
def test_with_the_count_loss_the_three_word_example_is_most_violated_by_bbb() -> None:
    truth = np.zeros(3, dtype=np.int64)
    path, value = decode(augmented(three_words(), truth, wrong(2)))
    assert path.tolist() == [1, 1, 1]
    assert value == pytest.approx(4.3)
    assert value - brute.path_score(three_words(), truth) == pytest.approx(2.5)


@pytest.mark.spec("F30")
def test_with_the_loss_per_word_the_three_word_example_is_most_violated_by_abb() -> None:
    truth = np.zeros(3, dtype=np.int64)
    path, value = decode(augmented(three_words(), truth, wrong(2), factor=1 / 3))
    assert path.tolist() == [0, 1, 1]
    assert value == pytest.approx(2.366667, abs=5e-7)


def test_augment_adds_the_cost_row_of_the_truth_times_the_factor_of_the_chain() -> None:
    rng = np.random.default_rng(3)
    unary, cost = rng.normal(size=(7, 3)), rng.random((3, 3))
    offsets, truth = np.array([0, 4, 4, 7]), rng.integers(0, 3, 7)
    factor = np.array([0.25, 9.0, 2.0])
    out = np.empty_like(unary)
    augment(unary, offsets, truth, cost, out, factor)
    assert np.allclose(out, unary + np.repeat(factor, np.diff(offsets))[:, None] * cost[truth])
    augment(unary, offsets, truth, cost, out)
    assert np.allclose(out, unary + cost[truth])


def test_augment_may_write_over_its_input() -> None:
    unary, truth = np.ones((3, 2)), np.array([0, 1, 1])
    augment(unary, np.array([0, 3]), truth, wrong(2), unary)
    assert unary.tolist() == [[1, 2], [2, 1], [2, 1]]


def test_max_step_is_a_matrix_product_in_max_and_plus_for_every_number_of_states() -> None:
    rng = np.random.default_rng(4)
    for states in range(1, 20):
        prev, trans, out = rng.normal(size=states), rng.normal(size=(states, states)), np.empty(states)
        max_step(prev, trans, out)
        assert out.tolist() == (prev[:, None] + trans).max(axis=0).tolist()
        last = states - 1
        assert best_previous(prev, trans, last) == (prev + trans[:, last]).argmax()


def test_among_equal_paths_the_smallest_state_wins_from_the_end_to_the_start() -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        chain = brute.random_chain(rng, rng.integers(1, 6), rng.integers(1, 5), ties=True)
        expected, score = brute.best_path(chain)
        path, value = decode(chain)
        assert path.tolist() == expected.tolist()
        assert value == score


def test_when_all_scores_are_equal_every_state_is_0() -> None:
    path, value = decode(Chain(np.zeros((5, 7)), np.zeros((7, 7)), np.zeros(7), np.zeros(7)))
    assert path.tolist() == [0] * 5
    assert value == 0.0


def test_a_chain_of_one_position_is_an_argmax_of_start_unary_and_stop() -> None:
    chain = brute.random_chain(np.random.default_rng(6), 1, 9)
    path, value = decode(chain)
    total = chain.start + chain.unary[0] + chain.stop
    assert path.tolist() == [total.argmax()]
    assert value == pytest.approx(total.max())


def test_with_one_state_the_score_is_the_sum_of_all_scores() -> None:
    chain = brute.random_chain(np.random.default_rng(7), 6, 1)
    path, value = decode(chain)
    assert path.tolist() == [0] * 6
    assert value == pytest.approx(chain.unary.sum() + 5 * chain.trans[0, 0] + chain.start[0] + chain.stop[0])


def test_the_empty_chain_scores_0() -> None:
    assert decode(brute.random_chain(np.random.default_rng(8), 0, 3))[1] == 0.0


def test_forbidden_transitions_are_never_taken_while_another_path_exists() -> None:
    rng = np.random.default_rng(9)
    for _ in range(100):
        chain = brute.forbid(rng, brute.random_chain(rng, rng.integers(2, 6), 3), 0.5)
        expected, score = brute.best_path(chain)
        path, value = decode(chain)
        assert value == pytest.approx(score, abs=1e-12)
        if score > -np.inf:
            assert path.tolist() == expected.tolist()


def test_when_every_path_is_forbidden_the_score_is_minus_infinity() -> None:
    chain = brute.random_chain(np.random.default_rng(10), 4, 3)
    path, value = decode(chain._replace(trans=np.full((3, 3), -np.inf)))
    assert value == -np.inf
    assert set(path) <= {0, 1, 2}


def test_the_tables_hold_the_best_prefix_of_every_state_and_lead_back_along_it() -> None:
    rng = np.random.default_rng(11)
    chain = brute.random_chain(rng, 5, 3)
    chi, zeta = np.empty((5, 3)), np.empty((5, 3), dtype=np.int64)
    value = viterbi_tables(*chain, chi, zeta)
    for t in range(5):
        prefix = chain._replace(unary=chain.unary[: t + 1], stop=np.zeros(3))
        paths, scores = brute.all_paths_with_scores(prefix)
        for s in range(3):
            ends_in_s = paths[:, -1] == s
            assert chi[t, s] == pytest.approx(scores[ends_in_s].max())
            before = paths[ends_in_s][scores[ends_in_s].argmax(), -2] if t else -1
            assert zeta[t, s] == before
    assert value == pytest.approx(brute.best_path(chain)[1])


def test_following_the_tables_back_gives_the_path_of_viterbi_also_with_ties() -> None:
    rng = np.random.default_rng(12)
    for _ in range(50):
        chain = brute.random_chain(rng, 5, 3, ties=True)
        chi, zeta = np.empty((5, 3)), np.empty((5, 3), dtype=np.int64)
        viterbi_tables(*chain, chi, zeta)
        back = [int((chi[-1] + chain.stop).argmax())]
        for t in range(4, 0, -1):
            back.append(int(zeta[t, back[-1]]))
        assert back[::-1] == decode(chain)[0].tolist()


@pytest.mark.parametrize("states", [1, 2, 5, 9])
def test_all_chains_at_once_give_what_each_gives_alone(states: int) -> None:
    rng = np.random.default_rng(states)
    chain, offsets = stacked(rng, [3, 1, 0, 7, 1, 12, 2], states)
    paths, scores = np.full(offsets[-1], -7), np.empty(len(offsets) - 1)
    viterbi_all(chain.unary, offsets, *chain[1:], paths, scores)
    for i, (first, past) in enumerate(pairwise(offsets)):
        path, value = decode(chain._replace(unary=chain.unary[first:past]))
        assert paths[first:past].tolist() == path.tolist()
        assert scores[i] == value


def test_no_chains_at_all_is_not_an_error() -> None:
    chain, offsets = stacked(np.random.default_rng(13), [], 3)
    viterbi_all(chain.unary, offsets, *chain[1:], np.empty(0, dtype=np.int64), np.empty(0))


def test_inputs_are_left_as_they_were() -> None:
    chain = brute.random_chain(np.random.default_rng(14), 6, 5)
    before = [part.copy() for part in chain]
    decode(chain)
    assert all((part == copy).all() for part, copy in zip(chain, before, strict=True))


@needs_compiler
def test_a_chain_of_100_000_positions_is_decoded() -> None:
    chain = brute.random_chain(np.random.default_rng(15), 100_000, 26)
    path, value = decode(chain)
    assert value == pytest.approx(brute.path_score(chain, path))
