"""The referee: objective and predictions of anybody's weights, in plain numpy, with no code of the learners.

    P(w) = 1/2 |w|^2 + C_sum * sum_i max_y [ wrong positions of y + w . Psi(x_i, y) - w . Psi(x_i, y_i) ]

Weights come in one layout: emissions F x K, then transitions K x K, then (with `ends`) K start and K stop
weights; a multiclass problem has emissions alone. Cost: a K x K maximum per position.
"""

from typing import Any, NamedTuple

import numpy as np


class Scores(NamedTuple):
    """A weight vector taken apart."""

    emissions: Any
    trans: Any
    start: Any
    stop: Any


def split(w: Any, features: int, states: int, ends: bool) -> Scores:
    """The parts of w; without `ends` the start and stop weights are 0."""
    tail = w[features * states :]
    if len(tail) != states**2 + 2 * states * ends:
        raise ValueError(f"{len(w)} weights do not fit {features} features and {states} states")
    nothing = np.zeros(states)
    start, stop = (
        (tail[states**2 : states**2 + states], tail[states**2 + states :]) if ends else (nothing, nothing)
    )
    return Scores(
        w[: features * states].reshape(features, states),
        tail[: states**2].reshape(states, states),
        start,
        stop,
    )


def path_score(unary: Any, part: Scores, path: Any) -> float:
    """The score of one labelling."""
    positions = unary[np.arange(len(path)), path].sum() + part.trans[path[:-1], path[1:]].sum()
    return float(positions + part.start[path[0]] + part.stop[path[-1]])


def best_score(unary: Any, part: Scores) -> float:
    """The largest score of any labelling."""
    best = part.start + unary[0]
    for row in unary[1:]:
        best = (best[:, None] + part.trans).max(axis=0) + row
    return float((best + part.stop).max())


def best_path(unary: Any, part: Scores) -> Any:
    """The labelling with the largest score."""
    best, back = part.start + unary[0], []
    for row in unary[1:]:
        table = best[:, None] + part.trans
        back.append(table.argmax(axis=0))
        best = table.max(axis=0) + row
    path = [int((best + part.stop).argmax())]
    for pointers in reversed(back):
        path.append(int(pointers[path[-1]]))
    return np.array(path[::-1])


def chain_objective(inputs: Any, labels: Any, w: Any, states: int, ends: bool, C_sum: float) -> float:
    """P(w) on chains; inputs are (T, F) arrays or sparse matrices."""
    part = split(w, inputs[0].shape[1], states, ends)
    slack = 0.0
    for x, y in zip(inputs, labels, strict=True):
        unary = np.asarray(x @ part.emissions)
        wrong = np.ones_like(unary)
        wrong[np.arange(len(y)), y] = 0.0
        slack += max(0.0, best_score(unary + wrong, part) - path_score(unary, part, y))
    return 0.5 * float(w @ w) + C_sum * slack


def chain_predictions(inputs: Any, w: Any, states: int, ends: bool) -> list[Any]:
    """The best labelling of every chain."""
    part = split(w, inputs[0].shape[1], states, ends)
    return [best_path(np.asarray(x @ part.emissions), part) for x in inputs]


def class_objective(X: Any, y: Any, w: Any, classes: int, C_sum: float) -> float:
    """P(w) for one label among K."""
    score = X @ w.reshape(-1, classes)
    rows = np.arange(len(y))
    wrong = np.ones_like(score)
    wrong[rows, y] = 0.0
    return 0.5 * float(w @ w) + C_sum * float(((score + wrong).max(axis=1) - score[rows, y]).sum())


def error(truth: Any, answers: Any) -> float:
    """The share of wrong positions."""
    return float(np.mean(np.concatenate(list(answers)) != np.concatenate(list(truth))))
