"""Object detection, the running example of the lecture "Structured Learning": where in a picture is it?

    x: a picture of visual words, one number in 0..V-1 for each cell      y: a box (x0, y0, x1, y1)
    features(x, y)_v = cells of the box that show word v / columns of the picture
    loss = 1 - |y and y_hat| / |y or y_hat|, the overlap of boxes, or zero-one

The score of a box is the sum of w_v over its cells, so all windows are looked at with one table of sums. Cost
of an oracle call: see `kernels.windows`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from explorer.engine.checks import read_only
from explorer.engine.contracts import Dataset, Loss
from explorer.engine.events import Cut
from explorer.engine.losses import IoU
from explorer.engine.objective import cut_of
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused, checked_calls
from explorer.engine.structures.boxes.oracles import (
    BoxOracle,
    WindowBranching,
    loss_code,
    prediction,
    separation,
)
from explorer.engine.vectors import Array, Ints, Vector


@checked_calls
@dataclass(frozen=True)
class BoxDetection:
    """One box in each picture."""

    dataset: Dataset
    words: int
    delta: Loss = field(default_factory=IoU)
    pricing: Pricing = field(default_factory=Pricing)
    separator: BoxOracle = field(default_factory=WindowBranching)
    predictor: BoxOracle = field(default_factory=WindowBranching)
    name: str = "box detection"

    def __post_init__(self) -> None:
        object.__setattr__(self, "dataset", checked_pictures(self.dataset, self.words))
        _ = self.code

    @property
    def n(self) -> int:
        return len(self.dataset)

    @property
    def dim(self) -> int:
        return self.words

    @property
    def oracle_is_exact(self) -> bool:
        return self.separator.kind == "exact"

    @property
    def oracle_kind(self) -> str:
        """exact: both oracles look at every window, one of them by bounds."""
        return self.separator.kind

    @cached_property
    def code(self) -> int:
        """The loss in compiled code."""
        return loss_code(self.delta)

    def on(self, dataset: Dataset) -> Self:
        return replace(self, dataset=dataset)

    def checked_input(self, x: Any, place: str) -> Ints:
        return checked_picture(x, self.words, place)

    def check_label(self, i: int, label: Any) -> None:
        checked_box(label, self.dataset.inputs[i].shape, f"the label of example {i}")

    def cells(self, w: Array, x: Ints) -> Array:
        """The score of every cell."""
        return np.asarray(w[x] / x.shape[1])

    def features(self, i: int, label: Any) -> Vector:
        x = self.dataset.inputs[i]
        x0, y0, x1, y1 = checked_box(label, x.shape, f"the label of example {i}").tolist()
        return np.bincount(x[y0:y1, x0:x1].ravel(), minlength=self.words) / x.shape[1]

    def loss(self, i: int, label: Any) -> float:
        return self.delta.value(tuple(self.dataset.labels[i].tolist()), tuple(np.asarray(label).tolist()))

    def predict(self, w: Array, x: Ints) -> Ints:
        return self.predictor.find(prediction(self.cells(w, x))).box

    def oracle(self, w: Array, i: int) -> Cut:
        cells = self.cells(w, self.dataset.inputs[i])
        asked = separation(cells, self.dataset.labels[i], self.code, self.pricing)
        return cut_of(self, i, self.separator.find(asked).box)

    def labellings(self, i: int) -> Iterable[Ints]:
        """Every window."""
        rows, columns = self.dataset.inputs[i].shape
        for y0 in range(rows):
            for y1 in range(y0 + 1, rows + 1):
                for x0 in range(columns):
                    for x1 in range(x0 + 1, columns + 1):
                        yield np.array([x0, y0, x1, y1])

    def labellings_count(self, i: int) -> int:
        rows, columns = self.dataset.inputs[i].shape
        return rows * (rows + 1) // 2 * (columns * (columns + 1) // 2)


def checked_pictures(data: Dataset, words: int) -> Dataset:
    """The pictures and boxes, read-only; refused with the example where one does not fit."""
    if len(data.labels) == 0:
        raise Refused("the data set is empty; give at least one picture")
    if len(data.inputs) != len(data.labels):
        raise Refused(f"there are {len(data.inputs)} pictures and {len(data.labels)} boxes; give one each")
    inputs = tuple(checked_picture(x, words, f"example {i}") for i, x in enumerate(data.inputs))
    labels = tuple(
        checked_box(y, x.shape, f"the label of example {i}")
        for i, (x, y) in enumerate(zip(inputs, data.labels, strict=True))
    )
    return replace(data, inputs=inputs, labels=labels)


def checked_picture(x: Any, words: int, place: str) -> Ints:
    """A picture of known visual words."""
    picture = np.asarray(x)
    if picture.ndim != 2 or 0 in picture.shape or picture.dtype.kind not in "iu":
        raise Refused(
            f"{place} has shape {picture.shape} of {picture.dtype}; give (rows, columns) of word numbers"
        )
    if picture.min() < 0 or picture.max() >= words:
        raise Refused(f"{place} shows the word {picture.max()}; there are {words}, numbered from 0")
    return read_only(np.ascontiguousarray(picture, dtype=np.int64))


def checked_box(y: Any, shape: tuple[int, ...], place: str) -> Ints:
    """A box with at least one cell inside the picture."""
    box = np.asarray(y)
    if box.shape != (4,) or box.dtype.kind not in "iu":
        raise Refused(f"{place} is {y!r}; write a box as four whole numbers x0, y0, x1, y1")
    x0, y0, x1, y1 = box.tolist()
    if not (0 <= x0 < x1 <= shape[1] and 0 <= y0 < y1 <= shape[0]):
        raise Refused(
            f"{place} is the box {x0, y0, x1, y1}, which needs x0 < x1 and y0 < y1 within {shape[1]} columns "
            f"and {shape[0]} rows"
        )
    return read_only(np.asarray(box, dtype=np.int64))
