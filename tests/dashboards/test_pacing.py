"""A page is drawn again when it has painted and rested, or has been silent for long."""

from types import SimpleNamespace

import pytest

from explorer.dashboards import pacing
from explorer.dashboards.pacing import LATELY, REST, SHARE, SILENCE, Pacing


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr(pacing, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def test_a_page_is_drawn_at_once_and_then_rests_in_proportion_to_its_painting(clock: list[float]) -> None:
    page = Pacing()
    assert page.may_draw()
    page.drew()
    clock[0] += 0.06
    assert not page.may_draw()
    page._handle_msg(50.0)
    clock[0] += 0.9 * REST * 0.05
    assert not page.may_draw()
    clock[0] += 0.2 * REST * 0.05
    assert page.may_draw()


def test_a_silent_page_is_drawn_now_and_then(clock: list[float]) -> None:
    page = Pacing()
    page.drew()
    clock[0] += 0.9 * SILENCE
    assert not page.may_draw()
    clock[0] += 0.2 * SILENCE
    assert page.may_draw()


@pytest.mark.parametrize("said", ["soon", None, {"ms": 3}, -50.0, 1e12])
def test_an_absurd_answer_stops_nothing_for_long(clock: list[float], said: object) -> None:
    page = Pacing()
    page.drew()
    page._handle_msg(said)
    clock[0] += (1.0 + REST) * SILENCE + 0.1
    assert page.may_draw()


def drawn(page: Pacing, clock: list[float], took: float) -> None:
    """Draw a page, which takes the server so many seconds and the browser none."""
    with page.drawing():
        clock[0] += took
        page.drew()
    page._handle_msg(0.0)


def test_pages_that_watch_at_once_share_the_servers_time(clock: list[float]) -> None:
    Pacing.watching.clear()
    pages = [Pacing() for _ in range(10)]
    for page in pages:
        drawn(page, clock, 0.04)
    last = pages[-1]
    clock[0] += 0.9 * SHARE * 0.04 * 10
    assert not last.may_draw()
    clock[0] += 0.2 * SHARE * 0.04 * 10
    assert last.may_draw()
    clock[0] += LATELY
    drawn(last, clock, 0.04)
    clock[0] += 1.1 * SHARE * 0.04
    assert last.may_draw(), "the others have gone"
