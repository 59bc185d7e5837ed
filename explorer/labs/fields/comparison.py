"""Several oracles on one field: what each answers, how good that is, what it proves, and how long it takes.

    score     of the answer's labelling; a fractional answer is rounded first, its own value is the bound
    gap       best known score - score; the best known one is proven if an exact oracle found it, all
              labellings were listed, or some bound equals it
    time      median of a few calls

Nothing waits long: oracles whose cost grows fast run by themselves only on small fields (`EAGER`), on request
up to `PATIENT`, and not beyond. Cost: that of the oracles, and one listing of all labellings where there are
at most 200,000.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.catalogue.oracle_names import oracle_named, title_in
from explorer.engine.refusals import Refused
from explorer.engine.structures.fields.fields import Fields, Solved, kind_of, unflattened
from explorer.engine.structures.fields.oracles import FIELD_ORACLES
from explorer.engine.vectors import Array, Ints
from explorer.labs.fields.film import SURE
from explorer.labs.fields.instance import Instance
from explorer.labs.fields.ranks import ROUNDING, Ranks, nearest_best, ranks

CALLS, SPENT = 5, 0.006
"""An oracle is timed by at most this many calls, and by no more once they took SPENT seconds."""

LISTING = ("exhaustive", "known approximation")
EAGER = dict.fromkeys(LISTING, 3_000_000) | {"linear program": 1600, "branch and bound": 100}
PATIENT = {"linear program": 25_000}
"""Up to which size (`size_for`) an oracle runs by itself, and on request; the others run always."""

WHY = dict.fromkeys(LISTING, "it adds up every one") | {
    "linear program": "its time grows faster than their number",
    "branch and bound": "in fields so tangled its search may double with every node",
}

WARM: set[str] = set()
"""Titles of the oracles that have been called before: their code is loaded, and the first call counts."""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What one oracle said; without an answer `refused` says why, and `waits` whether it would run on
    request.
    """

    name: str
    kind: str
    refused: str = ""
    waits: bool = False
    labels: Ints | None = None
    shares: Array | None = None
    score: float = math.nan
    bound: float = math.inf
    seconds: float = math.nan

    @property
    def title(self) -> str:
        """The oracle's title without its settings."""
        return title_in(self.name)

    @property
    def fractional(self) -> Ints:
        """The nodes that have no single state."""
        if self.shares is None:
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero(self.shares.max(axis=1) < 1.0 - SURE)


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """All answers on one instance; `best` is the best known labelling, `proven` whether no other can be
    better.
    """

    case: Instance
    answers: tuple[Answer, ...]
    ranks: Ranks | None
    best: Ints
    top: float
    bound: float
    proven: bool

    @property
    def given(self) -> list[Answer]:
        """The answers of oracles that have one."""
        return [one for one in self.answers if one.labels is not None]

    @property
    def slack(self) -> float:
        """What counts as no difference between scores."""
        return self.ranks.slack if self.ranks else ROUNDING * max(1.0, abs(self.top))

    def gap(self, answer: Answer) -> float:
        """By how much the answer misses the best known score; 0 within rounding."""
        gap = self.top - answer.score
        return 0.0 if abs(gap) <= self.slack else gap

    def better(self, answer: Answer) -> int | None:
        """How many labellings are better than the answer, where they can be listed."""
        return None if self.ranks is None or answer.labels is None else self.ranks.better(answer.score)

    def target(self, labels: Ints) -> Ints:
        """The best known labelling; of several that tie, the one nearest to these labels."""
        return self.best if self.ranks is None else nearest_best(self.ranks, labels)

    def wrong(self, answer: Answer) -> Ints:
        """The nodes at which an answer that misses the best known score differs from the best labelling."""
        if answer.labels is None or self.gap(answer) == 0.0:
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero(answer.labels != self.target(answer.labels))

    def answer(self, name: str) -> Answer | None:
        """The answer of the oracle with this name, or with the same title."""
        found = [one for one in self.answers if one.name == name]
        found += [one for one in self.answers if one.title == title_in(name)]
        return found[0] if found else None


