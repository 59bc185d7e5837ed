"""Everything a run said, kept within a byte budget.

Scalars go into columns, one entry per step. Weights, cuts and keyframes are thinned: when one of them
outgrows its budget every second kept step is let go, the first and the newest stay. What several keyframes
share counts once. One thread appends; any thread may read: columns only grow, and `len` is raised
last.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

import numpy as np

from explorer.engine.events import NOT_EXACT, Cut, Evaluated, Event, Started, Step, Stopped, bare
from explorer.engine.runs.frames import frame
from explorer.engine.runs.markup import facts, run_facts
from explorer.engine.vectors import Array

T = TypeVar("T")

FIGURES = ("k", "oracle_calls", "seconds", "oracle_seconds", "primal", "dual")
LOOKS = ("mean_slack", "train_loss", "test_loss")
TRUE_SLACK = "true_slack"
"""A column that only runs with an approximate oracle have."""


def pieces_of(value: Any) -> Iterator[Any]:
    """The arrays and records (cuts, planes) in nested mappings and tuples: what two keyframes may share."""
    if isinstance(value, np.ndarray) or hasattr(value, "__slots__"):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from pieces_of(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from pieces_of(part)


def bytes_of(value: Any) -> int:
    """About the memory that a value takes: its arrays, and the places of its tuples."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, list | tuple):
        return 8 * len(value) + sum(map(bytes_of, value))
    if isinstance(value, Mapping):
        return sum(map(bytes_of, value.values()))
    if isinstance(value, np.generic):
        return 32
    return sum(bytes_of(getattr(value, name)) for name in getattr(value, "__slots__", ()))


class Thinned(Generic[T]):
    """Values by step, at most `budget` bytes of them: every stride-th step and the newest.

    A piece is measured when it is first held, so that a keyframe costs one look-up per plane it shares.
    """

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.stride = 1
        self.kept: dict[int, T] = {}
        self._newest = 0
        self._users: Counter[int] = Counter()
        self._bytes: dict[int, int] = {}
        self.nbytes = 0

    def put(self, at: int, value: T) -> None:
        """Keep the value of step `at`, letting go of others when the budget asks for it."""
        if self._newest % self.stride:
            self._drop(self._newest)
        self._hold(at, value)
        while self.nbytes > self.budget and len(self.kept) > 2:
            self.stride *= 2
            for step in [s for s in self.kept if s % self.stride and s != at]:
                self._drop(step)

    def refill(self, stride: int, kept: Mapping[int, T]) -> None:
        """Take over what a store held when it was saved; nothing is let go before the next `put`."""
        self.stride = stride
        for at, value in kept.items():
            self._hold(at, value)

    def _hold(self, at: int, value: T) -> None:
        self.kept[at] = value
        self._newest = max(self._newest, at)
        for piece in pieces_of(value):
            self._users[id(piece)] += 1
            if self._users[id(piece)] == 1:
                self._bytes[id(piece)] = bytes_of(piece)
                self.nbytes += self._bytes[id(piece)]

    def _drop(self, at: int) -> None:
        for piece in pieces_of(self.kept.pop(at)):
            self._users[id(piece)] -= 1
            if self._users[id(piece)] == 0:
                del self._users[id(piece)]
                self.nbytes -= self._bytes.pop(id(piece))

    def nearest(self, at: int) -> tuple[int, T]:
        """The last kept step not after `at` (the first kept one if there is none), and its value."""
        while True:
            steps = list(self.kept)
            before = [s for s in steps if s <= at]
            found = max(before) if before else min(steps)
            # The writer may have let go of it since the list was made: then look again.
            with suppress(KeyError):
                return found, self.kept[found]


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """Step `at` of a trace: its figures; weights, cuts and detail are of the nearest kept steps up to it."""

    at: int
    figures: Mapping[str, float]
    w: Array
    w_at: int
    cuts: tuple[Cut, ...]
    cuts_at: int
    detail: Mapping[str, Any]


