"""The regularisation path: every optimum from C_min to C_max within a relative gap of eps, by a handful of
warm starts.

A solution trained at one C proves something about its neighbours at no cost. With R = mean slack at w (exact:
one oracle pass found it), W = |w|^2 and the dual's linear part L = dual + W / 2, moving to C' = t C and
scaling the masses by t gives

    P(w; C') = W / 2 + C' R,      D(t alpha; C') = t L - t^2 W / 2,      gap(C') = P - D: a parabola in C'

so the interval of C' on which w stays eps-optimal is known in closed form, without asking the oracle. The
next C is taken so far on that its own interval just reaches back (Giesen, Jaggi and Laue 2012), and is
trained from the keyframe of its neighbour, to half of eps. Memory: one w per point. Cost: about log(C_max /
C_min) / sqrt(eps) warm starts.
"""

import math
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from explorer.engine.contracts import Dataset, Learner, Problem
from explorer.engine.events import NOT_EXACT, Bounds, Evaluated, Step, Stopped
from explorer.engine.halting import Cancelled
from explorer.engine.objective import HINGE, mean_loss, norm2
from explorer.engine.refusals import NotExact, Refused, needs_no_rules
from explorer.engine.runs.streams import Until, price_of, train
from explorer.engine.vectors import Array, squared_norm


@dataclass(frozen=True, slots=True, eq=False)
class PathPoint:
    """A solution trained at C that is within eps of the optimum for every C from `low` to `high`."""

    C: float
    low: float
    high: float
    w: Array
    bounds: Bounds
    train_loss: float
    test_loss: float
    oracle_calls: int
    seconds: float
    norm2: float = math.nan

    def without_certificate(self) -> "PathPoint":
        """The same point after its oracle was proved not to be exact."""
        return replace(self, bounds=replace(self.bounds, certificate=False))

    def bounds_at(self, C: float) -> Bounds:
        """What this solution proves about the optimum of another C."""
        W = squared_norm(self.w) if math.isnan(self.norm2) else self.norm2
        t, linear, risk = C / self.C, self.bounds.dual + 0.5 * W, (self.bounds.primal - 0.5 * W) / self.C
        return Bounds(0.5 * W + C * risk, t * linear - 0.5 * t * t * W, self.bounds.certificate)


@dataclass(frozen=True, slots=True)
class Trying:
    """A step on the way to the next point: where it is trained, and how far its own bounds are apart."""

    C: float
    relative_gap: float


def interval_around(C: float, bounds: Bounds, W: float, eps: float) -> tuple[float, float]:
    """The interval around C on which the relative gap of this solution stays at most eps: two roots of a
    parabola.
    """
    linear, risk = bounds.dual + 0.5 * W, (bounds.primal - 0.5 * W) / C
    # gap - eps P = (W/2) t^2 + (C R (1 - eps) - L) t + (1 - eps) W / 2 <= 0
    a, b, c = 0.5 * W, C * risk * (1.0 - eps) - linear, (1.0 - eps) * 0.5 * W
    if a == 0.0:
        return (0.0, math.inf) if b <= 0.0 else (C, C)
    inside = b * b - 4.0 * a * c
    if inside < 0.0:
        return C, C
    root = math.sqrt(inside)
    low, high = (-b - root) / (2.0 * a), (-b + root) / (2.0 * a)
    return min(C, C * low), max(C, C * high)


