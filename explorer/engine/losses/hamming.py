"""The Hamming loss: Delta(y, y') = how many positions t have y_t != y'_t, or which share of them.

Unnormalised in the sequence and grid models of Iglesias 2013 (section 3.1), so the default here. It is a sum
over positions: an oracle folds it in by adding 1 to the score of every wrong state. Cost: linear in the
length.
"""

from typing import Any, ClassVar, final

import numpy as np

from explorer.engine.knobs import knob, settings
from explorer.engine.losses._positions import flat_pair
from explorer.engine.vectors import Array


@final
@settings
class Hamming:
    """How many positions are wrong, or which share of them."""

    title: ClassVar[str] = "Hamming"
    help: ClassVar[str] = "The number of wrong positions, or their share."

    normalised: bool = knob(
        False, "Divide by the length, so that long examples weigh no more than short ones."
    )
    times: float = knob(
        1.0, "A factor on the loss; 100 with division by the length gives per cent.", low=1e-6
    )

    def value(self, truth: Any, label: Any) -> float:
        """The number (share) of positions at which two labellings of equal length differ."""
        a, b = flat_pair(truth, label)
        return self.of_count(int(np.count_nonzero(a != b)), a.size)

    def costs(self, states: int) -> Array:
        """Per position: `times` for every wrong state, 0 on the diagonal."""
        return self.times * (np.ones((states, states)) - np.eye(states))

    def of_count(self, wrong: int, length: int) -> float:
        """The loss of any labelling with this many wrong positions."""
        return self.times * (wrong / max(length, 1) if self.normalised else float(wrong))
