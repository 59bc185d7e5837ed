"""A point of the dual kept example by example: each example's own cuts, their masses and their Gram matrix.

Block-coordinate learners go from example to example and move mass between that example's cuts; w follows.
Where the problem offers compiled visits (`Visits`) a whole pass is one call and only labellings are stored;
otherwise the same steps are taken from Python, with any oracle. Memory: n M^2 numbers for the Gram matrices,
where M, the most cuts that one example holds, grows with the need; never n x dim. A snapshot holds
labellings, masses and ages; Gram matrices are made again from them, bit for bit.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, cast, overload

import numpy as np

from explorer.engine.contracts import Batch, Problem, Visits
from explorer.engine.dual.block_steps import PAIRWISE, forget, keep_massive, room, settle
from explorer.engine.events import Cut
from explorer.engine.objective import (
    Plane,
    check_oracle,
    chunks,
    cut_of,
    plane_of,
    priced_as,
    slacks,
    sweep,
    violation,
)
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints, add_into, dot, squared_norm
from explorer.engine.visits import Cache, Labels, Log, Plan

SLOTS = 16
"""Cuts per example that there is room for at first."""

MOST_PRODUCTS = 1 << 27
"""Gram matrices take no more numbers than this in all: then a new cut waits until an older one loses its
mass.
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


class Found(Sequence[Cut]):
    """Cuts found by compiled visits, made into records only when somebody looks at them."""

    def __init__(self, problem: Problem, owner: Ints, size: Array, labels: Labels) -> None:
        self._problem, self._owner, self._size, self._labels = problem, owner, size, labels

    def __len__(self) -> int:
        return len(self._owner)

    @overload
    def __getitem__(self, at: int) -> Cut: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Cut, ...]: ...
    def __getitem__(self, at: int | slice) -> Cut | tuple[Cut, ...]:
        if isinstance(at, slice):
            return tuple(self[j] for j in range(*at.indices(len(self))))
        return cut_of(self._problem, int(self._owner[at]), self._parts[at])

    @cached_property
    def _parts(self) -> list[Any]:
        """The labelling of each cut."""
        assert isinstance(self._problem, Visits)
        ends = np.cumsum(np.diff(self._problem.places)[self._owner])
        parts = zip(self._owner, np.split(self._labels, ends)[:-1], strict=True)
        return [self._problem.labelling(int(i), part) for i, part in parts]

    @staticmethod
    def joined(problem: Problem, parts: Sequence["Found"]) -> "Found":
        """Parts of one pass as one."""
        kinds = ("_owner", "_size", "_labels")
        return Found(problem, *(np.concatenate([getattr(part, kind) for part in parts]) for kind in kinds))

    def bare(self) -> tuple[Cut, ...]:
        """The cuts without their features."""
        nothing = np.zeros(0)
        found = zip(self._owner, self._parts, self._size, strict=True)
        return tuple(Cut(int(i), label, nothing, float(r)) for i, label, r in found)


