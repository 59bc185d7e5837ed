"""One worker's jobs, taking turns in slices of time, some of them at a pace of so many steps a second.

A turn is taken on a thread of the job's own, and nobody waits longer than a moment for its end: a job whose
oracle takes minutes is left to it, while the others have their turns. Orders for it wait until it is back; to
close, cancel or change it also raises the flag at which long searches look.
"""

import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any

from explorer.engine.events import Event, Step, Stopped
from explorer.engine.halting import Flag, new_flag, under
from explorer.session.jobs import JOBS, Job, RunJob, sentence_of

MOST_JOBS = 256
"""Jobs of one worker that may be at work at the same time."""


LOOK, LONG = 0.05, 20.0
"""Seconds between two looks whether a turn is over; and how many times longer than patience, which is counted
in the processor time of the job, the others wait for one that may only be asleep."""


def at_rest() -> float:
    """The processor time of a job that has not begun its turn."""
    return 0.0


def clock_of_this_thread() -> Callable[[], float]:
    """Says to any thread how much processor time this one has used since now; nothing where that is not
    known.
    """
    if not hasattr(time, "pthread_getcpuclockid"):
        return at_rest
    clock = time.pthread_getcpuclockid(threading.get_ident())
    began = time.clock_gettime(clock)
    return lambda: time.clock_gettime(clock) - began


@dataclass(slots=True, eq=False)
class Seat:
    """One session's job, how many steps it is to make, at which pace, and the turn that it is taking."""

    opening: "Future[Job]"
    flag: Flag = field(default_factory=new_flag)
    wanted: float = 0
    pace: tuple[float, float] = (0.0, 0.0)
    turn: "Future[list[Event] | None] | None" = None
    orders: list[tuple[Any, ...]] = field(default_factory=list)
    cancelled: bool = False
    clock: Callable[[], float] = at_rest

    @property
    def job(self) -> Job | None:
        """The job, once it has been made."""
        done = self.opening.done() and self.opening.exception() is None
        return self.opening.result() if done else None

    @property
    def away(self) -> bool:
        """Whether the job is being made, or is at work."""
        return not self.opening.done() or (self.turn is not None and not self.turn.done())

    def end(self) -> None:
        """Let the job, if it could be made, let go of everything."""
        if self.job is not None:
            self.job.end()

    def cancel(self) -> None:
        """Let the job end as soon as it can: at the next oracle call, or inside a search that looks at its
        flag.
        """
        self.cancelled, self.flag[0] = True, 1
        if self.job is not None:
            self.job.cancelled = True


