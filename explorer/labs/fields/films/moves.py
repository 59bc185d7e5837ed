"""Oracles that improve one labelling, as films: greedy search, conditional modes, expansions and swaps.

    gain of a step = score after - score before,      never below 0

They end where no step of their kind helps: single nodes for greedy search and conditional modes, all nodes
that want one state for expansions. The larger the steps, the fewer labellings they can be stuck at. Cost:
that of the oracle.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.oracles.belief import Belief
from explorer.engine.structures.fields.oracles.expansion import expand
from explorer.engine.structures.fields.oracles.greedy import Greedy
from explorer.engine.vectors import Array, Ints
from explorer.labs.fields.film import MOST_STEPS, Film, Request, Step, listed, missing, score_of, score_track

MOST_NODES = 400
"""Films of single nodes are made for fields up to this size; of larger ones the start and the end are
shown.
"""


def walk(asked: Request, rows: Sequence[tuple[str, Ints]], ended: str) -> Film:
    """A film of labellings, each with the beginning of its sentence; a long walk jumps to its end."""
    if len(rows) > MOST_STEPS:
        rows = [*rows[: MOST_STEPS - 1], (f"{len(rows) - MOST_STEPS} more steps at once", rows[-1][1])]
    steps: list[Step] = []
    for says, labels in rows:
        score = score_of(asked.field, labels)
        before = steps[-1] if steps else None
        changed = np.flatnonzero(before.labels != labels) if before else np.zeros(0, dtype=np.int64)
        gain = (
            f": {before.score:.4g} + {score - before.score:.4g} = {score:.4g}"
            if before
            else f": score {score:.4g}"
        )
        steps.append(Step(f"{says}{gain}.", labels, score, changed=changed))
    verdict = f"{ended} {missing(steps[-1].score, asked.top)}"
    return Film(asked.name, tuple(steps), score_track(steps, asked.top, "step"), verdict)


def greedy_film(asked: Request) -> Film:
    """One flip per step, the one that gains the most."""
    oracle, field = asked.oracle, asked.field
    start = (
        "Every node starts in state 0"
        if oracle.start == "zeros"
        else "Every node starts in its own best state"
    )
    if len(field.unary) > MOST_NODES:
        rows = [(start, oracle.first(field)), ("All flips at once", asked.labels)]
        return walk(asked, rows, "No single flip gains any more.")
    path = oracle.path(field)
    rows = [(start, path[0])]
    for before, after in pairwise(path):
        u = int(np.flatnonzero(before != after)[0])
        rows.append((f"Node {u} goes from {before[u]} to {after[u]}, the flip that gains the most", after))
    return walk(asked, rows, "No single flip gains any more.")


def icm_film(asked: Request) -> Film:
    """Node after node; only those that move are steps."""
    field = asked.field
    labels = np.argmax(field.unary, axis=1).astype(np.int64)
    rows = [("Every node starts in its own best state", labels.copy())]
    if len(labels) > MOST_NODES:
        rows.append(("All rounds at once", asked.labels))
        return walk(asked, rows, "A whole round changed nothing.")
    near, moved = neighbours(field), True
    while moved:
        moved = False
        for u in range(len(labels)):
            score = worth(field, labels, u, near[u])
            if score[labels[u]] < score.max():
                before, labels[u], moved = labels[u], int(np.argmax(score)), True
                rows.append(
                    (f"Node {u} goes from {before} to {labels[u]}, best beside its neighbours", labels.copy())
                )
    return walk(asked, rows, "A whole round changed nothing.")


def neighbours(field: Fields) -> list[list[tuple[int, int]]]:
    """For each node the edges at it, each with the side on which it is."""
    near: list[list[tuple[int, int]]] = [[] for _ in field.unary]
    for e, (a, b) in enumerate(field.ends.tolist()):
        near[a].append((e, 0))
        near[b].append((e, 1))
    return near


def worth(field: Fields, labels: Ints, u: int, near: list[tuple[int, int]]) -> Array:
    """What each state of node u is worth while its neighbours keep theirs."""
    out = field.unary[u].copy()
    for e, side in near:
        other, table = labels[field.ends[e, 1 - side]], field.pair[field.table[e]]
        out += table[:, other] if side == 0 else table[other]
    return out


def expansion_film(asked: Request) -> Film:
    """One offered state per step."""
    labels = np.argmax(asked.field.unary, axis=1).astype(np.int64)
    rows = [("Every node starts in its own best state", labels)]
    for move in expand(asked.field, asked.oracle.sweeps):
        labels = labels.copy()
        labels[move.changed] = move.state
        taken = (
            f"{listed(move.changed)} took it" if len(move.changed) else "no set of nodes gains by taking it"
        )
        rows.append((f"State {move.state} is offered to all nodes at once; {taken}", labels))
    return walk(asked, rows, "No state that is offered is taken any more.")


def swap_film(asked: Request) -> Film:
    """One round over all pairs of states per step."""
    oracle, field = asked.oracle, asked.field
    rows = [("Every node starts in its own best state", np.argmax(field.unary, axis=1).astype(np.int64))]
    for sweep in range(1, min(oracle.sweeps, MOST_STEPS) + 1):
        labels = type(oracle)(sweeps=sweep).solve(field).labels
        moved = np.flatnonzero(labels != rows[-1][1])
        rows.append((f"Round {sweep} over all pairs of states moved {listed(moved)}", labels))
        if not len(moved):
            break
    return walk(asked, rows, "No pair of states exchanges nodes any more.")


def combine_film(asked: Request) -> Film:
    """The two answers, and the one that is kept."""
    oracle, field = asked.oracle, asked.field
    greedy = Greedy(oracle.start).solve(field).labels
    belief = Belief(oracle.sweeps, oracle.damping, oracle.tolerance).solve(field).labels
    rows = [
        ("Greedy search answers", greedy),
        ("Belief propagation answers", belief),
        ("The better one is kept", asked.labels),
    ]
    return walk(asked, rows, "Two guesses fail together less often than one.")
