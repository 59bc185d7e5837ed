"""Which examples are hard: the loss of every example at this step's w, and which state is taken for which.

    loss_i = Delta(y_i, predict(w, x_i)),    confusion[a, b] = positions of state a that are predicted as b

The predictions are those of the problem's own predictor at the cursor's weights. Cost: one prediction per
example; data of very many positions are looked at through evenly spaced examples.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.contracts import Batch, Problem
from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Array, Ints
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.drawing.thinning import examples_to_look_at, part_of
from explorer.views.kit.words.label_words import are_states, hard_labels
from explorer.wording import number

TOP = 60


@dataclass(frozen=True, slots=True, eq=False)
class ExamplesFrame:
    """Losses of the looked-at examples, the hardest first, and counts of confused positions."""

    at: int
    w_at: int
    split: str
    n: int
    looked: int
    wrong: int
    mean: float
    example: Ints
    loss: Array
    length: Ints
    truth: tuple[str, ...]
    guess: tuple[str, ...]
    given: tuple[str, ...]
    states: tuple[str, ...]
    confusion: Ints
    worst: Ints
    part: str = "position"


def frame(problem: Problem, trace: Trace, at: int, split: str = "training") -> ExamplesFrame | None:
    """What the weights of the nearest kept step up to `at` do on the problem's data; None if untrained."""
    if not len(trace) or not problem.n:
        return None
    moment = trace.at(min(at, len(trace) - 1))
    looked = examples_to_look_at(problem.dataset, not isinstance(problem, Batch))
    part = problem if len(looked) == problem.n else problem.on(part_of(problem.dataset, looked))
    inputs, labels = part.dataset.inputs, part.dataset.labels
    several = part.predictions(moment.w) if isinstance(part, Batch) else None
    guesses = [part.predict(moment.w, x) for x in inputs] if several is None else several
    losses = np.array([part.loss(i, guess) for i, guess in enumerate(guesses)], dtype=float)
    order = np.argsort(-losses, kind="stable")
    depiction = depiction_of(problem)
    states = depiction.states(problem)
    confusion, worst = count_confusions(labels, guesses, order, len(states))
    top = order[:TOP]
    return ExamplesFrame(
        moment.at,
        moment.w_at,
        split,
        problem.n,
        len(looked),
        int(np.count_nonzero(losses > 0.0)),
        float(losses.mean()),
        looked[top],
        losses[top],
        np.array([np.size(labels[int(i)]) for i in top]),
        tuple(depiction.label_text(part, labels[int(i)], int(i)) for i in top),
        tuple(depiction.label_text(part, guesses[int(i)], int(i)) for i in top),
        tuple(depiction.input_text(part, int(i)) for i in top),
        states,
        confusion,
        np.where(worst >= 0, looked[worst], -1),
        depiction.part(problem),
    )


def count_confusions(labels: Any, guesses: Sequence[Any], order: Ints, states: int) -> tuple[Ints, Ints]:
    """Counts of (truth, guess) over all positions, and the hardest example of each pair, or -1.

    A fractional position counts with the state of its largest share.
    Both are empty when labels are not states, or not position by position.
    """
    count = np.zeros((states, states), dtype=np.int64)
    worst = np.full((states, states), -1, dtype=np.int64)
    for i in reversed(order.tolist()):
        truth = np.ravel(labels[i])
        guess = np.ravel(hard_labels(guesses[i], truth, states))
        if not are_states(truth, states) or not are_states(guess, states) or len(truth) != len(guess):
            return np.zeros((0, 0), dtype=np.int64), np.zeros((0, 0), dtype=np.int64)
        np.add.at(count, (truth, guess), 1)
        worst[truth, guess] = i
    return count, worst


def sentence(shown: ExamplesFrame | None) -> str:
    """How many examples are wrong, which is the hardest, and which states are confused most."""
    if shown is None:
        return "Nothing trained yet: press play, and the hardest examples appear here."
    kept = "" if shown.w_at == shown.at else f" (weights of step {shown.w_at}, the nearest kept)"
    some = "" if shown.looked == shown.n else f" of {shown.n:,} evenly sampled"
    text = f"Step {shown.at}{kept}, {shown.split} data: {shown.wrong} of {shown.looked:,} examples{some} "
    text += f"are wrong, mean loss {number(shown.mean)}."
    if shown.wrong:
        text += f" Hardest is example {shown.example[0]}, loss {number(float(shown.loss[0]))}."
    off = shown.confusion * (1 - np.eye(len(shown.confusion), dtype=np.int64))
    if off.size and off.max() > 0:
        a, b = np.unravel_index(int(np.argmax(off)), off.shape)
        times = "once" if off[a, b] == 1 else f"{off[a, b]} times"
        text += f" Most often {shown.states[a]} is taken for {shown.states[b]}: {times}."
    return text


def table(shown: ExamplesFrame | None) -> dict[str, Any]:
    """The hardest examples with their labels."""
    if shown is None:
        return {"example": [], "loss": [], "positions": [], "input": [], "truth": [], "predicted": []}
    return {
        "example": shown.example,
        "loss": [float(v) for v in shown.loss],
        f"{shown.part}s": shown.length,
        "input": shown.given,
        "truth": shown.truth,
        "predicted": shown.guess,
    }
