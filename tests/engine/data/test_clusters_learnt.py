"""What generated clusterings teach: what their docstrings promise is found by training on them."""

from itertools import islice
from typing import Any

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from explorer.engine.contracts import Loss
from explorer.engine.data.clouds import Clouds
from explorer.engine.data.coreference import Coreference
from explorer.engine.data.marbles import Marbles
from explorer.engine.data.news import News
from explorer.engine.data.web_pages import WebPages
from explorer.engine.learners.one_slack import OneSlack
from explorer.engine.structures.clusterings.losses import Mitre, Normalised, Pairwise
from explorer.engine.structures.clusterings.oracles import GreedyMerges, Iterative
from explorer.engine.structures.clusterings.partitions import pair_matrix, together
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.structures.clusterings.question import Question
from explorer.engine.vectors import Array
from tests.engine.learners.toys import run


def learnt(family: Any, C: float, delta: Loss, groups: bool = False) -> tuple[Array, float, float]:
    """Weights, and the test loss with them and with none."""
    train, test = family.make()
    oracles = (Iterative(), Iterative(restarts=5)) if groups else (GreedyMerges(), GreedyMerges())
    problem = Clustering(
        train, "k-means" if groups else "correlation", delta, separator=oracles[0], predictor=oracles[1]
    )
    *_, last = islice(OneSlack(C=C, eps=0.1).steps(problem, np.random.default_rng(0)), 100)
    tested = problem.on(test)
    losses = [float(tested.losses(tested.predictions(w)).mean()) for w in (last.w, np.zeros(problem.dim))]
    return last.w, losses[0], losses[1]


def test_training_on_clouds_turns_a_wrong_clustering_into_the_right_one() -> None:
    w, after, before = learnt(Clouds(), 1000.0, Pairwise())
    assert before > 25.0
    assert after == 0.0
    assert w[0] > 5.0 * abs(w[1])


@pytest.mark.spec("C35")
def test_what_is_learnt_from_red_green_and_blue_marbles_clusters_other_colours_without_loss() -> None:
    w, after, before = learnt(Marbles(), 1000.0, Pairwise())
    assert before > 25.0
    assert after == 0.0
    assert np.argmax(w[:4]) == 0


@pytest.mark.parametrize("seed", [0, 1])
def test_links_of_web_pages_reduce_the_loss(seed: int) -> None:
    losses = [
        learnt(WebPages(links=links, seed=seed), 100.0, Normalised(), True)[1] for links in (True, False)
    ]
    assert losses[0] < losses[1] - 5.0


def test_long_runs_of_words_in_news_texts_count_against_and_words_for_two_articles() -> None:
    w, after, before = learnt(News(), 1e6, Pairwise())
    features = News().make()[0].meta["features"]
    named = dict(zip(features, w, strict=True))
    assert max(named, key=lambda name: named[name]) == "text: words, stemmed"
    assert named["text: triples of words"] < 0.0
    assert named["text: triples of words, stemmed"] < 0.0
    assert after < before / 2


def pair_loss(family: Any, C: float, delta: Loss) -> float:
    """The test loss of greedy merges under the output of a classifier of pairs, scikit-learn's."""
    train, test = family.make()
    rows = np.vstack([x.pairs.toarray() for x in train.inputs])
    same = np.concatenate([together(y) for y in train.labels])
    w = LinearSVC(C=C / len(rows), fit_intercept=False, dual=False, random_state=0).fit(rows, same).coef_[0]
    found = [GreedyMerges().solve(Question(pair_matrix(x.pairs @ w, x.m))).label for x in test.inputs]
    return float(np.mean([delta.value(y, label) for y, label in zip(test.labels, found, strict=True)]))


@pytest.mark.spec("C27")
@pytest.mark.parametrize("seed", [0, 1])
def test_training_on_chains_of_mentions_ends_by_itself_after_little_work(seed: int) -> None:
    problem = Clustering(
        Coreference(seed=seed).make()[0], delta=Mitre(), separator=GreedyMerges(), predictor=GreedyMerges()
    )
    steps, stopped = run(OneSlack(C=1e5, eps=0.1), problem)
    assert stopped.reason == "eps-violation"
    # A round asks about every document once; greedy merges of m mentions look at m^2 pairs m times at most.
    looks = len(steps) * sum(x.m**3 for x in problem.dataset.inputs)
    assert looks < 60 * 10**7, "what a core looks at in a minute, at ten million a second"
    assert len(steps) < 100, "the rounds that `learnt` gives it"


@pytest.mark.spec("C27")
@pytest.mark.parametrize("seed", [0, 1])
def test_chains_of_mentions_are_learnt_better_from_clusterings_than_from_pairs(seed: int) -> None:
    _, after, before = learnt(Coreference(seed=seed), 1e5, Mitre())
    assert before == 100.0  # every mention alone
    assert after < min(pair_loss(Coreference(seed=seed), C, Mitre()) for C in (1e2, 1e4, 1e6)) - 5.0
