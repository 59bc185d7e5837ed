"""Where every answer stands among all labellings in order of score; in large fields, among the answers.

The curve is better(s) + 1, the place in the list, over the score s; it is thinned to POINTS points, dense
among the best.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from explorer.engine.catalogue.oracle_names import oracle_named
from explorer.engine.enumeration import Ranks
from explorer.engine.structures.fields.fields import Fields
from explorer.engine.structures.fields.oracles import KnownApproximation
from explorer.engine.vectors import Array, Ints
from explorer.labs.compare import OracleComparison
from explorer.wording import number

NAMES = 2
"""Oracles that a label names at most; the others are counted."""

POINTS = 400
"""Points of the drawn curve at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """Oracles with one score, their place among all labellings (or answers); whether one is looked at."""

    titles: tuple[str, ...]
    score: float
    place: int
    shown: bool

    def label(self, names: int = NAMES) -> str:
        """The first names, and how many more."""
        more = len(self.titles) - names
        return ", ".join(self.titles[:names]) + (f" and {more} more" if more > 0 else "")


@dataclass(frozen=True, slots=True, eq=False)
class PlaceFrame:
    """All scores (thinned) with their places, answers, bounds, and the known approximation's limit."""

    scores: Array
    places: Array
    total: int | None
    marks: tuple[Mark, ...]
    bounds: tuple[tuple[str, float], ...]
    limit: float | None


def frame(compared: OracleComparison[Fields], shown: str) -> PlaceFrame:
    """The list of all labellings and where the answers are in it."""
    given, listed = compared.with_answer, compared.ranks
    marks = []
    for k, group in enumerate(group_by_score([one.score for one in given], compared.slack)):
        score, titles = given[group[0]].score, tuple(given[j].title for j in group)
        place = k + 1 if listed is None else listed.better(score) + 1
        marks.append(Mark(titles, score, place, shown in titles))
    scores, places = curve(listed) if listed is not None else (np.zeros(0), np.zeros(0))
    bounds = tuple((one.title, one.bound) for one in given if one.kind == "over" and np.isfinite(one.bound))
    total = None if listed is None else len(listed.scores)
    return PlaceFrame(scores, places, total, tuple(marks), bounds, _limit(compared))


def _limit(compared: OracleComparison[Fields]) -> float | None:
    """rho times the best score, if the known approximation is asked and the best score is above 0."""
    oracles = (oracle_named(one.name) for one in compared.with_answer)
    rho = next((oracle.rho for oracle in oracles if isinstance(oracle, KnownApproximation)), None)
    return rho * compared.top if rho is not None and compared.top > 0.0 else None


def curve(ranks: Ranks) -> tuple[Array, Array]:
    """Scores and places in the list for drawing: dense among the best, thinner further down."""
    n = len(ranks.scores)
    at = np.unique(np.round(np.geomspace(1, n, min(n, POINTS))).astype(int)) - 1
    return ranks.scores[at], at + 1.0


def group_by_score(scores: Sequence[float], slack: float) -> list[list[int]]:
    """Numbers of the answers that share a score, the best group first."""
    groups: list[list[int]] = []
    for j in sorted(range(len(scores)), key=lambda j: -scores[j]):
        if groups and abs(scores[groups[-1][0]] - scores[j]) <= slack:
            groups[-1].append(j)
        else:
            groups.append([j])
    return groups


def sentence(shown: PlaceFrame) -> str:
    """The places, best first."""
    if not shown.marks:
        return "No answers to place."
    of = (
        f" of {shown.total:,} labellings"
        if shown.total
        else " among the answers (too many labellings to list)"
    )
    places = "; ".join(f"{mark.place:,}: {mark.label()}" for mark in shown.marks[:4])
    above = (
        ""
        if shown.limit is None
        else f" The known approximation may take no score above {number(shown.limit)}."
    )
    return f"Places{of}: {places}{' and so on' if len(shown.marks) > 4 else ''}.{above}"


def table(shown: PlaceFrame) -> dict[str, Any]:
    """One row per place."""
    return {
        "place": [mark.place for mark in shown.marks],
        "score": [mark.score for mark in shown.marks],
        "oracles": [", ".join(mark.titles) for mark in shown.marks],
    }


def spread(heights: Array, apart: float, room: float) -> Array:
    """Heights from the top, moved down where closer than `apart`, and up where they leave the room."""
    out = np.array(heights, dtype=float)
    order = np.argsort(out, kind="stable")
    for before, after in pairwise(order):
        out[after] = max(out[after], out[before] + apart)
    if len(out):
        out[order[-1]] = min(out[order[-1]], room - 0.5 * apart)
    for after, before in pairwise(order[::-1]):
        out[before] = min(out[before], out[after] - apart)
    return out


def roomy(first: Any, others: Any, room: float, apart: float) -> Ints:
    """As many labels as the room holds, the first ones in any case; the others are told by hovering."""
    order = list(dict.fromkeys([*first, *others]))
    return np.sort(np.array(order[: max(1, int(room // apart))], dtype=np.int64))
