"""The F-score loss: Delta(y, y') = 1 - F1 with F1 = 2 |A intersect B| / (|A| + |B|).

A and B are the positions that y and y' label `positive`; F1 is 1 when both are empty. Between labellings with
two states it is zero only on the truth; with more states it does not see confusions among the others. One of
the multivariate measures of Joachims 2005, here the example of a loss that does not decompose. Cost: linear
in the length.
"""

from typing import Any, ClassVar, final

import numpy as np

from explorer.engine.knobs import knob, settings
from explorer.engine.losses._positions import flat_pair


@final
@settings
class FScore:
    """1 minus the F1 score of finding the positive positions."""

    title: ClassVar[str] = "F-score"
    help: ClassVar[str] = "1 minus the F1 score of finding the positions of one state."
    undecomposed: ClassVar[str] = (
        "F1 divides by the number of positions called positive, so the price of one mistake depends on all "
        "others and an oracle cannot add it to the scores: enumerate a tiny problem, or train with Hamming."
    )

    positive: int = knob(1, "The state whose positions are to be found.", low=0)

    def value(self, truth: Any, label: Any) -> float:
        """0 when both labellings call the same positions positive, 1 when they share none."""
        a, b = (positions == self.positive for positions in flat_pair(truth, label))
        called = int(np.count_nonzero(a)) + int(np.count_nonzero(b))
        return 1.0 - 2.0 * int(np.count_nonzero(a & b)) / called if called else 0.0
