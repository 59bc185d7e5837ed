"""Several clusterers on one similarity: what each answers, what that is worth, and how long it takes.

Two questions are asked of the same K, whose values cannot be compared with each other:

    correlation   any number of clusters, value = sum of K over the pairs that are together (or H, with the
                  loss)
    k-means       k clusters, value = trace(Y' K Y) (or H)

Within each of them under <= exact <= over must hold, and it is checked here. Clusterers that never answer one
of the two are not listed under it; those that refuse this K or this loss are, with their reason. Cost: that
of the clusterers.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from explorer.engine.catalogue.oracle_names import spelled
from explorer.engine.contracts import Loss
from explorer.engine.pricing import Pricing
from explorer.engine.refusals import Refused
from explorer.engine.structures.clusterings.losses import Mitre, Normalised, Pairwise
from explorer.engine.structures.clusterings.oracles import CLUSTER_ORACLES, IntegerProgram
from explorer.engine.structures.clusterings.oracles.integer_program import CLOSE, Search
from explorer.engine.structures.clusterings.partitions import (
    bell,
    canonical,
    is_relaxed,
    pair_matrix,
    stirling,
)
from explorer.engine.structures.clusterings.question import Answer as Solved
from explorer.engine.structures.clusterings.question import Question
from explorer.engine.vectors import Array, Ints
from explorer.labs.clusterings.film import SURE
from explorer.labs.clusterings.instance import Instance

CORRELATION, MEANS = "correlation", "k-means"
FAMILIES = {CORRELATION: "Correlation clustering", MEANS: "k-means"}
LOSSES: dict[str, type[Loss]] = {kind.title: kind for kind in (Pairwise, Mitre, Normalised)}

CALLS, SPENT = 5, 0.01
"""A clusterer is timed by at most this many calls, and by no more once they took SPENT seconds."""

LONG = 1.5
"""A first call of this many seconds is not repeated."""

LIMIT = 1.0
"""Seconds that the integer program may take on a page."""

MOST_LISTED = 700_000
"""This many partitions are looked at on a page: all of 11 items."""

ROUNDING = 1e-7
"""Relative difference of two values that counts as none: linear programs are solved to this."""

WARM: set[str] = set()
"""Clusterers that have been called before: their code is loaded, and the first call counts."""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What one clusterer said; without an answer `refused` says why. `shares` (m, m) belong to relaxed
    answers.

    `short` by how much the best may exceed the value where a proof was cut short: such an answer counts as
    under.
    """

    family: str
    title: str
    name: str
    kind: str
    refused: str = ""
    given: Any = None
    labels: Ints | None = None
    shares: Array | None = None
    value: float = math.nan
    loss: float = math.nan
    bound: float = math.inf
    seconds: float = math.nan
    short: float = math.nan

    @property
    def key(self) -> str:
        """Names the row."""
        return f"{self.family}/{self.title}"


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """All answers to one question; `top` is the best known value of a clustering, `proven` whether none is
    better.
    """

    family: str
    question: Question
    answers: tuple[Answer, ...]
    top: float
    best: Ints | None
    proven: bool

    @property
    def given(self) -> list[Answer]:
        """Those that answered."""
        return [one for one in self.answers if not one.refused]

    @property
    def slack(self) -> float:
        """What counts as no difference."""
        return ROUNDING * max(1.0, abs(self.top)) if math.isfinite(self.top) else ROUNDING

    def broken(self) -> list[str]:
        """Clusterers on the wrong side of the best value: under above it, over or exact below it, if it is
        proven.
        """
        if not self.proven:
            return []
        wrong = {"under": lambda v: v > self.top + self.slack, "over": lambda v: v < self.top - self.slack}
        wrong["exact"] = lambda v: abs(v - self.top) > self.slack
        return [one.title for one in self.given if wrong[one.kind](one.value)]


def question(case: Instance, family: str) -> Question:
    """What is asked of an instance."""
    choice = case.choice
    groups = choice.groups if family == MEANS else None
    if choice.asks == "predict":
        return Question(case.K, groups)
    return Question(case.K, groups, case.truth, LOSSES[choice.loss](), Pricing(choice.scaling))  # type: ignore[arg-type]


def offered(family: str) -> list[type[Any]]:
    """The clusterers that answer this kind of question at all."""
    small = Question(np.array([[0.0, 1.0], [1.0, 0.0]]), 1 if family == MEANS else None)
    return [kind for kind in CLUSTER_ORACLES if not kind().refuses(small)]


def titles(family: str) -> list[str]:
    """Their titles."""
    return [kind.title for kind in offered(family)]


