"""Oracles that improve one labelling, as films: greedy search, conditional modes, expansions and swaps.

    gain of a step = score after - score before,      never below 0

They end where no step of their kind helps: single nodes for greedy search and conditional modes, all nodes
that want one state for expansions. The larger the steps, the fewer labellings they can be stuck at. Cost:
that of the oracle.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from explorer.engine.structures.fields.oracles.belief import Belief
from explorer.engine.structures.fields.oracles.expansion import expand
from explorer.engine.structures.fields.oracles.greedy import Greedy
from explorer.engine.vectors import Ints
from explorer.labs.fields.film import FieldFilm, FieldRequest, FieldStep, node_words, own_best, score_of
from explorer.labs.film import MOST_STEPS, NONE, Film, shorten

MOST_NODES = 400
"""Films of single nodes are made for fields up to this size; of larger ones the start and the end are shown.
"""

OWN = "Every node starts in its own best state"


def walk(asked: FieldRequest, rows: Sequence[tuple[str, Ints]], ended: str) -> FieldFilm:
    """A film of labellings, each with the beginning of its sentence; a long walk jumps to its end."""
    few, skipped = shorten(rows)
    if skipped:
        few[-1] = (f"{skipped} more steps at once", few[-1][1])
    steps: list[FieldStep] = []
    for says, labels in few:
        score = score_of(asked.question, labels)
        before = steps[-1] if steps else None
        changed = np.flatnonzero(before.labels != labels) if before else NONE
        gain = (
            f": {before.value:.4g} + {score - before.value:.4g} = {score:.4g}"
            if before
            else f": score {score:.4g}"
        )
        steps.append(FieldStep(f"{says}{gain}.", labels, score, changed=changed))
    verdict = f"{ended} {asked.verdict(steps[-1].value)}"
    return Film(asked.reply.title, tuple(steps), asked.curves(steps, "step"), verdict)


def walk_nodes(asked: FieldRequest, start: str, why: str, ended: str) -> FieldFilm:
    """A walk along the oracle's own path, on which one node changes at a time."""
    if len(asked.labels) > MOST_NODES:
        first = asked.oracle.first(asked.question)
        return walk(asked, [(start, first), ("All changes at once", asked.labels)], ended)
    path = asked.oracle.path(asked.question)
    rows = [(start, path[0])]
    for before, after in pairwise(path):
        u = int(np.flatnonzero(before != after)[0])
        rows.append((f"Node {u} goes from {before[u]} to {after[u]}, {why}", after))
    return walk(asked, rows, ended)


def greedy_film(asked: FieldRequest) -> FieldFilm:
    """One flip per step, the one that gains the most."""
    start = "Every node starts in state 0" if asked.oracle.start == "zeros" else OWN
    return walk_nodes(asked, start, "the flip that gains the most", "No single flip gains any more.")


def icm_film(asked: FieldRequest) -> FieldFilm:
    """Node after node; only those that move are steps."""
    return walk_nodes(asked, OWN, "best beside its neighbours", "A whole round changed nothing.")


def expansion_film(asked: FieldRequest) -> FieldFilm:
    """One offered state per step."""
    labels = own_best(asked.question)
    rows = [(OWN, labels)]
    for move in expand(asked.question, asked.oracle.sweeps):
        labels = labels.copy()
        labels[move.changed] = move.state
        took = (
            f"{node_words(move.changed)} took it"
            if len(move.changed)
            else "no set of nodes gains by taking it"
        )
        rows.append((f"State {move.state} is offered to all nodes at once; {took}", labels))
    return walk(asked, rows, "No state that is offered is taken any more.")


def swap_film(asked: FieldRequest) -> FieldFilm:
    """One round over all pairs of states per step."""
    oracle, field = asked.oracle, asked.question
    rows = [(OWN, own_best(field))]
    for sweep in range(1, min(oracle.sweeps, MOST_STEPS) + 1):
        labels = type(oracle)(sweeps=sweep).solve(field).labels
        moved = np.flatnonzero(labels != rows[-1][1])
        rows.append((f"Round {sweep} over all pairs of states moved {node_words(moved)}", labels))
        if not len(moved):
            break
    return walk(asked, rows, "No pair of states exchanges nodes any more.")


def combine_film(asked: FieldRequest) -> FieldFilm:
    """The two answers, and the one that is kept."""
    oracle, field = asked.oracle, asked.question
    greedy = Greedy(oracle.start).solve(field).labels
    belief = Belief(oracle.sweeps, oracle.damping, oracle.tolerance).solve(field).labels
    rows = [
        ("Greedy search answers", greedy),
        ("Belief propagation answers", belief),
        ("The better one is kept", asked.labels),
    ]
    return walk(asked, rows, "Two guesses fail together less often than one.")
