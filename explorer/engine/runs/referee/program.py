"""Training as rows of numbers, which any solver can be given (see `formulation` for what is minimised).

    over the cuts         a row for every cut that a step knows: n slacks, or one that all examples share
    over all labellings   a row for every wrong labelling of every example; equal rows are one

psi = features(truth) - features(label);  a = u psi, b = r under the problem's pricing. Vectors that are known
by inner products alone (kernels), or are much longer than they are many, are written in coordinates of the
space that they span: no optimum changes, since the best w lies in it. With a free bias, features are measured
from a row amid them: that changes the bias alone. Cost: a feature map per labelling.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from explorer.engine.contracts import Convex, Enumerates, Geometry, Problem, Ruled
from explorer.engine.dual.working_set import slack_prices
from explorer.engine.enumeration import LISTABLE
from explorer.engine.objective import anchor_of, cut_of, plane_of
from explorer.engine.refusals import Refused
from explorer.engine.runs.referee.claim import Claim, KnownCut
from explorer.engine.vectors import Array, Ints, Vector, dense, scale, total

MOST_ROWS = 2_000
"""Programs with more rows than this are refused."""

MOST_CELLS = 600_000
"""And those with more numbers in their rows: both together take some seconds."""

MOST_DENSE = 20_000_000
"""Numbers that may be written out before their coordinates are taken."""

OTHER_PRICES = "the loss or its scaling has changed since this step; look at a step of the present settings"


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """Rows a, b and the slot of each; the price of each slot; `squared` slacks, or the log-`likelihood`.

    The first `examples` slots are those of examples (all of them, if None), the others of rules on w. With a
    `free_bias` the first weight costs nothing.
    """

    a: Array
    b: Array
    slot: Ints
    price: Array
    squared: bool = False
    likelihood: bool = False
    free_bias: bool = False
    examples: int | None = None

    @property
    def counted(self) -> slice:
        """The weights that the norm counts."""
        return slice(1, None) if self.free_bias else slice(None)

    def masses(self, alpha: Array) -> Array:
        """The sum of the multipliers of every slot."""
        return np.asarray(np.bincount(self.slot, alpha, len(self.price)), dtype=float)

    def needed_slack(self, w: Array) -> Array:
        """The slack that the rows of every slot ask for at w."""
        out = np.zeros(len(self.price))
        np.maximum.at(out, self.slot, self.b - self.a @ w)
        return out


def over_cuts(problem: Problem, claim: Claim, pulse: Callable[[], None]) -> tuple[Program, Array]:
    """The program over the cuts of a step, and the step's w in its coordinates."""
    if claim.no_cuts:
        raise Refused(claim.no_cuts)
    if not claim.cuts:
        raise Refused("no cut is known yet at this step: the best w over no cuts is 0")
    check_rows(len(claim.cuts), "cuts")
    shared = any(cut.joint for cut in claim.cuts)
    examples = 1 if shared else problem.n
    rows: list[Vector] = []
    for cut in claim.cuts:
        pulse()
        rows.append(row_of(problem, cut))
    a, w = change_coordinates(problem, rows, claim.w)
    slot = np.array([slot_of(problem, cut, examples) for cut in claim.cuts], dtype=np.int64)
    squared = problem.pricing.penalty == "squared" and not shared
    b, price = np.array([cut.b for cut in claim.cuts]), slack_prices(problem, claim.C, examples)
    bias = anchor_of(problem) is not None
    return Program(a, b, slot, price, squared, free_bias=bias, examples=examples), w


def row_of(problem: Problem, cut: KnownCut) -> Vector:
    """a of a cut; its b must be the one that the step gave it, or the prices are other ones today."""
    if cut.rule >= 0:
        return problem.rules[cut.rule].a if isinstance(problem, Ruled) else np.zeros(problem.dim)
    parts = [plane_of(problem, cut_of(problem, i, label)) for i, label in cut.pairs]
    b = float(np.mean([part.b for part in parts]))
    if abs(b - cut.b) > 1e-9 * max(1.0, abs(b)):
        raise Refused(OTHER_PRICES)
    return scale(1.0 / len(parts), total((part.a for part in parts), problem.dim))


def slot_of(problem: Problem, cut: KnownCut, examples: int) -> int:
    """Which slack a cut bounds: the examples' slacks come first, those of rules after them."""
    if cut.rule >= 0:
        return examples + (problem.rules[cut.rule].group if isinstance(problem, Ruled) else 0)
    return 0 if cut.joint else cut.pairs[0][0]


