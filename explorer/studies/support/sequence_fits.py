"""Models of label sequences for studies: who trains them, how far, and what share of positions is right.

    margin        hidden Markov SVM: the sequential dual method to a relative gap of `gap`
    field         conditional random field: L-BFGS to the same gap
    perceptron    averaged, so many passes
    counted       the hidden Markov model of the same rows

The thesis puts its regularisation before |w|^2 / 2 and adds slacks up: its `reg` is C = n / reg here.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from explorer.engine.contracts import Dataset, Learner
from explorer.engine.events import Step, Stopped
from explorer.engine.learners import CRF, Perceptron, SequentialDual
from explorer.engine.runs.streams import Cancelled, Until, train
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.vectors import Array
from explorer.studies.support.study import Pulse, quiet

MOST_PASSES = 200.0
"""Where weak regularisation needs more, the gap that is left is told beside the result."""


class SequenceFit(NamedTuple):
    """Weights, the gap that was proved, and what it took."""

    w: Array
    gap: float
    passes: float
    seconds: float
    state: Mapping[str, Any]


def price_of_reg(reg: float, n: int) -> float:
    """C for the thesis' regularisation."""
    return n / reg


def fit_chain(
    problem: Chain, learner: Learner, gap: float, pulse: Pulse = quiet, state: Any = None
) -> SequenceFit:
    """Train until the relative gap is small enough, or the learner ends."""
    note, last = "begins", None

    def cancelled() -> bool:
        pulse(note)
        return False

    kept = None if state is None else {**state, "metered": (0, 0.0, 0.0)}
    rule = Until(relative_gap=gap, passes=MOST_PASSES)
    for event in train(problem, learner, rule=rule, look_every=math.inf, state=kept, cancelled=cancelled):
        if isinstance(event, Step):
            last = event
            note = f"pass {event.oracle_calls / problem.n:.0f}, gap {event.bounds.relative_gap:.3g}"
        if isinstance(event, Stopped) and event.reason == "cancelled":
            raise Cancelled
    assert last is not None
    passes = last.oracle_calls / problem.n
    return SequenceFit(last.w, last.bounds.relative_gap, passes, last.seconds, last.state)


def margin(C: float) -> Learner:
    """The hidden Markov SVM's learner."""
    return SequentialDual(C=C)


def field(C: float) -> Learner:
    """The random field's learner."""
    return CRF(C=C)


def perceptron(passes: int) -> Learner:
    """The averaged perceptron."""
    return Perceptron(averaged=True, passes=passes, proof=False)


def right_share(problem: Chain, w: Array) -> float:
    """The share of positions with the right label, in per cent."""
    return 100.0 * np.mean(np.concatenate(problem.predictions(w)) == problem.truth).item()


def parts_of(data: Dataset, at: Iterable[int]) -> Dataset:
    """The sequences at these places."""
    places = list(at)
    inputs, labels = ([part[i] for i in places] for part in (data.inputs, data.labels))
    return Dataset(data.name, inputs, labels, data.meta)
