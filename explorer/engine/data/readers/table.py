"""Tables with a first line of names: CSV or TSV, one example per line, or one position of a sequence.

    day,sky,degrees,play            one column is the label; numbers are features as they are, or brought to
    mon,sunny,29.5,no               mean 0 and deviation 1; texts are features "sky=sunny"; one is constant
    mon,rain,18,yes

Cells are separated by commas, semicolons or tabs, whichever the first line has most of, and may stand in
quotation marks. A column is of numbers if all its cells in the training rows are. With a column that tells
sequences apart, the lines of one sequence stand together, and texts of neighbours are features too. A text
that the training rows lack has no feature; an empty cell among numbers is refused. Cost: one look at every
cell.
"""

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse as sp

from explorer.engine.checks import Csr
from explorer.engine.data.readers.files import text_of
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints

MOST_BYTES = 200_000_000
SEPARATORS = (",", ";", "\t")
NUMBER, TEXT = "number", "text"
CONSTANT = "constant"
Columns = list[list[Any]]
"""For every column that is used: name and kind, then mean and deviation, or its texts; as JSON holds it."""


class TableRow(NamedTuple):
    """Number, cells and, in the text, the places of the cells of one line."""

    number: int
    cells: list[str]
    places: list[tuple[int, int]]


class Table(NamedTuple):
    """A table: where it is from, its text, its separator, the line of names, and the others."""

    where: str
    text: str
    separator: str
    header: TableRow
    rows: list[TableRow]

    def at(self, name: str, what: str) -> int:
        """The number of a column."""
        if name not in self.header.cells:
            known = ", ".join(self.header.cells)
            raise Refused(f"{self.where} has no column {name!r} for the {what}; it has {known}")
        return self.header.cells.index(name)


def read_table(path: str | Path, separator: str = "") -> Table:
    """The table in a file."""
    return parse_table(text_of(path, MOST_BYTES, "a table with a first line of names"), str(path), separator)


def parse_table(text: str, where: str = "the table", separator: str = "") -> Table:
    """The table in a text; a line that does not fit is refused with its number."""
    first = text.partition("\n")[0]
    found = separator or max(SEPARATORS, key=first.count)
    header, *rows = [*_rows(text, found, where)] or [TableRow(1, [], [])]
    names = header.cells
    if len(names) < 2 or not all(names) or len(set(names)) < len(names):
        raise Refused(
            f"{where}, line {header.number}, names the columns {', '.join(names)[:60]!r}; give each of at "
            "least two columns a name of its own"
        )
    for row in rows:
        if len(row.cells) != len(names):
            raise Refused(f"{where}, line {row.number} has {len(row.cells)} cells; give {len(names)}")
    if not rows:
        raise Refused(f"{where} has no line below its names; give one for each example")
    return Table(where, text, found, header, rows)


def _rows(text: str, separator: str, where: str) -> Iterator[TableRow]:
    """Every line that is not empty; a cell in quotation marks may go over several."""
    mark = re.escape(separator)
    cell = re.compile(rf'[ ]*(?:"((?:[^"]|"")*)"[ ]*|([^"{mark}\r\n]*))({mark}|\r?\n|\r|$)')
    at, number = 0, 1
    while at < len(text):
        cells, places, began = [], [], number
        while True:
            found = cell.match(text, at)
            if found is None:
                raise Refused(f"{where}, line {number}, has a quotation mark inside a cell; mend its quotes")
            quoted, plain, end = found.groups()
            cells.append(plain.strip() if quoted is None else quoted.replace('""', '"'))
            places.append((at, found.start(3)))
            number += found[0].count("\n") + (end == "\r")
            at = found.end()
            if end != separator:
                break
        if len(cells) > 1 or cells[0]:
            yield TableRow(began, cells, places)


def as_number(text: str) -> float:
    """The number that a cell holds; NaN where it holds none."""
    try:
        value = math.nan if "_" in text else float(text)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