def compare(case: Instance, family: str, settings: dict[str, Any]) -> Comparison:
    """All answers to one question; `settings` are clusterers by title that are not the usual ones."""
    put = question(case, family)
    answers = [asked(put, family, settings.get(kind.title) or kind()) for kind in offered(family)]
    return comparison(family, put, answers)


def comparison(family: str, put: Question, answers: Sequence[Answer]) -> Comparison:
    """Hold the answers against each other."""
    hard = [(put.value(one.labels), one) for one in answers if one.labels is not None]
    top, best = max(
        ((value, one.labels) for value, one in hard), key=lambda find: find[0], default=(math.nan, None)
    )
    bound = min((one.bound for one in answers if not one.refused), default=math.inf)
    exact = any(one.kind == "exact" and not one.refused for one in answers)
    proven = bool(hard) and (exact or bound - top <= ROUNDING * scale_of(put, top))
    return Comparison(family, put, tuple(answers), top, best, proven)


def asked(put: Question, family: str, oracle: Any) -> Answer:
    """What a clusterer answers, or why it does not."""
    about = (family, oracle.title, spelled(oracle), oracle.kind)
    reason = oracle.refuses(put) or too_many(put, oracle)
    if reason:
        return Answer(*about, refused=reason)
    try:
        answer, seconds = timed(oracle, put)
    except Refused as refusal:
        return Answer(*about, refused=str(refusal))
    labels, shares = unfolded(answer.label, put)
    value = put.value(answer.label)
    loss = put.loss(answer.label) if put.asks_loss else math.nan
    found = Answer(
        *about,
        given=answer,
        labels=labels,
        shares=shares,
        value=value,
        loss=loss,
        bound=answer.bound,
        seconds=seconds,
    )
    if oracle.kind == "exact" and answer.bound > value + ROUNDING * scale_of(put, value):
        return replace(found, kind="under", short=answer.bound - value)
    return found


def scale_of(put: Question, value: float) -> float:
    """What rounding is measured by: twice the largest entry that is clustered, or the value if that is
    larger.
    """
    folded = put.folded()
    K = put.K if folded is None else folded[1]
    return 2.0 * max(1.0, float(np.abs(K).max(initial=0.0)), abs(value))


def too_many(put: Question, oracle: Any) -> str:
    """Why a page does not list all partitions; empty for other clusterers and for few."""
    count = bell(put.m) if put.groups is None else stirling(put.m, put.groups)
    if oracle.title != "all partitions" or count <= MOST_LISTED:
        return ""
    return f"{put.m} items have {count:,} partitions; this page looks at {MOST_LISTED:,} at most"


def unfolded(label: Any, put: Question) -> tuple[Ints | None, Array | None]:
    """Hard labels, if the answer is a clustering, and the (m, m) shares of a relaxed one."""
    if not is_relaxed(label):
        return canonical(label), None
    if put.groups is None:
        shares = pair_matrix(np.asarray(label), put.m, diagonal=1.0)
        return whole(shares), shares
    Y = np.asarray(label).reshape(put.m, -1)
    return None, Y @ Y.T


def whole(shares: Array) -> Ints | None:
    """The clustering that shares of pairs are, if none is fractional."""
    e = np.round(shares)
    return canonical(np.argmax(e > 0.5, axis=1)) if np.abs(shares - e).max() <= SURE else None


def proved(put: Question) -> Solved:
    """What the integer program answers, or has found when its time is up, and what no clustering exceeds."""
    constant, K = put.folded() or (0.0, put.K)
    search, ends = Search(K), time.monotonic() + LIMIT
    while search.open:
        search.branch()
        if time.monotonic() > ends:
            break
    return Solved(search.best, constant + bound_of(search))


def bound_of(search: Search) -> float:
    """What no clustering exceeds: the largest bound of the branches left, and what the search takes as no
    difference.
    """
    best = search.most + CLOSE * search.program.scale
    return max(best, *(-bound for bound, *_ in search.open)) if search.open else best


def timed(oracle: Any, put: Question) -> tuple[Any, float]:
    """The answer, and the median seconds of a few calls; a first call that may have loaded code is not
    counted.
    """
    spent: list[float] = []
    while len(spent) < CALLS and sum(spent) < SPENT:
        began = time.perf_counter()
        answer = proved(put) if isinstance(oracle, IntegerProgram) else oracle.solve(put)
        took = time.perf_counter() - began
        if oracle.title in WARM or took > LONG:
            spent.append(took)
        WARM.add(oracle.title)
    return answer, float(np.median(spent))
