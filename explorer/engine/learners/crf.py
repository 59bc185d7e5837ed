"""The conditional random field: the same scores as a structural SVM, trained to make the truths likely
instead of winners.

    J(w) = 1/2 |w|^2 + C R(w),     R(w) = mean_i [ log Z_i(w) - w . Psi(x_i, y_i) ],
        Z_i = sum_y exp(w . Psi(x_i, y))
    g = w + C mean_i ( E_w[Psi(x_i, y)] - Psi(x_i, y_i) )

Lafferty, McCallum, Pereira 2001, with a Gaussian prior; on single points it is logistic regression. Loss and
pricing of the problem play no part. Minimised by L-BFGS (Nocedal 1980; Nocedal and Wright 2006, Algorithms
7.4 and 7.5):

    w <- w - t H g,    H made of the last m pairs  s = change of w,  y = change of g = s + C q;
        t = 1, 1/2, 1/4, ... until
    J(w - t H g) < J(w) - t g . H g / 10^4

J is strongly convex with modulus 1, so s . y >= |s|^2 > 0 without a further condition on t, and at every w
the optimum is at least J(w) - 1/2 |g|^2: minimise J(w) + g . v + 1/2 |v|^2 over v. The largest of these
bounds so far, and 0, is the lower bound. R is the difference of two numbers that may be much larger than it,
and then known to few digits: what they may be off by (`blur`) is added to the upper bound and taken from the
lower one. Pairs are kept as (s, q), which do not depend on C, so they outlast a change of C. Cost of a trial:
all examples' marginals.
"""

import math
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from explorer.engine.contracts import Batch, Measured, Objective, Problem, pulse_of
from explorer.engine.enumeration import expectation, needs_marginals
from explorer.engine.events import Bounds, Step, Stopped
from explorer.engine.knobs import knob, settings
from explorer.engine.objective import chunks
from explorer.engine.refusals import needs_every_weight, needs_examples, needs_finite, needs_no_rules
from explorer.engine.vectors import Array, add_into

ENOUGH = 1e-4
"""The share of the fall that the slope promises which a step must bring."""

HALVINGS = 50
"""When this many halvings of a step bring no fall, the objective is at its lowest as far as numbers can
tell.
"""

ROUNDING = 16.0 * float(np.finfo(float).eps)
"""log Z and w . Psi are known up to this share of them, and log Z, the logarithm of a sum that is at least 1,
no better than up to this itself.
"""

Pairs = tuple[tuple[Array, Array], ...]


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


@dataclass(frozen=True, slots=True)
class Likelihood:
    """Half the squared length of w, and C times the mean of -log p(truth)."""

    name: ClassVar[str] = "negative log-likelihood"
    risk: ClassVar[str] = "mean log loss"

    def kind(self, problem: Problem) -> str:
        """Sums over all labellings are exact, whatever the oracle is."""
        return "exact"

    def measure(self, problem: Problem, w: Array, C: float) -> Measured:
        """J(w) and R(w)."""
        place = place_at(problem, w, mean_features(problem))
        return Measured(place.upper(C), place.risk)


@settings
class CRF:
    """Conditional random field."""

    title: ClassVar[str] = "Conditional random field"
    paper: ClassVar[str] = "Lafferty, McCallum, Pereira 2001; L-BFGS: Nocedal 1980"
    certifies: ClassVar[bool] = True
    objective: ClassVar[Objective | None] = Likelihood()

    C: float = knob(1.0, "Price of the mean log loss: larger fits the data harder.", low=1e-12, log=True)
    memory: int = knob(10, "Earlier moves from which the curvature is estimated.", low=1, high=100)

    def refuses(self, problem: Problem) -> str | None:
        """Examples, sums over all their labellings, a finite C, and no further constraints."""
        lacking = needs_examples(problem) or needs_marginals(problem)
        flat = needs_every_weight(
            problem, "The lower bound needs a norm that counts every weight, the bias too"
        )
        return lacking or needs_no_rules(problem) or needs_finite(self.C) or flat

    def steps(
        self, problem: Problem, rng: np.random.Generator, state: Mapping[str, Any] | None = None
    ) -> Generator[Step, None, Stopped]:
        """Step down by L-BFGS until no step leads lower; the gradient says how low it can still get."""
        truth, k, lower = mean_features(problem), 0, 0.0
        at, length = (
            place_at(problem, np.zeros(problem.dim), truth)
            if state is None
            else SearchPoint(*state["place"]),
            0.0,
        )
        if state is not None:
            k, lower = state["k"] + 1, state["lower"] if state["C"] == self.C else 0.0
            at, length = self._move(problem, truth, at)
        while length or k == 0:
            lower = max(lower, at.lower(self.C))
            detail = {
                "risk": at.risk,
                "gradient": float(np.linalg.norm(at.gradient(self.C))),
                "length": length,
                "pairs": len(at.pairs),
            }
            keyframe = {"place": tuple(at), "lower": lower, "C": self.C, "k": k}
            yield Step(k, at.w, bounds=Bounds(at.upper(self.C), lower, True), detail=detail, state=keyframe)
            k += 1
            at, length = self._move(problem, truth, at)
        return Stopped(
            "stationary", "no step along the search direction leads any lower, up to rounding", k - 1
        )

    def _move(self, problem: Problem, truth: Array, at: SearchPoint) -> tuple[SearchPoint, float]:
        """The first place along the search direction that is low enough, and how far along it lies; 0 if none
        is.
        """
        g, value = at.gradient(self.C), at.value(self.C)
        d = -precondition(g, at.pairs, self.C)
        t, fall = 1.0 if at.pairs else 1.0 / max(1.0, float(np.linalg.norm(g))), float(g @ d)
        for _ in range(HALVINGS):
            there = place_at(problem, at.w + t * d, truth)
            if there.value(self.C) < value + ENOUGH * t * fall:
                pair = there.w - at.w, there.slope - at.slope
                return there._replace(pairs=(*at.pairs, pair)[-self.memory :]), t
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


def mean_features(problem: Problem) -> Array:
    """mean_i Psi(x_i, y_i)."""
    out, pulse = np.zeros(problem.dim), pulse_of(problem)
    for i, label in enumerate(problem.dataset.labels):
        pulse()
        add_into(out, 1.0 / problem.n, problem.features(i, label))
    return out


def place_at(problem: Problem, w: Array, truth: Array) -> SearchPoint:
    """R(w) and its gradient, from the marginals of every example; `truth` is the mean of the true
    features.
    """
    slope, log_z, size = -truth, 0.0, 0.0
    for lo, hi in chunks(problem.n, problem.chunk if isinstance(problem, Batch) else 1):
        part = expectation(problem, w, lo, hi)
        add_into(slope, 1.0 / problem.n, part.psi)
        log_z += math.fsum(part.log_z)
        size += float(np.sum(np.abs(part.log_z)))
    truths = float(w @ truth)
    blur = ROUNDING * (1.0 + size / problem.n + float(np.abs(w) @ np.abs(truth)))
    return SearchPoint(w, log_z / problem.n - truths, slope, blur=blur)
