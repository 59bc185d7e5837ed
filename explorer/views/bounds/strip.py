"""The film strip: the bounds of the run drawn on its scrubber. Drag or click to travel.

It is drawn in the browser from a few hundred numbers; the mark follows the pointer at once, and the page
follows the mark as fast as it can. What lies after the step that is looked at is pale; while a step is
walked through phase by phase, it is not drawn at all.
"""

from typing import Any, ClassVar

import numpy as np
import param
from panel.custom import JSComponent

from explorer.session.state import Session
from explorer.views.bounds.strip_frame import strip
from explorer.views.kit.drawing.theme import LIGHT, css_variables
from explorer.views.kit.messages import lacks_lock, one_message

LOOK = """
:host { min-width: 0; }
.strip { position: relative; height: 100%; min-height: 56px; cursor: ew-resize; touch-action: none;
  outline: none;
  border: 1px solid var(--grid); border-radius: 6px; background: var(--background); overflow: hidden;
  box-sizing: border-box; user-select: none; font: var(--small)/1.2 Roboto, Helvetica, Arial, sans-serif; }
.strip:focus-visible { box-shadow: 0 0 0 2px var(--link); }
svg { position: absolute; inset: 0; width: 100%; height: 100%; }
.gap { fill: var(--muted); fill-opacity: 0.22; stroke: none; }
.upper { fill: none; stroke: var(--primal); stroke-width: 2; vector-effect: non-scaling-stroke; }
.lower { fill: none; stroke: var(--dual); stroke-width: 2; stroke-dasharray: 6 3;
  vector-effect: non-scaling-stroke; }
.later { opacity: 0.3; }
.mark { position: absolute; top: 0; bottom: 0; width: 2px; margin-left: -1px; background: var(--accent);
  pointer-events: none; transition: left 0.18s ease-out; }
.mark::after { content: ""; position: absolute; left: -6px; top: 50%; width: 14px; height: 14px;
  margin-top: -7px;
  border-radius: 50%; background: var(--accent); box-shadow: 0 0 0 2px var(--background); }
.held .mark { transition: none; }
.event { position: absolute; top: 0; bottom: 0; border-left: 1px dashed var(--accent); color: var(--muted);
  padding-left: 3px; white-space: nowrap; pointer-events: none; }
.read { position: absolute; top: 3px; padding: 1px 6px; border-radius: 4px; color: var(--background);
  background: var(--text); pointer-events: none; white-space: nowrap; transform: translateX(-50%); }
.key { position: absolute; right: 8px; bottom: 4px; color: var(--muted); pointer-events: none; }
.key b { font-weight: 600; } .key .up { color: var(--primal); } .key .low { color: var(--dual); }
@media (prefers-reduced-motion: reduce) { .mark { transition: none; } }
"""

