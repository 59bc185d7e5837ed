"""Page functions for the server: a visitor is let in, the page is built, and taken down when its session
ends.

A place belongs to a session from the moment its page is built until Bokeh destroys the session: seconds after
its tab was closed, or a minute after a page was fetched that nobody opened. A visitor who comes when all
places are taken gets a page that costs nothing and says so. Bokeh has no limit of its own: it would make the
session, and the page, of every visitor.
"""

import logging
import threading
from collections.abc import Callable
from typing import Any

import panel as pn
import panel_material_ui as pmui
from bokeh.themes import Theme as BokehTheme

from explorer.dashboards.shell import Shell

MOST_SESSIONS = 120
"""Pages that are open at the same time, of all visitors together."""

BROKEN = (
    "This page could not be shown. Open the address without its part after the question mark to start afresh."
)
FULL = (
    "The server is full: {most} pages are open, and more would make all of them slow. Close other tabs of "
    "the explorer that you "
    "do not need, wait a minute, then try again; the address keeps what you asked for."
)

OURS = BokehTheme(
    json={"attrs": {name: {} for name in ("Axis", "Legend", "Title", "Grid", "Plot", "ColorBar")}}
)
"""A Bokeh theme of our own, empty: without one the Material page would restyle every figure in the
browser.
"""


class Places:
    """Which sessions have a page; at most `most` at the same time."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._taken: set[str] = set()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._taken)

    def take(self, session: str) -> bool:
        """Whether the session has a place now."""
        with self._lock:
            if len(self._taken) < self.most:
                self._taken.add(session)
            return session in self._taken

    def free(self, session: str) -> None:
        """The session has ended; its place is for somebody else."""
        with self._lock:
            self._taken.discard(session)


PLACES = Places(MOST_SESSIONS)
"""Those of this process."""


def page_function(build: Callable[[], Shell], places: Places = PLACES) -> Callable[[], Any]:
    """A page function for the server: builds the page and takes it down when its session ends."""

    def page() -> Any:
        if pn.state.curdoc is not None:
            pn.state.curdoc.theme = OURS
        if not admit(places):
            return full_page(places.most)
        try:
            shell = build()
        except Exception:  # the visitor gets a page that says what to do; the log gets the rest
            logging.getLogger("explorer").exception("a page could not be built")
            return pmui.Alert(object=BROKEN, severity="error", sizing_mode="stretch_width")
        pn.state.on_session_destroyed(lambda _: shell.close())
        return shell.page

    return page


def admit(places: Places) -> bool:
    """Whether this session has a place, which it gives back when it ends; a page that is not served needs
    none.
    """
    context = pn.state.curdoc.session_context if pn.state.curdoc is not None else None
    if context is None:
        return True
    if not places.take(context.id):
        return False
    pn.state.on_session_destroyed(lambda ended: places.free(ended.id))
    return True


def full_page(most: int) -> Any:
    """What a visitor sees who is one too many."""
    again = pmui.Button(label="Try again", icon="refresh", variant="outlined", margin=(0, 16))
    again.js_on_click(code="window.location.reload()")
    said = pmui.Alert(object=FULL.format(most=most), severity="info", margin=16)
    return pn.Column(said, again, max_width=720, sizing_mode="stretch_width")


__all__ = ["MOST_SESSIONS", "PLACES", "Places", "page_function"]
