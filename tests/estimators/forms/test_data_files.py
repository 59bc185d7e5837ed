"""Sample files are read as the estimators of their structures take them."""

import numpy as np
import pytest

import explorer
from explorer.estimators.forms.data_files import read

TAKEN_BY = {
    "animals.conllu": explorer.DependencyParser(C=10.0),
    "karate.graphml": explorer.GraphLabeller(C=10.0),
    "kitchen.svmlight": explorer.LabelSetClassifier(C=10.0),
    "letters.pairs.csv": explorer.ItemClusterer(C=10.0),
    "names.conll": explorer.SequenceTagger(C=10.0, features=explorer.TextFeatures()),
}


@pytest.mark.parametrize("name", sorted(TAKEN_BY))
def test_what_is_read_can_be_fitted(name: str) -> None:
    X, y = read(f"sample_data/{name}")
    assert TAKEN_BY[name].fit(X, y).score(X, y) > 0.5


def test_words_and_names_are_those_of_the_file() -> None:
    words, tags = read("sample_data/names.conll")
    assert all(isinstance(word, str) for sentence in words for word in sentence)
    assert {"O"} < {tag for sentence in tags for tag in sentence}
    _, labels = read("sample_data/karate.graphml")
    assert np.asarray(labels[0]).dtype.kind == "U"
