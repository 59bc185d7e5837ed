"""Visits by the problem's own compiled code: a whole pass is one call, and of a cut only its labelling is
stored, as numbers.

Losses and Gram matrices lie in the cache; features are made again from the labellings, bit for bit.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from explorer.engine.contracts import Problem, Visits
from explorer.engine.dual.found_cuts import FoundCuts
from explorer.engine.dual.slots import keep_massive
from explorer.engine.events import Cut
from explorer.engine.objective import Plane, chunks
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints
from explorer.engine.visits import Cache, Labels, Log, Plan, cuts_in, owners, ranges

AT_ONCE = 1000
"""Examples whose labellings are copied at a time."""


class CompiledVisitor:
    """Visits of a problem that offers `Visits`."""

    def __init__(self, problem: Problem, visits: Visits) -> None:
        self.problem, self.visits = problem, visits
        self.places = visits.places
        self.lengths = np.diff(self.places)

    def slacks(self, w: Array) -> Array:
        """Every example's slack at w, by one full oracle pass."""
        return np.maximum(self.visits.worst(w), 0.0)

    def visit(self, w: Array, order: Ints, cache: Cache, plan: Plan, born: int) -> Sequence[Cut]:
        """Visit the examples in this order, moving w; the cuts found."""
        room_for = int(np.sum(self.lengths[order])) if plan.exact or plan.recombine else 0
        log = Log(np.empty(len(order), np.int64), np.empty(len(order)), np.empty(room_for, np.int32))
        count = self.visits.visit(w, order, cache, plan, log, born)
        owner = log.owner[:count]
        numbers = int(np.sum(self.lengths[owner]))
        return FoundCuts(self.problem, owner, log.size[:count], log.labels[:numbers])

    def join(self, parts: list[Any]) -> Sequence[Cut]:
        """Cuts of several visits, in order."""
        return FoundCuts.join(self.problem, parts)

    def keep_since(self, cache: Cache, since: int) -> Sequence[Cut]:
        """The cuts found after the first `since` that have mass, numbered from there on; the others are
        dropped.
        """
        keep_massive(cache, since)
        at, owner = cuts_in(cache), owners(cache)
        ids = np.take(cache.ids, at)
        order = np.flatnonzero(ids >= since)
        order = order[np.argsort(ids[order])]
        at, owner = at[order], owner[order]
        cache.ids[at] = np.arange(since, since + len(at))
        lengths = self.lengths[owner]
        first = cache.numbers_at[owner] + (at - cache.cuts_at[owner]) * lengths
        return FoundCuts(self.problem, owner, np.take(cache.size, at), cache.labels[ranges(first, lengths)])

    def labels(self, cache: Cache) -> Labels:
        """The labellings held, example by example, as one array of numbers."""
        return np.concatenate([cache.labels[at] for at in self._labels_at(cache)])

    def take_labels(self, cache: Cache, labels: Any, same_prices: bool) -> None:
        """Lay labellings out in the cache: numbers as `labels` gives them, or planes of plain visits."""
        flat = labels if isinstance(labels, np.ndarray) else self._numbers(labels)
        if flat.shape != (int(np.sum(cache.held * self.lengths)),):
            raise Refused("the saved run's labellings do not fit this problem's examples; train it again")
        done = 0
        for at in self._labels_at(cache):
            cache.labels[at] = flat[done : done + len(at)]
            done += len(at)

    def rebuild(self, cache: Cache) -> Array:
        """Losses and Gram matrices of all cuts; returns w = sum of alpha a."""
        return self.visits.rebuild(cache)

    def _labels_at(self, cache: Cache) -> Iterator[Ints]:
        """Where in the cache the labellings' numbers lie, example by example; some examples at a time, since
        a place takes more memory than its number.
        """
        first, length = cache.numbers_at, cache.held * self.lengths
        for lo, hi in chunks(len(length), AT_ONCE):
            yield ranges(first[lo:hi], length[lo:hi])

    def _numbers(self, planes: Sequence[Plane]) -> Labels:
        """The labellings of planes behind each other as numbers."""
        parts = (np.atleast_1d(self.visits.numbers(plane.group, plane.label)) for plane in planes)
        return np.concatenate([np.zeros(0), *parts]).astype(np.int32)
