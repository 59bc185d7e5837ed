"""A run while it goes on: a live panel in a terminal, a line every two seconds anywhere else."""

import contextlib
import time
from collections.abc import Callable, Iterator

from explorer.engine.events import Event
from explorer.progress import LiveFigures, panel

EVERY = 2.0


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
