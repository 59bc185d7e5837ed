"""What an oracle of boxes is asked: a score for every cell, the true box, and how the loss is priced."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from explorer.engine.checks import read_only
from explorer.engine.contracts import Loss
from explorer.engine.losses import IoU, ZeroOne
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.structures.boxes.kernels.windows import NO_LOSS, OVERLAP, ZERO_ONE_LOSS
from explorer.engine.vectors import Array, Ints

CODES: dict[type, int] = {IoU: OVERLAP, ZeroOne: ZERO_ONE_LOSS}
ANYWHERE = read_only(np.array([0, 0, 1, 1]))
"""The true box of a question that does not ask for one."""


@dataclass(frozen=True, slots=True, eq=False)
class BoxQuestion:
    """Which window of these cells has the largest H; without a loss, the largest score."""

    cells: Array
    truth: Ints
    code: int
    scaled: bool
    root: bool


class BoxAnswer(NamedTuple):
    """A window, its H, and how many windows or sets of windows were looked at."""

    box: Ints
    value: float
    visited: int


class BoxOracle(Protocol):
    """Finds a window."""

    title: ClassVar[str]
    help: ClassVar[str]
    kind: ClassVar[str]

    def find(self, asked: BoxQuestion) -> BoxAnswer:
        """The window with the largest H, as far as this oracle looks."""


def loss_code(loss: Loss) -> int:
    """The number of a loss in compiled code; refused if it has none."""
    if type(loss) not in CODES:
        raise Refused(f"boxes have no loss {loss!r}; choose the overlap of boxes or the zero-one loss")
    return CODES[type(loss)]


def prediction(cells: Array) -> BoxQuestion:
    """Which window scores most."""
    return BoxQuestion(cells, ANYWHERE, NO_LOSS, False, False)


def separation(cells: Array, truth: Ints, code: int, pricing: Pricing) -> BoxQuestion:
    """Which window is violated most."""
    return BoxQuestion(cells, truth, code, pricing.scaling == "slack", pricing.penalty == "squared")


def answer(found: tuple[int, int, int, int, float, int]) -> BoxAnswer:
    """What a kernel found, as a box."""
    return BoxAnswer(np.array(found[:4], dtype=np.int64), float(found[4]), int(found[5]))
