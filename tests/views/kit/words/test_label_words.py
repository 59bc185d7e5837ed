"""Labellings of graphs and sets of labels are written in words that fit a table, fractional ones included."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Dataset, Problem
from explorer.engine.data.multilabel import label_set_data
from explorer.engine.events import Cut
from explorer.engine.structures.fields.fields import flatten
from explorer.engine.structures.fields.graph_map import GraphMap
from explorer.engine.structures.fields.graphs import graph, graphs
from explorer.engine.structures.fields.label_map import LabelMap
from explorer.engine.structures.fields.oracles import Independent
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.views.examples.frame import count_confusions
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.drawing.thinning import part_of
from explorer.views.kit.words.label_words import MOST_LETTERS, hard_labels, state_text
from explorer.views.working_set.rows import labelling_text


def text(problem: Problem, label: np.ndarray) -> str:
    return depiction_of(problem).label_text(problem, label)


def row(count: int, states: tuple[str, ...] = ("red", "blue")) -> FieldLabelling:
    """Nodes in a row, all red."""
    x = graph(np.zeros((count, 1)), [(u, u + 1) for u in range(count - 1)])
    alone = Independent()
    return FieldLabelling(
        graphs("row", [x], [[0] * count], states), GraphMap(2), separator=alone, predictor=alone
    )


def halves(count: int, open_nodes: int) -> np.ndarray:
    """A relaxed labelling of a row whose first nodes are half and half; the others are red."""
    node = np.tile([1.0, 0.0], (count, 1))
    node[:open_nodes] = 0.5
    return flatten(node, node[:-1, :, None] * node[1:, None, :])


def test_a_short_labelling_of_a_graph_is_written_out_and_a_long_one_in_runs() -> None:
    problem = row(20)
    long = np.repeat([0, 1, 0], [8, 11, 1])
    assert text(row(3), np.array([0, 1, 0])) == "red blue red"
    assert text(problem, long) == "8×red 11×blue red"
    wild = text(problem, np.arange(20) % 2)
    assert len(wild) == MOST_LETTERS
    assert wild.endswith("…")


def test_of_a_set_of_labels_those_that_are_on_are_named() -> None:
    data = label_set_data("sets", np.ones((1, 1)), [[1, 0, 1]], ("sea", "sun", "sand"))
    problem = FieldLabelling(data, LabelMap(3, ()))
    assert text(problem, np.array([1, 0, 1])) == "sea, sand"
    assert text(problem, np.zeros(3, dtype=np.int64)) == "none"
    assert depiction_of(problem).part(problem) == "label"


def test_a_fractional_labelling_is_called_so_and_its_open_nodes_are_counted() -> None:
    problem, label = row(5), halves(5, 2)
    assert state_text(label, ("red", "blue")) == text(problem, label) == "(fractional)"
    words = labelling_text(problem, Cut(0, label, np.zeros(0), 1.0))
    assert words == "(fractional: 2 of 5 nodes open)"
    assert labelling_text(problem, Cut(0, np.array([0, 1, 0, 1, 0]), np.zeros(0), 2.0)).endswith(
        "(2 of 5 wrong)"
    )


def test_other_labels_stay_as_they_print() -> None:
    assert state_text(0.5, ()) == "0.5"
    assert state_text(np.array([0.5, 1.0]), ()) == "[0.5 1. ]"
    chain = Recipe(task="blocks", data={"n": 2, "n_test": 1, "length": 12}).problem()[0]
    assert depiction_of(chain).part(chain) == "position"
    assert text(chain, np.zeros(3, dtype=np.int64)) == state_text(np.zeros(3, dtype=np.int64), ("-", "+"))


def test_fractional_nodes_count_as_the_state_of_their_largest_share() -> None:
    label = halves(3, 1)
    label[:2] = 0.25, 0.75
    assert hard_labels(label, [0, 0, 0], 2).tolist() == [1, 0, 0]
    count, worst = count_confusions([np.array([0, 0, 1])], [label], np.array([0]), 2)
    assert count.tolist() == [[1, 1], [1, 0]]
    assert worst.tolist() == [[0, 0], [0, -1]]


@pytest.mark.parametrize("rows", [np.eye(4), csr_array(np.eye(4)), [np.ones(k) for k in range(4)]])
def test_a_part_of_a_data_set_keeps_the_kind_of_its_inputs(rows: object) -> None:
    part = part_of(Dataset("d", rows, np.arange(4)), np.array([1, 3]))
    assert len(part) == 2
    assert part.labels.tolist() == [1, 3]
    if not isinstance(rows, list):
        assert part.inputs.shape == (2, 4)
        assert part.inputs[[1]].sum() == 1.0
