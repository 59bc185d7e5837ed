"""The clustering lab without a browser: links, choices, edits, the step player, themes."""

from dataclasses import replace
from typing import Any

import numpy as np
import param
import pytest
from bokeh.events import Tap

from explorer.dashboards.clusters.link import query, read
from explorer.dashboards.clusters.page import ClusterLabPage
from explorer.engine.structures.clusterings.oracles import Iterative
from explorer.labs.clusterings.comparison import CORRELATION, FAMILIES, MEANS
from explorer.labs.clusterings.instance import POINTS, RANDOM, ClusterChoice
from explorer.labs.clusterings.state import FIRST, ClusterSetup
from explorer.views.kit.drawing.theme import DARK, PROJECTOR

pytestmark = pytest.mark.filterwarnings("ignore:Both .variant. and .button_style.:PendingDeprecationWarning")

DRAWN = ClusterSetup(
    ClusterChoice(
        POINTS,
        shape="Gaussian",
        reach=0.4,
        points=((0.1, 0.2), (0.15, 0.3), (0.9, 0.8), (1.0, 0.0)),
        edits=((0, 2, -3.5),),
        truth=(0, 1, 1, 2),
        asks="violated",
        loss="MITRE",
        scaling="slack",
        groups=2,
    ),
    MEANS,
    "iterative k-means",
    0,
    -4.5,
    (Iterative(restarts=5),),
    (0, 0, 1, 1),
)


# Links.


def test_a_link_brings_the_same_lab_back() -> None:
    assert read(query(DRAWN)) == (DRAWN, ())
    assert read(query(FIRST, "dark")) == (FIRST, ())
    assert read("") == (FIRST, ())
    page = ClusterLabPage(DRAWN)
    assert read(query(page.lab.setup())) == (DRAWN, ())
    page.shell.close()


def test_what_a_link_says_wrongly_is_left_out_and_reported() -> None:
    text = "?source=moebius&seed=-3&reach=nan&points=1,2&edits=0-1&truth=!!&shift=900"
    text += "&oracles=Delphi;spectral(k=2)&colour=red"
    setup, faults = read(text)
    assert setup == FIRST
    assert len(faults) == 10
    assert any("Delphi" in fault for fault in faults)
    assert any("'colour'" in fault for fault in faults)


def test_a_link_that_asks_for_more_clusters_or_other_items_than_there_are_is_answered_with_what_fits() -> (
    None
):
    setup, faults = read("?source=figure+3.2&groups=9&truth=0101&edits=0-1:2;0-7:1")
    assert (setup.choice.groups, setup.choice.truth, setup.choice.edits) == (5, (), ((0, 1, 2.0),))
    assert faults == (
        "The link asks for 9 clusters of 5 items; k is 5 now.",
        "The link's truth is of 4 items, which is not their number; it was left out.",
        "Some edits of the link name items that are not there, and were left out.",
    )


def test_a_link_that_is_far_too_long_shows_the_first_figure() -> None:
    setup, faults = read("?edits=" + "0-1:2;" * 2000)
    assert setup == FIRST
    assert "longer than" in faults[0]


def test_an_unknown_clusterer_or_step_of_a_link_shows_the_first_of_its_kind() -> None:
    page = ClusterLabPage(read("?show=oracle&step=900&source=star")[0])
    assert (page.lab.shown, page.lab.step) == ("all partitions", len(page.lab.film) - 1)
    page.shell.close()


def test_clusterers_are_named_with_their_settings() -> None:
    assert read("?oracles=iterative k-means(restarts=7, seed=2)") == (
        replace(FIRST, oracles=(Iterative(7, 2),)),
        (),
    )
    for text in ("iterative k-means(restarts=many)", "iterative k-means(restarts=0)", "(", "greedy"):
        setup, (fault,) = read(f"?oracles={text}")
        assert setup == FIRST
        assert fault.startswith("One of the link's oracles was left out: ")


# The page.


def said(view: Any) -> str:
    return str(view.words.object)


