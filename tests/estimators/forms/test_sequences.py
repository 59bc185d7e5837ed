"""Sequences as frames and as words: the same tagger as from feature dicts."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline

from explorer.engine.refusals import Refused
from explorer.estimators.chains import SequenceTagger
from explorer.estimators.models import load, model_bytes
from explorer.estimators.text_features import TextFeatures
from tests.estimators.samples import SENTENCES, TAGS

pandas = pytest.importorskip("pandas")
WORDS, Y = [text.split() for text in SENTENCES], [tags.split() for tags in TAGS]


def frame() -> "pandas.DataFrame":
    """One row for every word, with the number of its sentence."""
    rows = [
        (f"s{i}", word, len(word), tag) for i in range(4) for word, tag in zip(WORDS[i], Y[i], strict=True)
    ]
    return pandas.DataFrame(rows, columns=["sentence", "word", "length", "tag"])


def test_a_frame_is_the_same_as_dicts_of_its_columns() -> None:
    data = frame()
    dicts = [[{"word": word, "length": len(word)} for word in words] for words in WORDS]
    plain = SequenceTagger(C=10.0).fit(dicts, Y)
    fitted = SequenceTagger(C=10.0, sequence="sentence").fit(data.drop(columns="tag"), data["tag"])
    assert np.array_equal(fitted.weights_, plain.weights_)
    found = fitted.predict(data.drop(columns="tag"))
    assert found.index.equals(data.index)
    assert found.tolist() == [tag for tags in plain.predict(dicts) for tag in tags]
    assert fitted.score(data.drop(columns="tag"), data["tag"]) == plain.score(dicts, Y)


def test_rows_of_a_frame_may_stand_in_any_order_of_their_sequences() -> None:
    data = frame()
    mixed = data.iloc[[0, 3, 1, 4, 2, 5, 6, *range(7, len(data))]]
    given = SequenceTagger(C=10.0, sequence="sentence").fit(data.drop(columns="tag"), data["tag"])
    other = SequenceTagger(C=10.0, sequence="sentence").fit(mixed.drop(columns="tag"), mixed["tag"])
    assert other.certificate_.primal == pytest.approx(given.certificate_.primal)
    assert other.predict(mixed.drop(columns="tag")).sort_index().tolist() == data["tag"].tolist()


def test_columns_of_numbers_are_rows_of_numbers() -> None:
    data = frame()[["sentence", "length", "tag"]]
    arrays = [np.array([[float(len(word))] for word in words]) for words in WORDS]
    fitted = SequenceTagger(C=10.0, sequence="sentence").fit(data[["sentence", "length"]], data["tag"])
    assert np.array_equal(fitted.weights_, SequenceTagger(C=10.0).fit(arrays, Y).weights_)


def test_words_with_features_are_the_same_as_their_dicts_and_the_model_keeps_them() -> None:
    kit = TextFeatures(prefixes=2)
    plain = SequenceTagger(C=10.0).fit(kit.corpus(WORDS), Y)
    fitted = SequenceTagger(C=10.0, features=kit).fit(WORDS, Y)
    assert np.array_equal(fitted.weights_, plain.weights_)
    again = load(model_bytes(fitted))
    assert again.predict([["Eva", "ve", "Lima"]]) == fitted.predict([["Eva", "ve", "Lima"]])
    assert again.features.get_params() == kit.get_params()
    framed = SequenceTagger(C=10.0, features=kit, sequence="sentence")
    data = frame()
    assert np.array_equal(framed.fit(data[["sentence", "word"]], data["tag"]).weights_, plain.weights_)


def test_words_go_along_with_the_problem_to_be_shown() -> None:
    data = frame()
    told = tuple(map(tuple, WORDS))
    by_words = SequenceTagger(features=TextFeatures()).problem(WORDS, Y)
    by_dicts = SequenceTagger().problem(TextFeatures().corpus(WORDS), Y)
    by_frame = SequenceTagger(sequence="sentence").problem(data.drop(columns="tag"), data["tag"])
    assert [problem.dataset.meta["words"] for problem in (by_words, by_dicts, by_frame)] == [told] * 3
    assert by_words.dataset.meta["feature_names"] == by_dicts.dataset.meta["feature_names"]
    assert "words" not in SequenceTagger().problem([[["a", "b"]], [["c"]]], [["X"], ["O"]]).dataset.meta


def test_pipelines_and_grids_take_words_and_frames() -> None:
    search = GridSearchCV(
        make_pipeline(TextFeatures(), SequenceTagger(C=10.0)), {"textfeatures__suffixes": [0, 2]}, cv=2
    )
    assert search.fit(WORDS, Y).best_score_ > 0.3
    data = frame()
    framed = GridSearchCV(SequenceTagger(sequence="sentence"), {"C": [1.0, 10.0]}, cv=GroupKFold(2))
    framed.fit(data[["sentence", "word"]], data["tag"], groups=data["sentence"])
    assert framed.best_params_["C"] in (1.0, 10.0)


def test_frames_and_features_that_do_not_fit_are_refused() -> None:
    data = frame()
    for tagger, X, words in (
        (SequenceTagger(), data, "sequence='...'"),
        (SequenceTagger(sequence="chapter"), data, "chapter"),
        (SequenceTagger(sequence="sentence"), data[["sentence"]], "no column but"),
        (SequenceTagger(sequence="sentence", features=TextFeatures()), data, "leave out"),
    ):
        with pytest.raises(Refused, match=words):
            tagger.fit(X, data["tag"])
    with pytest.raises(Refused, match="one for each"):
        SequenceTagger(features=lambda words: [{"n": 1}]).fit(WORDS, Y)
    own = SequenceTagger(features=TextFeatures(more=lambda words, t: {})).fit(WORDS, Y)
    with pytest.raises(Refused, match="more"):
        model_bytes(own)
