"""The handwritten words, and how each system is given them."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from explorer.bench import referee
from explorer.bench.work import Outcome, Record, data_file
from explorer.engine.contracts import Dataset
from explorer.engine.losses import Hamming
from explorer.engine.structures.chains.problem import Chain

LETTERS = 26
C_SUM = 0.1
EVERY_WEIGHT = {"feature.possible_states": True, "feature.possible_transitions": True}
"""Gives crfsuite a weight for every pixel and letter and every pair of letters, as we have: its errors are
lower so.
"""


class LetterWords(NamedTuple):
    """Training and test words: pixel rows and letters."""

    inputs: list[Any]
    labels: list[Any]
    test_inputs: list[Any]
    test_labels: list[Any]


def load(folder: Path | None, train_on: tuple[int, ...]) -> LetterWords:
    """The words of some folds to train on, those of the others to test on."""
    with np.load(data_file(folder, "letters.npz")) as file:
        pixels = np.unpackbits(file["pixels"], axis=1)[:, :128].astype(float)
        labels, folds, ends = file["labels"].astype(np.int64), file["folds"], np.cumsum(file["lengths"])[:-1]
    x, y, mine = np.split(pixels, ends), np.split(labels, ends), np.isin(folds, train_on)
    train, test = np.flatnonzero(mine), np.flatnonzero(~mine)
    return LetterWords(
        [x[i] for i in train], [y[i] for i in train], [x[i] for i in test], [y[i] for i in test]
    )


def few(words: LetterWords) -> LetterWords:
    """The first words."""
    return words._replace(inputs=words.inputs[:10], labels=words.labels[:10])


def build(words: LetterWords) -> Chain:
    """The words as our problem: counted Hamming loss, no start and stop weights."""
    return Chain(
        Dataset("letters", words.inputs, words.labels), LETTERS, Hamming(normalised=False), ends=False
    )


def items(words: LetterWords) -> tuple[Any, Any, Any]:
    """For crfsuite: the names of the pixels that are set, and letters as strings."""
    names = [f"p{column}" for column in range(128)]
    rows = [
        [[names[c] for c in np.flatnonzero(row)] for row in x] for x in (*words.inputs, *words.test_inputs)
    ]
    cut = len(words.inputs)
    return rows[:cut], [[str(letter) for letter in y] for y in words.labels], rows[cut:]


def score(words: LetterWords, outcome: Outcome) -> Record:
    """Objective at every point of the curve and at the end, and the share of wrong letters on the test
    words.
    """
    if outcome.weights is None:
        answers = [np.array(path, dtype=np.int64) for path in outcome.answers]
        return {"test_error": referee.error(words.test_labels, answers)}

    def objective(w: Any) -> float:
        return referee.chain_objective(words.inputs, words.labels, w, LETTERS, False, C_SUM)

    primal = objective(outcome.weights)
    answers = referee.chain_predictions(words.test_inputs, outcome.weights, LETTERS, False)
    curve = [(at, objective(w)) for at, w in outcome.curve]
    return {"primal": primal, "test_error": referee.error(words.test_labels, answers), "curve": curve}