class Scheduler:
    """One worker's jobs, taking turns: nobody waits longer than the others' slices.

    `patience` is how much processor time a turn may take before the others go on; `wake` is called when a
    job that was left alone is back.
    """

    def __init__(
        self,
        send: Callable[[str, list[Any]], None],
        turnseconds: float = 0.05,
        patience: float = math.inf,
        wake: Callable[[], None] = lambda: None,
    ) -> None:
        self.send, self.slice, self.wake = send, turnseconds, wake
        self.patience = None if math.isinf(patience) else patience
        self.seats: dict[str, Seat] = {}
        self._threads = ThreadPoolExecutor(MOST_JOBS, thread_name_prefix="explorer-job")

    @property
    def jobs(self) -> dict[str, Job]:
        """The jobs that have been made."""
        return {name: seat.job for name, seat in list(self.seats.items()) if seat.job is not None}

    def cancel(self, name: str) -> None:
        """Interrupt a job, from any thread."""
        seat = self.seats.get(name)
        if seat is not None:
            seat.cancel()

    def command(self, name: str, order: str, *args: Any) -> None:
        """Carry out one order for job `name`: open, race, path, study, check, change, play, pause, step,
        keyframe, close.
        """
        if order in JOBS:
            self._close(name)
            self.seats[name] = seat = Seat(self._threads.submit(JOBS[order], *args))
            self._wait_for(seat, seat.opening)
            self._catch_up(name, seat)
        elif order == "close":
            self._close(name)
        elif name in self.seats:
            self._order(name, self.seats[name], order, *args)

    def _close(self, name: str) -> None:
        """Let go of a job; one that is away ends where it looks at its flag, and is not heard any more."""
        seat = self.seats.pop(name, None)
        if seat is None:
            return
        seat.cancel()
        if not seat.away:
            seat.end()
        else:
            (seat.turn or seat.opening).add_done_callback(lambda _: seat.end())

    def _order(self, name: str, seat: Seat, order: str, *args: Any) -> None:
        """Carry out an order, or keep it until the job is back."""
        if order == "pause":
            seat.wanted = 0
        elif seat.away:
            if order == "change":
                seat.cancel()
            seat.orders.append((order, *args))
        else:
            self._drive(name, seat, order, *args)

    def _drive(self, name: str, seat: Seat, order: str, *args: Any) -> None:
        """An order for a job that is there."""
        job = seat.job
        if job is None:
            return
        if order == "play":
            seat.wanted, seat.pace = math.inf, (args[0], time.perf_counter())
        elif order == "step":
            owed = seat.wanted if seat.wanted < math.inf else 0
            seat.wanted, seat.pace = owed + args[0], (0.0, 0.0)
        elif order == "change" and isinstance(job, RunJob):
            seat.cancelled, seat.flag[0] = False, 0
            self._begin(seat, job.change, *args)  # which may make another problem
            self._catch_up(name, seat)
        elif order == "keyframe" and isinstance(job, RunJob):
            self.send(name, [job.keyframe()])

    @property
    def busy(self) -> bool:
        """Whether any job wants to go on."""
        return any(seat.wanted and not seat.away for seat in self.seats.values())

    def turn(self) -> float:
        """Give every job that wants one a slice; returns how long all of them can wait."""
        for name, seat in list(self.seats.items()):
            self._catch_up(name, seat)
        idle = 0.5
        wanting = [name for name, seat in self.seats.items() if seat.wanted and not seat.away]
        # Alone, a job may take longer: a short run then arrives whole, and is drawn once.
        seconds = self.slice if len(wanting) > 1 else 2 * self.slice
        for name in wanting:
            seat = self.seats[name]
            per_second, since = seat.pace
            now = time.perf_counter()
            if per_second and now < since:
                idle = min(idle, since - now)
                continue
            most = 1 if per_second else min(seat.wanted, 10_000)
            self._begin(seat, self._pull, seat, seconds, int(most))
            idle = 0.0
            if per_second:
                seat.pace = (per_second, max(since + 1.0 / per_second, now))
            self._catch_up(name, seat)
        return idle

    def _pull(self, seat: Seat, seconds: float, most: int) -> list[Event]:
        """A job's turn, on its thread."""
        job = seat.opening.result()
        job.cancelled = job.cancelled or seat.cancelled
        seat.clock = clock_of_this_thread()
        with under(seat.flag):
            return job.pull(seconds, most)

    def _begin(self, seat: Seat, work: Callable[..., list[Event] | None], *args: Any) -> None:
        """Let a job work on its thread, and wait for it as long as patience lasts."""
        seat.clock = at_rest
        seat.turn = self._threads.submit(work, *args)
        self._wait_for(seat, seat.turn)

    def _wait_for(self, seat: Seat, work: "Future[Any]") -> None:
        """Until the work is done, or patience ends: then its end wakes the worker."""
        ends = None if self.patience is None else time.monotonic() + LONG * self.patience
        while not wait([work], None if ends is None else LOOK).done:
            if seat.clock() > (self.patience or 0.0) or time.monotonic() > (ends or 0.0):
                work.add_done_callback(lambda _: self.wake())
                return

    def _catch_up(self, name: str, seat: Seat) -> None:
        """Send what a job said in a turn that is over, and carry out what waited for it."""
        if seat.away:
            return
        if seat.turn is not None:
            turn, seat.turn = seat.turn, None
            fault = turn.exception()
            self._tell(name, seat, turn.result() if fault is None else failure(fault))
        elif seat.opening.exception() is not None:
            self.seats.pop(name, None)
            self.send(name, failure(seat.opening.exception()))
            return
        while seat.orders and not seat.away:
            self._drive(name, seat, *seat.orders.pop(0))

    def _tell(self, name: str, seat: Seat, events: list[Event] | None) -> None:
        """Send events, and count the steps among them; a change has none, and that a job was cancelled so
        that it can be changed is no news.
        """
        if events is None:
            return
        changing = any(order[0] == "change" for order in seat.orders)
        if changing and events and isinstance(events[-1], Stopped) and events[-1].reason == "cancelled":
            events = events[:-1]
        done = not events or isinstance(events[-1], Stopped)
        seat.wanted = 0 if done else seat.wanted - sum(isinstance(e, Step) for e in events)
        if events:
            self.send(name, events)


def failure(fault: BaseException | None) -> list[Event]:
    """That a job broke, in one sentence."""
    known = fault if isinstance(fault, Exception) else RuntimeError(repr(fault))
    return [Stopped("failed", sentence_of(known), -1)]


__all__ = ["Scheduler"]
