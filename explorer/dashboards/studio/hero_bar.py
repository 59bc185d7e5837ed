"""The row above the picture: the views in three groups of tabs, and what can be done with the one in front.

It is one component of plain HTML, so that a page with many views stays light. Tabs answer the arrow keys; a
tab is marked at once, the picture follows when the server has made it.
"""

from collections.abc import Callable
from typing import Any, ClassVar

import param
from panel.custom import JSComponent

from explorer.dashboards.card import CARD, SAVE

LOOK = r"""
.bar { display: flex; flex-wrap: wrap; align-items: flex-end; gap: 0 8px; position: relative;
  color: var(--text); font: 14px/1.3 Roboto, Helvetica, Arial, sans-serif; padding: 2px 8px 0;
  font-size: var(--small); }
.group { display: flex; flex-direction: column; }
.group > span { color: var(--muted); font-size: 0.9em; padding-left: 8px; letter-spacing: 0.02em; }
.row, .tabs { display: flex; flex-wrap: wrap; }
[hidden] { display: none; }
.more { padding: 3px 6px 8px; color: var(--muted); line-height: 1; }
.more:hover, .more[aria-expanded=true] { background: var(--grid); }
button { font: inherit; color: inherit; background: none; border: 0; cursor: pointer;
  border-radius: 4px 4px 0 0; }
[role=tab] { padding: 3px 7px 5px; border-bottom: 3px solid transparent; white-space: nowrap; }
[role=tab]:hover { background: var(--grid); }
[role=tab][aria-selected=true] { border-bottom-color: var(--link); color: var(--link); font-weight: 600; }
button:focus-visible { outline: 2px solid var(--link); outline-offset: -2px; }
.tools { margin-left: auto; display: var(--tools, flex); flex-wrap: wrap; color: var(--muted); }
.tools button { padding: 3px 4px 5px; border-radius: 4px; }
.tools button:hover, .tools [aria-expanded=true], .tools [aria-pressed=true] {
  background: var(--grid); color: var(--text); }
.full::before { content: ""; display: inline-block; width: 1.05em; height: 1.05em; vertical-align: -0.15em;
  background: currentColor; mask: url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'\
 viewBox='0 0 16 16' fill='none' stroke='black' stroke-width='2'%3E%3Cpath\
 d='M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4'/%3E%3C/svg%3E"); }
.about { position: absolute; right: 8px; top: 100%; z-index: 20; width: min(400px, 90%); padding: 10px 14px;
  color: var(--text); background: var(--panel); border: 1px solid var(--muted); border-radius: 6px;
  line-height: 1.45; box-shadow: 0 4px 14px rgba(0, 0, 0, 0.25); }
.about[hidden] { display: none; }
"""

