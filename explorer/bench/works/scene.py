"""Scenes with any of six labels: 1,211 pictures, a fully connected field of the labels, a relaxed oracle, to
a gap of 1%.

The relaxation is solved by roof duality, whose value is that of the linear program. scikit-learn's LinearSVC,
one per label, is the baseline without edges.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.svm import LinearSVC

from explorer.bench import ours
from explorer.bench.work import Clock, Outcome, Record, Work, data_file
from explorer.engine.contracts import Dataset
from explorer.engine.data.readers.scene import read_scene
from explorer.engine.learners import OneSlack, SequentialDual
from explorer.engine.objective import from_sum
from explorer.engine.structures.fields.label_map import LabelMap, all_pairs
from explorer.engine.structures.fields.oracles import Exhaustive, RoofDuality
from explorer.engine.structures.fields.problem import FieldLabelling

LABELS, C_SUM = 6, 0.1
OURS = "sequential dual, roof duality, 1%"


class Scenes(NamedTuple):
    """Training and test pictures."""

    train: Dataset
    test: Dataset


def load(folder: Path | None) -> Scenes:
    """The scene data in the data folder."""
    return Scenes(*read_scene(data_file(folder, "scene.npz")))


def few(scenes: Scenes) -> Scenes:
    """The first pictures."""
    train = scenes.train
    return scenes._replace(
        train=replace(train, inputs=train.inputs[:40], labels=np.asarray(train.labels)[:40])
    )


def scene_problem(oracle: Any) -> Callable[[Scenes], FieldLabelling]:
    """Our problem with this oracle."""
    return lambda scenes: FieldLabelling(
        scenes.train, LabelMap(LABELS, all_pairs(LABELS)), separator=oracle, predictor=oracle
    )


def apart(scenes: Scenes) -> Outcome:
    """One linear SVM for each label."""
    X, y = scenes.train.inputs, np.asarray(scenes.train.labels)
    with Clock() as clock:
        fitted = [LinearSVC(C=C_SUM, loss="hinge", max_iter=20_000).fit(X, column) for column in y.T]
    return Outcome(clock, answers=np.stack([one.predict(scenes.test.inputs) for one in fitted], axis=1))


def labellings_scores(X: Any, w: Any) -> tuple[Any, Any]:
    """Every subset of the labels, and the score of each for every row: plain numpy, for the referee."""
    every = np.array(list(product((0, 1), repeat=LABELS)))
    split = X.shape[1] * LABELS
    joint = np.array([y[u] * y[v] for y in every for u in range(LABELS) for v in range(u + 1, LABELS)])
    return every, (X @ w[:split].reshape(-1, LABELS)) @ every.T + joint.reshape(len(every), -1) @ w[split:]


def score(scenes: Scenes, outcome: Outcome) -> Record:
    """Exact objective of the weights by enumeration, and the share of wrong test labels."""
    truth = np.asarray(scenes.test.labels)
    if outcome.weights is None:
        return {"test_error": float(np.mean(outcome.answers != truth))}
    w, y = outcome.weights, np.asarray(scenes.train.labels)
    every, found = labellings_scores(scenes.train.inputs, w)
    wrong = np.sum(every[None] != y[:, None], axis=2)
    own = found[np.arange(len(y)), y @ (1 << np.arange(LABELS))[::-1]]
    primal = 0.5 * float(w @ w) + C_SUM * float(np.sum((found + wrong).max(axis=1) - own))
    every, found = labellings_scores(scenes.test.inputs, w)
    return {"primal": primal, "test_error": float(np.mean(every[np.argmax(found, axis=1)] != truth))}


WORK = Work(
    "scene",
    "1,211 scenes, six labels, fully connected, to a gap of 1%; LinearSVC for each label beside it",
    load,
    {
        OURS: ours.contestant(
            scene_problem(RoofDuality()), few, lambda n: SequentialDual(from_sum(C_SUM, n)), 0.01
        ),
        "sequential dual, exhaustive, 1%": ours.contestant(
            scene_problem(Exhaustive()), few, lambda n: SequentialDual(from_sum(C_SUM, n)), 0.01
        ),
        "1-slack, roof duality, 1%": ours.contestant(
            scene_problem(RoofDuality()), few, lambda n: OneSlack(from_sum(C_SUM, n), eps=1e-4), 0.01
        ),
        "LinearSVC, one per label": apart,
    },
    score,
)
