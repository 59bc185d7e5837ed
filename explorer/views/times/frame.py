"""Where the time of a run goes: in the oracle, and in everything else that its learner does.

    else = quadratic programs, features of new cuts, and updates of w

Looks, drawing and compiling are not part of a step's seconds. Cost: two columns.
"""

from dataclasses import dataclass

import numpy as np

from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Array

MOST = 120
"""Bars; where there are more steps, several share one."""


@dataclass(frozen=True, slots=True, eq=False)
class TimesFrame:
    """Milliseconds of bars of steps `first` to `last`; `drawn`: seconds that pages have drawn this run."""

    at: int
    first: Array
    last: Array
    oracle: Array
    rest: Array
    drawn: float

    @property
    def totals(self) -> tuple[float, float]:
        """Seconds in the oracle, and in the rest."""
        return float(self.oracle.sum()) / 1000.0, float(self.rest.sum()) / 1000.0


def frame(trace: Trace, at: int, until: int | None = None, drawn: float = 0.0) -> TimesFrame:
    """The seconds of the steps up to `until`, each since the step before."""
    count = len(trace) if until is None else min(until + 1, len(trace))
    known = (np.nan_to_num(trace.column(name)[:count]) for name in ("seconds", "oracle_seconds"))
    whole, inside = (np.diff(column, prepend=0.0) for column in known)
    inside = np.clip(inside, 0.0, None)
    rest = np.clip(whole - inside, 0.0, None)
    edges = np.unique(np.linspace(0, count, min(count, MOST) + 1).astype(np.int64))
    if count == 0:
        nothing = np.zeros(0)
        return TimesFrame(at, nothing, nothing, nothing, nothing, drawn)
    return TimesFrame(
        at,
        edges[:-1].astype(float),
        (edges[1:] - 1).astype(float),
        1000.0 * np.add.reduceat(inside, edges[:-1]),
        1000.0 * np.add.reduceat(rest, edges[:-1]),
        drawn,
    )
