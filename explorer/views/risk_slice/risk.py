"""The risk R(w(t)) at points of a line, asked of the oracle: coarse points first, while time allows.

Cost: `POINTS` oracle passes, remembered per step and direction, over a part of the examples when there are
many.
"""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.contracts import Batch, Convex, Problem
from explorer.engine.objective import slacks, sweep, violation
from explorer.engine.vectors import Array, Ints
from explorer.views.kit.cuts import PATIENCE
from explorer.views.kit.memory import Memory
from explorer.views.risk_slice.walk import Walk

POINTS = 25
CURVE = 101
"""Points at which a risk without examples is drawn: it costs one function call each."""
MOST_POSITIONS = 40_000
"""Positions of all examples together up to which every point asks all of them."""
MOST_SINGLE = 2_000
"""The same, for problems that answer one example at a time."""
MOST_EXAMPLES = 100


def examples_to_ask(problem: Problem) -> Ints | None:
    """Which examples a point of the risk asks: None for all, or a fixed sample when there are too many."""
    labels = problem.dataset.labels
    length = float(np.mean([np.size(labels[i]) for i in range(min(20, problem.n))])) if problem.n else 0.0
    most = MOST_POSITIONS if isinstance(problem, Batch) else MOST_SINGLE
    if problem.n * length <= most:
        return None
    m = int(np.clip(most / length, min(10, problem.n), min(MOST_EXAMPLES, problem.n)))
    return np.sort(np.random.default_rng(0).choice(problem.n, m, replace=False))


def risk_at(problem: Problem, w: Array, examples: Ints | None, one: int | None) -> float:
    """The mean cost of the slacks at w, over all examples, a sample, or one."""
    if isinstance(problem, Convex):
        return float(problem.risk(w)[0])
    if one is not None:
        slack = np.array([max(0.0, violation(problem, w, problem.oracle(w, one)))])
    else:
        chosen = None if examples is None else [int(i) for i in examples]
        slack = slacks(problem, sweep(problem, w, chosen))
    return float(np.mean(problem.pricing.cost(slack)))


def risk_along(
    problem: Problem,
    walked: Walk,
    t: Array,
    examples: Ints | None,
    one: int | None,
    seconds: float = PATIENCE,
) -> Array:
    """The risk at every t, coarse points first; NaN at those that would have taken too long."""
    out, began = np.full(len(t), np.nan), time.perf_counter()
    strides = [s for s in (24, 12, 6, 3) if s < len(t)]
    rank = [next((k for k, s in enumerate(strides) if j % s == 0), len(strides)) for j in range(len(t))]
    for count, j in enumerate(np.argsort(rank, kind="stable")):
        if count >= 5 and time.perf_counter() - began > seconds:
            break
        out[j] = risk_at(problem, walked.w + t[j] * walked.d, examples, one)
    return out


@dataclass(frozen=True, slots=True, eq=False)
class Asking:
    """The risk along a way, asked once for each step, direction and scope."""

    problem: Problem
    way: Walk
    one: int | None
    known: Memory
    key: tuple[Any, ...]

    def curve(self) -> tuple[Array, Array]:
        """The points of the risk that were reached in time."""
        t = np.linspace(self.way.lo, self.way.hi, CURVE if isinstance(self.problem, Convex) else POINTS)
        key = (*self.key, self.way.step, self.one)
        risk = self.known.get(
            key, lambda: risk_along(self.problem, self.way, t, examples_to_ask(self.problem), self.one)
        )
        return t[~np.isnan(risk)], risk[~np.isnan(risk)]

    def point(self, t: float) -> float:
        """The risk at one more point."""
        key, w = (*self.key, self.way.step, self.one, round(t, 9)), self.way.w + t * self.way.d
        return self.known.get(key, lambda: risk_at(self.problem, w, examples_to_ask(self.problem), self.one))