def test_the_first_page_shows_figure_3_1_merged_to_its_end() -> None:
    page = ClusterLabPage()
    assert "★ greedy merges" in page.answers.list.html
    assert "Step 6 of 6. Join h and i" in said(page.picture)
    assert "47" in said(page.over)
    assert len(page.matrices.sources["cells"].data["x"]) == 81
    assert "Pairwise loss 0" in said(page.truth)
    assert "= +6" in said(page.shift)
    page.shell.close()


def test_pressing_a_name_shows_that_clusterer_and_strangers_change_nothing() -> None:
    page = ClusterLabPage()
    page.answers.list._handle_msg({"act": "k-means/spectral", "checked": None})
    assert (page.lab.family, page.lab.shown) == (MEANS, "spectral")
    assert "aria-pressed='true'>spectral" in page.answers.list.html
    assert page.controls.groups["Clusterer"][0].object == "Spectral"
    for act in ("correlation/spectral", "<script>", "k-means/"):
        page.answers.list._handle_msg({"act": act, "checked": None})
        assert page.lab.shown == "spectral"
    page.shell.close()


def test_chips_move_items_of_the_truth_and_of_the_clustering() -> None:
    page = ClusterLabPage(replace(FIRST, choice=ClusterChoice("figure 3.2", asks="violated")))
    page.truth.list._handle_msg({"act": "truth:0", "checked": None})
    assert page.lab.choice.truth == (0, 1, 1, 0, 0)
    assert "ade" not in said(page.truth)
    page.truth.list._handle_msg({"act": "own:0", "checked": None})
    assert len(page.lab.own) == 5
    assert "made by hand" in page.truth.list.html
    page.truth.list._handle_msg({"act": "release", "checked": None})
    assert page.lab.own == ()
    page.truth.list._handle_msg({"act": "truth:99", "checked": None})
    page.shell.close()


def test_a_click_on_a_cell_edits_it_and_all_edits_can_be_undone() -> None:
    page = ClusterLabPage(replace(FIRST, choice=ClusterChoice("four-path")))
    plot = page.matrices.plot
    plot._trigger_event(Tap(plot, x=1.0, y=0.0))
    assert (page.lab.picked, page.matrices.number.value, page.matrices.editor.visible) == ((0, 1), 4.0, True)
    page.matrices.number.value = 6.0
    page.matrices._by(1.0)
    assert (page.lab.case.K[1, 0], page.matrices.number.value) == (7.0, 7.0)
    undo = next(
        part for part in page.controls.groups["Similarity"] if getattr(part, "label", "") == "Undo all edits"
    )
    undo.clicks += 1
    assert page.lab.case.K[1, 0] == 4.0
    page.lab.edit(0, 1, 1.0)
    page.matrices._restore()
    assert page.lab.choice.edits == ()
    plot._trigger_event(Tap(plot, x=1.0, y=0.0))
    assert not page.matrices.editor.visible
    page.shell.close()


@pytest.mark.spec("C6")
def test_the_loss_is_folded_into_the_second_matrix_part_by_part() -> None:
    page = ClusterLabPage(
        ClusterSetup(ClusterChoice("figure 3.2", asks="violated"), CORRELATION, "greedy merges")
    )
    matrices, K = page.matrices, page.lab.case.K
    whole = matrices.frame().panels[1].values
    assert np.array_equal(np.unique(np.abs(whole - K)[np.triu_indices(5, 1)]), [10.0]), (
        "100 / T, T = 10 pairs"
    )
    assert matrices.folding.visible
    matrices.part.value = 0.5
    assert np.allclose(matrices.frame().panels[1].values, 0.5 * (K + whole))
    assert matrices.frame().panels[1].title == "with 50% of the loss: ±5"
    matrices._fold()
    assert np.array_equal(matrices.frame().panels[1].values, whole)
    matrices._fold()
    assert np.array_equal(matrices.frame().panels[1].values, K)
    assert matrices.folder.label == "fold the loss in"
    page.lab.choose(asks="predict")
    assert not matrices.folding.visible


