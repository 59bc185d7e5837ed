"""Visits for any problem, one oracle call at a time: every cut is kept as its plane, and steps are those of a
learner's file.

A visit asks the oracle at the newest w, joins the answer to the example's cuts if it is violated more than
they are, takes the learner's steps between them, and lets w follow. Compiled visits do the same, number by
number.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.contracts import Problem, Visits
from explorer.engine.dual.block_steps import free_mass
from explorer.engine.dual.slots import forget, join_cut, own_slots, room
from explorer.engine.events import Cut
from explorer.engine.objective import Plane, check_oracle, cut_of, plane_of, slacks, sweep, violation
from explorer.engine.vectors import Array, Ints, add_into, dot
from explorer.engine.visits import Cache, Plan


@dataclass(slots=True, eq=False)
class Block:
    """One example's cuts as a step sees them; the first is the truth, with a = 0 and b = 0, which holds the
    free mass.

    A step changes `alpha`, keeps the violations g = b - w . a up to date, and adds what alpha gained to
    `moved`.
    """

    cap: float
    g: Array
    gram: Array
    alpha: Array
    moved: Array

    @property
    def most_violated(self) -> int:
        """The cut with the largest g."""
        return int(self.g.argmax())

    @property
    def least_violated(self) -> int:
        """The cut with the smallest g among those with mass."""
        return int(np.where(self.alpha > 0.0, self.g, np.inf).argmin())

    def transfer(self, t: float, taker: int, giver: int) -> None:
        """Move mass t from one cut to another."""
        self.g -= t * self.gram[:, taker]
        self.g += t * self.gram[:, giver]
        for mass in (self.alpha, self.moved):
            mass[taker] += t
            mass[giver] -= t

    def settle(self, step: "BlockStep", most: int) -> None:
        """Take at most this many steps, while the dual rises."""
        for _ in range(most):
            self.alpha[0] = free_mass(self.cap, self.alpha[1:])
            if not step(self):
                return


BlockStep = Callable[[Block], bool]
"""A step of a learner within one block; whether the dual rose."""


class PlainVisitor:
    """Visits of any problem; `steps` says what each rule of a plan does."""

    def __init__(self, problem: Problem, steps: Mapping[int, BlockStep]) -> None:
        self.problem, self.steps = problem, steps
        self.places = np.zeros(problem.n + 1, np.int64)
        self.planes: list[list[Plane]] = [[] for _ in range(problem.n)]

    def slacks(self, w: Array) -> Array:
        """Every example's slack at w, by one full oracle pass."""
        return slacks(self.problem, sweep(self.problem, w))

    def visit(self, w: Array, order: Ints, cache: Cache, plan: Plan, born: int) -> Sequence[Cut]:
        """Visit the examples in this order, moving w; the cuts found."""
        found: list[Cut] = []
        for i in order:
            cut = self._visit_one(int(i), w, cache, plan, born + len(found))
            if cut is not None:
                found.append(cut)
        return found

    def _visit_one(self, i: int, w: Array, cache: Cache, plan: Plan, number: int) -> Cut | None:
        """Ask and join, step, move w, forget; a new cut gets this number."""
        g = self._violations(w, i)
        worst = float(g.max())
        new = None
        if plan.exact:
            cut = self.problem.oracle(w, i)
            check_oracle(self.problem, w, cut, worst)
            known, worst = worst, max(worst, violation(self.problem, w, cut))
            if worst > known + 1e-9 * max(self.problem.pricing.size(cut.loss), known):
                new = cut if self._has_room(i, cache) else None
        if new is not None:
            self._join(i, plane_of(self.problem, new), cache, number)
            g = self._violations(w, i)
        block = self._block(i, g, cache, plan.cap)
        cache.worst[i] = worst
        cache.gaps[i] = plan.cap * worst - float(block.g[1:] @ block.alpha[1:])
        block.settle(self.steps[plan.rule], plan.steps)
        own_slots(cache, i).alpha[: len(self.planes[i])] = block.alpha[1:]
        for by, plane in zip(block.moved[1:], self.planes[i], strict=True):
            if by:
                add_into(w, float(by), plane.a)
        if plan.exact:
            self._forget(i, cache, plan.keep)
        return new

    def _violations(self, w: Array, i: int) -> Array:
        """g of the truth, and of the cuts that example i holds."""
        return np.array([0.0, *(plane.b - dot(w, plane.a) for plane in self.planes[i])])

    def _block(self, i: int, g: Array, cache: Cache, cap: float) -> Block:
        """Example i's cuts, after the truth."""
        m, own = len(self.planes[i]), own_slots(cache, i)
        alpha, gram = np.zeros(m + 1), np.zeros((m + 1, m + 1))
        alpha[1:], gram[1:, 1:] = own.alpha[:m], own.gram[:m, :m]
        return Block(cap, g, gram, alpha, np.zeros(m + 1))

    def _join(self, i: int, plane: Plane, cache: Cache, number: int) -> None:
        """Give example i one more cut, without mass yet."""
        self.planes[i].append(plane)
        self._gram_column(i, join_cut(cache, i, own_slots(cache, i), plane.b, number), cache)

    def _gram_column(self, i: int, q: int, cache: Cache) -> None:
        """Products of plane q with itself and every older one."""
        planes, own = self.planes[i], own_slots(cache, i)
        for r, other in enumerate(planes):
            if own.ids[r] <= own.ids[q]:
                own.gram[q, r] = own.gram[r, q] = dot(planes[q].a, other.a)

    def _has_room(self, i: int, cache: Cache) -> bool:
        """Whether example i can take one more cut, the longest idle one making way if it must."""
        before = own_slots(cache, i).ids[: len(self.planes[i])].copy()
        has_room = room(cache, i)
        self._follow(i, cache, before)
        return has_room

    def _forget(self, i: int, cache: Cache, keep: int) -> None:
        """Drop the cuts that had no mass in the last `keep` visits."""
        before = own_slots(cache, i).ids[: len(self.planes[i])].copy()
        forget(cache, i, own_slots(cache, i), keep)
        self._follow(i, cache, before)

    def _follow(self, i: int, cache: Cache, before: Ints) -> None:
        """Bring the planes into the order that the slots have now."""
        count = int(cache.held[i])
        if count < len(before):
            at = {int(number): plane for number, plane in zip(before, self.planes[i], strict=True)}
            self.planes[i] = [at[int(number)] for number in own_slots(cache, i).ids[:count]]

    def join(self, parts: list[Any]) -> Sequence[Cut]:
        """Cuts of several visits, in order."""
        return tuple(cut for part in parts for cut in part)

    def keep_since(self, cache: Cache, since: int) -> Sequence[Cut]:
        """Plain visits recombine nothing, so without the oracle they find no cut."""
        return ()

    def labels(self, cache: Cache) -> tuple[Plane, ...]:
        """The planes themselves: an oracle's own features may differ from `features` in their last bits."""
        return tuple(plane for planes in self.planes for plane in planes)

    def take_labels(self, cache: Cache, labels: Any, same_prices: bool) -> None:
        """Keep these planes; labellings as numbers, or of other prices, are priced for this problem."""
        planes = iter(
            labels if same_prices and not isinstance(labels, np.ndarray) else self._priced(cache, labels)
        )
        self.planes = [[next(planes) for _ in range(count)] for count in cache.held]

    def _priced(self, cache: Cache, labels: Any) -> list[Plane]:
        """A snapshot's cuts as planes of this problem."""
        owner = np.repeat(np.arange(self.problem.n), cache.held)
        if isinstance(labels, np.ndarray):
            assert isinstance(self.problem, Visits)
            ends = np.cumsum(np.diff(self.problem.places)[owner])
            parts = np.split(labels, ends[:-1]) if len(ends) else []
            known = [self.problem.labelling(int(i), part) for i, part in zip(owner, parts, strict=True)]
        else:
            known = [plane.label for plane in labels]
        return [
            plane_of(self.problem, cut_of(self.problem, int(i), y)) for i, y in zip(owner, known, strict=True)
        ]

    def rebuild(self, cache: Cache) -> Array:
        """Losses and Gram matrices of all cuts; returns w = sum of alpha a."""
        w = np.zeros(self.problem.dim)
        for i, planes in enumerate(self.planes):
            own = own_slots(cache, i)
            for q, plane in enumerate(planes):
                own.size[q] = plane.b
                self._gram_column(i, q, cache)
                add_into(w, float(own.alpha[q]), plane.a)
        return w
