"""The labelling shows what enumeration finds, says what decides a node, and edits nothing but its own
picture.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pytest
from bokeh.events import Tap

from explorer.dashboards.studio.link import read
from explorer.dashboards.studio.page import Studio
from explorer.engine.catalogue.oracle_names import oracle_named
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.data.multilabel import label_set_data
from explorer.engine.events import Bounds, Started, Step
from explorer.engine.refusals import Refused
from explorer.engine.runs.trace import Trace
from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.graph_map import GraphMap
from explorer.engine.structures.fields.graphs import graph, graphs, grid
from explorer.engine.structures.fields.label_map import LabelMap, all_pairs
from explorer.engine.structures.fields.oracles import Tree
from explorer.engine.structures.fields.problem import FieldLabelling
from explorer.labs.fields.handover import HANDOVER
from explorer.session.state import Session
from explorer.views import structure_of
from explorer.views.kit.drawing.state_colours import fills, ink_on, marks
from explorer.views.kit.drawing.theme import DARK, LIGHT, PROJECTOR
from explorer.views.labelling import frame as numbers
from explorer.views.labelling import words
from explorer.views.labelling.edits import Edits
from explorer.views.labelling.glyphs import SOURCES
from explorer.views.labelling.view import EDGES, LOOK, PAINT, Labelling
from explorer.views.sequence.view import Sequence

Array = np.ndarray
ABC = ("A", "B", "C")


def trace_of(problem: Any, *steps: Array) -> Trace:
    trace = Trace()
    trace.append(Started(problem.name, "Subgradient", problem.n, problem.dim, 0, True, {"C": 1.0}))
    for k, w in enumerate(steps):
        trace.append(Step(k, w, bounds=Bounds(1.0)))
    return trace


def pictures(seed: int = 0, rows: int = 2, columns: int = 3, **more: Any) -> tuple[FieldLabelling, Trace]:
    """One random grid with three states and random weights."""
    rng = np.random.default_rng(seed)
    x = grid(rng.normal(size=(rows * columns, 2)), rows, columns, more.pop("directional", False))
    data = graphs("pictures", [x], [rng.integers(0, 3, rows * columns)], ABC)
    problem = FieldLabelling(data, GraphMap(3, more.pop("tie", "full")), **more)
    return problem, trace_of(problem, rng.normal(size=problem.dim))


def label_sets(seed: int = 0) -> tuple[FieldLabelling, Trace]:
    """Two examples with four labels each, every pair with a weight."""
    rng = np.random.default_rng(seed)
    data = label_set_data(
        "sets", rng.normal(size=(2, 3)), rng.integers(0, 2, (2, 4)), ("sea", "sun", "sand", "snow")
    )
    problem = FieldLabelling(data, LabelMap(4, all_pairs(4)))
    return problem, trace_of(problem, rng.normal(size=problem.dim))


def triangle(**more: Any) -> tuple[FieldLabelling, Trace]:
    """Three nodes without scores of their own that all want to differ: with two states every node is half and
    half.
    """
    x = graph(np.zeros((3, 1)), [(0, 1), (0, 2), (1, 2)], names=("p", "q", "r"))
    problem = FieldLabelling(graphs("triangle", [x], [[0, 0, 1]], ("A", "B")), GraphMap(2), **more)
    return problem, trace_of(problem, np.array([0.0, 0.0, -1.0, 0.0, 0.0, -1.0]))


def path_graph(labels: list[int], tie: str = "full", **more: Any) -> tuple[FieldLabelling, Trace]:
    """Three nodes in a row with scores (2, 0), (0, 1), (0, 3) for A and B; neighbours that agree gain 0.75
    each.
    """
    x = graph([[2.0, 0.0], [0.0, 1.0], [0.0, 3.0]], [(0, 1), (1, 2)])
    problem = FieldLabelling(graphs("row", [x], [labels], ("A", "B")), GraphMap(2, tie), **more)
    pairs = {"full": [0.75, 0.0, 0.0, 0.75], "symmetric": [0.75, 0.0, 0.75], "none": []}[tie]
    return problem, trace_of(problem, np.array([1.0, 0.0, 0.0, 1.0, *pairs]))


def scored(field: Fields, y: Any) -> float:
    """The score of one labelling, term by term."""
    nodes = sum(field.unary[u, s] for u, s in enumerate(y))
    return float(
        nodes + sum(field.pair[t, y[a], y[b]] for (a, b), t in zip(field.ends, field.table, strict=True))
    )


def best(field: Fields, truth: Any = None, fixed: dict[int, int] | None = None) -> list[int]:
    """The best of all labellings, with the Hamming loss against a truth, or with some nodes held fixed."""
    m, states = field.unary.shape
    every = [y for y in product(range(states), repeat=m) if all(y[u] == s for u, s in (fixed or {}).items())]
    loss = (
        (lambda y: sum(a != b for a, b in zip(y, truth, strict=True))) if truth is not None else (lambda y: 0)
    )
    return list(max(every, key=lambda y: scored(field, y) + loss(y)))


@pytest.fixture
def session() -> Iterator[Session]:
    s = Session(Recipe(task="clubs", data={"n": 3, "n_test": 2}, rule={"steps": 4}))
    s.show_finished()
    yield s
    s.close()


@pytest.fixture
def view(session: Session) -> Iterator[Labelling]:
    v = Labelling(session)
    yield v
    v.close()


def opened(problem: FieldLabelling, trace: Trace, **settings: Any) -> Labelling:
    """A view of a problem of one's own."""
    own = Session(Recipe.of(problem))
    own.trace = trace
    return Labelling(own, **settings)


