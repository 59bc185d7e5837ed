"""Clusterers that go from clustering to clustering, as films: greedy merges, moves of single items, batch
k-means.

    merges      value after = value before + cross sum of the two blocks (with the loss: + what H gains)
    moves       one item at a time to the cluster that gains the most: the value never falls
    batch       all items at once to their nearest centre: with an indefinite K the value may fall, and go
                round

Cost: that of the clusterer.
"""

from typing import Any

import numpy as np

from explorer.engine.structures.clusterings.partitions import canonical
from explorer.engine.vectors import Ints
from explorer.labs.clusterings.film import (
    NONE,
    Film,
    Merge,
    Request,
    Step,
    Tree,
    block,
    missing,
    plus,
    shortened,
    signed,
    told,
    value_lines,
)


def greedy_film(asked: Request) -> Film:
    """One merge per step, and the tree of all of them."""
    put, names = asked.question, asked.names
    labels = np.arange(put.m)
    start = put.value(labels)
    steps = [Step(f"Every item begins alone: {asked.what} {start:.4g}.", labels, start)]
    merges: list[Merge] = []
    for a, b, gain, value in asked.oracle.merges(put):
        first, second = np.flatnonzero(labels == labels[a]), np.flatnonzero(labels == labels[b])
        merges.append(Merge(first, second, gain, value))
        labels = np.where(labels == labels[b], labels[a], labels)
        says = f"Join {block(first, names)} and {block(second, names)}: {_why(asked, first, second, gain)}; "
        says += f"{asked.what} {value - gain:.4g} {plus(gain)} = {value:.4g}."
        steps.append(Step(says, canonical(labels), value, changed=np.concatenate([first, second])))
    ended = _best_left(asked, labels)
    return Film(
        asked.oracle.title,
        tuple(steps),
        Tree(start, tuple(merges)),
        f"{ended} {missing(asked, steps[-1].value)}",
    )


def _why(asked: Request, first: Ints, second: Ints, gain: float) -> str:
    cross = float(asked.question.K[np.ix_(first, second)].sum())
    if not asked.question.asks_loss:
        return f"their cross sum {cross:.4g} is the largest"
    return f"K between them sums to {cross:.4g}, and with the loss H gains {gain:.4g}, the most there is"


def _best_left(asked: Request, labels: Ints) -> str:
    """Why the merging ended."""
    put, kinds = asked.question, np.unique(labels)
    if len(kinds) == 1:
        return "All items are in one cluster."
    value = put.value(canonical(labels))
    pairs = [(a, b) for n, a in enumerate(kinds) for b in kinds[n + 1 :]]
    gains = [put.value(canonical(np.where(labels == b, a, labels))) - value for a, b in pairs]
    a, b = pairs[int(np.argmax(gains))]
    joined = (block(np.flatnonzero(labels == c), asked.names) for c in (a, b))
    return f"No merger gains any more: the best left, {' and '.join(joined)}, would add {signed(max(gains))}."


def moves_film(asked: Request) -> Film:
    """One move of an item per step."""
    start, moves = asked.oracle.moves(asked.question)
    labels, value = start.copy(), asked.question.value(canonical(start))
    first = (
        f"A random clustering into {asked.question.groups}: {told(labels, asked.names)}, {asked.what} "
        f"{value:.4g}."
    )
    steps = [Step(first, canonical(labels), value)]
    rows, skipped = shortened(list(moves))
    for move in rows:
        before = steps[-1].value
        old, labels = labels, labels.copy()
        labels[move.item] = move.new
        if skipped and move is rows[-1]:
            labels = _after(start, moves)
        rest = block(
            np.flatnonzero((labels == move.new) & (np.arange(len(labels)) != move.item)), asked.names
        )
        left = block(np.flatnonzero((old == move.old) & (np.arange(len(old)) != move.item)), asked.names)
        says = f"Sweep {move.sweep + 1}: {asked.names[move.item]} leaves {left} for {rest}; "
        says += f"{asked.what} {before:.4g} {plus(move.value - before)} = {move.value:.4g}."
        steps.append(Step(says, canonical(labels), move.value, changed=np.array([move.item])))
    end = f"A sweep moved nothing, and no move lowered the {asked.what}. {missing(asked, steps[-1].value)}"
    return Film(asked.oracle.title, tuple(steps), value_lines(steps, asked, "move"), end)


def _after(start: Ints, moves: list[Any]) -> Ints:
    labels = start.copy()
    for move in moves:
        labels[move.item] = move.new
    return labels


def batch_film(asked: Request) -> Film:
    """One sweep per step."""
    rows, _ = shortened(list(asked.oracle.history(asked.question)))
    steps: list[Step] = []
    for n, (labels, value) in enumerate(rows):
        before = steps[-1] if steps else None
        if before is None:
            says, changed = (
                f"A random clustering: {told(labels, asked.names)}, {asked.what} {value:.4g}.",
                NONE,
            )
        else:
            changed = moved_items(before.labels, labels)
            went = (
                f"{block(changed, asked.names)} went to their nearest centres"
                if len(changed)
                else "nothing moved"
            )
            says = (
                f"Sweep {n}: {went}; {asked.what} {before.value:.4g} {plus(value - before.value)} = "
                f"{value:.4g}."
            )
        steps.append(Step(says, canonical(labels), value, changed=changed))
    best = max(steps, key=lambda step: step.value)
    seen = f"{told(best.labels, asked.names)}, {asked.what} {best.value:.4g}"
    kept = "" if best.value <= steps[-1].value + 1e-9 else f" The best one seen is answered: {seen}."
    verdict = f"{circles(steps, asked)}{kept} {missing(asked, best.value)}"
    return Film(asked.oracle.title, tuple(steps), value_lines(steps, asked, "sweep"), verdict)


def moved_items(before: Ints, after: Ints) -> Ints:
    """The items that changed cluster, clusters of both being matched where they share the most items."""
    shared = np.zeros((int(before.max()) + 1, int(after.max()) + 1), dtype=int)
    np.add.at(shared, (before, after), 1)
    match = -np.ones(shared.shape[1], dtype=int)
    for _ in range(min(shared.shape)):
        a, b = np.unravel_index(int(np.argmax(shared)), shared.shape)
        match[b] = a
        shared[a, :] = shared[:, b] = -1
    return np.flatnonzero(match[after] != before)


def circles(steps: list[Step], asked: Request) -> str:
    """How batch k-means ended: settled, going round, or out of sweeps."""
    values = np.array([step.value for step in steps])
    fell = int(np.sum(np.diff(values) < -1e-9))
    falls = f" The {asked.what} fell {fell} time{'s' if fell > 1 else ''}: K is indefinite." if fell else ""
    if len(steps) > 1 and np.array_equal(steps[-1].labels, steps[-2].labels):
        return f"Nothing moves any more.{falls}"
    seen = [n for n, step in enumerate(steps[:-1]) if np.array_equal(step.labels, steps[-1].labels)]
    if seen:
        period = len(steps) - 1 - seen[-1]
        return f"It goes round in a circle of {period} clusterings.{falls}"
    return f"The sweeps ran out.{falls}"
