"""What each entry of the weight vector is for, in words: by kind of weight, feature, state and pair.

A group is a run of w that forms a matrix. Weights of pairs may be shared by (a, b) and (b, a); laid out as a
square matrix (`PairCells`), one weight then fills two cells.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from explorer.engine.contracts import Dataset
from explorer.engine.vectors import Array, Ints


@dataclass(frozen=True, slots=True)
class WeightGroup:
    """A run of weights that form a rows x cols matrix; `words` says in words what one of them is for."""

    name: str
    start: int
    rows: int
    cols: int
    words: str
    row: Callable[[int], str]
    col: Callable[[int], str]

    @property
    def stop(self) -> int:
        """Where the next group begins."""
        return self.start + self.rows * self.cols

    def word(self, j: int) -> str:
        """What weight j of the whole vector stands for."""
        r, c = divmod(j - self.start, self.cols)
        return self.words.format(row=self.row(r), col=self.col(c))

    def cells(self, w: Array) -> Array:
        """The group as a matrix."""
        return w[self.start : self.stop].reshape(self.rows, self.cols)


@dataclass(frozen=True, slots=True, eq=False)
class PairCells:
    """Pairwise weights as a square per table: index in w, row and column of each cell, names of sides."""

    title: str
    index: Ints
    table: Ints
    row: Ints
    column: Ints
    names: tuple[str, ...]


def names_by_number(word: str) -> Callable[[int], str]:
    """Names that are numbers, from 1."""
    return lambda j: f"{word} {j + 1}"


def feature_names(dataset: Dataset, rows: int, bias: bool = False) -> Callable[[int], str]:
    """What each of `rows` features is called: the data's name, a pixel (row, column), constant, or number."""
    named = dataset.meta.get("feature_names", ())
    shape: tuple[int, ...] = dataset.meta.get("image_shape") or ()
    if len(named) == rows:
        return lambda r: str(named[r])
    pixels = math.prod(shape) if shape else 0

    def name(r: int) -> str:
        if r < pixels:
            return f"pixel ({r // shape[1] + 1},{r % shape[1] + 1})"
        if pixels and rows == pixels + 1:
            return "constant"
        return "bias" if bias and r == 0 else f"feature {r + (0 if bias else 1)}"

    return name


def word_of(parts: tuple[WeightGroup, ...], j: int) -> str:
    """What weight j stands for."""
    return next((part.word(j) for part in parts if part.start <= j < part.stop), f"weight {j + 1}")