def closed(view: Labelling) -> None:
    view.close()
    view.session.close()


# the frame --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make", [pictures, label_sets, lambda seed: triangle()], ids=["grid", "labels", "graph"]
)
def test_prediction_and_most_violated_labelling_are_those_of_enumeration(make: Any) -> None:
    for seed in range(8):
        problem, trace = make(seed)
        shown = numbers.frame(problem, trace, 0)
        field, truth = problem.fields(trace.at(0).w, 0, 1), shown.truth
        value = lambda y, field=field: scored(field, y)  # noqa: E731
        assert value(shown.guess.labels) == pytest.approx(value(best(field)))
        rival = best(field, truth)
        wrong = sum(a != b for a, b in zip(rival, truth, strict=True))
        assert shown.loss - value(truth) + value(shown.rival.labels) == pytest.approx(
            wrong - value(truth) + value(rival)
        )
        assert shown.violation == pytest.approx(wrong + value(rival) - value(truth))
        assert shown.loss == np.count_nonzero(shown.rival.labels != truth)


@pytest.mark.spec("A42")
def test_own_scores_take_every_node_by_itself() -> None:
    problem, trace = pictures(3)
    shown = numbers.frame(problem, trace, 0, fill="own scores")
    w = trace.at(0).w
    alone = [int(np.argmax(row @ w[:6].reshape(2, 3))) for row in problem.dataset.inputs[0].nodes]
    assert shown.shown.labels.tolist() == alone


def test_the_difference_of_two_sums_is_what_changing_that_node_alone_changes() -> None:
    for problem, trace in (pictures(1), label_sets(2), pictures(4, directional=True)):
        shown = numbers.frame(problem, trace, 0)
        total, y = numbers.sums(shown), shown.shown.labels
        for u, s in product(range(len(y)), range(len(shown.states))):
            other = y.copy()
            other[u] = s
            change = scored(shown.field, other) - scored(shown.field, y)
            assert total[u, s] - total[u, y[u]] == pytest.approx(change)


def test_neighbours_add_up_to_the_sum_and_the_one_that_matters_most_comes_first() -> None:
    shown = numbers.frame(*pictures(5, rows=3), 0)
    who, adds = numbers.neighbours(shown, 4)
    assert sorted(who.tolist()) == [1, 3, 5, 7]
    assert shown.field.unary[4] + adds.sum(axis=0) == pytest.approx(numbers.sums(shown)[4])
    reach = np.ptp(adds, axis=1)
    assert reach.tolist() == sorted(reach, reverse=True)


