"""The gallery never waits for a run: a card shows its data at once and its curve later."""

import subprocess
import sys
from pathlib import Path

import pytest

from explorer.dashboards.gallery import page as gallery
from explorer.dashboards.gallery.page import Gallery, card, curve, outcome, picture_of
from explorer.dashboards.gallery.presets import GROUPS, PRESETS, Preset
from explorer.dashboards.studio.link import FIRST, read
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.tasks import TASKS
from explorer.session.shared_runs import ready_run, shared_run
from explorer.views.kit.drawing.theme import DARK, LIGHT
from tests.waiting import wait_until


def html(page: Gallery) -> str:
    return "".join(card for group in page.wall.groups for card in group["cards"])


QUICK = Preset("Quick", "A & B", Recipe(task="circle", settings={"C": 3.0}), "weights")


def test_every_task_is_in_the_gallery() -> None:
    assert {task.name for task in TASKS} <= {preset.recipe.task.name for preset in PRESETS}


def test_every_preset_is_in_a_group_and_the_first_is_the_run_that_the_studio_opens_with() -> None:
    assert {preset.group for preset in PRESETS} == set(GROUPS)
    assert PRESETS[0].recipe == FIRST


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.title)
def test_every_preset_can_be_trained_and_its_link_says_the_same(preset: Preset) -> None:
    problem, _ = preset.recipe.problem()
    assert preset.recipe.make_learner().refuses(problem) is None
    where = card(preset, None, LIGHT).partition("studio?")[2].partition("'")[0].replace("&amp;", "&")
    link = read(where)
    assert link.recipe == preset.recipe
    assert (link.problems, link.layout["view"]) == ((), preset.view)


def test_a_card_shows_its_data_while_its_curve_waits() -> None:
    data = picture_of(QUICK, LIGHT)
    waiting = card(QUICK, None, LIGHT, data)
    assert waiting.index("12 points") < waiting.index("class='curve'") < waiting.index("class='wait'")
    assert waiting.count("class='wait'") == 1
    assert "A &amp; B" in waiting
    done = card(QUICK, shared_run(QUICK.recipe), DARK, picture_of(QUICK, DARK))
    assert "class='wait'" not in done
    assert done.count("<svg") == 2
    assert DARK.primal in done
    assert "theme=dark" in done


def test_a_card_without_a_picture_of_its_data_has_the_curve_in_its_place() -> None:
    done = card(QUICK, shared_run(QUICK.recipe), LIGHT, "")
    assert done.count("<svg") == 1
    assert "class='picture'><svg" in done
    assert "class='curve'" not in done
    assert card(QUICK, None, LIGHT).count("class='wait'") == 2


def test_a_card_tells_what_is_proved_and_counts_steps_as_the_studio_does() -> None:
    trace = shared_run(QUICK.recipe)
    assert outcome(QUICK, trace) == f"Proved to the optimum at step {len(trace) - 1}. n-slack cutting plane."
    approximate = Recipe(task="clouds", data={"n": 2}, learner="one-slack", rule={"passes": 5.0})
    assert outcome(Preset("", "", approximate), shared_run(approximate)).startswith(
        "Unproved: seems to within"
    )
    assert outcome(QUICK, None) == "Training in the background."


def test_a_learner_without_a_lower_bound_has_one_line_and_says_so() -> None:
    recipe = Recipe(task="circle", learner="subgradient", rule={"passes": 10.0})
    trace = shared_run(recipe)
    assert outcome(Preset("", "", recipe), trace).endswith("no lower bound.")
    assert "polygon" not in curve(trace, LIGHT)


def test_opening_the_gallery_trains_nothing_and_fills_when_runs_are_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    new = Preset("New", "", Recipe(task="circle", settings={"C": 3.25}))
    monkeypatch.setattr(gallery, "PRESETS", (new,))
    page = Gallery()
    assert ready_run(new.recipe) is None
    assert (page.filled, page.full, html(page).count("class='wait'")) == ((1, 0), False, 1)
    assert "12 points" in html(page)
    shared_run(new.recipe)
    page.look()
    assert (page.filled, page.full, html(page).count("<svg")) == ((1, 1), True, 2)


def test_a_page_does_not_wait_for_many_pictures_and_makes_the_others_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    three = tuple(Preset(f"New {C}", "", Recipe(task="circle", settings={"C": C})) for C in (3.3, 3.4, 3.5))
    monkeypatch.setattr(gallery, "PRESETS", three)
    monkeypatch.setattr(gallery, "PATIENCE", -1.0)
    page = Gallery()
    assert [html(page).count(what) for what in ("12 points", "class='wait'")] == [1, 5]
    page.look()
    page.look()
    assert [html(page).count(what) for what in ("12 points", "class='wait'")] == [3, 3]
    page.theme = DARK
    assert page.filled == (1, 0)
    assert f"fill='{DARK.text}'" in html(page)
    assert f"fill='{LIGHT.text}'" not in html(page)


def test_the_process_that_trains_the_gallery_ends_with_its_server() -> None:
    inner = (
        "import os, time\nfrom explorer.command_line.warmup import leave_with_parent\nleave_with_parent()\n"
        "print(os.getpid(), flush=True)\ntime.sleep(1000)"
    )
    outer = (
        f"import subprocess, sys, time\nsubprocess.Popen([sys.executable, '-c', {inner!r}])\ntime.sleep(1000)"
    )
    server = subprocess.Popen([sys.executable, "-c", outer], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    trainer = Path("/proc") / server.stdout.readline().strip()
    assert trainer.exists()
    server.kill()
    server.wait()
    server.stdout.close()
    wait_until(lambda: not trainer.exists())
