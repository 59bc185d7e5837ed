"""What every format of data files has, and what they share: choices, settings, splits, readings.

    pair(path, test, choices, settings)  ->  training and test data; meta["reading"] says how they were read
    examples(path, reading)              ->  the inputs of another file, as a model takes them, and its labels
    label_file(path, labels, reading)      ->  the same file with these labels: bytes by the name of each file

A reading is plain data, so that a model can keep it: whatever was chosen or counted while the training file
was read, and a new file must be read with. Labels are names, as the file has them.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from explorer.engine.catalogue.task import Pair, Task
from explorer.engine.contracts import Dataset
from explorer.engine.knobs import knob
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Ints

Plain = Mapping[str, Any]
EACH = ("words", "example_names", "files", "groups")
"""The entries of meta that hold one thing for every example, beside those that meta["each"] names."""


@dataclass(frozen=True, slots=True)
class FileChoices:
    """What a user says of a file that it does not say itself: which column or attribute is the label, which
    column tells sequences apart, and whether rows have one class or any set of labels.
    """

    label: str = ""
    sequence: str = ""
    kind: str = ""


class FileContent(NamedTuple):
    """The inputs of a file, and their labels; None where it has none."""

    inputs: Any
    labels: Any


class FormatModule(Protocol):
    """What the module of a format defines; `READING` are the entries of its readings with their types."""

    SETTINGS: type[Any]
    READING: Mapping[str, type]

    def task(self, train: Dataset) -> Callable[..., Task]: ...
    def pair(self, path: Path, test: Path | None, choices: FileChoices, settings: Any) -> Pair: ...
    def examples(self, path: Path, reading: Plain) -> FileContent: ...
    def label_file(self, path: Path, labels: Sequence[Any], reading: Plain) -> Mapping[str, bytes]: ...


def held_out() -> Any:
    """A knob: how many examples are for testing."""
    return knob(
        0.0,
        "Share of the examples that are kept apart to measure the loss on, where there is no test file.",
        low=0.0,
        high=0.9,
    )


def draw() -> Any:
    """A knob: which examples are for testing."""
    return knob(0, "Seed of the draw of these examples.", low=0, high=9999)


def split(n: int, share: float, seed: int, groups: Any = None) -> tuple[Ints, Ints]:
    """Which of n examples are for training and which for testing, each in order; groups stay whole."""
    owner = np.arange(n) if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
    count = int(owner.max()) + 1 if n else 0
    if count < 2:
        what = "example" if groups is None else "group"
        raise Refused(f"there is only one {what}, none can be kept apart; give a test file, or no --test")
    apart = min(count - 1, max(1, math.floor(share * count + 0.5)))
    tested = np.isin(owner, np.random.default_rng(seed).permutation(count)[:apart])
    return np.flatnonzero(~tested), np.flatnonzero(tested)


def divide(data: Dataset, settings: Any, test: Dataset | None = None) -> Pair:
    """The data as they are, or with the examples that the settings keep apart as test data."""
    if not settings.held_out:
        return data, test
    if test is not None:
        raise Refused("there is a test file, and examples are to be kept apart as well; give one of the two")
    train, rest = split(len(data), settings.held_out, settings.draw, data.meta.get("groups"))
    return take(data, train, data.name), take(data, rest, f"{data.name} (test)")


def take(data: Dataset, at: Ints, name: str) -> Dataset:
    """The examples at these places; what meta holds for each example is chosen along."""
    own = {key: tuple(data.meta[key][i] for i in at) for key in (*EACH, *data.meta.get("each", ()))
           if key in data.meta}  # fmt: skip
    return Dataset(name, some(data.inputs, at), some(data.labels, at), {**data.meta, **own})


def some(values: Any, at: Ints) -> Any:
    """The rows of a matrix, or the members of a sequence, at these places."""
    return values[at] if hasattr(values, "shape") else tuple(values[i] for i in at)


def note(data: Dataset, sentence: str) -> Dataset:
    """The data with something that whoever trains on them should be told."""
    return replace(data, meta={**data.meta, "notes": (*data.meta.get("notes", ()), sentence)})


def remember(data: Dataset, format_name: str, **reading: Any) -> Dataset:
    """The data with their reading."""
    return replace(data, meta={**data.meta, "reading": {"format": format_name, **reading}})


__all__ = [
    "FileChoices",
    "FileContent",
    "FormatModule",
    "divide",
    "draw",
    "held_out",
    "note",
    "remember",
    "split",
    "take",
]
