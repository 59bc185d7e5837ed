"""HTML of our own whose buttons and checkboxes tell the server: for tables and lists that no widget draws.

A `<button data-act="...">` sends its act when pressed, an `<input type="checkbox" data-act="...">` sends its
act and whether it is checked. The caller escapes the HTML. The focus stays where it was when the HTML
changes.
"""

from collections.abc import Callable
from typing import Any

import param
from panel.custom import JSComponent


class LiveHTML(JSComponent):
    """Shows `html`; calls `act(name, checked)`, where `checked` is None for buttons."""

    html = param.String("")

    _esm = """
    export function render({ model, el }) {
      const root = document.createElement("div")
      el.append(root)
      const fill = () => {
        const held = root.getRootNode().activeElement?.dataset?.act
        const scrolled = root.firstElementChild?.scrollTop
        root.innerHTML = model.html
        if (scrolled) root.firstElementChild.scrollTop = scrolled
        if (held) root.querySelector(`[data-act="${CSS.escape(held)}"]`)?.focus()
      }
      root.addEventListener("click", (event) => {
        const button = event.target.closest("button[data-act]")
        if (button) model.send_msg({ act: button.dataset.act, checked: null })
      })
      root.addEventListener("change", (event) => {
        const box = event.target.closest("input[data-act]")
        if (box) model.send_msg({ act: box.dataset.act, checked: box.checked })
      })
      model.on("html", fill)
      fill()
    }
    """

    def __init__(self, act: Callable[[str, bool | None], None], **params: Any) -> None:
        super().__init__(**params)
        self._act = act

    def _handle_msg(self, data: Any) -> None:
        if (
            isinstance(data, dict)
            and isinstance(data.get("act"), str)
            and data.get("checked") in (None, True, False)
        ):
            self._act(data["act"], data["checked"])


__all__ = ["LiveHTML"]
