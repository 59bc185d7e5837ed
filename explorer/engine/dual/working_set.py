"""The planes that a cutting-plane learner has found so far, with their Gram matrix and multipliers.

Adding a plane costs one inner product with each plane already there; solving re-uses the multipliers; pruning
drops planes that carried no mass for a while. A snapshot shares its planes with the set (planes never
change), so a keyframe costs one small array. The snapshot holds no C: the same planes serve every C. Planes
are known by their inner products alone: those of plain vectors, or of the problem's own geometry.

With a free bias (`FreeBias`) the masses balance, sum_j alpha_j d_j = 0 for the bias features d_j, so w and
the Gram matrix may be made of a_j - d_j z instead of a_j, with any row z: with one amid the data no digits
are lost to how far they are from 0.

A price C beyond all proportion is not solved at: where C |a|^2 / b is K > 10^12, no double holds masses
whose sum is still w. The program is solved at the price at which that ratio is (10^16 K)^(1/3) instead, where
rounding and the change of price do the least harm together: w is (nearly) the same for all large C, and
masses that are then scaled to C prove a lower bound for C itself.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, replace
from typing import Any

import numpy as np

from explorer.engine.contracts import Geometry, Problem, Ruled
from explorer.engine.dual import qp
from explorer.engine.dual.free_bias import solve_with_bias
from explorer.engine.dual.optimality import residuals
from explorer.engine.events import EVERY_EXAMPLE
from explorer.engine.objective import Plane, anchor_of, cut_of, plane_of, priced_as
from explorer.engine.pricing import Penalty
from explorer.engine.vectors import Array, Ints, Vector, combine, dense, dot, scale, squared_norm, total

FIRST_RULE = -2
"""Rules of group g become planes of group FIRST_RULE - g; examples have groups 0, 1, ..., a 1-slack plane
-1.
"""


BEYOND = 1e12
"""From this size of C |a|^2 / b on, a price is beyond all proportion."""


class WorkingSet:
    """Planes in the order they were found; `alpha`, `idle` and `ids` run parallel to them.

    The id of a plane is the number of cuts found before it (-1 for a rule), so it survives pruning.
    """

    def __init__(
        self,
        dim: int,
        planes: Sequence[Plane] = (),
        found: int = 0,
        geometry: Geometry | None = None,
        anchor: Array | None = None,
    ) -> None:
        self.dim = dim
        self.geometry, self.anchor = geometry, anchor
        self.bias = 0.0
        self.largest = 0.0
        self.planes: list[Plane] = []
        self.alpha = np.zeros(0)
        self.idle = np.zeros(0, dtype=np.int64)
        self.ids = np.zeros(0, dtype=np.int64)
        self.found = found
        self._gram = np.zeros((8, 8))
        self._rows: Array | None = None
        self._w: tuple[Array, Array] | None = None
        self._solved: tuple[qp.Working, qp.Solution] | None = None
        for plane in planes:
            self.add(plane)

    def __len__(self) -> int:
        return len(self.planes)

    @property
    def gram(self) -> Array:
        """Inner products of all planes."""
        return self._gram[: len(self), : len(self)]

    @property
    def b(self) -> Array:
        """The slack that each plane asks for at w = 0."""
        return np.array([plane.b for plane in self.planes])

    def slots(self, examples: int) -> Ints:
        """Which price each plane's slack has: the examples' slacks come first, the rules' slacks after
        them.
        """
        group = np.array([plane.group for plane in self.planes], dtype=np.int64)
        return np.where(group <= FIRST_RULE, examples + FIRST_RULE - group, np.maximum(group, 0))

    def add(self, plane: Plane) -> None:
        """Put a plane in; its multiplier starts at 0."""
        k = len(self)
        products = self._products(plane)
        if k == len(self._gram):
            bigger = np.zeros((2 * k, 2 * k))
            bigger[:k, :k] = self._gram
            self._gram = bigger
        self._gram[k, : k + 1] = self._gram[: k + 1, k] = products
        self.planes.append(plane)
        self.alpha = np.append(self.alpha, 0.0)
        self.idle = np.append(self.idle, 0)
        if plane.group <= FIRST_RULE:
            self.ids = np.append(self.ids, -1)
        else:
            self.ids = np.append(self.ids, self.found)
            self.found += 1
            self.largest = max(self.largest, plane.b)

    def _products(self, plane: Plane) -> Array:
        """Inner products of a new plane with every earlier one and with itself."""
        if self.geometry is not None:
            return self.geometry.products([other.a for other in [*self.planes, plane]], plane.a)
        k, a = len(self), self._row(plane)
        if not isinstance(a, np.ndarray) or (k > 0 and self._rows is None):
            self._rows, a = None, dense(plane.a)
            return np.array([product(other.a, a) for other in [*self.planes, plane]])
        if self._rows is None or k == len(self._rows):
            rows = np.zeros((max(8, 2 * k), self.dim))
            if self._rows is not None:
                rows[:k] = self._rows
            self._rows = rows
        self._rows[k] = a
        return row_products(self._rows[: k + 1], a)

    def _row(self, plane: Plane) -> Vector:
        """The plane's features, measured from the anchor where there is one."""
        if self.anchor is None:
            return plane.a
        a = dense(plane.a)
        return a - a[0] * self.anchor

    def _tilts(self) -> Array:
        """d: the bias feature of every plane."""
        return np.array([dense(plane.a)[0] for plane in self.planes])

    def solve(
        self,
        problem: Problem,
        C: float,
        examples: int,
        tolerance: float,
        pulse: Callable[[], None] = lambda: None,
    ) -> qp.Solution:
        """Solve over these planes, from the multipliers at hand, with `examples` slacks of price C /
        examples.
        """
        prices = slack_prices(problem, C, examples)
        return self.solve_for(prices, self.slots(examples), problem.pricing.penalty, tolerance, pulse)

    def solve_for(
        self,
        prices: Array,
        slots: Ints,
        penalty: Penalty,
        tolerance: float,
        pulse: Callable[[], None] = lambda: None,
    ) -> qp.Solution:
        """Solve the dual over these planes; its value is taken at w itself.

        Where C is large the rounding of the Gram matrix alone, times alpha twice, would lift it above the
        optimum.
        """
        asked = qp.Working(np.ascontiguousarray(self.gram), self.b, slots, prices, penalty)
        program = replace(asked, weight=solvable(asked))
        solution = self._optimum(program, tolerance, pulse)
        self.alpha = solution.alpha
        self.idle = np.where(self.alpha > 0.0, 0, self.idle + 1)
        linear, bend = float(self.alpha @ self.b), self._norm2()
        spread = float(asked.ridge @ program.masses(self.alpha) ** 2)
        # Scaled by t the masses stay within the prices asked for; the parabola in t has its top at the best.
        soft = np.isfinite(asked.weight)
        longest = float(np.min(asked.weight[soft] / program.weight[soft])) if np.any(soft) else 1.0
        t = min(max(1.0, linear / (bend + spread)), longest) if bend + spread > 0.0 else 1.0
        return replace(solution, dual=t * linear - 0.5 * t * t * (bend + spread))

    def _optimum(self, program: qp.Working, tolerance: float, pulse: Callable[[], None]) -> qp.Solution:
        """The program solved from the multipliers at hand, with the bias that goes with it if one is free."""
        if self.anchor is None:
            solution = qp.solve(program, self.alpha, tolerance, pulse)
        else:
            d = self._tilts()
            solution, self.bias = solve_with_bias(program, d, self.bias, self.alpha, tolerance, pulse)
            program = replace(program, b=program.b - self.bias * d)
        self._solved = program, solution
        return solution

    def w(self) -> Array:
        """w = sum_j alpha_j a_j; a free bias is put where it belongs."""
        if self._w is None or self._w[0] is not self.alpha:
            self._w = self.alpha, self._weighted()
        return self._w[1]

    def _norm2(self) -> float:
        w = self.w()
        if self.anchor is not None:
            return squared_norm(w[1:])
        return squared_norm(w) if self.geometry is None else dot(self.geometry.lift(w), w)

    def _weighted(self) -> Array:
        if self._rows is not None:
            w = np.asarray(self.alpha @ self._rows[: len(self)])
            if self.anchor is not None:
                w[0] = self.bias - float(w[1:] @ self.anchor[1:])
            return w
        return combine(self.alpha, [plane.a for plane in self.planes], self.dim)

    def known_slacks(self, w: Array, examples: int) -> Array:
        """The slack that each example's planes ask for at w: the solution's own slack, but for rounding."""
        slot, found = self.slots(examples), np.zeros(examples)
        of_example = slot < examples
        np.maximum.at(found, slot[of_example], (self.b - self._margins(w))[of_example])
        return found

    def _margins(self, w: Array) -> Array:
        """w . a of every plane."""
        g = w if self.geometry is None else self.geometry.lift(w)
        if self._rows is None:
            return np.array([dot(g, plane.a) for plane in self.planes])
        from_anchor = row_products(self._rows[: len(self)], g)
        return from_anchor if self.anchor is None else from_anchor + self._tilts() * float(g @ self.anchor)

    def prune(self, longest: int) -> int:
        """Drop the planes that had no mass in the last `longest` solves, rules excepted; returns how many."""
        is_rule = np.array([plane.group <= FIRST_RULE for plane in self.planes], dtype=bool)
        keep = is_rule | (self.idle < longest)
        dropped = int(np.count_nonzero(~keep))
        if dropped:
            self._keep(np.flatnonzero(keep))
        return dropped

    def _keep(self, kept: Any) -> None:
        """Leave only the planes of these positions."""
        room = max(8, len(kept))
        gram = np.zeros((room, room))
        gram[: len(kept), : len(kept)] = self.gram[np.ix_(kept, kept)]
        self._gram = gram
        self.planes = [self.planes[j] for j in kept]
        self.alpha, self.idle, self.ids = self.alpha[kept], self.idle[kept], self.ids[kept]
        self._rows = None
        plain = self.geometry is None and all(isinstance(p.a, np.ndarray) for p in self.planes)
        if self.planes and (plain or self.anchor is not None):
            self._rows = np.array([self._row(plane) for plane in self.planes])

    def report(self) -> dict[str, Any]:
        """The set as a step tells it: each plane's mass, offset and number, how many were dropped so far, and
        how far the last solution is from the optimality conditions of its own program.
        """
        dropped = self.found - int(np.count_nonzero(self.ids >= 0))
        sizes = {"planes": len(self), "active": int(np.count_nonzero(self.alpha)), "dropped": dropped}
        return sizes | self._residuals() | {"alpha": self.alpha.copy(), "b": self.b, "ids": self.ids}

    def _residuals(self) -> dict[str, Array]:
        if self._solved is None:
            return {}
        program, solution = self._solved
        return {"residuals": np.array(astuple(residuals(program, solution.alpha, proof=solution)))}

    def snapshot(self, problem: Problem, C: float) -> dict[str, Any]:
        """Everything needed to go on from here, and under which prices and C the multipliers were found."""
        return {
            "planes": tuple(self.planes),
            "alpha": self.alpha.copy(),
            "idle": self.idle.copy(),
            "ids": self.ids.copy(),
            "found": self.found,
            "largest": self.largest,
            "bias": self.bias,
            "C": C,
            "scaling": problem.pricing.scaling,
            "priced_as": priced_as(problem),
        }


