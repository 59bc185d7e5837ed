"""What the theorems promise of a recorded run, beside how far it has come.

    Theorem 4   the n-slack learner that solves again after each cut adds at most max(2 n D / eps, 8 C D R^2 /
                eps^2) cuts
    Theorem 7   the 1-slack learner adds at most ceil(log2(D / 4 R^2 C)) + ceil(16 R^2 C / eps) planes

(margin scaling; `theory.bounds` has both scalings, and the older Theorem 8). Their proofs show that a cut
violated by more than eps lifts the dual by a least amount, whichever oracle found it, and that the dual
starts at or above 0 and ends at or below C D. So they hold with any oracle that answers with labellings, and
from any change of the settings on; and where a pass asks about all examples before it solves, the dual rises
at least as much as by one of its cuts: Theorem 4 then bounds the passes that add any. Relaxed answers may be
longer than every labelling: for them R and D are those of `theory.relaxed_extent`, and Theorem 8 is called
Theorem 11. Nothing is promised at eps = 0, to cuts that enter whatever they ask for, under a squared penalty,
or with rules on w. Cost: `known_extent`, once per problem.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from explorer.engine.contracts import Geometry, Problem, Ruled
from explorer.engine.events import Started
from explorer.engine.learners import NSlack, OneSlack
from explorer.engine.objective import tolerance
from explorer.engine.runs.trace import Trace
from explorer.engine.theory.bounds import Extent, n_slack_bound, older_bound, one_slack_bound

CUTS, PLANES, PASSES = "cuts", "planes", "passes with new cuts"


@dataclass(frozen=True, slots=True)
class Promise:
    """A theorem's largest count for a run, the count so far, and the last step that this leaves room for.

    `older` is what Theorem 8 says, or 11 of relaxed answers; NaN where it counts other things.
    """

    theorem: str
    unit: str
    most: int
    so_far: int
    last_step: int
    older: float = math.nan
    relaxed: bool = False

    @property
    def older_theorem(self) -> str:
        """Which theorem gives the older form."""
        return "Theorem 11" if self.relaxed else "Theorem 8"

    @property
    def sentence(self) -> str:
        """What is promised, and how far the run has come."""
        over = ", over relaxed answers," if self.relaxed else ""
        end = f"promises an end after at most {self.most:,} {self.unit}"
        return f"{self.theorem}{over} {end}; so far {self.so_far:,}."


def promise(problem: Problem, trace: Trace, at: int, known: Extent | None) -> Promise | None:
    """What is promised for the part of the run that step `at` belongs to; None where no theorem speaks of
    it.
    """
    first, started = max(
        ((k, s) for k, s in trace.starts if k <= at), key=lambda begun: begun[0], default=(0, None)
    )
    if (
        known is None
        or started is None
        or not applies(problem, started)
        or started is not trace.starts[-1][1]
        or (started.relaxed and not known.relaxed)
    ):
        return None
    added = np.nan_to_num(trace.column("added")[first : at + 1])
    count = _one_slack if started.learner == OneSlack.__name__ else _n_slack
    found = count(problem, started.settings, known, added)
    # Every step but the last adds something: one step for each count, and one more that finds nothing.
    return None if found is None else replace(found, last_step=first + found.most, relaxed=started.relaxed)


def applies(problem: Problem, started: Started) -> bool:
    """Whether a theorem speaks of such a run."""
    settings = started.settings
    if started.learner == NSlack.__name__ and settings["order"] == "solve first":
        return False
    return (
        started.learner in (NSlack.__name__, OneSlack.__name__)
        and settings["eps"] > 0.0
        and math.isfinite(settings["C"])
        and problem.pricing.penalty == "linear"
        and not isinstance(problem, Geometry)
        and not (isinstance(problem, Ruled) and problem.rules)
    )


def _one_slack(problem: Problem, settings: Mapping[str, Any], known: Extent, added: Any) -> Promise | None:
    C, eps = settings["C"], tolerance(settings["eps"], known.loss, settings["C"])
    if eps >= 4 * known.radius**2 * C:
        return None
    most = one_slack_bound(C, eps, known.loss, known.radius, problem.pricing.scaling)
    return Promise("Theorem 7", PLANES, most, int(added.sum()), most)


def _n_slack(problem: Problem, settings: Mapping[str, Any], known: Extent, added: Any) -> Promise:
    C, eps, n = settings["C"], tolerance(settings["eps"], known.loss, settings["C"]), problem.n
    most = _whole(n_slack_bound(C, eps, known.loss, known.radius, n, problem.pricing.scaling))
    if settings["order"] == "batch":
        return Promise("Theorem 4", PASSES, most, int(np.count_nonzero(added)), most)
    older = _whole(older_bound(C, eps, known.loss, known.longest, n))
    return Promise("Theorem 4", CUTS, most, int(added.sum()), most, older)


def _whole(bound: float) -> int:
    """The next whole number; what is above one by rounding alone counts as that one."""
    return math.ceil(bound * (1.0 - 1e-12))


__all__ = ["Promise", "applies", "promise"]
