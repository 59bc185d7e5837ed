"""Several oracles on one question: what each answers, how good that is, what it proves, how long it takes.

    score     of an answer's labelling; a relaxed answer is rounded first, and may itself be worth more
    gap       best known score - score; the best known one is proven if an exact oracle found it, all
              labellings were listed, or some bound equals it
    time      median of a few calls

under <= exact <= over must hold, and `OracleComparison.wrong_side` checks it. Nothing waits long: an oracle
that knows its effort runs by itself while that is quick, on request while it is bearable, and not beyond; one
that can be stopped is stopped after LIMIT seconds. Cost: that of the oracles.
"""

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np

from explorer.engine.catalogue.oracle_names import spell, title_in
from explorer.engine.contracts import Anytime, Laborious
from explorer.engine.enumeration import Ranks
from explorer.engine.halting import Cancelled, within
from explorer.engine.refusals import Refused
from explorer.engine.vectors import Array, Ints

Q = TypeVar("Q")
A = TypeVar("A")

CALLS, SPENT = 5, 0.01
"""An oracle is timed by at most CALLS calls, and by no more once they took SPENT seconds."""

LONG = 1.5
"""A first call of more seconds than this is not repeated, although it may have loaded code."""

LIMIT = 1.0
"""Seconds after which an oracle that can be stopped is."""

PATIENT = 30.0
"""The same for one that was asked to take its time."""

STOPPED = f"its search was stopped after {PATIENT:.0f} seconds; take a smaller instance"

WARM: set[str] = set()
"""Titles of the oracles that have been called before: their code is loaded, and the first call counts."""

SLOW = "so it runs when you press “Also run the slow ones”"


@dataclass(frozen=True, slots=True, eq=False)
class Reply:
    """What one oracle said; without an answer `refused` says why, and `waits` whether it runs on request.

    `value` is what the answer itself is worth, `score` what its labelling is. `short` is by how much the best
    may exceed the value where a proof was cut short.
    """

    name: str
    kind: str
    refused: str = ""
    waits: bool = False
    labels: Ints | None = None
    shares: Array | None = None
    score: float = math.nan
    value: float = math.nan
    loss: float = math.nan
    bound: float = math.inf
    short: float = math.nan
    seconds: float = math.nan

    @property
    def title(self) -> str:
        """The oracle's title without its settings."""
        return title_in(self.name)


@dataclass(frozen=True, slots=True, eq=False)
class OracleComparison(Generic[Q]):
    """All replies to one question; `top` is the best known score, `proven` whether none is better.

    `what` is maximised, `bound` exceeded by no labelling, `slack` no difference, and `ranks` all labellings
    in order, where they can be listed.
    """

    question: Q
    replies: tuple[Reply, ...]
    best: Ints | None
    top: float
    bound: float
    proven: bool
    slack: float
    what: str = "score"
    ranks: Ranks | None = None

    @property
    def with_answer(self) -> list[Reply]:
        """The replies of oracles that have an answer."""
        return [one for one in self.replies if not one.refused]

    def reply(self, name: str) -> Reply | None:
        """The reply of the oracle with this name, or with the same title."""
        found = [one for one in self.replies if one.name == name]
        found += [one for one in self.replies if one.title == title_in(name)]
        return found[0] if found else None

    def gap(self, reply: Reply) -> float:
        """By how much the answer's labelling misses the best known score; 0 within rounding."""
        gap = self.top - reply.score
        return 0.0 if abs(gap) <= self.slack else gap

    def better(self, reply: Reply) -> int | None:
        """How many labellings are better than the answer's, where they can be listed."""
        return None if self.ranks is None or reply.labels is None else self.ranks.better(reply.score)

    def target(self, labels: Ints) -> Ints:
        """The best known labelling; of several that tie, the one nearest to these labels."""
        assert self.best is not None, "some labelling was given"
        return self.best if self.ranks is None else self.ranks.nearest_best(labels)

    def wrong(self, reply: Reply) -> Ints:
        """Where an answer that misses the best known score differs from the best labelling."""
        if reply.labels is None or self.gap(reply) == 0.0:
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero(reply.labels != self.target(reply.labels))

    def wrong_side(self) -> list[str]:
        """Oracles on the wrong side of a proven best score: under above it, over or exact below it."""
        wrong: dict[str, Callable[[float], bool]] = {
            "under": lambda value: value > self.top + self.slack,
            "over": lambda value: value < self.top - self.slack,
            "exact": lambda value: abs(value - self.top) > self.slack,
        }
        return [one.title for one in self.with_answer if self.proven and wrong[one.kind](one.value)]


