"""What is sent to a page, and when: several changes as one message, some of them a little later."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any

import panel as pn


def lacks_lock() -> bool:
    """Whether Panel runs us without the document's lock, as it does with a change that a click overtook.

    Bokeh refuses changes then. Panel 1.9: Syncable._event_coroutine awaits pending changes in a callback
    marked nolock.
    """
    context = pn.state.curdoc.session_context if pn.state.curdoc else None
    session = getattr(context, "session", None)
    return session is not None and getattr(session, "_pending_writes", ()) is None


LATER = 80
"""Milliseconds by which other views let the urgent ones go first; steps in between are drawn once."""


def loading() -> bool:
    """Whether a browser is still loading the page: what changes meanwhile may never reach it."""
    page = pn.state.curdoc
    return page is not None and page.session_context is not None and not pn.state.loaded


def one_message() -> AbstractContextManager[Any]:
    """What changes within is sent as one message; at once while a page loads and Panel would drop it.

    Panel 1.9: io.document._drain_unconnected_events takes the browser not to have fetched the document yet.
    """
    return pn.io.hold() if pn.state.loaded else nullcontext()


_together: ContextVar[bool] = ContextVar("together", default=False)


@contextmanager
def together() -> Iterator[None]:
    """All that changes within is sent as one message, and nothing within waits: the page paints once."""
    before = _together.set(True)
    try:
        with one_message():
            yield
    finally:
        _together.reset(before)


class Soon:
    """Do something once, a little later, however often it is asked for; at once where no page is served.

    What comes first on the page is sent first, and a state that lasts no longer than a blink is never drawn.
    """

    def __init__(self, act: Callable[[], None], milliseconds: int = 0) -> None:
        self.act, self.milliseconds = act, milliseconds
        self._due = False

    def __call__(self, *_: Any) -> None:
        page = pn.state.curdoc
        if page is None or page.session_context is None or _together.get():
            self.act()
        elif not self._due:
            self._due = True
            page.add_timeout_callback(self._now, self.milliseconds)

    def _now(self) -> None:
        self._due = False
        self.act()


__all__ = ["LATER", "Soon", "lacks_lock", "loading", "one_message", "together"]