ESM = """
export function render({ model, el }) {
  const part = (name, tag = "div") => {
    const made = document.createElement(tag)
    made.className = name
    return made
  }
  const root = part("strip"), mark = part("mark"), read = part("read"), key = part("key"),
  events = part("events")
  root.tabIndex = 0
  root.setAttribute("role", "slider")
  root.setAttribute("aria-label", "Step")
  key.innerHTML = `<span class="up">\\u2501 objective</span>  <span class="low">\\u2505 proved from
  below</span>`
  read.hidden = true
  const svg = part("", "div")
  root.append(svg, events, mark, key, read)
  el.append(root)
  let at = model.at, held = false, told = 0, timer = 0
  const share = (step) => model.last > 0 ? (step + 0.5) / (model.last + 1) : 0.5
  const path = (steps, ys) => {
    let text = "", pen = "M"
    steps.forEach((k, j) => {
      if (!Number.isFinite(ys[j])) { pen = "M"; return }
      text += `${pen}${(1000 * share(k)).toFixed(1)} ${(100 * (1 - ys[j])).toFixed(2)}`
      pen = "L"
    })
    return text
  }
  const band = (steps, ups, lows) => {
    const both = steps.map((k, j) => [k, ups[j], lows[j]]).filter(([, u, l]) => Number.isFinite(u)
      && Number.isFinite(l))
    if (both.length < 2) return ""
    const point = (k, y) => `${(1000 * share(k)).toFixed(1)} ${(100 * (1 - y)).toFixed(2)}`
    return "M" + both.map(([k, u]) => point(k, u)).concat(both.reverse().map(([k, , l]) => point(k,
      l))).join("L") + "Z"
  }
  const draw = () => {
    const { steps, value, best, lower } = model
    const lines = `<path class="gap" d="${band(steps, best, lower)}"/><path class="upper" d="${path(steps,
      value)}"/>` +
      `<path class="lower" d="${path(steps, lower)}"/>`
    svg.innerHTML = `<svg viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">
      <clipPath id="past"><rect x="0" y="-10" width="0" height="120"/></clipPath>
      <g class="later">${lines}</g><g clip-path="url(#past)">${lines}</g></svg>`
    key.hidden = !steps.length
    events.replaceChildren(...model.marks.map(([k, text]) => {
      const made = part("event")
      made.style.left = `${100 * k / (model.last + 1)}%`
      made.textContent = text
      return made
    }))
    place()
  }
  const place = () => {
    mark.style.left = `${100 * share(at)}%`
    mark.hidden = !model.steps.length
    svg.querySelector("rect")?.setAttribute("width", 1000 * share(at))
    root.setAttribute("aria-valuemin", 0)
    root.setAttribute("aria-valuemax", model.last)
    root.setAttribute("aria-valuenow", at)
    root.setAttribute("aria-valuetext", `step ${at} of ${model.last}`)
  }
  const stepAt = (event) => {
    const box = root.getBoundingClientRect()
    const share = (event.clientX - box.left) / box.width
    return Math.max(0, Math.min(model.last, Math.floor(share * (model.last + 1))))
  }
  const tell = () => {
    clearTimeout(timer)
    timer = setTimeout(() => { told = performance.now(); model.send_msg({ seek: at }) },
      Math.max(0, 70 - (performance.now() - told)))
  }
  const go = (step) => {
    if (step === at) return
    at = step
    place()
    tell()
  }
  const say = (event) => {
    const step = stepAt(event)
    read.hidden = !model.steps.length
    read.textContent = `step ${step}`
    const box = root.getBoundingClientRect()
    read.style.left = `${Math.max(30, Math.min(box.width - 30, event.clientX - box.left))}px`
  }
  root.addEventListener("pointerdown", (event) => {
    if (!model.steps.length || event.button) return
    held = true
    root.classList.add("held")
    root.setPointerCapture(event.pointerId)
    go(stepAt(event))
  })
  root.addEventListener("pointermove", (event) => { say(event); if (held) go(stepAt(event)) })
  root.addEventListener("pointerleave", () => { read.hidden = true })
  for (const name of ["pointerup", "pointercancel"]) root.addEventListener(name, () => {
    held = false
    root.classList.remove("held")
  })
  root.addEventListener("keydown", (event) => {
    const far = Math.max(1, Math.round(model.last / 10))
    const to = { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, Home: 0,
      End: model.last,
      PageUp: at - far, PageDown: at + far }[event.key]
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    event.stopPropagation()
    go(Math.max(0, Math.min(model.last, to)))
  })
  const follow = () => { if (!held) { at = model.at; place() } }
  const dress = () => { root.style.cssText = model.look }
  for (const name of ["steps", "value", "best", "lower", "marks", "last"]) model.on(name, draw)
  model.on("at", follow)
  model.on("look", dress)
  dress(); draw()
}
"""


class BoundsStrip(JSComponent):
    """The bounds over the whole run, with a mark at the step that is looked at."""

    steps = param.List()
    value = param.List()
    best = param.List()
    lower = param.List()
    marks = param.List()
    last = param.Integer(0)
    at = param.Integer(0)
    look = param.String()
    theme = param.Parameter(LIGHT, precedence=-1)

    _esm = ESM
    _stylesheets: ClassVar[list[str]] = [LOOK]
    _rename: ClassVar[dict[str, None]] = {"theme": None}

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        self._drawn: Any = None
        self._dress()
        self.param.watch(lambda *_: self._dress(), "theme")
        self.follow()
        self._watcher = session.param.watch(self.follow, ["tick", "cursor", "phase"])

    def _dress(self) -> None:
        self.look = css_variables(self.theme)

    def follow(self, *_: Any) -> None:
        """Show the session's run and where it is looked at."""
        if lacks_lock():
            return
        trace, until = self.session.trace, self.session.horizon
        changes: dict[str, Any] = {"at": min(self.session.cursor, self.session.newest)}
        if (drawn := (id(trace), len(trace), until, self.session.tick)) != self._drawn:
            self._drawn, shown = drawn, strip(trace, until)
            columns = {name: tidy(getattr(shown, name)) for name in ("steps", "value", "best", "lower")}
            changes |= columns | {"marks": [list(mark) for mark in shown.marks], "last": self.session.newest}
        with one_message():
            self.param.update(**changes)

    def _handle_msg(self, data: Any) -> None:
        if isinstance(data, dict) and isinstance(data.get("seek"), int):
            self.session.seek(data["seek"])

    def close(self) -> None:
        """Stop listening to the session."""
        self.session.param.unwatch(self._watcher)


def tidy(values: Any) -> list[float | None]:
    """A column for the browser: four digits, nothing where it is unknown."""
    return [round(float(v), 4) if np.isfinite(v) else None for v in values]


__all__ = ["BoundsStrip"]
