"""The address line of a page: read when the page opens, then kept at what the page shows.

A change takes the place of the address before it, so that the browser's Back leads to the page where the
visitor came from. Should the address be changed otherwise, the page that it names is shown.
"""

import time
from collections.abc import Callable
from typing import Any

import panel as pn
import param
from panel.custom import JSComponent

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


class AddressLine(JSComponent):
    """Keeps the browser's address at what the page shows, at most once a second."""

    query = param.String("", doc="What stands behind the path; empty as long as the page was opened with it.")

    _esm = """
    export function render({ model, el }) {
      el.style.display = "none"
      const write = () => {
        if (model.query) history.replaceState(history.state, "", model.query + location.hash)
      }
      const go = () => { if (model.query && location.search !== model.query) location.reload() }
      model.on("query", write)
      window.addEventListener("popstate", go)
      model.on("remove", () => window.removeEventListener("popstate", go))
    }
    """

    def __init__(self, **params: Any) -> None:
        super().__init__(width=0, height=0, margin=0, **params)
        self._at = 0.0

    def follow(self, query: Callable[[], str]) -> None:
        """Write the page's query into the address, if it has changed and a second has passed.

        Not before the browser has the page: the address that it was opened with would overtake this one.
        """
        now = time.monotonic()
        if pn.state.location and not loading() and now - self._at > 1.0:
            self._at = now
            self.query = "?" + query()


__all__ = ["THEME", "AddressLine", "asked_theme", "page_address", "search"]
