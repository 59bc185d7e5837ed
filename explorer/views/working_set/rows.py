"""The cuts of a working set as rows of a table: what each claims, how far it is violated, and its weight.

    violation of cut j = b_j - a_j . w: what it asks of its slack at the step's w

Cost: a dot product for each row.
"""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.contracts import Problem
from explorer.engine.dual.working_set import FIRST_RULE
from explorer.engine.events import EVERY_EXAMPLE, Cut
from explorer.engine.objective import cut_of, violation
from explorer.engine.runs.kept_cuts import KeptCuts, pairs_of, recorded_cut
from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Array, Ints, dot
from explorer.views.kit.cuts import PATIENCE, count_differing, memory_of, slope
from explorer.views.kit.depiction import depiction_of
from explorer.wording import number

MOST_ROWS = 100
NOISE = 1e-8
"""A violation smaller than this is shown as 0: quadratic programs are not solved more exactly."""


@dataclass(frozen=True, slots=True, eq=False)
class CutRows:
    """The table's columns; `total`: cuts it was taken from, `late`: margins are still to be computed."""

    number: Ints
    example: Ints
    labelling: tuple[str, ...]
    loss: Array
    margin: Array
    violation: Array
    alpha: Array
    found: Ints
    total: int
    late: bool = False

    def __len__(self) -> int:
        return len(self.number)


def no_rows() -> CutRows:
    """An empty table."""
    none, nothing = np.zeros(0, dtype=np.int64), np.zeros(0)
    return CutRows(none, none, (), nothing, nothing, nothing, nothing, none, 0)


def rows_of(problem: Problem, trace: Trace, cuts: KeptCuts, w: Array | None) -> CutRows:
    """The cuts with the largest weights, the newest first among equals; margins at w where w is given."""
    order = np.lexsort((-cuts.ids, -cuts.alpha))[:MOST_ROWS]
    products, ends = np.full(len(order), np.nan), time.perf_counter() + PATIENCE
    for r, j in enumerate(order if w is not None else ()):
        a = slope(problem, trace, cuts, int(j)) if time.perf_counter() < ends else None
        products[r] = np.nan if a is None or w is None else dot(w, a)
    mine, pricing = cuts.only(order), problem.pricing
    joint = mine.example < 0
    unit = np.where(joint | (pricing.scaling != "slack"), 1.0, mine.b)
    margin = np.divide(products, unit, out=np.full(len(order), np.nan), where=unit != 0.0)
    loss = np.where(joint | (pricing.penalty == "linear"), mine.b, mine.b**2)
    words = tuple(claim_text(problem, trace, cuts, int(j)) for j in order)
    late, excess = w is not None and time.perf_counter() > ends, mine.b - products
    return CutRows(
        mine.ids, mine.example, words, loss, margin, excess, mine.alpha, mine.born, len(cuts), late
    )


def last_cuts(problem: Problem, trace: Trace, at: int, example: int) -> CutRows:
    """Where no cuts are kept: those the step met, or else the most tempting one of an example at its w."""
    moment = trace.at(at)
    light = list(moment.cuts[-MOST_ROWS:])
    if not light or light[0].i == EVERY_EXAMPLE:
        light = [problem.oracle(moment.w, min(example, problem.n - 1))]
    cuts = [cut_of(problem, c.i, c.label) for c in light]
    margin = np.array([dot(moment.w, c.psi) for c in cuts])
    excess = np.array([violation(problem, moment.w, c) for c in cuts])
    words, m = tuple(labelling_text(problem, c) for c in cuts), len(cuts)
    who, loss = np.array([c.i for c in cuts]), np.array([c.loss for c in cuts])
    step = moment.cuts_at if moment.cuts else moment.w_at
    return CutRows(np.full(m, -1), who, words, loss, margin, excess, np.full(m, np.nan), np.full(m, step), m)


def worst_example(problem: Problem, w: Array, pairs: list[tuple[int, Any]]) -> int:
    """Whose labelling in a joint cut is the most tempting at w."""
    return max(pairs, key=lambda pair: violation(problem, w, cut_of(problem, *pair)))[0]


COLUMNS = {
    "number": "cut",
    "example": "example",
    "labelling": "labelling",
    "loss": "loss",
    "margin": "margin w·ψ",
    "violation": "violation",
    "alpha": "weight α",
    "found": "found at",
}


def row_order(rows: CutRows, by: str = "alpha", falling: bool = True) -> Ints:
    """The order of the table's rows by one column; unknown values come last, equal ones stay as they were."""
    keys = np.asarray(getattr(rows, by))
    if by == "labelling":
        keys = np.unique(keys, return_inverse=True)[1]
    keys = keys.astype(float)
    return np.argsort(np.where(np.isnan(keys), np.inf, -keys if falling else keys), kind="stable")


def cells(rows: CutRows) -> list[list[str]]:
    """The table as text."""
    numbers = [str(j) if j >= 0 else "open" for j in rows.number]
    who = [str(i) if i >= 0 else "all" if i == EVERY_EXAMPLE else "–" for i in rows.example]
    columns = (np.where(np.abs(v) < NOISE, 0.0, v) for v in (rows.loss, rows.margin, rows.violation))
    figures = [[number(float(v)) for v in column] for column in columns]
    alpha = ["none" if np.isnan(a) else number(float(a)) for a in rows.alpha]
    found = [str(step) if step >= 0 else "–" for step in rows.found]
    return [list(row) for row in zip(numbers, who, rows.labelling, *figures, alpha, found, strict=True)]


def claim_text(problem: Problem, trace: Trace, cuts: KeptCuts, j: int) -> str:
    """What cut j claims, next to the truth."""
    if cuts.example[j] <= FIRST_RULE:
        return "rule"
    cut, born = recorded_cut(trace, cuts, j), int(cuts.born[j])
    if cut is None:
        return "not kept"
    if cut.i != EVERY_EXAMPLE:
        return labelling_text(problem, cut)
    if cut.label is None:
        return "tangent of the risk"

    def wrong() -> str:
        pairs, truths = pairs_of(trace, born, cut), problem.dataset.labels
        count = count_differing([y for _, y in pairs], [truths[i] for i, _ in pairs])
        return f"{count} of {len(pairs)} examples wrong"

    return memory_of(problem, trace).get(("words", born), wrong)


def labelling_text(problem: Problem, cut: Cut) -> str:
    """One example's labelling and how it differs from the truth."""
    depiction = depiction_of(problem)
    if np.array_equal(cut.label, problem.dataset.labels[cut.i]):
        return f"{depiction.label_text(problem, cut.label, cut.i)}, the truth"
    return depiction.mistake(problem, cut.i, cut.label)
