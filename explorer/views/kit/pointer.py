"""Where the pointer is on a figure, sent to the server a few times a second once it has rested there.

A pointer that only crosses a figure on its way tells nothing. Leaving is told at once.
"""

from collections.abc import Callable
from typing import Any

from bokeh.models import ColumnDataSource, CustomJS

STAYS, OFTEN = 150, 90
"""Milliseconds on the figure before anything is told, and between two places that are told."""

TELL = """
const seen = (place.seen ??= { since: 0, told: 0, timer: 0 })
clearTimeout(seen.timer)
if (cb_obj.event_name == "mouseleave") {
  seen.since = 0
  if (place.data.x.length) place.data = { x: [], y: [] }
} else {
  const now = performance.now(), { x, y } = cb_obj
  seen.since ||= now
  const tell = () => {
    seen.told = performance.now()
    place.data = { x: [x], y: [y] }
  }
  seen.timer = setTimeout(tell, Math.max(0, stays - (now - seen.since), often - (now - seen.told)))
}
"""


def follow_pointer(
    figure: Any, at: Callable[[float, float], None], gone: Callable[[], None]
) -> ColumnDataSource:
    """Call at(x, y) while the pointer is on the figure, gone() when it leaves; returns its source."""
    place = ColumnDataSource({"x": [], "y": []})
    tell = CustomJS(args={"place": place, "stays": STAYS, "often": OFTEN}, code=TELL)
    figure.js_on_event("mousemove", tell)
    figure.js_on_event("mouseleave", tell)

    def report(attr: str, old: Any, new: Any) -> None:
        here = [*zip(new["x"], new["y"], strict=True)]
        at(*here[0]) if here else gone()

    place.on_change("data", report)
    return place


__all__ = ["follow_pointer"]
