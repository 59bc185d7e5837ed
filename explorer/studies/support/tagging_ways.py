"""Ways to tag text, each choosing its settings by cross-validation on the training sentences alone.

    HMM           counted: single words, or words and their shapes; the pseudo-count
    naive HMM     counted: all features, as if they were independent; the pseudo-count
    SVM-HMM       all features, maximum margin; the price C
    CRF           all features, likelihood; the price C
    perceptron    all features, averaged, ten passes; nothing to choose

Words that training has not seen have no word feature, so a counted model knows them by their neighbours'
tags, and by shape and affixes where these are among its features.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from explorer.engine.catalogue.validation import folds_of
from explorer.engine.contracts import Dataset
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.vectors import Array
from explorer.studies.support.sequence_fits import field, fit_chain, margin, parts_of, perceptron, right_share
from explorer.studies.support.study import Pulse, at_place

HMM, NAIVE, SVM_HMM = "HMM", "naive HMM", "SVM-HMM"
CRF_WAY, PERCEPTRON = "CRF", "averaged perceptron"
WAYS = (HMM, NAIVE, SVM_HMM, CRF_WAY, PERCEPTRON)
PSEUDO = (0.001, 0.01, 0.1, 1.0)
PRICES = (1.0, 10.0, 100.0)
KINDS: dict[str, Callable[[str], bool]] = {
    "words": lambda name: name.startswith(("w=", "'")),
    "words and shapes": lambda name: name.startswith(("w=", "s=", "'")),
    "all": lambda name: True,
}
"""Features that a counted model takes, by the names that readers and generators give them."""


class Tagged(NamedTuple):
    """A way with its chosen settings, trained on all sentences: its weights on the columns that it takes."""

    way: str
    chosen: str
    problem: Chain
    columns: Any
    w: Array


def problem_of(data: Dataset) -> Chain:
    """The sentences as a chain."""
    return Chain(data, len(data.meta["states"]))


def columns_of(data: Dataset, kind: str) -> Any:
    """The numbers of the columns of some features."""
    names = data.meta["feature_names"]
    return np.flatnonzero([KINDS[kind](names[c]) for c in range(len(names))])


def with_columns(data: Dataset, columns: Any) -> Dataset:
    """The sentences with these columns alone."""
    return replace(data, inputs=[x[:, columns] for x in data.inputs])


def tag_by(way: str, train: Dataset, folds: int, gap: float, seed: int, pulse: Pulse) -> Tagged:
    """Choose and train."""
    every = np.arange(train.inputs[0].shape[1])
    if way in (HMM, NAIVE):
        kinds = ("words", "words and shapes") if way == HMM else ("all",)
        cuts = {kind: columns_of(train, kind) for kind in kinds}
        grid = [found for found in product(cuts, PSEUDO) if len(cuts[found[0]])]
        kind, pseudo = chosen_by(train, folds, seed, grid, lambda p, point: _counted(p, cuts, *point), pulse)
        part = problem_of(with_columns(train, cuts[kind]))
        w = part.generative_weights(False, pseudo)
        return Tagged(way, f"{kind}, pseudo-count {pseudo:g}", part, cuts[kind], w)
    problem = problem_of(train)
    if way == PERCEPTRON:
        return Tagged(way, "10 passes", problem, every, fit_chain(problem, perceptron(10), 0.0, pulse).w)
    learner = {SVM_HMM: margin, CRF_WAY: field}[way]

    def fit(fold: Chain, point: Sequence[Any]) -> tuple[Array, Any]:
        return fit_chain(fold, learner(point[0]), gap, pulse).w, every

    (C,) = chosen_by(train, folds, seed, [(price,) for price in PRICES], fit, pulse)
    return Tagged(way, f"C = {C:g}", problem, every, fit_chain(problem, learner(C), gap, pulse).w)


def _counted(problem: Chain, cuts: dict[str, Any], kind: str, pseudo: float) -> tuple[Array, Any]:
    part = problem_of(with_columns(problem.dataset, cuts[kind]))
    return part.generative_weights(False, pseudo), cuts[kind]


def chosen_by(
    train: Dataset,
    folds: int,
    seed: int,
    grid: Sequence[Any],
    fit: Callable[[Chain, Any], tuple[Array, Any]],
    pulse: Pulse,
) -> Any:
    """The point whose accuracy is best over the folds, the first of equal ones."""
    found = np.zeros(len(grid))
    for fold, held in enumerate(folds_of(len(train), folds, seed)):
        rest = problem_of(parts_of(train, np.setdiff1d(np.arange(len(train)), held)))
        for at, point in enumerate(grid):
            at_place(pulse, f"fold {fold + 1}")(f"{point}")
            w, columns = fit(rest, point)
            found[at] += right_share(problem_of(with_columns(parts_of(train, held), columns)), w)
    return grid[int(np.argmax(found))]


def error_on(tagged: Tagged, test: Dataset) -> float:
    """The share of wrong tags, in per cent."""
    return 100.0 - right_share(tagged.problem.on(with_columns(test, tagged.columns)), tagged.w)
