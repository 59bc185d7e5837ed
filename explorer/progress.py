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
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from html import escape
from typing import Any

from explorer.command_line.wording import number, relative
from explorer.engine.events import Evaluated, Event, Started, Step

PAUSE = 0.2
"""Seconds between two drawings in a notebook."""

WANTED = 1e-3
"""The relative gap at which a run stops unless it is told otherwise."""


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

    @property
    def gap(self) -> float:
        """The relative gap of the bounds that are shown."""
        return relative(self.primal, self.dual)

    @property
    def done(self) -> float:
        """How much of the way to the wanted gap is behind, between 0 and 1."""
        if not (0.0 < self.goal < self.first_gap < math.inf and self.gap < math.inf):
            return 0.0
        left = math.log(max(self.gap, self.goal) / self.goal) / math.log(self.first_gap / self.goal)
        return min(1.0, max(0.0, 1.0 - left))

    def items(self) -> dict[str, str]:
        """Names and values, in the order in which they are shown."""
        rate = self.calls / self.seconds if self.seconds else 0.0
        return {
            "pass": f"{self.calls / max(self.n, 1):.1f}",
            "primal": number(self.primal),
            "dual": number(self.dual),
            "relative gap": number(self.gap, 3),
            "planes": number(self.planes, 9),
            "oracle calls/s": f"{rate:,.0f}",
            "seconds": f"{self.seconds:.1f}",
        }


def watch(events: Iterable[Event], relative_gap: float = WANTED) -> Iterator[Event]:
    """Pass the events of a run on, and show how far it has come; the bar is full at `relative_gap`."""
    figures = LiveFigures(1, relative_gap)
    with display_of(figures) as draw:
        for event in events:
            figures.see(event)
            draw()
            yield event


@contextmanager
def display_of(figures: LiveFigures) -> Iterator[Callable[[], None]]:
    """Show figures where we are; gives what to call when they have changed."""
    if display := notebook():
        line = ProgressLine(figures, display)
        try:
            yield line.now_and_then
        finally:
            line.draw()
    else:
        with panel(figures) if sys.stdout.isatty() else nullcontext():
            yield lambda: None


def notebook() -> Any:
    """What displays HTML in a notebook; None anywhere else."""
    if "IPython" not in sys.modules:
        return None
    from IPython import get_ipython
    from IPython.display import display

    return display if getattr(get_ipython(), "kernel", None) is not None else None


class ProgressLine:
    """A line of figures below a cell."""

    def __init__(self, figures: LiveFigures, display: Any) -> None:
        self.figures, self._drawn = figures, -math.inf
        self._place = display(ProgressPicture(figures), display_id=True)

    def now_and_then(self) -> None:
        """Show the figures, unless that was done a moment ago."""
        if time.monotonic() - self._drawn >= PAUSE:
            self.draw()

    def draw(self) -> None:
        """Show the figures as they are."""
        self._drawn = time.monotonic()
        self._place.update(ProgressPicture(self.figures))


class ProgressPicture:
    """Figures as a notebook shows them: HTML, or words where it is shown as text."""

    def __init__(self, figures: LiveFigures) -> None:
        self.html = html_line(figures)
        self.words = ", ".join(f"{name} {value}" for name, value in figures.items().items())

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.words


def html_line(figures: LiveFigures) -> str:
    """A bar and all figures as HTML."""
    bar = f"<progress max='1' value='{figures.done:.3f}' style='vertical-align: middle'></progress>"
    told = (f"{escape(name)} <b>{escape(value)}</b>" for name, value in figures.items().items())
    return f"<div style='font-size: 0.9em'>{bar} step <b>{figures.steps}</b>, {', '.join(told)}</div>"


def panel(figures: LiveFigures) -> Any:
    """The live panel; rich is loaded only when there is a terminal to draw on."""
    from rich.console import Console
    from rich.live import Live
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    def drawn() -> Table:
        items = figures.items()
        table = Table.grid(padding=(0, 2))
        table.add_row(*(f"[dim]{name}[/dim]" for name in items), "[dim]way to the gap[/dim]")
        table.add_row(*items.values(), ProgressBar(total=1.0, completed=figures.done, width=20))
        return table

    return Live(console=Console(), get_renderable=drawn, refresh_per_second=8, transient=True)


__all__ = ["LiveFigures", "panel", "watch"]
