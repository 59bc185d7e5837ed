"""A clustering in one small picture: items where they lie, else their similarity beside the clusters.

s_ij = sum_f psi_ijf (same_f - apart_f) / sd_f,   with the means of feature f over pairs of the same and of
different clusters
"""

from collections.abc import Sequence

import numpy as np

from explorer.engine.structures.clusterings.item_sets import ItemSet, pair_rows
from explorer.engine.structures.clusterings.link_forests import is_forest
from explorer.engine.structures.clusterings.partitions import pair_count, pair_matrix, upper
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.structures.clusterings.single_link import SingleLink
from explorer.engine.vectors import Array, Ints
from explorer.views.kit.depiction import Thumbnail
from explorer.views.kit.drawing.state_colours import fills
from explorer.views.kit.drawing.svg import (
    EDGE,
    HEIGHT,
    MOST,
    SIDE,
    arrow,
    fit_places,
    heat,
    legend,
    lines,
    markers,
    text,
    word_rows,
)
from explorer.views.kit.drawing.theme import Theme
from explorer.views.kit.drawing.thinning import dense, evenly
from explorer.views.kit.words.label_words import partition
from explorer.views.similarity.order import letters, order_of
from explorer.wording import quantity


def cluster_thumbnail(problem: Clustering | SingleLink, theme: Theme, turn: int) -> Thumbnail:
    """Items where they lie, mentions in their text, or the similarity of items beside their clusters."""
    x, label = problem.dataset.inputs[turn], np.asarray(problem.dataset.labels[turn])
    truth = partition(label)
    names = cluster_names(x, truth)
    colours, said = fills(names, theme), f"{quantity(x.m, 'item')} in {quantity(len(names), 'cluster')}"
    if "pronouns" in problem.dataset.meta:
        alone, pale = np.bincount(truth) == 1, fills(["blank"], theme)[0]
        chips, letter = zip(*((pale, "") if alone[k] else (colours[k], names[k]) for k in truth), strict=True)
        return f"{said}: who is who", word_rows(x.names, chips, letter)
    if x.place is not None:
        at = fit_places(x.place[:, :2])
        tied = [(a, b) for b, a in enumerate(label.tolist()) if a >= 0] if is_forest(label) else []
        shown = lines(at, tied, theme) + markers(at, truth, colours, 5, theme)
        return f"{said}, where they lie", shown + legend(names, colours, theme)
    few = order_of(truth, truth).items[evenly(x.m, MOST)]
    matrix = heat(pair_similarity(x, truth, few), theme, EDGE, EDGE, SIDE, SIDE)
    return f"How alike {said} are, cluster by cluster", matrix + arrow(127, theme) + dots(
        truth, names, colours
    )


def cluster_names(x: ItemSet, truth: Ints) -> list[str]:
    """What clusters are called: as their items where these are called alike, else by letters."""
    shared = [
        {x.names[i] for i in np.flatnonzero(truth == k)} if x.names else set() for k in range(truth.max() + 1)
    ]
    same = all(len(names) == 1 for names in shared)
    return [names.pop() if same else letters(k) for k, names in enumerate(shared)]


def pair_similarity(x: ItemSet, truth: Ints, few: Ints) -> Array:
    """s_ij of some items, scaled so that pairs of the same cluster have mean 0.7 and others -0.3."""
    i, j = (few[end] for end in upper(len(few)))
    number = pair_matrix(np.arange(pair_count(x.m)), x.m)[i, j].astype(int)
    rows, same = dense(pair_rows(x)[number]), truth[i] == truth[j]
    if same.all() or not same.any():
        return np.zeros((len(few), len(few)))
    apart = rows[same].mean(axis=0) - rows[~same].mean(axis=0)
    s = rows @ (apart / np.maximum(np.std(rows, axis=0), 1e-9))
    high, low = s[same].mean(), s[~same].mean()
    return pair_matrix((s - 0.3 * high - 0.7 * low) / max(high - low, 1e-9), len(few), 1.0)


def dots(truth: Ints, names: Sequence[str], colours: Sequence[str]) -> str:
    """The items of each cluster as dots in rows of ten, after the name of the cluster."""
    rows = [
        (k, s, min(10, size - s)) for k, size in enumerate(np.bincount(truth)) for s in range(0, size, 10)
    ]
    pitch = min(11.0, SIDE / len(rows))
    out = ""
    for n, (k, start, count) in enumerate(rows):
        y = HEIGHT / 2 + pitch * (n - (len(rows) - 1) / 2)
        row = "".join(f"M{156 + c * 9.6:.1f} {y:.1f}h0" for c in range(count))
        out += (
            f"<path d='{row}' stroke='{colours[k]}' stroke-width='{0.7 * pitch:.1f}' stroke-linecap='round'/>"
        )
        out += "" if start else text(144, y, names[k][:2], f"font-size='{min(10, pitch):.1f}'")
    return out
