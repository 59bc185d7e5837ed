"""Products of kernel expansions: naive, counted, indexed and lifted ones agree with the double sum over
symbols.
"""

from typing import Any

import numpy as np
import pytest

from explorer.engine.structures.trees.inverted_index import Postings, postings
from explorer.engine.structures.trees.kernels.hash_products import symbol_product
from explorer.engine.vectors import Sparse, dense, sparse


def random_case(rng: np.random.Generator, n: int = 5, atoms: int = 6) -> tuple[Any, Postings, list[Any], Any]:
    """Sentences of one to four tokens whose edges have random atoms, and a random kernel table."""
    tables = []
    for _ in range(n):
        m = int(rng.integers(1, 5))
        table = rng.integers(0, atoms, (1, m + 1, m))
        table[0, np.arange(1, m + 1), np.arange(m)] = -1
        tables.append(table)
    factor = rng.normal(size=(n, n))
    found, at = postings(tables, atoms)
    return tables, found, at, factor @ factor.T


def random_heads(rng: np.random.Generator, m: int) -> Any:
    return np.array([rng.choice([h for h in range(m + 1) if h != d]) for d in range(1, m + 1)])


def double_sum(K: Any, left: Any, right: Any, truth: Any) -> float:
    """sum_ij K_ij (k(y_i, y_j) - k(y_i, r_j) - k(l_i, y_j) + k(l_i, r_j)), symbol by symbol."""
    who = np.repeat(np.arange(len(K)), [len(part) for part in truth])
    who, sign = np.concatenate([who, who]), np.repeat([1.0, -1.0], len(who))
    one, other = (np.concatenate([*truth, *plane]) for plane in (left, right))
    return float(np.sum(np.outer(sign, sign) * K[np.ix_(who, who)] * (one[:, None] == other)))


@pytest.mark.spec("F23")
def test_all_products_agree_on_500_pairs() -> None:
    rng = np.random.default_rng(0)
    for _ in range(500):
        tables, post, at, K = random_case(rng)
        sizes = [table.shape[2] for table in tables]
        heads = [[random_heads(rng, m) for m in sizes] for _ in range(3)]
        atoms = [[t[0, y, np.arange(len(y))] for t, y in zip(tables, plane, strict=True)] for plane in heads]
        truth, left, right = atoms
        wanted = double_sum(K, left, right, truth)
        places = [
            np.concatenate([p[0, y, np.arange(len(y))] for p, y in zip(at, plane, strict=True)])
            for plane in heads
        ]
        one = np.ones(len(places[0]))
        a, b = (
            sparse(np.concatenate([places[0], other]), np.concatenate([one, -one]), post.size)
            for other in places[1:]
        )
        ends = np.concatenate([[0], np.cumsum(sizes)])
        named = symbol_product(K, ends, *(np.concatenate(plane) for plane in atoms), 1)
        found = [named, post.pair_product(K, a, b), post.count_product(K, a, b)]
        found.append(post.index_product(K, post.index_of(a), post.index_of(b)))
        assert [value for value, _ in found] == pytest.approx([wanted] * 4, abs=1e-10)
        assert found[0][1] == found[1][1] == found[2][1] == len(K) ** 2
        for by_index in (True, False):
            g = post.lift(K, a, by_index)
            assert g @ dense(b) == pytest.approx(wanted, abs=1e-10)
            products = post.products(K, [a, b], b, by_index)
            assert products[0] == pytest.approx(wanted, abs=1e-10)


@pytest.mark.spec("F23")
def test_the_index_of_a_sum_weighs_symbols_as_the_planes_do_together() -> None:
    rng = np.random.default_rng(1)
    _, post, _, K = random_case(rng, n=8)
    planes = [
        Sparse(np.arange(post.size), rng.integers(-1, 2, post.size).astype(float), post.size)
        for _ in range(3)
    ]
    alpha = np.array([0.2, 0.5, 0.3])
    model = sum(a * dense(plane) for a, plane in zip(alpha, planes, strict=True))
    apart = sum(a * post.lift(K, plane) for a, plane in zip(alpha, planes, strict=True))
    assert post.lift(K, model) == pytest.approx(apart, abs=1e-10)
    by_hand = [
        sum(
            model[q] * K[post.sentence[p], post.sentence[q]]
            for q in range(post.size)
            if post.atom[q] == post.atom[p]
        )
        for p in range(post.size)
    ]
    assert post.lift(K, model) == pytest.approx(by_hand, abs=1e-10)


def test_look_ups_of_the_index_are_pairs_of_entries_with_equal_atoms() -> None:
    rng = np.random.default_rng(2)
    _, post, _, K = random_case(rng, n=8)
    a, b = (np.where(rng.random(post.size) < 0.5, 0.0, 1.0) for _ in range(2))
    same = post.atom[:, None] == post.atom
    wanted = int(np.count_nonzero(same & (a[:, None] != 0.0) & (b != 0.0)))
    assert post.index_product(K, post.index_of(a), post.index_of(b))[1] == wanted
    assert post.lengths.sum() == post.size


def test_what_is_unknown_weighs_nothing() -> None:
    rng = np.random.default_rng(3)
    _, post, _, K = random_case(rng)
    x = rng.normal(size=post.size)
    rows, atoms = np.array([0, 1]), np.array([-1, -1])
    for by_index in (True, False):
        assert post.weights(K, x, rows, atoms, by_index).tolist() == [0.0, 0.0]
