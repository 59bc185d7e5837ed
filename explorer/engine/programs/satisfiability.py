"""Is there an assignment that makes a formula true? By an integer program (Finley 2009, appendix B.3).

A literal is i or -i, a clause a tuple of literals of which one must be true, a formula a list of clauses.
Every variable has two columns of kind bool, for itself and its negation, which add up to 1; every clause
is a row that must reach 1.
"""

from collections.abc import Sequence

from explorer.engine.programs.lpx import LPX
from explorer.engine.refusals import Refused

Formula = Sequence[Sequence[int]]


def solve_sat(formula: Formula) -> list[bool] | None:
    """The truth of every variable, or None where no assignment makes the formula true."""
    if not len(formula):
        return []
    if any(not clause or 0 in clause for clause in formula):
        raise Refused("a clause is a tuple of whole numbers other than 0; give at least one")
    lp = program_of(formula)
    if lp.simplex() is not None or lp.status != "opt":
        return None
    if lp.integer() is not None or lp.status != "opt":
        return None
    return [col.value > 0.99 for col in lp.cols[::2]]


def program_of(formula: Formula) -> LPX:
    """The integer program of a formula."""
    lp, count = LPX(), max(abs(literal) for clause in formula for literal in clause)
    lp.cols.add(2 * count)
    for col in lp.cols:
        col.kind = bool
    for variable in range(1, count + 1):
        add_row(lp, (variable, -variable), 1.0)
    for clause in formula:
        add_row(lp, tuple(set(clause)), (1.0, None))
    return lp


def add_row(lp: LPX, literals: Sequence[int], bounds: float | tuple[float, None]) -> None:
    """How many of these literals are true, within these bounds."""
    lp.rows.add(1)
    lp.rows[-1].matrix = [(column_of(literal), 1.0) for literal in literals]
    lp.rows[-1].bounds = bounds


def column_of(literal: int) -> int:
    """Columns 0, 1, 2, 3, ... stand for 1, -1, 2, -2, ..."""
    return 2 * literal - 2 if literal > 0 else -2 * literal - 1
