"""Names and parts of speech: the counted model against the trained ones, all choices made in training."""

import numpy as np
import pytest

from explorer.engine.data.entities import Names
from explorer.studies import NamesInText, PartsOfSpeech
from explorer.studies.chains.names_in_text import MADE_UP, PRINTED, SPANISH
from explorer.studies.support.rows import value
from explorer.studies.support.tagging_ways import (
    HMM,
    KINDS,
    PSEUDO,
    SVM_HMM,
    WAYS,
    columns_of,
    error_on,
    tag_by,
)


@pytest.mark.spec("A46")
def test_on_made_up_names_the_trained_model_makes_fewer_mistakes_than_the_counted_one() -> None:
    study = NamesInText(corpus=MADE_UP, n=80, n_test=80, folds=2, gap=0.2)
    rows = list(study.rows())
    assert [found["way"] for found in rows] == list(WAYS)
    errors = {way: value(rows, "error", way=way) for way in WAYS}
    assert errors[SVM_HMM] < errors[HMM]
    assert list(study.rows_after(4)) == rows[4:]


def test_the_printed_errors_stand_beside_the_spanish_text_only() -> None:
    assert {(found["corpus"], found["way"]): found["error"] for found in NamesInText().published} == {
        (SPANISH, way): error for way, error in PRINTED.items()
    }
    assert PRINTED == {HMM: 9.36, SVM_HMM: 5.08}
    assert PartsOfSpeech().published == ()


def test_without_the_text_a_made_up_corpus_stands_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EXPLORER_DATA", raising=False)
    study = NamesInText(n=10, n_test=5, folds=2, gap=0.5)
    assert next(study.rows())["corpus"] == MADE_UP


def test_a_counted_model_is_chosen_by_the_training_sentences_and_measured_by_hand() -> None:
    train, test = Names(n=30, n_test=10, vocabulary=100).make()
    assert test is not None
    found = tag_by(HMM, train, 2, 0.1, 0, lambda note: None)
    kind, pseudo = found.chosen.split(", pseudo-count ")
    assert kind in KINDS
    assert float(pseudo) in PSEUDO
    wrong = [
        np.mean(found.problem.predict(found.w, x[:, found.columns]) != y) * len(y)
        for x, y in zip(test.inputs, test.labels, strict=True)
    ]
    assert error_on(found, test) == pytest.approx(100.0 * sum(wrong) / sum(map(len, test.labels)))


def test_the_word_columns_of_made_up_text_are_those_of_single_words() -> None:
    train, _ = Names(n=3, vocabulary=40).make()
    assert columns_of(train, "words").tolist() == list(range(40))
