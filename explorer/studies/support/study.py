"""The contract of a study: a published experiment that can be run again and held against what was printed.

A study is a frozen record of knobs. `rows` computes its results one by one; `table` condenses them where
there are too many to read; `published` holds what the source printed, in the same columns; `findings` asks of
our rows what the source claims, and never knows the answer beforehand; `plot` says how to draw the rows, in
words that any page understands.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, Self, runtime_checkable

Cell = str | int | float
Pulse = Callable[[str], None]
"""Called often during long work with a few words on where it is; may raise `Cancelled`, which ends the
rows.
"""

HELD, NOT_HELD, OPEN = "held", "not held", "open"


def at_place(pulse: Pulse, where: str) -> Pulse:
    """The same pulse, with the place before every note."""
    return lambda note: pulse(f"{where}: {note}")


def quiet(note: str) -> None:
    """A pulse that nobody feels."""


@dataclass(frozen=True, slots=True)
class Row(Mapping[str, Cell]):
    """Named cells; what is not known has no cell. Plain data: it goes through JSON and between processes."""

    cells: tuple[tuple[str, Cell], ...]

    def __getitem__(self, name: str) -> Cell:
        for known, value in self.cells:
            if known == name:
                return value
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self.cells)

    def __len__(self) -> int:
        return len(self.cells)

    def number(self, name: str) -> float:
        """The cell as a number; NaN where it is not known."""
        value = self.get(name, math.nan)
        return math.nan if isinstance(value, str) else float(value)


@dataclass(frozen=True, slots=True)
class Column:
    """What a cell means, and how its numbers are written; `key` columns say which row it is, and tie ours to
    the published.
    """

    name: str
    title: str
    key: bool = False
    form: str = ".4g"


PlotKind = Literal["lines", "bars", "heat", "curves"]


@dataclass(frozen=True, slots=True)
class Plot:
    """How to draw a study: which columns lie along x and y, which tell series and panels apart, which axes
    are logarithmic.

    lines   y against x, a line for each series (with several `y`, one for each of them)
    bars    a bar of height y for each x, side by side by series
    heat    a cell coloured by y at each (x, series)
    curves  every series' y sorted, against its rank: x is not used

    `along` names a column that lines follow instead of x, with its value beside every point: a path.
    """

    kind: PlotKind
    x: str
    y: tuple[str, ...]
    series: str = ""
    panel: str = ""
    log: tuple[str, ...] = ()
    of: Literal["rows", "table"] = "rows"
    along: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A claim of the source, whether our rows bear it out, and the numbers that say so."""

    claim: str
    verdict: str
    evidence: str


class Study(Protocol):
    """A published experiment, as a frozen dataclass of knobs."""

    __dataclass_fields__: ClassVar[dict[str, Any]]
    name: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[str]
    about: ClassVar[str]
    beside: ClassVar[str]
    columns: ClassVar[tuple[Column, ...]]
    plot: ClassVar[Plot]

    @classmethod
    def quick(cls) -> Self:
        """Settings that finish in a few seconds, for previews and tests."""
        ...

    @property
    def total(self) -> int:
        """How many rows will come, at most."""
        ...

    @property
    def published(self) -> tuple[Row, ...]:
        """What stands beside our rows: the source's own figures, or those that `beside` names."""
        ...

    def rows(self, pulse: Pulse = quiet) -> Iterator[Row]: ...
    def table(self, rows: Sequence[Row]) -> tuple[Row, ...]: ...
    def findings(self, rows: Sequence[Row]) -> tuple[Finding, ...]: ...


@runtime_checkable
class Resumes(Protocol):
    """A study whose rows are computed each by itself, so that it can go on after those that are there."""

    def rows_after(self, count: int, pulse: Pulse = quiet) -> Iterator[Row]:
        """The rows but for the first `count`."""
        ...