class Bench(Generic[Q]):
    """One question and every reply so far: no oracle is asked twice."""

    def __init__(self, question: Q, reply: Callable[[Any, Q, bool], Reply]) -> None:
        self.question, self.reply = question, reply
        self.known: dict[str, Reply] = {}

    def replies(self, oracles: Iterable[Any], patient: bool = False) -> list[Reply]:
        """What these oracles say; with `patient` also those that wait to be asked."""
        found = []
        for oracle in oracles:
            name = spell(oracle)
            if name not in self.known or (patient and self.known[name].waits):
                self.known[name] = self.reply(oracle, self.question, patient)
            found.append(self.known[name])
        return found


def ask(
    oracle: Any, question: Q, read: Callable[[Q, Any], Mapping[str, Any]], kind: str, patient: bool = False
) -> Reply:
    """What an oracle says, or why it does not; `read` makes the parts of a reply from its answer."""
    name = spell(oracle)
    reason, waits = hindrance(oracle, question, patient)
    if reason:
        return Reply(name, kind, refused=reason, waits=waits)
    try:
        with within(PATIENT if patient or isinstance(oracle, Anytime) else LIMIT):  # some stop by themselves
            answer, seconds = time_calls(oracle.title, call_of(oracle, question))
    except Refused as refusal:
        return Reply(name, kind, refused=str(refusal))
    except Cancelled:
        why = STOPPED if patient else f"its search takes long here, {SLOW}"
        return Reply(name, kind, refused=why, waits=not patient)
    return Reply(name, kind, seconds=seconds, **read(question, answer))


def hindrance(oracle: Any, question: Any, patient: bool) -> tuple[str, bool]:
    """Why the oracle does not run, and whether it would on request; an empty reason if it runs."""
    reason = oracle.refuses(question)
    if reason or not isinstance(oracle, Laborious):
        return reason or "", False
    effort = oracle.effort(question)
    if effort.size > effort.most:
        return f"{effort.because}, so here it takes smaller instances only", False
    if effort.size > effort.quick and not patient:
        return f"{effort.because}, {SLOW}", True
    return "", False


def call_of(oracle: Any, question: Any) -> Callable[[], Any]:
    """What is timed: the oracle's answer, or the best it has when its time is up."""
    if isinstance(oracle, Anytime):
        return partial(oracle.solve_within, question, LIMIT)
    return partial(oracle.solve, question)


def time_calls(title: str, call: Callable[[], A]) -> tuple[A, float]:
    """The answer, and the median seconds of a few calls; a first call may load code and is not counted."""
    spent: list[float] = []
    while True:
        began = time.perf_counter()
        answer = call()
        took = time.perf_counter() - began
        if title in WARM or took > LONG:
            spent.append(took)
        WARM.add(title)
        if len(spent) >= CALLS or sum(spent) >= SPENT:
            return answer, float(np.median(spent))


def compare(
    question: Q,
    replies: Sequence[Reply],
    slack: Callable[[float], float],
    known: Sequence[tuple[float, Ints]] = (),
    what: str = "score",
    ranks: Ranks | None = None,
) -> OracleComparison[Q]:
    """Hold the replies against each other; `known` are more labellings with their scores."""
    given = [one for one in replies if not one.refused]
    finds = [*known, *((one.score, one.labels) for one in given if one.labels is not None)]
    top, best = max(finds, key=lambda find: find[0], default=(math.nan, None))
    bound = min((one.bound for one in given), default=math.inf)
    near = slack(top) if finds else 0.0
    exact = ranks is not None or any(one.kind == "exact" for one in given)
    proven = bool(finds) and (exact or bound - top <= near)
    return OracleComparison(
        question, tuple(replies), best, top, top if exact else bound, proven, near, what, ranks
    )
