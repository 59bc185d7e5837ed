"""Marbles: a classifier cuts new colours in half, a similarity of pairs does not."""

import numpy as np
import pytest

from explorer.engine.data.marbles import hue_difference, marbles, nearest_centre, nearest_class
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.item_sets import similarity
from explorer.engine.structures.clusterings.losses import Normalised
from explorer.engine.structures.clusterings.partitions import pair_vector, together


@pytest.mark.spec("C35")
@pytest.mark.parametrize("seed", range(5))
def test_a_classifier_of_single_marbles_cuts_each_new_group_in_half(seed: int) -> None:
    train, test = marbles(n_test=10, per_group=40, seed=seed)
    lost = [Normalised().value(y, z) for y, z in zip(test.labels, nearest_class(train, test), strict=True)]
    assert np.mean(lost) == pytest.approx(50.0, abs=5.0)
    known = nearest_class(train, train)
    assert [Normalised().value(y, z) for y, z in zip(train.labels, known, strict=True)] == pytest.approx(
        [0.0] * 5
    )


@pytest.mark.spec("C35")
@pytest.mark.parametrize("seed", range(5))
def test_alikeness_in_hue_has_no_loss_in_either_colours(seed: int) -> None:
    # Pairs nearer than 60 degrees are positive, others negative: the truth takes every positive pair and no
    # other, so no
    # clustering has a higher score.
    w = np.array([1.0, 0.0, 0.0, 0.0, 1.0])
    for data in marbles(seed=seed):
        for x, y in zip(data.inputs, data.labels, strict=True):
            assert np.array_equal(pair_vector(similarity(x, w)) > 0.0, together(y) > 0.0)


def test_hues_differ_by_the_shorter_way_around_the_wheel() -> None:
    assert hue_difference(np.array([350.0, 10.0, 180.0])).tolist() == [20.0, 170.0, 170.0]
    assert nearest_centre(np.array([350.0, 61.0, 60.0]), np.array([0.0, 120.0, 240.0])).tolist() == [0, 1, 0]


def test_sets_hold_as_many_marbles_of_each_colour_and_their_features() -> None:
    train, test = marbles(n=2, n_test=3, per_group=7, nearest=True)
    assert (len(train), len(test)) == (2, 3)
    x = train.inputs[0]
    assert (x.m, x.widths, x.groups) == (21, (3, 0, 5), 3)
    assert np.array_equal(np.bincount(train.labels[0]), [7, 7, 7])
    assert len(train.meta["features"]) == x.dim == 8
    assert x.place.shape == (21, 2)
    assert set(x.names) == {"red", "green", "blue"}
    assert set(test.inputs[0].names) == {"yellow", "cyan", "magenta"}
    first = pair_vector(similarity(x, np.eye(8)[3]))
    assert first == pytest.approx(-hue_difference(train.meta["hues"][0]) / 60.0)
    assert marbles()[0].inputs[0].widths == (0, 0, 5)


def test_the_same_seed_gives_the_same_marbles() -> None:
    first, again = (marbles(seed=2)[1] for _ in range(2))
    assert np.array_equal(first.inputs[0].pairs, again.inputs[0].pairs)
    assert not np.array_equal(first.inputs[0].pairs, marbles(seed=3)[1].inputs[0].pairs)


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(Refused, match="choose at least 1 of each"):
        marbles(n=0)
    with pytest.raises(Refused, match="beyond 20 degrees groups run into each other"):
        marbles(spread=40.0)
