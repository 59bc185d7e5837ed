"""The button that takes an example, as it stands at this step, to the oracle lab in a window of its own."""

from collections.abc import Callable
from typing import Any

import panel as pn
import param
from panel.custom import JSComponent

from explorer.labs.fields.handover import HANDOVER, Taken
from explorer.views.kit.controls.inputs import icon

MOST_NODES = 3000
"""Larger fields would keep the lab's oracles busy for long."""


class Window(JSComponent):
    """Opens an address of the same server beside this page."""

    address = param.String("")
    count = param.Integer(0)

    _esm = """
    export function render({ model, el }) {
      el.style.display = "none"
      model.on("count", () => window.open(model.address, "_blank"))
    }
    """


class ToLab(pn.viewable.Viewer):
    """Asks for what is to be taken when it is pressed; nothing is taken before."""

    def __init__(self, what: Callable[[], Taken | None], theme: Callable[[], str], **params: Any) -> None:
        super().__init__(**params)
        self.what, self.theme = what, theme
        self.window = Window(width=0, height=0, margin=0)
        about = "Open in the lab: all oracles on this example, with the scores of this step"
        self.button = icon("science", about, self.go)

    def go(self) -> None:
        """Hand the field over and open the lab on it."""
        one = self.what()
        if one is not None and len(one.field.unary) <= MOST_NODES:
            self.window.address = f"lab?v=1&kind=taken&taken={HANDOVER.give(one)}&theme={self.theme()}"
            self.window.count += 1

    def __panel__(self) -> Any:
        return pn.Row(self.button, self.window, margin=0)


__all__ = ["ToLab"]
