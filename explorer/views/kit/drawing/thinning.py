"""Few of many: evenly spaced steps and examples, and rows that are few enough to be written out."""

from dataclasses import replace
from typing import Any

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.rows import is_sparse
from explorer.engine.vectors import Array, Ints

MOST_POSITIONS = 4000
MOST_SINGLE = 200
"""Examples looked at when the problem predicts only one at a time."""


def evenly(count: int, most: int) -> Ints:
    """At most `most` of the numbers 0 ... count - 1, evenly spaced, the first and the last among them."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.int64))


def examples_to_look_at(dataset: Dataset, single: bool) -> Ints:
    """The examples to look at: all, or evenly spaced ones when that would be too many positions."""
    n, positions = len(dataset), sum(np.size(label) for label in dataset.labels)
    room = MOST_POSITIONS * n / max(1, positions)
    return evenly(n, int(max(1, min(n, room, MOST_SINGLE if single else n))))


def part_of(dataset: Dataset, examples: Ints) -> Dataset:
    """Some of the examples as a data set of their own."""
    inputs, labels = (
        values[examples] if hasattr(values, "shape") else tuple(values[int(i)] for i in examples)
        for values in (dataset.inputs, dataset.labels)
    )
    return replace(dataset, inputs=inputs, labels=labels)


def dense(rows: Any) -> Array:
    """Rows of numbers, written out where they are sparse."""
    return np.asarray(rows.toarray() if is_sparse(rows) else rows, dtype=float)