ESM = """
export function render({ model, el }) {
  const root = document.createElement("div")
  root.className = "bar"
  el.append(root)
  const cardOf = () => { let card = el;
    while (!card.classList?.contains("view-card")) card = card.parentNode ?? card.host
    return card }
  const save = (kind, name) => { const card = cardOf(); SAVING }
  const whole = () => document.fullscreenElement ? document.exitFullscreen() : cardOf().requestFullscreen()
  const button = (text, label, act) => {
    const made = document.createElement("button")
    made.type = "button"
    made.textContent = text
    made.setAttribute("aria-label", label)
    made.addEventListener("click", act)
    return made
  }
  let tabs = [], mores = []
  const unfolded = new Set()
  const bring = (key) => {
    if (key !== model.active) model.active = key
    mark()
  }
  const mark = () => {
    for (const { title, node } of mores) node.setAttribute("aria-expanded", unfolded.has(title))
    for (const { key, node, rare, title } of tabs) {
      node.hidden = Boolean(rare) && key !== model.active && !unfolded.has(title)
      node.setAttribute("aria-selected", key === model.active)
      node.tabIndex = key === model.active ? 0 : -1
    }
  }
  const walk = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    const shown = tabs.filter(({ node }) => !node.hidden)
    const at = shown.findIndex(({ node }) => node === event.target)
    if (!by || at < 0) return
    event.preventDefault()
    const next = shown[(at + by + shown.length) % shown.length]
    bring(next.key)
    next.node.focus()
  }
  const groups = document.createElement("div"), tools = document.createElement("div")
  groups.style.display = "contents"
  tools.className = "tools"
  const about = document.createElement("div")
  about.className = "about"
  about.hidden = true
  about.setAttribute("role", "note")
  root.append(groups, tools, about)
  root.addEventListener("keydown", walk)
  const fill = () => {
    tabs = []
    mores = []
    groups.replaceChildren(...model.groups.map(({ title, tabs: own }) => {
      const group = document.createElement("div"), list = document.createElement("div")
      const name = document.createElement("span")
      group.className = "group"
      name.textContent = title
      list.className = "tabs"
      list.setAttribute("role", "tablist")
      list.setAttribute("aria-label", title)
      const group_tabs = []
      for (const [key, label, rare] of own) {
        const node = button(label, label, () => bring(key))
        node.setAttribute("role", "tab")
        tabs.push({ key, node, rare, title })
        group_tabs.push(node)
      }
      list.append(...group_tabs)
      const row = document.createElement("div")
      row.className = "row"
      row.append(list)
      if (own.some(([, , rare]) => rare)) {
        const more = button("…", `More of ${title}`, () => {
          unfolded.has(title) ? unfolded.delete(title) : unfolded.add(title)
          mark()
        })
        more.className = "more"
        mores.push({ title, node: more })
        row.append(more)
      }
      group.append(name, row)
      return group
    }))
    mark()
  }
  const equip = () => {
    const { title, named } = model
    about.hidden = true
    about.textContent = model.about
    const help = button("?", `What ${title} shows`, () => {
      about.hidden = !about.hidden
      help.setAttribute("aria-expanded", !about.hidden)
    })
    help.setAttribute("aria-expanded", "false")
    const numbers = button("Numbers", `Show the numbers behind ${title}`, () => model.send_msg("numbers"))
    numbers.setAttribute("aria-pressed", model.table_open)
    const made = [help, numbers]
    if (model.drawn) for (const kind of ["png", "svg"])
      made.push(button(kind.toUpperCase(), `Save ${title} as ${kind.toUpperCase()}`, () => save(kind, named)))
    const full = button("", `Show ${title} on the whole screen; Escape leads back`, whole)
    full.className = "full"
    full.title = "Full screen"
    made.push(full)
    tools.replaceChildren(...made)
  }
  const dress = () => { root.style.cssText = model.look }
  const leave = (event) => {
    if (about.hidden || event.composedPath().includes(tools)) return
    about.hidden = true
    tools.querySelector("[aria-expanded]")?.setAttribute("aria-expanded", "false")
  }
  document.addEventListener("click", leave)
  model.on("remove", () => document.removeEventListener("click", leave))
  model.on("groups", fill)
  model.on("active", mark)
  for (const name of ["title", "about", "table_open", "drawn"]) model.on(name, equip)
  model.on("look", dress)
  fill(); equip(); dress()
}
"""


HIGH = "calc(2.6 * 1.3 * var(--type-small, 14px) + 13px)"
"""Two rows of type: the place is kept while the page is put together."""


class HeroBar(JSComponent):
    """Tabs in groups, and the tools of the view in front: help, numbers, pictures, the whole screen."""

    groups = param.List(doc="Of each group its title and its tabs: key, title, whether it waits to be asked.")
    active = param.String(doc="The key of the tab in front.")
    title = param.String(doc="What the view in front is called.")
    named = param.String(doc="What its files are called.")
    about = param.String(doc="What it shows, in a few sentences.")
    drawn = param.Boolean(True, doc="Whether it has figures that can be saved.")
    table_open = param.Boolean(False, doc="Whether its numbers are shown.")
    look = param.String(doc="The theme as CSS variables.")

    _esm = ESM.replace("SAVING", SAVE.removeprefix(CARD))
    _stylesheets: ClassVar[list[str]] = [LOOK]

    def __init__(self, numbers: Callable[[], None], **params: Any) -> None:
        super().__init__(sizing_mode="stretch_width", margin=0, styles={"min-height": HIGH}, **params)
        self._numbers = numbers

    def _handle_msg(self, data: Any) -> None:
        if data == "numbers":
            self._numbers()


__all__ = ["HeroBar"]
