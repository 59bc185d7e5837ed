"""Treebanks in CoNLL-U and CoNLL-X columns (`readers.treebank`): dependency trees, compared by tags,
distances and words, decoded by Chu-Liu/Edmonds, in the dual. A model takes sentences.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

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
from explorer.engine.catalogue.trees import DUAL, TreeModel, treebanks
from explorer.engine.contracts import Dataset
from explorer.engine.data.readers.treebank import read_parsed, read_treebank, treebank_text
from explorer.engine.data.writers.encoding import encode_like
from explorer.engine.data.writers.treebank import with_heads
from explorer.engine.knobs import knob, settings

READING: Mapping[str, type] = {}


@settings
class TreebankData:
    """Sentences with a head for every word, from a file."""

    longest: int = knob(0, "Leave out sentences with more words than this; 0: none.", low=0, high=999)
    held_out: float = held_out()
    draw: int = draw()


SETTINGS = TreebankData


def task(train: Dataset) -> Callable[..., Task]:
    """Dependency trees."""
    return partial(treebanks, model=TreeModel(form=DUAL))


def pair(path: Path, test: Path | None, choices: FileChoices, settings: TreebankData) -> Pair:
    """The sentences and their trees; of a test file all of them."""
    train = remember(read_treebank(path, settings.longest), "treebank")
    return divide(train, settings, None if test is None else read_treebank(test))


def examples(path: Path, reading: Plain) -> FileContent:
    """The sentences, and their heads where the file has all of them."""
    return FileContent(*read_parsed(path))


def label_file(path: Path, labels: Sequence[Any], reading: Plain) -> Mapping[str, bytes]:
    """The file with these heads."""
    text = with_heads(treebank_text(path), [map(int, heads) for heads in labels])
    return {path.name: encode_like(path, text)}
