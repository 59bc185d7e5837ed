"""A run while it goes on: a live panel in a terminal, a line with a bar in a notebook, nothing anywhere else.

    for event in explorer.watch(explorer.train(problem, learner)):
        trace.append(event)

Both show the newest known figures: bounds, relative gap, planes, oracle calls per second of training,
passes, seconds. The bar is the share of the way to the wanted relative gap, in orders of magnitude. Nothing
here slows the run: the panel is drawn by its own thread, the line a few times a second.
"""

import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from html import escape
from typing import Any

from explorer.engine.events import Evaluated, Event, Started, Step

PAUSE = 0.2
"""Seconds between two drawings in a notebook."""

WANTED = 1e-3
"""The relative gap at which a run stops unless it is told otherwise."""


def number(value: float, digits: int = 6) -> str:
    """A figure for a line of text."""
    return "-" if math.isnan(value) else f"{value:.{digits}g}"


@dataclass
class LiveFigures:
    """The newest figures of a run, each from the last event that knew it."""

    n: int
    goal: float
    primal: float = math.nan
    dual: float = math.nan
    first_gap: float = math.nan
    planes: float = math.nan
    calls: int = 0
    seconds: float = 0.0
    steps: int = 0

    def see(self, event: Event) -> None:
        """Take over what an event knows."""
        if isinstance(event, Started):
            self.n = event.n
        if not isinstance(event, Step | Evaluated):
            return
        bounds = event.bounds
        self.primal = self.primal if math.isnan(bounds.primal) else bounds.primal
        self.dual = self.dual if math.isnan(bounds.dual) else bounds.dual
        self.first_gap = self.gap if math.isnan(self.first_gap) else self.first_gap
        if isinstance(event, Step):
            self.calls, self.seconds, self.steps = event.oracle_calls, event.seconds, self.steps + 1
            self.planes = float(event.detail.get("planes", math.nan))
