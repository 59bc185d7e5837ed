"""The address line of a page: read when the page opens, then kept at what the page shows."""

import time
from collections.abc import Callable

import panel as pn

from explorer.session.links.codec import Part, Reading
from explorer.views.kit.drawing.theme import THEMES
from explorer.views.kit.messages import loading

THEME = Part("theme", "light", menu=THEMES)
"""The part that the links of all pages have."""


def search() -> str:
    """The query of the address that was opened; none where no page is served."""
    return pn.state.location.search if pn.state.location else ""


def asked_theme() -> str:
    """The theme that the address names, or the first one."""
    return str(Reading(search(), "").take(THEME))


def page_address(query: str) -> str:
    """The address of the page that is served now, with another query; only the query where none is served."""
    where = pn.state.location
    port = f":{where.port}" if where and where.port else ""
    return f"{f'{where.protocol}//{where.hostname}{port}{where.pathname}' if where else ''}?{query}"


class AddressLine:
    """Keeps the browser's address at what the page shows, at most once a second."""

    def __init__(self) -> None:
        self._shown, self._at = "", 0.0

    def follow(self, query: Callable[[], str]) -> None:
        """Write the page's query into the address, if it has changed and a second has passed.

        Not before the browser has the page: the address that it was opened with would overtake this one.
        """
        now = time.monotonic()
        if pn.state.location and not loading() and now - self._at > 1.0:
            self._at = now
            written = "?" + query()
            if written != self._shown:
                self._shown = pn.state.location.search = written


__all__ = ["THEME", "AddressLine", "asked_theme", "page_address", "search"]
