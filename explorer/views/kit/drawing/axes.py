"""Numbers on axes as people write them: round ones that keep apart, not powers of ten."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, CustomJSTicker, CustomJSTickFormatter

TICKS = """
const { start, end } = cb_data
const within = (ticks) => ticks.map((t) => Number(t.toPrecision(6))).filter((t) => t >= start && t <= end)
if (end < 3 * start) {
  const unit = 10 ** Math.floor(Math.log10((end - start) / most))
  const step = unit * [1, 2, 5, 10].find((m) => end - start <= m * unit * most)
  return within(Array.from({ length: most + 2 }, (_, j) => (Math.floor(start / step) + j) * step))
}
const decades = Array.from({ length: 40 }, (_, j) => j - 15)
for (const digits of [[1, 2, 3, 5], [1, 2, 5], [1, 3], [1]]) {
  const ticks = within(decades.flatMap((k) => digits.map((m) => m * 10 ** k)))
  if (ticks.length <= most) return ticks
}
return within(decades.filter((k) => k % 3 == 0).map((k) => 10 ** k))
"""
"""Round numbers on a logarithmic axis, as many as fit; even steps where it spans less than a factor of 3."""

PLAIN = """
const size = Math.abs(tick)
if (size >= 1e7 || (size > 0 && size < 1e-4)) return tick.toExponential(0)
return tick.toLocaleString("en-US", { maximumSignificantDigits: 6 })
"""
"""Numbers as people write them, not powers of ten, as long as they are short."""


def readable(axis: Any, log: bool, most: int) -> None:
    """Give an axis numbers instead of powers of ten, and on a logarithmic one at most this many."""
    axis.formatter = CustomJSTickFormatter(code=PLAIN)
    if log:
        axis.ticker = CustomJSTicker(major_code=TICKS, args={"most": most})


def blank(plot: Any) -> Callable[[Iterable[Any]], None]:
    """Give an empty logarithmic figure two unseen points as ranges; returns what to call with values."""
    unseen = ColumnDataSource({"x": [0, 1], "y": [1, 10]})
    plot.scatter("x", "y", source=unseen, alpha=0)

    def report(values: Iterable[Any]) -> None:
        drawable = any(np.any(np.isfinite(column) & (np.asarray(column) > 0)) for column in values)
        if drawable == bool(len(unseen.data["x"])):
            unseen.data = {"x": [], "y": []} if drawable else {"x": [0, 1], "y": [1, 10]}

    return report


__all__ = ["blank", "readable"]
