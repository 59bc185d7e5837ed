"""A function's work as a job: it runs on a thread of its own in a worker, and what it gives is said once.

An errand cannot be interrupted; its size is bounded by whoever sends it. One that is no longer wanted ends
unheard.
"""

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from explorer.engine.events import Stopped
from explorer.session.jobs.parcel import sentence_of


@dataclass(frozen=True, slots=True, eq=False)
class ErrandAnswer:
    """What an errand brings back."""

    value: Any


class ErrandJob:
    """An errand in progress, for one session."""

    def __init__(self, act: Callable[..., Any], *args: Any) -> None:
        self.cancelled = False
        self._said: queue.SimpleQueue[Any] = queue.SimpleQueue()
        threading.Thread(target=self._run, args=(act, args), name="explorer-errand", daemon=True).start()

    def pull(self, seconds: float, most: int) -> list[Any]:
        """The answer and the end, once they are there."""
        try:
            out = [self._said.get(timeout=seconds)]
        except queue.Empty:
            return [WAITING]
        while not self._said.empty():
            out.append(self._said.get())
        return out

    def end(self) -> None:
        """Nobody listens any more."""
        self.cancelled = True

    def _run(self, act: Callable[..., Any], args: tuple[Any, ...]) -> None:
        try:
            self._said.put(ErrandAnswer(act(*args)))
            self._said.put(Stopped("finished", "", -1))
        except Exception as fault:  # noqa: BLE001  # whatever breaks here must not take other people's jobs along
            self._said.put(Stopped("failed", sentence_of(fault), -1))


@dataclass(frozen=True, slots=True)
class Waiting:
    """An errand is still under way."""


WAITING = Waiting()

__all__ = ["ErrandAnswer", "ErrandJob", "Waiting"]
