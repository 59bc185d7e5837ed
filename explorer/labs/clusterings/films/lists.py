"""All partitions in order of their value, and answers that come without steps.

    Bell(m) partitions of m items, Stirling(m, k) into k clusters, sorted by value

The few best tell how sure the answer is: a runner-up close behind means that small changes of K change the
clusters. Cost: one value for each partition, while there are at most MOST of them.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

import numpy as np

from explorer.engine.structures.clusterings.partitions import all_partitions, bell
from explorer.engine.structures.clusterings.question import Question
from explorer.engine.vectors import Array, Ints
from explorer.labs.clusterings.film import Bars, Film, Request, Step, block, missing, told

MOST = 25_000
"""This many partitions are listed: all of 9 items."""

FEW = 10
"""This many of the best are shown."""

CHUNK = 4096


@lru_cache(maxsize=8)
def every(m: int, groups: int | None) -> Ints:
    """All partitions as rows."""
    return np.array(list(all_partitions(m, groups)), dtype=np.int64)


def values(put: Question) -> Array:
    """The value of every partition, in the order of `every`; by the folded matrix where the loss folds."""
    rows, folded = every(put.m, put.groups), put.folded()
    if folded is None:
        return np.array([put.value(row) for row in rows])
    constant, K = folded
    return constant + np.concatenate([_scores(K, part, put.groups) for part in _parts(rows)])


def _parts(rows: Ints) -> Iterator[Ints]:
    for at in range(0, len(rows), CHUNK):
        yield rows[at : at + CHUNK]


def _scores(K: Array, rows: Ints, groups: int | None) -> Array:
    """Scores of many partitions at once."""
    same = rows[:, :, None] == rows[:, None, :]
    if groups is None:
        return 0.5 * np.einsum("nij,ij->n", same, K - np.diag(np.diag(K)))
    sizes = same.sum(axis=2)
    return np.einsum("nij,ij,ni->n", same, K, 1.0 / sizes)


def partitions_film(asked: Request) -> Film:
    """The best partitions, from the last of the few to the best one."""
    put = asked.question
    if bell(put.m) > MOST:  # those with k clusters are found among all
        return answer_film(asked)
    worth = values(put)
    order = np.argsort(-worth, kind="stable")[:FEW]
    rows = every(put.m, put.groups)[order]
    names = tuple(told(row, asked.names) for row in rows)
    steps = []
    for n in reversed(range(len(rows))):
        behind = "the best" if n == 0 else f"{worth[order[0]] - worth[order[n]]:.4g} behind the best"
        says = (
            f"Place {n + 1} of {len(worth):,} partitions: {names[n]}, {asked.what} "
            f"{worth[order[n]]:.4g}, {behind}."
        )
        steps.append(Step(says, rows[n], float(worth[order[n]])))
    ties = int(np.sum(worth > worth.max() - 1e-9 * max(1.0, abs(worth.max()))))
    alone = "It is the only best one." if ties == 1 else f"{ties} partitions tie for the best {asked.what}."
    note = (
        f"The {len(rows)} best of {len(worth):,} partitions, values from {worth.min():.4g} to "
        f"{worth.max():.4g}."
    )
    bars = Bars("place", asked.what, tuple(str(n + 1) for n in range(len(rows))), worth[order], 1, note)
    return Film(asked.oracle.title, tuple(steps), bars, alone)


def answer_film(asked: Request) -> Film:
    """An answer that comes at once: its clusters, the largest first."""
    put, labels = asked.question, asked.answer.labels
    value = put.value(labels)
    groups = sorted(np.unique(labels), key=lambda c: -np.sum(labels == c))
    inside = [float(put.K[np.ix_(labels == c, labels == c)].sum() / 2) for c in groups]
    shown = list(islice(zip(groups, inside, strict=True), FEW))
    parts = ", ".join(f"{block(np.flatnonzero(labels == c), asked.names)} {total:.4g}" for c, total in shown)
    says = f"{told(labels, asked.names)}: {asked.what} {value:.4g}. K inside the clusters sums to {parts}."
    names = tuple(block(np.flatnonzero(labels == c), asked.names) for c, _ in shown)
    note = f"What K sums to inside each of the {len(groups)} clusters."
    bars = Bars("cluster", "K inside", names, np.array([total for _, total in shown]), len(shown), note)
    return Film(asked.oracle.title, (Step(says, labels, value),), bars, missing(asked, value))
