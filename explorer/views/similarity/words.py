"""The similarity in words: how many clusters there are, what they cost, and what makes two items alike."""

from html import escape
from typing import Any

import numpy as np

from explorer.engine.structures.clusterings.losses import ClusterLoss
from explorer.engine.structures.clusterings.partitions import pair_count
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.words.weight_names import word_of
from explorer.views.similarity.frame import ORDERS, SimilarityFrame, contributions, means, neighbours
from explorer.views.similarity.order import MOST_CELLS, Clustered, bins, letters, order_of
from explorer.wording import number, quantity

LISTED = 3
"""This many neighbours or features are named."""


def item_name(shown: SimilarityFrame, item: int) -> str:
    """What an item is called."""
    return shown.items.names[item] if shown.items.names else f"item {item}"


def cluster_name(shown: SimilarityFrame, item: int) -> str:
    """The number of an item's cluster as it is drawn, from 1."""
    return str(int(shown.order.rank[shown.shown.labels[item]]) + 1)


# the sentence -----------------------------------------------------------------------------------------------


def sentence(shown: SimilarityFrame) -> str:
    """Clusters, loss, what they pay in similarity; that a clustering is relaxed, or cells are means."""
    parts = [f"{shown.name} {shown.example}: {_counts(shown)}; {_pays(shown)}."]
    if shown.step is None:
        parts.insert(0, "Nothing trained yet: all similarities are 0.")
    if shown.shown.shares is not None:
        parts.append(relaxed_words(shown, shown.shown))
    if len(shown) > MOST_CELLS:
        each = float(np.mean(np.diff(np.append(bins(len(shown)), len(shown)))))
        parts.append(
            f"Each of {MOST_CELLS} x {MOST_CELLS} cells is the mean over about {each:.1f} x {each:.1f} pairs."
        )
    return " ".join(parts)


def _counts(shown: SimilarityFrame) -> str:
    true = f"{shown.true_count} true"
    delta = shown.problem.delta
    title = delta.title if isinstance(delta, ClusterLoss) else "its"
    if shown.by == ORDERS[2] and shown.rival is not None:
        found = shown.rival
        cost = f"{title} loss {number(found.loss)}, violation {number(found.violation)}"
        return f"{quantity(found.found.count, 'cluster')} in the most tempting clustering, {true}; {cost}"
    return f"{quantity(shown.guess.count, 'cluster')} predicted, {true}; {title} loss {number(shown.loss)}"


def _pays(shown: SimilarityFrame) -> str:
    """Pairs treated against the sign of their similarity, by the clustering that orders the matrix."""
    who = "the truth has " if shown.by == ORDERS[1] else ""
    if not shown.split and not shown.joined:
        return f"{who}no pair against the sign of its similarity"
    split = f"{quantity(shown.split, 'pair')} with positive similarity split"
    joined = f"{shown.joined:,} negative {'one' if shown.joined == 1 else 'ones'} joined"
    return f"{who}{split}, {joined}"


def relaxed_words(shown: SimilarityFrame, given: Clustered) -> str:
    """That an answer is no partition, and what is drawn of it."""
    drawn = (
        "shares of pairs"
        if shown.problem.model == "correlation"
        else "Y Y', how far two items share clusters"
    )
    open_pairs, all_pairs = f"{given.open:,}", f"{pair_count(len(shown)):,}"
    return (
        f"This answer is relaxed: {open_pairs} of {all_pairs} pairs are neither together nor apart. "
        f"Cells are {drawn}."
    )


# one pair, one item -----------------------------------------------------------------------------------------


