"""The vectors of the cuts of a recorded working set, made again from their labellings (traces drop them).

A joint cut (1-slack) is the mean over all examples: one oracle pass at the w that found it, if it still finds
the same labellings, else one feature map per example; it is remembered per trace.
"""

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from explorer.engine.contracts import Problem, Ruled
from explorer.engine.dual.working_set import FIRST_RULE
from explorer.engine.events import EVERY_EXAMPLE, Cut
from explorer.engine.objective import cut_of, mean_plane, plane_of, sweep, touching_plane
from explorer.engine.runs.kept_cuts import KeptCuts, pairs_of, recorded_cut
from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Vector, nbytes, scale, total
from explorer.views.kit.memory import Memory

PATIENCE = 1.0
"""Seconds after which no further cut vectors are made; the next look goes on from there."""

REMEMBERED = 32_000_000
"""Bytes of cut vectors remembered per trace."""


_memories: "WeakKeyDictionary[Trace, Memory]" = WeakKeyDictionary()


def memory_of(problem: Problem, trace: Trace) -> Memory:
    """What is remembered about the cuts of a trace, made by this problem."""
    size = lambda made: 0 if made is None or isinstance(made, str) else nbytes(made)  # noqa: E731
    return _memories.setdefault(trace, Memory(REMEMBERED, size)).of(problem)


def slope(problem: Problem, trace: Trace, cuts: KeptCuts, j: int) -> Vector | None:
    """a of cut j, so that it asks a slack of at least b - a . w; None when it cannot be known."""
    if cuts.example[j] <= FIRST_RULE:
        earlier = int(np.count_nonzero(cuts.example[:j] <= FIRST_RULE))
        return problem.rules[earlier].a if isinstance(problem, Ruled) else None
    cut = recorded_cut(trace, cuts, j)
    if cut is None:
        return None
    born, memory = int(cuts.born[j]), memory_of(problem, trace)
    key = (born, int(cuts.place[j]))
    if cut.i == EVERY_EXAMPLE:
        return memory.get(key, lambda: joint_slope(problem, trace, born, cut))
    psi = memory.get(key, lambda: cut_of(problem, cut.i, cut.label).psi)
    # The recorded offset is r at that time, and u = r under slack scaling, whatever the loss is today.
    return scale(float(cuts.b[j]), psi) if problem.pricing.scaling == "slack" else psi


def joint_slope(problem: Problem, trace: Trace, born: int, cut: Cut) -> Vector | None:
    """The mean priced psi of a joint cut."""
    w = trace.weights.kept.get(born)
    if cut.label is None:
        return None if w is None else touching_plane(problem, w)[1].a
    pairs = pairs_of(trace, born, cut)
    if w is not None and len(pairs) == problem.n:
        part = sweep(problem, w)
        if not count_differing([y for _, y in pairs], part.labels):
            return mean_plane(problem, part).a
    parts = [plane_of(problem, cut_of(problem, i, y)).a for i, y in pairs]
    return scale(1.0 / len(parts), total(parts, problem.dim))


def count_differing(first: Sequence[Any], second: Sequence[Any]) -> int:
    """How many labellings of one list differ from those of another."""
    return sum(not np.array_equal(y, z) for y, z in zip(first, second, strict=True))