class Bench:
    """One instance and every answer that was computed for it so far: nothing is decoded twice."""

    def __init__(self, case: Instance) -> None:
        self.case = case
        self.known: dict[str, Answer] = {}
        self._ranks: tuple[Ranks | None] | None = None

    @property
    def ranks(self) -> Ranks | None:
        """All labellings in order, listed when first asked for."""
        if self._ranks is None:
            self._ranks = (ranks(self.case.field),)
        return self._ranks[0]

    def compare(self, names: Sequence[str], patient: bool = False) -> Comparison:
        """The answers of these oracles; with `patient` also those that wait to be asked."""
        for name in names:
            if name not in self.known or (patient and self.known[name].waits):
                self.known[name] = asked(self.case.field, name, patient)
        return comparison(self.case, [self.known[name] for name in names], self.ranks)


def asked(field: Fields, name: str, patient: bool = False) -> Answer:
    """What the oracle of this name answers, or why it does not."""
    oracle = oracle_named(name)
    reason, waits = hindrance(field, oracle, patient)
    if reason:
        return Answer(name, kind_of(oracle), refused=reason, waits=waits)
    try:
        solved, seconds = timed(oracle, field)
    except Refused as refusal:
        return Answer(name, kind_of(oracle), refused=str(refusal))
    shares = None
    if 0 in solved.fractions:
        shares = unflattened(solved.fractions[0], len(field.unary), field.states)[0]
    labels = np.asarray(solved.labels, dtype=np.int64)
    score, bound = float(field.scores(labels)[0]), float(solved.bound[0])
    return Answer(
        name, kind_of(oracle), labels=labels, shares=shares, score=score, bound=bound, seconds=seconds
    )


def size_for(title: str, field: Fields) -> tuple[int, str]:
    """What an oracle's cost grows with, and its name: e K^m, or the shares m K + e K^2, or these for each
    node.
    """
    if title in LISTING:
        return field.states ** len(field.unary) * len(field.ends), "pairwise scores in all its labellings"
    shares = field.unary.size + len(field.ends) * field.states**2
    return (
        (shares // len(field.unary), "shares for each node")
        if title == "branch and bound"
        else (shares, "shares")
    )


def hindrance(field: Fields, oracle: Any, patient: bool) -> tuple[str, bool]:
    """Why the oracle does not run, and whether it would on request; an empty reason if it runs."""
    reason = oracle.refuses(field)
    if reason:
        return plain(reason), False
    if oracle.title not in EAGER:
        return "", False
    size, what = size_for(oracle.title, field)
    because = f"this field has {size:,} {what}; {WHY[oracle.title]}"
    if size > PATIENT.get(oracle.title, math.inf):
        return f"{because}, so here it takes smaller fields only", False
    if size > EAGER[oracle.title] and not patient:
        return f"{because}, so it runs when you press “Also run the slow ones”", True
    return "", False


def plain(reason: str) -> str:
    """A refusal about many fields, said about the only one."""
    return (
        reason.replace("field 0 has", "the field has")
        .replace("field 0, ", "")
        .replace("the fields have", "the field has")
    )


def timed(oracle: Any, field: Fields) -> tuple[Solved, float]:
    """The answer, and the median seconds of a few calls; a first call that may have loaded code is not
    counted.
    """
    spent: list[float] = []
    while len(spent) < CALLS and sum(spent) < SPENT:
        began = time.perf_counter()
        solved = oracle.solve(field)
        took = time.perf_counter() - began
        if oracle.title in WARM:
            spent.append(took)
        WARM.add(oracle.title)
    return solved, float(np.median(spent))


def comparison(case: Instance, answers: Sequence[Answer], listed: Ranks | None) -> Comparison:
    """Hold the answers against each other and, where they are listed, against all labellings."""
    given = [one for one in answers if one.labels is not None]
    finds = [(one.score, one.labels) for one in given]
    if listed is not None:
        finds.append((float(listed.scores[0]), listed.best[0]))
    if not finds:
        own = np.argmax(case.field.unary, axis=1).astype(np.int64)
        finds.append((float(case.field.scores(own)[0]), own))
    top, best = max(finds, key=lambda find: find[0])
    bound = min((one.bound for one in given), default=math.inf)
    exact = listed is not None or any(one.kind == "exact" for one in given)
    proven = exact or bound - top <= ROUNDING * max(1.0, abs(top))
    return Comparison(case, tuple(answers), listed, best, top, top if exact else bound, proven)


def titles() -> list[str]:
    """All oracles of fields in menu order."""
    return [kind.title for kind in FIELD_ORACLES]


def refusals(field: Fields) -> dict[str, str]:
    """The oracles that cannot decode this field, whatever their settings, each with its reason."""
    found = {kind.title: kind().refuses(field) for kind in FIELD_ORACLES}
    return {title: plain(reason) for title, reason in found.items() if reason}
