"""Sequences of sparse rows in SVM^hmm lines (`readers.hmm`): chains, decoded by Viterbi. A model takes a
sparse matrix for every sequence.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from explorer.engine.catalogue.chains import sequences
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
from explorer.engine.data.readers.files import text_of
from explorer.engine.data.readers.hmm import read_sequences, sequence_rows, tagged_sequences, tags_of
from explorer.engine.data.readers.svmlight import MOST_BYTES, WANTED, first_index
from explorer.engine.data.writers.encoding import encode_like
from explorer.engine.data.writers.svmlight import with_labels
from explorer.engine.knobs import settings

READING: Mapping[str, type] = {"first": int, "width": int}


@settings
class SequenceData:
    """Sequences of sparse rows with a tag each, from a file."""

    held_out: float = held_out()
    draw: int = draw()


SETTINGS = SequenceData


def task(train: Dataset) -> Callable[..., Task]:
    """Label sequences."""
    return sequences


def pair(path: Path, test: Path | None, choices: FileChoices, settings: SequenceData) -> Pair:
    """The sequences with the tags of both files."""
    files = [read_sequences(file) for file in (path, test) if file is not None]
    train, *others = tagged_sequences(files)
    found = remember(train, "hmm", first=first_index(*files), width=int(train.inputs[0].shape[1]))
    return divide(found, settings, *others)


def examples(path: Path, reading: Plain) -> FileContent:
    """The rows of every sequence, and their tags where every line has one."""
    lines = read_sequences(path)
    tags = tags_of(lines)
    rows = sequence_rows(lines, reading["first"], reading["width"])
    return FileContent(rows, None if tags is None else [[str(tag) for tag in own] for own in tags])


def label_file(path: Path, labels: Sequence[Any], reading: Plain) -> Mapping[str, bytes]:
    """The file with these tags."""
    numbers = [[int(tag)] for tag in chain.from_iterable(labels)]
    return {path.name: encode_like(path, with_labels(text_of(path, MOST_BYTES, WANTED), numbers))}
