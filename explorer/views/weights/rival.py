"""Learned weights of pairs beside those of a machine that was only taught to classify pairs.

    cosine = w . v / (|w| |v|),     agree = how many features have weights of the same sign in both

v is trained on every pair of all item sets (`contrast.pair_classifier`), without an idea of clusterings or
their loss: the comparison of Finley 2009, figure 3.3. It is made once per problem, in a thread of its own,
and shared by all pages; of data with more than `MOST_ENTRIES` entries a part of the sets is looked at. Both
are shown at unit length.
"""

import threading
from collections import OrderedDict
from concurrent.futures import Future
from dataclasses import dataclass

import numpy as np

from explorer.baselines.clustering.pair_classifier import PairClassifier
from explorer.engine.contracts import Problem
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.item_sets import pair_rows
from explorer.engine.structures.clusterings.partitions import pair_count
from explorer.engine.vectors import Array, Ints
from explorer.views.kit.drawing.thinning import evenly
from explorer.views.kit.words.label_words import partition
from explorer.views.kit.words.weight_names import WeightGroup, word_of
from explorer.wording import quantity

MOST_ENTRIES = 20_000_000
KEPT = 8
"""Problems whose rival is remembered."""


@dataclass(frozen=True, slots=True, eq=False)
class Rival:
    """The classifier's weights, from this many of all sets; or why there are none."""

    v: Array
    sets: int
    of: int
    refused: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Rivalry:
    """Named rows of (learned, rival) at unit length, with the group of each, and how alike both are."""

    names: tuple[str, ...]
    group: tuple[str, ...]
    mine: Array
    theirs: Array
    cosine: float
    agree: int
    total: int
    note: str


def sets_to_train(problem: Problem) -> Ints:
    """The sets whose pairs are trained on: all, or evenly spaced ones."""
    entries = [max(1, pair_count(x.m)) * problem.dim for x in problem.dataset.inputs]
    return evenly(problem.n, int(np.clip(MOST_ENTRIES / max(float(np.mean(entries)), 1.0), 1, problem.n)))


def train_rival(problem: Problem) -> Rival:
    """Train the classifier; takes seconds for many pairs."""
    chosen = [int(i) for i in sets_to_train(problem) if problem.dataset.inputs[int(i)].m > 1]
    inputs, labels = problem.dataset.inputs, problem.dataset.labels
    if sum(pair_count(inputs[i].m) * problem.dim for i in chosen) > 2 * MOST_ENTRIES:
        return Rival(
            np.zeros(problem.dim), 0, problem.n, "there are too many pairs for the classifier of pairs"
        )
    try:
        machine = PairClassifier().fit(
            [pair_rows(inputs[i]) for i in chosen], [partition(labels[i]) for i in chosen]
        )
    except Refused as reason:
        return Rival(np.zeros(problem.dim), 0, problem.n, str(reason))
    return Rival(machine.w, len(chosen), problem.n)


_made: "OrderedDict[int, tuple[Problem, Future[Rival]]]" = OrderedDict()
_lock = threading.Lock()


def rival_of(problem: Problem) -> "Future[Rival]":
    """The rival of a problem, made in the background when it is first asked for."""
    with _lock:
        if id(problem) in _made:
            _made.move_to_end(id(problem))
            return _made[id(problem)][1]
        found: Future[Rival] = Future()
        _made[id(problem)] = problem, found  # the problem is held, so that its id stays its own
        while len(_made) > KEPT:
            _made.popitem(last=False)

    def work() -> None:
        try:
            found.set_result(train_rival(problem))
        except Exception as fault:  # noqa: BLE001  # the learned weights are shown without it
            found.set_result(
                Rival(np.zeros(problem.dim), 0, problem.n, f"the classifier of pairs failed: {fault}")
            )

    threading.Thread(target=work, name="pair classifier", daemon=True).start()
    return found


def compare(parts: tuple[WeightGroup, ...], w: Array, rival: Rival | None, count: int = 12) -> Rivalry | None:
    """The largest weights of either, group by group, largest first; None while the rival is being made."""
    if rival is None:
        return None
    mine, theirs = (values / (float(np.sqrt(np.sum(values**2))) or 1.0) for values in (w, rival.v))
    largest = np.argsort(-np.maximum(np.abs(mine), np.abs(theirs)), kind="stable")[:count]
    largest = largest[(mine[largest] != 0.0) | (theirs[largest] != 0.0)]
    place = [next(g for g, part in enumerate(parts) if part.start <= j < part.stop) for j in largest]
    order = np.argsort(place, kind="stable")
    chosen, group = largest[order], [parts[place[k]].name for k in order]
    either = (mine != 0.0) | (theirs != 0.0)
    agree = int(np.count_nonzero(mine * theirs > 0.0))
    note = rival.refused or (
        "" if rival.sets == rival.of else f"the classifier saw {rival.sets} of {rival.of} sets"
    )
    return Rivalry(
        tuple(word_of(parts, int(j)) for j in chosen),
        tuple(group),
        mine[chosen],
        theirs[chosen],
        float(np.sum(mine * theirs)),
        agree,
        int(np.count_nonzero(either)),
        note,
    )


def rival_sentence(shown: Rivalry) -> str:
    """Cosine and agreeing signs."""
    if not np.any(shown.theirs):
        return f"No weights to compare: {shown.note}." if shown.note else ""
    some = f"; {shown.note}" if shown.note else ""
    signs = f"{shown.agree:,} of {quantity(shown.total, 'sign')} agree"
    return f"With a classifier of pairs: cosine {shown.cosine:.3f}, {signs}{some}."
