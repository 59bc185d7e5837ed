"""Several classes by many binary machines, as they were before the multiclass machine: the baselines to
compare with.

    one against the rest    K machines, class k against all others; the answer is the class of the largest
                            score
    one against one         K (K - 1) / 2 machines, each on the examples of two classes; the answer is the
                            class with the most votes, the smaller one among equals

Iglesias 2013, section 2.1.4 (the simplest error-correcting codes). Every machine is trained by itself, with
any learner that takes binary problems, so what the classes have in common is not used, and scores of
different machines are compared although nothing made them comparable. Cost: K runs on n examples, or K (K -
1) / 2 runs on about 2 n / K.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from explorer.engine.checks import checked_points
from explorer.engine.contracts import Dataset, Learner
from explorer.engine.events import Step
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Until, train
from explorer.engine.structures.classes.binary import Binary
from explorer.engine.vectors import Array, Ints

ENOUGH = Until(relative_gap=1e-3, passes=200.0)
"""When each machine is done: at a small gap, or after this many passes for learners that know none."""


@dataclass(frozen=True, slots=True, eq=False)
class Machine:
    """One trained binary machine: `positive` against the class `negative`, or against all others (None)."""

    positive: int
    negative: int | None
    problem: Binary
    w: Array

    def scores(self, inputs: Array) -> Array:
        """w . x + b of every row: positive on the side of the class `positive`."""
        normal, offset = self.problem.plane(self.w)
        return np.asarray(inputs @ normal + offset)


@dataclass(frozen=True, slots=True, eq=False)
class Committee:
    """Binary machines that answer together."""

    classes: int
    machines: tuple[Machine, ...]

    def tally(self, inputs: Any) -> Array:
        """What each class has in favour of it for every row: its score, or its votes."""
        rows = np.atleast_2d(np.asarray(inputs, dtype=float))
        total = np.zeros((len(rows), self.classes))
        for machine in self.machines:
            score = machine.scores(rows)
            if machine.negative is None:
                total[:, machine.positive] = score
            else:
                # On the plane itself the vote goes to the smaller class, as ties do everywhere.
                winner = np.where(score > 0.0, machine.positive, machine.negative)
                winner[score == 0.0] = min(machine.positive, machine.negative)
                total[np.arange(len(rows)), winner] += 1.0
        return total

    def predictions(self, inputs: Any) -> list[int]:
        """The class with the most in favour of it for every row; ties go to the smaller class."""
        return [int(k) for k in np.argmax(self.tally(inputs), axis=1)]

    def predict(self, x: Any) -> int:
        """The class of one input."""
        return self.predictions(x)[0]

    def mean_loss(self, dataset: Dataset) -> float:
        """The share of examples that are put into the wrong class."""
        return float(np.mean(np.array(self.predictions(dataset.inputs)) != np.asarray(dataset.labels)))


def one_vs_rest(
    dataset: Dataset,
    classes: int,
    learner: Learner,
    *,
    bias: str = "free",
    rule: Until = ENOUGH,
    seed: int = 0,
) -> Committee:
    """K machines, each of one class against all others."""
    inputs, labels = _checked(dataset, classes)
    fit = _fitter(learner, bias, rule, seed)
    return Committee(
        classes, tuple(fit(k, None, inputs, np.asarray(labels == k, dtype=np.int64)) for k in range(classes))
    )


def one_vs_one(
    dataset: Dataset,
    classes: int,
    learner: Learner,
    *,
    bias: str = "free",
    rule: Until = ENOUGH,
    seed: int = 0,
) -> Committee:
    """K (K - 1) / 2 machines, each of two classes on their own examples."""
    inputs, labels = _checked(dataset, classes)
    fit = _fitter(learner, bias, rule, seed)
    machines = []
    for a, b in combinations(range(classes), 2):
        here = np.flatnonzero((labels == a) | (labels == b))
        machines.append(fit(a, b, inputs[here], np.asarray(labels[here] == a, dtype=np.int64)))
    return Committee(classes, tuple(machines))


def _checked(dataset: Dataset, classes: int) -> tuple[Array, Ints]:
    """The points and labels, with at least one example of each of at least two classes."""
    inputs, labels = checked_points(dataset.inputs, dataset.labels, classes)
    if classes < 2:
        raise Refused(f"there are {classes} classes; give at least two to tell apart")
    missing = sorted(set(range(classes)) - set(labels.tolist()))
    if missing:
        raise Refused(f"class {missing[0]} has no example; give one of each class, or leave the class out")
    return inputs, labels


def _fitter(learner: Learner, bias: str, rule: Until, seed: int) -> Callable[..., Machine]:
    """What trains one machine: always from the same seed, so that machines do not depend on each other."""

    def fit(positive: int, negative: int | None, inputs: Array, is_positive: Ints) -> Machine:
        against = "rest" if negative is None else str(negative)
        problem = Binary(Dataset(f"{positive} against {against}", inputs, is_positive), bias)
        w = np.zeros(problem.dim)
        for event in train(problem, learner, seed=seed, rule=rule):
            if isinstance(event, Step):
                w = event.w
        return Machine(positive, negative, problem, w)

    return fit