def row_products(rows: Array, a: Array) -> Array:
    """rows @ a, but rounded row by row.

    The rounding of a matrix product depends on how many rows there are, and a resumed run must rebuild the
    same bits.
    """
    return np.asarray(np.einsum("kd,d->k", rows, a))


def product(x: Vector, y: Array) -> float:
    """x . y with the same bits in every working set, whatever else is in it."""
    return float(row_products(x[None], y)[0]) if isinstance(x, np.ndarray) else dot(x, y)


def restore(problem: Problem, state: Mapping[str, Any] | None, C: float) -> WorkingSet:
    """The working set of a keyframe, priced for this problem and with its multipliers scaled to this C."""
    geometry, anchor = problem if isinstance(problem, Geometry) else None, anchor_of(problem)
    if state is None:
        return WorkingSet(problem.dim, rule_planes(problem), geometry=geometry, anchor=anchor)
    planes, same_prices = state["planes"], state["priced_as"] == priced_as(problem)
    if not same_prices:
        same_weights = state["scaling"] == problem.pricing.scaling == "margin"
        planes = tuple(reprice(problem, plane, same_weights) for plane in planes)
    working = WorkingSet(problem.dim, planes, geometry=geometry, anchor=anchor)
    working.bias = state.get("bias", 0.0)
    if same_prices:
        working.largest = state.get("largest", working.largest)
    same = state["C"] == C or not (math.isfinite(C) and math.isfinite(state["C"]))
    working.alpha = state["alpha"].copy() if same else state["alpha"] * (C / state["C"])
    working.idle, working.ids, working.found = state["idle"].copy(), state["ids"].copy(), state["found"]
    return working


