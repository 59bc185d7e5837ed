"""Sparse rows in SVMlight lines (`readers.svmlight`): classes where every line has exactly one label, else
label sets, fully connected, decoded by roof duality. A model takes a sparse matrix.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from explorer.engine.catalogue.classes import classes as class_tasks
from explorer.engine.catalogue.fields import LABEL_SETS, NODES, ROOF, subsets
from explorer.engine.catalogue.formats.format import (
    FileChoices,
    FileContent,
    Plain,
    divide,
    draw,
    held_out,
    note,
    remember,
)
from explorer.engine.catalogue.task import Pair, Task
from explorer.engine.contracts import Dataset
from explorer.engine.data.readers.files import text_of
from explorer.engine.data.readers.svmlight import (
    MOST_BYTES,
    WANTED,
    SparseLines,
    classes,
    first_index,
    label_sets,
    read_lines,
    rows_from,
)
from explorer.engine.data.writers.encoding import encode_like
from explorer.engine.data.writers.svmlight import with_labels
from explorer.engine.knobs import settings
from explorer.engine.refusals import Refused

READING: Mapping[str, type] = {"first": int, "width": int, "kind": str}
CLASSES, SETS = "classes", "label-sets"
KINDS = (CLASSES, SETS)
GROUPED = (
    "the file has {} groups (qid): a split keeps each whole, but no structure here ranks within a group, so "
    "every line is an example of its own"
)


@settings
class SparseData:
    """Sparse rows with labels, from a file."""

    held_out: float = held_out()
    draw: int = draw()


SETTINGS = SparseData


def kind_of(lines: SparseLines, choices: FileChoices) -> str:
    """Whether the rows have one class each or any set of labels: as chosen, or as the lines are."""
    if choices.kind not in ("", *KINDS):
        raise Refused(f"rows can be read as {' or as '.join(KINDS)}, not as {choices.kind!r}; choose one")
    return choices.kind or (CLASSES if lines.one_each else SETS)


def task(train: Dataset) -> Callable[..., Task]:
    """Classes or label sets."""
    if train.meta["reading"]["kind"] == CLASSES:
        return class_tasks
    return partial(subsets, losses={**NODES, **LABEL_SETS}, oracle_types=ROOF)


def pair(path: Path, test: Path | None, choices: FileChoices, settings: SparseData) -> Pair:
    """The rows with the labels of both files."""
    files = [read_lines(file) for file in (path, test) if file is not None]
    kind = kind_of(files[0], choices)
    train, *others = classes(*files) if kind == CLASSES else label_sets(*files)
    first, width = first_index(*files), int(train.inputs.shape[1])
    found = remember(train, "svmlight", first=first, width=width, kind=kind)
    if "groups" in found.meta:
        count = len(set(found.meta["groups"]))
        found = note(found, GROUPED.format(count))
    return divide(found, settings, *others)


def examples(path: Path, reading: Plain) -> FileContent:
    """The rows, and the class or the set of labels of each where every line has one."""
    lines = read_lines(path)
    rows = rows_from(lines, reading["first"], reading["width"])
    if reading["kind"] == SETS:
        return FileContent(rows, [set(on) for on in lines.labels])
    return FileContent(rows, [on[0] for on in lines.labels] if lines.one_each else None)


def label_file(path: Path, labels: Sequence[Any], reading: Plain) -> Mapping[str, bytes]:
    """The file with these labels."""
    sets = reading["kind"] == SETS
    numbers = [sorted(map(int, label)) if sets else [int(label)] for label in labels]
    text = with_labels(text_of(path, MOST_BYTES, WANTED), numbers)
    return {path.name: encode_like(path, text)}
