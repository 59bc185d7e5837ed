"""What a trace knows about the cuts of a working set: when each was found, its labelling, its vector.

A cut's number counts the cuts found before it, so it survives pruning. The cumulative sum of the trace's
"added" column says which step found it; that step's kept cuts give its labelling, and the labelling gives psi
again (traces drop it). A joint cut (1-slack) is the mean over all examples: one oracle pass at the w that
found it, if it still finds the same labellings, else one feature map per example; it is remembered per trace.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from explorer.engine.contracts import Problem, Ruled
from explorer.engine.dual.working_set import FIRST_RULE
from explorer.engine.events import EVERY_EXAMPLE, Cut
from explorer.engine.objective import cut_of, mean_plane, plane_of, sweep, touching_plane
from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Array, Ints, Vector, nbytes, scaled, total
from explorer.views.kit.memory import Memory

PATIENCE = 1.0
"""Seconds after which no further cut vectors are made; the next look goes on from there."""

REMEMBERED = 32_000_000
"""Bytes of cut vectors remembered per trace."""


@dataclass(frozen=True, slots=True, eq=False)
class KeptCuts:
    """The cuts in the working set of step `at`, oldest first.

    `born` is the step that found a cut (-1: a rule, or not known), `place` its place among that step's cuts;
    `example` is EVERY_EXAMPLE for a joint cut and below that for a rule.
    """

    at: int
    ids: Ints
    born: Ints
    place: Ints
    example: Ints
    alpha: Array
    b: Array

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def columns(self) -> list[Any]:
        """All that there is about each cut."""
        return [getattr(self, f.name) for f in fields(self)[1:]]

    def only(self, keep: Any) -> "KeptCuts":
        """Some of the cuts."""
        return KeptCuts(self.at, *(column[keep] for column in self.columns))

    @property
    def newest(self) -> Any:
        """Which cuts the latest step with a cut in the set has found."""
        return (self.born >= 0) & (self.born == self.born.max(initial=-1))


def cuts_at(trace: Trace, at: int) -> KeptCuts | None:
    """The working set at the nearest kept step up to `at`; None for a learner that keeps no cuts."""
    if not len(trace):
        return None
    step, detail = trace.details.nearest(at)
    if "ids" not in detail:
        return None
    ids, alpha, b = (np.asarray(detail[name]) for name in ("ids", "alpha", "b"))
    example = np.asarray(detail.get("example", np.full(len(ids), EVERY_EXAMPLE)))
    example = np.where((ids < 0) & (example == EVERY_EXAMPLE), FIRST_RULE, example)
    found = np.nancumsum(trace.column("added")).astype(np.int64)
    born = np.searchsorted(found, ids, side="right")
    place = ids - np.concatenate([[0], found])[born]
    known = (ids >= 0) & (born < len(trace))
    return KeptCuts(step, ids, np.where(known, born, -1), np.where(known, place, 0), example, alpha, b)


def with_pending(trace: Trace, now: KeptCuts) -> KeptCuts:
    """The set with the joint cut that its step found: a step tells its set before that cut enters."""
    cuts, added = trace.cuts.kept.get(now.at, ()), trace.column("added")
    joint = len(cuts) == 1 and cuts[0].i == EVERY_EXAMPLE
    if not joint or not added[now.at] > 0 or now.at in now.born:
        return now
    new = (int(np.nansum(added[: now.at])), now.at, 0, EVERY_EXAMPLE, 0.0, cuts[0].loss)
    return KeptCuts(
        now.at, *(np.append(column, value) for column, value in zip(now.columns, new, strict=True))
    )


def cuts_in_phase(trace: Trace, at: int, phase: int) -> KeptCuts | None:
    """The working set on the way to the next step: found (1), with the new cuts (2), solved again (3)."""
    now = cuts_at(trace, at)
    if now is None or phase == 0:
        return now
    if phase == 3 and at + 1 < len(trace):
        then = cuts_at(trace, at + 1)
        return None if then is None else then.only(then.born <= at)
    return now.only(now.born < now.at) if phase == 1 else with_pending(trace, now)


def recorded_cut(trace: Trace, cuts: KeptCuts, j: int) -> Cut | None:
    """The labelling of cut j, without psi; None when the trace let it go."""
    kept, place = trace.cuts.kept.get(int(cuts.born[j]), ()), int(cuts.place[j])
    return kept[place] if place < len(kept) and kept[place].i == cuts.example[j] else None


def settings_at(trace: Trace, at: int) -> Mapping[str, Any]:
    """The learner's settings under which step `at` was made."""
    started = trace.started(at)
    return {} if started is None else started.settings


def price_at(trace: Trace, at: int) -> float:
    """C at a step; NaN for a learner without it."""
    return float(settings_at(trace, at).get("C", np.nan))


def pairs_of(trace: Trace, born: int, cut: Cut) -> list[tuple[int, Any]]:
    """The examples that a joint cut joins, each with its labelling."""
    sample = settings_at(trace, born).get("rest") == "left out"
    return list(cut.label) if sample else list(enumerate(cut.label))


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
    return scaled(float(cuts.b[j]), psi) if problem.pricing.scaling == "slack" else psi


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
    return scaled(1.0 / len(parts), total(parts, problem.dim))


def count_differing(first: Sequence[Any], second: Sequence[Any]) -> int:
    """How many labellings of one list differ from those of another."""
    return sum(not np.array_equal(y, z) for y, z in zip(first, second, strict=True))
