"""Hamming counts wrong positions."""

import numpy as np
import pytest

from explorer.engine.losses import Hamming
from explorer.engine.refusals import Refused


@pytest.mark.spec("A2")
def test_five_differing_positions_lose_five() -> None:
    truth = np.zeros(8, dtype=np.int64)
    label = np.array([1, 1, 0, 2, 1, 0, 0, 3])
    assert Hamming().value(truth, label) == 5.0


def test_the_share_is_the_number_over_the_length() -> None:
    assert Hamming(normalised=True).value((0, 1, 1, 0), (0, 1, 0, 1)) == 0.5


def test_a_single_label_is_one_position() -> None:
    assert Hamming().value(2, 3) == 1.0
    assert Hamming(normalised=True).value(np.int64(2), 3) == 1.0


def test_a_string_is_a_sequence_of_letters() -> None:
    assert Hamming().value("abcde", "abxdy") == 2.0


def test_a_grid_counts_its_cells() -> None:
    assert Hamming().value(np.zeros((3, 3), dtype=int), np.eye(3, dtype=int)) == 3.0


def test_an_empty_labelling_loses_nothing() -> None:
    assert Hamming(normalised=True).value((), ()) == 0.0


def test_the_costs_are_one_off_the_diagonal() -> None:
    assert Hamming().costs(3).tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]


def test_labellings_of_different_length_are_refused() -> None:
    with pytest.raises(Refused, match="same example"):
        Hamming().value((0, 1, 1), (0, 1))
