"""The block generator against the statistics of its publication."""

from typing import Any

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.data.blocks import NOISE, block_labels, blocks, flip_mask
from explorer.engine.refusals import Refused


def joined(data: tuple[Dataset, Dataset]) -> tuple[Any, Any, Any]:
    """All inputs (N, F), labels (N,) and flips (N, F) of train and test together."""
    x, y = (
        np.concatenate([*getattr(data[0], name), *getattr(data[1], name)]) for name in ("inputs", "labels")
    )
    flips = np.concatenate([part.meta["flips"].reshape(-1, x.shape[1]) for part in data])
    return x, y, flips


def runs(labels: Any) -> list[int]:
    """Lengths of the stretches of 1."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], labels, [0]])))
    return list(edges[1::2] - edges[::2])


def test_the_default_shapes_are_those_of_the_thesis() -> None:
    train, test = blocks()
    assert (len(train), len(test)) == (100, 100)
    assert {x.shape for x in train.inputs} == {x.shape for x in test.inputs} == {(250, 10)}
    assert train.meta["states"] == ("-", "+")


@pytest.mark.spec("A35")
@pytest.mark.parametrize("seed", range(5))
def test_the_positive_share_is_that_of_the_thesis(seed: int) -> None:
    _, y, _ = joined(blocks(seed=seed))
    assert 0.36 <= y.mean() <= 0.45


@pytest.mark.spec("A35")
@pytest.mark.parametrize("share", [0.0, 0.1, 0.2, 0.3, 0.4, 0.123456])
def test_every_feature_has_exactly_the_rounded_number_of_flips(share: float) -> None:
    _, y, flips = joined(blocks(distortion=share))
    assert flips.shape == (50_000, 10)
    assert flips.sum(axis=0).tolist() == [round(50_000 * share)] * 10
    assert len(y) == 50_000


def test_features_are_flipped_independently() -> None:
    mask = flip_mask(np.random.default_rng(0), 50_000, 2, 0.2)
    assert np.mean(mask[:, 0] & mask[:, 1]) == pytest.approx(0.04, abs=0.005)


def test_a_feature_is_the_sign_of_its_label_turned_where_flipped_plus_noise() -> None:
    x, y, flips = joined(blocks(distortion=0.3, noise_features=0))
    rest = x - np.where(flips, -1.0, 1.0) * np.where(y == 1, 1.0, -1.0)[:, None]
    assert rest.mean(axis=0) == pytest.approx(np.zeros(10), abs=0.1)
    assert rest.std(axis=0) == pytest.approx(np.full(10, NOISE), rel=0.02)
    turned = [x[flips & (y == state)[:, None]].mean() for state in (0, 1)]
    assert turned == pytest.approx([1.0, -1.0], abs=0.1)


def test_only_the_last_features_are_nothing_but_noise() -> None:
    x, y, _ = joined(blocks(distortion=0.0, noise_features=3))
    difference = x[y == 1].mean(axis=0) - x[y == 0].mean(axis=0)
    assert difference == pytest.approx([2.0] * 7 + [0.0] * 3, abs=0.2)
    assert x[:, 7:].std(axis=0) == pytest.approx(np.full(3, 4.0), rel=0.02)


def test_no_sequence_begins_or_ends_with_plus() -> None:
    for data in blocks(seed=3):
        assert all(y[0] == y[-1] == 0 for y in data.labels)


def test_a_single_block_has_one_position_more_than_it_drew() -> None:
    rng = np.random.default_rng(0)
    lengths = [runs(block_labels(rng, 250, (10, 100), (1, 2))) for _ in range(3000)]
    assert all(len(found) == 1 for found in lengths)
    flat = np.ravel(lengths)
    assert (flat.min(), flat.max()) == (11, 100)
    assert flat.mean() == pytest.approx(55.5, abs=1.5)


def test_the_number_of_blocks_ends_before_its_upper_limit() -> None:
    rng = np.random.default_rng(0)
    counts = [len(runs(block_labels(rng, 10_000, (1, 2), (0, 6)))) for _ in range(600)]
    assert set(counts) == {0, 1, 2, 3, 4, 5}


@pytest.mark.parametrize("length", [20, 50, 100])
def test_short_sequences_get_short_blocks_and_as_many_plus(length: int) -> None:
    data = blocks(n=300, n_test=300, length=length, features=1, noise_features=0)
    assert 0.33 <= joined(data)[1].mean() <= 0.45


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"noise_features": 11}, "noise_features is 11"),
        ({"distortion": 1.5}, "distortion is 1.5"),
        ({"distortion": float("nan")}, "distortion is nan"),
        ({"block_length": (10, 10)}, "block_length"),
        ({"block_count": (3, 2)}, "block_count"),
        ({"length": 2, "block_count": (3, 4)}, "no room"),
    ],
)
def test_impossible_settings_are_refused(settings: dict[str, Any], reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        blocks(**{"n": 2, "n_test": 2, **settings})