class Blocks:
    """The cuts, masses and w of a run; `visit` goes on, `snapshot` keeps it."""

    def __init__(self, problem: Problem, C: float, slots: int = SLOTS) -> None:
        self.problem, self.share = problem, C / problem.n
        self.w = np.zeros(problem.dim)
        self.born = 0
        self.places = self._places()
        self.lengths = np.diff(self.places)
        self.alphabet, self.revisits = (
            (problem.alphabet, problem.revisits) if isinstance(problem, Visits) else (0, True)
        )
        self.chunk = problem.chunk if isinstance(problem, Batch) else 1
        self.cache = self._empty(slots)

    @property
    def dual(self) -> float:
        """The lower bound at w: sum of alpha b - 1/2 |w|^2."""
        return float(np.vdot(self.cache.alpha, self.cache.size)) - 0.5 * squared_norm(self.w)

    @property
    def gap_estimate(self) -> float:
        """The sum of the gaps that each example had when it was last visited, each at another w: no
        certificate.
        """
        return float(np.sum(self.cache.gaps))

    def slacks(self) -> Array:
        """Every example's slack at w, by one full oracle pass."""
        return np.maximum(cast("Visits", self.problem).worst(self.w), 0.0)

    def visit(self, order: Ints, plan: Plan) -> Sequence[Cut]:
        """Visit the examples in this order; returns the cuts found."""
        parts = []
        for lo, hi in chunks(len(order), self.chunk):
            found, crowded = self._visit(order[lo:hi], plan)
            self.born += len(found)
            parts.append(found)
            slots = 2 * self.cache.alpha.shape[1]
            if crowded and len(self.lengths) * slots**2 <= MOST_PRODUCTS:
                self._grow(slots)
        return self.joined(parts)

    def joined(self, parts: list[Any]) -> Sequence[Cut]:
        """Cuts of several visits, in order."""
        return Found.joined(self.problem, parts)

    def _places(self) -> Ints:
        return cast("Visits", self.problem).places

    def _empty(self, slots: int) -> Cache:
        """Room for `slots` cuts of every example."""
        return empty_cache(self.problem.n, slots, int(self.places[-1]), self.problem.dim, self.alphabet)

    def _visit(self, order: Ints, plan: Plan) -> tuple[Sequence[Cut], bool]:
        room_for = int(np.sum(self.lengths[order])) if plan.exact or plan.recombine else 0
        log = Log(np.empty(len(order), np.int64), np.empty(len(order)), np.empty(room_for, np.int32))
        count, crowded = cast("Visits", self.problem).visit(self.w, order, self.cache, plan, log, self.born)
        owner = log.owner[:count]
        numbers = int(np.sum(self.lengths[owner]))
        return Found(self.problem, owner, log.size[:count], log.labels[:numbers]), crowded

    def order(self, rng: np.random.Generator, sampling: str, passes: int) -> Ints:
        """The examples of a pass: each once, or drawn in proportion to their last gaps (every third pass is
        uniform).
        """
        gaps = np.maximum(self.cache.gaps, 0.0)
        if sampling == "uniform" or passes % UNIFORM_EVERY == 0 or not np.any(gaps):
            return rng.permutation(len(gaps))
        shares = np.cumsum(np.minimum(gaps, MOST_VISITS * np.mean(gaps)))
        return np.searchsorted(shares, shares[-1] * rng.random(len(gaps)), side="right")

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
        keep_massive(self.cache, self.places, since)
        return self._renumbered(since)

    def _renumbered(self, since: int) -> Sequence[Cut]:
        """The cuts found after the first `since`, which get the numbers from there on without holes."""
        cache = self.cache
        at = self._held()
        ids = np.take(cache.ids, at)
        at = at[ids >= since][np.argsort(ids[ids >= since])]
        owner, slot = np.divmod(at, cache.alpha.shape[1])
        self.born = since + len(owner)
        cache.ids[owner, slot] = np.arange(since, self.born)
        lengths = self.lengths[owner]
        begin = cache.alpha.shape[1] * self.places[owner] + slot * lengths
        places = np.arange(int(np.sum(lengths))) + np.repeat(begin - np.cumsum(lengths) + lengths, lengths)
        return Found(self.problem, owner, np.take(cache.size, at), cache.labels[places])

    def sweep(self, plan: Plan) -> tuple[Sequence[Cut], Array]:
        """One exact pass over all examples at this w: the cuts it adds, without mass yet, and every slack."""
        found = self.visit(np.arange(self.problem.n), plan._replace(steps=0))
        return found, self.cache.worst.copy()

    def planes(self) -> dict[str, Any]:
        """Every cut held, in the order in which they were found: example, number, mass and loss."""
        cache, at = self.cache, self._held()
        ids = np.take(cache.ids, at)
        order = np.argsort(ids)
        at = at[order]
        alpha = np.take(cache.alpha, at)
        found = {
            "example": at // cache.alpha.shape[1],
            "ids": ids[order],
            "alpha": alpha,
            "b": np.take(cache.size, at),
        }
        dropped = self.born - len(ids)
        return found | {"planes": len(ids), "active": int(np.count_nonzero(alpha)), "dropped": dropped}

    def _held(self) -> Ints:
        """Where in the flattened n x M arrays the cuts lie, example by example."""
        held, slots = self.cache.held, self.cache.alpha.shape[1]
        ends = np.cumsum(held)
        return np.arange(int(ends[-1])) + np.repeat(slots * np.arange(len(held)) - ends + held, held)

    def snapshot(self) -> dict[str, Any]:
        """Everything needed to go on from here, under any C and loss."""
        cache, at = self.cache, self._held()
        return {
            "w": self.w.copy(),
            "share": self.share,
            "priced_as": priced_as(self.problem),
            "slots": cache.alpha.shape[1],
            "count": cache.held.copy(),
            "alpha": np.take(cache.alpha, at),
            "age": np.take(cache.age, at),
            "ids": np.take(cache.ids, at),
            "gaps": cache.gaps.copy(),
            "born": self.born,
            "labels": self._labels(),
            "seen": np.packbits(cache.seen),
        }

    def _labels(self) -> Any:
        """The labellings held, example by example, as one array of numbers."""
        return self.cache.labels[self._at()]

    def _at(self) -> Ints:
        """Where in the cache the labellings' numbers lie, example by example."""
        counted = self.cache.held * self.lengths
        begin = self.cache.alpha.shape[1] * self.places[:-1]
        return np.arange(int(np.sum(counted))) + np.repeat(begin - np.cumsum(counted) + counted, counted)

    def _grow(self, slots: int) -> None:
        """Make room for more cuts of every example."""
        labels, before = self._labels(), self.cache
        more = slots - before.alpha.shape[1]
        wider = {
            name: np.pad(getattr(before, name), ((0, 0), (0, more)))
            for name in ("alpha", "size", "age", "ids")
        }
        gram = np.pad(before.gram, ((0, 0), (0, more), (0, more)))
        self.cache = before._replace(
            labels=np.zeros(slots * int(self.places[-1]), np.int32), gram=gram, **wider
        )
        if isinstance(labels, np.ndarray):
            self.cache.labels[self._at()] = labels

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over the cuts of a snapshot, priced for this problem, their masses scaled to this C."""
        check_snapshot(state, self.problem.n)
        self.cache, self.born = self._empty(state["slots"]), state["born"]
        cache = self.cache
        cache.held[:] = state["count"]
        at = self._held()
        np.put(cache.alpha, at, state["alpha"] * (self.share / state["share"]))
        np.put(cache.age, at, state["age"])
        np.put(cache.ids, at, state["ids"])
        cache.gaps[:] = state["gaps"]
        self._take_labels(state["labels"], state["priced_as"] == priced_as(self.problem))
        self._take_seen(np.asarray(state.get("seen", ())))
        same = (self.share, priced_as(self.problem)) == (state["share"], state["priced_as"])
        rebuilt = self._rebuild()
        self.w = state["w"].copy() if same else rebuilt

    def _take_labels(self, labels: Any, same_prices: bool) -> None:
        """Lay the labellings of a snapshot out in this cache."""
        at, flat = self._at(), labels if isinstance(labels, np.ndarray) else self._numbers(labels)
        if flat.shape != at.shape:
            raise Refused("the saved run's labellings do not fit this problem's examples; train it again")
        self.cache.labels[at] = flat

    def _take_seen(self, packed: Any) -> None:
        """What had been seen, if the snapshot says; the states of its own labellings are marked when it is
        rebuilt.
        """
        seen = self.cache.seen
        if packed.dtype == np.uint8 and len(packed) == (seen.size + 7) // 8:
            seen[...] = np.unpackbits(packed, count=seen.size).reshape(seen.shape)

    def _numbers(self, planes: Sequence[Plane]) -> Labels:
        """The labellings of planes behind each other as numbers."""
        problem = cast("Visits", self.problem)
        return np.concatenate(
            [np.zeros(0), *(np.atleast_1d(problem.numbers(plane.group, plane.label)) for plane in planes)]
        ).astype(np.int32)

    def _rebuild(self) -> Array:
        """Losses and Gram matrices of all cuts; returns w = sum of alpha a."""
        return cast("Visits", self.problem).rebuild(self.cache)


class PlainBlocks(Blocks):
    """The same for any problem, one oracle call at a time: every slot also has its plane."""

    def __init__(self, problem: Problem, C: float, slots: int = SLOTS) -> None:
        super().__init__(problem, C, slots)
        self.held: list[list[Plane]] = [[] for _ in range(problem.n)]

    def _places(self) -> Ints:
        return np.zeros(self.problem.n + 1, np.int64)

    def _empty(self, slots: int) -> Cache:
        return empty_cache(self.problem.n, slots, 0, 0)

    def slacks(self) -> Array:
        return slacks(self.problem, sweep(self.problem, self.w))

    def _visit(self, order: Ints, plan: Plan) -> tuple[Sequence[Cut], bool]:
        found: list[Cut] = []
        crowded = False
        for i in order:
            cut, full = self._one(int(i), plan, len(found))
            found += [] if cut is None else [cut]
            crowded |= full
        return found, crowded

    def joined(self, parts: list[Any]) -> Sequence[Cut]:
        return tuple(cut for part in parts for cut in part)

    def _one(self, i: int, plan: Plan, found: int) -> tuple[Cut | None, bool]:
        """One visit: what the compiled kernels do, with the problem's own oracle."""
        cache, problem = self.cache, self.problem
        known = max([0.0, *(plane.b - dot(self.w, plane.a) for plane in self.held[i])])
        new, crowded, worst = None, False, known
        if plan.exact:
            cut = problem.oracle(self.w, i)
            check_oracle(problem, self.w, cut, known)
            worst = max(known, violation(problem, self.w, cut))
            if worst > known + 1e-9 * max(1.0, known):
                if self._room(i):
                    self._admit(i, plane_of(problem, cut), self.born + found)
                    new = cut
                else:
                    crowded = True
        planes, m = self.held[i], len(self.held[i])
        g = np.array([plane.b - dot(self.w, plane.a) for plane in planes])
        cache.worst[i] = worst
        cache.gaps[i] = plan.cap * worst - float(g @ cache.alpha[i, :m])
        moved = np.zeros(m)
        settle(plan, m, g, cache.gram[i], cache.alpha[i], moved)
        for by, plane in zip(moved, planes, strict=True):
            if by:
                add_into(self.w, float(by), plane.a)
        if plan.exact:
            self._forget(i, plan.keep)
        return new, crowded

    def _admit(self, i: int, plane: Plane, number: int) -> None:
        cache, planes = self.cache, self.held[i]
        q = len(planes)
        planes.append(plane)
        cache.held[i] = q + 1
        cache.size[i, q], cache.alpha[i, q], cache.age[i, q], cache.ids[i, q] = plane.b, 0.0, 0, number
        self._gram_column(i, q)

    def _gram_column(self, i: int, q: int) -> None:
        """Products of plane q with itself and every older one."""
        cache, planes = self.cache, self.held[i]
        for r, other in enumerate(planes):
            if cache.ids[i, r] <= cache.ids[i, q]:
                cache.gram[i, q, r] = cache.gram[i, r, q] = dot(planes[q].a, other.a)

    def _room(self, i: int) -> bool:
        before = self.cache.ids[i, : len(self.held[i])].copy()
        has_room = room(self.cache, i, 0, 0)
        self._follow(i, before)
        return has_room

    def _forget(self, i: int, keep: int) -> None:
        before = self.cache.ids[i, : len(self.held[i])].copy()
        forget(self.cache, i, keep, 0, 0)
        self._follow(i, before)

    def _follow(self, i: int, before: Ints) -> None:
        """Bring the planes into the order that the slots have now."""
        count = int(self.cache.held[i])
        if count < len(before):
            at = {int(number): plane for number, plane in zip(before, self.held[i], strict=True)}
            self.held[i] = [at[int(number)] for number in self.cache.ids[i, :count]]

    def _labels(self) -> Any:
        """The planes themselves: an oracle's own features may differ from `features` in their last bits."""
        return tuple(plane for planes in self.held for plane in planes)

    def _take_labels(self, labels: Any, same_prices: bool) -> None:
        planes = iter(self._priced(labels, same_prices))
        self.held = [[next(planes) for _ in range(count)] for count in self.cache.held]

    def _priced(self, labels: Any, same_prices: bool) -> list[Plane]:
        """A snapshot's cuts as planes of this problem, also where compiled visits stored them as numbers."""
        problem = self.problem
        owner = np.repeat(np.arange(problem.n), self.cache.held)
        if isinstance(labels, np.ndarray):
            assert isinstance(problem, Visits)
            ends = np.cumsum(np.diff(problem.places)[owner])
            parts = np.split(labels, ends[:-1]) if len(ends) else []
            known = [problem.labelling(int(i), part) for i, part in zip(owner, parts, strict=True)]
        elif same_prices:
            return list(labels)
        else:
            known = [plane.label for plane in labels]
        return [
            plane_of(problem, cut_of(problem, int(i), label)) for i, label in zip(owner, known, strict=True)
        ]

    def _rebuild(self) -> Array:
        w = np.zeros(self.problem.dim)
        for i, planes in enumerate(self.held):
            for q, plane in enumerate(planes):
                self.cache.size[i, q] = plane.b
                self._gram_column(i, q)
                add_into(w, float(self.cache.alpha[i, q]), plane.a)
        return w


