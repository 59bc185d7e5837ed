"""What cannot be had: requests that are refused, oracles that fail or contradict themselves, and why learners
refuse problems.
"""

import math

from explorer.engine.contracts import FreeBias, Geometry, Problem, Ruled


class Refused(ValueError):
    """A request that cannot be met; the message names the place and the fix."""


class OracleFault(RuntimeError):
    """An oracle failed; the message says where."""


class NotExact(OracleFault):
    """An oracle that was said to be exact is proved not to be; the message says how, and what to do."""


def needs_examples(problem: Problem) -> str | None:
    """Why a learner that goes from example to example refuses a problem without any."""
    return None if problem.n else "This problem is a risk without examples; use the bundle learner."


def needs_no_rules(problem: Problem) -> str | None:
    """Why a learner that has no place for extra constraints refuses a problem with some, or without plain
    vectors.
    """
    ruled = isinstance(problem, Ruled) and len(problem.rules) > 0
    reason = "This learner cannot keep extra rules on w; use a cutting-plane learner." if ruled else None
    return reason or needs_plain_vectors(problem)


def needs_plain_vectors(problem: Problem) -> str | None:
    """Why a learner that multiplies vectors number by number refuses a problem with a geometry of its own."""
    known = isinstance(problem, Geometry)
    return (
        "This learner multiplies plain vectors, not sums of kernels; use the 1-slack learner."
        if known
        else None
    )


def needs_every_weight(problem: Problem, why: str) -> str | None:
    """Why a learner refuses a bias that the norm does not count."""
    free = isinstance(problem, FreeBias) and problem.anchor is not None
    return f"{why}; use a cutting-plane learner, or a regularised bias." if free else None


def needs_finite(C: float) -> str | None:
    """Why a learner that multiplies by C refuses a hard margin."""
    return None if math.isfinite(C) else "C is infinite; choose a finite C, or a cutting-plane learner."
