"""Presenting: picture, caption and film strip on the whole screen, in large type; a clicker turns the steps.

Clickers press Page Down and Page Up. Escape leads back, as from every whole screen.
"""

from collections.abc import Callable
from typing import Any, ClassVar

import param
from panel.custom import JSComponent

from explorer.views.kit.drawing.theme import LIGHT, css_variables

FILM = "film"
"""The class of what is presented."""

FILLING = """
:host([data-presenting]) { --caption: 28px; --tools: none; padding: 10px 18px; box-sizing: border-box;
  background: var(--paper, #ffffff); min-height: 0 !important; }
"""
"""How that looks on the whole screen; the properties reach what is inside."""

LOOK = """
button { font: 500 var(--small)/1.6 Roboto, Helvetica, Arial, sans-serif; color: var(--link);
  background: none;
  border: 1px solid currentColor; border-radius: 6px; padding: 5px 12px; cursor: pointer;
    white-space: nowrap; }
button:hover { background: var(--grid); }
button:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
"""

ESM = """
export function render({ model, el }) {
  const button = document.createElement("button")
  button.type = "button"
  button.textContent = "Present"
  button.title = "The whole screen: picture, caption, film strip. Page Down turns the steps."
  el.append(button)
  const film = () => {
    let node = el
    while (node && !node.classList?.contains("FILM")) node = node.parentNode ?? node.host
    return node
  }
  const presenting = () => {
    let shown = document.fullscreenElement
    while (shown?.shadowRoot?.fullscreenElement) shown = shown.shadowRoot.fullscreenElement
    return Boolean(shown) && shown === film()
  }
  button.addEventListener("click",
    () => presenting() ? document.exitFullscreen() : film()?.requestFullscreen())
  const turn = (event) => {
    const way = { PageDown: "on", PageUp: "back" }[event.key]
    if (!way || !presenting()) return
    event.preventDefault()
    event.stopPropagation()
    model.send_msg(way)
  }
  const changed = () => {
    model.on_screen = presenting()
    film()?.toggleAttribute("data-presenting", model.on_screen)
    button.textContent = model.on_screen ? "Leave" : "Present"
  }
  const dress = () => {
    button.style.cssText = model.look
    film()?.style.setProperty("--paper", model.paper)
  }
  document.addEventListener("keydown", turn, { capture: true })
  document.addEventListener("fullscreenchange", changed)
  model.on("look", dress)
  model.on("remove", () => {
    document.removeEventListener("keydown", turn, { capture: true })
    document.removeEventListener("fullscreenchange", changed)
  })
  requestAnimationFrame(dress)
}
""".replace("FILM", FILM)


class Present(JSComponent):
    """The button that begins and ends presenting; `turn` is called with "on" or "back"."""

    on_screen = param.Boolean(False, doc="Whether it is being presented.")
    look = param.String()
    paper = param.String()
    theme = param.Parameter(LIGHT, precedence=-1)

    _esm = ESM
    _stylesheets: ClassVar[list[str]] = [LOOK]
    _rename: ClassVar[dict[str, None]] = {"theme": None}

    def __init__(self, turn: Callable[[str], None], **params: Any) -> None:
        super().__init__(**params)
        self._turn = turn
        self.param.watch(lambda *_: self._dress(), "theme")
        self._dress()

    def _dress(self) -> None:
        self.param.update(paper=self.theme.background, look=css_variables(self.theme))

    def _handle_msg(self, data: Any) -> None:
        if data in ("on", "back"):
            self._turn(data)

    def close(self) -> None:
        """Nothing is listened to."""


__all__ = ["FILLING", "FILM", "Present"]
