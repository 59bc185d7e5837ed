"""How large the browser draws a figure: pixels inside its axes, promised at first, then as reported."""

from collections.abc import Callable
from typing import Any

from explorer.views.kit.drawing.pieces import FEW_PIXELS
from explorer.views.kit.messages import Soon

SETTLES = 120
"""Milliseconds in which a page that is laid out changes the size of a figure several times."""


class Room:
    """The size of a figure; `resized` is called when it changes by more than `few` pixels."""

    def __init__(
        self, plot: Any, wide: int, high: int, resized: Callable[[], None], few: float = FEW_PIXELS
    ) -> None:
        self.wide, self.high, self.few = wide, high, few
        self.resized = Soon(resized, SETTLES)
        plot.on_change("inner_width", lambda attr, old, new: self.take(new, self.high))
        plot.on_change("inner_height", lambda attr, old, new: self.take(self.wide, new))

    def take(self, wide: float | None, high: float | None) -> None:
        """Take a size over, unless the browser does not know it yet or it differs by a few pixels only."""
        if not wide or not high or max(abs(wide - self.wide), abs(high - self.high)) <= self.few:
            return
        self.wide, self.high = int(wide), int(high)
        self.resized()


__all__ = ["Room"]
