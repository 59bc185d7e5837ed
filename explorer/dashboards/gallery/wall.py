"""Cards on a page, in groups: each is a link as a whole, and only those that changed are written anew.

A card that is replaced between pressing and letting go of the button would swallow the click.
"""

from typing import Any

import param
from panel.custom import JSComponent

CSS = """
:host { color: var(--text); }
section { margin: 0 0 28px; }
h2 { margin: 0; font-size: var(--type-large, 20px); line-height: 1.3; }
.about { margin: 2px 0 10px; font-size: var(--type-small, 14px); color: var(--muted); }
.grid { display: grid; gap: 16px;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, calc(19 * var(--type-small, 14px))), 1fr)); }
.grid > div { display: flex; min-width: 0; }
a.card { display: flex; flex-direction: column; flex: 1 1 0; min-width: 0; padding: 12px 14px;
  border-radius: 8px; text-decoration: none; color: var(--text); background: var(--panel);
  border: 1px solid var(--grid); font-size: var(--type-small, 14px); line-height: 1.4; cursor: pointer; }
a.card * { pointer-events: none; }
a.card:hover, a.card:focus-visible {
  border-color: var(--link); box-shadow: 0 0 0 1px var(--link); outline: none; }
.card h3 { margin: 0 0 8px; font-size: var(--type-text, 16px); line-height: 1.3; }
.card p { margin: 6px 0 0; }
.card .words { flex-grow: 1; }
.card .outcome { color: var(--muted); min-height: 1.4em; }
.card svg, .wait { display: block; width: 100%; border-radius: 4px; }
.picture { aspect-ratio: 260 / 120; background: var(--background); border-radius: 4px; }
.curve { height: 36px; margin-top: 10px; padding-top: 8px; border-top: 1px solid var(--grid); }
.picture > *, .curve > * { height: 100%; } .curve svg { overflow: visible; }
.wait { animation: pulse 1.4s ease-in-out infinite; background: var(--grid); }
@keyframes pulse { 50% { opacity: 0.35; } }
@media (prefers-reduced-motion: reduce) { .wait { animation: none; } }
"""


class CardWall(JSComponent):
    """Shows `groups`: a title, one sentence and the HTML of the cards of each. The caller escapes."""

    groups = param.List([], item_type=dict)

    _esm = """
    const part = (name, look, text) => {
      const made = document.createElement(name)
      made.className = look
      made.textContent = text
      return made
    }
    export function render({ model, el }) {
      const shown = new Map()
      const fill = () => {
        for (const { title, about, cards } of model.groups) {
          if (!shown.has(title)) {
            const section = document.createElement("section"), grid = part("div", "grid", "")
            section.setAttribute("aria-label", title)
            section.append(part("h2", "", title), part("p", "about", about), grid)
            el.append(section)
            shown.set(title, { grid, written: [] })
          }
          const { grid, written } = shown.get(title)
          cards.forEach((html, k) => {
            if (written[k] === html) return
            if (!grid.children[k]) grid.append(document.createElement("div"))
            grid.children[k].innerHTML = written[k] = html
          })
        }
      }
      model.on("groups", fill)
      fill()
    }
    """

    def __init__(self, **params: Any) -> None:
        super().__init__(stylesheets=[CSS], sizing_mode="stretch_width", margin=(4, 16), **params)


__all__ = ["CardWall"]
