"""Tables in CSV or TSV files (`readers.table`): classes, or with a column that tells sequences apart, chains.
A model takes a matrix, or one for every sequence.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse as sp

from explorer.engine.catalogue.chains import sequences
from explorer.engine.catalogue.classes import classes
from explorer.engine.catalogue.formats.format import (
    FileChoices,
    FileContent,
    Plain,
    draw,
    held_out,
    remember,
    split,
)
from explorer.engine.catalogue.task import Pair, Task
from explorer.engine.contracts import Dataset
from explorer.engine.data.readers.table import (
    Table,
    encode_rows,
    feature_names,
    fit_columns,
    read_table,
    sequence_ends,
    sequence_features,
)
from explorer.engine.data.writers.encoding import encode_like
from explorer.engine.data.writers.table import with_column
from explorer.engine.knobs import knob, settings
from explorer.engine.refusals import Refused

READING: Mapping[str, type] = {
    "label": str,
    "sequence": str,
    "separator": str,
    "window": int,
    "columns": list,
    "features": list,
}


@settings
class TableData:
    """Rows with a label in one of their columns, from a table."""

    leave_out: str = knob("", "Columns not to use, separated by commas.")
    scale: bool = knob(True, "Bring numbers to mean 0 and deviation 1 of the training rows.")
    window: int = knob(1, "In sequences: texts of rows up to this distance are features too.", low=0, high=9)
    held_out: float = held_out()
    draw: int = draw()


SETTINGS = TableData


def task(train: Dataset) -> Callable[..., Task]:
    """Classes, or label sequences."""
    return sequences if train.meta["reading"]["sequence"] else classes


def pair(path: Path, test: Path | None, choices: FileChoices, settings: TableData) -> Pair:
    """The rows of both tables, with the labels of both and the columns of the first."""
    table, other = read_table(path), None if test is None else read_table(test)
    label, sequence = choices.label or table.header.cells[-1], choices.sequence
    unused = {label, sequence, *(name.strip() for name in settings.leave_out.split(","))}
    for name in unused - {""}:
        table.at(name, "label" if name == label else "columns that are left out or tell sequences apart")
    names = [name for name in table.header.cells if name not in unused]
    parts = _parts(table, other, sequence, settings)
    columns = fit_columns(table, parts[0].rows, names, settings.scale)
    reading = {
        "label": label,
        "sequence": sequence,
        "separator": table.separator,
        "window": settings.window if sequence else 0,
        "columns": columns,
        "features": feature_names(columns, settings.window if sequence else 0),
    }
    states = _states(parts, label)
    train, *tests = [remember(_dataset(part, reading, states), "table", **reading) for part in parts]
    return train, tests[0] if tests else None


def _parts(table: Table, other: Table | None, sequence: str, settings: TableData) -> list[Table]:
    """The training rows and, where there are some, those for testing."""
    if not settings.held_out:
        return [table] if other is None else [table, other]
    if other is not None:
        raise Refused("there is a test file, and examples are to be kept apart as well; give one of the two")
    owner = None
    if sequence:
        owner = np.repeat(
            np.arange(len(ends := sequence_ends(table, table.rows, sequence)) - 1), np.diff(ends)
        )
    places = split(len(table.rows), settings.held_out, settings.draw, owner)
    return [table._replace(rows=[table.rows[i] for i in part]) for part in places]


def _states(parts: Sequence[Table], label: str) -> tuple[str, ...]:
    for part in parts:
        at = part.at(label, "label")
        row = next((row for row in part.rows if not row.cells[at]), None)
        if row is not None:
            raise Refused(f"{part.where}, line {row.number} has no {label!r}; give every line its label")
    found = sorted({row.cells[part.at(label, "label")] for part in parts for row in part.rows})
    if len(found) < 2:
        raise Refused(f"{parts[0].where} has only the label {found[0]!r}; give examples of at least two")
    if len(found) > 1000:
        raise Refused(
            f"{parts[0].where} has {len(found):,} different values of {label!r}; name a column of at most "
            "1,000 labels with --label"
        )
    return tuple(found)


def _dataset(part: Table, reading: Plain, states: Sequence[str]) -> Dataset:
    at, place = {state: k for k, state in enumerate(states)}, part.at(reading["label"], "label")
    codes = np.array([at[row.cells[place]] for row in part.rows], dtype=np.int64)
    meta = {"states": tuple(states), "feature_names": tuple(reading["features"])}
    inputs = _inputs(part, reading)
    if not reading["sequence"]:
        return Dataset(Path(part.where).name, inputs, codes, meta)
    ends = sequence_ends(part, part.rows, reading["sequence"])
    return Dataset(Path(part.where).name, tuple(inputs), tuple(np.split(codes, ends[1:-1])), meta)


def _inputs(part: Table, reading: Plain) -> Any:
    """The rows as a matrix, sparse where there are texts; for sequences one for each."""
    encoded = encode_rows(part, part.rows, reading["columns"])
    if not reading["sequence"]:
        return (
            sp.csr_array(sp.hstack([sp.csr_array(encoded[0]), encoded[1]]))
            if encoded[1].shape[1]
            else encoded[0]
        )
    ends = sequence_ends(part, part.rows, reading["sequence"])
    whole = sequence_features(encoded, ends, reading["window"])
    return [whole[a:b] for a, b in pairwise(ends)]


def examples(path: Path, reading: Plain) -> FileContent:
    """The rows or sequences, and their labels where every row has one."""
    table = read_table(path, reading["separator"])
    inputs = _inputs(table, reading)
    if reading["label"] not in table.header.cells:
        return FileContent(inputs, None)
    at = table.header.cells.index(reading["label"])
    labels = [row.cells[at] for row in table.rows]
    if not all(labels):
        return FileContent(inputs, None)
    if not reading["sequence"]:
        return FileContent(inputs, labels)
    ends = sequence_ends(table, table.rows, reading["sequence"])
    return FileContent(inputs, [labels[a:b] for a, b in pairwise(ends)])


def label_file(path: Path, labels: Sequence[Any], reading: Plain) -> Mapping[str, bytes]:
    """The table with these labels in their column, which comes last where there is none."""
    table = read_table(path, reading["separator"])
    flat = [label for own in labels for label in own] if reading["sequence"] else labels
    text = with_column(table, reading["label"], [str(label) for label in flat])
    return {path.name: encode_like(path, text)}