def pair_words(shown: SimilarityFrame, i: int, j: int) -> list[str]:
    """A pair: its similarity, whether it belongs together, and the features that say most."""
    a, b = item_name(shown, i), item_name(shown, j)
    if i == j:
        return [
            f"{a}: true cluster {letters(int(shown.truth[i]))}, {shown_kind(shown)} cluster "
            f"{cluster_name(shown, i)}"
        ]
    lines = [f"{a} and {b}: similarity {number(float(shown.K[i, j]))}"]
    lines.append(f"{_side(shown.truth, i, j)} in the truth, {_as_shown(shown, i, j)}")
    parts, names = contributions(shown, i, j, LISTED), depiction_of(shown.problem).weights(shown.problem)
    if parts:
        lines.append("; ".join(f"{word_of(names, f)} {_with_sign(value)}" for f, value in parts))
    return lines


def item_words(shown: SimilarityFrame, item: int) -> list[str]:
    """An item: its clusters, and the items most and least similar to it."""
    near = neighbours(shown, item)
    lines = pair_words(shown, item, item)
    if len(near) > 2 * LISTED:
        lines.append(f"Most similar: {_item_list(shown, item, near[:LISTED])}")
        lines.append(f"Least similar: {_item_list(shown, item, near[: -LISTED - 1 : -1])}")
    elif len(near):
        lines.append(f"Similar: {_item_list(shown, item, near)}")
    return lines


def _item_list(shown: SimilarityFrame, item: int, others: Any) -> str:
    apart = np.where(shown.truth == shown.truth[item], "", " (apart)")
    return ", ".join(f"{item_name(shown, int(j))} {_with_sign(shown.K[item, j])}{apart[j]}" for j in others)


def shown_kind(shown: SimilarityFrame) -> str:
    """The clustering in view, after "together" or before "cluster"."""
    return {ORDERS[0]: "predicted", ORDERS[1]: "true"}.get(shown.by, "most tempting")


def _side(labels: Any, i: int, j: int) -> str:
    return "together" if labels[i] == labels[j] else "apart"


def _as_shown(shown: SimilarityFrame, i: int, j: int) -> str:
    """Whether a pair is together in the clustering that is shown; beside the truth, in the prediction."""
    given = shown.guess if shown.by == ORDERS[1] else shown.shown
    where = "in the most tempting clustering" if shown.by == ORDERS[2] else "in the prediction"
    if given.shares is not None:
        return f"share {number(float(given.shares[i, j]))} {where}"
    return f"{_side(given.labels, i, j)} {where}"


def _with_sign(value: float) -> str:
    return f"{value:+.3g}".replace("-", "−")


def panel(shown: SimilarityFrame, pinned: int | None, pair: tuple[int, int] | None) -> str:
    """The text under the side figure, as HTML: the pair pointed at, the pinned item, or a hint."""
    parts = []
    if pair is not None:
        head, *rest = pair_words(shown, *pair)
        parts.append(f"<p><b>{escape(head)}</b>{''.join('<br>' + escape(line) for line in rest)}</p>")
    if pinned is not None and pinned < len(shown):
        head, *rest = item_words(shown, pinned)
        parts.append(f"<p><b>Pinned: {escape(head)}</b>{''.join('<br>' + escape(line) for line in rest)}</p>")
    return "".join(parts) or "<p>Point at a cell to see what makes its pair alike; click to pin an item.</p>"


# tables -----------------------------------------------------------------------------------------------------


def table(shown: SimilarityFrame) -> dict[str, Any]:
    """Per item, as drawn: its clusters, and its mean similarity to its own cluster and to all others."""
    within, without = means(shown)
    rows = shown.order.items
    given = shown.guess.labels if shown.by == ORDERS[1] else shown.shown.labels
    rank = order_of(given, shown.truth).rank[given] + 1
    return {
        "item": [item_name(shown, int(i)) for i in rows],
        "true cluster": [letters(int(shown.truth[i])) for i in rows],
        f"{'most tempting' if shown.by == ORDERS[2] else 'predicted'} cluster": [str(rank[i]) for i in rows],
        "mean similarity within": [_mean(within[i]) for i in rows],
        "mean similarity to others": [_mean(without[i]) for i in rows],
    }


def _mean(value: float) -> float | str:
    return "none" if np.isnan(value) else float(value)
