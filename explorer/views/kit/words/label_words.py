"""How labellings are written: in the names of states, or as clusters of items."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.structures.clusterings.link_forests import is_forest, partition_of
from explorer.engine.structures.clusterings.partitions import canonical, contingency, pair_count, spoken
from explorer.engine.structures.fields.fields import is_relaxed, round_label, unflatten
from explorer.engine.vectors import Ints
from explorer.wording import quantity

MOST_LETTERS = 36
"""A labelling in a table or tooltip is no longer than this."""


def state_names(dataset: Dataset, count: int) -> tuple[str, ...]:
    """What `count` states or classes are called: by the data if it names all of them, else by number."""
    named = dataset.meta.get("states", ())
    return tuple(str(name) for name in (named if len(named) == count else range(count)))


def are_states(label: Any, count: int) -> bool:
    """Whether the entries are numbers of states."""
    return label.dtype.kind in "iu" and bool(np.all((label >= 0) & (label < count)))


def state_text(label: Any, states: Sequence[str]) -> str:
    """A labelling in the names of its states, shortened; other labels as they print."""
    if len(states) and np.ndim(label) == 1 and is_relaxed(label):
        return "(fractional)"
    part, text = np.ravel(label)[: MOST_LETTERS + 1], str(label)
    if are_states(part, len(states)):
        names = [states[y] for y in part]
        text = ("" if all(len(name) == 1 for name in names) else " ").join(names)
    return shorten(text)


def shorten(text: str) -> str:
    """A text that fits a table or tooltip."""
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"


def partition(label: Any) -> Ints:
    """The clusters of a hard clustering, also where it is given by links."""
    return canonical(partition_of(label) if is_forest(label) else label)


def cluster_text(label: Any, names: Sequence[str] = ()) -> str:
    """A clustering as "a b / c d e"; a long one by the sizes of its clusters, a relaxed one as such."""
    if is_relaxed(label):
        return "(relaxed)"
    labels = partition(label)
    text = spoken(labels, names) if len(labels) <= MOST_LETTERS else ""
    if text and len(text) <= MOST_LETTERS:
        return text
    sizes = sorted(np.bincount(labels).tolist(), reverse=True)
    return shorten(f"{quantity(len(sizes), 'cluster')} of {' '.join(map(str, sizes))}")


def pairs_apart(label: Any, truth: Any) -> str:
    """How many pairs of items are treated unlike in the truth; of a relaxed clustering, how many are open."""
    if is_relaxed(label):
        pairs = pair_count(len(truth))
        shares = np.asarray(label)
        count = int(np.count_nonzero((shares > 1e-6) & (shares < 1.0 - 1e-6)))
        return (
            f"{count:,} of {quantity(pairs, 'pair')} open"
            if shares.shape == (pairs,)
            else "Y with orthonormal columns"
        )
    shared = contingency(partition(truth), partition(label))
    both, first, second = (
        int(np.sum(n * (n - 1))) // 2 for n in (shared, shared.sum(axis=1), shared.sum(axis=0))
    )
    return f"{first + second - 2 * both:,} of {quantity(pair_count(len(truth)), 'pair')} differ"


def hard_labels(label: Any, truth: Any, states: int) -> Any:
    """A labelling with one state for every part: the one of the largest share where it is fractional."""
    return (
        round_label(label, np.size(truth), states)
        if states and np.ndim(label) == 1 and is_relaxed(label)
        else label
    )


def open_parts(label: Any, truth: Any, states: int) -> int:
    """How many parts of a fractional labelling have no single state."""
    return int(
        np.count_nonzero(unflatten(np.asarray(label), np.size(truth), states)[0].max(axis=1) < 1.0 - 1e-6)
    )
