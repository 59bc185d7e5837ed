"""Feature dicts as a matrix, beside scikit-learn's vectoriser; labels as numbers."""

import numpy as np
import pytest
from sklearn.feature_extraction import DictVectorizer

from explorer.engine.refusals import Refused
from explorer.estimators.vocabularies import Columns, codes_of, corpus_rows, label_codes
from tests.estimators.samples import tagged

TOKENS = [
    {"word": "Ana", "title": True, "length": 3.0},
    {"word": "ve", "title": False, "length": 2, "parts": ["v", "e"]},
    {"word": "Ana", "length": np.float64(0.5)},
    {},
]


def test_the_matrix_is_that_of_scikit_learns_vectoriser() -> None:
    columns = Columns()
    found = columns.rows(TOKENS, grow=True)
    theirs = DictVectorizer().fit(TOKENS)
    order = [columns.names().index(name) for name in theirs.get_feature_names_out()]
    assert sorted(order) == list(range(columns.size))
    assert np.array_equal(found.toarray()[:, order], theirs.transform(TOKENS).toarray())


def test_a_corpus_is_vectorised_as_its_sentences_are() -> None:
    X, _ = tagged()
    whole, columns = corpus_rows([token for sentence in X for token in sentence], 1)
    apart = np.concatenate([columns.rows(sentence).toarray() for sentence in X])
    assert np.array_equal(whole.toarray(), apart)
    assert len(set(columns.names())) == columns.size


def test_lists_of_texts_are_tokens_too_and_unknown_ones_are_left_out() -> None:
    columns = Columns()
    columns.rows([["a", "b"], ["b", "b"]], grow=True)
    assert columns.names() == ["a", "b"]
    assert columns.rows([["b", "zzz", "b"]]).toarray().tolist() == [[0.0, 2.0]]
    assert columns.rows([{"b": "b", "c": 1.0, "d": ["a"]}]).toarray().tolist() == [[0.0, 0.0]]


def test_rare_columns_are_dropped_and_the_others_keep_their_order() -> None:
    whole, columns = corpus_rows([{"a": "x", "n": 2.0}, {"a": "y"}, {"a": "x"}], 2)
    assert columns.names() == ["a=x"]
    assert whole.toarray().tolist() == [[1.0], [0.0], [1.0]]
    with pytest.raises(Refused, match="min_count"):
        corpus_rows([{"a": "x"}], 2)


def test_features_that_are_none_are_refused_by_name() -> None:
    for token, words in (
        ({"a": None}, "'a'"),
        ({"a": np.inf}, "finite"),
        ({1: "x"}, "called 1"),
        ({"a": [3]}, "lists 3"),
    ):
        with pytest.raises(Refused, match=words):
            Columns().rows([token], grow=True)


def test_labels_are_numbered_in_order_and_strangers_are_named() -> None:
    labels, numbers = label_codes(["b", "a", "b"])
    assert labels.tolist() == ["a", "b"]
    assert codes_of(np.array(["b", "a"]), numbers, "here").tolist() == [1, 0]
    with pytest.raises(Refused, match=r"here has the label 'c', which is not known; known are a, b"):
        codes_of(["a", "c"], numbers, "here")
    with pytest.raises(Refused, match="label"):
        codes_of([["a"]], numbers, "here")
