"""How views write labellings."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np

from explorer.engine.contracts import Problem
from explorer.engine.structures.clusterings.link_forests import is_forest, partition_of
from explorer.engine.structures.clusterings.partitions import canonical, contingency, pair_count, spoken
from explorer.engine.structures.clusterings.problem import Clustering
from explorer.engine.structures.clusterings.single_link import SingleLink
from explorer.engine.structures.fields.fields import is_relaxed, rounded, unflattened
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.engine.vectors import Ints
from explorer.wording import counted

MOST_LETTERS = 36
"""A labelling in a table or tooltip is no longer than this."""


def state_names(problem: Problem) -> tuple[str, ...]:
    """What the states or classes are called: the data's names, else their numbers."""
    named = problem.dataset.meta.get("states", ())
    count = int(getattr(problem, "states", getattr(problem, "classes", len(named))))
    return tuple(str(name) for name in (named if len(named) == count else range(count)))


def are_states(label: Any, count: int) -> bool:
    """Whether the entries are numbers of states."""
    return label.dtype.kind in "iu" and bool(np.all((label >= 0) & (label < count)))


def part_name(problem: Problem) -> str:
    """What the parts of an example that get a state each are called."""
    if clusters_items(problem):
        return "item"
    if not isinstance(problem, FieldLabelling):
        return "position"
    return "label" if problem.layout.shared_row else "node"


def spelled(label: Any, states: Sequence[str]) -> str:
    """A labelling in the names of its states, shortened; other labels as they print."""
    if len(states) and np.ndim(label) == 1 and is_relaxed(label):
        return "(fractional)"
    part, text = np.ravel(label)[: MOST_LETTERS + 1], str(label)
    if are_states(part, len(states)):
        names = [states[y] for y in part]
        text = ("" if all(len(name) == 1 for name in names) else " ").join(names)
    return _short(text)


def _short(text: str) -> str:
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"


def told(problem: Problem, label: Any, example: int | None = None) -> str:
    """A labelling as the problem's readers know it: labels that are on, long labellings of graphs in runs, clusters."""
    if clusters_items(problem):
        return grouped(label, () if example is None else problem.dataset.inputs[example].names)
    states, names = state_names(problem), problem.dataset.meta.get("label_names", ())
    if not isinstance(problem, FieldLabelling) or is_relaxed(label):
        return spelled(label, states)
    if len(names) == np.size(label):
        return _short(", ".join(str(name) for name, on in zip(names, label, strict=True) if on) or "none")
    text = spelled(label, states)
    if not text.endswith("…"):
        return text
    runs = ((states[y], len(list(run))) for y, run in groupby(np.asarray(label).tolist()))
    return _short(" ".join(name if count == 1 else f"{count}×{name}" for name, count in runs))


def clusters_items(problem: Problem) -> bool:
    """Whether labels are clusterings of items."""
    return isinstance(problem, Clustering | SingleLink)


def partition(label: Any) -> Ints:
    """The clusters of a hard clustering, also where it is given by links."""
    return canonical(partition_of(label) if is_forest(label) else label)


def grouped(label: Any, names: Sequence[str] = ()) -> str:
    """A clustering as "a b / c d e"; a long one by the sizes of its clusters, a relaxed one as such."""
    if is_relaxed(label):
        return "(relaxed)"
    labels = partition(label)
    text = spoken(labels, names) if len(labels) <= MOST_LETTERS else ""
    if text and len(text) <= MOST_LETTERS:
        return text
    sizes = sorted(np.bincount(labels).tolist(), reverse=True)
    return _short(f"{counted(len(sizes), 'cluster')} of {' '.join(map(str, sizes))}")


def pairs_apart(label: Any, truth: Any) -> str:
    """How many pairs of items a clustering treats unlike the truth does; of a relaxed one, how many it leaves open."""
    if is_relaxed(label):
        pairs = pair_count(len(truth))
        shares = np.asarray(label)
        count = int(np.count_nonzero((shares > 1e-6) & (shares < 1.0 - 1e-6)))
        return (
            f"{count:,} of {counted(pairs, 'pair')} open" if shares.shape == (pairs,) else "Y with orthonormal columns"
        )
    shared = contingency(partition(truth), partition(label))
    both, first, second = (int(np.sum(n * (n - 1))) // 2 for n in (shared, shared.sum(axis=1), shared.sum(axis=0)))
    return f"{first + second - 2 * both:,} of {counted(pair_count(len(truth)), 'pair')} differ"


def hardened(label: Any, truth: Any, states: int) -> Any:
    """A labelling with one state for every part: the one of the largest share where it is fractional."""
    return rounded(label, np.size(truth), states) if states and np.ndim(label) == 1 and is_relaxed(label) else label


def open_parts(label: Any, truth: Any, states: int) -> int:
    """How many parts of a fractional labelling have no single state."""
    return int(np.count_nonzero(unflattened(np.asarray(label), np.size(truth), states)[0].max(axis=1) < 1.0 - 1e-6))
