"""Zero-one sees only whether anything differs."""

import numpy as np
import pytest

from explorer.engine.losses import ZeroOne


@pytest.mark.parametrize(
    ("truth", "label", "value"),
    [
        (3, 3, 0.0),
        (3, np.int64(3), 0.0),
        (3, 4, 1.0),
        ("tree", "tree", 0.0),
        ("tree", "trees", 1.0),
        ((0, 1, 2), (0, 1, 2), 0.0),
        ((0, 1, 2), [0, 1, 2], 0.0),
        ((0, 1, 2), (0, 1), 1.0),
        ((0, (1, 2)), (0, (1, 3)), 1.0),
        (((0, 1), (2,)), ((0, 1), (2,)), 0.0),
        (np.array([0, 1]), np.array([0, 1]), 0.0),
        (np.array([0, 1]), (0, 1), 0.0),
        (np.array([0, 1]), np.array([1, 1]), 1.0),
        (np.array([0, 1]), np.array([0, 1, 1]), 1.0),
        ((np.array([0, 1]), 2), (np.array([0, 1]), 2), 0.0),
    ],
)
def test_any_difference_costs_one(truth: object, label: object, value: float) -> None:
    assert ZeroOne().value(truth, label) == value


def test_one_wrong_position_costs_as_much_as_all() -> None:
    assert [ZeroOne().of_count(wrong, 4) for wrong in range(5)] == [0.0, 1.0, 1.0, 1.0, 1.0]
