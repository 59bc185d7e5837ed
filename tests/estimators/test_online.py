"""Learning from a stream: by hand on two examples, and in parts of any size."""

import numpy as np
import pytest
from sklearn.base import clone

from explorer.engine.refusals import Refused
from explorer.estimators.chains import SequenceTagger
from explorer.estimators.classes import StructuredClassifier
from explorer.estimators.models import load, model_bytes
from explorer.estimators.text_features import TextFeatures
from tests.estimators.samples import SENTENCES, TAGS, points, same, samples

SAMPLES = samples()


def test_two_examples_by_hand() -> None:
    """x = 1 of class 0, then x = 2 of class 1: psi = (x, -x) or its opposite, loss 1, |psi|^2 = 2 x^2.

    At w = 0 the first asks for tau = 1 / 2: w = (1/2, -1/2). Then class 0 scores 1 and class 1 scores -1: the
    violation is 1 + 2 = 3, |psi|^2 = 8, tau = 3/8: w = (1/2, -1/2) + 3/8 (-2, 2) = (-1/4, 1/4). The mean of
    both is (1/8, -1/8).
    """
    made = StructuredClassifier().partial_fit([[1.0], [2.0]], [0, 1])
    assert made.weights_ == pytest.approx([0.125, -0.125])
    capped = StructuredClassifier(C_per_example=0.25).partial_fit([[1.0], [2.0]], [0, 1])
    # tau is 1/4 both times: (1/4, -1/4), then (1/4, -1/4) + 1/4 (-2, 2) = (-1/4, 1/4); the mean is 0.
    assert capped.weights_ == pytest.approx([0.0, 0.0])


@pytest.mark.parametrize("name", sorted(set(SAMPLES) - {"trees"}))
def test_parts_of_any_size_give_what_all_examples_at_once_give(name: str) -> None:
    estimator, X, y = SAMPLES[name]
    if name in ("chains", "chains-words", "trees-plain"):  # columns are those of the first part
        X, y = [*X, *X], [*y, *y]
        cuts = [(0, len(X) // 2), (len(X) // 2, len(X))]
    else:
        cuts = [(0, len(X) - 1), (len(X) - 1, len(X))]
    whole, parts = clone(estimator).partial_fit(X, y), clone(estimator)
    for lo, hi in cuts:
        parts.partial_fit(X[lo:hi], y[lo:hi])
    assert parts.weights_ == pytest.approx(whole.weights_, abs=1e-12)
    assert parts.n_iter_ == len(cuts)
    assert "nothing is proved" in parts.certificate_.words
    assert same(load(model_bytes(parts)).predict(X), parts.predict(X))


def test_a_stream_of_sentences_is_learned_with_hashed_features() -> None:
    tagger = SequenceTagger(features=TextFeatures(buckets=512))
    for _ in range(5):
        for text, tags in zip(SENTENCES, TAGS, strict=True):
            tagger.partial_fit([text.split()], [tags.split()], classes=["L", "O", "P"])
    assert tagger.score([text.split() for text in SENTENCES], [tags.split() for tags in TAGS]) == 1.0


def test_a_fit_can_be_gone_on_from_and_begun_again() -> None:
    X, y = points()
    fitted = StructuredClassifier(C=10.0).fit(X, y)
    before = fitted.weights_.copy()
    fitted.partial_fit(X[:3], y[:3])
    assert not np.array_equal(fitted.weights_, before)
    assert np.array_equal(fitted.fit(X, y).weights_, before)
    again = StructuredClassifier(C=10.0).fit(X, y).partial_fit(X[:3], y[:3])
    assert np.array_equal(fitted.partial_fit(X[:3], y[:3]).weights_, again.weights_)


def test_what_does_not_fit_what_was_seen_before_is_refused() -> None:
    X, y = points()
    fitted = StructuredClassifier(C=10.0).fit(X, y)
    with pytest.raises(Refused, match="violet"):
        fitted.partial_fit(X[:1], ["violet"])
    with pytest.raises(ValueError, match="3 features"):
        fitted.partial_fit(X[:1, :3], y[:1])
    estimator, X, y = SAMPLES["trees"]
    with pytest.raises(Refused, match="kernel"):
        clone(estimator).partial_fit(X, y)
