"""What is kept of every two clusters, against sums over their items."""

import numpy as np
import pytest

from explorer.engine.structures.clusterings.kernels.loss_values import (
    MITRE,
    NONE,
    NORMALISED,
    PAIRWISE,
    Stake,
    loss_from,
)
from explorer.engine.structures.clusterings.kernels.tables import (
    Merging,
    change,
    join,
    labels_after,
    part_change,
    single,
    slope_at,
)
from explorer.engine.structures.clusterings.partitions import canonical
from explorer.engine.vectors import Array, Ints
from tests.engine.structures.clusterings.oracles.figures import gaussian

TRUTH = np.array([0, 0, 1, 0, 2, 1, 2, 2, 3])


def stake_for(number: int) -> Stake:
    return Stake(number, TRUTH, np.bincount(TRUTH), 0.0, False, False)


def common_by_items(number: int, members: list[Ints], a: int, b: int) -> float:
    one, other = (np.bincount(TRUTH[members[c]], minlength=4) for c in (a, b))
    if number == MITRE:
        return float(np.count_nonzero((one > 0) & (other > 0)))
    return float(np.sum(one * other / (np.bincount(TRUTH) if number == NORMALISED else 1.0)))


def check(number: int, K: Array, g: Merging, names: Ints, count: int) -> None:
    alive = np.unique(names)
    assert np.array_equal(g.alive[:count], alive)
    members = [np.flatnonzero(names == c) for c in range(len(names))]
    assert g.now[0] == pytest.approx(sum(K[np.ix_(c, c)][np.triu_indices(len(c), 1)].sum() for c in members))
    for a in alive:
        assert g.size[a] == len(members[a])
        for b in alive:
            if a != b:
                assert g.cross[a, b] == pytest.approx(K[np.ix_(members[a], members[b])].sum())
                assert number == NONE or g.common[a, b] == pytest.approx(
                    common_by_items(number, members, a, b)
                )


@pytest.mark.parametrize("number", [NONE, PAIRWISE, MITRE, NORMALISED])
def test_tables_follow_merges(number: int) -> None:
    rng, K, stake = np.random.default_rng(number), gaussian(9, 0), stake_for(number)
    g, names, count = single(K, stake), np.arange(9), 9
    check(number, K, g, names, count)
    while count > 1:
        a, b = sorted(rng.choice(g.alive[:count], 2, replace=False))
        before = g.now[1]
        expected = before + part_change(stake, g, a, b)
        join(stake, g, count, a, b)
        count -= 1
        names[names == b] = a
        check(number, K, g, names, count)
        assert g.now[1] == pytest.approx(expected)


@pytest.mark.parametrize("number", [PAIRWISE, MITRE, NORMALISED])
def test_slopes_are_what_the_loss_gains_for_a_unit_of_the_part(number: int) -> None:
    stake = stake_for(number)
    for clusters in (9, 5, 2):
        rise = loss_from(stake, 3.0, clusters - 1) - loss_from(stake, 2.0, clusters - 1)
        assert slope_at(stake, clusters) == pytest.approx(rise)


def test_changes_of_the_part_by_hand() -> None:
    assert change(PAIRWISE, 2.0, 3, 2, 0.0, 0.0) == 2.0
    assert change(MITRE, 2.0, 3, 2, 0.0, 0.0) == -2.0
    assert change(NORMALISED, 0.5, 1, 1, 0.5, 0.5) == 0.0
    assert change(NONE, 2.0, 3, 2, 0.0, 0.0) == 0.0


def test_labels_follow_the_names_of_merged_clusters() -> None:
    ends = np.array([[3, 4], [1, 2], [1, 3]])
    assert np.array_equal(labels_after(6, ends), [0, 1, 1, 1, 1, 2])
    assert np.array_equal(labels_after(3, np.empty((0, 2), np.int64)), canonical(np.arange(3)))
