"""The list of runs: each can be compared, brought back and let go of."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import param
from panel.custom import JSComponent

LOOK = """
:host { overflow: auto; }
table { border-collapse: collapse; width: 100%; color: var(--text); font-size: var(--small);
  font-variant-numeric: tabular-nums; }
th, td { padding: 3px 8px; text-align: left; border-bottom: 1px solid var(--grid); }
th { font-weight: 600; } .number { text-align: right; white-space: nowrap; }
button { font: inherit; color: var(--link); background: none; border: 1px solid var(--grid);
  border-radius: 5px; padding: 1px 8px; margin-right: 4px; cursor: pointer; }
button:hover { background: var(--grid); }
button:focus-visible, input:focus-visible { outline: 2px solid var(--link); outline-offset: 1px; }
.lane { display: inline-block; width: 26px; vertical-align: middle; margin-right: 6px; }
.now td { font-weight: 600; }
"""

ESM = """
export function render({ model, el }) {
  const box = document.createElement("div")
  el.append(box)
  const cell = (row, text, tag = "td", numeric = false) => {
    const made = document.createElement(tag)
    if (text !== null) made.textContent = text
    if (numeric) made.className = "number"
    row.append(made)
    return made
  }
  const fill = () => {
    const table = document.createElement("table"), head = document.createElement("tr")
    table.createTHead().append(head)
    for (const [title, numeric] of model.titles) cell(head, title, "th", numeric).scope = "col"
    const body = table.createTBody()
    for (const { key, cells, pinned, lane, now } of model.rows) {
      const row = body.insertRow()
      if (now) row.className = "now"
      const first = cell(row, null)
      const label = document.createElement("label"), tick = document.createElement("input")
      tick.type = "checkbox"; tick.checked = pinned; tick.disabled = now
      tick.setAttribute("aria-label", `Compare ${cells[0]}`)
      tick.addEventListener("change", () => model.send_msg({ pin: key }))
      const sign = document.createElement("span")
      sign.className = "lane"
      sign.innerHTML = lane
      label.append(tick, " ", sign, cells[0])
      first.append(label)
      cells.slice(1).forEach((text, k) => cell(row, text, "td", model.titles[k + 1][1]))
      const last = cell(row, null)
      if (!now) for (const [name, act] of [["Show", "show"], ["Delete", "drop"]]) {
        const button = document.createElement("button")
        button.type = "button"; button.textContent = name
        button.setAttribute("aria-label", `${name} ${cells[0]}`)
        button.addEventListener("click", () => model.send_msg({ [act]: key }))
        last.append(button)
      }
    }
    box.replaceChildren(table)
  }
  const dress = () => { box.style.cssText = model.look }
  model.on("rows", fill)
  model.on("look", dress)
  fill(); dress()
}
"""


class RunList(JSComponent):
    """Rows of runs; what is pressed is told to `act`."""

    titles = param.List([], doc="Headings, each with whether its column holds numbers.")
    rows = param.List([], doc="Of each run its key, cells, whether it is compared, and its line as SVG.")
    look = param.String("", doc="The theme as CSS variables.")

    _esm = ESM
    _stylesheets: ClassVar[list[str]] = [LOOK]

    def __init__(self, act: Callable[[Mapping[str, Any]], None], **params: Any) -> None:
        super().__init__(**params)
        self._act = act

    def _handle_msg(self, data: Any) -> None:
        if isinstance(data, Mapping):
            self._act(data)


__all__ = ["RunList"]