def test_the_score_of_an_edge_is_its_entry_of_the_table() -> None:
    shown = numbers.frame(*path_graph([0, 1, 1]), 0)
    assert shown.guess.labels.tolist() == [0, 1, 1]
    found = numbers.edge_table(shown)
    assert found["score"].tolist() == [0.0, 0.75]
    assert (found["ya"].tolist(), found["yb"].tolist()) == ([0, 1], [1, 1])


@pytest.mark.spec("A39")
def test_a_frustrated_triangle_is_half_and_half_under_the_linear_program() -> None:
    shown = numbers.frame(*triangle(predictor=oracle_named("linear program")), 0)
    assert shown.guess.fractional.tolist() == [0, 1, 2]
    assert shown.guess.shares == pytest.approx(np.full((3, 2), 0.5))
    assert words.sentence(shown).count("3 nodes are fractional") == 1
    assert words.table(shown)["prediction"] == ["1/2 A + 1/2 B"] * 3
    assert "open between states" in words.decision(shown, 0).verdict
    assert numbers.edge_table(shown)["score"] == pytest.approx(
        -0.5 * np.ones(3)
    )  # half of -1 at (A, A) and (B, B)


def test_a_relaxed_answer_of_whole_shares_is_a_plain_labelling() -> None:
    shown = numbers.frame(*path_graph([0, 0, 0], predictor=oracle_named("linear program")), 0)
    assert shown.guess.shares is None
    assert shown.guess.labels.tolist() == [0, 1, 1]


def test_oracles_are_asked_once_for_a_step_and_again_for_another() -> None:
    problem, trace = pictures()
    trace.append(Step(1, np.zeros(problem.dim), bounds=Bounds(1.0)))
    memory = numbers.Memory(4)
    first = numbers.frame(problem, trace, 0, memory=memory)
    assert numbers.frame(problem, trace, 0, fill="truth", memory=memory).guess is first.guess
    assert numbers.frame(problem, trace, 1, memory=memory).guess is not first.guess


def test_while_a_step_looks_for_cuts_its_find_is_shown() -> None:
    problem, trace = pictures(2)
    shown = numbers.frame(problem, trace, 0, phase=1)
    assert shown.fill == "most tempting"
    assert shown.shown is shown.rival
    assert numbers.frame(problem, trace, 0, phase=1, fill="truth").fill == "truth"


def test_an_oracle_that_refuses_gives_its_reason() -> None:
    problem, trace = triangle(predictor=oracle_named("graph cut"))
    with pytest.raises(Refused, match=r"The predictor, graph cut, refuses this example: .* repels"):
        numbers.frame(problem, trace, 0)
    problem, trace = triangle(separator=oracle_named("graph cut"))
    with pytest.raises(Refused, match=r"The training oracle, graph cut, refuses this example: .* repels"):
        numbers.frame(problem, trace, 0)


# edits ------------------------------------------------------------------------------------------------------


def test_a_painted_node_keeps_its_state_and_the_others_are_the_best_beside_it() -> None:
    changed = 0
    for seed in range(10):
        problem, trace = pictures(seed)
        field = problem.fields(trace.at(0).w, 0, 1)
        seeds = {seed % 6: seed % 3}
        shown = numbers.frame(problem, trace, 0, edits=Edits(seeds))
        assert shown.guess.labels.tolist() == best(field, fixed=seeds)
        assert shown.before.labels.tolist() == best(field)
        changed += shown.guess.labels.tolist() != best(field)
    assert changed > 3


def test_edges_are_taken_out_and_put_in_for_the_prediction_alone() -> None:
    problem, trace = path_graph([0, 0, 0])
    cut = numbers.frame(problem, trace, 0, edits=Edits({}, frozenset({(1, 2)})))
    assert cut.removed.tolist() == [[1, 2]]
    assert cut.field.ends.tolist() == [[0, 1]]
    joined = numbers.frame(problem, trace, 0, edits=Edits({}, frozenset({(2, 0)})))
    assert joined.added.tolist() == [[0, 2]]
    assert joined.guess.labels.tolist() == best(joined.field) == [0, 1, 1]
    assert scored(joined.field, [1, 1, 1]) == pytest.approx(4 + 3 * 0.75)
    assert len(problem.layout.ends) == 2


