"""Keys pressed anywhere on a page, and the dialog that says what they do.

Keys are left alone while somebody types, and where the element that has the focus needs them: a slider moves
with arrows, a menu is walked through. A button or a tab needs them only from those who came to it with the
keyboard. Who clicked on it wants its action and no more, so space plays afterwards, also on the whole screen.
In a notebook, whose own keys they may be, keys count only where they are pressed in what the cell shows.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param
from panel.custom import JSComponent

DIGITS = tuple("123456789")


class Hotkeys(JSComponent):
    """Calls `act` with each of `keys` that is pressed (named as browsers do), except where somebody types."""

    keys = param.List(["?"], item_type=str, doc="The keys that this page has.")

    _esm = """
    const WRITTEN = ["TEXTAREA", "SELECT"]
    const MENUS = ["option", "menuitem", "combobox", "listbox"]
    const PRESSED = ["BUTTON", "SUMMARY", "A"]

    const typing = (node) => node.isContentEditable || WRITTEN.includes(node.tagName) ||
      (node.tagName === "INPUT" && !["range", "checkbox", "radio", "button"].includes(node.type))
    const moves = (node, role) => node.type === "range" || role === "slider"
    const owned = (node, key, pointed) => {
      const role = node.getAttribute?.("role")
      if (typing(node) || MENUS.includes(role)) return true
      if (key.startsWith("Arrow") && (moves(node, role) || node.type === "radio")) return true
      if (pointed) return false
      return key === " " ? PRESSED.includes(node.tagName) || node.type === "checkbox"
        : key.startsWith("Arrow") && role === "tab"
    }

    export function render({ model, el }) {
      let pointed = false
      const point = () => { pointed = true }
      const cell = () => {
        let node = el
        while (node && !node.classList?.contains("jp-OutputArea")) node = node.parentNode ?? node.host
        return node
      }
      const ours = (event) => {
        const path = event.composedPath(), node = path[0], home = cell()
        return (!home || path.includes(home)) && model.keys.includes(event.key) &&
          !event.ctrlKey && !event.metaKey && !event.altKey &&
          !(node.tagName && owned(node, event.key, pointed))
      }
      const press = (event) => {
        if (event.key === "Tab") pointed = false
        if (!ours(event)) return
        event.preventDefault()
        event.stopPropagation()
        model.send_msg(event.key)
      }
      const release = (event) => { if (ours(event)) event.preventDefault() }
      const listeners = { pointerdown: point, keydown: press, keyup: release }
      for (const [name, act] of Object.entries(listeners)) window.addEventListener(name, act, true)
      model.on("remove", () => {
        for (const [name, act] of Object.entries(listeners)) window.removeEventListener(name, act, true)
      })
      el.style.display = "none"
    }
    """

    def __init__(self, act: Callable[[str], None], keys: Iterable[str], **params: Any) -> None:
        super().__init__(width=0, height=0, margin=0, keys=list(keys), **params)
        self._act = act

    def _handle_msg(self, data: Any) -> None:
        if data in self.keys:
            self._act(data)


def keys_dialog(keys: Mapping[str, str]) -> Any:
    """What every key does, to be opened over the page."""
    rows = "".join(f"<tr><th scope='row'>{key}</th><td>{what}</td></tr>" for key, what in keys.items())
    table = pn.pane.HTML(f"<table class='keys'>{rows}</table>")
    return pmui.Dialog(table, title="Keys", show_close_button=True, close_on_click=True)


__all__ = ["DIGITS", "Hotkeys", "keys_dialog"]
