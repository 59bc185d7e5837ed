"""A price for every confusion: Delta(y, y') = sum_t M[y_t][y'_t], divided by the length when normalised.

For a single label it is one entry of the matrix: mistaking a dog for a cat may cost 1 and for a bus 100 (the
multiclass example of the lecture "Structured Learning"). M has a zero diagonal and is positive elsewhere; it
need not be symmetric. Hamming is the matrix of ones without the identity. Cost: linear in the length.
"""

import math
from typing import Any, ClassVar, final

import numpy as np

from explorer.engine.knobs import knob, settings
from explorer.engine.losses._positions import flat_pair
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array


@final
@settings
class CostMatrix:
    """Row: the true state, column: the answer; summed over the positions."""

    title: ClassVar[str] = "Cost matrix"
    help: ClassVar[str] = "A price for every confusion of one state with another, summed over the positions."

    matrix: tuple[tuple[float, ...], ...]
    normalised: bool = knob(
        False, "Divide by the length, so that long examples weigh no more than short ones."
    )

    def __post_init__(self) -> None:
        """Lists and arrays become tuples; a matrix that is no loss is refused."""
        object.__setattr__(self, "matrix", tuple(tuple(row) for row in self.matrix))
        _check_square(self.matrix)
        cells = [[_price(cost, i, j) for j, cost in enumerate(row)] for i, row in enumerate(self.matrix)]
        object.__setattr__(self, "matrix", tuple(tuple(row) for row in cells))

    def value(self, truth: Any, label: Any) -> float:
        """The price of answering `label`, or its mean per position."""
        a, b = flat_pair(truth, label)
        total = sum((self._cost(t, s) for t, s in zip(a.tolist(), b.tolist(), strict=True)), 0.0)
        return total / max(a.size, 1) if self.normalised else total

    def costs(self, states: int) -> Array:
        """The matrix itself; refused when the problem has another number of states."""
        if states != len(self.matrix):
            raise Refused(
                f"the cost matrix is for {len(self.matrix)} states but the problem has {states}; "
                "give it one row and one column per state"
            )
        return np.array(self.matrix)

    def _cost(self, truth: int, label: int) -> float:
        states = len(self.matrix)
        if not (0 <= truth < states and 0 <= label < states):
            raise Refused(
                f"the cost matrix has no entry for state {truth} answered by {label}; its states are 0 to "
                f"{states - 1}"
            )
        return self.matrix[truth][label]


def _check_square(matrix: tuple[tuple[Any, ...], ...]) -> None:
    if not matrix:
        raise Refused("the cost matrix is empty; give it one row and one column per state")
    for i, row in enumerate(matrix):
        if len(row) != len(matrix):
            raise Refused(
                f"row {i} of the cost matrix has {len(row)} entries but there are {len(matrix)} rows; make "
                "it square"
            )


def _price(cost: Any, i: int, j: int) -> float:
    """The entry as a float, or a refusal that says what it should be."""
    fault = _fault(cost, i, j)
    if fault:
        raise Refused(f"entry [{i}][{j}] of the cost matrix is {cost}; {fault}")
    return float(cost)


def _fault(cost: Any, i: int, j: int) -> str:
    if not isinstance(cost, int | float | np.integer | np.floating) or not math.isfinite(cost):
        return "write a finite number"
    if i == j and cost != 0:
        return "the diagonal must be 0, since the truth costs nothing"
    if i != j and cost < 0:
        return "no mistake may cost less than the truth: write a positive number"
    if i != j and cost == 0:
        return "every mistake must cost something: write a positive number, however small"
    return ""
