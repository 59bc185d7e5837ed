"""A run while it goes on: a live panel in a terminal, a line every two seconds anywhere else.

Both show the newest known figures: bounds, relative gap, planes, oracle calls per second of training,
passes, seconds. The bar is the share of the way to the wanted relative gap, in orders of magnitude. Nothing
here slows the run: the panel is drawn by its own thread, a few times a second.
"""

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from explorer.command_line.wording import number, relative
from explorer.engine.events import Evaluated, Event, Step

EVERY = 2.0


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


@contextlib.contextmanager
def watching(
    figures: LiveFigures, live: bool, say: Callable[[str], None]
) -> Iterator[Callable[[Event], None]]:
    """What to call with every event while the run goes on."""
    if live:
        with panel(figures):
            yield figures.see
        return
    last = time.monotonic()

    def see(event: Event) -> None:
        nonlocal last
        figures.see(event)
        if time.monotonic() - last >= EVERY:
            last = time.monotonic()
            say("  ".join(f"{name} {value}" for name, value in figures.items().items()))

    yield see


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
