"""L-BFGS on half the squared length of w and C times a convex, differentiable risk.

    J(w) = 1/2 |w|^2 + C R(w),     g = w + C R'(w)
    w <- w - t H g,    H made of the last m pairs  s = change of w,  y = change of g = s + C q;
        t = 1, 1/2, 1/4, ... until
    J(w - t H g) < J(w) - t g . H g / 10^4

Nocedal 1980; Nocedal and Wright 2006, Algorithms 7.4 and 7.5. J is strongly convex with modulus 1, so
s . y >= |s|^2 > 0 without a further condition on t, and at every w the optimum is at least
J(w) - 1/2 |g|^2: minimise J(w) + g . v + 1/2 |v|^2 over v. The largest of these bounds so far, and 0, is the
lower bound. R is often the difference of two numbers that may be much larger than it, and then known to few
digits: what they may be off by (`blur`) is added to the upper bound and taken from the lower one. Pairs are
kept as (s, q), which do not depend on C, so they outlast a change of C. Cost of a trial: that of R.
"""

from collections.abc import Callable, Generator, Mapping
from typing import Any, NamedTuple

import numpy as np

from explorer.engine.events import Bounds, Step, Stopped
from explorer.engine.vectors import Array

ENOUGH = 1e-4
"""The share of the fall that the slope promises which a step must bring."""

HALVINGS = 50
"""When this many halvings of a step bring no fall, the objective is at its lowest as far as numbers can
tell.
"""

Pairs = tuple[tuple[Array, Array], ...]


class Smooth(NamedTuple):
    """R and its gradient at some w, and what R may be off by."""

    risk: float
    slope: Array
    blur: float = 0.0


Risk = Callable[[Array], Smooth]


class SearchPoint(NamedTuple):
    """Where the search is: w, R and its gradient there, the last changes (s, q) of both, and what R may be
    off by; no array is ever changed.
    """

    w: Array
    risk: float
    slope: Array
    pairs: Pairs = ()
    blur: float = 0.0

    def value(self, C: float) -> float:
        """J(w)."""
        return 0.5 * float(self.w @ self.w) + C * self.risk

    def upper(self, C: float) -> float:
        """J(w) is no more than this."""
        return self.value(C) + C * self.blur

    def lower(self, C: float) -> float:
        """The optimum is no less than this."""
        g = self.gradient(C)
        return self.value(C) - 0.5 * float(g @ g) - C * self.blur

    def gradient(self, C: float) -> Array:
        """g."""
        return self.w + C * self.slope


def place(risk: Risk, w: Array) -> SearchPoint:
    """The search at w, without a past."""
    found = risk(w)
    return SearchPoint(w, found.risk, found.slope, blur=found.blur)


def descend(
    risk: Risk, dim: int, C: float, memory: int, state: Mapping[str, Any] | None
) -> Generator[Step, None, Stopped]:
    """Step down until no step leads lower; the gradient says how low it can still get."""
    k, lower = 0, 0.0
    at, length = (place(risk, np.zeros(dim)) if state is None else SearchPoint(*state["place"])), 0.0
    if state is not None:
        k, lower = state["k"] + 1, state["lower"] if state["C"] == C else 0.0
        at, length = move(risk, at, C, memory)
    while length or k == 0:
        lower = max(lower, at.lower(C))
        size = float(np.linalg.norm(at.gradient(C)))
        detail = {"risk": at.risk, "gradient": size, "length": length, "pairs": len(at.pairs)}
        keyframe = {"place": tuple(at), "lower": lower, "C": C, "k": k}
        yield Step(k, at.w, bounds=Bounds(at.upper(C), lower, True), detail=detail, state=keyframe)
        k += 1
        at, length = move(risk, at, C, memory)
    sentence = "no step along the search direction leads any lower, up to rounding"
    return Stopped("stationary", sentence, k - 1)


def move(risk: Risk, at: SearchPoint, C: float, memory: int) -> tuple[SearchPoint, float]:
    """The first place along the search direction that is low enough, and how far along it lies; 0 if none
    is.
    """
    g, value = at.gradient(C), at.value(C)
    d = -precondition(g, at.pairs, C)
    t, fall = 1.0 if at.pairs else 1.0 / max(1.0, float(np.linalg.norm(g))), float(g @ d)
    for _ in range(HALVINGS):
        there = place(risk, at.w + t * d)
        if there.value(C) < value + ENOUGH * t * fall:
            pair = there.w - at.w, there.slope - at.slope
            return there._replace(pairs=(*at.pairs, pair)[-memory:]), t
        t *= 0.5
    return at, 0.0


def precondition(g: Array, pairs: Pairs, C: float) -> Array:
    """H g by the two-loop recursion: the inverse Hessian that the pairs suggest, applied to the gradient."""
    r, known = g.copy(), [(s, s + C * q) for s, q in pairs]
    shares = []
    for s, y in reversed(known):
        shares.append(float(s @ r) / float(s @ y))
        r -= shares[-1] * y
    if known:
        s, y = known[-1]
        r *= float(s @ y) / float(y @ y)
    for (s, y), share in zip(known, reversed(shares), strict=True):
        r += (share - float(y @ r) / float(s @ y)) * s
    return r
