"""Linear and mixed-integer programs as Python objects, in the style of PyGLPK 0.3 (Finley 2009, appendix B).

    optimise z = sum_i c_i x_i + c'   s.t.   y_j = sum_i a_ji x_i,   bounds on every x_i and y_j

Columns are the variables x, rows the y. Both are sequences of bars: len, negative indices, slices,
iteration, `del`, and names for indices. A bar has bounds (lower, upper) with None for none, or one number
for both; a column may be of kind float, int or bool. `simplex` ignores that a column is integer, but
keeps a bool within 0 and 1; `integer` needs an optimal simplex solution first. Both return None when the
search ended as it should, else a word; whether there is an optimum says `status`. Cost: that of HiGHS.
"""

import math
from collections.abc import Iterable, Iterator
from typing import Any, overload

import numpy as np

from explorer.engine.programs.highs import LinearModel, solve
from explorer.engine.refusals import Refused

KINDS = (float, int, bool)


class Environment:
    """What GLPK's environment has; HiGHS is always silent here."""

    term_on = False


env = Environment()


class Bar:
    """One row or column: a name, bounds, its entries of the matrix, and what was found for it."""

    def __init__(self, owner: "BarCollection") -> None:
        self._owner = owner
        self.name: str | None = None
        self._bounds: tuple[float | None, float | None] = (None, None) if owner.is_rows else (0.0, None)
        self._kind: type = float
        self._entries: dict[Bar, float] = {}
        self.value, self.dual = 0.0, 0.0

    @property
    def index(self) -> int:
        """Its place among the rows, or columns."""
        return self._owner.place_of(self)

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """The least and the largest value; None where there is none."""
        return self._bounds

    @bounds.setter
    def bounds(self, given: Any) -> None:
        pair = given if isinstance(given, tuple | list) else (given, given)
        if len(pair) != 2:
            raise Refused("bounds are a pair (lower, upper), or one number; None is no bound")
        lower, upper = (None if end is None else finite(end) for end in pair)
        if lower is not None and upper is not None and lower > upper:
            raise Refused(f"the lower bound {lower:g} is above the upper bound {upper:g}; turn them round")
        self._bounds = lower, upper

    @property
    def kind(self) -> type:
        """float, int or bool; of a column."""
        return self._kind

    @kind.setter
    def kind(self, given: type) -> None:
        if given not in KINDS or self._owner.is_rows:
            raise Refused("kind is float, int or bool, of a column")
        self._kind = given
        if given is bool:
            self._bounds = (0.0, 1.0)

    @property
    def matrix(self) -> list[tuple[int, float]]:
        """Its entries that are not 0, as (index, value)."""
        return sorted((other.index, value) for other, value in self._entries.items())

    @matrix.setter
    def matrix(self, given: Iterable[Any]) -> None:
        self.clear_entries()
        others = self._owner.others
        for at, entry in enumerate(given):
            place, value = entry if isinstance(entry, tuple | list) else (at, entry)
            self.join(others[place], finite(value))

    def join(self, other: "Bar", value: float) -> None:
        """Set the entry where this row and that column meet, or the other way round."""
        for one, two in ((self, other), (other, self)):
            one._entries.pop(two, None)
            if value:
                one._entries[two] = value

    def clear_entries(self) -> None:
        """Take out all entries."""
        for other in list(self._entries):
            self.join(other, 0.0)

    def __repr__(self) -> str:
        return f"<{'row' if self._owner.is_rows else 'column'} {self.name or self.index}: {self._bounds}>"


class BarCollection:
    """All rows or all columns, as a sequence."""

    def __init__(self, program: "LPX", is_rows: bool) -> None:
        self._program, self.is_rows = program, is_rows
        self._bars: list[Bar] = []

    @property
    def others(self) -> "BarCollection":
        """The columns, of the rows; the rows, of the columns."""
        return self._program.cols if self.is_rows else self._program.rows

    def add(self, count: int) -> int:
        """Add so many at the end; the index of the first."""
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise Refused(f"{count!r} bars cannot be added; give a whole number from 1 on")
        first = len(self)
        self._bars += [Bar(self) for _ in range(count)]
        return first

    def place_of(self, bar: Bar) -> int:
        """Where a bar is; refused once it was deleted."""
        for at, known in enumerate(self._bars):
            if known is bar:
                return at
        raise Refused("this bar was deleted from its program")

    def __len__(self) -> int:
        return len(self._bars)

    def __iter__(self) -> Iterator[Bar]:
        return iter(list(self._bars))

    def __contains__(self, name: object) -> bool:
        return any(bar.name == name for bar in self._bars) if isinstance(name, str) else name in self._bars

    @overload
    def __getitem__(self, at: int | str) -> Bar: ...
    @overload
    def __getitem__(self, at: slice) -> list[Bar]: ...
    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, str):
            found = next((bar for bar in self._bars if bar.name == at), None)
            if found is None:
                raise Refused(f"there is no {'row' if self.is_rows else 'column'} called {at!r}")
            return found
        return self._bars[at]

    def __delitem__(self, at: Any) -> None:
        gone = self[at]
        for bar in gone if isinstance(gone, list) else [gone]:
            bar.clear_entries()
            self._program.obj.forget(bar)
            self._bars = [kept for kept in self._bars if kept is not bar]


