"""Block sequences of the thesis: cross-validation, test accuracy, training cost; and Gaussian sequences."""

from itertools import islice

import numpy as np
import pytest

from explorer.studies import BlockTest, BlockValidation, GaussianSequences, SelectionBias, TrainingCost
from explorer.studies.chains.block_test import MODELS
from explorer.studies.support.block_models import (
    DISTORTIONS,
    HM_SVM,
    ML_HMM,
    REGS,
    all_negative,
    curves_of,
    draw,
    part_scores,
)
from explorer.studies.support.rows import value, where
from explorer.studies.support.study import HELD, quiet


@pytest.mark.spec("A31")
def test_clamped_ends_are_all_that_goes_wrong_on_gaussian_sequences() -> None:
    study = GaussianSequences(folds=2, gap=0.05)
    rows = list(study.rows())
    assert [finding.verdict for finding in study.findings(rows)] == [HELD] * 3
    ceiling = {found.number("ceiling") for found in where(rows, ends="clamped")}
    assert len(ceiling) == 1
    for found in where(rows, ends="clamped"):
        assert found.number("accuracy") == pytest.approx(ceiling.copy().pop(), abs=1e-9)
    assert len(study.published) == 7


@pytest.mark.spec("A33")
def test_strong_regularisation_predicts_no_positive_where_signs_are_flipped_most() -> None:
    train, test = draw(100, 250, 0.4, 0)
    counted, strong = part_scores(train, test, (500.0,), 0.005, quiet, "")
    assert (counted.model, strong.model) == (ML_HMM, HM_SVM)
    assert strong.positives == 0
    assert strong.accuracy == pytest.approx(all_negative(test), abs=1e-12)


@pytest.mark.spec("A32", "A33")
def test_accuracy_at_moderate_regularisation_is_near_what_was_printed_and_falls_with_distortion() -> None:
    printed, limits = (
        dict(zip(DISTORTIONS, (97.232, 95.220, 92.396, 85.132, 70.888), strict=True)),
        (2, 2, 2, 4, 4),
    )
    found = {}
    for p, limit in zip(DISTORTIONS, limits, strict=True):
        train, test = draw(100, 250, p, 0)
        *_, last = part_scores(train, test, (5.0,), 0.05, quiet, "")
        assert last.accuracy == pytest.approx(printed[p], abs=limit)
        found[p] = last.accuracy
    assert np.all(np.diff([found[p] for p in DISTORTIONS]) < 0.0)


@pytest.mark.spec("A34")
def test_weaker_regularisation_needs_more_rounds_at_the_size_of_the_thesis_but_for_the_weakest() -> None:
    study = TrainingCost(weakest=50.0)
    rows = list(study.rows())
    assert [found.number("reg") for found in rows] == [500.0, 50.0]
    assert rows[0].number("rounds") < rows[1].number("rounds")


@pytest.mark.spec("A34")
def test_rounds_rise_strictly_over_three_regularisations() -> None:
    study = TrainingCost(n=12, length=80)
    rows = list(study.rows())
    assert study.findings(rows)[0].verdict == HELD
    assert len(rows) == 3


@pytest.mark.spec("A36", "A51")
def test_the_rows_of_validation_are_the_bars_of_every_fold_and_the_same_for_the_same_seed() -> None:
    study = BlockValidation.quick()
    rows = list(study.rows())
    assert len(rows) == study.total == len(DISTORTIONS) * study.folds * (1 + len(REGS))
    assert list(study.rows()) == rows
    assert list(study.rows_after(9)) == rows[9:]
    at = where(rows, distortion=0.3, fold=2)
    assert [found["model"] for found in at] == [ML_HMM, *[HM_SVM] * len(REGS)]
    table = study.table(rows)
    mean = np.mean([found.number("accuracy") for found in where(rows, distortion=0.3, model=HM_SVM, reg=5.0)])
    assert value(table, "accuracy", distortion=0.3, reg=5.0) == pytest.approx(mean)
    assert len(where(table, chosen="chosen")) == len(DISTORTIONS)


@pytest.mark.spec("A50")
def test_generative_and_discriminative_models_stand_side_by_side_and_are_chosen_on_training_data() -> None:
    study = BlockTest.quick()
    rows = list(study.rows())
    assert [found["model"] for found in rows] == list(MODELS) * len(DISTORTIONS)
    assert list(study.rows_after(6)) == rows[6:]
    for found in where(rows, model=HM_SVM):
        assert found.number("reg") in REGS
    train, test = draw(study.n, study.length, 0.2, study.seed)
    problem, outside = curves_of(train, test)
    w = problem.generative_weights(False, 1e-100)
    right = np.mean(np.concatenate(outside.predictions(w)) == np.concatenate(list(test.labels)))
    assert value(rows, "accuracy", distortion=0.2, model=ML_HMM) == pytest.approx(100.0 * right)


@pytest.mark.spec("A37")
def test_the_best_of_a_thousand_coins_looks_good_until_others_measure() -> None:
    study = SelectionBias()
    rows = list(study.rows())
    assert [finding.verdict for finding in study.findings(rows)] == [HELD, HELD]
    assert value(rows, "best", classifiers=1000) < 40.0
    assert value(rows, "nested", classifiers=1000) == pytest.approx(50.0, abs=5.0)
    assert next(islice(study.rows(), 1)) == rows[0]
