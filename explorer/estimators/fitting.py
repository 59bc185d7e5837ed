"""What every estimator does to be fitted: price the slacks, choose a learner, run it, and say what was
proved.

    minimise  1/2 |w|^2 + C * mean_i slack_i

C multiplies the *mean* slack, here as on the command line and in the app; `C_per_example` multiplies each
example's slack, as in most other programs: C = C_per_example * n. A run stops at a relative gap of `tol`,
after `max_iter` passes over the examples or after `max_seconds`, whichever comes first. The learner is the
one that suits the problem (`learners.suited_learner`) unless one is named. Cost: that of the run; at most a
tenth is added to it.
"""

import math
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Protocol

import joblib
import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from explorer.engine.catalogue.recipe import as_type, make_record
from explorer.engine.contracts import Learner, Problem
from explorer.engine.events import Bounds, Step
from explorer.engine.learners import by_name
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Until, train
from explorer.engine.runs.trace import Trace
from explorer.engine.threads import at_most
from explorer.engine.vectors import Array

AUTO = "auto"
KEPT = {"weight_bytes": 8_000_000, "cut_bytes": 2_000_000, "state_bytes": 8_000_000}
"""What a trace keeps of a run beside its figures: less than in the app, since a fit is seldom looked at."""

CUT_SHORT = ("passes", "seconds", "steps")


