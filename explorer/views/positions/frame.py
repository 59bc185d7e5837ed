"""Where in a labelling the mistakes are: the share of wrong parts at each position, and for each length.

    wrong(p) = share of the examples with a position p whose guess differs from the truth there

Guesses are those of the problem's own predictor at the cursor's weights. Cost: one prediction per example
that is looked at.
"""

from dataclasses import dataclass

import numpy as np

from explorer.engine.contracts import Batch, Problem
from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Array, Ints
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.drawing.thinning import examples_to_look_at, part_of
from explorer.views.kit.words.label_words import hard_labels

MOST = 400
"""Positions, and lengths, that are drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """Of each place (a position or a length) the share that is wrong, and of how many."""

    place: Ints
    wrong: Array
    count: Ints


@dataclass(frozen=True, slots=True, eq=False)
class PositionsFrame:
    """Shares of wrong parts by position and by length, on `looked` of `n` examples."""

    at: int
    split: str
    n: int
    looked: int
    part: str
    by_position: Shares
    by_length: Shares


def shares(places: Ints, wrong: Array) -> Shares:
    """The mean of `wrong` at each place."""
    if not len(places):
        return Shares(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0, dtype=np.int64))
    known, where, count = np.unique(places, return_inverse=True, return_counts=True)
    return Shares(known[:MOST], (np.bincount(where, weights=wrong) / count)[:MOST], count[:MOST])


def frame(problem: Problem, trace: Trace, at: int, split: str = "training") -> PositionsFrame | None:
    """Where the weights at step `at` are wrong on the problem's data; None before there are any."""
    if not len(trace) or not problem.n:
        return None
    moment, states = trace.at(at), len(depiction_of(problem).states(problem))
    looked = examples_to_look_at(problem.dataset, not isinstance(problem, Batch))
    part = problem if len(looked) == problem.n else problem.on(part_of(problem.dataset, looked))
    several = part.predictions(moment.w) if isinstance(part, Batch) else None
    guesses = several or [part.predict(moment.w, x) for x in part.dataset.inputs]
    wrong, truths = [], [np.ravel(label) for label in part.dataset.labels]
    for truth, guess in zip(truths, guesses, strict=True):
        wrong.append(np.ravel(hard_labels(guess, truth, states)) != truth)
    where = np.concatenate([np.arange(len(truth)) for truth in truths])
    lengths = np.array([len(truth) for truth in truths], dtype=np.int64)
    return PositionsFrame(
        moment.at,
        split,
        problem.n,
        len(looked),
        depiction_of(problem).part(problem),
        shares(where, np.concatenate(wrong).astype(float)),
        shares(lengths, np.array([one.mean() if len(one) else 0.0 for one in wrong])),
    )
