"""Why a cutting-plane learner ends: what its sentence says is computed from the figures of its last step.

With no cut left that is violated by more than eps, the gap is at most what that eps costs, if the program
over the cuts was solved. Whether it was is seen at w itself: the bounds of the step are compared, and where
they are further apart than promised, the numbers of this problem are too far apart for doubles, and that is
said.
"""

import math

from explorer.engine.events import Bounds, Stopped

CLOSE = 1e-6
"""Bounds that differ by no more than this share of them count as equal."""


def ending(reason: str, sentence: str, k: int, bounds: Bounds, promised: float) -> Stopped:
    """The learner's own reason where the gap is at most what it promises, else that rounding ended it."""
    if keeps_promise(bounds, promised):
        return Stopped(reason, sentence, k)
    return Stopped(
        "rounding",
        "not converged: no cut is left that would help, but the program over the cuts cannot be solved any "
        f"further in double precision; the optimum is between {bounds.dual:.6g} and {bounds.primal:.6g}; "
        "bring features, losses and C nearer to 1",
        k,
    )


def keeps_promise(bounds: Bounds, promised: float) -> bool:
    """Whether primal and dual are no further apart than promised, up to rounding."""
    spared = promised if math.isfinite(promised) else 0.0
    return math.isfinite(bounds.primal) and bounds.primal - bounds.dual <= spared + CLOSE * abs(bounds.primal)