def test_removing_an_edge_flips_the_node_that_only_followed_its_neighbour() -> None:
    problem, trace = path_graph([0, 0, 0])
    w = trace.at(0).w.copy()
    w[4:] *= 4.0  # agreeing is worth 3 now: B B B scores 10, A B B 9, A A A 8
    trace = trace_of(problem, w)
    assert numbers.frame(problem, trace, 0).guess.labels.tolist() == [1, 1, 1]
    parted = numbers.frame(problem, trace, 0, edits=Edits({}, frozenset({(0, 1)})))
    assert parted.guess.labels.tolist() == [0, 1, 1]
    assert "What if node 0 and node 1 are parted: 1 node of the prediction changes" in words.sentence(parted)


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        (label_sets()[0], "weight of its own"),
        (pictures(directional=True)[0], "features of its own"),
        (path_graph([0, 0, 0], "none")[0], "no pairwise weights"),
    ],
    ids=["labels", "directional", "no pairs"],
)
def test_where_edges_cannot_be_put_in_the_reason_is_given_and_toggling_does_nothing(
    problem: FieldLabelling, reason: str
) -> None:
    shown = numbers.frame(problem, Trace(), 0, edits=Edits({}, frozenset({(0, 1)})))
    assert reason in shown.no_edges_because
    assert not shown.edits
    assert not len(shown.removed)


def test_a_predictor_that_refuses_an_edited_graph_leaves_the_prediction_and_its_reason() -> None:
    problem, trace = path_graph([0, 0, 0], predictor=Tree())
    shown = numbers.frame(problem, trace, 0, edits=Edits({}, frozenset({(0, 2)})))
    assert shown.guess is shown.before
    assert "cycle" in shown.refused
    assert shown.refused in words.sentence(shown)


def test_edits_outside_the_graph_are_left_out() -> None:
    shown = numbers.frame(*path_graph([0, 0, 0]), 0, edits=Edits({7: 0, 1: 5}, frozenset({(0, 9), (1, 1)})))
    assert not shown.edits


# where nodes lie --------------------------------------------------------------------------------------------


def test_cells_lie_row_by_row_and_their_borders_separate_unlike_truths() -> None:
    x = grid(np.zeros((6, 1)), 2, 3)
    data = graphs("picture", [x], [[0, 0, 1, 0, 1, 1]], ("A", "B"))
    shown = numbers.frame(FieldLabelling(data, GraphMap(2)), Trace(), 0)
    assert (shown.kind, shown.shape) == ("grid", (2, 3))
    assert shown.place[4].tolist() == [1, 1]
    lines = sorted(numbers.borders(shown).tolist())
    assert lines == [[0.5, 0.5, 0.5, 1.5], [0.5, 0.5, 1.5, 0.5], [1.5, -0.5, 1.5, 0.5]]


def test_labels_lie_on_a_circle_from_the_top_clockwise() -> None:
    shown = numbers.frame(*label_sets(), 0)
    assert shown.names == ("sea", "sun", "sand", "snow")
    assert shown.place == pytest.approx(np.array([[0, 1], [1, 0], [0, -1], [-1, 0]]), abs=1e-12)


def test_a_graph_without_places_always_gets_the_same_ones() -> None:
    problem, trace = triangle()
    first, again = (numbers.frame(problem, trace, 0).place for _ in range(2))
    assert first is again
    assert len(np.unique(first, axis=0)) == 3


# words ------------------------------------------------------------------------------------------------------


