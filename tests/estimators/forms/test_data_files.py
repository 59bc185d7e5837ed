"""Sample files are read as the estimators of their structures take them."""

from pathlib import Path

import numpy as np
import pytest

import explorer
from explorer.engine.refusals import Refused
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


def test_words_and_names_are_those_of_the_file(tmp_path: Path) -> None:
    text = "Ana B-PER\nlives O\n\nHere O\n"
    (tmp_path / "mine.text").write_text(text)
    assert read(tmp_path / "mine.text", form="columns") == (
        [["Ana", "lives"], ["Here"]],
        [["B-PER", "O"], ["O"]],
    )
    words, tags = read("sample_data/names.conll")
    assert words[0][:2] == [("Ada", "PROPN"), ("Lovelace", "PROPN")]
    assert tags[0][:2] == ["B-PER", "I-PER"]
    _, labels = read("sample_data/karate.graphml")
    assert np.asarray(labels[0]).dtype.kind == "U"
    with pytest.raises(Refused, match="no format"):
        read("sample_data/names.conll", form="magic")
