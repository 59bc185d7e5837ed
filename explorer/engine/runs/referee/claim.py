"""What a recorded step says of itself, as much as a referee needs: weights, cuts, multipliers and bounds.

Light enough to travel to a worker: of a cut its labellings are kept, not its features. Cost: a look at
the trace.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.events import EVERY_EXAMPLE, MEAN_SLACK
from explorer.engine.refusals import Refused
from explorer.engine.runs.kept_cuts import KeptCuts, cuts_at, pairs_of, recorded_cut
from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Array

GONE = "the record no longer holds all cuts of this step; look at a later step, or train a shorter run"
NAMELESS = "the planes of this learner name no labelling here, so they cannot be made again by others"
KEEPS_NONE = "this learner keeps no cuts to make a program of"


@dataclass(frozen=True, slots=True, eq=False)
class KnownCut:
    """The labellings (example, labelling) whose mean a cut is, and the offset b that the step gives it.

    A rule on the weights has no labellings; `rule` is then its place among the problem's rules.
    """

    pairs: tuple[tuple[int, Any], ...]
    b: float
    joint: bool = False
    rule: int = -1


@dataclass(frozen=True, slots=True, eq=False)
class Claim:
    """Step `at`: its w, price C and bounds (NaN where unknown); its cuts with their multipliers.

    Where there are no cuts, `no_cuts` says why. `tolerance` is the relative gap to which the program over the
    cuts is said to be solved, infinite for a learner that does not solve it. `relaxed`: bounds are those of a
    relaxed problem.
    """

    at: int
    w: Array
    C: float
    primal: float
    dual: float
    likelihood: bool
    exact: bool
    relaxed: bool
    cuts: tuple[KnownCut, ...]
    alpha: Array
    no_cuts: str
    tolerance: float


def claim_of(trace: Trace, at: int) -> Claim:
    """What the step nearest to `at` that is kept whole says."""
    kept = [step for step in trace.weights.kept if step <= at and step in trace.details.kept]
    if not kept:
        raise Refused("there is no step to check; train first")
    step = max(kept)
    moment, started = trace.at(step), trace.start_of(step)
    if started is None or not started.objective:
        raise Refused("this learner minimises no objective, so there is no program to solve; choose another")
    cuts, alpha, reason = known_cuts(trace, step)
    solved = "residuals" in moment.detail
    return Claim(
        step,
        moment.w,
        float(started.settings["C"]),
        moment.figures["primal"],
        moment.figures["dual"],
        started.risk != MEAN_SLACK,
        started.exact,
        started.relaxed,
        cuts,
        alpha,
        reason,
        float(started.settings.get("qp_tolerance", math.inf)) if solved else math.inf,
    )


def known_cuts(trace: Trace, at: int) -> tuple[tuple[KnownCut, ...], Array, str]:
    """The cuts of a step and their multipliers, or why they are not known.

    A cut that the step found last and gave no weight has not been solved for: it belongs to the next step.
    """
    held = cuts_at(trace, at)
    if held is None:
        return (), np.zeros(0), KEEPS_NONE
    held = held.only((held.born < at) | (held.alpha > 0.0))
    found: list[KnownCut] = []
    for j in range(len(held)):
        cut = known_cut(trace, held, j)
        if isinstance(cut, str):
            return (), np.zeros(0), cut
        found.append(cut)
    return tuple(found), held.alpha, ""


def known_cut(trace: Trace, held: KeptCuts, j: int) -> KnownCut | str:
    """Cut j, or why it is not known."""
    b = float(held.b[j])
    if held.example[j] < EVERY_EXAMPLE:
        return KnownCut((), b, rule=int(np.count_nonzero(held.example[:j] < EVERY_EXAMPLE)))
    cut = recorded_cut(trace, held, j)
    if cut is None:
        return GONE
    if cut.label is None:
        return NAMELESS
    if cut.i != EVERY_EXAMPLE:
        return KnownCut(((cut.i, cut.label),), b)
    return KnownCut(tuple(pairs_of(trace, int(held.born[j]), cut)), b, joint=True)
