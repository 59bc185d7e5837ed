"""Adding and cutting links, against losses and trees made anew for every move."""

from itertools import combinations

import numpy as np
import pytest

from explorer.engine.structures.clusterings.kernels.link_moves import (
    best_addition,
    best_climb,
    best_links,
    best_removal,
    climb,
    forest_of,
    in_common,
    least_near,
    losses_of,
    merger,
    part_of,
    part_off,
    renumber,
)
from explorer.engine.structures.clusterings.kernels.loss_values import (
    MITRE,
    NORMALISED,
    PAIRWISE,
    Stake,
    loss_from,
)
from explorer.engine.structures.clusterings.losses import Mitre, Normalised, Pairwise
from explorer.engine.structures.clusterings.partitions import all_partitions, canonical
from explorer.engine.vectors import Array, Ints

TRUTH = np.array([0, 0, 1, 0, 2, 1, 2])
LOSSES = {PAIRWISE: Pairwise(), MITRE: Mitre(), NORMALISED: Normalised()}
CASES = [
    (number, slack, squared) for number in LOSSES for slack in (False, True) for squared in (False, True)
]


def stake_for(number: int, slack: bool = False, squared: bool = False) -> Stake:
    return Stake(number, TRUTH, np.bincount(TRUTH), 0.7, slack, squared)


def symmetric(rng: np.random.Generator, m: int) -> Array:
    half = np.triu(rng.normal(size=(m, m)), 1)
    return half + half.T


def priced_by_hand(stake: Stake, score: float, labels: Ints) -> float:
    """H from its definition."""
    loss = max(0.0, LOSSES[stake.loss].value(TRUTH, canonical(labels)))
    r = np.sqrt(loss) if stake.squared and loss > 1e-9 else loss
    return r * (1.0 - stake.score + score) if stake.slack else r - stake.score + score


def score_of(K: Array, parent: Ints) -> float:
    return float(sum(K[i, p] for i, p in enumerate(parent) if p >= 0))


def hangs_on(parent: Ints, i: int, top: int) -> bool:
    while i not in (top, -1):
        i = parent[i]
    return i == top


def additions(K: Array, stake: Stake, labels: Ints, score: float) -> dict[tuple[int, int], float]:
    """H of every two clusters joined by their best link."""
    out = {}
    for c, d in combinations(range(labels.max() + 1), 2):
        link = K[np.ix_(labels == c, labels == d)].max()
        out[c, d] = priced_by_hand(stake, score + link, np.where(labels == d, c, labels))
    return out


def removals(K: Array, stake: Stake, labels: Ints, parent: Ints) -> dict[int, float]:
    """H of every link cut."""
    out = {}
    for item in np.flatnonzero(parent >= 0):
        off = [hangs_on(parent, i, item) for i in range(len(K))]
        score = score_of(K, parent) - K[item, parent[item]]
        out[int(item)] = priced_by_hand(stake, score, np.where(off, len(K), labels))
    return out


@pytest.mark.parametrize("number", LOSSES)
def test_the_part_of_a_partition_makes_its_loss(number: int) -> None:
    partitions = np.array(list(all_partitions(7))[::17])
    stake = stake_for(number)
    expected = [LOSSES[number].value(TRUTH, labels) for labels in partitions]
    made = [loss_from(stake, part_of(stake, y, y.max() + 1), y.max() + 1) for y in partitions]
    assert made == pytest.approx(expected, abs=1e-10)
    assert losses_of(stake, partitions) == pytest.approx(expected, abs=1e-10)


def test_what_two_sets_have_in_common_depends_on_the_loss() -> None:
    a, b = np.array([2, 0, 1]), np.array([1, 1, 1])
    assert [in_common(stake_for(number), a, b) for number in LOSSES] == pytest.approx(
        [3.0, 2.0, 2 / 3 + 1 / 2]
    )
    assert in_common(stake_for(NORMALISED), a, a) == pytest.approx(4 / 3 + 1 / 2)


@pytest.mark.parametrize("number", LOSSES)
def test_a_merger_changes_the_part_as_two_partitions_differ(number: int) -> None:
    stake, apart, one = stake_for(number), np.array([0, 0, 0, 1, 1, 1, 2]), np.array([0, 0, 0, 0, 0, 0, 1])
    a, b = np.bincount(TRUTH[:3], minlength=3), np.bincount(TRUTH[3:6], minlength=3)
    assert merger(stake, a, b, 3, 3) == pytest.approx(part_of(stake, one, 2) - part_of(stake, apart, 3))


def test_counts_are_those_of_all_items_that_hang_on_an_item() -> None:
    rng = np.random.default_rng(0)
    labels = np.array([0, 0, 1, 0, 1, 0, 2])
    g = forest_of(symmetric(rng, 7), stake_for(PAIRWISE), labels, 3)
    assert g.roots.tolist() == [0, 2, 6]
    for top in range(7):
        off = [i for i in range(7) if hangs_on(g.parent, i, top)]
        assert g.size[top] == len(off)
        assert g.below[top].tolist() == np.bincount(TRUTH[off], minlength=3).tolist()


def test_best_links_join_clusters_by_their_most_similar_items() -> None:
    K, labels = symmetric(np.random.default_rng(1), 7), np.array([0, 1, 0, 2, 2, 1, 0])
    found = best_links(K, labels, 3)
    for c in range(3):
        for d in range(3):
            expected = -np.inf if c == d else K[np.ix_(labels == c, labels == d)].max()
            assert found[c, d] == expected