class LinearObjective:
    """z: coefficients by index or name of a column, the shift c' by None."""

    def __init__(self, program: "LPX") -> None:
        self._program, self.maximize, self.shift, self.value = program, False, 0.0, 0.0
        self._of: dict[Bar, float] = {}

    def __len__(self) -> int:
        return len(self._program.cols)

    def __getitem__(self, at: int | str | None) -> float:
        return self.shift if at is None else self._of.get(self._program.cols[at], 0.0)

    def __setitem__(self, at: Any, value: Any) -> None:
        if at is None:
            self.shift = finite(value)
        elif isinstance(at, slice):
            bars = self._program.cols[at]
            values = value if isinstance(value, tuple | list) else [value] * len(bars)
            self._of |= {bar: finite(v) for bar, v in zip(bars, values, strict=True)}
        else:
            self._of[self._program.cols[at]] = finite(value)

    def forget(self, bar: Bar) -> None:
        """A column was deleted."""
        self._of.pop(bar, None)


class LPX:
    """A linear program, and what was found of its solution."""

    def __init__(self) -> None:
        self.rows, self.cols = BarCollection(self, True), BarCollection(self, False)
        self.obj, self.status, self.name = LinearObjective(self), "undef", ""
        self._relaxed = False

    @property
    def matrix(self) -> list[tuple[int, int, float]]:
        """All entries that are not 0, as (row, column, value)."""
        return [(row.index, at, value) for row in self.rows for at, value in row.matrix]

    @matrix.setter
    def matrix(self, given: Iterable[Any]) -> None:
        entries = list(given)
        if entries and not isinstance(entries[0], tuple | list):
            m, n = len(self.rows), len(self.cols)
            if len(entries) != m * n:
                raise Refused(
                    f"the matrix has {len(entries)} numbers; give {m} rows of {n}, one after the other"
                )
            entries = [(at // n, at % n, value) for at, value in enumerate(entries)]
        for row in self.rows:
            row.clear_entries()
        for row_at, col_at, value in entries:
            self.rows[row_at].join(self.cols[col_at], finite(value))

    @property
    def nnz(self) -> int:
        """How many entries are not 0."""
        return len(self.matrix)

    @property
    def kind(self) -> type:
        """int where a column is of kind int or bool, else float."""
        return int if any(col.kind is not float for col in self.cols) else float

    def simplex(self) -> str | None:
        """Solve, whatever columns are integer."""
        found = self._solve(integer=False)
        self._relaxed = self.status == "opt"
        return found

    def integer(self) -> str | None:
        """Solve with integer columns, after `simplex` found an optimum."""
        return self._solve(integer=True) if self._relaxed else "fault"

    def _solve(self, integer: bool) -> str | None:
        if not len(self.cols):
            return "fault"
        found = solve(self.model(integer))
        self.status = found.status
        if found.values is not None:
            for col, value, dual in zip(self.cols, found.values, found.column_duals, strict=True):
                col.value, col.dual = float(value), float(dual)
            for row, value, dual in zip(self.rows, found.row_values, found.row_duals, strict=True):
                row.value, row.dual = float(value), float(dual)
            self.obj.value = float(found.objective)
        return found.fault

    def model(self, integer: bool = True) -> LinearModel:
        """The program as arrays."""
        A = np.zeros((len(self.rows), len(self.cols)))
        for row, col, value in self.matrix:
            A[row, col] = value
        ends = [np.array([ends_of(bar) for bar in bars]).reshape(-1, 2) for bars in (self.cols, self.rows)]
        whole = np.array([integer and col.kind is not float for col in self.cols], dtype=bool)
        c = np.array([self.obj[at] for at in range(len(self.cols))])
        return LinearModel(c, self.obj.shift, A, ends[0], ends[1], whole, self.obj.maximize)


def ends_of(bar: Bar) -> tuple[float, float]:
    """Bounds with infinities."""
    lower, upper = bar.bounds
    return (-math.inf if lower is None else lower), (math.inf if upper is None else upper)


def finite(value: Any) -> float:
    """A number, or Refused."""
    try:
        found = float(value)
    except (TypeError, ValueError) as error:
        raise Refused(f"{value!r} is no number") from error
    if not math.isfinite(found):
        raise Refused(f"{found} is not finite; leave a bound open with None")
    return found
