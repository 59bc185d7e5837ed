"""The k best paths against the sorted enumeration."""

import numpy as np
import pytest

from explorer.engine.structures.chains.kernels.k_best import k_best
from explorer.engine.structures.chains.kernels.viterbi import viterbi
from tests import brute
from tests.brute import Array, Chain, Ints


def best(chain: Chain, k: int) -> tuple[int, Array, Ints]:
    scores, paths = np.full(k, np.nan), np.full((k, len(chain.unary)), -7)
    return k_best(*chain, k, scores, paths), scores, paths


def test_scores_and_paths_are_the_head_of_the_sorted_enumeration() -> None:
    rng = np.random.default_rng(0)
    for _ in range(40):
        chain = brute.random_chain(rng, rng.integers(1, 6), rng.integers(1, 5))
        k = int(rng.integers(1, 20))
        paths, scores = brute.sorted_paths(chain)
        found, own_scores, own_paths = best(chain, k)
        assert found == min(k, len(paths))
        assert np.allclose(own_scores[:found], scores[:k], atol=1e-12)
        assert own_paths[:found].tolist() == paths[:k].tolist()


def test_equal_scores_come_in_the_order_of_the_paths_read_backwards() -> None:
    rng = np.random.default_rng(1)
    for _ in range(40):
        chain = brute.random_chain(rng, rng.integers(1, 5), rng.integers(1, 4), ties=True)
        paths, scores = brute.sorted_paths(chain)
        found, own_scores, own_paths = best(chain, 15)
        assert own_scores[:found].tolist() == scores[:15].tolist()
        assert own_paths[:found].tolist() == paths[:15].tolist()


def test_all_paths_are_found_once_and_what_is_missing_is_marked() -> None:
    chain = brute.random_chain(np.random.default_rng(2), 3, 2)
    found, scores, paths = best(chain, 10)
    assert found == 8
    assert len(np.unique(paths[:8], axis=0)) == 8
    assert scores[8:].tolist() == [-np.inf, -np.inf]
    assert set(paths[8:].ravel()) == {-1}


def test_forbidden_paths_do_not_count() -> None:
    rng = np.random.default_rng(3)
    for _ in range(40):
        chain = brute.forbid(rng, brute.random_chain(rng, 4, 3), 0.5)
        paths, scores = brute.sorted_paths(chain)
        found, own_scores, own_paths = best(chain, 20)
        assert found == min(20, len(paths))
        assert np.allclose(own_scores[:found], scores[:20])
        assert own_paths[:found].tolist() == paths[:20].tolist()


def test_the_first_path_is_that_of_viterbi_on_long_chains() -> None:
    rng = np.random.default_rng(4)
    for ties in (False, True):
        chain = brute.random_chain(rng, 40, 6, ties=ties)
        path = np.empty(40, dtype=np.int64)
        value = viterbi(*chain, path)
        for k in (1, 3):
            _, scores, paths = best(chain, k)
            assert scores[0] == value
            assert paths[0].tolist() == path.tolist()


def test_on_long_chains_scores_descend_and_belong_to_their_paths() -> None:
    chain = brute.random_chain(np.random.default_rng(5), 30, 4)
    found, scores, paths = best(chain, 25)
    assert found == 25
    assert (np.diff(scores) <= 0).all()
    assert len(np.unique(paths, axis=0)) == 25
    assert np.allclose(scores, [brute.path_score(chain, path) for path in paths])


@pytest.mark.parametrize(("length", "states"), [(1, 4), (4, 1), (1, 1)])
def test_short_chains_and_single_states_have_all_their_paths(length: int, states: int) -> None:
    chain = brute.random_chain(np.random.default_rng(6), length, states)
    paths, scores = brute.sorted_paths(chain)
    found, own_scores, own_paths = best(chain, 6)
    assert found == states**length
    assert np.allclose(own_scores[:found], scores)
    assert own_paths[:found].tolist() == paths.tolist()


def test_the_empty_chain_has_one_path_of_score_0() -> None:
    found, scores, _ = best(brute.random_chain(np.random.default_rng(7), 0, 3), 2)
    assert found == 1
    assert scores.tolist() == [0.0, -np.inf]
