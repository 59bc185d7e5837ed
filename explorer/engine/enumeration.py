"""Every labelling of a few positions, for problems small enough to list them: the referee of all faster oracles."""

import numpy as np

from explorer.engine.refusals import Refused
from explorer.engine.vectors import Ints

MOST = 200_000
"""More labellings than this are refused."""


def all_labellings(length: int, states: int) -> Ints:
    """Every labelling of `length` positions, the first position changing fastest; refused when there are too many."""
    count = states**length
    if count > MOST:
        raise Refused(
            f"{states} states at {length} positions make {float(count):.3g} labellings; "
            f"enumeration stops at {MOST:,}: use Viterbi, or shorter examples"
        )
    return np.array(np.arange(count)[:, None] // states ** np.arange(length) % states, dtype=np.int64)
