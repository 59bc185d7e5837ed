"""Broken triangles and stars, against every triple and against what they say."""

from itertools import permutations

import numpy as np
import pytest

from explorer.engine.structures.clusterings.kernels.triangles import (
    broken_stars,
    broken_triangles,
    choose,
    grow_star,
)
from explorer.engine.structures.clusterings.partitions import all_partitions, pair_matrix, together
from explorer.engine.vectors import Array


def shares(m: int, seed: int) -> Array:
    values = np.random.default_rng(seed).random(m * (m - 1) // 2)
    return pair_matrix(np.round(values * 4.0) / 4.0, m, 1.0)


def test_broken_triangles_are_those_of_the_definition() -> None:
    for m, seed in ((2, 0), (3, 1), (3, 2), (6, 3), (7, 4)):
        e = shares(m, seed)
        excess = {
            (i, j, k): e[i, j] + e[i, k] - e[j, k] - 1.0 for i, j, k in permutations(range(m), 3) if j < k
        }
        triples, by = broken_triangles(e, 1e-6)
        assert len({(int(t[0]), *map(int, t[1:])) for t in triples}) == len(triples)
        assert {(int(t[0]), *sorted(map(int, t[1:]))) for t in triples} == {
            t for t, x in excess.items() if x > 1e-6
        }
        for (i, j, k), x in zip(triples, by, strict=True):
            assert x == pytest.approx(e[i, j] + e[i, k] - e[j, k] - 1.0)


def test_chosen_triangles_share_no_pair_too_often() -> None:
    triples, by = broken_triangles(np.where(np.eye(8) > 0, 1.0, shares(8, 5)), 1e-6)
    order = np.argsort(-by, kind="stable")
    for most in (1, 2):
        uses = np.zeros((8, 8), int)
        chosen = choose(triples, order, 8, most)
        for i, j, k in triples[chosen]:
            for a, b in ((i, j), (i, k), (j, k)):
                uses[min(a, b), max(a, b)] += 1
        assert uses.max() <= most
        assert chosen[0] == order[0]
    assert len(choose(triples, order, 8, 100)) == len(triples)


def star_side(e: Array, i: int, T: Array) -> float:
    a, b = np.triu_indices(len(T), 1)
    return float(e[i, T].sum() - e[T[a], T[b]].sum())


def test_stars_are_broken_as_they_say_and_hold_for_every_clustering() -> None:
    e = pair_matrix(np.array([0.5, 0.5, 0.5, 0.0, 0.0, 0.0]), 4, 1.0)
    rows, by = broken_stars(e, 1e-3)
    assert len(rows)
    assert rows[0].tolist() == [0, 3, 1, 2, 3, -1]
    assert by[0] == pytest.approx(0.5)
    for seed in range(4):
        e = shares(6, seed)
        rows, by = broken_stars(e, 1e-3)
        for row, x in zip(rows, by, strict=True):
            T = row[2 : row[1] + 2]
            assert star_side(e, row[0], T) == pytest.approx(1.0 + x)
            assert all(
                star_side(pair_matrix(together(y), 6, 1.0), row[0], T) <= 1.0 for y in all_partitions(6)
            )


def test_a_star_grows_by_the_item_that_adds_most() -> None:
    e = pair_matrix(np.array([0.5, 0.4, 0.6, 0.0, 0.3, 0.0]), 4, 1.0)
    inside, free = np.empty(4, np.int64), np.empty(4)
    size, total = grow_star(e, 0, 1, inside, free)
    assert inside[:size].tolist() == [1, 2, 3]
    assert total == pytest.approx(0.5 + 0.4 + 0.3)
