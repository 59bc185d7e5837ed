"""NumPy arrays in one file (`readers.arrays`): classes; label sets where y has columns of zeros and ones; or
chains where rows belong to sequences. A model takes a matrix, or one for every sequence.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from explorer.engine.catalogue.chains import sequences
from explorer.engine.catalogue.classes import classes
from explorer.engine.catalogue.fields import LABEL_SETS, NODES, ROOF, subsets
from explorer.engine.catalogue.formats.format import (
    FileChoices,
    FileContent,
    Plain,
    divide,
    draw,
    held_out,
    remember,
)
from explorer.engine.catalogue.task import Pair, Task
from explorer.engine.contracts import Dataset
from explorer.engine.data.multilabel import label_set_data
from explorer.engine.data.readers.arrays import (
    class_names,
    ends_of,
    read_arrays,
    rows_of,
    table_of_sets,
    write_arrays,
)
from explorer.engine.knobs import settings
from explorer.engine.refusals import Refused

READING: Mapping[str, type] = {"width": int, "kind": str}
CLASSES, SETS, SEQUENCES = "classes", "label-sets", "sequences"


@settings
class ArrayData:
    """Rows of numbers with labels, from arrays."""

    held_out: float = held_out()
    draw: int = draw()


SETTINGS = ArrayData


def task(train: Dataset) -> Callable[..., Task]:
    """Classes, label sets or label sequences."""
    kind = train.meta["reading"]["kind"]
    if kind == SETS:
        return partial(subsets, losses={**NODES, **LABEL_SETS}, oracle_types=ROOF)
    return sequences if kind == SEQUENCES else classes


def pair(path: Path, test: Path | None, choices: FileChoices, settings: ArrayData) -> Pair:
    """The rows with the labels of both files."""
    files = {file: read_arrays(file) for file in (path, test) if file is not None}
    first = files[path]
    for file, one in files.items():
        if "y" not in one:
            raise Refused(f"{file} has no array y; give the labels of the rows of X")
        check_width(file, one, first["X"].shape[1])
    sets = first["y"].ndim == 2
    kind = SETS if sets else SEQUENCES if "sequence" in first else CLASSES
    made = label_sets(files) if sets else class_data(files, kind)
    found = remember(made[0], "arrays", width=int(first["X"].shape[1]), kind=kind)
    return divide(found, settings, *made[1:])


def check_width(path: Path, found: Mapping[str, Any], width: int) -> None:
    """Refuse rows of another width."""
    if found["X"].shape[1] != width:
        raise Refused(f"{path}: X has {found['X'].shape[1]} columns; give {width}, as the training file has")


def label_sets(files: Mapping[Path, Mapping[str, Any]]) -> list[Dataset]:
    """Rows with any number of labels."""
    width = next(iter(files.values()))["y"].shape[1]
    made = []
    for file, one in files.items():
        table = table_of_sets(one["y"], str(file))
        if table.shape[1] != width:
            raise Refused(f"{file}: y has {table.shape[1]} columns; give {width}, as the training file has")
        made.append(label_set_data(file.name, one["X"], table, [str(k) for k in range(width)]))
    return made


def class_data(files: Mapping[Path, Mapping[str, Any]], kind: str) -> list[Dataset]:
    """Rows with one class each, alone or in sequences."""
    names = {file: class_names(one["y"], str(file)) for file, one in files.items()}
    states = sorted({name for own in names.values() for name in own}, key=by_size)
    if not 2 <= len(states) <= 1000:
        raise Refused(f"{next(iter(files))}: y has {len(states):,} different classes; give 2 to 1,000")
    at = {state: k for k, state in enumerate(states)}
    made = []
    for file, one in files.items():
        codes = np.array([at[name] for name in names[file]], dtype=np.int64)
        meta: dict[str, Any] = {"states": tuple(states)}
        if "features" in one:
            meta["feature_names"] = tuple(map(str, one["features"].tolist()))
        inputs: Any = one["X"]
        labels: Any = codes
        if kind == SEQUENCES:
            ends = sequence_ends(file, one)
            inputs, labels = tuple(rows_of(one["X"], ends)), tuple(np.split(codes, ends[1:-1]))
        made.append(Dataset(file.name, inputs, labels, meta))
    return made


def by_size(name: str) -> tuple[float, str]:
    """Numbers by size, then texts by the alphabet."""
    whole = name.removeprefix("-").isdecimal() and name.isascii()
    return (float(name), name) if whole else (float("inf"), name)


def sequence_ends(path: Path, found: Mapping[str, Any]) -> Any:
    """Where the sequences of a file begin and end."""
    if "sequence" not in found:
        raise Refused(f"{path} has no array sequence, as the training file has; add it")
    return ends_of(found["sequence"], str(path))


def examples(path: Path, reading: Plain) -> FileContent:
    """The rows or sequences, and their labels where there are some."""
    found = read_arrays(path)
    check_width(path, found, reading["width"])
    y = found.get("y")
    if reading["kind"] == SETS:
        table = None if y is None else table_of_sets(y, str(path))
        return FileContent(
            found["X"], None if table is None else [set(np.flatnonzero(row).tolist()) for row in table]
        )
    names = None if y is None else class_names(y, str(path))
    if reading["kind"] == CLASSES:
        return FileContent(found["X"], names)
    ends = sequence_ends(path, found).tolist()
    parts = list(pairwise(ends))
    return FileContent([found["X"][a:b] for a, b in parts], names and [names[a:b] for a, b in parts])


def label_file(path: Path, labels: Sequence[Any], reading: Plain) -> Mapping[str, bytes]:
    """The arrays with these labels as y, of the type that y has."""
    found = read_arrays(path)
    if reading["kind"] == SETS:
        width = (
            found["y"].shape[1]
            if "y" in found
            else 1 + max((max(own, default=0) for own in labels), default=0)
        )
        table = np.zeros((len(labels), width), dtype=np.int64)
        for row, own in zip(table, labels, strict=True):
            row[[int(label) for label in own]] = 1
        return {path.name: write_arrays({**found, "y": table})}
    flat = (
        [str(one) for own in labels for one in own]
        if reading["kind"] == SEQUENCES
        else list(map(str, labels))
    )
    numbers = all(by_size(name)[0] < float("inf") for name in flat)
    return {
        path.name: write_arrays({**found, "y": np.array([int(name) for name in flat] if numbers else flat)})
    }