def test_the_sentence_counts_wrong_nodes_and_names_loss_and_violation() -> None:
    shown = numbers.frame(
        *path_graph([0, 0, 0]), 0
    )  # prediction A B B scores 6.75; B B B with loss 3: 5.5 + 3
    told = words.sentence(shown)
    assert told.startswith(
        "Example 0: 2 of 3 nodes wrong (66.7 %); the oracle's most tempting labelling has loss "
    )
    assert told.endswith("loss 2 and violation 5.25.")  # A B B: 6.75 + 2 - (2 + 1.5)
    rival = words.sentence(numbers.frame(*path_graph([0, 0, 0]), 0, fill="most tempting"))
    assert "most tempting labelling has 2 of 3 nodes wrong (66.7 %), loss 2 and violation 5.25" in rival
    assert "the truth is shown" in words.sentence(numbers.frame(*path_graph([0, 0, 0]), 0, fill="truth"))


def test_nothing_trained_shows_w_zero_and_says_so() -> None:
    problem, _ = path_graph([0, 1, 1])
    shown = numbers.frame(problem, Trace(), 0)
    assert shown.step is None
    assert not shown.base.any()
    assert words.sentence(shown).startswith("Nothing trained yet")


def test_no_violated_labelling_is_said_in_words() -> None:
    problem, trace = path_graph([0, 1, 1])
    told = words.sentence(numbers.frame(problem, trace_of(problem, 20 * trace.at(0).w), 0))
    assert "0 of 3 nodes wrong (0.0 %); the oracle finds no labelling that is violated" in told


def test_the_table_has_a_row_for_every_node_and_of_many_the_wrong_ones_first() -> None:
    columns = words.table(numbers.frame(*path_graph([0, 0, 0]), 0))
    assert columns["node"].tolist() == [0, 1, 2]
    assert columns["truth"] == ["A", "A", "A"]
    assert columns["prediction"] == ["A", "B", "B"]
    assert columns["own score of B"] == [0.0, 1.0, 3.0]
    assert columns["with neighbours: A"] == [2.0, 0.75, 0.0]
    wide = words.table(numbers.frame(*pictures(rows=15, columns=20, **greedy()), 0))
    right = [a == b for a, b in zip(wide["truth"], wide["prediction"], strict=True)]
    assert len(right) == words.MOST_ROWS
    assert right == sorted(right)
    assert wide["where"][0].startswith("row ")


def greedy() -> dict[str, Any]:
    return {"separator": oracle_named("greedy"), "predictor": oracle_named("greedy")}


def test_a_decision_lists_own_score_painting_and_neighbours_and_says_which_sum_wins() -> None:
    problem, trace = path_graph([0, 1, 1])
    made = words.decision(numbers.frame(problem, trace, 0), 1)
    assert made.rows[0][0] == "own score"
    assert {name for name, _ in made.rows[1:]} == {"node 0: A", "node 2: B"}
    assert made.total.tolist() == [0.75, 1.75]
    assert made.verdict == "B has the largest sum, by 1."
    painted = words.decision(numbers.frame(problem, trace, 0, edits=Edits({1: 0})), 1)
    assert [name for name, _ in painted.rows][1] == "painted"
    assert sum(part for _, part in painted.rows) == pytest.approx(painted.total)
    assert painted.title == "Node 1: A, truth B"


def test_neighbours_of_a_cell_are_named_by_their_side_and_many_are_added_up() -> None:
    rows = words.decision(numbers.frame(*pictures(rows=3), 0), 4).rows
    assert {name.partition(":")[0] for name, _ in rows[1:]} == {"left", "right", "above", "below"}
    star = graph(np.zeros((9, 1)), [(0, leaf) for leaf in range(1, 9)])
    problem = FieldLabelling(graphs("star", [star], [[0] * 9], ("A", "B")), GraphMap(2))
    made = words.decision(numbers.frame(problem, trace_of(problem, np.array([0, 0, 1.0, 0, 0, 2.0])), 0), 0)
    assert made.rows[-1][0] == "3 more neighbours"
    assert sum(part for _, part in made.rows) == pytest.approx(made.total)


