"""Few of many: evenly spaced steps and examples."""

from dataclasses import replace

import numpy as np

from explorer.engine.contracts import Dataset
from explorer.engine.vectors import Ints


def evenly(count: int, most: int) -> Ints:
    """At most `most` of the numbers 0 ... count - 1, evenly spaced, the first and the last among them."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.int64))


def part_of(dataset: Dataset, examples: Ints) -> Dataset:
    """Some of the examples as a data set of their own."""
    inputs, labels = (
        values[examples] if hasattr(values, "shape") else tuple(values[int(i)] for i in examples)
        for values in (dataset.inputs, dataset.labels)
    )
    return replace(dataset, inputs=inputs, labels=labels)
