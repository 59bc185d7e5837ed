"""The straight line through the step's w along which the risk is looked at:  w(t) = w + t d.

d leads to the next, the previous or the last step, down the subgradient, or anywhere. In one dimension t is
w itself.
"""

from dataclasses import dataclass

import numpy as np

from explorer.engine.contracts import Problem
from explorer.engine.objective import touching_plane
from explorer.engine.runs.kept_cuts import price_at
from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Array, dense

DIRECTIONS = ("next step", "previous step", "last step", "negative subgradient", "random")
VERBS = {
    "next step": "Along the step",
    "previous step": "Back along the step",
    "last step": "Straight",
}


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """The line w + t d that is walked, from `lo` to `hi`; `here` is the step's t, `there` its goal's."""

    w: Array
    d: Array
    lo: float
    hi: float
    here: float
    there: float
    step: int
    goal: str
    words: str


def way(problem: Problem, trace: Trace, at: int, direction: str = DIRECTIONS[0], seed: int = 0) -> Walk:
    """The line to walk from step `at`; where the direction leads nowhere, a neighbour, or a random one."""
    kept = sorted(trace.weights.kept)
    step, w = trace.weights.nearest(at)
    later, earlier = [s for s in kept if s > step], [s for s in kept if s < step]
    if len(w) == 1:
        return axis(trace, step, w, later)
    goals = {"next step": later[:1], "previous step": earlier[-1:], "last step": later[-1:]}
    tried = [direction, *(("previous step",) if direction != "random" else ())]
    for name in tried:
        for goal in goals.get(name, ()):
            d = trace.weights.kept[goal] - w
            if np.any(d):
                words = f"{VERBS[name]} from {step} to {goal}"
                return Walk(w, d, -0.5, 1.5, 0.0, 1.0, step, f"step {goal}", words)
        if name == "negative subgradient":
            d = pull(problem, trace, step, w)
            if np.any(d):
                d *= reach(trace, w) / np.linalg.norm(d)
                return Walk(w, d, -0.5, 1.5, 0.0, np.nan, step, "", f"Down the subgradient from step {step}")
    d = np.random.default_rng(seed).normal(size=len(w))
    d *= reach(trace, w) / np.linalg.norm(d)
    return Walk(w, d, -0.5, 1.5, 0.0, np.nan, step, "", f"In random direction {seed} from step {step}")


def axis(trace: Trace, step: int, w: Array, later: list[int]) -> Walk:
    """One dimension: t is w, over everything that was visited."""
    seen = np.concatenate([trace.weights.kept[s] for s in sorted(trace.weights.kept)])
    pad = 0.2 * float(np.ptp(seen)) or 1.0
    there = float(trace.weights.kept[later[0]][0]) if later else np.nan
    lo, hi, goal = float(seen.min()) - pad, float(seen.max()) + pad, f"step {later[0]}" if later else ""
    return Walk(np.zeros(1), np.ones(1), lo, hi, float(w[0]), there, step, goal, f"At step {step}")


def reach(trace: Trace, w: Array) -> float:
    """How far to look where no step gives a length: as far as the last w, else as w is long, else 1."""
    _, last = trace.weights.nearest(len(trace))
    return float(np.linalg.norm(last - w) or np.linalg.norm(w) or 1.0)


def pull(problem: Problem, trace: Trace, step: int, w: Array) -> Array:
    """Minus a subgradient of the objective at w: C a - w; of the risk alone when C is not finite."""
    C, a = price_at(trace, step), dense(touching_plane(problem, w)[1].a)
    return C * a - w if np.isfinite(C) else a.copy()
