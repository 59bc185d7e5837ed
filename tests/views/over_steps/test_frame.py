"""What is drawn over the steps of a film: trees without crossing lines, ranges, and the same in words."""

import math

import numpy as np
import pytest

from explorer.labs.clusterings.comparison import (
    CORRELATION,
    MEANS,
)
from explorer.labs.film import Curves, Join, MergeTree
from explorer.views.over_steps import frame as over_steps
from tests.labs.clusterings.sample_labs import lab


def test_a_tree_has_no_crossing_lines_and_grows_with_the_value() -> None:
    joins = Join(np.array([1]), np.array([3]), 2.0, 2.0), Join(np.array([0]), np.array([1, 3]), 1.0, 3.0)
    tree = MergeTree(0.0, joins, tuple("abcd"), "score")
    assert over_steps.leaf_order(tree).tolist() == [0, 1, 3, 2]
    held = over_steps.joints(tree, 1)
    assert held["xs"] == [[1.0, 1.0, 2.0, 2.0], [0.0, 0.0, 1.5, 1.5]]
    assert held["ys"] == [[0.0, 2.0, 2.0, 0.0], [0.0, 3.0, 3.0, 2.0]]
    assert (held["text"], held["now"]) == (["+2", "+1"], [True, False])


def test_gains_at_the_same_height_that_would_cover_each_other_are_left_to_the_pointer() -> None:
    pairs = [Join(np.array([2 * n]), np.array([2 * n + 1]), 1.0, 1.0 + 1e-3 * n) for n in range(26)]
    held = over_steps.joints(MergeTree(0.0, tuple(pairs), tuple("x" * 52), "score"), 5)
    assert held["hover"] == ["+1"] * 26
    assert held["text"][4] == "+1", "the merge that is looked at is written in any case"
    written = [x for x, text in zip(held["tx"], held["text"], strict=True) if text]
    assert 1 < len(written) < 26
    assert np.diff(written).min() * over_steps.ACROSS / 52 >= 2.0, "two characters each"


def test_ranges_hold_all_finite_values() -> None:
    low, high = over_steps.span([1.0, math.nan, 3.0])
    assert low < 1.0 < 3.0 < high
    assert over_steps.span([math.nan]) == pytest.approx((-0.12, 0.12))


def test_the_picture_over_the_steps_is_said_and_listed() -> None:
    for title, family in (("greedy merges", CORRELATION), ("iterative k-means", MEANS), ("spectral", MEANS)):
        shown = lab(shown=title, family=family)
        over = over_steps.OverFrame(shown.film, shown.step)
        assert len(over_steps.sentence(over)) > 20
        assert len({len(column) for column in over_steps.table(over).values()}) == 1
    assert "0 +9 +10 +7 +7 +10 +4 = 47" in over_steps.sentence(over_steps.OverFrame(lab().film, 6))
    assert isinstance(lab(shown="iterative k-means", family=MEANS).film.over, Curves)
