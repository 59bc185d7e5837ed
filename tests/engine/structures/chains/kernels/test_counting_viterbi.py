"""Best path for every number of errors, against enumeration."""

import numpy as np
import pytest

from explorer.engine.structures.chains.kernels.counting_viterbi import count_best
from explorer.engine.structures.chains.kernels.viterbi import viterbi
from tests import brute
from tests.brute import Array, Chain, Ints


def count(chain: Chain, truth: Ints, cap: int) -> tuple[Array, Ints]:
    scores, paths = np.empty(cap + 1), np.full((cap + 1, len(truth)), -7)
    count_best(*chain, truth, cap, scores, paths)
    return scores, paths


def enumerate_classes(chain: Chain, truth: Ints, cap: int) -> list[tuple[float, Ints]]:
    paths, scores = brute.all_paths_with_scores(chain)
    errors = np.minimum((paths != truth).sum(axis=1), cap)
    inside = [errors == c for c in range(cap + 1)]
    return [(scores[own].max(initial=-np.inf), paths[own]) for own in inside]


@pytest.mark.parametrize("share_forbidden", [0.0, 0.3])
def test_every_class_has_the_best_score_of_its_enumeration_for_every_cap(share_forbidden: float) -> None:
    rng = np.random.default_rng(0)
    for _ in range(12):
        length, states = rng.integers(1, 6), rng.integers(1, 4)
        chain = brute.forbid(rng, brute.random_chain(rng, length, states), share_forbidden)
        truth = rng.integers(0, states, length)
        for cap in range(length + 2):
            scores, paths = count(chain, truth, cap)
            for c, (best, _) in enumerate(enumerate_classes(chain, truth, cap)):
                assert scores[c] == pytest.approx(best, abs=1e-12)
                if best > -np.inf:
                    assert min((paths[c] != truth).sum(), cap) == c
                    assert brute.path_score(chain, paths[c]) == pytest.approx(best, abs=1e-12)
                else:
                    assert set(paths[c]) == {-1}


def test_without_ties_the_paths_are_those_of_the_enumeration() -> None:
    rng = np.random.default_rng(1)
    chain, truth = brute.random_chain(rng, 5, 3), rng.integers(0, 3, 5)
    _, paths = count(chain, truth, 5)
    all_paths, scores = brute.all_paths_with_scores(chain)
    errors = (all_paths != truth).sum(axis=1)
    for c in range(6):
        best = np.where(errors == c, scores, -np.inf).argmax()
        assert paths[c].tolist() == all_paths[best].tolist()


def test_exact_counts_keep_the_first_of_equal_paths() -> None:
    rng = np.random.default_rng(2)
    for _ in range(30):
        chain, truth = brute.random_chain(rng, 4, 3, ties=True), rng.integers(0, 3, 4)
        _, paths = count(chain, truth, 4)
        all_paths, scores = brute.all_paths_with_scores(chain)
        errors = (all_paths != truth).sum(axis=1)
        for c in range(5):
            best = np.where(errors == c, scores, -np.inf).argmax()
            assert paths[c].tolist() == all_paths[best].tolist()


def test_among_equal_wrong_paths_the_error_comes_as_early_and_as_small_as_it_can() -> None:
    chain = Chain(np.zeros((3, 3)), np.zeros((3, 3)), np.zeros(3), np.zeros(3))
    _, paths = count(chain, np.zeros(3, dtype=np.int64), 1)
    assert paths.tolist() == [[0, 0, 0], [1, 0, 0]]


def test_cap_1_splits_into_the_truth_and_the_best_wrong_path() -> None:
    rng = np.random.default_rng(3)
    chain, truth = brute.random_chain(rng, 5, 3), rng.integers(0, 3, 5)
    scores, paths = count(chain, truth, 1)
    ranked, ranked_scores = brute.sorted_paths(chain)
    first_wrong = (ranked != truth).any(axis=1).argmax()
    assert paths[0].tolist() == truth.tolist()
    assert scores[0] == pytest.approx(brute.path_score(chain, truth))
    assert paths[1].tolist() == ranked[first_wrong].tolist()
    assert scores[1] == pytest.approx(ranked_scores[first_wrong])


def test_cap_0_is_viterbi() -> None:
    rng = np.random.default_rng(4)
    chain, truth = brute.random_chain(rng, 8, 4), rng.integers(0, 4, 8)
    scores, paths = count(chain, truth, 0)
    path = np.empty(8, dtype=np.int64)
    assert scores[0] == viterbi(*chain, path)
    assert paths[0].tolist() == path.tolist()


def test_the_best_over_all_classes_is_the_best_path_for_a_concave_loss() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        chain, truth = brute.random_chain(rng, 5, 3), rng.integers(0, 3, 5)
        paths, scores = brute.all_paths_with_scores(chain)
        errors = (paths != truth).sum(axis=1)
        best = (count(chain, truth, 5)[0] + np.sqrt(np.arange(6))).max()
        assert best == pytest.approx((scores + np.sqrt(errors)).max(), abs=1e-12)


def test_the_best_over_all_classes_is_the_most_violated_path_under_slack_rescaling() -> None:
    rng = np.random.default_rng(6)
    for _ in range(20):
        chain, truth = brute.random_chain(rng, 5, 3), rng.integers(0, 3, 5)
        own = brute.path_score(chain, truth)
        paths, scores = brute.all_paths_with_scores(chain)
        errors = (paths != truth).sum(axis=1)
        best = (np.arange(6) * (1 - own + count(chain, truth, 5)[0])).max()
        assert best == pytest.approx((errors * (1 - own + scores)).max(), abs=1e-12)


def test_more_errors_than_positions_are_impossible() -> None:
    chain = brute.random_chain(np.random.default_rng(7), 2, 3)
    scores, paths = count(chain, np.array([0, 1]), 4)
    assert np.isfinite(scores).tolist() == [True, True, True, False, False]
    assert paths[3:].tolist() == [[-1, -1], [-1, -1]]


def test_with_one_state_no_error_is_possible() -> None:
    chain = brute.random_chain(np.random.default_rng(8), 3, 1)
    scores, _ = count(chain, np.zeros(3, dtype=np.int64), 1)
    assert np.isfinite(scores).tolist() == [True, False]


def test_the_empty_chain_has_no_errors_and_score_0() -> None:
    chain = brute.random_chain(np.random.default_rng(9), 0, 3)
    scores, _ = count(chain, np.empty(0, dtype=np.int64), 1)
    assert scores.tolist() == [0.0, -np.inf]