class Trainable(Protocol):
    """The parameters that all estimators have, and what a fit leaves behind."""

    C: float
    C_per_example: float | None
    scaling: str
    penalty: str
    learner: str
    learner_settings: Mapping[str, Any] | None
    tol: float
    max_iter: int
    max_seconds: float
    warm_start: bool
    random_state: Any
    n_jobs: int | None

    weights_: Array
    trace_: Trace
    certificate_: "Certificate"
    n_iter_: int

    def _suited(self, problem: Problem) -> type[Learner]: ...


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a fit proved: the objective at the weights, a lower bound on every objective, and in words what
    the two say. `exact` tells whether the oracle found the most violated labellings, so that the bounds hold.
    """

    primal: float
    dual: float
    gap: float
    relative_gap: float
    exact: bool
    words: str

    def __str__(self) -> str:
        return self.words


def certificate_of(trace: Trace) -> Certificate:
    """The bounds at the last step of a run."""
    last = trace.at(-1)
    bounds = Bounds(last.figures["primal"], last.figures["dual"], trace.certified(last.at))
    begun = trace.start_of(last.at)
    words = _words(bounds, begun is not None and begun.relaxed)
    return Certificate(bounds.primal, bounds.dual, bounds.gap, bounds.relative_gap, bounds.certificate, words)


def _words(bounds: Bounds, relaxed: bool) -> str:
    if math.isnan(bounds.dual) or math.isnan(bounds.primal):
        return "nothing is proved: this learner knows no lower bound of its objective"
    if bounds.gap < 0.0 and not bounds.certificate:
        return (
            f"the objective {bounds.primal:.6g} is below what an exact oracle would make a lower bound, "
            f"{bounds.dual:.6g}: no proof, the oracle is approximate"
        )
    apart = (
        f"the objective {bounds.primal:.6g} is within {bounds.relative_gap:.2g} of the lower bound "
        f"{bounds.dual:.6g}"
    )
    if bounds.certificate:
        return f"{apart}: proved, the oracle is exact"
    why = (
        "the oracle is relaxed, so both are those of the relaxed problem"
        if relaxed
        else "the oracle is approximate"
    )
    return f"{apart}: no proof, {why}"


def passes_of(trace: Trace, n: int) -> int:
    """How many passes over n examples a run has made, begun ones included."""
    return max(1, math.ceil(trace.at(-1).figures["oracle_calls"] / max(n, 1)))


def price(estimator: Trainable, examples: float) -> float:
    """C on the mean slack, from whichever of the two was given."""
    if estimator.C_per_example is None:
        return float(as_type("C", estimator.C, float))
    if estimator.C != 1.0:
        raise Refused(
            "both C and C_per_example are given; C is C_per_example times the number of examples: give one"
        )
    return float(as_type("C_per_example", estimator.C_per_example, float)) * examples


def pricing_of(estimator: Trainable) -> Pricing:
    """What a slack costs and what the loss scales."""
    for name, known in (("scaling", ("margin", "slack")), ("penalty", ("linear", "squared"))):
        if getattr(estimator, name) not in known:
            raise Refused(f"{name} is {getattr(estimator, name)!r}; choose one of {', '.join(known)}")
    return Pricing(estimator.scaling, estimator.penalty)  # type: ignore[arg-type]  # checked above


def learner_of(estimator: Trainable, problem: Problem, C: float) -> Learner:
    """The learner that is named or suits the problem, with its settings."""
    kind = estimator._suited(problem) if estimator.learner == AUTO else by_name(estimator.learner)
    defaults = {f.name: f.default for f in fields(kind)}
    chosen: dict[str, Any] = {"C": C} if "C" in defaults else {}
    if "eps" in defaults and problem.oracle_is_exact:
        chosen["eps"] = 1e-3 * float(estimator.tol)  # so small that `tol` decides: a bound, and eps is none
    found: Learner = make_record(kind, {**chosen, **(estimator.learner_settings or {})})
    if reason := found.refuses(problem):
        raise Refused(reason)
    return found


def seed_of(random_state: Any) -> int:
    """A whole number from anything that scikit-learn takes as a random state."""
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(check_random_state(random_state).randint(10_000))


def threads_of(n_jobs: int | None) -> int:
    """Threads for compiled passes; 0: as many as there are cores."""
    if n_jobs is None or n_jobs == -1:
        return 0
    return int(n_jobs) if n_jobs > 0 else max(1, joblib.cpu_count() + 1 + int(n_jobs))


def training_steps(estimator: Trainable, problem: Problem, learner: Learner) -> Iterator[Step]:
    """Train on the problem, step by step; the estimator's `weights_`, `trace_`, `certificate_` and `n_iter_`
    are those of the newest step, also when nobody asks for the next one.

    With `warm_start` a fit to the same data goes on where the last one stopped, whatever C or the loss are
    now: its cuts, which depend on neither, are solved over first.
    """
    key = joblib.hash((problem.dataset.inputs, problem.dataset.labels)) if estimator.warm_start else ""
    trace, state = _before(estimator, learner, problem, key)
    estimator._fitted_to = key  # type: ignore[attr-defined]  # only a later fit asks for it
    past = state["metered"][0] / problem.n if state else 0.0
    passes = float(estimator.max_iter) + past if estimator.max_iter else 0.0
    limits = {"relative_gap": estimator.tol, "passes": passes, "seconds": estimator.max_seconds}
    seed = seed_of(estimator.random_state)
    try:
        with at_most(threads_of(estimator.n_jobs)):
            for event in train(problem, learner, seed=seed, rule=make_record(Until, limits), state=state):
                trace.append(event)
                if isinstance(event, Step):
                    estimator.weights_ = event.w
                    yield event
    finally:
        if len(trace):
            _conclude(estimator, trace, problem.n)


def _before(
    estimator: Trainable, learner: Learner, problem: Problem, key: str
) -> tuple[Trace, Mapping[str, Any] | None]:
    """The trace to add to and the keyframe to go on from; both new unless the last fit was to the same
    data.
    """
    if not (estimator.warm_start and key == getattr(estimator, "_fitted_to", None)):
        return Trace(**KEPT), None
    trace = estimator.trace_.copy()
    begun = trace.starts[-1][1]
    same = (begun.learner, begun.n, begun.dim) == (type(learner).__name__, problem.n, problem.dim)
    return (trace, trace.keyframe()[1]) if same else (Trace(**KEPT), None)


def _conclude(estimator: Trainable, trace: Trace, n: int) -> None:
    """What a run leaves behind."""
    last = trace.at(-1)
    estimator.weights_, estimator.trace_ = np.array(last.w), trace
    estimator.certificate_ = certificate_of(trace)
    estimator.n_iter_ = passes_of(trace, n)


def warn_if_cut_short(estimator: Trainable) -> None:
    """Say so where a fit ended for want of passes or time, and what can be done."""
    stops = estimator.trace_.stops
    if stops and stops[-1][1].reason in CUT_SHORT:
        warnings.warn(
            f"{stops[-1][1].sentence}, and the gap is not yet {estimator.tol:g}: raise max_iter or "
            f"max_seconds, lower C, or scale the features; {estimator.certificate_.words}",
            ConvergenceWarning,
            stacklevel=5,
        )


__all__ = [
    "AUTO",
    "Certificate",
    "Trainable",
    "certificate_of",
    "learner_of",
    "passes_of",
    "price",
    "pricing_of",
    "seed_of",
    "training_steps",
    "warn_if_cut_short",
]
