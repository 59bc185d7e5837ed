"""The studio's page as a link describes it."""

import time
from collections.abc import Iterator

import pytest

from explorer.dashboards.studio import Studio, checked
from explorer.session.link import LAYOUT, read
from explorer.session.runner import InThread
from explorer.views.examples import Examples
from explorer.views.trellis import Trellis


def test_a_layout_that_the_page_does_not_know_is_reported_and_left_at_its_default() -> None:
    link = checked(read("?v=1&view=nothing&theme=pink&clock=moon&split=other&cursor=3"))
    assert dict(link.layout) == {**LAYOUT, "cursor": 3}
    assert link.problems == (
        "The link's view cannot be 'nothing'; trellis is shown.",
        "The link's theme cannot be 'pink'; light is shown.",
        "The link's clock cannot be 'moon'; iteration is shown.",
        "The link's split cannot be 'other'; training is shown.",
    )


pytestmark = pytest.mark.filterwarnings("ignore:Both .variant. and .button_style.:PendingDeprecationWarning")


@pytest.fixture
def studio() -> Iterator[Studio]:
    runner = InThread()
    made = Studio(read("?v=1&task=blocks&data.n=6&data.n_test=2&rule.steps=3&view=examples&clock=moon"), runner)
    ends = time.monotonic() + 60
    while made.session.status == "running" and time.monotonic() < ends:
        made.beat()
        time.sleep(0.01)
    yield made
    made.shell.close()
    runner.close()


def test_such_a_page_is_shown_and_says_what_was_left_out(studio: Studio) -> None:
    assert studio.bounds.clock == "iteration"
    assert "moon" in studio.shell.notices[0].object


def test_an_example_that_is_opened_comes_to_the_front_as_a_picture(studio: Studio) -> None:
    assert studio.kinds[studio.tabs.active] is Examples
    studio.views[Examples]._open(4)
    assert studio.kinds[studio.tabs.active] is Trellis
    assert studio.session.example == studio.views[Trellis].frame().example == 4