def solved_program(problem: Problem, state: Mapping[str, Any]) -> tuple[qp.Working, Array]:
    """The quadratic program that the multipliers of a keyframe solve, and those multipliers."""
    working, C = restore(problem, state, state["C"]), state["C"]
    # A plane without mass that was never idle came after the solve, and waits for the next one.
    solved = np.flatnonzero((working.alpha > 0.0) | (working.idle > 0))
    shared = any(plane.group == EVERY_EXAMPLE for plane in working.planes)
    examples = 1 if shared else problem.n
    penalty: Penalty = "linear" if shared else problem.pricing.penalty
    gram, slots = working.gram[np.ix_(solved, solved)], working.slots(examples)[solved]
    b = working.b if anchor_of(problem) is None else working.b - working.bias * working._tilts()
    program = qp.Working(gram, b[solved], slots, slack_prices(problem, C, examples), penalty)
    return replace(program, weight=solvable(program)), working.alpha[solved]


def solvable(program: qp.Working) -> Array:
    """The prices of the slacks, those beyond all proportion lowered to what doubles can solve."""
    top, bend = np.max(np.abs(program.b), initial=0.0), np.max(np.diag(program.gram), initial=0.0)
    dearest = float(np.max(program.weight, initial=0.0, where=np.isfinite(program.weight)))
    if not dearest * bend > BEYOND * top > 0.0:
        return program.weight
    most = (1e16 * dearest * bend / top) ** (1.0 / 3.0) * float(top / bend)
    return np.where(np.isfinite(program.weight), np.minimum(program.weight, most), program.weight)


