"""Each example's own cuts, wherever they lie: what is kept, dropped and moved takes all of itself along."""

from itertools import pairwise

import numpy as np
import pytest

from explorer.engine.dual.slots import (
    forget,
    join_cut,
    keep_massive,
    own_slots,
    room,
    space_for,
    with_space,
)
from explorer.engine.visits import Cache, cuts_in, empty_cache, owners

LENGTHS = np.array([2, 0, 3])


def spacious(few: int, most: int) -> Cache:
    cache = empty_cache(LENGTHS, few, most, dim=1)
    return with_space(cache, space_for(cache, np.repeat(np.arange(3), 20)))


def add(cache: Cache, i: int, alpha: float = 0.0, age: int = 0, number: int | None = None) -> None:
    """One more cut of example i; its labelling, loss and products tell its number."""
    assert room(cache, i)
    own = own_slots(cache, i)
    number = len(own.ids[: cache.held[i]]) if number is None else number
    q = join_cut(cache, i, own, float(number), number)
    own.alpha[q], own.age[q] = alpha, age
    own.labels[q] = number
    for r in range(q + 1):
        own.gram[q, r] = own.gram[r, q] = 11 * (own.ids[r] + number)


def consistent(cache: Cache, i: int) -> bool:
    m, own = int(cache.held[i]), own_slots(cache, i)
    ids = own.ids[:m]
    return (
        bool(np.all(own.labels[:m] == ids[:, None]))
        and np.array_equal(own.gram[:m, :m], 11.0 * np.add.outer(ids, ids))
        and np.array_equal(own.size[:m], ids)
    )


def numbers(cache: Cache, i: int) -> list[int]:
    return sorted(own_slots(cache, i).ids[: cache.held[i]].tolist())


def test_a_cut_without_mass_is_forgotten_after_its_time_and_takes_all_of_itself_along() -> None:
    cache = spacious(6, 6)
    for alpha, age in zip([0.0, 0.5, 0.0, 0.0, 0.2], [3, 3, 2, 0, 9], strict=True):
        add(cache, 0, alpha, age)
    forget(cache, 0, own_slots(cache, 0), 3)
    assert numbers(cache, 0) == [1, 2, 3, 4]
    own = own_slots(cache, 0)
    assert dict(zip(own.ids[:4].tolist(), own.age[:4].tolist(), strict=True)) == {1: 0, 2: 3, 3: 1, 4: 0}
    assert consistent(cache, 0)


def test_beyond_a_few_the_longest_idle_cut_makes_room_and_never_one_with_mass() -> None:
    cache = spacious(3, 4)
    for alpha, age in zip([0.0, 0.5, 0.0], [1, 0, 2], strict=True):
        add(cache, 0, alpha, age)
    assert room(cache, 0)
    assert numbers(cache, 0) == [0, 1]
    assert consistent(cache, 0)
    for _ in range(4):
        add(cache, 2, alpha=0.1)
    assert not room(cache, 2)
    assert numbers(cache, 2) == [0, 1, 2, 3]


def test_examples_that_grow_in_turns_keep_their_cuts_apart() -> None:
    cache, rng = spacious(64, 64), np.random.default_rng(0)
    for i in rng.permutation(np.repeat(np.arange(3), 20)):
        add(cache, int(i))
    assert cache.held.tolist() == [20, 20, 20]
    assert all(numbers(cache, i) == list(range(20)) and consistent(cache, i) for i in range(3))
    ends = sorted((cache.products_at[i], cache.products_at[i] + cache.room[i] ** 2) for i in range(3))
    assert all(one[1] <= other[0] for one, other in pairwise(ends))


def test_the_space_foreseen_is_enough_whatever_visits_find() -> None:
    rng = np.random.default_rng(1)
    for most in (1, 3, 8, 64):
        cache = empty_cache(LENGTHS, 1, most, dim=1)
        for _ in range(6):
            order = rng.integers(0, 3, rng.integers(1, 12))
            cache = with_space(cache, space_for(cache, order))
            for i in order:
                if room(cache, int(i)):
                    add(cache, int(i), alpha=1.0)
            assert np.all(cache.ends <= [len(cache.alpha), len(cache.gram), len(cache.labels)])
        assert cache.held.max() <= most
        assert all(consistent(cache, i) for i in range(3))


def test_moving_everything_together_changes_no_cut_and_leaves_no_hole() -> None:
    cache = spacious(64, 64)
    for i in (0, 2, 2, 0, 1, 2, 0):
        add(cache, i, alpha=float(i + 1))
    tight = with_space(cache, np.zeros(3, np.int64))
    # Three cuts need four slots, one needs two; beside them lay the two slots from before.
    assert tight.ends.tolist() == [4 + 2 + 4, 16 + 4 + 16, 4 * 2 + 4 * 3]
    assert np.all(tight.ends < cache.ends)
    assert tight.alpha[cuts_in(tight)].tolist() == cache.alpha[cuts_in(cache)].tolist()
    assert owners(tight).tolist() == [0, 0, 0, 1, 2, 2, 2]
    assert all(consistent(tight, i) for i in range(3))


@pytest.mark.parametrize("since", [0, 2, 5])
def test_of_new_cuts_only_those_with_mass_are_kept(since: int) -> None:
    cache = spacious(64, 64)
    for number, alpha in enumerate([0.0, 0.5, 0.0, 0.3, 0.0]):
        add(cache, 0, alpha, number=number)
    keep_massive(cache, since)
    old = [number for number in range(5) if number < since]
    assert numbers(cache, 0) == sorted({*old, 1, 3})
    assert consistent(cache, 0)
