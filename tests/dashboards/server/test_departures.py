"""A visitor who leaves is not a failure; everything else is still logged."""

import logging
import sys
from typing import Any

import pytest
from bokeh.server.connection import ServerConnection
from tornado.websocket import WebSocketClosedError

from explorer.dashboards.server.departures import CLOSED, LOGGERS, is_departure, silence_departures


def record(fault: BaseException | None = None, text: str = "Task exception was never retrieved") -> Any:
    info = (type(fault), fault, fault.__traceback__) if fault else None
    return logging.LogRecord("asyncio", logging.ERROR, "here", 1, text, (), info)


def raised(act: Any) -> BaseException:
    try:
        act()
    except (WebSocketClosedError, AssertionError, ZeroDivisionError):
        found = sys.exc_info()[1]
        assert found is not None
        return found
    raise AssertionError("nothing was raised")


def test_closed_connections_are_departures() -> None:
    def send() -> None:
        raise WebSocketClosedError

    assert is_departure(record(raised(send)))
    assert is_departure(record(text=CLOSED))


def test_a_page_that_was_closed_before_its_session_was_made_is_a_departure() -> None:
    class Socket:
        connection = ServerConnection.__new__(ServerConnection)

        def on_close(self) -> None:
            self.connection.session.notify_connection_lost()

    Socket.connection._session = None
    assert is_departure(record(raised(Socket().on_close)))


def test_other_faults_are_not(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise AssertionError("a rule is broken")

    assert not is_departure(record(raised(fail)))
    assert not is_departure(record(raised(lambda: 1 / 0)))
    assert not is_departure(record(text="something else"))
    silence_departures()
    silence_departures()
    for name in LOGGERS:
        logging.getLogger(name).warning(CLOSED)
        logging.getLogger(name).warning("something else")
    assert [one.getMessage() for one in caplog.records] == ["something else"] * len(LOGGERS)