class Trace:
    """Append-only record of one run, resumed ones included."""

    def __init__(
        self, weight_bytes: int = 64_000_000, cut_bytes: int = 48_000_000, state_bytes: int = 64_000_000
    ) -> None:
        self.starts: list[tuple[int, Started]] = []
        self.stops: list[tuple[int, Stopped]] = []
        self.weights: Thinned[Array] = Thinned(weight_bytes)
        self.cuts: Thinned[tuple[Cut, ...]] = Thinned(cut_bytes)
        self.states: Thinned[Mapping[str, Any]] = Thinned(state_bytes)
        self.details: Thinned[Mapping[str, Any]] = Thinned(cut_bytes)
        self._columns: dict[str, Array] = {name: np.full(64, math.nan) for name in (*FIGURES, *LOOKS)}
        self._certified: dict[int, bool] = {}
        self._length = 0

    @classmethod
    def restore(
        cls,
        columns: Mapping[str, Array],
        certified: Sequence[bool],
        starts: Iterable[tuple[int, Started]],
        stops: Iterable[tuple[int, Stopped]],
    ) -> Self:
        """A trace with these figures for every step; its thinned stores are refilled by who saved them."""
        trace = cls()
        trace._columns |= {name: column.copy() for name, column in columns.items()}
        trace._certified = dict(enumerate(certified))
        trace.starts, trace.stops = list(starts), list(stops)
        trace._length = len(certified)
        return trace

    def copy(self) -> Self:
        """Another record of the same steps, to go on from; what is kept of them is shared, since it never
        changes.
        """
        twin = self.restore(
            self._columns, [self.certified(at) for at in range(len(self))], self.starts, self.stops
        )
        for mine, others in zip(self._stores(), twin._stores(), strict=True):
            others.refill(mine.stride, mine.kept)
        return twin

    def _stores(self) -> tuple[Thinned[Any], ...]:
        return self.weights, self.cuts, self.states, self.details

    def __len__(self) -> int:
        return self._length

    def __repr__(self) -> str:
        told = "; ".join(f"{name} {value}" for name, value in run_facts(self).items())
        return f"<Trace: {told}>"

    def _repr_html_(self) -> str:
        return facts("Run", run_facts(self))

    def append(self, event: Event) -> None:
        """Store one event; the writer's thread only."""
        if isinstance(event, Started):
            self.starts.append((len(self), event))
        elif isinstance(event, Stopped):
            self.stops.append((len(self), event))
        elif isinstance(event, Evaluated):
            self._look(event)
        else:
            self._step(event)

    def _step(self, step: Step) -> None:
        at = len(self)
        figures = {name: getattr(step, name) for name in ("k", "oracle_calls", "seconds", "oracle_seconds")}
        figures |= {"primal": step.bounds.primal, "dual": step.bounds.dual}
        figures |= {
            name: float(value) for name, value in step.detail.items() if isinstance(value, int | float | bool)
        }
        for name, value in figures.items():
            self._set(name, at, float(value))
        self._certified[at] = step.bounds.certificate
        self.weights.put(at, step.w)
        self.cuts.put(at, bare(step.cuts))
        self.details.put(at, step.detail)
        self.states.put(at, step.state)
        self._length = at + 1

    def _look(self, seen: Evaluated) -> None:
        at = len(self) - 1
        while at >= 0 and self._columns["k"][at] != seen.k:
            at -= 1
        if at < 0:
            return
        if math.isnan(self._columns["primal"][at]):
            self._set("primal", at, seen.bounds.primal)
            self._certified[at] = seen.bounds.certificate
        for name in LOOKS:
            self._set(name, at, getattr(seen, name))
        if not math.isnan(seen.true_slack):
            self._set(TRUE_SLACK, at, seen.true_slack)

    def _set(self, name: str, at: int, value: float) -> None:
        column = self._columns.get(name)
        if column is None or at >= len(column):
            bigger = np.full(max(64, 2 * at), math.nan)
            if column is not None:
                bigger[: len(column)] = column
            column = self._columns[name] = bigger
        column[at] = value

    @property
    def names(self) -> tuple[str, ...]:
        """The columns there are."""
        return tuple(self._columns)

    def column(self, name: str) -> Array:
        """One figure for every step; NaN where it is unknown."""
        n = len(self)
        found = self._columns.get(name)
        out = np.full(n, math.nan)
        if found is not None:
            out[: min(n, len(found))] = found[:n]
        return out

    def frame(self) -> Any:
        """The run as a pandas frame: a row for every step, a column for every figure that is known of any."""
        figures = {name: self.column(name) for name in self.names}
        return frame({**figures, "certified": [self.certified(at) for at in range(len(self))]})

    def since(self, cursor: int) -> range:
        """The steps appended after `cursor` steps had been seen."""
        return range(cursor, len(self))

    def start_of(self, at: int) -> Started | None:
        """The start of the run, or the change of settings, that step `at` belongs to."""
        return next((started for first, started in reversed(self.starts) if first <= at), None)

    def certified(self, at: int) -> bool:
        """Whether the primal value of this step comes from an exact oracle, as far as the run knows."""
        return self._certified.get(at, False) and not self.disproof

    @property
    def disproof(self) -> str:
        """How the oracle of this run was proved not to be exact; then none of its bounds is a certificate."""
        return next((stop.sentence for _, stop in self.stops if stop.reason == NOT_EXACT), "")

    def doubt(self, at: int) -> str:
        """Why the bounds of this step are no certificate; empty where they are one."""
        begun = self.start_of(at)
        if self.certified(at):
            return ""
        if self.disproof:
            return "the oracle is proved not to be exact"
        return (begun and begun.doubt) or "no full pass of an exact oracle was made at this step"

    def at(self, at: int) -> Moment:
        """The moment of step `at`; negative counts from the end."""
        at = at + len(self) if at < 0 else at
        w_at, w = self.weights.nearest(at)
        cuts_at, cuts = self.cuts.nearest(at)
        _, detail = self.details.nearest(at)
        columns = tuple(self._columns.items())  # a copy: the writer may begin a new column meanwhile
        figures = {name: float(column[at]) for name, column in columns if at < len(column)}
        return Moment(at, figures, w, w_at, cuts, cuts_at, detail)

    def keyframe(self, at: int = -1) -> tuple[int, Mapping[str, Any]]:
        """The nearest step up to `at` that can be resumed, and its state."""
        return self.states.nearest(at + len(self) if at < 0 else at)

    @property
    def resumable(self) -> bool:
        """Whether the newest step is there with its keyframe, so that the run can be taken up again."""
        return bool(len(self) and self.keyframe()[1])


def recorded(events: Iterator[Event], trace: Trace) -> Iterator[Event]:
    """Pass events on, appending each to the trace first."""
    for event in events:
        trace.append(event)
        yield event
