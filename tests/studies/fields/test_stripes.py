"""Striped pictures with and without pairwise weights."""

from itertools import islice

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from explorer.studies import StripesStudy
from explorer.studies.fields.stripes import PAIRWISE, REFERENCE, SIGMAS, UNARY, unary_bayes
from explorer.studies.support.rows import value


@pytest.mark.spec("A38")
def test_neighbours_lift_the_accuracy_far_above_what_a_cell_alone_can_reach() -> None:
    rows = list(islice(StripesStudy().rows(), 8))
    assert value(rows, "accuracy", sigma=0.5, model=PAIRWISE) >= 99.0
    assert value(rows, "accuracy", sigma=0.5, model=UNARY) == pytest.approx(86.6, abs=2.0)
    assert value(rows, "accuracy", sigma=0.7, model=PAIRWISE) >= 97.0
    assert value(rows, "accuracy", sigma=0.7, model=UNARY) == pytest.approx(74.9, abs=2.0)


@pytest.mark.parametrize(
    ("sigma", "accuracy"),
    [
        (0.1, 100.0),
        (0.3, 98.27),
        (0.5, 86.58),
        (0.7, 74.87),
        (1.0, 63.37),
        (1.25, 57.45),
        (1.5, 53.39),
        (2.0, 48.26),
    ],
)
def test_the_unary_bayes_rate_is_the_integral(sigma: float, accuracy: float) -> None:
    found, _ = quad(lambda z: norm.pdf(z) * norm.cdf(z + 1.0 / sigma) ** 2, -12.0, 12.0)
    assert unary_bayes(sigma) == pytest.approx(found, abs=1e-7)
    assert 100.0 * unary_bayes(sigma) == pytest.approx(accuracy, abs=0.006)


def test_the_bayes_rate_is_that_of_many_draws() -> None:
    rng = np.random.default_rng(0)
    drawn = np.eye(3)[0] + 0.7 * rng.normal(size=(200_000, 3))
    assert np.mean(np.argmax(drawn, axis=1) == 0) == pytest.approx(unary_bayes(0.7), abs=0.004)


def test_the_reference_run_stands_beside_the_rows() -> None:
    study = StripesStudy()
    assert study.total == 2 * len(SIGMAS)
    assert len(study.published) == 2 * len(REFERENCE)
    assert value(study.published, "accuracy", sigma=1.0, model=PAIRWISE) == 92.78
    assert set(REFERENCE) <= set(SIGMAS)
