"""The price C by cross validation: for every fold and every C, train on the other folds and measure the loss
on it.

Finley 2009, section 5.5.1: 14 values, 10 folds, for each set and oracle of training, never for each
predictor. The folds are drawn once. Within a fold C grows, and the planes found for one C are kept for the
next: they do not depend on it, so that most of the work is done only once. The held-out fold is predicted
with the oracle that trained. Among equal losses the smallest C is taken.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from explorer.engine.catalogue.validation import folds_of
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.studies.support.fitting import cutting_planes, final_step
from explorer.studies.support.sets import examples_at
from explorer.studies.support.study import Pulse, quiet


@dataclass(frozen=True, slots=True)
class Validated:
    """The mean loss on a fold, at a price."""

    fold: int
    C: float
    loss: float
    rounds: int


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A point of the curve: the mean over folds, and its standard error."""

    C: float
    loss: float
    error: float


def cross_validate(
    problem: FieldLabelling,
    prices: Sequence[float],
    folds: int,
    eps: float,
    seed: int = 0,
    pulse: Pulse = quiet,
) -> Iterator[Validated]:
    """Fold by fold, C from the smallest to the largest."""
    data = problem.dataset
    for fold, held in enumerate(folds_of(problem.n, folds, seed)):
        rest = np.setdiff1d(np.arange(problem.n), held)
        training, testing = problem.on(examples_at(data, rest)), problem.on(examples_at(data, held))
        state: Mapping[str, Any] | None = None
        for C in sorted(prices):
            last = final_step(cutting_planes(training, C, eps, state=state, pulse=_noted(pulse, fold, C)))
            loss = float(np.mean(testing.losses(testing.predictions(last.w))))
            yield Validated(fold, C, loss, last.k + 1)
            # A plane that was idle at this C may be what the next needs; rounds are counted from 0 again.
            state = {**last.state, "idle": np.zeros_like(last.state["idle"]), "k": -1}


def curve(found: Sequence[Validated]) -> list[CurvePoint]:
    """Mean and standard error over the folds, for every C."""
    out = []
    for C, group in groupby(sorted(found, key=lambda v: v.C), key=lambda v: v.C):
        losses = np.array([v.loss for v in group])
        error = float(np.std(losses, ddof=1) / np.sqrt(len(losses))) if len(losses) > 1 else float("nan")
        out.append(CurvePoint(C, float(np.mean(losses)), error))
    return out


def best_price(found: Sequence[Validated]) -> float:
    """The C of the smallest mean loss, the smallest of equals."""
    return min(curve(found), key=lambda point: (point.loss, point.C)).C


def _noted(pulse: Pulse, fold: int, C: float) -> Pulse:
    return lambda note: pulse(f"fold {fold + 1}, C = {C:g}: {note}")
