"""The parser against enumeration of all trees, and sentences in every form."""

from typing import Any

import numpy as np
import pytest

from explorer.engine.refusals import Refused
from explorer.engine.structures.trees.heads import all_trees
from explorer.estimators.trees import DependencyParser
from tests.estimators.samples import trees

X, Y = trees()


@pytest.mark.parametrize("kernel", ["none", "bag of words", "subsequences"])
def test_the_tree_that_is_found_scores_most_of_all(kernel: str) -> None:
    fitted = DependencyParser(C=10.0, kernel=kernel).fit(X, Y)
    for heads, table in zip(fitted.predict(X), fitted.decision_function(X), strict=True):
        places = np.arange(len(heads))
        best = max(table[tree, places].sum() for tree in all_trees(len(heads)))
        assert table[heads, places].sum() == pytest.approx(best)
    assert fitted.certificate_.exact
    assert fitted.score(X, Y) == 1.0


def test_dicts_and_pairs_are_the_same_sentences() -> None:
    dicts = [[{"word": word, "tag": tag} for word, tag in sentence] for sentence in X]
    assert np.array_equal(DependencyParser().fit(dicts, Y).weights_, DependencyParser().fit(X, Y).weights_)


def test_words_and_tags_never_seen_weigh_nothing() -> None:
    fitted = DependencyParser(C=10.0, kernel="none").fit(X, Y)
    assert not fitted.decision_function([[("Wau", "INTERJ")]])[0].any()
    assert len(fitted.predict([[("Wau", "INTERJ"), ("bellt", "V")]])[0]) == 2
    assert fitted.predict([]) == []


def test_the_frame_names_edges_where_there_are_weights() -> None:
    frame = DependencyParser(C=10.0, kernel="none").fit(X, Y).weights_frame()
    assert "V > N -1" in set(frame.feature)
    with pytest.raises(Refused, match="kernel='none'"):
        DependencyParser().fit(X, Y).weights_frame()


@pytest.mark.parametrize(
    ("data", "labels", "words"),
    [
        ([], [], "no sentences"),
        ("text", [[0]], "is a str"),
        ([["just", "words"]], [[0, 1]], "sentence 0"),
        ([[{"word": "a"}]], [[0]], "sentence 0"),
        (X, Y[:2], "4 sentences and 2 trees"),
        (X[:1], [[0, 0]], "3 whole numbers"),
        (X[:1], [[2, 1, 0]], "circle"),
    ],
)
def test_bad_data_are_refused_in_a_sentence(data: Any, labels: Any, words: str) -> None:
    with pytest.raises(Refused, match=words):
        DependencyParser().fit(data, labels)


def test_marginals_of_edges_are_those_of_all_trees() -> None:
    fitted = DependencyParser(C=10.0, kernel="none").fit(X, Y)
    for table, shares in zip(fitted.decision_function(X), fitted.predict_marginals(X), strict=True):
        places, total, found = np.arange(table.shape[1]), 0.0, np.zeros_like(table)
        for tree in all_trees(table.shape[1]):
            power = np.exp(table[tree, places].sum())
            total += power
            found[tree, places] += power
        assert shares == pytest.approx(found / total)
        assert shares.sum(axis=0) == pytest.approx(1.0)
