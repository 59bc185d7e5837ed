"""Every labelling, for problems small enough to list them: the referee of all faster oracles, and of
marginals.

    better(s) = number of labellings y with score(y) > s + rounding
    log Z_i = log sum_y exp(w . Psi(x_i, y)),     E_i = sum_y p(y) Psi(x_i, y),
        p(y) = exp(w . Psi(x_i, y) - log Z_i)

Cost: K^m rows, and a sort of as many scores where they are ranked, or as many feature vectors where they are
summed.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from explorer.engine.contracts import Enumerates, Marginals, Problem, pulse_of
from explorer.engine.events import Expectation
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints, combine, dot, total

MOST = 200_000
"""More labellings of one example than this are refused."""

LISTABLE = 20_000
"""Problems with no more labellings than this may be listed in full."""

CELLS = 5_000_000
"""Nor may the list hold more numbers than this."""

ROUNDING = 1e-9
"""Scores closer than this share of the largest one are equal."""

MOST_BEST = 1000
"""Best labellings that are kept where very many tie."""


def all_labellings(length: int, states: int) -> Ints:
    """Every labelling of `length` positions, the first position changing fastest; refused when there are too
    many.
    """
    count = states**length
    if count > MOST:
        raise Refused(
            f"{states} states at {length} positions make {float(count):.3g} labellings; "
            f"enumeration stops at {MOST:,}: use Viterbi, or shorter examples"
        )
    return numbered_labellings(np.arange(count), length, states)


def numbered_labellings(numbers: Ints, length: int, states: int) -> Ints:
    """The labellings with these numbers, one row each: number j gives position t the state (j // K^t) mod
    K.
    """
    return np.array(numbers[:, None] // states ** np.arange(length) % states, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """Every score, the largest first, and the best labellings, one row each (ties are all there)."""

    scores: Array
    best: Ints

    @property
    def slack(self) -> float:
        """What counts as no difference."""
        return ROUNDING * max(1.0, abs(float(self.scores[0])), abs(float(self.scores[-1])))

    def better(self, score: float) -> int:
        """How many labellings score more."""
        return int(np.searchsorted(-self.scores, -(score + self.slack), side="left"))

    def nearest_best(self, labels: Ints) -> Ints:
        """Of all best labellings one that differs from these labels at the fewest positions."""
        return self.best[int(np.argmin((self.best != labels).sum(axis=1)))]


def rank_scores(scores: Array, rows: Callable[[Ints], Ints]) -> Ranks:
    """Sort the scores of all labellings; `rows` gives the labellings of some numbers."""
    order = np.sort(scores)[::-1]
    near = Ranks(order, np.zeros((0, 0), dtype=np.int64)).slack
    return Ranks(order, rows(np.flatnonzero(scores >= order[0] - near)[:MOST_BEST]))


def listable(problem: Problem, share: float = 1.0) -> bool:
    """Whether every labelling of every example can be written down, within this share of the usual limits."""
    if not isinstance(problem, Enumerates):
        return False
    count = sum(problem.labellings_count(i) for i in range(problem.n))
    return count <= share * LISTABLE and count * problem.dim <= share * CELLS


def expectation(problem: Problem, w: Array, lo: int, hi: int) -> Expectation:
    """The marginals of examples lo .. hi - 1: the problem's own, else from the list of all labellings."""
    if isinstance(problem, Marginals):
        return problem.expectation(w, lo, hi)
    parts = [listed_expectation(problem, w, i) for i in range(lo, hi)]
    return Expectation(np.array([log_z for log_z, _ in parts]), total((psi for _, psi in parts), problem.dim))


def listed_expectation(problem: Problem, w: Array, i: int) -> tuple[float, Array]:
    """log Z and the expected features of example i; every score is shifted by the largest, so that no
    exponential overflows.
    """
    if not isinstance(problem, Enumerates):
        raise Refused(
            f"{problem.name} has no marginals and cannot list its labellings; choose a smaller problem"
        )
    pulse_of(problem)()
    psi = [problem.features(i, label) for label in problem.labellings(i)]
    scores = np.array([dot(w, x) for x in psi])
    shift = float(scores.max())
    share = np.exp(scores - shift)
    return shift + float(np.log(share.sum())), combine(share / share.sum(), psi, problem.dim)


def needs_marginals(problem: Problem) -> str | None:
    """Why a learner that sums over all labellings refuses a problem that knows no sums and is too large to
    list.
    """
    if isinstance(problem, Marginals) or listable(problem):
        return None
    return (
        "No sum over all labellings is known for this problem, and they are too many to list; use a "
        "learner of cuts."
    )
