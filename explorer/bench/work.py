"""What a work is: data, contestants that train on them, one referee, and the bars that the figures are held
to.

A contestant is a function of the loaded data. It starts a `Clock` when training begins (with whatever it has
to build from the data first) and stops it when it has its weights; loading, imports and compiled code are
ready before. Everything is measured with one thread for everybody.
"""

import resource
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Record = dict[str, Any]
"""What one run reports, as plain JSON: wall, cpu, memory and whatever the referee found."""


class Missing(Exception):
    """What a work needs is not here; the sentence says what to do."""


class Clock:
    """Seconds of training, by the wall and by the processor, and the most memory held up to its end."""

    wall = cpu = memory = 0.0

    def __enter__(self) -> "Clock":
        self._began = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *raised: object) -> None:
        self.wall, self.cpu = time.perf_counter() - self._began[0], time.process_time() - self._began[1]
        self.memory = peak_memory()

    @property
    def now(self) -> float:
        """Processor seconds so far."""
        return time.process_time() - self._began[1]


def peak_memory() -> float:
    """The most memory this process has held, in megabytes."""
    status = Path("/proc/self/status")
    if status.exists():
        # Unlike getrusage this does not count what the parent held before the process was its own.
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


@dataclass
class Outcome:
    """What a contestant hands to the referee: weights in our layout or answers on the test data, and its
    claims.
    """

    clock: Clock
    weights: Any = None
    answers: Any = None
    dual: float | None = None
    curve: Sequence[tuple[float, Any]] = ()
    facts: Record = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    """One bar: what is asked, what was found, and whether that is enough."""

    asked: str
    found: str
    met: bool


@dataclass(frozen=True)
class Work:
    """One thing to measure. The first contestant is the one that the others are compared with."""

    name: str
    about: str
    load: Callable[[Path | None], Any]
    contestants: Mapping[str, Callable[[Any], Outcome]]
    score: Callable[[Any, Outcome], Record]
    judge: Callable[[Mapping[str, Record]], list[Verdict]] = lambda summary: []
    repeats: int | None = None
    once: tuple[str, ...] = ()
    """Contestants too slow to be run in every round."""


def without_score(data: Any, outcome: Outcome) -> Record:
    """For works whose contestants report facts alone."""
    return {}


def data_file(folder: Path | None, name: str) -> Path:
    """A file of the data folder, or the sentence that says what is missing."""
    if folder is None:
        raise Missing(f"set EXPLORER_DATA to the folder that holds {name}")
    path = folder / name
    if not path.exists():
        raise Missing(f"{path} is missing; put it there, or set EXPLORER_DATA to the folder that holds it")
    return path
