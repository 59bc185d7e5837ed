"""Worked examples of Finley 2009, typed in, and similarities to try clusterers on."""

from typing import Any

import numpy as np

from explorer.engine.structures.clusterings.partitions import canonical, from_clusters, pair_matrix
from explorer.engine.vectors import Array, Ints

LETTERS = "abcdefghi"


def upper(*rows: tuple[float, ...]) -> Array:
    """A symmetric matrix from the rows of its upper triangle."""
    return pair_matrix(np.array([value for row in rows for value in row], dtype=float), len(rows) + 1)


def spelt(text: str) -> Ints:
    """ "abc/de" as labels."""
    groups = text.split("/")
    return from_clusters(
        [[LETTERS.index(letter) for letter in group] for group in groups], sum(map(len, groups))
    )


def chain(links: tuple[float, ...], other: float) -> Array:
    """Links between neighbours, another value everywhere else."""
    m = len(links) + 1
    K = np.full((m, m), other)
    np.fill_diagonal(K, 0.0)
    for i, link in enumerate(links):
        K[i, i + 1] = K[i + 1, i] = link
    return K


def fig_1_1() -> Array:
    """Corrected: abcde/fgh is the one optimum, 21, and 18 of 28 signs are right."""
    K = chain((6, 6, 6, 6, 2, 2, 2), -1.0)
    for j in (5, 6):
        K[0, j] = K[j, 0] = 1.0
    return K


FIG_1_1_PRINTED = chain((4, 4, 4, 4, 2, 2, 2), -1.0)
FIG_1_1_TRUTH = spelt("abcde/fgh")

FIG_3_1 = upper(
    (9, -9, 1, -7, -5, -2, -6, -8),
    (7, 9, -8, -3, -4, 8, -6),
    (9, -4, -3, -4, -9, -5),
    (-8, -4, -9, -9, -3),
    (4, 7, -3, -6),
    (6, -6, -5),
    (-8, -4),
    (4,),
)

FIG_3_2 = upper((9, -4, -1, -7), (7, -3, -8), (2, -4), (9,))
FIG_3_2_ADJUSTED = upper((-1, -14, 9, 3), (-3, 7, 2), (12, 6), (-1,))
FIG_3_2_TRUTH = spelt("abc/de")

STAR = upper((1, 1, 1), (-1, -1), (-1,))
PATH = chain((4, 5, 4), -5.0)


def gaussian(m: int, seed: int, scale: float = 1.0) -> Array:
    """Symmetric, indefinite, without structure."""
    K = np.random.default_rng(seed).normal(size=(m, m)) * scale
    return K + K.T


def pairs_of(m: int, seed: int) -> Ints:
    """A truth whose clusters have two items, and one item left over."""
    return canonical(np.random.default_rng(seed).permutation(np.arange(m) // 2))


def listed(merges: Any) -> list[tuple[str, str]]:
    """Merges by the letters of the clusters' first items."""
    return [(LETTERS[a], LETTERS[b]) for a, b, _, _ in merges]
