"""The studio shows something at once, and its transport knows when a run has ended."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from explorer.dashboards.studio.link import query, read
from explorer.dashboards.studio.page import Studio
from explorer.engine.catalogue.recipe import Recipe
from explorer.session.runner import InThread
from explorer.session.shared_runs import shared_run
from explorer.session.state import PHASES
from tests.waiting import wait_until

RECIPE = Recipe(task="circle", settings={"C": 6.0})
pytestmark = pytest.mark.filterwarnings("ignore:Both .variant. and .button_style.:PendingDeprecationWarning")


@pytest.fixture
def runner() -> Iterator[InThread]:
    made = InThread()
    yield made
    made.close()


def opened(runner: InThread, recipe: Recipe = RECIPE, **layout: object) -> Studio:
    return Studio(read(query(recipe, layout)), runner)


def until_stopped(studio: Studio) -> None:
    wait_until(lambda: studio.session.status != "running", studio.beat)


def test_a_run_that_everybody_shares_is_there_at_once(runner: InThread) -> None:
    done = shared_run(RECIPE)
    studio = opened(runner)
    assert studio.session.trace is done
    assert studio.session.status == "stopped"
    studio.shell.close()


def test_another_link_is_trained_by_the_worker_and_arrives_at_its_step(runner: InThread) -> None:
    studio = opened(runner, replace(RECIPE, settings={"C": 6.5}), cursor=1)
    assert studio.session.status == "running"
    until_stopped(studio)
    assert studio.session.cursor == 1
    assert len(studio.session.trace) > 2
    studio.shell.close()


def test_at_the_end_of_a_finished_run_stepping_is_disabled_and_says_why(runner: InThread) -> None:
    shared_run(RECIPE)
    studio = opened(runner)
    bar, last = studio.transport, len(studio.session.trace) - 1
    assert bar.step.disabled
    assert bar.phase.disabled
    assert "the run has ended" in bar.phase.description
    bar.press("p")
    bar.press("ArrowRight")
    assert (studio.session.cursor, studio.session.phase) == (last, 0)
    studio.shell.close()


def test_phases_walk_through_the_recorded_next_step(runner: InThread) -> None:
    shared_run(RECIPE)
    studio = opened(runner, cursor=0)
    bar, names = studio.transport, []
    assert (bar.phase.disabled, bar.back.disabled) == (False, True)
    for _ in PHASES:
        names.append(bar.phase.label)
        bar.press("p")
    assert tuple(names) == PHASES
    assert (studio.session.cursor, studio.session.phase) == (1, 0)
    assert studio.session.status == "stopped"
    studio.shell.close()


def test_the_first_phase_of_an_empty_run_takes_the_first_step(runner: InThread) -> None:
    studio = opened(runner)
    studio.session.reset()
    studio.transport.press("p")
    wait_until(lambda: len(studio.session.trace), studio.beat)
    assert (len(studio.session.trace), studio.session.phase) == (1, 0)
    studio.shell.close()
