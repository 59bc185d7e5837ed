"""Labellings by number, and scores in order: against itertools and the definition of a rank."""

from itertools import product

import numpy as np
import pytest

from explorer.engine.enumeration import MOST, all_labellings, numbered_labellings, rank_scores
from explorer.engine.refusals import Refused


def test_labellings_are_those_of_a_product_the_first_position_changing_fastest() -> None:
    rows = [y[::-1] for y in product(range(3), repeat=4)]
    assert all_labellings(4, 3).tolist() == [list(y) for y in rows]
    assert numbered_labellings(np.array([80, 5]), 4, 3).tolist() == [list(rows[80]), list(rows[5])]


def test_too_many_labellings_are_refused() -> None:
    assert MOST < 2**18
    with pytest.raises(Refused, match="18 positions"):
        all_labellings(18, 2)


def test_ranks_count_what_is_better_and_keep_every_best_labelling() -> None:
    scores = np.array([3.0, 1.0, 7.0, 7.0 - 1e-12, -2.0, 3.0, 7.0, 0.0])
    ranks = rank_scores(scores, lambda rows: numbered_labellings(rows, 3, 2))
    assert ranks.scores.tolist() == sorted(scores, reverse=True)
    assert [ranks.better(s) for s in (7.0, 3.0, 1.0, -2.0)] == [0, 3, 5, 7]
    assert ranks.best.tolist() == [[0, 1, 0], [1, 1, 0], [0, 1, 1]]
    assert ranks.nearest_best(np.array([1, 1, 1])).tolist() in ([1, 1, 0], [0, 1, 1])
    assert ranks.nearest_best(np.array([0, 1, 0])).tolist() == [0, 1, 0]