def test_points_that_the_browser_moves_are_clustered_anew() -> None:
    page = ClusterLabPage(replace(FIRST, choice=ClusterChoice(POINTS)))
    handles = page.picture.picture.sources["handles"]
    x, y = list(handles.data["x"]), list(handles.data["y"])
    handles.data = {"x": [*x, 0.5], "y": [*y, 1.7]}
    assert (page.lab.case.m, page.lab.choice.points[-1]) == (10, (0.5, 1.0))
    handles.data = {"x": x[:1], "y": y[:1]}
    assert (page.lab.case.m, len(handles.data["x"])) == (10, 10)
    page.lab.choose(source="star")
    assert len(handles.data["x"]) == 0
    assert page.picture.picture.drawer not in page.picture.picture.plot.tools
    page.shell.close()


def test_another_source_and_question_bring_their_own_widgets() -> None:
    page = ClusterLabPage()
    page.controls.groups["Similarity"][0].value = RANDOM
    assert [part.label for part in page.controls.groups["Similarity"] if hasattr(part, "label")][1:] == [
        "Items",
        "Seed",
    ]
    page.controls.groups["Question"][0].value = "violated"
    assert [part.label for part in page.controls.groups["Question"]] == [
        "Asked for",
        "Loss",
        "Scaling",
        "Clusters k",
    ]
    page.controls.groups["Question"][1].value = "MITRE"
    assert page.lab.choice.loss == "MITRE"
    page.lab.look_at(MEANS, "iterative k-means")
    restarts = next(
        part for part in page.controls.groups["Clusterer"] if getattr(part, "label", "") == "Restarts"
    )
    with param.edit_constant(restarts):
        restarts.value_throttled = 9
    assert page.lab.oracle() == Iterative(restarts=9)
    assert "restarts%3D9" in query(page.lab.setup())
    page.shell.close()


@pytest.mark.parametrize("asks", ["predict", "violated"])
@pytest.mark.parametrize("source", ["figure 3.2", RANDOM, POINTS])
def test_every_clusterer_is_drawn_in_every_theme_at_every_step(source: str, asks: str) -> None:
    page = ClusterLabPage(
        ClusterSetup(ClusterChoice(source, 13 if asks == "predict" else 6, seed=4, asks=asks, groups=2))
    )
    page.shell.theme = "dark" if asks == "predict" else "projector"
    assert page.over.theme is (DARK if asks == "predict" else PROJECTOR)
    for family in FAMILIES:
        for answer in page.lab.compared[family].replies:
            page.lab.look_at(family, answer.title)
            for step in {0, len(page.lab.film) - 1}:
                page.lab.look_at_step(step)
                assert len(page.picture.picture.sources["nodes"].data["x"]) == page.lab.case.m
                panels = len(page.matrices.frame().panels)
                assert len(page.matrices.sources["cells"].data["x"]) == panels * page.lab.case.m**2
                assert len({len(column) for column in page.matrices.sources["headings"].data.values()}) == 1
    page.shell.close()


def test_tables_of_numbers_open_for_every_view() -> None:
    page = ClusterLabPage()
    for view in page.shell.views:
        view.table_open = True
        assert "<table>" in view.data.object
    page.shell.close()


def test_the_player_walks_plays_and_stops_at_the_end() -> None:
    page = ClusterLabPage()
    player, last = page.player, len(page.lab.film) - 1
    assert player.on.disabled
    player.press("ArrowLeft")
    assert page.lab.step == last - 1
    player.slider.value = 1
    assert "Step 1 of 6" in said(page.picture)
    while page.lab.step < last:
        player.advance()
    player.press("ArrowRight")
    assert (page.lab.step, player.playing) == (last, False)
    page.shell.close()


def test_a_click_over_the_steps_goes_there_and_another_shift_is_said() -> None:
    page = ClusterLabPage(replace(FIRST, family=MEANS, shown="iterative k-means"))
    page.over.plot._trigger_event(Tap(page.over.plot, x=1.2, y=0.0))
    assert page.lab.step == 1
    with param.edit_constant(page.shift.slider):
        page.shift.slider.value_throttled = -3.0
    assert "3 × -3 = −9" in said(page.shift)
    assert np.isfinite(page.lab.shifts()[0].after)
    page.shell.close()


def test_problems_of_a_link_are_shown() -> None:
    page = ClusterLabPage(FIRST, ("<b>bad</b> link",))
    assert "&lt;b&gt;" in page.shell.notices[0].object
    assert page.lab.compared[CORRELATION].proven
    page.shell.close()
