"""What a lecturer hides is not shown, and still travels in links."""

from collections.abc import Iterator

import pytest

from explorer.dashboards.controls import Controls, refusing_learners
from explorer.dashboards.studio.link import query, read
from explorer.dashboards.studio.page import Studio
from explorer.engine.catalogue.recipe import Recipe
from explorer.session.runner import InThread
from explorer.session.state import Session

SMALL = Recipe(task="circle", settings={"C": 7.0})
pytestmark = pytest.mark.filterwarnings("ignore:Both .variant. and .button_style.:PendingDeprecationWarning")


@pytest.fixture
def runner() -> Iterator[InThread]:
    made = InThread()
    yield made
    made.close()


def test_single_settings_are_hidden_by_their_names_in_links(runner: InThread) -> None:
    controls = Controls(Session(SMALL, runner), ("set.C", "task"))
    assert "set.C" not in controls.shown["set"]
    assert "set.eps" in controls.shown["set"]
    assert "task" not in controls.shown["data"]


def test_whole_groups_are_hidden_with_all_that_is_in_them(runner: InThread) -> None:
    controls = Controls(Session(SMALL, runner), ("data", "rule", "objective"))
    assert list(controls.shown) == ["set"]


def test_a_name_that_hides_nothing_is_told(runner: InThread) -> None:
    controls = Controls(Session(SMALL, runner))
    assert controls.faults(("set", "rule", "files", "set.C", "task", "data")) == []
    assert [fault.split(",")[0] for fault in controls.faults(("learning", "set.gamma"))] == [
        "The link hides 'learning'",
        "The link hides 'set.gamma'",
    ]


def test_settings_of_the_model_are_hidden_by_their_names_in_links_of_any_version(runner: InThread) -> None:
    session = Session(Recipe("clouds", {"n": 2}), runner)
    assert "model.weights" in Controls(session).shown["model"]
    for name in ("model.weights", "data.weights"):
        shown = Controls(session, (name,)).shown
        assert "model.weights" not in shown["model"]
        assert "model.normalise" in shown["model"]
    assert "model" not in Controls(session, ("data",)).shown


def test_hidden_settings_stay_hidden_when_another_task_is_chosen(runner: InThread) -> None:
    session = Session(SMALL, runner)
    controls = Controls(session, ("set.C",))
    session.choices.task = "four-points"
    assert "set.C" not in controls.shown["set"]


def test_a_link_hides_controls_and_what_they_say_travels_on(runner: InThread) -> None:
    link = read(query(SMALL, {"hide": "set.C,files,nonsense"}))
    studio = Studio(link, runner)
    assert "set.C" not in studio.controls.shown["set"]
    again = read(studio.query())
    assert again.layout["hide"] == "set.C,files,nonsense"
    assert again.recipe.settings["C"] == 7.0
    studio.shell.close()


def test_one_refusal_is_counted_as_one() -> None:
    assert "1 learner not for this" in refusing_learners({"binary-perceptron": "no <line>"})
    assert "no &lt;line&gt;" in refusing_learners({"binary-perceptron": "no <line>"})
    assert refusing_learners({}) == ""
