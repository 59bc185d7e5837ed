"""The oracle lab without a browser: links, choices, the step player, and oracles that wait."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from bokeh.events import Tap

from explorer.dashboards.lab.controls import picker_html
from explorer.dashboards.lab.link import query, read
from explorer.dashboards.lab.page import FieldLabPage
from explorer.labs.fields.comparison import titles
from explorer.labs.fields.instance import POTTS, FieldChoice
from explorer.labs.fields.state import FIRST, FieldSetup
from explorer.views.kit.drawing.theme import DARK, PROJECTOR
from tests.waiting import wait_until

pytestmark = pytest.mark.filterwarnings("ignore:Both .variant. and .button_style.:PendingDeprecationWarning")

SETUP = FieldSetup(
    FieldChoice("grid", 3, 2, "normal", POTTS, 0.35, 0.8, 41),
    ("belief propagation(sweeps=50, damping=0.5)", "greedy", "known approximation(rho=0.75)"),
    "greedy",
    2,
)


# Links.


def test_a_link_brings_the_same_lab_back() -> None:
    assert read(query(SETUP)) == (SETUP, ())
    assert read(query(FIRST, "dark")) == (FIRST, ())
    assert read("") == (FIRST, ())


def test_what_a_link_says_wrongly_is_left_out_and_reported() -> None:
    setup, faults = read(
        "?kind=moebius&size=4&seed=-3&attraction=nan&oracles=oracle of Delphi;greedy&colour=red"
    )
    assert setup.choice == replace(FIRST.choice, size=4)
    assert setup.oracles == ("greedy",)
    assert len(faults) == 5
    assert any("Delphi" in fault for fault in faults)
    assert any("'colour'" in fault for fault in faults)


def test_sizes_beyond_the_kind_are_brought_into_range() -> None:
    setup, faults = read("?kind=complete&size=500")
    assert setup.choice.size == 18
    assert "brought into range" in faults[0]
    assert read("?kind=patches&size=24&couplings=free")[1] == ()


def test_a_link_that_is_far_too_long_shows_the_first_instance() -> None:
    setup, faults = read("?oracles=" + "greedy;" * 2000)
    assert setup == FIRST
    assert "longer than" in faults[0]


# The page.


def opened(setup: FieldSetup = FIRST, problems: tuple[str, ...] = ()) -> FieldLabPage:
    return FieldLabPage(setup, problems)


def said(view: Any) -> str:
    return str(view.words.object)


def test_the_first_page_shows_a_finished_comparison() -> None:
    page = opened()
    assert "★ exhaustive" in page.answers.list.html
    assert "Step 100 of 100" in said(page.picture)
    assert "Not converged" in said(page.picture)
    assert len(page.picture.picture.sources["wrong"].data["x"]) == 2
    assert "Places of 1,024 labellings: 1: exhaustive" in said(page.ranks)
    page.shell.close()


def test_pressing_a_name_shows_that_oracles_film_and_its_settings() -> None:
    page = opened()
    page.answers.list._handle_msg({"act": "greedy", "checked": None})
    assert (page.lab.shown, said(page.picture)[:60].count("Greedy")) == ("greedy", 1)
    assert "aria-pressed='true'>greedy" in page.answers.list.html
    assert page.controls.groups["Settings"][0].object == "Greedy"
    page.answers.list._handle_msg({"act": "<script>", "checked": None})
    assert page.lab.shown == "greedy"
    page.shell.close()


def test_oracles_that_refuse_are_greyed_with_their_reason_and_others_can_be_left_out() -> None:
    page = opened()
    assert "disabled" in page.controls.picker.html
    assert "has a cycle" in page.controls.picker.html
    page.controls.picker._handle_msg({"act": "independent", "checked": False})
    assert "independent" not in {one.title for one in page.lab.compared.replies}
    page.controls.picker._handle_msg({"act": "independent", "checked": True})
    assert "independent" in {one.title for one in page.lab.compared.replies}
    page.shell.close()


def test_reasons_are_escaped() -> None:
    assert "<b>" not in picker_html({"greedy"}, {"greedy": "<b>no</b>"})


def test_a_setting_decodes_anew_and_is_kept_while_the_oracle_is_left_out() -> None:
    page = opened(replace(FIRST, shown="known approximation"))
    slider = next(w for w in page.controls.groups["Settings"] if getattr(w, "label", "") == "Rho")
    before = page.lab.reply
    slider.value_throttled = 0.5
    assert page.lab.reply is not None
    assert before is not None
    assert page.lab.reply.score < before.score
    assert "rho%3D0.5" in query(page.lab.setup())
    page.lab.ask(["greedy"])
    page.lab.ask(["greedy", "known approximation"])
    assert page.lab.names["known approximation"] == "known approximation(rho=0.5)"
    page.shell.close()


def test_another_kind_brings_its_own_sliders_and_range() -> None:
    page = opened()
    kind = page.controls.groups["Instance"][0]
    kind.value = "grid"
    labels = [part.label for part in page.controls.groups["Instance"]]
    assert "Rows and columns" in labels
    assert page.lab.choice.size == 7
    couplings = next(part for part in page.controls.groups["Instance"] if part.label == "Couplings")
    couplings.value = POTTS
    assert "Share of attracting edges" in [part.label for part in page.controls.groups["Instance"]]
    assert "Grid: 7 x 7 cells" in said(page.answers)
    page.shell.close()


@pytest.mark.parametrize("kind", ["complete", "grid", "cycle", "tree", "patches", "triangle"])
def test_every_oracle_on_every_kind_is_drawn_in_every_theme(kind: str) -> None:
    page = opened(FieldSetup(FieldChoice(kind, 5, 3 if kind == "cycle" else 2, seed=4)))
    for theme in (DARK, PROJECTOR):
        for view in page.shell.views:
            view.theme = theme
        for title in titles():
            page.lab.look_at(title)
            for step in {0, len(page.lab.film) // 2, len(page.lab.film) - 1}:
                page.lab.look_at_step(step)
                held = page.picture.picture.sources["nodes"].data
                assert {len(column) for column in held.values()} == {len(page.picture.frame().place)}
    page.shell.close()


def test_tables_of_numbers_open_for_every_view() -> None:
    page = opened()
    for view in page.shell.views:
        view.table_open = True
        assert "<table>" in view.data.object
    page.shell.close()


def test_a_click_on_a_node_looks_at_it_alone_and_a_second_one_at_all() -> None:
    page = opened()
    plot = page.picture.picture.plot
    x, y = page.lab.case.place[4]
    for expected in (4, None):
        plot._trigger_event(Tap(plot, x=float(x), y=float(y)))
        assert page.lab.picked == expected
    page.node.menu.value = 4
    assert page.lab.picked == 4
    assert set(np.asarray(page.picture.picture.sources["messages"].data["head"])) == {4}
    page.lab.choose(kind="triangle")
    assert (page.lab.picked, page.node.menu.value) == (None, -1)
    page.shell.close()


# The player.


def test_the_player_walks_plays_and_stops_at_the_end() -> None:
    page = opened(replace(FIRST, shown="greedy"))
    player, last = page.player, len(page.lab.film) - 1
    assert player.on.disabled
    player.press("ArrowLeft")
    assert page.lab.step == last - 1
    player.slider.value = 1
    assert page.lab.step == 1
    player.advance()
    assert page.lab.step == 2
    while page.lab.step < last:
        player.advance()
    assert not player.playing
    player.press("ArrowRight")
    assert page.lab.step == last
    page.shell.close()


def test_a_film_of_one_step_cannot_be_played() -> None:
    page = opened(replace(FIRST, shown="independent"))
    assert page.player.play.disabled
    page.player.toggle()
    assert not page.player.playing
    page.shell.close()


# Slow oracles.


def test_slow_oracles_wait_and_answer_on_a_thread_when_asked() -> None:
    page = opened(FieldSetup(FieldChoice("patches", 20, 2, seed=3), ("linear program", "greedy"), "greedy"))
    assert page.controls.more.visible
    assert "waits: " in page.answers.list.html
    page.also_run()
    assert page.controls.more.disabled
    wait_until(lambda: page.slow is None, page.beat)
    assert not page.controls.more.visible
    program = page.lab.compared.reply("linear program")
    assert program is not None
    assert program.labels is not None
    page.shell.close()
