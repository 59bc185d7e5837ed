"""Weights of graphs and of sets of labels are named by what they score, and laid out as squares."""

import numpy as np
import pytest

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.contracts import Problem
from explorer.engine.data.multilabel import label_set_data
from explorer.engine.structures.fields.graph_map import GraphMap
from explorer.engine.structures.fields.graphs import graphs, grid
from explorer.engine.structures.fields.label_map import LabelMap
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.views.kit.depiction import depiction_of
from explorer.views.kit.words.weight_names import PairCells, WeightGroup, word_of
from explorer.views.weights.frame import sheets

STATES = ("red", "blue")


def groups(problem: Problem) -> tuple[WeightGroup, ...]:
    return depiction_of(problem).weights(problem)


def pair_cells(problem: Problem) -> PairCells | None:
    return depiction_of(problem).pair_cells(problem)


def pictures(tie: str = "full", directional: bool = False) -> FieldLabelling:
    x = grid(np.zeros((4, 2)), 2, 2, directional)
    data = graphs("pictures", [x], [[0, 1, 1, 0]], STATES, feature_names=("warm", "cold"))
    return FieldLabelling(data, GraphMap(2, tie))


def sets(pairs: tuple[tuple[int, int], ...]) -> FieldLabelling:
    data = label_set_data("sets", np.ones((2, 2)), [[1, 0, 1], [0, 0, 1]], ("sea", "sun", "sand"))
    return FieldLabelling(data, LabelMap(3, pairs))


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (pictures(), {1: "warm for blue", 5: "red beside blue", 6: "blue beside red"}),
        (pictures("symmetric"), {2: "cold for red", 5: "red beside blue", 6: "blue beside blue"}),
        (pictures("none"), {3: "cold for blue"}),
        (
            pictures(directional=True),
            {4: "red beside red (edge feature 1)", 11: "blue beside blue (edge feature 2)"},
        ),
        (sets(((0, 2), (1, 2))), {4: "feature 2 for sun", 6: "sea with sand", 7: "sun with sand"}),
    ],
    ids=["full", "symmetric", "none", "directional", "labels"],
)
def test_every_weight_of_a_field_has_a_name_of_its_own(
    problem: FieldLabelling, words: dict[int, str]
) -> None:
    parts = groups(problem)
    assert [part.start for part in parts] == [where.start for where in problem.groups.values()]
    assert parts[-1].stop == problem.dim
    assert len({word_of(parts, j) for j in range(problem.dim)}) == problem.dim
    assert {j: word_of(parts, j) for j in words} == words


@pytest.mark.parametrize("tie", ["full", "symmetric"])
def test_the_square_of_pairwise_weights_is_the_table_that_scores_edges(tie: str) -> None:
    for problem in (pictures(tie), pictures(tie, directional=True)):
        w = np.random.default_rng(0).normal(size=problem.dim)
        found = pair_cells(problem)
        assert found is not None
        edge = 0
        tables = problem.fields(w, 0, 1).pair
        if problem.layout.marks is not None:
            edge = int(np.argmax(problem.layout.marks[:, 0]))  # an edge with the first feature alone
        first = found.table == 0
        square = np.zeros((2, 2))
        square[found.row[first], found.column[first]] = w[found.index[first]]
        assert square.tolist() == tables[edge].tolist()


def test_weights_of_pairs_of_labels_fill_both_halves_of_their_square() -> None:
    problem = sets(((0, 2), (1, 2)))
    w = np.arange(problem.dim, dtype=float)
    main, side, note = sheets(problem, groups(problem), w, 2.0)
    assert main is not None
    assert side is not None
    cells = {(int(y), int(x)): value for x, y, value in zip(side.x, side.y, side.value, strict=True)}
    assert cells == {(0, 2): 6.0, (2, 0): 6.0, (1, 2): 7.0, (2, 1): 7.0}
    assert (main.title, side.title, note) == ("features across, labels down", "pairs of labels", "")
    assert list(main.down.values()) == ["sea", "sun", "sand"]


def test_without_pairs_there_is_no_square() -> None:
    assert pair_cells(sets(())) is None
    assert pair_cells(pictures("none")) is None
    assert pair_cells(Recipe(task="four-points").problem()[0]) is None
    assert sheets(pictures("none"), groups(pictures("none")), np.zeros(4), 2.0)[1] is None
