"""The work of clusterers: its referee by hand, its bars, and a contestant of each kind on small
similarities.
"""

from typing import Any

import numpy as np
import pytest

from explorer.bench.work import Clock, Outcome
from explorer.bench.works import clusters, clusters_growth
from explorer.engine.structures.clusterings.oracles import GreedyMerges, Spectral

FOUR = clusters.Made(
    np.array([[0.0, 3.0, 1.0, -2.0], [3.0, 0.0, -1.0, 0.5], [1.0, -1.0, 0.0, 2.0], [-2.0, 0.5, 2.0, 0.0]]),
    np.array([0, 0, 1, 1]),
    2,
)


def test_the_referee_counts_pairs_means_and_pairs_that_are_wrong() -> None:
    # 01/23: pairs 3 + 2, means 2 * 3 / 2 + 2 * 2 / 2; 012/3: pairs 3 + 1 - 1, means 2 * 3 / 3, and 02, 12, 23
    # are wrong
    assert clusters.worth(FOUR, np.array([5, 5, 2, 2])) == pytest.approx(
        {"pairs": 5.0, "means": 5.0, "wrong": 0.0}
    )
    assert clusters.worth(FOUR, np.array([0, 0, 0, 1])) == pytest.approx(
        {"pairs": 3.0, "means": 2.0, "wrong": 0.5}
    )


def test_planted_clusters_are_as_large_as_said_and_noise_has_none() -> None:
    planted, noise = clusters.make_similarity("planted 200"), clusters.make_similarity("noise 60")
    assert np.bincount(planted.truth).tolist() == [clusters.SIZE] * 8
    assert noise.truth is None
    for K in (planted.K, noise.K):
        assert np.array_equal(K, K.T)
        assert not np.diag(K).any()


@pytest.mark.parametrize(
    "answer",
    [
        clusters.ours(GreedyMerges(), False),
        clusters.ours(GreedyMerges(), False, True),
        clusters.agglomerative,
    ],
)
def test_contestants_tell_their_time_and_leave_clusterings_to_the_referee(answer: Any) -> None:
    data = {"planted 75": [clusters.make_similarity("planted 75")]}
    outcome = clusters.clusterer(answer, ("planted 75",), 1)(data)
    assert outcome.facts["planted 75 ms"] > 0.0
    clusters.score(data, outcome)
    assert 0.0 <= outcome.facts["planted 75 wrong"] <= 1.0


def test_relaxed_answers_are_no_clusterings() -> None:
    one = clusters.make_similarity("planted 50")
    outcome = Outcome(Clock(), answers={"planted 50": (one, clusters.ours(Spectral(), True, True)(one))})
    clusters.score({}, outcome)
    assert outcome.facts == {}


def test_scikit_learn_finds_planted_clusters_too() -> None:
    one = clusters.make_similarity("planted 100")
    for answer in (clusters.agglomerative, clusters.spectral):
        assert clusters.worth(one, answer(one))["wrong"] < 0.25


def test_bars_are_judged_on_what_was_measured() -> None:
    facts = {"facts": {"planted 200 ms": 4.0, "planted 60 ms": 1200.0}}
    verdicts = clusters.judge({"greedy merges": facts, "triangle relaxation": facts})
    assert [(verdict.met, verdict.found) for verdict in verdicts] == [
        (True, "4.00 ms"),
        (False, "1200.00 ms"),
    ]
    slopes = {"Iterative, sets": {"facts": {"slope": 1.0}}, "Spectral, sets": {"facts": {"slope": 1.2}}}
    assert [verdict.met for verdict in clusters_growth.judge(slopes)] == [True, False]
