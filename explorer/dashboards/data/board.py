"""A board to draw a small problem on: points of three kinds, a painting, or how alike items are."""

from collections.abc import Callable
from typing import Any

import param
from panel.custom import JSComponent

LOOK = """
:host { display: block; }
.tools { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin: 0 0 8px; }
button { font: inherit; font-size: var(--type-small, 14px); color: var(--text); background: var(--panel);
  border: 1px solid var(--grid); border-radius: 999px; padding: 5px 14px; cursor: pointer; }
button:hover { border-color: var(--link); }
button:focus-visible, canvas:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
button[aria-pressed=true] { background: var(--tint); border-color: var(--link); font-weight: 600; }
canvas { display: block; width: min(100%, var(--wide)); touch-action: none; cursor: crosshair;
  border: 1px solid var(--grid); border-radius: 8px; background: var(--background); }
p { font-size: var(--type-small, 14px); color: var(--muted); margin: 0 0 8px; }
"""


class DrawingBoard(JSComponent):
    """Calls `drawn(kind, what)` when the drawing is to be used."""

    kind = param.Selector(default="points", objects=["points", "grid", "likeness"])

    _esm = """
    const COLOURS = ["#2b6cb0", "#d9a520", "#5b8c3a"], KINDS = ["circle", "square", "triangle"]
    const WIDE = 32, HIGH = 16, ITEMS = 6
    const SAYS = {
      points: "Press to put a point of the chosen kind; press on one to take it out.",
      grid: "Paint with the chosen colour; what is learned is to see the painting through noise.",
      likeness: "Press a cell: alike, unlike or unknown. The bottom row says which cluster an item is in.",
    }
    const press = (text, act) => {
      const made = document.createElement("button")
      made.type = "button"
      made.textContent = text
      made.addEventListener("click", act)
      return made
    }
    export function render({ model, el }) {
      const kind = model.kind, tools = document.createElement("div"), says = document.createElement("p")
      const canvas = document.createElement("canvas"), pen = canvas.getContext("2d")
      let brush = kind === "grid" ? 1 : 0, down = false
      const points = [], cells = Array.from({ length: HIGH }, () => Array(WIDE).fill(0))
      const values = Array.from({ length: ITEMS }, () => Array(ITEMS).fill(0))
      const clusters = Array.from({ length: ITEMS }, (_, k) => Math.floor(k / 3))
      const [w, h] = { points: [600, 360], grid: [640, 320], likeness: [420, 480] }[kind]
      canvas.width = w
      canvas.height = h
      canvas.style.setProperty("--wide", `${w}px`)
      canvas.setAttribute("role", "img")
      canvas.setAttribute("aria-label", `Drawing board. ${SAYS[kind]}`)
      const shape = (x, y, k, r) => {
        pen.fillStyle = COLOURS[k]
        pen.beginPath()
        if (k === 0) pen.arc(x, y, r, 0, 7)
        else if (k === 1) pen.rect(x - r, y - r, 2 * r, 2 * r)
        else { pen.moveTo(x, y - r); pen.lineTo(x + r, y + r); pen.lineTo(x - r, y + r) }
        pen.fill()
      }
      const draw = () => {
        pen.clearRect(0, 0, w, h)
        if (kind === "points") for (const [x, y, k] of points) shape(x * w, (1 - y) * h, k, 7)
        if (kind === "grid") cells.forEach((row, y) => row.forEach((k, x) => {
          pen.fillStyle = COLOURS[k]
          pen.fillRect(x * w / WIDE + 0.5, y * h / HIGH + 0.5, w / WIDE - 1, h / HIGH - 1)
        }))
        if (kind === "likeness") {
          const size = w / ITEMS
          pen.font = "18px sans-serif"
          pen.textAlign = "center"
          pen.textBaseline = "middle"
          values.forEach((row, i) => row.forEach((v, j) => {
            pen.fillStyle = i === j ? "#98a2ae" : v > 0 ? "#2b6cb0" : v < 0 ? "#b84a00" : "#e3e6ea"
            pen.fillRect(j * size + 1, i * size + 1, size - 2, size - 2)
            pen.fillStyle = i === j || v ? "#ffffff" : "#1b1f24"
            const text = i === j ? String.fromCharCode(97 + i) : v > 0 ? "+" : v < 0 ? "\\u2212" : "?"
            pen.fillText(text, (j + 0.5) * size, (i + 0.5) * size)
          }))
          clusters.forEach((c, j) => {
            pen.fillStyle = COLOURS[c]
            pen.fillRect(j * size + 1, w + 8, size - 2, h - w - 9)
            pen.fillStyle = "#000000"
            pen.fillText(String(c + 1), (j + 0.5) * size, (w + h + 8) / 2)
          })
        }
      }
      const at = (event) => {
        const box = canvas.getBoundingClientRect()
        return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height]
      }
      const put = (event, first) => {
        const [x, y] = at(event)
        if (kind === "grid") {
          const row = cells[Math.floor(y * HIGH)], k = Math.floor(x * WIDE)
          if (row && k >= 0 && k < WIDE) row[k] = brush
        } else if (!first) return
        else if (kind === "points") {
          const near = points.findIndex(([a, b]) => Math.hypot((a - x) * w, (1 - b - y) * h) < 9)
          if (near >= 0) points.splice(near, 1)
          else points.push([x, 1 - y, brush])
        } else {
          const j = Math.floor(x * ITEMS), i = Math.floor(y * h / (w / ITEMS))
          if (i >= ITEMS) clusters[j] = (clusters[j] + 1) % 3
          else if (i !== j) values[i][j] = values[j][i] = { 0: 1, 1: -1, "-1": 0 }[values[i][j]]
        }
        draw()
      }
      canvas.addEventListener("pointerdown", (event) => { down = true; put(event, true) })
      canvas.addEventListener("pointermove", (event) => { if (down) put(event, false) })
      const up = () => { down = false }
      window.addEventListener("pointerup", up)
      model.on("remove", () => window.removeEventListener("pointerup", up))
      tools.className = "tools"
      if (kind !== "likeness") {
        const titles = KINDS.map((name, k) => kind === "grid" ? `colour ${k + 1}` : name)
        const chosen = titles.map((name, k) => press(name, () => choose(k)))
        const choose = (k) => {
          brush = k
          chosen.forEach((one, i) => one.setAttribute("aria-pressed", String(i === k)))
        }
        tools.append(...chosen)
        choose(brush)
      }
      const use = () => {
        const what = { points, grid: cells, likeness: { values, clusters } }[kind]
        model.send_msg({ drawn: kind, what })
      }
      tools.append(press("Use this drawing", use))
      says.textContent = SAYS[kind]
      el.append(says, tools, canvas)
      draw()
    }
    """

    def __init__(self, drawn: Callable[[str, Any], None], **params: Any) -> None:
        super().__init__(stylesheets=[LOOK], sizing_mode="stretch_width", **params)
        self._drawn = drawn

    def _handle_msg(self, data: Any) -> None:
        if isinstance(data, dict) and data.get("drawn") == self.kind:
            self._drawn(self.kind, data.get("what"))


__all__ = ["DrawingBoard"]
