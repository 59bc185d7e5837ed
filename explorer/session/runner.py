"""Where jobs run: on a thread of this process, or in spawned worker processes (see pool). One interface for
both.

    runner.order(session, "open", recipe); runner.order(session, "play", 0.0); runner.collect(session) ->
    events

Orders go out; events come back in per-session boxes that the page empties about ten times a second. A thread
serves a notebook or a desktop window: one user, and problems that exist only in that process.
"""

import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

from explorer.engine.events import Event, Stopped
from explorer.session.jobs import JOBS, sentence_of
from explorer.session.scheduler import Scheduler

PATIENCE = 0.25
"""Seconds that the jobs of one worker wait for the end of another's turn; then they have theirs beside it."""


class Runner(Protocol):
    """Takes orders for named sessions and keeps what they produced until it is collected."""

    @property
    def elsewhere(self) -> bool:
        """Whether jobs run in other processes, because somebody else waits for this one."""
        ...

    def order(self, name: str, order: str, *args: Any) -> None: ...
    def collect(self, name: str) -> list[Event]: ...
    def has_ended(self, name: str) -> bool: ...
    def close(self) -> None: ...


class Inboxes:
    """Events per session, filled by one thread and emptied by others; only sessions with an open box are
    heard.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._boxes: dict[str, list[Event]] = {}

    def open(self, name: str) -> None:
        """Begin to keep what a session's job says."""
        with self._lock:
            self._boxes.setdefault(name, [])

    def put(self, name: str, events: list[Event]) -> None:
        """Add events for a session that still listens."""
        with self._lock:
            if name in self._boxes:
                self._boxes[name].extend(events)

    def take(self, name: str) -> list[Event]:
        """All events of a session since the last take."""
        with self._lock:
            events = self._boxes.get(name, [])
            if events:
                self._boxes[name] = []
            return events

    def has_ended(self, name: str) -> bool:
        """Whether the last that a session's job said, and nobody has taken, is that it stopped."""
        with self._lock:
            events = self._boxes.get(name, [])
            return bool(events) and isinstance(events[-1], Stopped)

    def drop(self, name: str) -> None:
        """Forget a session and whatever still arrives for it."""
        with self._lock:
            self._boxes.pop(name, None)

    def obey(self, name: str, order: str) -> None:
        """Open or drop a session's box as its order says."""
        if order in JOBS:
            self.open(name)
        elif order == "close":
            self.drop(name)


class Worker:
    """The loop around a Scheduler: carry out orders as they come, otherwise give every job its turn."""

    def __init__(
        self, send: Callable[[str, list[Event]], None], unpack: Callable[[Any], tuple[Any, ...]] = tuple
    ) -> None:
        self._wake = threading.Event()
        self.scheduler = Scheduler(send, patience=PATIENCE, wake=self._wake.set)
        self.open = True
        self._unpack = unpack
        self._orders: deque[tuple[str, str, Any]] = deque()

    def post(self, name: str, order: str, packed: Any) -> None:
        """Take an order, from any thread; closing and cancelling interrupt even a long oracle pass.

        What the order is about is unpacked where training runs: it may name a user's Python file, which is
        run for it and may take long.
        """
        if order in ("close", "cancel"):
            self.scheduler.cancel(name)
        self._orders.append((name, order, packed))
        self._wake.set()

    def stop(self) -> None:
        """End the loop, interrupting what runs."""
        self.open = False
        for name in list(self.scheduler.seats):
            self.scheduler.cancel(name)
        self._wake.set()

    def run(self) -> None:
        """Work until stopped."""
        while True:
            self._wake.clear()
            if not self.open:  # asked after clearing: whoever stops this loop from here on wakes it
                return
            while self._orders:
                self._carry_out(*self._orders.popleft())
            idle = self.scheduler.turn() if self.scheduler.busy else 60.0
            if idle:
                self._wake.wait(idle)

    def _carry_out(self, name: str, order: str, packed: Any) -> None:
        """Do it, or tell the session in one sentence why not."""
        try:
            self.scheduler.command(name, order, *self._unpack(packed))
        except Exception as fault:  # noqa: BLE001  # whatever breaks here must not take other people's jobs along
            self.scheduler.send(name, [Stopped("failed", sentence_of(fault), -1)])


class InThread:
    """All jobs on one worker thread of this process."""

    elsewhere = False

    def __init__(self) -> None:
        self._boxes = Inboxes()
        self._worker = Worker(self._boxes.put)
        self._thread = threading.Thread(target=self._worker.run, name="explorer-worker", daemon=True)
        self._thread.start()

    def order(self, name: str, order: str, *args: Any) -> None:
        """Pass an order to the worker thread."""
        self._boxes.obey(name, order)
        self._worker.post(name, order, args)

    def collect(self, name: str) -> list[Event]:
        """What the session's job said since the last call."""
        return self._boxes.take(name)

    def has_ended(self, name: str) -> bool:
        """Whether the job has stopped, and that has not been collected."""
        return self._boxes.has_ended(name)

    def close(self) -> None:
        """Stop the thread."""
        self._worker.stop()
        self._thread.join(timeout=5.0)
