"""The working-set quadratic programs: solve, certify, and compare with an independent solver.

    max_alpha  b . alpha - 1/2 alpha' G alpha - (squared penalty)  sum_g S_g^2 / (2 c_g)
    s.t.       alpha >= 0,   S_g = sum_{j in g} alpha_j <= c_g     (linear penalty)

c_g is the price of group g's slack: C / n for an example (n-slack), C for the one slack of the 1-slack form,
a rule's own weight, or infinity for a constraint without slack. The answer carries its own certificate: the
gap is computed from alpha alone, with twice the digits, whatever the methods claim. Cost: some microseconds
for ten planes, about a millisecond for a hundred.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from explorer.engine.dual import pair_and_face_steps as dual_qp
from explorer.engine.dual.accurate import accurate_gradient
from explorer.engine.pricing import Penalty
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints

FACE_LIMIT = 250
"""With more planes in use than this, exact steps wait until pair steps stall: they are dear."""

FEW_GROUPS = 4
"""With more slacks than this, pair steps go first: they settle many small groups faster than a face does."""

FACE_WORK = 1_000_000_000
"""Operations that one round of exact steps may take, so that a cancelled run is heard in time."""

PAIR_WORK = 10_000_000
"""Planes looked at by one run of pair steps, for the same reason."""

PATIENCE = 6
"""After this many rounds without progress, the gap is reported as it is."""

KEPT = 1e-8
"""A constraint without slack may be broken by this much, relative to the largest right-hand side."""

HOPELESS = 1e13
"""Hard constraints whose multipliers exceed the natural size by this factor are called contradictory."""

INSEPARABLE = "no w satisfies every hard constraint: the data cannot be separated; choose a finite C"


@dataclass(frozen=True, slots=True, eq=False)
class Working:
    """One restricted dual: Gram matrix, right-hand sides, group of each plane, price of each slack."""

    gram: Array
    b: Array
    group: Ints
    weight: Array
    penalty: Penalty = "linear"

    @property
    def cap(self) -> Array:
        """The bound on each group's mass; none under a squared penalty."""
        return self.weight if self.penalty == "linear" else np.full(len(self.weight), np.inf)

    @property
    def ridge(self) -> Array:
        """The quadratic price of each group's mass; none under a linear penalty."""
        return 1.0 / self.weight if self.penalty == "squared" else np.zeros(len(self.weight))


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
        """gap / |dual|."""
        return self.gap / abs(self.dual) if self.dual else math.inf if self.gap > 0 else 0.0

    @property
    def resolution(self) -> float:
        """What this solution cannot tell from the optimum: gaining less is no progress, and may go on for
        ever.
        """
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
    least = single_gain(qp)
    endless = bool(np.any(np.isinf(qp.weight)))
    pairs_next, stale = len(qp.weight) > FEW_GROUPS, 0
    while stale < PATIENCE and not met(qp, at, tolerance, least):
        pulse()
        goal, in_use = tolerance * max(abs(at.dual), least), int(np.count_nonzero(alpha))
        if pairs_next or (in_use > FACE_LIMIT and stale == 0):
            pair_round(qp, alpha, grad, goal, pulse)
        elif dual_qp.active_set(*common, goal, face_steps(in_use)) == dual_qp.UNBOUNDED:
            raise Refused(INSEPARABLE)
        refuse_hopeless(qp, alpha)
        accurate_gradient(qp.gram, qp.b, qp.group, ridge, alpha, grad)
        before, at = at, certify(qp, alpha.copy(), grad)
        rise = at.dual - before.dual
        # Pair steps climb an endless dual for ever; exact steps see that it is endless.
        pairs_next ^= endless or rise < 0.1 * at.gap
        stale = 0 if rise > 1e-2 * at.gap or at.gap < 0.9 * best.gap else stale + 1
        best = min(best, at, key=lambda found: distance(found, least))
    inside = feasible(qp, best.alpha)
    found = best if np.array_equal(inside, best.alpha) else certify(qp, inside)
    return replace(found, reached=met(qp, found, tolerance, least))


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


def met(qp: Working, at: Solution, tolerance: float, least: float) -> bool:
    """Whether the gap is small enough, and every constraint without slack is kept."""
    broken = float(np.max(at.slack[np.isinf(qp.weight)], initial=0.0))
    kept = broken <= KEPT * float(np.max(np.abs(qp.b), initial=0.0))
    return kept and distance(at, least) <= tolerance


def distance(at: Solution, least: float) -> float:
    """The gap relative to the dual, or to what the dual is known to reach."""
    return at.gap / max(abs(at.dual), least, 1e-300)


