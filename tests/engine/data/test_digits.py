"""Digits alone and in words, against scikit-learn's own arrays."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from explorer.engine.data.digits import digit_words, digits, grammar
from explorer.engine.refusals import Refused


def test_the_first_rows_train_and_the_rest_test_in_stored_order() -> None:
    train, test = digits()
    stored = load_digits()
    assert np.array_equal(np.concatenate([train.labels, test.labels]), stored.target)
    assert np.array_equal(np.concatenate([train.inputs, test.inputs])[:, :64] * 16, stored.data)
    assert (len(train), len(test)) == (1200, 597)


def test_pixels_lie_between_zero_and_one_and_the_last_feature_is_one() -> None:
    x = np.asarray(digits()[0].inputs)
    assert x.shape == (1200, 65)
    assert (x.min(), x.max()) == (0.0, 1.0)
    assert (x[:, 64] == 1.0).all()
    assert np.shape(digits(bias=False)[0].inputs) == (1200, 64)


def test_a_seed_shuffles_without_losing_an_image() -> None:
    train, test = digits(seed=1)
    together = np.concatenate([train.meta["images"], test.meta["images"]])
    assert sorted(together) == list(range(1797))
    assert not np.array_equal(together, np.arange(1797))


@pytest.mark.parametrize("n", [0, 1797])
def test_a_split_that_leaves_one_side_empty_is_refused(n: int) -> None:
    with pytest.raises(Refused, match=f"n is {n}"):
        digits(n=n)


def test_words_have_the_asked_lengths_and_show_their_digits() -> None:
    stored = load_digits()
    for data, n in zip(digit_words(), (200, 100), strict=True):
        assert len(data) == n
        assert {len(y) for y in data.labels} == {4, 5, 6, 7, 8, 9}
        for x, y, image in zip(data.inputs, data.labels, data.meta["images"], strict=True):
            assert np.array_equal(x * 16, stored.data[image])
            assert np.array_equal(y, stored.target[image])


def test_train_and_test_words_share_no_image() -> None:
    train, test = digit_words(n=400, n_test=400)
    seen, unseen = ({row for word in data.meta["images"] for row in word.tolist()} for data in (train, test))
    assert not seen & unseen
    pixels = [{row.tobytes() for word in data.inputs for row in word} for data in (train, test)]
    assert not pixels[0] & pixels[1]


def test_the_grammar_is_a_distribution_with_three_likely_successors() -> None:
    rows = grammar()
    assert rows.sum(axis=1) == pytest.approx(np.ones(10), abs=1e-12)
    assert rows.sum(axis=0) == pytest.approx(np.ones(10), abs=1e-12)
    assert (rows[4, 5], rows[4, 7], rows[4, 1]) == (0.50, 0.25, 0.15)
    assert rows[9, 0] == 0.50


def test_words_follow_the_grammar() -> None:
    train, _ = digit_words(n=3000, n_test=1)
    count = np.zeros((10, 10))
    for y in train.labels:
        np.add.at(count, (y[:-1], y[1:]), 1)
    assert count / count.sum(axis=1, keepdims=True) == pytest.approx(train.meta["grammar"], abs=0.05)


def test_noise_has_the_asked_standard_deviation() -> None:
    noisy, _ = digit_words(noise=0.3, seed=4)
    stored = load_digits().data / 16
    rest = np.concatenate(
        [x - stored[image] for x, image in zip(noisy.inputs, noisy.meta["images"], strict=True)]
    )
    assert rest.std() == pytest.approx(0.3, rel=0.02)


def test_noise_changes_neither_digits_nor_images() -> None:
    clean, noisy = digit_words(n=20, n_test=20)[0], digit_words(n=20, n_test=20, noise=0.3)[0]
    assert [y.tolist() for y in clean.labels] == [y.tolist() for y in noisy.labels]


def test_words_without_letters_are_refused() -> None:
    with pytest.raises(Refused, match="length is"):
        digit_words(length=(0, 4))
