"""Small clusterings with a similarity that can be checked by hand: the figures of Finley 2009, and two more.

    figure 1.1 corrected   a chain ab = bc = cd = de = 6, ef = fg = gh = 2, af = ag = 1, others -1: abcde /
                           fgh is the only best clustering, 21, although 10 of the 28 pairs have the wrong
                           sign
    figure 1.1 printed     ab = bc = cd = de = 4, ef = fg = gh = 2, others -1: the truth scores 13, three
                           others 14
    figure 3.1             nine items; abcd / efg / hi scores 47, with ac = -9 joined and bh = 8 split
    figure 3.2             five items, truth abc / de; with the pairwise loss a / bcde is the most violated
    star                   a centre and three leaves: the linear program says 1.5 with halves, the best
                           partition 1
    four-path              ab = 4, bc = 5, cd = 4, others -5: merging greedily ends at 5, the best is 8

As a data set, the printed similarity is a feature of each pair (and 1 another), so that w = (1, 0) is the
figure.
"""

from typing import NamedTuple

import numpy as np

from explorer.engine.checks import read_only
from explorer.engine.contracts import Dataset
from explorer.engine.data.item_sets import item_sets
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.item_sets import item_set
from explorer.engine.structures.clusterings.partitions import from_clusters, pair_matrix, pair_vector
from explorer.engine.vectors import Array, Ints

ROWS_3_1 = (
    *(9, -9, 1, -7, -5, -2, -6, -8),
    *(7, 9, -8, -3, -4, 8, -6),
    *(9, -4, -3, -4, -9, -5),
    *(-8, -4, -9, -9, -3),
    *(4, 7, -3, -6),
    *(6, -6, -5),
    *(-8, -4),
    4,
)
ROWS_3_2 = (9, -4, -1, -7, 7, -3, -8, 2, -4, 9)
CHAIN = {"ef": 2, "fg": 2, "gh": 2}
SPARSE: dict[str, tuple[int, dict[str, int]]] = {
    "figure 1.1 corrected": (-1, {"ab": 6, "bc": 6, "cd": 6, "de": 6, **CHAIN, "af": 1, "ag": 1}),
    "figure 1.1 printed": (-1, {"ab": 4, "bc": 4, "cd": 4, "de": 4, **CHAIN}),
    "star": (-1, {"ab": 1, "ac": 1, "ad": 1}),
    "four-path": (-5, {"ab": 4, "bc": 5, "cd": 4}),
}
"""The similarity of most pairs, and of the others by name."""

TRUTHS = {
    "figure 1.1 corrected": "abcde/fgh",
    "figure 1.1 printed": "abcde/fgh",
    "figure 3.1": "abcd/efg/hi",
    "figure 3.2": "abc/de",
    "star": "ab/c/d",
    "four-path": "ab/cd",
}
FIGURES = tuple(TRUTHS)


class Figure(NamedTuple):
    """A similarity, the true clustering, and the names of the items."""

    K: Array
    truth: Ints
    names: tuple[str, ...]


def figure(name: str) -> Figure:
    """One of FIGURES; the truth of star and four-path is the first of their best clusterings."""
    if name not in TRUTHS:
        raise Refused(f"there is no figure {name!r}; choose one of {', '.join(FIGURES)}")
    clusters = TRUTHS[name].split("/")
    names = tuple(sorted("".join(clusters)))
    at = {item: i for i, item in enumerate(names)}
    truth = from_clusters([[at[item] for item in members] for members in clusters], len(names), names, name)
    return Figure(read_only(_similarity(name, at)), truth, names)


def _similarity(name: str, at: dict[str, int]) -> Array:
    if name not in SPARSE:
        rows = ROWS_3_1 if name == "figure 3.1" else ROWS_3_2
        return pair_matrix(np.array(rows, dtype=np.float64), len(at))
    others, named = SPARSE[name]
    K = np.full((len(at), len(at)), float(others))
    for pair, value in named.items():
        i, j = at[pair[0]], at[pair[1]]
        K[i, j] = K[j, i] = value
    np.fill_diagonal(K, 0.0)
    return K


def figure_set(name: str) -> Dataset:
    """The figure as one example with two features for each pair: the printed similarity and 1."""
    K, truth, names = figure(name)
    printed = pair_vector(K)
    x = item_set(len(names), pairs=np.column_stack([printed, np.ones(len(printed))]), names=names, where=name)
    about = (
        f"{name[0].upper()}{name[1:]}: {len(names)} items with a given similarity, which w = (1, 0) shows."
    )
    return item_sets(name, [x], [truth], ("printed similarity", "1"), about)


@settings
class Figures:
    """Figures of Finley (2009) with their printed similarity as a feature of each pair: w = (1, 0) shows the
    figure.
    """

    which: str = knob("figure 1.1 corrected", "Which figure.", choices=FIGURES)

    def make(self) -> tuple[Dataset, Dataset | None]:
        """The one example; there is nothing to test on."""
        return figure_set(self.which), None
