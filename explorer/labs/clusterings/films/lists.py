"""All partitions in order of their value, and answers that come without steps.

The few best tell how sure the answer is: a runner-up close behind means that small changes of K change the
clusters. Cost: one value for each partition, while there are at most MOST of them.
"""

import numpy as np

from explorer.engine.structures.clusterings.oracles.exhaustive import partition_rows, partition_values
from explorer.engine.structures.clusterings.partitions import bell
from explorer.labs.clusterings.film import (
    ClusterFilm,
    ClusterRequest,
    ClusterStep,
    block_words,
    cluster_words,
)
from explorer.labs.film import Film, ValueBars

MOST = 25_000
"""Partitions that are listed at most: all of 9 items."""

FEW = 10
"""Partitions or clusters that are shown at most."""


def partitions_film(asked: ClusterRequest) -> ClusterFilm:
    """The best partitions, from the last of the few to the best one."""
    put = asked.question
    if bell(put.m) > MOST:  # those with k clusters are found among all
        return answer_film(asked)
    worth = partition_values(put)
    order = np.argsort(-worth, kind="stable")[:FEW]
    rows, best = partition_rows(put.m, put.groups)[order], worth[order]
    steps = []
    for n in reversed(range(len(rows))):
        behind = "the best" if n == 0 else f"{best[0] - best[n]:.4g} behind the best"
        clustering = f"{cluster_words(rows[n], asked.case.names)}, {asked.what} {best[n]:.4g}"
        says = f"Place {n + 1} of {len(worth):,} partitions: {clustering}, {behind}."
        steps.append(ClusterStep(says, rows[n], float(best[n])))
    ties = int(np.sum(worth > worth.max() - 1e-9 * max(1.0, abs(worth.max()))))
    alone = "It is the only best one." if ties == 1 else f"{ties} partitions tie for the best {asked.what}."
    ends = f"{worth.min():.4g} to {worth.max():.4g}"
    note = f"The {len(rows)} best of {len(worth):,} partitions, values from {ends}."
    bars = ValueBars("place", asked.what, tuple(str(n + 1) for n in range(len(rows))), best, 1, note)
    return Film(asked.reply.title, tuple(steps), bars, alone)


def answer_film(asked: ClusterRequest) -> ClusterFilm:
    """An answer that comes at once: its clusters, the largest first."""
    put, labels, names = asked.question, asked.labels, asked.case.names
    value = put.value(labels)
    members = sorted((np.flatnonzero(labels == c) for c in np.unique(labels)), key=lambda block: -len(block))
    inside = np.array([put.K[np.ix_(block, block)].sum() / 2 for block in members[:FEW]])
    blocks = tuple(block_words(block, names) for block in members[:FEW])
    parts = ", ".join(f"{block} {total:.4g}" for block, total in zip(blocks, inside, strict=True))
    says = f"{cluster_words(labels, names)}: {asked.what} {value:.4g}. K inside the clusters sums to {parts}."
    note = f"What K sums to inside each of the {len(members)} clusters."
    bars = ValueBars("cluster", "K inside", blocks, inside, len(blocks), note)
    return Film(asked.reply.title, (ClusterStep(says, labels, value),), bars, asked.verdict(value))