def face_steps(in_use: int) -> int:
    """As many exact steps as a face of this size may need, or as take about a tenth of a second."""
    return max(3, min(3 * in_use + 30, FACE_WORK // (in_use + 1) ** 3))


def refuse_hopeless(qp: Working, alpha: Array) -> None:
    """Refuse when hard constraints ask for a w beyond all proportion: their multipliers grow without end."""
    hard = np.isinf(qp.weight)
    if np.any(hard):
        mass = float(np.max(np.bincount(qp.group, alpha, len(qp.weight))[hard], initial=0.0))
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
    if not (np.all(np.isfinite(qp.gram)) and np.all(np.isfinite(qp.b))):
        bad = int(np.flatnonzero(~np.isfinite(qp.b) | ~np.all(np.isfinite(qp.gram), axis=1))[0])
        raise Refused(f"plane {bad} holds a NaN or infinite number: check features and losses of its example")
    if np.any(qp.weight <= 0.0) or np.any(np.isnan(qp.weight)):
        raise Refused("every slack needs a positive price: choose C > 0")


def feasible(qp: Working, alpha: Array) -> Array:
    """The same multipliers shrunk where a group's mass exceeds its bound (a smaller C, say)."""
    alpha = np.maximum(alpha, 0.0)
    used = np.bincount(qp.group, alpha, len(qp.weight)) if len(alpha) else np.zeros(len(qp.weight))
    shrink = np.ones(len(used))
    over = used > qp.cap
    shrink[over] = qp.cap[over] / used[over]
    return np.asarray(alpha * shrink[qp.group])


def certify(qp: Working, alpha: Array, grad: Array | None = None) -> Solution:
    """The bounds that alpha proves, computed from nothing but alpha and the problem."""
    if grad is None:
        grad = np.empty(len(alpha))
        accurate_gradient(qp.gram, qp.b, qp.group, qp.ridge, alpha, grad)
    used = np.bincount(qp.group, alpha, len(qp.weight)) if len(alpha) else np.zeros(len(qp.weight))
    pull = grad + qp.ridge[qp.group] * used[qp.group]
    slack = np.zeros(len(qp.weight))
    np.maximum.at(slack, qp.group, pull)
    hard = np.isinf(qp.weight)
    half = 0.5 * float(alpha @ (qp.b - pull))
    if qp.penalty == "squared":
        price = float(np.sum(np.where(hard, 0.0, 0.5 * np.where(hard, 1.0, qp.weight) * slack**2)))
    else:
        price = float(np.sum(np.where(hard, 0.0, np.where(hard, 1.0, qp.weight) * slack)))
    dual = float(alpha @ qp.b) - half - 0.5 * float(qp.ridge @ used**2)
    unit = dual_qp.mass_unit(qp.gram, qp.b)
    gap = dual_qp.gap(qp.group, qp.cap, qp.ridge, alpha, grad, unit)
    return Solution(alpha, half + price, dual, gap, slack, reached=False)


@dataclass(frozen=True, slots=True)
class Residuals:
    """How far multipliers are from the optimality conditions, each relative to the problem's own scale."""

    stationarity: float
    primal_feasibility: float
    dual_feasibility: float
    complementarity: float
    gap: float

    @property
    def worst(self) -> float:
        """The largest of them."""
        return max(
            self.stationarity, self.primal_feasibility, self.dual_feasibility, self.complementarity, self.gap
        )


def residuals(
    qp: Working, alpha: Array, slack: Array | None = None, proof: Solution | None = None
) -> Residuals:
    """Check a claimed solution: multipliers, and the slacks that go with them when given; `proof` is what
    `certify` said.

    Stationarity in the slack: the price of slack g equals S_g plus the multiplier of slack_g >= 0.
    """
    proof = proof or certify(qp, np.maximum(alpha, 0.0))
    xi = proof.slack if slack is None else slack
    used = np.bincount(qp.group, alpha, len(qp.weight))
    pull = qp.b - qp.gram @ alpha
    top = max(1e-150, float(np.max(np.abs(qp.b), initial=0.0)))
    soft = np.isfinite(qp.weight)
    price = np.where(soft, qp.weight, 1.0)
    asked = used / price - (xi if qp.penalty == "squared" else 1.0)
    # beta = price - S_g is the multiplier of slack >= 0: it may be positive only where the slack is zero.
    stationarity = np.where(soft, np.where(xi > 1e-9 * top, np.abs(asked), np.maximum(asked, 0.0)), 0.0)
    mass = max(1e-150, float(np.sum(np.abs(alpha))))
    return Residuals(
        stationarity=float(np.max(stationarity, initial=0.0)),
        primal_feasibility=float(np.max(pull - xi[qp.group], initial=0.0)) / top,
        dual_feasibility=max(0.0, float(np.max(-alpha, initial=0.0))) / mass,
        complementarity=float(np.sum(np.abs(alpha * (pull - xi[qp.group])))) / (mass * top),
        gap=proof.gap / max(abs(proof.dual), 1e-300) if proof.gap > 0 else 0.0,
    )


def referee(qp: Working) -> Solution:
    """The same problem through cvxpy and Clarabel, from its primal form, sharing no code with `solve`."""
    import cvxpy  # slow to import, and only the referee needs it

    cp: Any = cvxpy

    roots = np.linalg.eigh(qp.gram)
    factor = roots.eigenvectors * np.sqrt(np.maximum(roots.eigenvalues, 0.0))
    w, xi = cp.Variable(len(qp.b)), cp.Variable(len(qp.weight), nonneg=True)
    soft = np.flatnonzero(np.isfinite(qp.weight))
    price = xi[soft] ** 2 / 2 if qp.penalty == "squared" else xi[soft]
    rules = [factor @ w >= qp.b - xi[qp.group]]
    rules += [xi[g] == 0 for g in np.flatnonzero(np.isinf(qp.weight))]
    goal = cp.Minimize(cp.sum_squares(w) / 2 + qp.weight[soft] @ price)
    program = cp.Problem(goal, rules)
    program.solve(solver=cp.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
    if program.status not in ("optimal", "optimal_inaccurate"):
        raise Refused(f"the independent solver says {program.status!r}: no w satisfies every hard constraint")
    return certify(qp, np.maximum(np.asarray(rules[0].dual_value), 0.0))
