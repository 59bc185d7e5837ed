"""What block-coordinate learners keep of each example, as plain arrays that compiled visits read and
write.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from explorer.engine.vectors import Array, Ints

Labels = NDArray[np.int32]


class Cache(NamedTuple):
    """Up to M cuts for each of n examples; the first held[i] slots of example i are in use.

    `gaps` and `worst` are each example's gap and largest violation when it was last visited. Example i has
    labellings of T_i numbers; slot q of it begins at M * places[i] + q * T_i of `labels`. Where labellings
    can be recombined, seen[t, s] says that the oracle once gave place t the number s; elsewhere it is empty.
    """

    labels: Labels
    held: Ints
    alpha: Array
    size: Array
    gram: Array
    age: Ints
    ids: Ints
    gaps: Array
    worst: Array
    scratch: Array
    seen: NDArray[np.bool_]


class Plan(NamedTuple):
    """What a visit does: ask the oracle or not, the mass of an example, which steps and how many, when to
    forget.

    Without the oracle, `recombine` asks for the best labelling made of what was seen, where the problem knows
    how.
    """

    exact: bool
    cap: float
    rule: int
    steps: int
    keep: int
    recombine: bool = False


class Log(NamedTuple):
    """The cuts that visits found, in order: example, loss, and labellings behind each other."""

    owner: Ints
    size: Array
    labels: Labels
