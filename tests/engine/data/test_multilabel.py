"""The two generated multi-label sets have the shares, feature counts and default losses that are printed."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.sparse import csr_array, issparse

from explorer.engine.contracts import Dataset
from explorer.engine.data.multilabel import different_numbers, label_set_data, synth1, synth2
from explorer.engine.refusals import Refused


def default_loss(train: Dataset, test: Dataset) -> float:
    """Per cent of labels that the best constant labelling of the training set gets wrong."""
    constant = np.asarray(train.labels).mean(axis=0) > 0.5
    return float(100.0 * np.mean(np.asarray(test.labels) != constant))


@pytest.mark.spec("D20")
def test_synth1_halves_from_label_to_label_and_sets_ten_features_for_each() -> None:
    train, test = synth1()
    y = np.asarray(test.labels)
    assert (len(train), len(test), train.inputs.shape[1]) == (471, 5045, 6000)
    assert y.mean(axis=0) == pytest.approx([1, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32], abs=0.02)
    assert (np.diff(y, axis=1) <= 0).all(), "no label is on after one that is off"
    for data in (train, test):
        owned = np.asarray([data.inputs[:, 1000 * u : 1000 * (u + 1)].sum(axis=1) for u in range(6)]).T
        assert np.array_equal(owned, 10 * np.asarray(data.labels))
        assert (data.inputs.data == 1.0).all()
    assert default_loss(train, test) == pytest.approx(16.1, abs=0.5)


def test_every_feature_of_synth1_is_as_likely_as_the_others() -> None:
    _, test = synth1(n=1)
    counts = test.inputs[:, :1000].sum(axis=0)
    assert counts.mean() == pytest.approx(50.45)
    assert counts.std() == pytest.approx(np.sqrt(50.45 * 0.99), rel=0.1)


@pytest.mark.spec("D21")
def test_synth2_has_one_label_each_and_four_features_for_every_step() -> None:
    train, test = synth2(constant=False)
    assert (len(train), len(test), train.inputs.shape[1]) == (1000, 10_000, 40)
    for data in (train, test):
        y, rows = np.asarray(data.labels), np.asarray(data.inputs)
        assert (y.sum(axis=1) == 1).all()
        assert np.array_equal(rows.sum(axis=1), 4 * (y.argmax(axis=1) + 1))
        assert set(np.unique(rows)) == {0.0, 1.0}
    assert np.asarray(test.labels).mean(axis=0) == pytest.approx(np.full(10, 0.1), abs=0.015)
    assert default_loss(train, test) == 10.0


def test_the_constant_feature_of_synth2_is_one_more_column() -> None:
    (with_it, _), (without, _) = synth2(n=50, n_test=1), synth2(n=50, n_test=1, constant=False)
    assert np.array_equal(with_it.inputs[:, :40], without.inputs)
    assert (with_it.inputs[:, 40] == 1.0).all()


def test_no_feature_of_synth2_tells_more_than_another() -> None:
    _, test = synth2(n=1)
    assert np.asarray(test.inputs)[:, :40].mean(axis=0) == pytest.approx(np.full(40, 0.55), abs=0.025)


def test_different_numbers_are_different_and_uniform() -> None:
    drawn = different_numbers(np.random.default_rng(0), 2500, 8, 3)
    assert all(len(set(row)) == 3 for row in drawn.tolist())
    assert np.bincount(drawn.ravel()) == pytest.approx(np.full(8, 2500 * 3 / 8), abs=5 * np.sqrt(940))


@pytest.mark.parametrize("make", [synth1, synth2], ids=["synth1", "synth2"])
def test_the_seed_decides_everything_and_nothing_can_be_written(
    make: Callable[..., tuple[Dataset, Dataset]],
) -> None:
    first, again, other = (make(20, 5, seed=seed)[0] for seed in (1, 1, 2))

    def rows(data: Dataset) -> np.ndarray:
        return data.inputs.toarray() if issparse(data.inputs) else np.asarray(data.inputs)

    assert np.array_equal(rows(first), rows(again))
    assert not np.array_equal(rows(first), rows(other))
    stored = first.inputs.data if issparse(first.inputs) else first.inputs
    assert not stored.flags.writeable
    assert not first.labels.flags.writeable


@pytest.mark.parametrize(
    ("inputs", "labels", "said"),
    [
        (np.ones((2, 3)), [[0, 1]], r"inputs of shape \(2, 3\) and labels of shape \(1, 2\) for 2 names"),
        (np.ones(2), [[0, 1]] * 2, r"inputs of shape \(2,\)"),
        (np.ones((2, 3)), [[0, 1], [0, 2]], "bad, example 1, label 1, is 2; a label is on"),
        (
            np.array([[0, 1], [np.nan, 0]]),
            [[0, 1]] * 2,
            "bad, example 1, has the feature value nan; give finite",
        ),
        (csr_array([[0, 1], [np.inf, 0]]), [[0, 1]] * 2, "bad, example 1, has the feature value inf"),
    ],
)
def test_what_does_not_fit_is_refused(inputs: object, labels: object, said: str) -> None:
    with pytest.raises(Refused, match=said):
        label_set_data("bad", inputs, labels, ("a", "b"))


def test_no_examples_are_refused() -> None:
    with pytest.raises(Refused, match="n is 0"):
        synth1(n=0)
