"""Where each example keeps its own cuts: a few slots, moved to a wider place when they are not enough.

Most examples hold two or three cuts and some hold dozens, so every example has its own number of slots.
Masses, Gram matrices and labellings of all examples lie in common arrays (`visits.Cache`); an example whose
slots are full moves to the end of them and takes twice as many. `space_for` says how much that may need in a
pass, so that the arrays are made long enough before it and kernels never wait for memory. Where a cut lies
changes no result. Cost of a move: the numbers moved; making views of an example's slots costs as much as a
step, so a visit makes them once, and again after `room`.
"""

from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from explorer.engine.compiled import compiled
from explorer.engine.vectors import Array, Ints
from explorer.engine.visits import Cache, Labels, pools

USUAL = 8
"""There is space for so many cuts of every example from the beginning."""


class Own(NamedTuple):
    """The slots of one example, as views: row q of `labels` is the labelling of cut q."""

    alpha: Array
    size: Array
    age: Ints
    ids: Ints
    gram: Array
    labels: Labels


def own_slots(cache: Cache, i: int) -> Own:
    """The slots of example i, until they are moved.

    Strides are given because compiled `reshape` calls a function that costs as much as a step.
    """
    room, length = cache.room[i], cache.length[i]
    a, b = cache.cuts_at[i], cache.cuts_at[i] + room
    p, t = cache.products_at[i], cache.numbers_at[i]
    return Own(
        cache.alpha[a:b],
        cache.size[a:b],
        cache.age[a:b],
        cache.ids[a:b],
        as_strided(cache.gram[p : p + room * room], (room, room), (8 * room, 8)),
        as_strided(cache.labels[t : t + room * length], (room, length), (4 * length, 4)),
    )


own = compiled(own_slots)


@compiled
def join_cut(cache: Cache, i: int, mine: Own, size: float, number: int) -> int:
    """Give example i, which has room in its slots, one more cut without mass; returns its slot."""
    q = cache.held[i]
    cache.held[i] = q + 1
    mine.size[q], mine.alpha[q], mine.age[q], mine.ids[q] = size, 0.0, 0, number
    return int(q)


@compiled
def drop(cache: Cache, i: int, mine: Own, q: int) -> None:
    """Forget cut q of example i: its last cut takes the place."""
    last = cache.held[i] - 1
    cache.held[i] = last
    if q != last:
        mine.labels[q] = mine.labels[last]
        mine.size[q], mine.alpha[q] = mine.size[last], mine.alpha[last]
        mine.age[q], mine.ids[q] = mine.age[last], mine.ids[last]
        for r in range(last):
            mine.gram[q, r] = mine.gram[last, r]
            mine.gram[r, q] = mine.gram[last, r]
        mine.gram[q, q] = mine.gram[last, last]
    mine.alpha[last] = 0.0


@compiled
def forget(cache: Cache, i: int, mine: Own, keep: int) -> None:
    """One visit later: drop the cuts that had no mass in the last `keep` visits."""
    q = 0
    while q < cache.held[i]:
        mine.age[q] = 0 if mine.alpha[q] > 0.0 else mine.age[q] + 1
        if mine.age[q] > keep:
            drop(cache, i, mine, q)
        else:
            q += 1


@compiled
def keep_massive(cache: Cache, since: int) -> None:
    """Drop the cuts with a number from `since` on that have no mass."""
    for i in range(len(cache.held)):
        q, mine = 0, own(cache, i)
        while q < cache.held[i]:
            if mine.ids[q] >= since and mine.alpha[q] == 0.0:
                drop(cache, i, mine, q)
            else:
                q += 1


@compiled
def room(cache: Cache, i: int) -> bool:
    """Whether example i can take one more cut: beyond a few the longest idle one makes way, where there is
    one.
    """
    if cache.held[i] >= cache.few:
        oldest, mine = -1, own(cache, i)
        for q in range(cache.held[i]):
            if mine.alpha[q] == 0.0 and (oldest < 0 or mine.age[q] > mine.age[oldest]):
                oldest = q
        if oldest >= 0:
            drop(cache, i, mine, oldest)
            return True
    if cache.held[i] >= cache.most:
        return False
    if cache.held[i] == cache.room[i]:
        widen(cache, i)
    return True


@compiled
def widen(cache: Cache, i: int) -> None:
    """Move example i to the end of the arrays, with twice as many slots."""
    before, length = own(cache, i), cache.length[i]
    slots = min(max(2, 2 * cache.room[i]), cache.most)
    cache.room[i] = slots
    cache.cuts_at[i], cache.products_at[i], cache.numbers_at[i] = cache.ends[0], cache.ends[1], cache.ends[2]
    cache.ends[0] += slots
    cache.ends[1] += slots * slots
    cache.ends[2] += slots * length
    copy_cuts(before, own(cache, i), cache.held[i])


@compiled
def copy_cuts(before: Own, after: Own, count: int) -> None:
    """The first `count` cuts of one place to another."""
    for q in range(count):
        after.alpha[q], after.size[q] = before.alpha[q], before.size[q]
        after.age[q], after.ids[q] = before.age[q], before.ids[q]
        after.gram[q, :count] = before.gram[q, :count]
        after.labels[q] = before.labels[q]


@compiled
def copy_all(before: Cache, after: Cache) -> None:
    """All cuts of one cache to the places of another."""
    for i in range(len(before.held)):
        copy_cuts(own(before, i), own(after, i), before.held[i])


@compiled
def space_for(cache: Cache, order: Ints) -> Ints:
    """How many more cuts, products and numbers visits in this order can take, if every visit finds a cut."""
    more = np.zeros(len(cache.held), np.int64)
    for i in order:
        more[i] += 1
    found = np.zeros(3, np.int64)
    for i in range(len(more)):
        slots = cache.room[i]
        while more[i] > 0 and slots < min(cache.held[i] + more[i], cache.most):
            slots = min(max(2, 2 * slots), cache.most)
            found[0] += slots
            found[1] += slots * slots
            found[2] += slots * cache.length[i]
    return found


def with_space(cache: Cache, space: Ints) -> Cache:
    """The same slots without holes between them, with at least this much space after them."""
    tight = laid_out(cache, cache.held, cache.room, space)
    copy_all(cache, tight)
    return tight


def laid_out(cache: Cache, held: Ints, room: Ints, space: Ints) -> Cache:
    """The cache with these numbers of cuts, still blank, in these numbers of slots, and space after them."""
    parts = room, room * room, room * cache.length
    ends = np.array([np.sum(part) for part in parts], np.int64)
    usual = len(held) * USUAL, len(held) * USUAL**2, int(np.sum(cache.length)) * USUAL
    # Space takes no memory before it is used, and copying does: there is more of it than is asked for.
    cuts, products, numbers = (
        int(size) for size in ends + np.maximum(np.maximum(2 * ends, usual), 2 * space)
    )
    cuts_at, products_at, numbers_at = (np.cumsum(part) - part for part in parts)
    return cache._replace(
        held=held.copy(),
        room=room.copy(),
        cuts_at=cuts_at,
        products_at=products_at,
        numbers_at=numbers_at,
        ends=ends,
        **pools(cuts, products, numbers),
    )
