"""Who a visitor is: a random token that her browser keeps as a cookie, so that the pages that she opens know
the files that she brought along. It says nothing else, and goes with the browser's session.
"""

import re
import secrets
from collections.abc import Callable
from typing import Any

import panel as pn
import param
from panel.custom import JSComponent

from explorer.session.uploads.store import TOKEN

COOKIE = "explorer_visitor"


def known_visitor() -> str:
    """The visitor's token; empty for one whom we have not met."""
    found = pn.state.cookies.get(COOKIE, "") if pn.state.curdoc else ""
    return found if re.fullmatch(TOKEN, found) else ""


def visitor() -> str:
    """The visitor's token, a new one for one whom we have not met."""
    return known_visitor() or secrets.token_hex(16)


class VisitorMark(JSComponent):
    """Leaves the token with the browser, and goes to other pages."""

    token = param.String("", doc="What the browser is to keep.")
    address = param.String("", doc="Where to go next; empty: nowhere.")
    again = param.Integer(0, doc="Rises when the page is to be loaded again.")
    kept = param.String("", doc="What the browser does keep.")

    _esm = """
    export function render({ model, el }) {
      el.style.display = "none"
      const found = document.cookie.split("; ").find((one) => one.startsWith("explorer_visitor="))
      if (!found) document.cookie = `explorer_visitor=${model.token}; path=/; SameSite=Lax`
      model.kept = found ? found.split("=")[1] : model.token
      model.on("address", () => { if (model.address) location.href = model.address })
      model.on("again", () => location.reload())
    }
    """

    def __init__(self, token: str, **params: Any) -> None:
        super().__init__(token=token, width=0, height=0, margin=0, **params)

    def when_kept(self, act: Callable[[str], None]) -> None:
        """Call with the token that the browser keeps, if another page was faster."""
        self.param.watch(lambda event: TOKEN.fullmatch(event.new) and act(event.new), "kept")


__all__ = ["VisitorMark", "known_visitor", "visitor"]
