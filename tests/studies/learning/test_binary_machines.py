"""One machine for all classes beside committees of binary machines, as a study."""

import numpy as np
import pytest
from sklearn.multiclass import OneVsOneClassifier
from sklearn.svm import LinearSVC

from explorer.engine.data.toys import animals_and_cars
from explorer.studies import BinaryMachines
from explorer.studies.learning.binary_machines import ANIMALS, ONE, PAIRS, PRICES, REST, WAYS, with_constant
from explorer.studies.support.rows import row, value, where
from explorer.studies.support.study import HELD, NOT_HELD, OPEN


@pytest.mark.spec("A7", "A8")
def test_four_classes_make_one_machine_or_four_or_six() -> None:
    study = BinaryMachines.quick()
    rows = list(study.rows())
    assert len(rows) == study.total == len(PRICES) * 3
    for way, machines, weights in (
        (ONE, 1, 12),
        (REST, 4, 12),
        (PAIRS, 6, 18),
    ):  # three features, with the constant
        assert {found["machines"] for found in where(rows, way=way)} == {machines}
        assert {found["weights"] for found in where(rows, way=way)} == {weights}
    assert [found["way"] for found in study.table(rows)] == list(WAYS)


def test_one_against_one_errs_where_scikit_learns_machines_err() -> None:
    study = BinaryMachines(data=ANIMALS, n=160, gap=1e-6)
    known, unknown = (with_constant(data) for data in animals_and_cars(40, 0))
    for C in (1.0, 10.0):
        # Theirs prices the sum of the slacks of the 80 points that each machine sees.
        theirs = OneVsOneClassifier(
            LinearSVC(C=C / 80, loss="hinge", fit_intercept=False, tol=1e-8, max_iter=1_000_000)
        )
        theirs.fit(known.inputs, known.labels)
        _, _, loss = study._fit(PAIRS, C, known)
        for data in (known, unknown):
            wrong = float(np.mean(theirs.predict(data.inputs) != data.labels))
            assert loss(data) == pytest.approx(wrong, abs=1.01 / len(data.labels))


def test_the_findings_ask_the_rows_and_stay_open_without_them() -> None:
    study = BinaryMachines.quick()
    assert [finding.verdict for finding in study.findings([])] == [OPEN, OPEN]
    rows = [
        row(way=way, C=C, test_loss=loss)
        for C in PRICES
        for way, loss in ((ONE, 6.0), (REST, 7.0), (PAIRS, 5.0))
    ]
    assert [finding.verdict for finding in study.findings(rows)] == [HELD, NOT_HELD]
    rows.append(row(way=ONE, C=10.0, test_loss=4.0))
    assert value(study.table(rows), "test_loss", way=ONE) == 4.0
