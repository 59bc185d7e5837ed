"""A linear program as arrays, handed to HiGHS.

Duals are what the optimum z changes by for each unit that a row's (or column's) bound gives way,
whichever way z is optimised. Cost: one simplex run, or one branch and bound.
"""

from dataclasses import dataclass, field
from typing import Any, cast

import highspy
import numpy as np

from explorer.engine.vectors import Array

SECONDS = 60.0
STATUS: dict[str, str] = {
    "kOptimal": "opt",
    "kInfeasible": "nofeas",
    "kUnbounded": "unbnd",
    "kUnboundedOrInfeasible": "undef",
}
"""HiGHS's words for how a search ends, in those of GLPK."""


@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """optimise c . x + shift s.t. ends of x, ends of A x; `whole` columns are integer."""

    c: Array
    shift: float
    A: Array
    columns: Array
    rows: Array
    whole: Any
    maximize: bool


@dataclass(frozen=True, slots=True, eq=False)
class LinearSolution:
    """How a search ended, and where; `fault` is None where it ended as it should."""

    status: str
    fault: str | None = None
    values: Array | None = None
    row_values: Array = field(default_factory=lambda: np.zeros(0))
    column_duals: Array = field(default_factory=lambda: np.zeros(0))
    row_duals: Array = field(default_factory=lambda: np.zeros(0))
    objective: float = 0.0


def solve(model: LinearModel) -> LinearSolution:
    """Solve by the simplex method, or by branch and bound where columns are integer."""
    solver: Any = cast("Any", highspy).Highs()
    for name, value in {
        "output_flag": False,
        "threads": 1,
        "solver": "simplex",
        "time_limit": SECONDS,
    }.items():
        solver.setOptionValue(name, value)
    solver.setOptionValue("presolve", "off")  # which would not tell unbounded from infeasible
    solver.passModel(as_highs(model))
    if solver.run() == highspy.HighsStatus.kError:
        return LinearSolution("undef", "fault")
    ended = solver.getModelStatus().name
    status = STATUS.get(ended, "undef")
    fault = (
        None if ended in STATUS else {"kTimeLimit": "tmlim", "kIterationLimit": "itlim"}.get(ended, "fail")
    )
    if status != "opt":
        return LinearSolution(status, fault)
    found = solver.getSolution()
    parts = (found.col_value, found.row_value, found.col_dual, found.row_dual)
    x, y, dx, dy = (np.array(part, dtype=np.float64) for part in parts)
    empty = np.zeros(len(model.c)), np.zeros(len(model.A))
    dx, dy = (part if len(part) else nothing for part, nothing in zip((dx, dy), empty, strict=True))
    return LinearSolution(status, None, x, y, dx, dy, float(model.c @ x + model.shift))


def as_highs(model: LinearModel) -> Any:
    """The program in HiGHS's own form."""
    found = highspy.HighsLp()
    found.num_col_, found.num_row_ = len(model.c), len(model.A)
    found.col_cost_ = model.c
    found.col_lower_, found.col_upper_ = pair_of_ends(model.columns)
    found.row_lower_, found.row_upper_ = pair_of_ends(model.rows)
    found.sense_ = highspy.ObjSense.kMaximize if model.maximize else highspy.ObjSense.kMinimize
    places = [np.flatnonzero(row) for row in model.A]
    found.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    found.a_matrix_.start_ = np.cumsum([0, *map(len, places)]).astype(np.int32)
    found.a_matrix_.index_ = np.concatenate([np.zeros(0, np.int64), *places]).astype(np.int32)
    found.a_matrix_.value_ = model.A[model.A != 0.0]
    if np.any(model.whole):
        kinds = highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger
        found.integrality_ = [kinds[int(whole)] for whole in model.whole]
    return found


def pair_of_ends(ends: Array) -> tuple[Array, Array]:
    """Lower and upper ends with HiGHS's infinity."""
    lower, upper = np.clip(ends, -highspy.kHighsInf, highspy.kHighsInf).T
    return np.ascontiguousarray(lower), np.ascontiguousarray(upper)