def test_a_cluster_is_near_to_as_many_as_asked_and_to_all_where_there_are_fewer() -> None:
    links = np.array(
        [
            [-np.inf, 3.0, 1.0, 3.0],
            [3.0, -np.inf, 0.0, 2.0],
            [1.0, 0.0, -np.inf, 5.0],
            [3.0, 2.0, 5.0, -np.inf],
        ]
    )
    for near in (1, 2, 4, 9):
        assert least_near(links, near).tolist() == np.sort(links, axis=1)[:, -near:][:, 0].tolist()
    assert least_near(np.full((1, 1), -np.inf), 4).tolist() == [-np.inf]


@pytest.mark.parametrize(("number", "slack", "squared"), CASES)
def test_the_best_moves_are_those_of_trying_all(number: int, slack: bool, squared: bool) -> None:
    rng, stake = np.random.default_rng(number), stake_for(number, slack, squared)
    for _ in range(5):
        K, labels = 3.0 * symmetric(rng, 7), canonical(rng.integers(0, 4, 7))
        k = int(labels.max()) + 1
        g = forest_of(K, stake, labels, k)
        now = (score_of(K, g.parent), part_of(stake, labels, k))
        joined, cut = additions(K, stake, labels, now[0]), removals(K, stake, labels, g.parent)
        c, d, up = best_addition(K, stake, labels, g, now, -np.inf, 7)
        assert up == pytest.approx(max(joined.values())) == pytest.approx(joined[c, d])
        item, up = best_removal(K, stake, labels, g, now, -np.inf)
        assert up == pytest.approx(max(cut.values())) == pytest.approx(cut[item])
        assert best_addition(K, stake, labels, g, now, 1e9, 7) == (-1, -1, 1e9)
        assert best_removal(K, stake, labels, g, now, 1e9) == (-1, 1e9)


def test_clusters_are_tried_with_near_ones_only() -> None:
    # 0 and 1 are each other's nearest, as are 2 and 3; the joins between them are not looked at.
    K = np.array([[0.0, 5.0, 1.0, 1.0], [5.0, 0.0, 1.0, 1.0], [1.0, 1.0, 0.0, 4.0], [1.0, 1.0, 4.0, 0.0]])
    truth = np.array([0, 0, 1, 1])
    stake = Stake(PAIRWISE, truth, np.bincount(truth), 0.0, False, False)
    g = forest_of(K, stake, np.arange(4), 4)
    now = (0.0, part_of(stake, np.arange(4), 4))
    # Of all joins 0 with 2 has the largest H: 50 + 1 against 100 / 6 + 5.
    assert best_addition(K, stake, np.arange(4), g, now, -np.inf, 4) == (0, 2, pytest.approx(51.0))
    assert best_addition(K, stake, np.arange(4), g, now, -np.inf, 1) == (
        0,
        1,
        pytest.approx(100.0 / 6.0 + 5.0),
    )


def test_clusters_are_numbered_by_first_appearance() -> None:
    labels = np.array([4, 1, 4, 5, 1, 0])
    assert renumber(labels) == 4
    assert labels.tolist() == canonical([4, 1, 4, 5, 1, 0]).tolist()


def test_a_cut_takes_along_all_that_hangs_on_the_item() -> None:
    K = -np.abs(
        np.subtract.outer(np.arange(7.0), np.arange(7.0))
    )  # a path: each item hangs on the one before
    labels = np.zeros(7, dtype=np.int64)
    part_off(forest_of(K, stake_for(PAIRWISE), labels, 1), 4, labels)
    assert labels.tolist() == [0, 0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(("number", "slack", "squared"), CASES)
def test_a_climb_ends_where_no_move_helps_with_the_value_of_its_forest(
    number: int, slack: bool, squared: bool
) -> None:
    rng, stake = np.random.default_rng(10 + number), stake_for(number, slack, squared)
    for _ in range(3):
        K, labels = 5.0 * symmetric(rng, 7), canonical(rng.integers(0, 4, 7))
        start = labels.copy()
        value = climb(K, stake, labels, 7)
        parent = forest_of(K, stake, labels, labels.max() + 1).parent
        score = score_of(K, parent)
        assert value == pytest.approx(priced_by_hand(stake, score, labels))
        begun = score_of(K, forest_of(K, stake, start, start.max() + 1).parent)
        assert value >= priced_by_hand(stake, begun, start) - 1e-9
        for there in [
            *additions(K, stake, labels, score).values(),
            *removals(K, stake, labels, parent).values(),
        ]:
            assert there <= value + 1e-8


def test_the_first_of_equal_climbs_is_the_best_one() -> None:
    K, stake = 5.0 * symmetric(np.random.default_rng(3), 7), stake_for(PAIRWISE)
    starts = np.array([np.arange(7), TRUTH, np.arange(7), TRUTH])
    ends = starts.copy()
    values = [climb(K, stake, labels, 4) for labels in ends]
    first, most = best_climb(K, stake, starts, 4)
    assert (first, most) == (int(np.argmax(values)), max(values))
    assert np.array_equal(starts, ends)


def test_a_single_item_stays_where_it_is() -> None:
    one = np.zeros(1, dtype=np.int64)
    stake = Stake(PAIRWISE, one, np.ones(1, dtype=np.int64), 0.0, False, False)
    assert climb(np.zeros((1, 1)), stake, one.copy(), 4) == 0.0