def test_a_state_that_does_not_win_its_sum_is_explained() -> None:
    problem, trace = path_graph([1, 0, 0])
    assert "need not score best" in words.decision(numbers.frame(problem, trace, 0, fill="truth"), 0).verdict
    problem, trace = path_graph([0, 1, 1])
    trace = trace_of(problem, 0.1 * trace.at(0).w)  # losses outweigh scores: every node of the find is wrong
    made = words.decision(numbers.frame(problem, trace, 0, fill="most tempting"), 2)
    assert made.title == "Node 2: A, truth B"
    assert made.verdict == "B alone would score 0.225 more beside these neighbours: the loss is added here."


def test_states_have_short_marks_and_readable_fills() -> None:
    assert marks(("red", "green", "blue")) == ("r", "g", "b")
    assert marks(("stay", "stop", "off")) == ("sta", "sto", "")
    assert marks(("off", "on")) == ("", "on")
    for theme in (LIGHT, DARK, PROJECTOR):
        assert len(set(fills(tuple("ABCDEFGH"), theme))) == 8
    assert (ink_on("#ffffff"), ink_on("#000000")) == ("#000000", "#ffffff")


# the view ---------------------------------------------------------------------------------------------------


def test_a_click_picks_the_nearest_node_and_a_second_one_lets_go(view: Labelling) -> None:
    x, y = view.shown.place[5]  # type: ignore[union-attr]
    view.picture.plot._trigger_event(Tap(view.picture.plot, x=x, y=y))
    assert view.picked == 5
    assert "own score" in view.about.object
    assert view.picture.sources["picked"].data["node"] == [5]
    view._tapped(x, y)
    assert view.picked is None
    view._tapped(x + 99.0, y)
    assert view.picked is None


def test_nodes_are_looked_at_painted_and_joined_by_their_number(view: Labelling) -> None:
    before = view.shown.guess.labels.tolist()  # type: ignore[union-attr]
    view.number.value = 5
    assert view.picked == 5
    assert not view.act.visible
    view.mode, view.brush = PAINT, 1 - before[5]
    assert (view.act.visible, view.act.label.split()[0]) == (True, "Paint")
    view._touched(view.number.value)
    assert view.seeds == {5: 1 - before[5]}
    assert view.act.label == "Let go"
    view._touched(view.number.value)
    assert view.seeds == {}
    view.param.update(mode=EDGES, picked=None)
    for node, label in ((2, "From here"), (7, "To here")):
        view.number.value = node
        assert view.act.label == label
        view._touched(view.number.value)
    assert view.toggled == {(2, 7)}


def test_the_field_is_taken_to_the_lab_with_its_edits(view: Labelling) -> None:
    view.seeds = {5: 0}
    view.to_lab.go()
    one = HANDOVER.get(parse_qs(view.to_lab.window.address.partition("?")[2])["taken"][0])
    assert one is not None
    assert one.field is view.shown.field  # type: ignore[union-attr]
    assert one.words.startswith("Example 0 of ")
    assert view.to_lab.window.count == 1


def test_painting_forces_a_node_and_reset_takes_it_back(view: Labelling) -> None:
    before = view.shown.guess.labels.tolist()  # type: ignore[union-attr]
    view.painting.value = True
    assert (view.mode, view.palette.visible) == (PAINT, True)
    view.brush = 1 - before[5]
    view._tapped(*view.shown.place[5])  # type: ignore[union-attr]
    assert view.seeds == {5: 1 - before[5]}
    assert view.picture.sources["nodes"].data["shown"][5] == 1 - before[5]
    assert "What if member 6 is" in view.words.object
    assert view.picture.made.items["painted"].visible
    view.reset_edits()
    assert view.picture.sources["nodes"].data["shown"].tolist() == before
    view.painting.value = False
    assert view.mode == LOOK


