"""A point of the dual kept example by example: each example's own cuts, their masses and their Gram matrix.

Block-coordinate learners go from example to example and move mass between that example's cuts; w follows.
Where the problem offers compiled visits (`Visits`) a whole pass is one call and only labellings are stored;
otherwise the same steps are taken from Python, with any oracle. Memory: for each example its labellings and
their Gram matrix, m^2 numbers where it holds m cuts (`slots`); never n x dim. A snapshot holds labellings,
masses and ages; Gram matrices are made again from them, bit for bit.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from explorer.engine.contracts import Batch, Problem, Visits
from explorer.engine.dual.block_steps import PAIRWISE
from explorer.engine.dual.compiled_visitor import CompiledVisitor
from explorer.engine.dual.plain_visitor import BlockStep, PlainVisitor
from explorer.engine.dual.slots import laid_out, space_for, with_space
from explorer.engine.events import Cut
from explorer.engine.objective import chunks, priced_as
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints, squared_norm
from explorer.engine.visits import Cache, Plan, cuts_in, empty_cache, owners

FEW = 16
"""An example that holds this many cuts drops an idle one before it takes another."""

MOST_PRODUCTS = 1 << 27
"""Gram matrices would take no more numbers than this if every example held the most cuts it may: then a new
cut waits until an older one loses its mass.
"""

SAMPLINGS = ("gap", "uniform")
MOST_VISITS = 10
"""An example is expected in a pass no more often than this, however large its gap: its neighbours move w
too.
"""

UNIFORM_EVERY = 3
"""With gap sampling every third pass visits all examples, so that no gap grows old (Osokin et al. 2016)."""

SETTLED = 0.1
"""Cached passes end when what they could still gain is this share of what the exact pass before them left."""

SOLVED = 0.01
"""Passes over what was seen end when they could gain no more than this share of what the first of them
could.
"""


class Visitor(Protocol):
    """Who visits examples, and keeps of every cut what the cache does not: its labelling as numbers, or its
    plane.

    Labellings are `places[i + 1] - places[i]` numbers of the cache. `labels` gives what is kept of the cuts
    in it, example by example, and `take_labels` takes it back; `keep_since` drops what recombining visits
    found in vain; `rebuild` prices all cuts again and returns w = sum of alpha a.
    """

    places: Ints

    def slacks(self, w: Array) -> Array: ...
    def visit(self, w: Array, order: Ints, cache: Cache, plan: Plan, born: int) -> Sequence[Cut]: ...
    def join(self, parts: list[Any]) -> Sequence[Cut]: ...
    def keep_since(self, cache: Cache, since: int) -> Sequence[Cut]: ...
    def labels(self, cache: Cache) -> Any: ...
    def take_labels(self, cache: Cache, labels: Any, same_prices: bool) -> None: ...
    def rebuild(self, cache: Cache) -> Array: ...


class DualBlocks:
    """The cuts, masses and w of a run; `visit` goes on, `snapshot` keeps it."""

    def __init__(self, problem: Problem, C: float, visitor: Visitor, few: int = FEW) -> None:
        self.problem, self.share, self.visitor = problem, C / problem.n, visitor
        self.w = np.zeros(problem.dim)
        self.born = 0
        self.alphabet, self.revisits = (
            (problem.alphabet, problem.revisits) if isinstance(problem, Visits) else (0, True)
        )
        self.chunk = problem.chunk if isinstance(problem, Batch) else 1
        lengths, most = np.diff(visitor.places), most_cuts(problem.n, few)
        self.cache = empty_cache(lengths, few, most, problem.dim, self.alphabet)

    @property
    def dual(self) -> float:
        """The lower bound at w: sum of alpha b - 1/2 |w|^2."""
        at = cuts_in(self.cache)
        return float(np.vdot(self.cache.alpha[at], self.cache.size[at])) - 0.5 * squared_norm(self.w)

    @property
    def gap_estimate(self) -> float:
        """The sum of the gaps that each example had when it was last visited, each at another w: no
        certificate.
        """
        return float(np.sum(self.cache.gaps))

    def slacks(self) -> Array:
        """Every example's slack at w, by one full oracle pass."""
        return self.visitor.slacks(self.w)

    def order(self, rng: np.random.Generator, sampling: str, passes: int) -> Ints:
        """The examples of a pass: each once, or drawn in proportion to their last gaps (every third pass is
        uniform).
        """
        gaps = np.maximum(self.cache.gaps, 0.0)
        if sampling == "uniform" or passes % UNIFORM_EVERY == 0 or not np.any(gaps):
            return rng.permutation(len(gaps))
        shares = np.cumsum(np.minimum(gaps, MOST_VISITS * np.mean(gaps)))
        return np.searchsorted(shares, shares[-1] * rng.random(len(gaps)), side="right")

    def visit(self, order: Ints, plan: Plan) -> Sequence[Cut]:
        """Visit the examples in this order; returns the cuts found."""
        parts = []
        for lo, hi in chunks(len(order), self.chunk):
            if plan.exact or plan.recombine:
                self._make_space(order[lo:hi])
            found = self.visitor.visit(self.w, order[lo:hi], self.cache, plan, self.born)
            self.born += len(found)
            parts.append(found)
        return self.join(parts)

    def _make_space(self, order: Ints) -> None:
        """See to it that whatever visits in this order find has a place."""
        cache, space = self.cache, space_for(self.cache, order)
        if np.any(cache.ends + space > (len(cache.alpha), len(cache.gram), len(cache.labels))):
            self.cache = with_space(cache, space)

    def join(self, parts: list[Any]) -> Sequence[Cut]:
        """Cuts of several visits, in order."""
        return self.visitor.join(parts)

    def visit_cached(self, rng: np.random.Generator, plan: Plan, most: int) -> None:
        """Passes over the cached cuts alone, until they have little left to gain; the gaps stay those of the
        oracle.
        """
        gaps, left = self.cache.gaps.copy(), self.gap_estimate
        for _ in range(most if self.revisits or plan.rule != PAIRWISE else 0):
            self.visit(rng.permutation(len(gaps)), plan._replace(exact=False))
            if self.gap_estimate <= SETTLED * left:
                break
        self.cache.gaps[:] = gaps

    def visit_seen(self, rng: np.random.Generator, plan: Plan, most: int) -> Sequence[Cut]:
        """Passes over everything that labellings seen so far can be recombined to, until little is left to
        gain.

        Returns the cuts that this made and that have mass; the others are not kept, since they can be made
        again.
        """
        since, left = self.born, np.inf
        for k in range(most):
            self.visit(rng.permutation(self.problem.n), plan._replace(exact=False, recombine=True))
            left = left if k else self.gap_estimate
            if self.gap_estimate <= SOLVED * left:
                break
        found = self.visitor.keep_since(self.cache, since)
        self.born = since + len(found)
        return found

    def sweep(self, plan: Plan) -> tuple[Sequence[Cut], Array]:
        """One exact pass over all examples at this w: the cuts it adds, without mass yet, and every slack."""
        found = self.visit(np.arange(self.problem.n), plan._replace(steps=0))
        return found, self.cache.worst.copy()

    def planes(self) -> dict[str, Any]:
        """Every cut held, in the order in which they were found: example, number, mass and loss."""
        cache, at = self.cache, cuts_in(self.cache)
        ids = np.take(cache.ids, at)
        order = np.argsort(ids)
        at = at[order]
        alpha = np.take(cache.alpha, at)
        found = {
            "example": owners(cache)[order],
            "ids": ids[order],
            "alpha": alpha,
            "b": np.take(cache.size, at),
        }
        dropped = self.born - len(ids)
        return found | {"planes": len(ids), "active": int(np.count_nonzero(alpha)), "dropped": dropped}

    def snapshot(self) -> dict[str, Any]:
        """Everything needed to go on from here, under any C and loss."""
        cache, at = self.cache, cuts_in(self.cache)
        return {
            "w": self.w.copy(),
            "share": self.share,
            "priced_as": priced_as(self.problem),
            "count": cache.held.copy(),
            "alpha": np.take(cache.alpha, at),
            "age": np.take(cache.age, at),
            "ids": np.take(cache.ids, at),
            "gaps": cache.gaps.copy(),
            "born": self.born,
            "labels": self.visitor.labels(cache),
            "seen": np.packbits(cache.seen),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over the cuts of a snapshot, priced for this problem, their masses scaled to this C, or
        by less where the dual is higher there.
        """
        check_snapshot(state, self.problem.n, self.cache.most)
        held = np.asarray(state["count"], np.int64)
        self.cache, self.born = laid_out(self.cache, held, held, np.zeros(3, np.int64)), state["born"]
        cache, at = self.cache, cuts_in(self.cache)
        np.put(cache.alpha, at, state["alpha"] * (self.share / state["share"]))
        np.put(cache.age, at, state["age"])
        np.put(cache.ids, at, state["ids"])
        cache.gaps[:] = state["gaps"]
        same_prices = state["priced_as"] == priced_as(self.problem)
        self.visitor.take_labels(cache, state["labels"], same_prices)
        self._take_seen(np.asarray(state.get("seen", ())))
        self.w = self.visitor.rebuild(cache)
        if same_prices and self.share == state["share"]:
            self.w = state["w"].copy()
        else:
            self._shrink_masses()

    def _shrink_masses(self) -> None:
        """Scale all masses by the t in 0 .. 1 at which the dual t b . alpha - t^2 / 2 |w|^2 is highest."""
        at, norm = cuts_in(self.cache), squared_norm(self.w)
        linear = float(np.vdot(self.cache.alpha[at], self.cache.size[at]))
        if linear < norm:
            self.cache.alpha[at] *= linear / norm
            self.w *= linear / norm

    def _take_seen(self, packed: Any) -> None:
        """What had been seen, if the snapshot says; the states of its own labellings are marked when it is
        rebuilt.
        """
        seen = self.cache.seen
        if packed.dtype == np.uint8 and len(packed) == (seen.size + 7) // 8:
            seen[...] = np.unpackbits(packed, count=seen.size).reshape(seen.shape)


def most_cuts(n: int, few: int) -> int:
    """The most cuts that one of n examples may hold."""
    most = few
    while n * (2 * most) ** 2 <= MOST_PRODUCTS:
        most *= 2
    return most


def blocks_of(
    problem: Problem,
    C: float,
    steps: Mapping[int, BlockStep],
    state: Mapping[str, Any] | None = None,
    few: int = FEW,
) -> DualBlocks:
    """The dual blocks of this problem, visited by compiled code where it can be, going on from a snapshot
    where there is one.

    `steps` are the learner's plain steps by their numbers in `block_steps`, for a problem without compiled
    visits.
    """
    visitor: Visitor = PlainVisitor(problem, steps)
    if isinstance(problem, Visits) and problem.visitable:
        visitor = CompiledVisitor(problem, problem)
    blocks = DualBlocks(problem, C, visitor, few)
    if state is not None:
        blocks.restore(state)
    return blocks


def check_snapshot(state: Mapping[str, Any], n: int, most: int) -> None:
    """Refuse a snapshot whose parts do not fit each other: it may come from a file, and compiled code
    believes it.
    """
    count = np.asarray(state["count"])
    lengths = {len(state[name]) for name in ("alpha", "age", "ids")}
    whole = count.shape == (n,) and bool(np.all((count >= 0) & (count <= most)))
    if not whole or lengths != {int(np.sum(count))} or np.shape(state["gaps"]) != (n,):
        raise Refused(f"the saved run's cuts do not fit this problem of {n} examples; train it again")


__all__ = ["SAMPLINGS", "DualBlocks", "blocks_of"]
