"""The table of cuts: sorts by its headings and opens a row; real buttons, real headings, no library."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import param
from panel.custom import JSComponent

from explorer.views.kit.drawing.theme import Theme


class CutTable(JSComponent):
    """Rows of text; what is clicked is told to `act`."""

    titles = param.List([], doc="Headings, as [name, title, is it a number].")
    rows = param.List([], doc="Cells as text, row by row.")
    keys = param.List([], doc="What a row is called when it is opened.")
    chosen = param.Integer(-2, doc="The key of the row that is marked.")
    sort = param.String("alpha")
    falling = param.Boolean(True)
    caption = param.String("")
    look = param.Dict({}, doc="Colours and font size.")

    _esm = """
    export function render({ model }) {
      const make = (tag, parent, text) => {
        const e = document.createElement(tag)
        if (text) e.textContent = text
        if (parent) parent.append(e)
        return e
      }
      const box = make("div"); box.className = "cuts"; box.tabIndex = 0; box.setAttribute("role", "region")
      const table = make("table", box), caption = make("caption", table)
      const head = make("tr", make("thead", table)), body = make("tbody", table)
      const heads = () => {
        head.replaceChildren()
        for (const [name, title, numeric] of model.titles) {
          const th = make("th", head), button = make("button", th)
          th.scope = "col"; if (numeric) th.className = "number"
          const mine = model.sort === name
          th.setAttribute("aria-sort", mine ? (model.falling ? "descending" : "ascending") : "none")
          button.type = "button"; button.textContent = title + (mine ? (model.falling ? " ▼" : " ▲") : "")
          button.dataset.name = name
          button.onclick = () => model.send_msg({ sort: name })
        }
      }
      const sorted = () => {
        const focused = head.getRootNode().activeElement?.dataset?.name
        heads()
        if (focused) head.querySelector(`[data-name="${focused}"]`)?.focus()
      }
      const fill = () => {
        while (body.rows.length > model.rows.length) body.deleteRow(-1)
        model.rows.forEach((cells, r) => {
          const row = body.rows[r] ?? body.insertRow()
          const key = model.keys[r], here = key === model.chosen
          row.className = here ? "chosen" : ""
          if (here) row.setAttribute("aria-current", "true"); else row.removeAttribute("aria-current")
          row.onclick = () => model.send_msg({ open: key })
          while (row.cells.length > cells.length) row.deleteCell(-1)
          cells.forEach((text, c) => {
            const cell = row.cells[c] ?? row.insertCell()
            const numeric = model.titles[c]?.[2]
            cell.className = numeric ? "number" : ""
            if (c > 0) { if (cell.textContent !== text) cell.textContent = text; return }
            const button = cell.firstChild ?? make("button", cell)
            button.type = "button"
            button.textContent = (here ? "▸ " : "") + text
            button.setAttribute("aria-label", `cut ${text}: open its example`)
          })
        })
      }
      const words = () => {
        caption.textContent = model.caption
        box.setAttribute("aria-label", model.caption)
      }
      const dress = () => {
        for (const [k, v] of Object.entries(model.look)) box.style.setProperty("--" + k, v)
      }
      heads(); fill(); words(); dress()
      model.on("titles", () => { heads(); fill() })
      model.on("sort", sorted); model.on("falling", sorted)
      for (const name of ["rows", "keys", "chosen"]) model.on(name, fill)
      model.on("caption", words); model.on("look", dress)
      return box
    }
    """
    _stylesheets: ClassVar[list[str]] = [
        """
        :host { overflow: hidden }
        .cuts { height: 100%; overflow: auto; color: var(--text); background: var(--back) }
        .cuts { font-size: var(--font) }
        table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
        caption { text-align: left; padding: 2px 6px; color: var(--muted) }
        th { position: sticky; top: 0; padding: 0; background: var(--back); text-align: left }
        th { box-shadow: inset 0 -2px var(--line) }
        th button { all: unset; cursor: pointer; padding: 3px 6px; font-weight: 600; white-space: nowrap }
        td { padding: 2px 6px; border-bottom: 1px solid var(--line); white-space: nowrap }
        th.number, td.number { text-align: right }
        td button { all: unset; cursor: pointer; text-decoration: underline; text-underline-offset: 2px }
        :is(button, .cuts):focus-visible { outline: 2px solid var(--accent) }
        tbody tr { cursor: pointer }
        tbody tr:hover { background: var(--hover) }
        tr.chosen { background: var(--hover); outline: 2px solid var(--accent); outline-offset: -2px }
        """
    ]

    def __init__(self, act: Callable[[Mapping[str, Any]], None], **params: Any) -> None:
        super().__init__(**params)
        self._act = act

    def _handle_msg(self, msg: Mapping[str, Any]) -> None:
        self._act(msg)

    def recolour(self, theme: Theme) -> None:
        """Give the table the theme's colours."""
        self.look = {
            "font": f"{theme.font}px",
            "text": theme.text,
            "muted": theme.muted,
            "back": theme.background,
            "line": theme.grid,
            "hover": theme.panel,
            "accent": theme.accent,
        }
