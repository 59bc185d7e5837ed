"""What a learner says while it learns: immutable records, every figure in a Step about that Step's w.

Sign convention, everywhere: psi = features(truth) - features(label), so a good w has a large margin w . psi.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from explorer.engine.vectors import Array, Vector

EVERY_EXAMPLE = -1
"""The `i` of a cut that joins one labelling of every example (a 1-slack plane)."""


MEAN_SLACK = "mean slack"
"""What the mean over examples is called that the structured hinge lowers."""


ROUNDING = 1e-10
"""Share of the primal by which sums of many slacks, times a large C, may miss the dual that they equal."""


NOT_EXACT = "not exact"
"""The reason with which a run stops whose oracle was said to be exact and is proved not to be."""

DOUBTS = {
    "exact": "",
    "under": "the oracle is approximate",
    "under, untold": "the oracle is not told the loss: the dual is a lower bound all the same, "
    "the primal proves nothing",
    "over": "the oracle is relaxed: these bound the relaxed problem",
    "over, untold": "the oracle is relaxed and not told the loss: the dual bounds the relaxed problem "
    "from below, the primal proves nothing",
    "unclaimed": "the oracle is not claimed exact",
}
"""Why bounds are no certificate, by what the oracle searches (see `contracts.oracle_kind`).

A cut of a real labelling, however it was found, lies below the hinge, and the dual of such cuts below the
optimum. A cut of a relaxed one lies below the relaxed hinge only, which is at or above the hinge. The primal
is an upper bound only of that hinge whose maximum the oracle finds: told no loss, it maximises another one.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """A wrong labelling of example `i`, its feature difference and its loss."""

    i: int
    label: Any
    psi: Vector
    loss: float


def bare(cuts: Sequence[Cut]) -> tuple[Cut, ...]:
    """The cuts without their features, which are never made where they were not there yet."""
    if hasattr(cuts, "bare"):
        return cast("tuple[Cut, ...]", cuts.bare())
    nothing = np.zeros(0)
    return tuple(Cut(cut.i, cut.label, nothing, cut.loss) for cut in cuts)


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """One cut for each of a run of examples, kept as sums instead of one vector per example.

    `psi` is the sum of the priced feature differences (see `Pricing.weight`), `margins` are w . psi_i
    unpriced.
    """

    labels: tuple[Any, ...]
    losses: Array
    margins: Array
    psi: Vector


@dataclass(frozen=True, slots=True, eq=False)
class Expectation:
    """For a run of examples under p(y) = exp(w . Psi(x, y)) / Z: each one's log Z, and the sum of their
    E[Psi(x, y)].
    """

    log_z: Array
    psi: Vector


@dataclass(frozen=True, slots=True)
class Bounds:
    """Upper and lower bound on the optimum at one w; NaN where a learner does not know one.

    The gap certifies the distance to the optimum only when the oracle that made the primal value is exact.
    """

    primal: float = math.nan
    dual: float = math.nan
    certificate: bool = False

    @property
    def gap(self) -> float:
        """primal - dual; its size where rounding alone makes it negative: no more than that is known."""
        gap = self.primal - self.dual
        only_rounding = -ROUNDING * abs(self.primal) <= gap < 0.0
        return -gap if only_rounding else gap

    @property
    def relative_gap(self) -> float:
        """(primal - dual) / |primal|; 0 when both are 0, infinite when only the primal is."""
        if self.gap == 0.0:
            return 0.0
        if self.primal == 0.0:
            return math.inf
        return self.gap / abs(self.primal)


@dataclass(frozen=True, slots=True, eq=False)
class Started:
    """The run begins: what is trained, with which settings, from which seed.

    `objective` names what is minimised, "" where a learner minimises nothing; `risk` the mean over examples
    that looks measure. `oracle` is the kind of the oracle that the objective's values stand on, `exact`
    whether it is exact.
    """

    problem: str
    learner: str
    n: int
    dim: int
    seed: int
    exact: bool
    settings: Mapping[str, Any] = field(default_factory=dict)
    oracle: str = ""
    objective: str = "structured hinge"
    risk: str = MEAN_SLACK

    @property
    def measures_slack(self) -> bool:
        """Whether what is minimised stands on slacks, and so on the oracle that finds them."""
        return self.risk == MEAN_SLACK

    @property
    def relaxed(self) -> bool:
        """Whether cuts may be relaxed labellings, so that the dual is about a relaxed problem, whose optimum
        is at or above the exact one.
        """
        return self.oracle.startswith("over")

    @property
    def doubt(self) -> str:
        """Why no bounds of this run are a certificate; empty where those of an exact oracle are."""
        return "" if self.exact else DOUBTS.get(self.oracle) or DOUBTS["under"]


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One iterate w with the cuts found at it, the bounds at it and a keyframe to go on from.

    The meter fills in `oracle_calls`, `seconds` and `oracle_seconds`, all counted from the start of the run.
    """

    k: int
    w: Array
    cuts: Sequence[Cut] = ()
    bounds: Bounds = field(default_factory=Bounds)
    detail: Mapping[str, Any] = field(default_factory=dict)
    state: Mapping[str, Any] = field(default_factory=dict)
    oracle_calls: int = 0
    seconds: float = 0.0
    oracle_seconds: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Evaluated:
    """What a separate look at step k found: its objective, mean slack, and mean loss on training and test
    data.

    Under another objective than the hinge, the mean of what that one lowers stands for the mean slack
    (`Started.risk`). `true_slack` is the mean slack that an exact oracle finds, where training has another
    one and it can be asked.
    """

    k: int
    bounds: Bounds
    mean_slack: float
    train_loss: float
    test_loss: float = math.nan
    true_slack: float = math.nan


@dataclass(frozen=True, slots=True)
class Stopped:
    """The run ends: `reason` in a few words, `sentence` to a reader.

    The reason is the name of the rule that was met, "cancelled", "failed", `NOT_EXACT`, or the learner's own.
    """

    reason: str
    sentence: str
    k: int


Event = Started | Step | Evaluated | Stopped
