"""The server has a limited number of places; whoever comes too late is told so, and whoever leaves makes
room.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Any

import panel as pn
import pytest
from bokeh.util.token import get_session_id
from tornado.httpclient import AsyncHTTPClient
from tornado.ioloop import IOLoop

from explorer.dashboards.serving import FULL, Places, page_function
from explorer.dashboards.shell import Shell
from tests.waiting import PATIENCE

pytestmark = pytest.mark.filterwarnings("ignore:Both .variant. and .button_style.:PendingDeprecationWarning")


def test_places_are_taken_once_and_given_back() -> None:
    places = Places(2)
    assert [places.take(name) for name in ("ann", "bob", "eve", "ann")] == [True, True, False, True]
    assert len(places) == 2
    places.free("eve")
    places.free("ann")
    places.free("ann")
    assert [places.take(name) for name in ("eve", "ann")] == [True, False]


async def until(happened: Callable[[], bool]) -> None:
    """Wait for the server; a test that waits in vain is ended by its runner."""
    while not happened():
        await asyncio.sleep(0.01)


class Server:
    """A served page with few places, and visitors who fetch it."""

    def __init__(self, build: Callable[[], Shell], places: Places) -> None:
        quick = {"unused_session_lifetime_milliseconds": 600_000, "check_unused_sessions_milliseconds": 20}
        self.server = pn.serve(
            {"page": page_function(build, places)},
            port=0,
            loop=IOLoop(make_current=False),
            start=False,
            show=False,
            **quick,
        )

    async def visit(self) -> tuple[str, Any]:
        """What the visitor is sent, and the session."""
        address = f"http://localhost:{self.server.port}/page"
        sent = (await AsyncHTTPClient().fetch(address, request_timeout=PATIENCE)).body.decode()
        token = re.search(r'"token":\s*"([^"]+)"', sent)
        assert token
        session = self.server.get_session("/page", get_session_id(token[1]))
        return str(session.document.to_json()), session

    async def leave(self, session: Any) -> None:
        """End a session, as the server does with those that nobody uses."""
        session.request_expiration()
        await until(lambda: session not in self.server.get_sessions("/page"))

    def run(self, act: Callable[[], Awaitable[None]]) -> None:
        self.server.start()
        try:
            self.server.io_loop.run_sync(act, timeout=PATIENCE)
        finally:
            self.server.stop()


def test_a_visitor_beyond_the_limit_is_told_so_and_a_session_that_ends_makes_room() -> None:
    places, built = Places(2), list[Shell]()

    def build() -> Shell:
        built.append(Shell("gallery", sidebar=[], main=[]))
        return built[-1]

    here = Server(build, places)
    full = FULL.format(most=2)

    async def act() -> None:
        (first, ann), (second, bob) = await here.visit(), await here.visit()
        third, eve = await here.visit()
        assert [full in page for page in (first, second, third)] == [False, False, True]
        assert (len(built), len(places)) == (2, 2)
        await here.leave(eve)  # who had no place gives none back
        assert full in (await here.visit())[0]
        await here.leave(ann)
        await until(lambda: len(places) == 1)
        assert full not in (await here.visit())[0]
        assert (len(built), len(places)) == (3, 2)
        await here.leave(bob)
        await until(lambda: len(places) == 1)

    here.run(act)


def test_a_page_that_cannot_be_built_gives_its_place_back_when_its_session_ends(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def build() -> Shell:
        raise RuntimeError("no page today")

    places = Places(1)
    here = Server(build, places)

    async def act() -> None:
        page, session = await here.visit()
        assert "could not be shown" in page
        assert len(places) == 1
        await here.leave(session)
        await until(lambda: len(places) == 0)

    here.run(act)
    assert "a page could not be built" in caplog.text


def test_a_page_outside_a_server_needs_no_place() -> None:
    shell = Shell("gallery", sidebar=[], main=[])
    assert page_function(lambda: shell, Places(0))() is shell.page
    shell.close()
