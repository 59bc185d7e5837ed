"""Clusterers that go from clustering to clustering, as films: greedy merges, single moves, batch k-means.

    merges      value after = value before + cross sum of the two blocks (with the loss: + what H gains)
    moves       one item at a time to the cluster that gains the most: the value never falls
    batch       all items at once to their nearest centre: if K is indefinite the value may fall, and go round

Cost: that of the clusterer.
"""

from collections.abc import Sequence

import numpy as np

from explorer.engine.structures.clusterings.oracles.iterative import ItemMove
from explorer.engine.structures.clusterings.partitions import canonical, contingency
from explorer.engine.vectors import Ints
from explorer.labs.clusterings.film import (
    ClusterFilm,
    ClusterRequest,
    ClusterStep,
    block_words,
    cluster_words,
    plus,
)
from explorer.labs.film import NONE, Film, Join, MergeTree, shorten
from explorer.wording import quantity, with_sign


def greedy_film(asked: ClusterRequest) -> ClusterFilm:
    """One merge per step, and the tree of all of them."""
    put, names, what = asked.question, asked.case.names, asked.what
    labels = np.arange(put.m)
    start = put.value(labels)
    steps, joins = [ClusterStep(f"Every item begins alone: {what} {start:.4g}.", labels, start)], list[Join]()
    for a, b, gain, value in asked.oracle.merges(put):
        first, second = np.flatnonzero(labels == labels[a]), np.flatnonzero(labels == labels[b])
        joins.append(Join(first, second, gain, value))
        labels = np.where(labels == labels[b], labels[a], labels)
        says = (
            f"Join {block_words(first, names)} and {block_words(second, names)}: {_why(asked, joins[-1])}; "
        )
        says += f"{what} {value - gain:.4g} {plus(gain)} = {value:.4g}."
        steps.append(ClusterStep(says, canonical(labels), value, changed=np.concatenate([first, second])))
    verdict = f"{_best_left(asked, labels)} {asked.verdict(steps[-1].value)}"
    tree = MergeTree(start, tuple(joins), names, f"{what} after the merge")
    return Film(asked.reply.title, tuple(steps), tree, verdict)


def _why(asked: ClusterRequest, join: Join) -> str:
    cross = float(asked.question.K[np.ix_(join.first, join.second)].sum())
    if not asked.question.asks_loss:
        return f"their cross sum {cross:.4g} is the largest"
    return f"K between them sums to {cross:.4g}, and with the loss H gains {join.gain:.4g}, the most there is"


def _best_left(asked: ClusterRequest, labels: Ints) -> str:
    """Why the merging ended."""
    put, kinds = asked.question, np.unique(labels)
    if len(kinds) == 1:
        return "All items are in one cluster."
    value = put.value(canonical(labels))
    pairs = [(a, b) for n, a in enumerate(kinds) for b in kinds[n + 1 :]]
    gains = [put.value(canonical(np.where(labels == b, a, labels))) - value for a, b in pairs]
    blocks = (
        block_words(np.flatnonzero(labels == c), asked.case.names) for c in pairs[int(np.argmax(gains))]
    )
    return (
        f"No merger gains any more: the best left, {' and '.join(blocks)}, would add {with_sign(max(gains))}."
    )


def moves_film(asked: ClusterRequest) -> ClusterFilm:
    """The moves, against the best known value."""
    steps = move_steps(asked)
    end = f"A sweep moved nothing, and no move lowered the {asked.what}. {asked.verdict(steps[-1].value)}"
    return Film(asked.reply.title, tuple(steps), asked.curves(steps, "move"), end)


def move_steps(asked: ClusterRequest) -> list[ClusterStep]:
    """One move of an item per step."""
    put, names, what = asked.question, asked.case.names, asked.what
    start, moves = asked.oracle.moves(put)
    labels, value = start.copy(), put.value(canonical(start))
    first = f"A random clustering into {put.groups}: {cluster_words(labels, names)}, {what} {value:.4g}."
    steps = [ClusterStep(first, canonical(labels), value)]
    rows, skipped = shorten(moves)
    for move in rows:
        before, old = steps[-1].value, labels
        labels = after_moves(start, moves) if skipped and move is rows[-1] else after_moves(labels, [move])
        others = np.arange(len(labels)) != move.item
        rest = block_words(np.flatnonzero((labels == move.new) & others), names)
        left = block_words(np.flatnonzero((old == move.old) & others), names)
        says = f"Sweep {move.sweep + 1}: {names[move.item]} leaves {left} for {rest}; "
        says += f"{what} {before:.4g} {plus(move.value - before)} = {move.value:.4g}."
        steps.append(ClusterStep(says, canonical(labels), move.value, changed=np.array([move.item])))
    return steps


def after_moves(labels: Ints, moves: Sequence[ItemMove]) -> Ints:
    """The labels after some moves."""
    out = labels.copy()
    for move in moves:
        out[move.item] = move.new
    return out


def batch_film(asked: ClusterRequest) -> ClusterFilm:
    """One sweep per step."""
    rows, _ = shorten(list(asked.oracle.history(asked.question)))
    names, what, steps = asked.case.names, asked.what, list[ClusterStep]()
    for n, (labels, value) in enumerate(rows):
        says, changed = f"A random clustering: {cluster_words(labels, names)}, {what} {value:.4g}.", NONE
        if steps:
            before, changed = steps[-1].value, moved_items(steps[-1].labels, labels)
            went = (
                f"{block_words(changed, names)} went to their nearest centres"
                if len(changed)
                else "nothing moved"
            )
            says = f"Sweep {n}: {went}; {what} {before:.4g} {plus(value - before)} = {value:.4g}."
        steps.append(ClusterStep(says, canonical(labels), value, changed=changed))
    best = max(steps, key=lambda step: step.value)
    seen = f" The best one seen is answered: {cluster_words(best.labels, names)}, {what} {best.value:.4g}."
    kept = "" if best.value <= steps[-1].value + 1e-9 else seen
    verdict = f"{how_it_ended(steps, what)}{kept} {asked.verdict(best.value)}"
    return Film(asked.reply.title, tuple(steps), asked.curves(steps, "sweep"), verdict)


def moved_items(before: Ints, after: Ints) -> Ints:
    """The items that changed cluster, clusters of both being matched where they share the most items."""
    shared = contingency(before, after)
    match = -np.ones(shared.shape[1], dtype=int)
    for _ in range(min(shared.shape)):
        a, b = np.unravel_index(int(np.argmax(shared)), shared.shape)
        match[b] = a
        shared[a, :] = shared[:, b] = -1
    return np.flatnonzero(match[after] != before)


def how_it_ended(steps: list[ClusterStep], what: str) -> str:
    """Batch k-means settled, went round, or ran out of sweeps."""
    fell = int(np.sum(np.diff([step.value for step in steps]) < -1e-9))
    falls = f" The {what} fell {quantity(fell, 'time')}: K is indefinite." if fell else ""
    seen = [n for n, step in enumerate(steps[:-1]) if np.array_equal(step.labels, steps[-1].labels)]
    if seen and seen[-1] == len(steps) - 2:
        return f"Nothing moves any more.{falls}"
    if seen:
        return f"It goes round in a circle of {len(steps) - 1 - seen[-1]} clusterings.{falls}"
    return f"The sweeps ran out.{falls}"
