"""A cost matrix prices confusions, and a matrix that is no loss is refused with a sentence."""

import math
from typing import Any

import numpy as np
import pytest

from explorer.engine.losses import CostMatrix
from explorer.engine.refusals import Refused

DOG, CAT, BUS = 0, 1, 2
PRICES = ((0, 1, 100), (1, 0, 100), (100, 100, 0))


@pytest.mark.spec("A2")
def test_a_dog_may_be_taken_for_a_cat_but_not_for_a_bus() -> None:
    loss = CostMatrix(PRICES)
    assert (loss.value(DOG, CAT), loss.value(DOG, BUS), loss.value(DOG, DOG)) == (1.0, 100.0, 0.0)


def test_rows_are_the_truth_and_columns_the_answer() -> None:
    assert CostMatrix(((0, 7), (3, 0))).value(0, 1) == 7.0


def test_prices_add_up_over_the_positions() -> None:
    truth, label = np.array([DOG, DOG, BUS, CAT]), np.array([CAT, BUS, BUS, DOG])
    assert CostMatrix(PRICES).value(truth, label) == 102.0
    assert CostMatrix(PRICES, normalised=True).value(truth, label) == 25.5


def test_the_costs_are_the_matrix() -> None:
    assert CostMatrix(PRICES).costs(3).tolist() == [list(row) for row in PRICES]


@pytest.mark.parametrize(
    ("matrix", "entry", "fix"),
    [
        (((0, -1), (1, 0)), "[0][1]", "positive"),
        (((0, 1), (1, 2)), "[1][1]", "diagonal must be 0"),
        (((0, 1), (0, 0)), "[1][0]", "positive"),
        (((0, math.nan), (1, 0)), "[0][1]", "finite"),
        (((math.nan, 1), (1, 0)), "[0][0]", "finite"),
        (((0, 1), (math.inf, 0)), "[1][0]", "finite"),
        (((0, "1"), (1, 0)), "[0][1]", "finite number"),
        (((0, 1), (1, 0), (1, 1)), "row 0", "square"),
        (((0, 1), (1,)), "row 1", "square"),
        ((), "empty", "one row and one column per state"),
    ],
)
def test_a_matrix_that_is_no_loss_is_refused(matrix: Any, entry: str, fix: str) -> None:
    with pytest.raises(Refused) as refusal:
        CostMatrix(matrix)
    assert entry in str(refusal.value)
    assert fix in str(refusal.value)


def test_a_problem_with_another_number_of_states_is_refused() -> None:
    with pytest.raises(Refused, match="3 states but the problem has 4"):
        CostMatrix(PRICES).costs(4)


@pytest.mark.parametrize(("truth", "label"), [(-1, 0), (0, 3), ((0, 1), (0, 9))])
def test_a_state_without_a_price_is_refused(truth: Any, label: Any) -> None:
    with pytest.raises(Refused, match="its states are 0 to 2"):
        CostMatrix(PRICES).value(truth, label)