def test_two_clicks_toggle_an_edge_and_only_one_mode_is_on(view: Labelling) -> None:
    a, b = view.shown.field.ends[0]  # type: ignore[union-attr]
    view.painting.value = True
    view.joining.value = True
    assert (view.mode, view.painting.value) == (EDGES, False)
    for node in (a, b):
        view._tapped(*view.shown.place[node])  # type: ignore[union-attr]
    assert view.toggled == {(a, b)}
    assert len(view.picture.sources["removed"].data["a"]) == 1
    for node in (b, a):
        view._tapped(*view.shown.place[node])  # type: ignore[union-attr]
    assert view.toggled == frozenset()


def test_a_dragged_node_stays_where_it_was_put_and_its_edges_follow(view: Labelling) -> None:
    view.picture.sources["moved"].data = {"node": [0], "x": [0.25], "y": [-0.5]}
    assert view.places == {0: (0.25, -0.5)}
    nodes, edges = view.picture.sources["nodes"].data, view.picture.sources["edges"].data
    assert (nodes["x"][0], nodes["y"][0]) == (0.25, -0.5)
    ends = [(x, y) for a, x, y in zip(edges["a"], edges["x0"], edges["y0"], strict=True) if a == 0]
    assert ends
    assert set(ends) == {(0.25, -0.5)}


def test_another_example_starts_without_edits(session: Session, view: Labelling) -> None:
    view.param.update(seeds={1: 0}, picked=2, places={0: (0.0, 0.0)}, toggled=frozenset({(0, 1)}))
    view.chooser.choose(2)
    assert (view.seeds, view.picked, view.places, view.toggled) == ({}, None, {}, frozenset())
    view.chooser.choose(99)
    assert session.example == 2
    session.param.update(split="test", example=0)
    assert "Test example 0" in view.words.object


def test_edits_and_looks_leave_the_run_and_the_data_as_they_were(session: Session, view: Labelling) -> None:
    w, ends = session.trace.at(-1).w.copy(), session.problem.layout.ends.copy()  # type: ignore[attr-defined]
    view.param.update(seeds={3: 1}, toggled=frozenset({(0, 33)}), fill="most tempting")
    assert session.trace.at(-1).w.tolist() == w.tolist()
    assert session.problem.layout.ends.tolist() == ends.tolist()  # type: ignore[attr-defined]


def test_the_picture_travels_with_the_cursor(session: Session, view: Labelling) -> None:
    session.cursor = 0
    w = session.trace.at(0).w
    guess = session.problem.predict(w, session.problem.dataset.inputs[0])
    assert view.picture.sources["nodes"].data["shown"].tolist() == guess.tolist()


def test_wrong_cells_are_hatched_and_hold_their_truth_and_letters_fit_their_cells() -> None:
    problem, trace = pictures(1)
    view = opened(problem, trace)
    shown = view.shown
    assert shown is not None
    assert view.picture.sources["wrong"].data["truth"].tolist() == shown.truth[shown.wrong].tolist()
    assert view.picture.glyphs["hatch"].visible
    assert not view.picture.glyphs["rings"].visible
    assert view.picture.sources["letters"].data["text"] == [ABC[s] for s in shown.truth]
    view.picture.room.take(30, 20)
    view.refresh()
    assert view.picture.sources["letters"].data["text"] == []
    closed(view)


def test_cells_stay_square_whatever_the_room() -> None:
    view = opened(*pictures())
    for wide, high in ((600, 200), (200, 400)):
        view.picture.room.take(wide, high)
        view.refresh()
        x, y = view.picture.plot.x_range, view.picture.plot.y_range
        assert wide / (x.end - x.start) == pytest.approx(high / (y.start - y.end))
    closed(view)


def test_a_fractional_node_is_a_pie_of_its_shares_with_the_largest_written_on_it() -> None:
    view = opened(*triangle(predictor=oracle_named("linear program")))
    pies = view.picture.sources["pies"].data
    assert pies["node"].tolist() == [0, 0, 1, 1, 2, 2]
    assert pies["end"] - pies["start"] == pytest.approx(np.pi * np.ones(6))
    assert view.picture.sources["letters"].data["text"] == ["1/2"] * 3
    assert view.picture.made.items["fractional"].visible
    closed(view)


