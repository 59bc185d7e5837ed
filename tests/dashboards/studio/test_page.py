"""The studio's page as a link describes it."""

from collections.abc import Iterator

import numpy as np
import pytest

from explorer.dashboards.studio.link import FIRST, LAYOUT, WATCHED, read
from explorer.dashboards.studio.page import Studio
from explorer.engine.catalogue.recipe import Recipe
from explorer.session.runner import InThread
from explorer.session.shared_runs import shared_run
from explorer.session.state import Session
from explorer.views.bounds.view import BoundsView
from explorer.views.examples.view import Examples
from explorer.views.sequence.view import Sequence
from explorer.views.trellis.view import Trellis
from explorer.views.working_set.view import WorkingSetView
from tests.waiting import wait_until


def test_a_layout_that_the_page_does_not_know_is_reported_and_left_at_its_default() -> None:
    link = read("?v=1&view=nothing&theme=pink&clock=moon&split=other&cursor=3")
    assert dict(link.layout) == {**LAYOUT, "cursor": 3, "example": WATCHED}
    assert link.problems == (
        "The link's split cannot be 'other'; training is used.",
        "The link's view cannot be 'nothing'; sequence is used.",
        "The link's theme cannot be 'pink'; light is used.",
        "The link's clock cannot be 'moon'; iteration is used.",
    )


pytestmark = pytest.mark.filterwarnings("ignore:Both .variant. and .button_style.:PendingDeprecationWarning")


@pytest.fixture
def studio() -> Iterator[Studio]:
    runner = InThread()
    made = trained(Studio(read(f"?{BLOCKS}&view=examples&clock=moon"), runner))
    yield made
    made.shell.close()
    runner.close()


BLOCKS = "v=1&task=blocks&data.n=6&data.n_test=2&rule.steps=3"


def trained(studio: Studio) -> Studio:
    wait_until(lambda: studio.session.status != "running", studio.beat)
    return studio


def test_such_a_page_is_shown_and_says_what_was_left_out(studio: Studio) -> None:
    assert studio.layout()["clock"] == "iteration"
    assert "moon" in studio.shell.notices[0].object


def test_an_example_that_is_opened_comes_to_the_front_as_a_picture(studio: Studio) -> None:
    assert studio.stage.front is Examples
    studio.views[Examples]._open(4)
    assert studio.stage.front is Sequence
    assert studio.session.example == studio.views[Sequence].frame().example == 4


def reopened(studio: Studio, runner: InThread) -> Studio:
    return trained(Studio(read(studio.query()), runner))


def test_a_link_keeps_what_was_chosen_inside_the_views_the_phase_the_speed_and_the_scale() -> None:
    runner = InThread()
    studio = trained(Studio(read(f"?{BLOCKS}&view=trellis&example=2"), runner))
    studio.views[Trellis].param.update(k_best=3, with_loss=True, window=7)
    studio.stage.bring(WorkingSetView)
    studio.views[WorkingSetView].param.update(sort="loss", falling=False)
    studio.stage.bring(BoundsView)
    studio.views[BoundsView].param.update(log_scale=False, clock="oracle calls")
    studio.stage.bring(WorkingSetView)
    studio.transport.speed.value = 4.0
    studio.session.seek(1)
    studio.session.step_phase()
    again = reopened(studio, runner)
    assert not len(again.shell.notices)
    assert again.query() == studio.query()
    assert (again.session.cursor, again.session.phase, again.session.speed) == (1, 1, 4.0)
    again.stage.bring(BoundsView)
    bounds = again.views[BoundsView]
    assert (bounds.log_scale, bounds.clock) == (False, "oracle calls")
    assert (again.views[WorkingSetView].sort, again.views[WorkingSetView].falling) == ("loss", False)
    again.front([view.name_key for view in again.kinds].index("trellis") + 1)
    trellis = again.views[Trellis]
    assert (trellis.k_best, trellis.with_loss, trellis.min_marginals, trellis.window) == (3, True, False, 7)
    for page in (studio, again):
        page.shell.close()
    runner.close()


def test_choices_inside_views_that_cannot_be_are_reported_and_left_at_their_default() -> None:
    runner = InThread()
    parts = "see.trellis.k_best=99&see.trellis.with_loss=perhaps&see.trellis.colour=red"
    parts += "&see.moon.size=3&see.weights.part=nose"
    studio = trained(Studio(read(f"?{BLOCKS}&view=trellis&speed=7&phase=9&{parts}"), runner))
    studio.front([view.name_key for view in studio.kinds].index("weights") + 1)
    told = " ".join(notice.object for notice in studio.shell.notices)
    for part in (
        "speed",
        "phase",
        "k_best",
        "with_loss",
        "see.trellis.colour",
        "see.moon.size",
        "weights.part",
    ):
        assert part in told
    assert len(studio.shell.notices) == 7
    assert studio.views[Trellis].k_best == 0
    studio.shell.close()
    runner.close()


def test_a_glance_does_not_reach_the_link(studio: Studio) -> None:
    studio.session.seek(1)
    studio.session.glance.begin(2)
    assert "cursor=1&" in studio.query()


def test_another_kind_of_problem_brings_its_own_views_and_keeps_the_one_in_front(studio: Studio) -> None:
    def titles() -> list[str]:
        return [view.title for view in studio.kinds]

    assert "Trellis" in titles()
    studio.session.choices.task = "stripes"
    studio.beat()
    assert "Trellis" not in titles()
    assert "Labelling" in titles()
    tabs = [title for group in studio.stage.bar.groups for _, title, _ in group["tabs"]]
    assert tabs == titles()
    assert studio.stage.front is Examples
    studio.front(titles().index("Labelling") + 1)
    studio.session.choices.task = "blocks"
    studio.beat()
    assert studio.stage.front is Sequence


def test_views_are_fitted_once_for_each_problem_and_not_at_every_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    studio = Studio(session=Session(Recipe(task="four-points")))
    session, fitted = studio.session, []
    fit = studio.stage.fit
    monkeypatch.setattr(
        studio.stage, "fit", lambda problem: fitted.append(session.choices.task) or fit(problem)
    )
    for _ in range(5):
        session.tick += 1
    assert not fitted
    session.choices.task = "blocks"
    session.tick += 1
    assert fitted == ["blocks"]
    studio.shell.close()


def test_the_first_page_shows_a_word_that_is_learnt_at_step_8_of_some_60() -> None:
    trace, problem = shared_run(FIRST), FIRST.problem()[0]
    x, truth = problem.dataset.inputs[WATCHED], problem.dataset.labels[WATCHED]
    right = [np.array_equal(problem.predict(trace.at(k).w, x), truth) for k in range(len(trace))]
    assert right == [False] * 8 + [True] * (len(trace) - 8)
    assert 30 <= len(trace) <= 70
    studio = Studio()
    assert studio.session.example == 0, "a session of one's own begins with its first example"
    studio.shell.close()
    first = read("")
    assert (first.recipe, first.layout["example"], first.layout["view"]) == (FIRST, WATCHED, "sequence")
    assert read("?task=circle").layout["example"] == 0


def test_a_link_with_a_speed_of_its_own_still_leads_to_its_step() -> None:
    link = read("?v=1&task=circle&learner=n-slack&set.C=7&cursor=1&speed=20.0")
    studio = Studio(link, InThread())
    try:
        wait_until(lambda: studio.session.collect() >= 0 and studio.session.status != "running")
        assert len(studio.session.trace) > 2
        assert studio.session.cursor == 1
    finally:
        studio.shell.close()
