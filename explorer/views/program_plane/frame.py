"""What the picture of a program shows: the feasible polygon, the simplex walk, the optimum, the integer
points.
"""

from dataclasses import dataclass

import numpy as np

from explorer.engine.programs import LPX
from explorer.engine.programs.plane import PlaneProgram, draw_plane
from explorer.engine.vectors import Array
from explorer.labs.programs.state import ProgramLab

LOW, HIGH = -1.5, 6.0


@dataclass(frozen=True, slots=True, eq=False)
class ProgramFrame:
    """The picture, the relaxed optimum and the integer one, each with its value; NaN where there is none."""

    picture: PlaneProgram
    status: str
    relaxed: Array
    value: float
    duals: Array
    whole: Array
    whole_value: float
    asked_whole: bool
    slope: Array


def plane_frame(lab: ProgramLab) -> ProgramFrame:
    """The picture of the lab's program."""
    lp = lab.program()
    picture, nothing = draw_plane(lp.model(False), LOW, HIGH), np.full(2, np.nan)
    solved = lp.status == "opt"
    status, relaxed = lp.status, values(lp) if solved else nothing
    value, duals = lp.obj.value if solved else np.nan, np.array([row.dual for row in lp.rows])
    whole, whole_value = nothing, np.nan
    if lab.whole and lp.integer() is None and lp.status == "opt":
        whole, whole_value = values(lp), lp.obj.value
    slope = np.array([lab.c0, lab.c1])
    return ProgramFrame(picture, status, relaxed, value, duals, whole, whole_value, lab.whole, slope)


def values(lp: LPX) -> Array:
    """The columns' values."""
    return np.array([col.value for col in lp.cols])
