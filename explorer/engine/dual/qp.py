"""The working-set quadratic programs: solve, and certify.

    max_alpha  b . alpha - 1/2 alpha' G alpha - (squared penalty)  sum_g S_g^2 / (2 c_g)
    s.t.       alpha >= 0,   S_g = sum_{j in g} alpha_j <= c_g     (linear penalty)

c_g is the price of group g's slack: C / n for an example (n-slack), C for the one slack of the 1-slack form,
a rule's own weight, or infinity for a constraint without slack. The answer carries its own certificate: the
gap is computed from alpha alone, with twice the digits, whatever the methods claim. Cost: some microseconds
for ten planes, about a millisecond for a hundred.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from explorer.engine.dual import pair_and_face_steps as dual_qp
from explorer.engine.dual.accurate import accurate_gradient
from explorer.engine.pricing import Penalty
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints

FACE_LIMIT = 250
"""With more planes in use than this, exact steps wait until pair steps stall: they cost much."""

FEW_GROUPS = 4
"""With more slacks than this, pair steps go first: they settle many small groups faster than a face does."""

FACE_WORK = 1_000_000_000
"""Operations that one round of exact steps may take, so that a cancelled run is heard in time."""

PAIR_WORK = 10_000_000
"""Planes looked at by one run of pair steps, for the same reason."""

PATIENCE = 6
"""After this many rounds without progress, the gap is reported as it is."""

KEPT = 1e-10
"""A constraint without slack may be broken by this share of its group's largest right-hand side."""

HOPELESS = 1e13
"""Hard constraints whose multipliers exceed the natural size by this factor are called contradictory: w is
then some million times as long as loss / feature, and inner products, which hold the square of that, have
hardly a digit left to tell such a w from none.
"""

INSEPARABLE = (
    "no w of any reasonable size satisfies every hard constraint: the data cannot be separated by one; "
    "choose a finite C"
)


@dataclass(frozen=True, slots=True, eq=False)
class Working:
    """One restricted dual: Gram matrix, right-hand sides, group of each plane, price of each slack."""

    gram: Array
    b: Array
    group: Ints
    weight: Array
    penalty: Penalty = "linear"
    cap: Array = field(init=False, repr=False)
    """The bound on each group's mass; none under a squared penalty."""
    ridge: Array = field(init=False, repr=False)
    """The quadratic price of each group's mass; none under a linear penalty."""
    hard: "NDArray[np.bool_] | None" = field(init=False, repr=False)
    """Which groups may have no slack; None where all may."""

    def __post_init__(self) -> None:
        squared, groups = self.penalty == "squared", len(self.weight)
        hard = np.isinf(self.weight)
        object.__setattr__(self, "cap", np.full(groups, np.inf) if squared else self.weight)
        with np.errstate(divide="ignore"):  # a price of 0 is refused by whoever solves
            ridge = 1.0 / self.weight if squared else np.zeros(groups)
        object.__setattr__(self, "ridge", ridge)
        object.__setattr__(self, "hard", hard if hard.any() else None)

    def masses(self, alpha: Array) -> Array:
        """S_g, the mass of each group."""
        return np.asarray(np.bincount(self.group, alpha, len(self.weight)), dtype=float)


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """Multipliers with the bounds that they prove, the slack of each group, and the certified gap."""

    alpha: Array
    primal: float
    dual: float
    gap: float
    slack: Array
    reached: bool

    @property
    def relative_gap(self) -> float:
        """gap / |dual|; where the dual is 0, infinite if there is a gap."""
        if self.dual == 0.0:
            return math.inf if self.gap > 0.0 else 0.0
        return self.gap / abs(self.dual)

    @property
    def resolution(self) -> float:
        """What this solution cannot tell from the optimum: gaining less is no progress, and may never end."""
        return max(2.0 * self.gap, 1e-13 * abs(self.dual))


def solve(
    qp: Working,
    start: Array | None = None,
    tolerance: float = 1e-10,
    pulse: Callable[[], None] = lambda: None,
) -> Solution:
    """Solve to a relative gap of `tolerance`, or say in the solution what gap was reached.

    `start` is any earlier alpha (new planes at 0); `pulse` is called every few milliseconds of a long solve.
    Refuses what no w can satisfy: hard constraints that contradict each other.
    """
    check_numbers(qp)
    alpha = feasible(qp, np.zeros(len(qp.b)) if start is None else start)
    cap, ridge = qp.cap, qp.ridge
    grad = np.empty_like(alpha)
    common = (qp.gram, qp.b, qp.group, cap, ridge, alpha, grad)
    accurate_gradient(qp.gram, qp.b, qp.group, ridge, alpha, grad)
    best = at = certify(qp, alpha.copy(), grad)
    least, lowest = single_gain(qp), at.gap
    endless = qp.hard is not None
    pairs_next, stale = len(qp.weight) > FEW_GROUPS, 0
    while stale < PATIENCE and not is_solved(qp, at, tolerance, least):
        pulse()
        # Where the gap is small enough and a hard constraint is not kept yet, the gap must get smaller still.
        goal = min(tolerance * max(at.dual, least), 1e-3 * at.gap if endless else np.inf)
        in_use = int(np.count_nonzero(alpha))
        if pairs_next or (in_use > FACE_LIMIT and stale == 0):
            pair_round(qp, alpha, grad, goal, pulse)
        elif dual_qp.active_set(*common, goal, face_steps(in_use)) == dual_qp.UNBOUNDED:
            raise Refused(INSEPARABLE)
        refuse_hopeless(qp, alpha)
        accurate_gradient(qp.gram, qp.b, qp.group, ridge, alpha, grad)
        before, at = at, certify(qp, alpha.copy(), grad)
        rise = at.dual - before.dual
        # The method that gains little gives way to the other. So it does where the dual may be endless: pair
        # steps would climb it without end, exact steps see that it has none.
        if endless or rise < 0.1 * at.gap:
            pairs_next = not pairs_next
        progress = rise > 1e-2 * at.gap or at.gap < 0.9 * lowest
        stale, lowest = 0 if progress else stale + 1, min(lowest, at.gap)
        best = min(best, at, key=lambda found: distance(found, least))
    inside = feasible(qp, best.alpha)
    found = best if (inside == best.alpha).all() else certify(qp, inside)
    return replace(found, reached=is_solved(qp, found, tolerance, least))