def reprice(problem: Problem, plane: Plane, same_weights: bool) -> Plane:
    """The same labelling as a plane under this problem's loss and pricing; margin scaling leaves its features
    alone.
    """
    if plane.group <= FIRST_RULE:
        return plane
    pairs = [(plane.group, plane.label)] if plane.group != EVERY_EXAMPLE else list(enumerate(plane.label))
    if same_weights:
        sizes = [problem.pricing.size(problem.loss(i, label)) for i, label in pairs]
        return Plane(plane.a, float(np.mean(sizes)), plane.group, plane.label)
    parts = [plane_of(problem, cut_of(problem, i, label)) for i, label in pairs]
    mean = scale(1.0 / len(parts), total((part.a for part in parts), problem.dim))
    return Plane(mean, float(np.mean([part.b for part in parts])), plane.group, plane.label)


def rule_planes(problem: Problem) -> tuple[Plane, ...]:
    """The problem's extra constraints as planes."""
    if not isinstance(problem, Ruled):
        return ()
    return tuple(Plane(rule.a, rule.b, FIRST_RULE - rule.group, None) for rule in problem.rules)


def slack_prices(problem: Problem, C: float, examples: int) -> Array:
    """The price of every slack: C / examples for each of the examples' slacks, then the rules' own
    weights.
    """
    prices = np.full(examples, C / examples)
    if not isinstance(problem, Ruled) or not problem.rules:
        return prices
    own = np.full(1 + max(rule.group for rule in problem.rules), math.inf)
    for rule in problem.rules:
        own[rule.group] = rule.weight
    return np.concatenate([prices, own])
