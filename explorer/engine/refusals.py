"""What cannot be had: requests that are refused, oracles that fail or contradict themselves, and why learners
refuse problems.

A problem under `checked_calls` refuses weights, inputs, labellings and numbers of examples that do not
fit it, where a user calls it. A learner calls the same methods without these checks, by `contracts.members`:
its own vectors fit, and compiled loops are not slowed down.
"""

import math
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from explorer.engine.contracts import (
    ChecksInputs,
    ChecksLabels,
    FreeBias,
    Geometry,
    Problem,
    Ruled,
    without_checks,
)
from explorer.engine.vectors import Array

Kind = TypeVar("Kind", bound=type)


HEAD, TAIL = 330, 160
"""Of a longer message, the characters that are kept: what is wrong comes first, the fix last."""


class Refused(ValueError):
    """A request that cannot be met; the message names the place and the fix, in at most 500 characters,
    however long what it quotes is.
    """

    def __init__(self, message: object = "") -> None:
        super().__init__(brief(str(message)))


def brief(text: str) -> str:
    """The text, without its middle where it is too long for a sentence on a page."""
    return text if len(text) <= HEAD + TAIL else f"{text[:HEAD]} ... {text[-TAIL:]}"


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


# public calls ----------------------------------------------------------------------------------------------


def checked_calls(kind: Kind) -> Kind:
    """The same class of problems, whose public methods refuse what does not fit."""
    for name, check in CHECKS.items():
        if name in vars(kind):
            setattr(kind, name, _checked(vars(kind)[name], check))
    return kind


def _checked(method: Callable[..., Any], check: Callable[..., tuple[Any, ...]]) -> Callable[..., Any]:
    @wraps(method)
    def call(self: Any, *args: Any, **named: Any) -> Any:
        return method(self, *check(self, *args, **named))

    call.unchecked = method  # type: ignore[attr-defined]
    return call


def checked_weights(problem: Problem, w: Any) -> Array:
    """The weights as a vector of finite numbers that is as long as the problem says, or Refused."""
    try:
        found = np.asarray(w, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise Refused(f"w is no vector of numbers; give {problem.dim} of them") from error
    if found.shape != (problem.dim,):
        raise Refused(
            f"w has shape {found.shape}; {problem.name} has {problem.dim} weights, one after the other"
        )
    if not np.isfinite(found).all():
        at = int(np.flatnonzero(~np.isfinite(found))[0])
        raise Refused(f"w holds {found[at]} at place {at}; give finite numbers")
    return found


def checked_example(problem: Problem, i: Any) -> int:
    """The number of an example, or Refused; a problem without examples says itself that it has none."""
    if problem.n == 0:
        return 0
    if isinstance(i, bool) or not isinstance(i, int | np.integer) or not 0 <= i < problem.n:
        raise Refused(f"there is no example {i!r}; {problem.name} has examples 0 to {problem.n - 1}")
    return int(i)


def _for_predict(problem: Any, w: Any, x: Any) -> tuple[Any, ...]:
    return checked_weights(problem, w), _input(problem, x, "the input")


def _for_oracle(problem: Any, w: Any, i: Any) -> tuple[Any, ...]:
    return checked_weights(problem, w), checked_example(problem, i)


def _for_label(problem: Any, i: Any, label: Any) -> tuple[Any, ...]:
    i = checked_example(problem, i)
    if isinstance(problem, ChecksLabels):
        problem.check_label(i, label)
    return i, label


def _for_all(problem: Any, w: Any) -> tuple[Any, ...]:
    return (checked_weights(problem, w),)


CHECKS: dict[str, Callable[..., tuple[Any, ...]]] = {
    "predict": _for_predict,
    "oracle": _for_oracle,
    "features": _for_label,
    "loss": _for_label,
    "predictions": _for_all,
    "risk": _for_all,
}
"""What is asked of the arguments of each public method."""


def predict_many(problem: Problem, w: Any, inputs: Iterable[Any]) -> list[Any]:
    """What w predicts for each of these inputs, in order; inputs only, nobody needs to know their labels."""
    w, predict = checked_weights(problem, w), without_checks(problem.predict)
    if not hasattr(inputs, "__iter__"):
        raise Refused("the inputs are none; give a list of inputs, or rows of a matrix")
    return [predict(w, _input(problem, x, f"input {k}")) for k, x in enumerate(inputs)]


def _input(problem: Any, x: Any, place: str) -> Any:
    return problem.checked_input(x, place) if isinstance(problem, ChecksInputs) else x
