"""Items and one clustering of them, large: where they lie, each tied to the middle of its cluster, else as a
matrix whose cell (i, j) is full where i and j are together.

Items and rows keep the order and colours of the true clusters; pairs that are wrongly together or apart are
in the colour of the tempting answer.
"""

from typing import Any

import numpy as np

from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.structures.clusterings.single_link import SingleLink
from explorer.engine.structures.fields.fields import is_relaxed
from explorer.engine.vectors import Array, Ints
from explorer.views.kit.drawing.portrait import PAGE, plain_words, svg
from explorer.views.kit.drawing.state_colours import fills
from explorer.views.kit.drawing.svg import cells, markers
from explorer.views.kit.words.label_words import cluster_text, partition
from explorer.views.similarity.order import order_of
from explorer.views.similarity.thumbnail import cluster_names
from explorer.wording import quantity

SIDE, EDGE = 320.0, 14.0


def cluster_portrait(problem: Clustering | SingleLink, example: int, label: Any = None) -> str:
    """The items as they are given, or with a label their clusters."""
    x, truth = problem.dataset.inputs[example], partition(np.asarray(problem.dataset.labels[example]))
    if label is not None and is_relaxed(label):
        return plain_words("some pairs are together by halves", cluster_text(label))
    found = None if label is None else partition(label)
    if x.place is not None:
        return points(x.place[:, :2], truth, fills(cluster_names(x, truth), PAGE), found)
    if found is None:
        return plain_words(quantity(x.m, "item"), quantity(x.m, "item"))
    return matrix(truth, found)


def points(place: Array, truth: Ints, colours: list[str], found: Ints | None) -> str:
    """Items where they lie; a line from each to the middle of the cluster that it is put into."""
    low, span = place.min(axis=0), max(float(np.ptp(place, axis=0).max()), 1e-9)
    at = EDGE + (place - low) / span * (SIDE - 2 * EDGE)
    at[:, 1] = SIDE - at[:, 1]
    spokes = ""
    if found is not None:
        middles = np.stack([at[found == k].mean(axis=0) for k in range(int(found.max()) + 1)])
        ends = "".join(
            f"M{a:.1f} {b:.1f}L{c:.1f} {d:.1f}"
            for (a, b), (c, d) in zip(at.tolist(), middles[found].tolist(), strict=True)
        )
        spokes = f"<path d='{ends}' stroke='var(--text)' stroke-width='1.6' fill='none'/>"
    shown = markers(at, truth if found is not None else np.zeros_like(truth), colours, 7, PAGE)
    said = quantity(len(truth), "item") if found is None else cluster_text(found)
    return svg(spokes + shown, SIDE, SIDE, said)


def matrix(truth: Ints, found: Ints) -> str:
    """Who is with whom: 0 rightly apart, 1 rightly together, 2 wrongly together, 3 wrongly apart."""
    items = order_of(truth, truth).items
    together, right = (y[items][:, None] == y[items] for y in (found, truth))
    level = np.where(together == right, together.astype(int), np.where(together, 2, 3))
    paint = [("var(--grid)", 1.0), ("var(--truth)", 0.85), ("var(--rival)", 0.95), ("var(--rival)", 0.35)]
    pairs = int(np.count_nonzero(together != right) // 2)
    said = f"{quantity(int(found.max()) + 1, 'cluster')}, {quantity(pairs, 'wrong pair')}"
    return svg(cells(level, paint, 0, 0, SIDE, SIDE), SIDE, SIDE, said)


__all__ = ["cluster_portrait"]
