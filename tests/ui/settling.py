"""When a server answers, and when a page has come to rest: what the tests in a browser wait for."""

import subprocess
import urllib.request
from collections.abc import Callable
from typing import TypeVar

from playwright.sync_api import Page

from tests.waiting import PATIENCE, wait_until

T = TypeVar("T")

HANGS = 180_000
"""Milliseconds after which a page that does not answer hangs, on a machine however busy."""

IDLE = "() => window.Bokeh?.documents.length > 0 && Bokeh.documents.every((shown) => shown.is_idle)"


def drawn(page: Page) -> None:
    """Wait until everything that the page was sent is drawn."""
    page.wait_for_function(IDLE)


def settled(page: Page, look: Callable[[], T]) -> T:
    """What a look at the page finds when it has stopped changing, and found something."""
    drawn(page)
    seen: list[T] = [look()]

    def again() -> None:
        page.wait_for_timeout(500)
        seen.append(look())

    wait_until(lambda: len(seen) > 1 and seen[-1] is not None and seen[-1] == seen[-2], again)
    return seen[-1]


def answers(address: str, process: subprocess.Popen[bytes]) -> bool:
    """Whether the server gives a page yet."""
    assert process.poll() is None, "the server ended while starting: run `explorer serve` to see why"
    try:
        urllib.request.urlopen(address, timeout=PATIENCE).read()
    except OSError:
        return False
    return True
