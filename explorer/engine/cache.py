"""What block-coordinate learners keep of each example, as plain arrays that compiled visits read and write."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorer.engine.vectors import Array, Ints

Labels = NDArray[np.int32]


class Cache(NamedTuple):
    """Up to M cuts for each of n examples; the first held[i] slots of example i are in use.

    Example i has labellings of T_i numbers; slot q of it begins at M * places[i] + q * T_i of `labels`.
    """

    labels: Labels
    held: Ints
    alpha: Array
    size: Array
    gram: Array
    age: Ints
    ids: Ints
    gaps: Array
    scratch: Array


class Plan(NamedTuple):
    """What a visit does: ask the oracle or not, the mass of an example, which steps and how many, when to forget."""

    exact: bool
    cap: float
    rule: int
    steps: int
    keep: int


class Log(NamedTuple):
    """The cuts that visits found, in order: example, loss, and labellings behind each other."""

    owner: Ints
    size: Array
    labels: Labels
