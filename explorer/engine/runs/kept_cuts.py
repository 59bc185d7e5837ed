"""Which cuts the working set of a recorded step holds: when each was found, its labelling and its multiplier.

A cut's number counts the cuts found before it, so it survives pruning. The cumulative sum of the trace's
"added" column says which step found it, and that step's kept cuts give its labelling. Cost: one sum.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from explorer.engine.dual.working_set import FIRST_RULE
from explorer.engine.events import EVERY_EXAMPLE, Cut
from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Array, Ints


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
    started = trace.start_of(at)
    return {} if started is None else started.settings


def price_at(trace: Trace, at: int) -> float:
    """C at a step; NaN for a learner without it."""
    return float(settings_at(trace, at).get("C", np.nan))


def pairs_of(trace: Trace, born: int, cut: Cut) -> list[tuple[int, Any]]:
    """The examples that a joint cut joins, each with its labelling."""
    sample = settings_at(trace, born).get("rest") == "left out"
    return list(cut.label) if sample else list(enumerate(cut.label))