def fit_columns(table: Table, rows: Sequence[TableRow], names: Sequence[str], scale: bool) -> Columns:
    """What is known of these columns from these rows."""
    found: Columns = []
    for name in names:
        at = table.at(name, "features")
        values = np.array([as_number(row.cells[at]) for row in rows])
        if not np.isnan(values).any():
            spread = float(values.std()) if scale else 1.0
            found.append([name, NUMBER, float(values.mean()) if scale else 0.0, spread or 1.0])
        elif np.isnan(values).sum() <= len(values) // 2 and not all(row.cells[at] for row in rows):
            row = next(row for row in rows if not row.cells[at])
            raise Refused(
                f"{table.where}, line {row.number} has an empty cell in column {name!r}; fill it in, or "
                f"leave the column out with --features leave_out={name}"
            )
        else:
            found.append([name, TEXT, sorted({row.cells[at] for row in rows})])
    return found


def feature_names(columns: Columns, window: int = 0) -> list[str]:
    """What the features of these columns are called."""
    numbers = [name for name, kind, *_ in columns if kind == NUMBER]
    texts = [f"{name}={text}" for name, kind, *more in columns if kind == TEXT for text in more[0]]
    around = [f"{sign}{d}:{text}" for d in range(1, window + 1) for sign in "-+" for text in texts]
    return [CONSTANT, *numbers, *texts, *around]


def encode_rows(table: Table, rows: Sequence[TableRow], columns: Columns) -> tuple[Array, Csr]:
    """Constant and numbers of every row, and its texts as zeros and ones."""
    numbers, at, index = [np.ones(len(rows))], 0, []
    for name, kind, *more in columns:
        place = table.at(name, "features")
        if kind == NUMBER:
            numbers.append((_numbers(table, rows, place, name) - more[0]) / more[1])
        else:
            known = {text: at + k for k, text in enumerate(more[0])}
            index.append([known.get(row.cells[place], -1) for row in rows])
            at += len(known)
    found = np.array(index, dtype=np.int64).T.reshape(len(rows), -1)
    i, k = np.nonzero(found >= 0)
    texts: Csr = sp.csr_array((np.ones(len(i)), (i, found[i, k])), shape=(len(rows), at))
    return np.stack(numbers, axis=1), texts


def _numbers(table: Table, rows: Sequence[TableRow], place: int, name: str) -> Array:
    values = np.array([as_number(row.cells[place]) for row in rows])
    wrong = np.flatnonzero(np.isnan(values))
    if len(wrong):
        row = rows[int(wrong[0])]
        raise Refused(
            f"{table.where}, line {row.number} has {row.cells[place][:40]!r} as {name!r}, which is a column "
            "of numbers; give a finite number"
        )
    return values


def shift_rows(texts: Csr, ends: Ints, distance: int) -> Csr:
    """The texts of the row at this distance in the same sequence; none beyond its ends."""
    where = np.arange(texts.shape[0])
    other = where + distance
    first = np.repeat(ends[:-1], np.diff(ends))
    last = np.repeat(ends[1:], np.diff(ends))
    inside = (other >= first) & (other < last)
    pick = sp.csr_array(
        (np.ones(int(inside.sum())), (where[inside], other[inside])), shape=(len(where), len(where))
    )
    return sp.csr_array(pick @ texts)


def sequence_ends(table: Table, rows: Sequence[TableRow], name: str) -> Ints:
    """Where each sequence begins among the rows, and where the last one ends."""
    at, ends, seen = table.at(name, "sequences"), [0], set[str]()
    for k, row in enumerate(rows):
        if k and row.cells[at] == rows[k - 1].cells[at]:
            continue
        if row.cells[at] in seen:
            raise Refused(
                f"{table.where}, line {row.number} goes on with the sequence {row.cells[at][:40]!r}, which "
                f"ended before; let the lines of each {name!r} stand together"
            )
        seen.add(row.cells[at])
        ends += [k] if k else []
    return np.array([*ends, len(rows)], dtype=np.int64)


def sequence_features(texts: tuple[Array, Csr], ends: Ints, window: int) -> Csr:
    """All features of the rows of sequences: their own, and the texts of neighbours up to this distance."""
    own, words = texts
    around = [shift_rows(words, ends, sign * d) for d in range(1, window + 1) for sign in (-1, 1)]
    return sp.csr_array(sp.hstack([sp.csr_array(own), words, *around]))


__all__ = [
    "Table",
    "encode_rows",
    "feature_names",
    "fit_columns",
    "parse_table",
    "read_table",
    "sequence_ends",
    "sequence_features",
]
