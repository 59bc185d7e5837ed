"""A risk without examples."""

import math

import numpy as np
import pytest

from explorer.engine.contracts import Convex
from explorer.engine.refusals import Refused
from explorer.engine.structures.classes.convex_risk import ConvexRisk


def test_the_textbook_curve_has_its_values_and_slopes() -> None:
    value, slope = ConvexRisk().risk(np.zeros(1))
    assert value == pytest.approx(math.log(2.0) + 0.2)
    assert slope == pytest.approx([-1.1])
    h = 1e-6
    for x in (-1.0, 0.3, 1.9, 2.5):
        there = [ConvexRisk().risk(np.array([x + d]))[0] for d in (-h, h)]
        assert ConvexRisk().risk(np.array([x]))[1][0] == pytest.approx(
            (there[1] - there[0]) / (2 * h), abs=1e-6
        )


def test_questions_about_examples_are_refused_with_the_fix() -> None:
    problem = ConvexRisk(dim=2)
    assert isinstance(problem, Convex)
    assert (problem.n, len(problem.dataset)) == (0, 0)
    asks = (
        lambda: problem.oracle(np.zeros(2), 0),
        lambda: problem.predict(np.zeros(2), None),
        lambda: problem.features(0, None),
        lambda: problem.loss(0, None),
    )
    for ask in asks:
        with pytest.raises(Refused, match="bundle"):
            ask()