def path(
    problem: Problem,
    learner: Learner,
    low: float,
    high: float,
    eps: float = 0.01,
    *,
    test: Dataset | None = None,
    seed: int = 0,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[PathPoint]:
    """Points whose intervals together cover low .. high, in the order in which they are trained.

    Almost always that is from left to right; a hole between two intervals is filled before going on.
    """
    for said in walk(problem, learner, low, high, eps, test=test, seed=seed, cancelled=cancelled):
        if isinstance(said, PathPoint):
            yield said


def walk(
    problem: Problem,
    learner: Learner,
    low: float,
    high: float,
    eps: float = 0.01,
    *,
    test: Dataset | None = None,
    seed: int = 0,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[PathPoint | Trying]:
    """The points of `path` with every training step between them, so that others on the same worker can take
    turns.
    """
    _check(problem, learner, low, high, eps)
    held_out = None if test is None else problem.on(test)
    state: Any = None
    tried = np.zeros(2)
    done, ahead = low, [low]
    while ahead:
        C = ahead[-1]
        at_this_price = replace(learner, C=C)
        step = yield from _trained(problem, at_this_price, eps, state, seed, cancelled)
        W = norm2(problem, step.w)
        left, right = interval_around(C, step.bounds, W, eps)
        before = (0, 0.0) if state is None else state["metered"][:2]
        tried += step.oracle_calls - before[0], step.seconds - before[1]
        if min(left, C * (1.0 - 1e-9)) <= done:
            ahead.pop()
            losses = mean_loss(problem, step.w), math.nan if held_out is None else mean_loss(held_out, step.w)
            yield PathPoint(
                C, min(left, done), right, step.w, step.bounds, *losses, int(tried[0]), float(tried[1]), W
            )
            state, tried, done = step.state, np.zeros(2), max(done, right)
            while ahead and ahead[-1] <= done:
                ahead.pop()
            if done < high and not ahead:
                # As far again as the interval reached to the right: that is about as far as the next reaches
                # back.
                ahead.append(min(high, done * max(done / C, 1.0 + 1e-3)))
        else:
            ahead.append(math.sqrt(done * C))


def _check(problem: Problem, learner: Learner, low: float, high: float, eps: float) -> None:
    """Refuse what the closed form is not for."""
    if not 0.0 < low <= high < math.inf:
        raise Refused(f"the path goes from C = {low:g} to C = {high:g}; give 0 < from <= to, both finite")
    if not 1e-6 <= eps <= 0.5:
        raise Refused(f"eps is {eps:g}; the gap along a path is between 0.000001 and 0.5")
    reason = refusal(problem, learner)
    if reason:
        raise Refused(reason)


def tireless(learner: Learner) -> Learner:
    """The same learner without a tolerance of its own, which could end a point before its gap is small
    enough.
    """
    return replace(learner, eps=0.0) if hasattr(learner, "eps") else learner


def refusal(problem: Problem, learner: Learner) -> str | None:
    """Why this learner has no path on this problem, whatever the interval."""
    if not learner.certifies:
        return (
            f"{learner.title} proves no lower bound, so no path; use the sequential dual or a cutting plane"
        )
    if learner.objective is not HINGE:
        return f"{learner.title} minimises no slacks, so no path; use the sequential dual or a cutting plane"
    if problem.pricing.penalty == "squared":
        return "a path needs slacks that cost what they are; choose the linear penalty"
    return needs_no_rules(problem) or learner.refuses(problem)


def _trained(
    problem: Problem, learner: Learner, eps: float, state: Any, seed: int, cancelled: Callable[[], bool]
) -> Generator[Trying, None, Step]:
    """Steps until the first whose own gap is at most half of eps; that one is returned."""
    last: Step | None = None
    for event in train(
        problem,
        learner,
        seed=seed,
        rule=Until(relative_gap=0.5 * eps),
        look_every=math.inf,
        state=state,
        cancelled=cancelled,
    ):
        if isinstance(event, Step):
            last = event
            yield Trying(price_of(learner), event.bounds.relative_gap)
        if isinstance(event, Evaluated) and last is not None and math.isnan(last.bounds.primal):
            last = replace(last, bounds=event.bounds)  # the rule was met by a look at this very step
        if isinstance(event, Stopped) and event.reason == "cancelled":
            raise Cancelled
        if isinstance(event, Stopped) and event.reason == NOT_EXACT:
            raise NotExact(event.sentence)
    if last is None or not last.bounds.relative_gap <= 0.5 * eps:
        found = math.nan if last is None else last.bounds.relative_gap
        raise Refused(
            f"{learner.title} stopped with a relative gap of {found:.3g}, which is more than half of eps = "
            f"{eps:g}; "
            "make its own tolerance smaller, or eps larger"
        )
    return last


def at(points: list[PathPoint], C: float) -> PathPoint:
    """The point whose interval holds C; of two, the one that proves the smaller gap."""
    holding = [point for point in points if point.low <= C <= point.high]
    if not holding:
        raise Refused(
            f"C = {C:g} lies outside the path, {points[0].low:g} to {max(p.high for p in points):g}"
        )
    return min(holding, key=lambda point: point.bounds_at(C).relative_gap)


def summary(points: list[PathPoint]) -> dict[str, Array]:
    """The path as columns, by rising C."""
    rows = sorted(points, key=lambda point: point.C)
    named = ("C", "low", "high", "train_loss", "test_loss", "oracle_calls", "seconds")
    columns = {name: np.array([float(getattr(point, name)) for point in rows]) for name in named}
    columns["norm"] = np.array([math.sqrt(squared_norm(point.w)) for point in rows])
    columns["gap"] = np.array([point.bounds.relative_gap for point in rows])
    return columns


__all__ = ["PathPoint", "Trying", "at", "interval_around", "path", "refusal", "summary", "tireless", "walk"]