def opened(problem: Problem, C: float, state: Mapping[str, Any] | None) -> Blocks:
    """Blocks for this problem, compiled where it can be, going on from a snapshot where there is one."""
    compiled = isinstance(problem, Visits) and problem.visitable
    blocks = Blocks(problem, C) if compiled else PlainBlocks(problem, C)
    if state is not None:
        blocks.restore(state)
    return blocks


def check_snapshot(state: Mapping[str, Any], n: int) -> None:
    """Refuse a snapshot whose parts do not fit each other: it may come from a file, and compiled code
    believes it.
    """
    count, slots = np.asarray(state["count"]), int(state["slots"])
    lengths = {len(state[name]) for name in ("alpha", "age", "ids")}
    whole = (
        count.shape == (n,)
        and slots > 0
        and n * slots**2 <= MOST_PRODUCTS
        and np.all((count >= 0) & (count <= slots))
    )
    if not whole or lengths != {int(np.sum(count))} or np.shape(state["gaps"]) != (n,):
        raise Refused(f"the saved run's cuts do not fit this problem of {n} examples; train it again")


def empty_cache(n: int, slots: int, places: int, dim: int, alphabet: int = 0) -> Cache:
    """Room for `slots` cuts of each of n examples, with `places` numbers in one labelling of all of them."""
    return Cache(
        np.zeros(slots * places, np.int32),
        np.zeros(n, np.int64),
        np.zeros((n, slots)),
        np.zeros((n, slots)),
        np.zeros((n, slots, slots)),
        np.zeros((n, slots), np.int64),
        np.zeros((n, slots), np.int64),
        np.zeros(n),
        np.zeros(n),
        np.zeros(dim),
        np.zeros((places if alphabet else 0, alphabet), np.bool_),
    )


__all__ = ["SAMPLINGS", "Blocks", "Found", "PlainBlocks", "opened"]
