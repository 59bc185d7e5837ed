"""Few of many: evenly spaced steps and examples, and what was computed lately."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

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


class Remembered:
    """Values that are dear to make, up to `most` in all sizes together; the least used is forgotten first."""

    def __init__(self, most: int, size: Callable[[Any], int] = lambda value: 1) -> None:
        self.most, self.size, self.held = most, size, 0
        self.kept: OrderedDict[Any, Any] = OrderedDict()
        self.owners: tuple[Any, ...] = ()

    def of(self, *owners: Any) -> Self:
        """The same memory, emptied when the values would now be about something else."""
        if list(map(id, owners)) != list(map(id, self.owners)):
            self.kept.clear()
            self.owners, self.held = owners, 0
        return self

    def get(self, key: Any, make: Callable[[], Any]) -> Any:
        """What is remembered under the key, or what `make` makes now."""
        if key in self.kept:
            self.kept.move_to_end(key)
            return self.kept[key]
        self.kept[key] = made = make()
        self.held += self.size(made)
        while self.held > self.most and len(self.kept) > 1:
            self.held -= self.size(self.kept.popitem(last=False)[1])
        return made