def test_every_sign_has_a_shape_of_its_own_in_every_theme(view: Labelling) -> None:
    for theme in (LIGHT, DARK, PROJECTOR):
        view.theme = theme
        draw = view.picture.glyphs
        assert {draw["crosses"].glyph.marker, draw["seeds"].glyph.marker, draw["picked"].glyph.marker} == {
            "x",
            "square",
            "diamond",
        }
        assert view.picture.plot.background_fill_color == theme.background
        assert view.picture.made.mapper.palette == fills(("Mr. Hi", "Officer"), theme)
        assert draw["titles"].glyph.text_color == theme.text


def test_where_edges_cannot_be_edited_the_button_says_why() -> None:
    view = opened(*label_sets())
    assert view.joining.disabled
    assert "weight of its own" in view.joining.description
    assert view.picture.sources["titles"].data["text"] == ["sea", "sun", "sand", "snow"]
    closed(view)


def test_a_refusing_predictor_leaves_its_reason_in_place_of_the_picture() -> None:
    problem, trace = triangle(predictor=oracle_named("graph cut"))
    view = opened(problem, Trace())
    assert view.body.visible
    view.session.trace = trace
    view.session.tick += 1
    assert "The predictor, graph cut, refuses this example" in view.words.object
    assert not view.body.visible
    view._tapped(0.0, 0.0)
    view.theme = DARK
    closed(view)


def test_names_from_the_data_are_escaped_in_the_panel() -> None:
    x = graph(np.zeros((2, 1)), [(0, 1)], names=("<b>", "&"))
    problem = FieldLabelling(graphs("odd", [x], [[0, 1]], ("<i>", "B")), GraphMap(2))
    view = opened(problem, Trace(), picked=0, table_open=True)
    assert "<b>: <i>" not in view.about.object
    assert "&lt;b&gt;: &lt;i&gt;" in view.about.object
    closed(view)


def test_a_hidden_view_draws_nothing(session: Session, view: Labelling) -> None:
    view.active = False
    before = view.picture.sources["nodes"].data
    session.example = 1
    assert view.picture.sources["nodes"].data is before


def test_a_click_on_a_large_grid_does_not_send_it_again() -> None:
    view = opened(*pictures(rows=20, columns=20, **greedy()))
    before = view.picture.sources["nodes"].data
    view._tapped(3.0, 4.0)
    assert view.picked == 83
    assert view.picture.sources["nodes"].data is before
    closed(view)


def test_sources_keep_their_columns_through_every_kind_of_graph() -> None:
    for made in (pictures(), label_sets(), triangle()):
        view = opened(*made)
        for name, columns in SOURCES.items():
            assert set(columns.split()) <= set(view.picture.sources[name].data), name
        closed(view)


# in the studio ----------------------------------------------------------------------------------------------


def test_every_problem_has_the_structure_view_that_fits_it() -> None:
    assert structure_of(label_sets()[0]) is structure_of(pictures()[0]) is Labelling
    assert structure_of(Recipe(task="blocks", data={"n": 2, "n_test": 1}).problem()[0]) is Sequence


@pytest.mark.filterwarnings("ignore:Both 'variant' and 'button_style':PendingDeprecationWarning")
def test_a_link_to_the_trellis_opens_the_labelling_of_a_graph_and_a_new_task_changes_the_tab() -> None:
    small = "v=1&data.n=3&data.n_test=1&rule.steps=2&view=trellis"
    studio = Studio(read(f"task=clubs&{small}"))
    assert studio.layout()["view"] == "labelling"

    def answers() -> list[str]:
        return [tab[1] for tab in studio.stage.bar.groups[0]["tabs"]]

    assert answers() == ["Labelling"]
    studio.session.choices.task = "digit-words"
    assert answers() == ["Sequence", "Trellis"]
    assert studio.layout()["view"] == "sequence"
    studio.session.choices.task = "trees"
    assert answers() == ["Labelling"]
    assert [view.active for kind, view in studio.views.items()] == [
        kind is Labelling for kind in studio.views
    ]
    studio.shell.close()
