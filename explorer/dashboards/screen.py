"""What the browser knows and the server does not: how wide the screen is, and that a link was followed.

The choices at the left are folded away on narrow screens. Whoever follows a link to another page sees at once
that it is on its way. The theme is written on the document, where style sheets ask for it.
"""

from typing import Any

import param
from panel.custom import JSComponent

from explorer.views.kit.drawing.theme import TYPE

NARROW = 1200
"""Pixels below which a page has no room for its choices beside what it shows."""

LINE = "66ch"
"""A line of prose is not longer than this."""


def type_variables(at: int) -> str:
    """The scale as CSS variables; they reach into every component."""
    return " ".join(f"--type-{name}: {sizes[at]}px;" for name, sizes in TYPE.items())


CSS = f"""
:root {{ {type_variables(0)} --line: {LINE}; }}
:root[data-theme=projector] {{ {type_variables(1)} }}
.refused {{ font-size: var(--type-small); }} .refused ul {{ padding-left: 18px; margin: 4px 0; }}
.leaving {{ position: fixed; z-index: 7000; inset: 0 0 auto 0; height: 3px; background: #0b62a4;
  transform-origin: left; animation: leaving 6s cubic-bezier(0.1, 0.7, 0.3, 1) forwards; }}
@keyframes leaving {{ from {{ transform: scaleX(0); }} to {{ transform: scaleX(0.92); }} }}
@media (prefers-reduced-motion: reduce) {{ .leaving {{ animation: none; opacity: 0.6; }} }}
"""


class Screen(JSComponent):
    """Nothing to see."""

    theme = param.String("light", doc="The theme that the page wears.")
    narrow = param.Integer(NARROW, doc="Below this width choices are folded away.")

    _esm = """
    export function render({ model, el, view }) {
      el.style.display = "none"
      const root = document.documentElement
      const wear = () => { root.dataset.theme = model.theme }
      const page = view.model.document.roots().find((one) => one.class_name === "Page")
      const narrow = matchMedia(`(max-width: ${model.narrow - 0.02}px)`)
      const fold = () => { if (page && narrow.matches) page.data.sidebar_open = false }
      const leave = (event) => {
        const link = event.composedPath().find((node) => node.tagName === "A" && node.href)
        const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey
        if (!link || !plain || event.defaultPrevented || (link.target && link.target !== "_self")) return
        if (link.origin !== location.origin || (link.pathname === location.pathname && link.hash)) return
        const bar = document.createElement("div")
        bar.className = "leaving"
        document.body.append(bar)
      }
      const back = () => { for (const bar of document.querySelectorAll(".leaving")) bar.remove() }
      const listeners = { click: leave, pageshow: back }
      for (const [name, act] of Object.entries(listeners)) window.addEventListener(name, act)
      narrow.addEventListener("change", fold)
      model.on("theme", wear)
      model.on("remove", () => {
        for (const [name, act] of Object.entries(listeners)) window.removeEventListener(name, act)
        narrow.removeEventListener("change", fold)
      })
      wear()
      fold()
    }
    """

    def __init__(self, **params: Any) -> None:
        super().__init__(width=0, height=0, margin=0, **params)


__all__ = ["CSS", "NARROW", "Screen"]