def over_labellings(problem: Problem, claim: Claim, pulse: Callable[[], None]) -> tuple[Program, Array]:
    """The program over every labelling of every example, and the step's w in its coordinates."""
    check_listable(problem)
    rows, b, slot = labelling_rows(problem, claim, pulse)
    a, w = change_coordinates(problem, rows, claim.w)
    price = (
        np.full(problem.n, claim.C / problem.n)
        if claim.likelihood
        else slack_prices(problem, claim.C, problem.n)
    )
    if claim.likelihood:
        return Program(a, b, slot, price, likelihood=True), w
    each = np.unique(np.column_stack([slot, b, a]), axis=0)
    check_rows(len(each), "different labellings")
    squared, bias = problem.pricing.penalty == "squared", anchor_of(problem) is not None
    slots = each[:, 0].astype(np.int64)
    return Program(each[:, 2:], each[:, 1], slots, price, squared, free_bias=bias, examples=problem.n), w


def labelling_rows(
    problem: Problem, claim: Claim, pulse: Callable[[], None]
) -> tuple[list[Vector], Array, Ints]:
    """Rows, offsets and slots of all labellings; priced, and without the truths, unless for a likelihood."""
    assert isinstance(problem, Enumerates)
    rows: list[Vector] = []
    b, slot = [], []
    for i in range(problem.n):
        for label in problem.labellings(i):
            pulse()
            cut = cut_of(problem, i, label)
            plane = plane_of(problem, cut)
            if claim.likelihood or plane.b or np.any(dense(plane.a)):
                rows.append(cut.psi if claim.likelihood else plane.a)
                b.append(0.0 if claim.likelihood else plane.b)
                slot.append(i)
    for rule in problem.rules if isinstance(problem, Ruled) else ():
        rows.append(rule.a)
        b.append(rule.b)
        slot.append(problem.n + rule.group)
    return rows, np.array(b), np.array(slot, dtype=np.int64)


def check_listable(problem: Problem) -> None:
    """Refuse what cannot be listed, or not within the limits."""
    if isinstance(problem, Convex):
        raise Refused("the risk is given as a function: it has no labellings to list")
    if not isinstance(problem, Enumerates):
        raise Refused("this problem cannot list its labellings")
    count = sum(problem.labellings_count(i) for i in range(problem.n))
    if count > LISTABLE:
        raise Refused(f"there are {float(count):,.6g} labellings; at most {LISTABLE:,} are listed")
    if not isinstance(problem, Geometry) and count * problem.dim > MOST_DENSE:
        raise Refused(f"{count:,} labellings of {problem.dim:,} weights are too many numbers to write down")


def check_rows(count: int, of: str) -> None:
    """Refuse more rows than a solver of this kind takes in some seconds."""
    if count > MOST_ROWS:
        raise Refused(f"there are {count:,} {of}; the independent solver takes at most {MOST_ROWS:,}")


def change_coordinates(problem: Problem, rows: Sequence[Vector], w: Array) -> tuple[Array, Array]:
    """The rows and w with the same products; where a bias is free, measured from the problem's anchor z:
    a . w = (a - a_0 z) . w + a_0 (z . w), so that z . w takes the place of the bias.
    """
    z = anchor_of(problem)
    if z is None:
        written = coordinates(problem, [*rows, w])
        return written[:-1], written[-1]
    a, bias = np.array([dense(one) for one in rows]), float(z @ w)
    tilts = a[:, :1].copy()
    rest = coordinates(problem, [*(a - tilts * z)[:, 1:], w[1:]])
    return np.hstack([tilts, rest[:-1]]), np.append(bias, rest[-1])


def coordinates(problem: Problem, vectors: Sequence[Vector]) -> Array:
    """The vectors as rows, with the same inner products."""
    m = len(vectors)
    if isinstance(problem, Geometry):
        check_rows(m, "cuts")
        gram = np.array([problem.products(vectors, one) for one in vectors])
        values, basis = np.linalg.eigh((gram + gram.T) / 2)
        written = basis * np.sqrt(np.maximum(values, 0.0))
    elif m * problem.dim > MOST_DENSE:
        raise Refused(f"{m:,} cuts of {problem.dim:,} weights are too many numbers to write down")
    else:
        written = np.array([dense(one) for one in vectors])
        if m < problem.dim and written.size > MOST_CELLS:
            written = np.asarray(np.linalg.qr(written.T, mode="r")).T
    if written.size > MOST_CELLS:
        raise Refused(
            f"{m:,} rows of {written.shape[1]:,} numbers are too many; at most {MOST_CELLS:,} are solved here"
        )
    return written
