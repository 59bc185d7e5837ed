"""Rows of a study: made of what is known, looked up again, and judged."""

import math
from collections.abc import Sequence
from typing import Any

from explorer.studies.support.study import HELD, NOT_HELD, OPEN, Cell, Column, Finding, Row


def row(**cells: Any) -> Row:
    """A row of what is known: None and numbers that are not finite are left out, numpy's numbers become
    Python's.
    """
    plain = ((name, value.item() if hasattr(value, "item") else value) for name, value in cells.items())
    return Row(tuple((name, value) for name, value in plain if is_known(value)))


def is_known(value: Any) -> bool:
    """Whether a value can be written down."""
    return value is not None and not (isinstance(value, float) and not math.isfinite(value))


def judge(claim: str, needed: Sequence[float], holds: bool, evidence: str) -> Finding:
    """A finding that stays open while one of the numbers that it needs is missing."""
    if not needed or any(math.isnan(value) for value in needed):
        return Finding(claim, OPEN, "some of the rows that this needs are missing")
    return Finding(claim, HELD if holds else NOT_HELD, evidence)


def where(rows: Sequence[Row], **cells: Cell) -> list[Row]:
    """The rows that have all of these cells."""
    return [found for found in rows if all(found.get(name) == value for name, value in cells.items())]


def value(rows: Sequence[Row], column: str, **cells: Cell) -> float:
    """One number of the last row that has these cells; NaN where there is none."""
    found = where(rows, **cells)
    return found[-1].number(column) if found else math.nan


def series(rows: Sequence[Row], column: str) -> list[Cell]:
    """The different values of a column, in the order in which they come."""
    return list(dict.fromkeys(found[column] for found in rows if column in found))


def with_published(rows: Sequence[Row], published: Sequence[Row], columns: Sequence[Column]) -> list[Row]:
    """The rows, each followed by what its published twin says, as cells named "column published"."""
    keys = [column.name for column in columns if column.key]

    def place(found: Row) -> tuple[Cell | None, ...]:
        return tuple(found.get(name) for name in keys)

    twins = {place(found): found for found in published}
    out = []
    for found in rows:
        twin = twins.get(place(found), Row(()))
        theirs = {f"{name} published": cell for name, cell in twin.items() if name not in keys}
        out.append(Row((*found.cells, *theirs.items())))
    return out
