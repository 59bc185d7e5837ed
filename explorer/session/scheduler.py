"""One worker's jobs, taking turns in slices of time, some of them at a pace of so many steps a second."""

import time
from collections.abc import Callable
from typing import Any

from explorer.engine.events import Step, Stopped
from explorer.session.jobs import JOBS, Job, RunJob


class Scheduler:
    """One worker's jobs, taking turns: nobody waits longer than the others' slices."""

    def __init__(self, send: Callable[[str, list[Any]], None], turnseconds: float = 0.05) -> None:
        self.send = send
        self.slice = turnseconds
        self.jobs: dict[str, Job] = {}
        self.wanted: dict[str, float] = {}
        self.pace: dict[str, tuple[float, float]] = {}

    def command(self, name: str, order: str, *args: Any) -> None:
        """Carry out one order for job `name`: open, race, path, study, check, change, play, pause, step,
        keyframe, close.
        """
        if order in JOBS:
            self.wanted[name] = 0
            self.jobs[name] = JOBS[order](*args)
        elif order == "close":
            if name in self.jobs:
                self.jobs.pop(name).end()
            self.wanted.pop(name, None)
            self.pace.pop(name, None)
        elif name in self.jobs:
            self._drive(name, order, *args)

    def _drive(self, name: str, order: str, *args: Any) -> None:
        """An order for a job that is there."""
        job = self.jobs[name]
        if order == "play":
            self.wanted[name], self.pace[name] = float("inf"), (args[0], time.perf_counter())
        elif order == "pause":
            self.wanted[name] = 0
        elif order == "step":
            owed = self.wanted[name] if self.wanted[name] < float("inf") else 0
            self.wanted[name], self.pace[name] = owed + args[0], (0.0, 0.0)
        elif order == "change" and isinstance(job, RunJob):
            job.change(*args)
        elif order == "keyframe" and isinstance(job, RunJob):
            self.send(name, [job.keyframe()])

    @property
    def busy(self) -> bool:
        """Whether any job wants to go on."""
        return any(self.wanted.values())

    def turn(self) -> float:
        """Give every job that wants one a slice; returns how long all of them can wait."""
        idle = 0.5
        wanting = [n for n, want in self.wanted.items() if want]
        # Alone, a job may take longer: a short run then arrives whole, and is drawn once.
        turn = self.slice if len(wanting) > 1 else 2 * self.slice
        for name in wanting:
            per_second, since = self.pace.get(name, (0.0, 0.0))
            now = time.perf_counter()
            if per_second and now < since:
                idle = min(idle, since - now)
                continue
            most = 1 if per_second else min(self.wanted[name], 10_000)
            events = self.jobs[name].pull(turn, int(most))
            idle = 0.0
            if per_second:
                self.pace[name] = (per_second, max(since + 1.0 / per_second, now))
            done = not events or isinstance(events[-1], Stopped)
            steps = sum(isinstance(e, Step) for e in events)
            self.wanted[name] = 0 if done else self.wanted[name] - steps
            if events:
                self.send(name, events)
        return idle


__all__ = ["Scheduler"]
