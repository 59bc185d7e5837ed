"""Sets of items as a data set: names of weights, what belongs to each set, and leaving one out."""

import numpy as np
import pytest

from explorer.engine.contracts import Dataset
from explorer.engine.data.item_sets import differences, halves, item_sets, left_out, related_names
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.item_sets import groups_of, item_set


def three() -> Dataset:
    inputs = [item_set(3, pairs=np.full((3, 2), float(i))) for i in range(3)]
    labels = [(0, 0, 1), (5, 2, 5), (1, 1, 1)]
    return item_sets(
        "three",
        inputs,
        labels,
        ("a", "b"),
        "Three.",
        each={"texts": ("x", "y", "z")},
        colours=("r", "g", "b"),
    )


def test_clusterings_are_numbered_by_first_appearance() -> None:
    assert [y.tolist() for y in three().labels] == [[0, 0, 1], [0, 1, 0], [0, 0, 0]]


def test_leaving_one_out_takes_along_what_belongs_to_its_set() -> None:
    train, test = left_out(three(), 2)
    assert (len(train), len(test)) == (2, 1)
    assert train.meta["texts"] == ("x", "z")
    assert test.meta["texts"] == ("y",)
    assert test.inputs[0].pairs[0, 0] == 1.0
    assert train.meta["colours"] == test.meta["colours"] == ("r", "g", "b")
    first, rest = halves(three(), 1)
    assert (first.meta["texts"], rest.meta["texts"]) == (("x",), ("y", "z"))


def test_names_of_relations_follow_the_order_of_the_weights() -> None:
    x = item_set(3, np.ones((3, 2)), [[(0, 1)], [(1, 2)]])
    names = related_names(("u", "v"), ("linked", "cited"))
    assert len(names) == x.dim
    parts = groups_of(x)
    assert names[parts["items"]] == ("u", "v")
    assert names[parts["relation 1"]] == ("linked: u", "linked: v", "linked")
    assert names[parts["relation 2"]][-1] == "cited"


def test_differences_go_row_by_row_of_the_upper_triangle() -> None:
    assert differences(np.array([1.0, 4.0, 9.0])).tolist() == [-3.0, -8.0, -5.0]


def test_what_does_not_fit_is_refused() -> None:
    x = item_set(2, pairs=np.ones((1, 2)))
    with pytest.raises(Refused, match="has no item set; give at least one"):
        item_sets("none", [], [], (), "")
    with pytest.raises(Refused, match="1 item sets but 2 clusterings; give one each"):
        item_sets("some", [x], [(0, 0), (0, 1)], ("a", "b"), "")
    with pytest.raises(Refused, match="has 2 weights but 1 names; name each weight"):
        item_sets("some", [x], [(0, 0)], ("a",), "")
    with pytest.raises(Refused, match="fold is 4; there are 3 item sets, choose 1 to 3"):
        left_out(three(), 4)
    with pytest.raises(Refused, match="there must be at least 2"):
        left_out(item_sets("one", [x], [(0, 0)], ("a", "b"), ""), 1)
