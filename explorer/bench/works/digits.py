"""Digit images, one label among ten: 1,200 of them scaled to 0..1 with a constant 1, to a proved gap of 0.1%.

scikit-learn's LinearSVC (Crammer and Singer) minimises the very same objective without a proof. Bars: not
slower than at its default tolerance of 0.0001, nor than at 0.01, where its objective happens to be about as
good as ours.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits
from sklearn.svm import LinearSVC

from explorer.bench import ours, referee
from explorer.bench.peers import import_peer
from explorer.bench.table import ratio
from explorer.bench.work import Clock, Outcome, Record, Verdict, Work
from explorer.engine.contracts import Dataset
from explorer.engine.learners import OneSlack, SequentialDual
from explorer.engine.objective import from_sum
from explorer.engine.structures.classes.multiclass import Multiclass

CLASSES, C_SUM, TRAINED = 10, 0.1, 1200
OURS, LIBLINEAR, LOOSE = "sequential dual, 0.1%", "LinearSVC, tol 0.0001", "LinearSVC, tol 0.01"


class Images(NamedTuple):
    """Rows and digits."""

    rows: Any
    labels: Any
    test_rows: Any
    test_labels: Any


def load(folder: Path | None) -> Images:
    """The digits that come with scikit-learn, in a fixed random order."""
    X, y = load_digits(return_X_y=True)
    rows = np.hstack([X / 16.0, np.ones((len(X), 1))])
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[:TRAINED], order[TRAINED:]
    return Images(rows[train], y[train].astype(np.int64), rows[test], y[test].astype(np.int64))


def few(images: Images) -> Images:
    """The first images."""
    return images._replace(rows=images.rows[:50], labels=images.labels[:50])


def build(images: Images) -> Multiclass:
    """Our problem."""
    return Multiclass(Dataset("digits", images.rows, images.labels), CLASSES)


def liblinear(tol: float) -> Callable[[Images], Outcome]:
    """LinearSVC to a tolerance."""

    def run(images: Images) -> Outcome:
        def made() -> LinearSVC:
            return LinearSVC(
                C=C_SUM, multi_class="crammer_singer", fit_intercept=False, tol=tol, max_iter=100_000
            )

        made().fit(images.rows[:50], images.labels[:50])
        with Clock() as clock:
            fitted = made().fit(images.rows, images.labels)
        return Outcome(clock, fitted.coef_.T.ravel())

    return run


def vowpal(passes: int) -> Callable[[Images], Outcome]:
    """One against all with hinge losses, by online passes: another objective, so only time and test error
    count.
    """

    def line(row: Any, label: int | None = None) -> str:
        named = "" if label is None else str(label + 1)
        return f"{named} | " + " ".join(f"{at}:{value:g}" for at, value in enumerate(row) if value)

    def run(images: Images) -> Outcome:
        workspace = import_peer("vowpalwabbit").Workspace(f"--oaa {CLASSES} --loss_function hinge --quiet")
        examples = [workspace.example(line(x, y)) for x, y in zip(images.rows, images.labels, strict=True)]
        with Clock() as clock:
            for _ in range(passes):
                for example in examples:
                    workspace.learn(example)
        answers = np.array([workspace.predict(line(x)) for x in images.test_rows]) - 1
        for example in examples:
            workspace.finish_example(example)
        return Outcome(clock, answers=answers)

    return run


def score(images: Images, outcome: Outcome) -> Record:
    """Objective and share of wrong test images."""

    def objective(w: Any) -> float:
        return referee.class_objective(images.rows, images.labels, w, CLASSES, C_SUM)

    if outcome.weights is None:
        return {"test_error": float(np.mean(outcome.answers != images.test_labels))}
    guesses = np.argmax(images.test_rows @ outcome.weights.reshape(-1, CLASSES), axis=1)
    curve = [(at, objective(w)) for at, w in outcome.curve]
    wrong = float(np.mean(guesses != images.test_labels))
    return {"primal": objective(outcome.weights), "test_error": wrong, "curve": curve}


def judge(summary: Mapping[str, Record]) -> list[Verdict]:
    """Against the tolerance that people use, and the one whose objective is as good."""
    found = {peer: ratio(summary, peer, OURS) for peer in (LIBLINEAR, LOOSE)}
    return [
        Verdict(f"not slower than {peer}", f"{times:.2f} times as fast", times >= 1.0)
        for peer, times in found.items()
        if times is not None
    ]


WORK = Work(
    "digits",
    "1,200 digit images, ten classes, to a gap of 0.1%; scikit-learn's LinearSVC (liblinear) beside it",
    load,
    {
        OURS: ours.contestant(build, few, lambda n: SequentialDual(from_sum(C_SUM, n)), 0.001),
        LIBLINEAR: liblinear(1e-4),
        "LinearSVC, tol 0.001": liblinear(1e-3),
        LOOSE: liblinear(1e-2),
        "Vowpal Wabbit, 20 passes": vowpal(20),
        "1-slack, 0.1%": ours.contestant(build, few, lambda n: OneSlack(from_sum(C_SUM, n), eps=1e-5), 0.001),
    },
    score,
    judge,
)
