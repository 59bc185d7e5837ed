"""The tagger against enumeration, the bare engine and other ways to give the same data."""

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from scipy import sparse as sp

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import train
from explorer.estimators.chains import SequenceTagger
from tests.estimators.samples import tagged

X, Y = tagged()


@pytest.fixture(scope="module")
def tagger() -> SequenceTagger:
    return SequenceTagger(C=10.0).fit(X, Y)


def scores_of(tagger: SequenceTagger, sentence: Any) -> dict[tuple[str, ...], float]:
    """The score of every labelling of a sentence, from the frame of weights alone."""
    frame = tagger.weights_frame()
    weight = {(k, f, y): w for k, f, y, w in frame.itertuples(index=False)}
    found = {}
    for tags in product(tagger.classes_.tolist(), repeat=len(sentence)):
        total = weight["start", "", tags[0]] + weight["stop", "", tags[-1]]
        total += sum(weight["transition", a, b] for a, b in pairwise(tags))
        for token, tag in zip(sentence, tags, strict=True):
            names = [f"{name}={value}" if isinstance(value, str) else name for name, value in token.items()]
            total += sum(weight.get(("feature", name, tag), 0.0) for name in names)
        found[tags] = total
    return found


def test_predictions_k_best_and_marginals_are_those_of_enumeration(tagger: SequenceTagger) -> None:
    for sentence in X[:3]:
        scores = scores_of(tagger, sentence)
        ranked = sorted(scores, key=scores.__getitem__, reverse=True)
        assert tuple(tagger.predict([sentence])[0]) == ranked[0]
        best = tagger.predict_k_best([sentence], 3)[0]
        assert [score for _, score in best] == pytest.approx([scores[tags] for tags in ranked[:3]])
        assert tuple(best[0][0]) == ranked[0]
        total = sum(np.exp(score) for score in scores.values())
        shares, highest = tagger.predict_marginals([sentence])[0], tagger.decision_function([sentence])[0]
        for t in range(len(sentence)):
            for k, tag in enumerate(tagger.classes_):
                having = [score for tags, score in scores.items() if tags[t] == tag]
                assert shares[t, k] == pytest.approx(sum(np.exp(having)) / total)
                assert highest[t, k] == pytest.approx(max(having))


def test_what_was_learned_fits_and_features_never_seen_are_ignored(tagger: SequenceTagger) -> None:
    assert tagger.predict(X) == Y
    assert tagger.score(X, Y) == 1.0
    assert tagger.certificate_.exact
    strange = [{"word": "Zürich", "never": "seen", "number": 7}, {"constant": True}]
    without = [{}, {"constant": True}]
    assert tagger.predict([strange]) == tagger.predict([without])


def test_labels_never_seen_count_as_wrong(tagger: SequenceTagger) -> None:
    assert tagger.score([X[0]], [["NEW", "O", "L"]]) == pytest.approx(2 / 3)


def test_arrays_sparse_rows_and_one_matrix_with_lengths_are_the_same_data(tagger: SequenceTagger) -> None:
    columns = tagger.columns_
    assert columns is not None
    rows = [columns.rows(sentence) for sentence in X]
    dense = [row.toarray() for row in rows]
    whole, lengths = sp.vstack(rows).tocsr(), [len(sentence) for sentence in X]
    for data, more in (
        (rows, {}),
        (dense, {}),
        (whole, {"lengths": lengths}),
        (np.vstack(dense), {"lengths": lengths}),
    ):
        fitted = SequenceTagger(C=10.0).fit(data, Y, **more)
        assert fitted.weights_ == pytest.approx(tagger.weights_, abs=1e-7)
        assert fitted.predict(data, **more) == Y


def test_the_result_is_that_of_the_recipe_of_the_same_data_bit_for_bit() -> None:
    recipe = Recipe("tagging", learner="sequential-dual", settings={"certify_every": 3, "cached_passes": 3})
    problem, _ = recipe.problem()
    events = list(train(problem, recipe.make_learner(), rule=recipe.make_rule()))
    last = [event for event in events if hasattr(event, "w")][-1]
    data = problem.dataset
    fitted = SequenceTagger(C=10.0, learner="sequential-dual").fit(list(data.inputs), list(data.labels))
    assert np.array_equal(fitted.weights_, last.w)


def test_rare_features_can_be_left_out() -> None:
    fitted = SequenceTagger(C=10.0, min_count=2).fit(X, Y)
    names = fitted.columns_.names()
    assert "word=Ana" in names  # three times
    assert "word=grande" not in names  # once
    assert fitted.n_features_in_ == len(names)
    assert len(fitted.predict(X)) == 4


def test_a_random_field_learns_probabilities() -> None:
    fitted = SequenceTagger(C=100.0, learner="crf").fit(X, Y)
    shares = fitted.predict_marginals(X)
    right = [
        shares[i][t, list(fitted.classes_).index(tag)]
        for i, tags in enumerate(Y)
        for t, tag in enumerate(tags)
    ]
    assert min(right) > 0.5


@pytest.mark.parametrize(
    ("data", "labels", "words"),
    [
        ([], [], "no sequences"),
        (X, Y[:3], "4 sequences and 3"),
        (X, [*Y[:3], ["O"]], "sequence 3 has 5 positions"),
        ([[]], [[]], "sequence 0 is empty"),
        ([["not a dict"]], ["O"], "give one for each"),
        ([[{"a": None}]], [["O"]], "feature 'a'"),
        ([[{"a": float("nan")}]], [["O"]], "finite"),
        (["a sentence"], [["O"]], "sequence 0 is a str"),
        (np.ones((3, 2)), [["O"]], "lengths"),
        ([np.ones((1, 2)), np.ones((1, 3))], [["O"], ["O"]], "one width"),
        ([[{"a": "b"}], [{"a": "c"}]], [["O"], [1]], "several types"),
    ],
)
def test_bad_data_are_refused_in_a_sentence(data: Any, labels: Any, words: str) -> None:
    with pytest.raises(Refused, match=words):
        SequenceTagger().fit(data, labels)


def test_rows_of_another_width_are_refused_in_prediction() -> None:
    fitted = SequenceTagger().fit([np.eye(3)], [[0, 1, 0]])
    with pytest.raises(Refused, match="trained on 3"):
        fitted.predict([np.eye(2)])
    assert fitted.predict([]) == []
