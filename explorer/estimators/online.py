"""One pass over examples that are not kept: passive-aggressive learning, averaged.

    psi, L = most violated cut of example i at w,      tau = min(cap, max(0, (L - w . psi) / |psi|^2))
    w <- w + tau psi,      answer = mean of w after every example seen so far = w - late / seen

Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006 (their "max-loss" update; the 1-best MIRA of
`learners.mira` predicts instead of asking for the most violated labelling). Nothing but w and `late` is kept
between two calls, so that a stream of any length can be learned from; nothing is proved. Cost: one oracle
call for each example.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from explorer.engine.contracts import Geometry, Problem
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, add_into, dot, squared_norm
from explorer.estimators.fitting import Certificate

UNPROVED = Certificate(
    math.nan, math.nan, math.nan, math.nan, False, "nothing is proved: every example was seen in passing only"
)


class Online(NamedTuple):
    """What a stream of examples has made of w so far."""

    w: Array
    late: Array
    seen: int


def pass_over(estimator: Any, X: Any, y: Any, classes: Any) -> None:
    """Let the estimator learn from these examples once, on from what it has."""
    fitted = hasattr(estimator, "weights_")
    problem = estimator._problem_for(X, y, classes=classes, keep=fitted)
    if isinstance(problem, Geometry):
        raise Refused("a kernel needs all examples at hand; set kernel='none', or fit them together")
    start = np.array(estimator.weights_) if fitted else np.zeros(problem.dim)
    before = getattr(estimator, "_online", None) or Online(start, np.zeros(problem.dim), 0)
    after = one_pass(problem, before, _cap(estimator))
    estimator._online, estimator.weights_ = after, after.w - after.late / after.seen
    estimator.certificate_ = UNPROVED
    estimator.n_iter_ = 1 + (estimator.n_iter_ if fitted else 0)
    for name in ("problem_", "trace_"):
        vars(estimator).pop(name, None)


def _cap(estimator: Any) -> float:
    """How far one example may move the weights."""
    return math.inf if estimator.C_per_example is None else float(estimator.C_per_example)


def one_pass(problem: Problem, before: Online, cap: float) -> Online:
    """w after every example of the problem was seen once, in order."""
    w, late, seen = before.w.copy(), before.late.copy(), before.seen
    for i in range(problem.n):
        cut = problem.oracle(w, i)
        size = squared_norm(cut.psi)
        tau = min(cap, max(0.0, (cut.loss - dot(w, cut.psi)) / size)) if size > 0.0 else 0.0
        if tau > 0.0:
            add_into(w, tau, cut.psi)
            add_into(late, tau * seen, cut.psi)
        seen += 1
    return Online(w, late, seen)


__all__ = ["Online", "one_pass", "pass_over"]
