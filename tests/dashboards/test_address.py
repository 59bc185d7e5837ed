"""The address line is read when a page opens, and follows what the page shows without haste."""

from types import SimpleNamespace
from typing import Any

import panel as pn
import pytest

from explorer.dashboards import address
from explorer.dashboards.address import AddressLine, asked_theme, page_address, search


class Browser:
    """The address that a page was opened with, and a clock that is set by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.loading = 100.0, False
        self.search = "?theme=dark&C=3"
        monkeypatch.setattr(type(pn.state), "location", self)
        monkeypatch.setattr(address, "time", SimpleNamespace(monotonic=lambda: self.now))
        monkeypatch.setattr(address, "loading", lambda: self.loading)

    protocol, hostname, port, pathname = "http:", "here", "80", "/race"


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> Browser:
    return Browser(monkeypatch)


def test_the_address_is_read_and_its_theme_is_one_that_there_is(browser: Any) -> None:
    assert search() == "?theme=dark&C=3"
    assert asked_theme() == "dark"
    browser.search = "?theme=pink"
    assert asked_theme() == "light"


def test_without_a_server_there_is_nothing_to_read() -> None:
    assert (search(), asked_theme(), page_address("C=3")) == ("", "light", "?C=3")


def test_a_link_to_copy_has_the_place_of_the_page(browser: Any) -> None:
    assert page_address("C=4") == "http://here:80/race?C=4"


def test_the_address_is_written_once_a_second_and_only_when_it_changes(browser: Any) -> None:
    line, asked, written = AddressLine(), [], []
    line.param.watch(lambda event: written.append(event.new), "query")

    def query(text: str) -> Any:
        return lambda: asked.append(text) or text

    line.follow(query("C=1"))
    line.follow(query("C=2"))
    assert (written, asked) == (["?C=1"], ["C=1"])
    browser.now += 1.5
    line.follow(query("C=1"))
    browser.now += 1.5
    line.follow(query("C=3"))
    assert (written, asked) == (["?C=1", "?C=3"], ["C=1", "C=1", "C=3"])


def test_a_page_that_is_still_loading_keeps_the_address_it_was_opened_with(browser: Any) -> None:
    line, browser.loading = AddressLine(), True
    line.follow(lambda: "C=1")
    assert line.query == ""
    browser.loading = False
    line.follow(lambda: "C=1")
    assert line.query == "?C=1"
