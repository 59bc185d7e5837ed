"""A program through cvxpy and Clarabel; what comes back is judged, not believed. Bounded by a time limit."""

import warnings
from typing import Any

import numpy as np

from explorer.engine.refusals import Refused
from explorer.engine.runs.referee.conditions import (
    Conditions,
    ProgramPoint,
    conditions,
    likelihood_conditions,
)
from explorer.engine.runs.referee.formulation import hinge, likelihood
from explorer.engine.runs.referee.program import Program

TIGHT = {"tol_gap_abs": 1e-11, "tol_gap_rel": 1e-11, "tol_feas": 1e-11}
"""How exactly the solver is asked to solve."""

SECONDS = 60.0
"""After this long it gives up."""

REASONS = {
    "infeasible": "no w satisfies every constraint without slack; choose a finite C",
    "user_limit": f"it did not finish within {SECONDS:g} seconds; choose a smaller problem",
}


def solve(program: Program) -> Conditions:
    """The solution that cvxpy finds, by its optimality conditions."""
    if program.likelihood:
        made, w = likelihood(program.a, program.slot, program.price)
        run(made)
        return likelihood_conditions(program, np.asarray(w.value))
    rows, slots = (program.a, program.b), (program.slot, program.price)
    made, w, slack = hinge(*rows, *slots, program.squared, program.free_bias)
    run(made)
    alpha = np.asarray(made.constraints[0].dual_value)
    return conditions(program, ProgramPoint(np.asarray(w.value), alpha, np.asarray(slack.value)))


def run(made: Any) -> None:
    """Solve, or refuse with the solver's reason; what it calls inaccurate is judged like any other."""
    import cvxpy  # slow to import, and only a referee needs it

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made.solve(solver=cvxpy.CLARABEL, time_limit=SECONDS, **TIGHT)
        except cvxpy.error.SolverError as fault:
            raise Refused(f"cvxpy gave up: {str(fault).splitlines()[0]}") from fault
    if made.status not in ("optimal", "optimal_inaccurate"):
        raise Refused(
            f"cvxpy says {made.status!r}: {REASONS.get(made.status, 'there is no optimum to compare with')}"
        )
