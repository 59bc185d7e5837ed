"""Synth: sizes, active features, and how often a pair lands in its own region."""

from itertools import combinations_with_replacement
from math import comb

import numpy as np
import pytest

from explorer.engine.data.cluster_synth import feature_names, make_synth, region_of, subsets
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.losses import Normalised


@pytest.mark.spec("C42")
def test_the_sizes_are_those_of_the_source() -> None:
    data = make_synth()
    assert len(data) == 5
    for x, y in zip(data.inputs, data.labels, strict=True):
        assert (x.m, x.dim, x.groups) == (100, 750, 5)
        assert x.pairs.shape == (4950, 750)
        assert np.array_equal(np.bincount(y), [20] * 5)
    assert len(set(data.meta["features"])) == 750


@pytest.mark.spec("C42")
def test_every_pair_turns_on_exactly_five_features_of_one_region() -> None:
    for x in make_synth(noise=0.2).inputs:
        assert np.array_equal(np.diff(x.pairs.indptr), np.full(4950, 5))
        assert (x.pairs.data == 1.0).all()
        columns = x.pairs.indices.reshape(-1, 5)
        assert (np.diff(columns, axis=1) > 0).all()
        assert np.array_equal(columns[:, 0] // 50, columns[:, -1] // 50)


@pytest.mark.spec("C42")
@pytest.mark.parametrize(("noise", "share"), [(0.2, 0.7056), (0.48, (1 - 0.48 * 0.8) ** 2), (0.0, 1.0)])
def test_a_pair_is_in_its_own_region_as_often_as_the_noise_says(noise: float, share: float) -> None:
    data, right = make_synth(sets=10, noise=noise, seed=1), []
    i, j = np.triu_indices(100, 1)
    for x, identity in zip(data.inputs, data.meta["identities"], strict=True):
        seen = x.pairs.indices[::5] // 50
        right.append(seen == region_of(identity[i], identity[j], 5))
    assert np.mean(right) == pytest.approx(share, abs=0.01)


def test_regions_number_the_unordered_pairs_of_clusters() -> None:
    pairs = np.array(list(combinations_with_replacement(range(5), 2)))
    assert np.array_equal(region_of(pairs[:, 0], pairs[:, 1], 5), np.arange(15))
    assert np.array_equal(region_of(pairs[:, 1], pairs[:, 0], 5), np.arange(15))
    assert feature_names(5, 50)[50 * 6] == "2-3 #1"


def test_all_subsets_of_features_are_equally_likely() -> None:
    drawn = subsets(np.random.default_rng(0), 40_000, 6, 3)
    assert all(len(set(row)) == 3 for row in drawn[:100].tolist())
    _, counts = np.unique(np.sort(drawn, axis=1), axis=0, return_counts=True)
    assert len(counts) == comb(6, 3)
    assert counts == pytest.approx(np.full(20, 2000.0), abs=250)


def test_clusters_keep_their_identity_from_set_to_set() -> None:
    data = make_synth(noise=0.0, sets=2)
    for x, identity in zip(data.inputs, data.meta["identities"], strict=True):
        i, j = np.triu_indices(100, 1)
        own = (identity[i] == 2) & (identity[j] == 2)
        columns = x.pairs[np.flatnonzero(own)].indices
        assert {data.meta["features"][c].split()[0] for c in columns} == {"3-3"}


@pytest.mark.spec("C11")
def test_clusterings_by_chance_lose_77_in_a_hundred() -> None:
    data, rng = make_synth(sets=1), np.random.default_rng(0)
    lost = [Normalised().value(data.labels[0], rng.permutation(data.labels[0])) for _ in range(300)]
    assert np.mean(lost) == pytest.approx(76.7, abs=1.0)


def test_the_same_seed_gives_the_same_sets_and_another_seed_others() -> None:
    first, again, other = (make_synth(sets=2, per_group=5, seed=seed) for seed in (3, 3, 4))
    assert np.array_equal(first.inputs[1].pairs.indices, again.inputs[1].pairs.indices)
    assert np.array_equal(first.labels[1], again.labels[1])
    assert not np.array_equal(first.inputs[1].pairs.indices, other.inputs[1].pairs.indices)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"active": 51}, "active is 51 of only 50 features; choose at most 50"),
        ({"noise": 1.5}, "noise is 1.5; it is a probability"),
        ({"groups": 0}, "choose 1 or more of each"),
        ({"per_group": 2000}, "have .* pairs; make fewer or smaller sets"),
    ],
)
def test_impossible_sets_are_refused(asked: dict[str, float], said: str) -> None:
    with pytest.raises(Refused, match=said):
        make_synth(**asked)
