"""The bundle method on the textbook's curve, as a study."""

import numpy as np
import pytest

from explorer.studies import BundleCurve
from explorer.studies.support.rows import row
from explorer.studies.support.study import HELD, NOT_HELD, OPEN


@pytest.mark.spec("F06")
def test_the_bounds_close_on_the_known_optimum() -> None:
    study = BundleCurve()
    rows = list(study.rows())
    lower, upper = (np.array([found.number(name) for found in rows]) for name in ("lower", "upper"))
    assert lower[:6] == pytest.approx([0.0, 0.065927, 0.227331, 0.296866, 0.304855, 0.309946], abs=1e-6)
    assert (upper - lower)[7] < 1e-4
    assert study.search() == pytest.approx(0.310137, abs=1e-6)
    assert rows[-1].number("w") == pytest.approx(1.253579, abs=2e-3)
    assert [finding.verdict for finding in study.findings(rows)] == [HELD, HELD]


def test_without_regularisation_to_speak_of_the_kink_at_two_is_the_best_place() -> None:
    # At w = 2 the smooth part falls by 2 / (1 + e^4) = 0.036, less than the 0.1 by which the kink rises.
    rows = list(BundleCurve(lam=1e-3, iterations=40).rows())
    assert rows[-1].number("w") == pytest.approx(2.0, abs=1e-6)
    assert rows[-1].number("upper") == pytest.approx(np.log1p(np.exp(-4.0)) + 4e-3, abs=1e-9)


def test_bounds_that_cross_or_turn_are_told() -> None:
    rows = [
        row(iteration=0, lower=0.1, upper=0.5, optimum=0.3),
        row(iteration=1, lower=0.05, upper=0.4, optimum=0.3),
    ]
    assert [finding.verdict for finding in BundleCurve().findings(rows)] == [NOT_HELD, HELD]
    rows = [row(iteration=0, lower=0.35, upper=0.5, optimum=0.3)]
    assert [finding.verdict for finding in BundleCurve().findings(rows)] == [HELD, NOT_HELD]
    assert [finding.verdict for finding in BundleCurve().findings([])] == [OPEN, OPEN]
