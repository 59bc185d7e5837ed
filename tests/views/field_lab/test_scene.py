"""One step of an oracle as columns: messages, pies, edges, cuts and cells, against a hand calculation."""

import numpy as np
import pytest

from explorer.labs.fields.instance import FieldChoice, field_case
from explorer.labs.fields.state import FIRST, FieldLab, FieldSetup
from explorer.views.field_lab import words as lab_words
from explorer.views.field_lab.scene import FieldScene, cut, edges, messages, nodes, notes, path, pies, share
from tests.labs.fields.sample_fields import ATTRACTING, CASES, every


def scene(choice: FieldChoice, name: str, step: int = -1, picked: int | None = None) -> FieldScene:
    lab = FieldLab(FieldSetup(choice, (name,), name, step))
    return FieldScene(lab.case, lab.compared, lab.now, picked)


def test_messages_are_drawn_near_their_receiver_and_point_at_it() -> None:
    shown = scene(FIRST.choice, "belief propagation")
    found = messages(shown, (100.0, 100.0), 10.0)
    at = np.stack([found["x"], found["y"]], axis=1)
    away = shown.place[found["head"]] - at
    assert np.all(np.hypot(*away.T) < np.hypot(*(shown.place[found["tail"]] - at).T) + 0.1)
    pointing = np.stack([-np.sin(found["angle"]), np.cos(found["angle"])], axis=1)
    assert np.all((pointing * away).sum(axis=1) > 0.0)
    assert found["size"].max() == pytest.approx(13.0)


def test_a_picked_node_shows_only_what_it_is_told_with_numbers() -> None:
    found = messages(scene(FIRST.choice, "belief propagation", picked=3), (1.0, 1.0), 0.1)
    assert set(found["head"]) == {3}
    assert len(found["tail"]) == 9
    assert all(found["text"])


def test_fractional_nodes_are_pies_that_fill_a_circle_and_carry_their_share() -> None:
    shown = scene(FieldChoice("triangle"), "linear program", step=1)
    slices = pies(shown)
    assert np.subtract(slices["end"], slices["start"]) == pytest.approx(np.pi)
    assert notes(shown, 1.0)["text"] == ["0: 1/2", "1: 1/2", "2: 1/2"]
    assert len(shown.wrong) == 0
    assert share(1 / 3) == "1/3"
    assert share(0.4321) == "0.43"


def test_edges_are_as_wide_as_they_are_strong_and_dashed_where_they_repel() -> None:
    case = field_case(CASES[0])
    found = edges(scene(CASES[0], "greedy"))
    b = case.field.pair[case.field.table][:, 1, 1]
    assert found["dash"] == ["solid" if value >= 0 else "dashed" for value in b]
    assert np.argmax(found["width"]) == np.argmax(np.abs(b))


def test_full_edges_are_dotted_and_a_cut_is_crossed_in_its_middle() -> None:
    shown = scene(ATTRACTING, "graph cut")
    ends = shown.case.field.ends[shown.step.cut]
    found = cut(shown, (1.0, 1.0))
    middle = 0.5 * (shown.place[ends[:, 0]] + shown.place[ends[:, 1]])
    assert np.stack([found["x"], found["y"]], axis=1) == pytest.approx(middle)
    dashes = np.array(edges(shown)["dash"])
    assert set(dashes[shown.step.cut]) <= {"dotted"}
    walked = scene(ATTRACTING, "graph cut", step=1)
    assert walked.step.flow is not None
    assert len(path(walked)["x0"]) == len(walked.step.flow.path) - 1


def test_large_grids_are_cells_without_edges_or_numbers() -> None:
    shown = scene(FieldChoice("patches", 12, 2), "belief propagation")
    assert shown.cells
    assert (
        len(edges(shown)["x0"])
        == len(messages(shown, (1.0, 1.0), 1.0)["x"])
        == len(notes(shown, 1.0)["x"])
        == 0
    )
    assert len(nodes(shown)["x"]) == 144


def test_crosses_stand_where_a_worse_labelling_differs() -> None:
    shown = scene(CASES[0], "independent")
    best = every(shown.case.field)[0][np.argmax(every(shown.case.field)[1])]
    assert shown.wrong.tolist() == np.flatnonzero(shown.step.labels != best).tolist()
    assert len(scene(CASES[0], "exhaustive").wrong) == 0


def test_the_table_of_a_step_has_its_messages_or_arcs_when_a_node_is_picked() -> None:
    shown = scene(FIRST.choice, "belief propagation")
    whole = lab_words.step_table(shown.step, None)
    assert len(whole["node"]) == 10
    assert {"belief of 0", "belief of 1"} <= set(whole)
    mine = lab_words.step_table(shown.step, 2)
    assert len(mine["from"]) == 18
    flows = scene(ATTRACTING, "graph cut")
    arcs = lab_words.step_table(flows.step, 4)
    assert len(arcs["capacity"]) == 4  # the middle of a 3 x 3 grid
