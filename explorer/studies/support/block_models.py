"""The block sequences of the thesis with models trained and measured on any part of them.

Curves have 20 nodes at quantiles of the part that is trained on. Regularisations, distortions and the printed
tables are those of Iglesias 2013, section 4.2.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from explorer.engine.catalogue.chains import SequenceModel, made_of
from explorer.engine.catalogue.validation import folds_of
from explorer.engine.contracts import Dataset
from explorer.engine.data.blocks import blocks
from explorer.engine.structures.chains.problem import Chain
from explorer.engine.vectors import Array, Ints
from explorer.studies.support.sequence_fits import fit_chain, margin, parts_of, price_of_reg, right_share
from explorer.studies.support.study import Pulse, at_place, quiet

REGS = (500.0, 50.0, 5.0, 0.5, 0.05, 0.005)
DISTORTIONS = (0.0, 0.1, 0.2, 0.3, 0.4)
ML_HMM, HM_SVM = "ML-HMM", "HM-SVM"
CURVES = SequenceModel(emissions="pieces", nodes=20, ends="none")
VALIDATED = {
    500.0: (87.624, 80.14, 62.764, 60.78, 58.912),
    50.0: (95.856, 93.612, 87.38, 78.224, 58.684),
    5.0: (95.82, 94.288, 89.88, 84.088, 66.62),
    0.5: (96.188, 94.756, 90.408, 85.208, 69.932),
    0.05: (96.156, 94.768, 90.548, 85.256, 69.364),
    0.005: (96.08, 94.976, 90.216, 85.856, 69.652),
}
"""Table 4.3: accuracy of five folds, in per cent, by regularisation and distortion."""

TESTED = {
    HM_SVM: (97.232, 95.220, 92.396, 85.132, 70.888),
    ML_HMM: (93.376, 94.816, 90.232, 80.740, 60.960),
}
"""Table 4.5."""

SECONDS = {500.0: 106.50, 50.0: 186.466, 5.0: 325.17, 0.5: 486.42, 0.05: 648.83, 0.005: 674.23}
"""Table 4.4: training time of a cross-validation run at no distortion."""

NEVER_SEEN = 1e-100
"""The thesis' stand-in for a count of nothing."""


class BlockScore(NamedTuple):
    """A model at a regularisation (0 for the counted one), measured on what it was not trained on."""

    model: str
    reg: float
    accuracy: float
    positives: int
    gap: float
    w: Array


def draw(n: int, length: int, distortion: float, seed: int) -> tuple[Dataset, Dataset]:
    """n training and n test sequences."""
    return blocks(n, n, length, distortion=distortion, seed=seed)


def curves_of(train: Dataset, test: Dataset) -> tuple[Chain, Chain]:
    """Both parts with curves whose nodes are fitted to the first."""
    mapped, other = made_of(train, test, CURVES)
    assert other is not None
    problem = Chain(mapped, 2, ends=False, emissions=mapped.meta["emissions"])
    return problem, problem.on(other)


def fold_scores(
    train: Dataset, folds: int, regs: tuple[float, ...], gap: float, pulse: Pulse = quiet
) -> Iterator[tuple[int, BlockScore]]:
    """Fold by fold the counted model, then the SVM from strong to weak regularisation, each from the last."""
    for fold, held in enumerate(folds_of(len(train), folds, 0)):
        rest = np.setdiff1d(np.arange(len(train)), held)
        note = f"fold {fold + 1}"
        for score in part_scores(parts_of(train, rest), parts_of(train, held), regs, gap, pulse, note):
            yield fold, score


def part_scores(
    train: Dataset, test: Dataset, regs: tuple[float, ...], gap: float, pulse: Pulse, note: str
) -> Iterator[BlockScore]:
    """Every model of one part, measured on the other."""
    problem, outside = curves_of(train, test)
    w, state = problem.generative_weights(False, NEVER_SEEN), None
    yield BlockScore(ML_HMM, 0.0, right_share(outside, w), positives(outside, w), 0.0, w)
    for reg in sorted(regs, reverse=True):
        found = fit_chain(
            problem,
            margin(price_of_reg(reg, problem.n)),
            gap,
            at_place(pulse, f"{note}, reg {reg:g}"),
            state,
        )
        state = found.state
        accuracy, count = right_share(outside, found.w), positives(outside, found.w)
        yield BlockScore(HM_SVM, reg, accuracy, count, found.gap, found.w)


def positives(problem: Chain, w: Array) -> int:
    """How many positions are predicted to be positive."""
    predicted: Ints = np.concatenate(problem.predictions(w))
    return int(np.count_nonzero(predicted))


def all_negative(data: Dataset) -> float:
    """The accuracy of predicting nothing but the negative state."""
    return 100.0 * float(np.mean(np.concatenate(list(data.labels)) == 0))