def pair_round(qp: Working, alpha: Array, grad: Array, goal: float, pulse: Callable[[], None]) -> None:
    """Many pair steps in place, in runs of some hundredths of a second."""
    cap, ridge, k = qp.cap, qp.ridge, len(alpha)
    left, most = 2000 + 10 * k, max(100, PAIR_WORK // max(1, k))
    while left > 0:
        asked = min(left, most)
        if dual_qp.pair_steps(qp.gram, qp.b, qp.group, cap, ridge, alpha, grad, goal, asked) < asked:
            return
        left -= asked
        pulse()


def is_solved(qp: Working, at: Solution, tolerance: float, least: float) -> bool:
    """Whether the gap is small enough, and every constraint without slack is kept."""
    hard = qp.hard
    kept = hard is None or bool(np.all(at.slack[hard] <= KEPT * sizes(qp)[hard]))
    return kept and distance(at, least) <= tolerance


def sizes(qp: Working) -> Array:
    """The largest right-hand side of each group; where that is 0, of all of them."""
    own = np.zeros(len(qp.weight))
    np.maximum.at(own, qp.group, np.abs(qp.b))
    return np.where(own > 0.0, own, np.max(own, initial=0.0))


def distance(at: Solution, least: float) -> float:
    """The gap relative to the dual, or to what the dual is known to reach."""
    return at.gap / max(at.dual, least, 1e-300)


def face_steps(in_use: int) -> int:
    """As many exact steps as a face of this size may need, or as take about a tenth of a second."""
    return max(3, min(3 * in_use + 30, FACE_WORK // (in_use + 1) ** 3))


def refuse_hopeless(qp: Working, alpha: Array) -> None:
    """Refuse when hard constraints ask for a w beyond all proportion: their multipliers grow without end."""
    hard = qp.hard
    if hard is not None:
        mass = float(np.max(qp.masses(alpha)[hard], initial=0.0))
        natural = dual_qp.mass_unit(qp.gram, qp.b) + 1e-6 * float(np.sum(qp.weight[~hard]))
        if mass > HOPELESS * natural:
            raise Refused(INSEPARABLE)


def single_gain(qp: Working) -> float:
    """What the best plane alone lifts the dual by: a lower bound on the optimum, and a scale for gaps."""
    bend = np.maximum(np.diag(qp.gram) + qp.ridge[qp.group], 1e-300)
    with np.errstate(over="ignore", invalid="ignore"):
        mass = np.minimum(qp.cap[qp.group], np.maximum(qp.b, 0.0) / bend)
        gains = qp.b * mass - 0.5 * bend * mass**2
    gains = np.where(np.isfinite(gains), gains, 0.0)
    return float(np.max(gains, initial=0.0))


def check_numbers(qp: Working) -> None:
    """Refuse what has no answer before any compiled code sees it."""
    if not (np.isfinite(qp.gram).all() and np.isfinite(qp.b).all()):
        bad = int(np.flatnonzero(~np.isfinite(qp.b) | ~np.all(np.isfinite(qp.gram), axis=1))[0])
        raise Refused(f"plane {bad} holds a NaN or infinite number: check features and losses of its example")
    if not (qp.weight > 0.0).all():  # NaN is not above 0 either
        raise Refused("every slack needs a positive price: choose C > 0")


def feasible(qp: Working, alpha: Array) -> Array:
    """The same multipliers shrunk where a group's mass exceeds its bound (a smaller C, say)."""
    alpha = np.maximum(alpha, 0.0)
    used = qp.masses(alpha)
    over = used > qp.cap
    if not over.any():
        return alpha
    shrink = np.ones(len(used))
    shrink[over] = qp.cap[over] / used[over]
    return np.asarray(alpha * shrink[qp.group])


def certify(qp: Working, alpha: Array, grad: Array | None = None) -> Solution:
    """The bounds that alpha proves, computed from nothing but alpha and the problem."""
    if grad is None:
        grad = np.empty(len(alpha))
        accurate_gradient(qp.gram, qp.b, qp.group, qp.ridge, alpha, grad)
    used = qp.masses(alpha)
    pull = grad + qp.ridge[qp.group] * used[qp.group] if qp.penalty == "squared" else grad
    slack = np.zeros(len(qp.weight))
    np.maximum.at(slack, qp.group, pull)
    # A slack without a price is the caller's to judge: it is a broken constraint, not a cost.
    weight = qp.weight if qp.hard is None else np.where(qp.hard, 0.0, qp.weight)
    half = 0.5 * float(alpha @ (qp.b - pull))
    price = float((0.5 * weight * slack**2 if qp.penalty == "squared" else weight * slack).sum())
    dual = float(alpha @ qp.b) - half - 0.5 * float(qp.ridge @ used**2)
    unit = dual_qp.mass_unit(qp.gram, qp.b)
    gap = dual_qp.gap(qp.group, qp.cap, qp.ridge, alpha, grad, unit)
    return Solution(alpha, half + price, dual, gap, slack, reached=False)
