"""The F-score loss against scikit-learn and by hand."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

from explorer.engine.losses import FScore
from explorer.engine.refusals import Refused


def test_it_is_one_minus_the_f1_of_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    for _ in range(100):
        truth, label = rng.integers(0, 3, (2, 12))
        expected = 1 - f1_score(truth == 2, label == 2, zero_division=1.0)
        assert FScore(positive=2).value(truth, label) == pytest.approx(expected, abs=1e-12)


def test_nothing_to_find_and_nothing_found_is_perfect() -> None:
    assert FScore().value((0, 0, 0), (0, 0, 0)) == 0.0


def test_one_of_two_found_with_one_false_alarm_loses_a_half() -> None:
    assert FScore().value((1, 1, 0, 0), (1, 0, 1, 0)) == 0.5


def test_the_price_of_one_more_mistake_depends_on_the_others() -> None:
    truth = np.array([1, 1, 0, 0])
    alone = FScore().value(truth, np.array([0, 1, 0, 0]))
    both = FScore().value(truth, np.array([0, 1, 1, 0])), FScore().value(truth, np.array([1, 1, 1, 0]))
    assert both[0] - both[1] != pytest.approx(alone)


def test_a_negative_state_is_refused() -> None:
    with pytest.raises(Refused, match="positive is -1"):
        FScore(positive=-1)
