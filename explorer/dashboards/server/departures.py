"""Visitors leave when they like: what the server was still sending them is no fault, nor logged as one.

Bokeh and Tornado log a warning or a traceback when a page is closed while a message is under way, or before
its session was made. Whoever started the server would take that for a failure.
"""

import logging
import traceback

from tornado.iostream import StreamClosedError
from tornado.websocket import WebSocketClosedError

LOGGERS = ("asyncio", "tornado.application", "bokeh.server.views.ws")
CLOSED = "Failed sending message as connection was closed"


def is_departure(record: logging.LogRecord) -> bool:
    """Whether a log record only tells that somebody closed a page."""
    if record.getMessage() == CLOSED:
        return True
    fault = record.exc_info[1] if record.exc_info else None
    if isinstance(fault, WebSocketClosedError | StreamClosedError):
        return True
    frames = traceback.extract_tb(fault.__traceback__) if isinstance(fault, AssertionError) else []
    return "on_close" in {frame.name for frame in frames} and frames[-1].name == "session"


def silence_departures() -> None:
    """Keep such records out of the log; asking again changes nothing."""
    for name in LOGGERS:
        logger = logging.getLogger(name)
        if _departures not in logger.filters:
            logger.addFilter(_departures)


def _departures(record: logging.LogRecord) -> bool:
    return not is_departure(record)


__all__ = ["is_departure", "silence_departures"]
