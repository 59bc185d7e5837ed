"""Whether the server still answers: a page whose buttons are dead says so.

When the connection is lost, a banner says it and the browser asks the server again every few seconds. If it
answers and knows the page, the banner goes; if it was started anew it does not know the page, which is then
loaded again by a press of a button. The address keeps what was shown.
"""

from typing import Any

import param
from panel.custom import JSComponent


class Connection(JSComponent):
    """Nothing to see while the server answers."""

    often = param.Integer(2000, doc="Milliseconds between two questions to a server that does not answer.")

    _esm = """
    const SILENT = "The server does not answer; trying again …"
    const BACK = "The server is there again, but it no longer has this page. Reload it to go on; " +
      "the address keeps what you see."
    const LOOK = `
      .lost { position: fixed; z-index: 6000; left: 50%; bottom: 24px; transform: translateX(-50%);
        display: flex; gap: 16px; align-items: center; box-sizing: border-box; max-width: calc(100vw - 32px);
        padding: 12px 16px; border-radius: 8px; font-size: var(--type-text, 16px); line-height: 1.4;
        background: #fff7e0; color: #1b1f24; border: 1px solid #b7791f;
        box-shadow: 0 6px 24px rgba(0, 0, 0, 0.25); }
      .lost button { font: inherit; font-weight: 600; padding: 6px 14px; border-radius: 6px; cursor: pointer;
        border: 1px solid #1b1f24; background: #ffffff; color: #1b1f24; }
      .lost button:focus-visible { outline: 3px solid #0b62a4; }`

    export function render({ model, el, view }) {
      const page = view.model.document
      const style = document.createElement("style")
      style.textContent = LOOK
      const banner = document.createElement("div")
      banner.className = "lost"
      banner.setAttribute("role", "alert")
      const text = document.createElement("span"), reload = document.createElement("button")
      reload.textContent = "Reload"
      reload.type = "button"
      reload.addEventListener("click", () => location.reload())
      banner.append(text, reload)
      let left = false, timer = null, answered = false, again = () => {}
      const say = () => {
        text.textContent = answered ? BACK : SILENT
        if (!banner.isConnected) el.append(style, banner)
      }
      const hide = () => {
        clearTimeout(timer)
        timer = null
        answered = false
        banner.remove()
      }
      const ask = async () => {
        timer = null
        try { await fetch(location.pathname, { method: "HEAD", cache: "no-store" }) }
        catch {
          answered = false
          say()
          timer = setTimeout(ask, model.often)
          return
        }
        answered = true
        again()
      }
      page.on_event("connection_lost", (_, event) => {
        if (left) return
        again = () => event.reconnect()
        say()
        if (timer === null) timer = setTimeout(ask, model.often)
      })
      page.on_event("client_reconnected", hide)
      const leave = () => { left = true }
      window.addEventListener("pagehide", leave)
      window.addEventListener("pageshow", () => { left = false })
      model.on("remove", () => { hide(); window.removeEventListener("pagehide", leave) })
    }
    """

    def __init__(self, **params: Any) -> None:
        super().__init__(width=0, height=0, margin=0, **params)


__all__ = ["Connection"]
