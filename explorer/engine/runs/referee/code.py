"""A program as Python that runs without the explorer: its numbers, and the function that we solve it with.

Cost: some ten characters per number.
"""

import inspect

import numpy as np

from explorer.engine.runs.referee.formulation import hinge, likelihood
from explorer.engine.runs.referee.program import Program
from explorer.engine.runs.referee.solving import TIGHT
from explorer.engine.vectors import Array, Ints

IMPORTS = (
    "from typing import Any\n\nimport numpy as np\nfrom numpy import inf\nfrom numpy.typing import NDArray\n"
)
HINGE_NUMBERS = ("a", "b", "slot", "price", "squared", "free_bias")
TYPES = "Array, Ints = NDArray[np.float64], NDArray[np.int64]"


def size(program: Program) -> int:
    """How many numbers the code holds."""
    return program.a.size + 2 * len(program.b) + len(program.price)


def code(program: Program, title: str) -> str:
    """Python text that solves the program with cvxpy and prints its optimum."""
    form = likelihood if program.likelihood else hinge
    names = ("a", "slot", "price") if program.likelihood else HINGE_NUMBERS
    gives = "program, w" if program.likelihood else "program, w, slack"
    numbers = [f"{name} = {literal(getattr(program, name))}" for name in names]
    options = ", ".join(f"{name}={value:g}" for name, value in TIGHT.items())
    parts = [
        f'"""{title}."""\n\n{IMPORTS}\n{TYPES}',
        "\n".join(numbers),
        "\n" + inspect.getsource(form),
        f"{gives} = {form.__name__}({', '.join(names)})\n"
        f'program.solve(solver="CLARABEL", {options})\n'
        'print(f"optimum {program.value:.10g}")\n',
    ]
    return "\n\n".join(parts)


def literal(value: Array | Ints | bool) -> str:
    """An array or a flag as Python."""
    if not isinstance(value, np.ndarray):
        return repr(bool(value))
    if value.ndim == 1:
        return f"np.array([{row(value)}])"
    rows = ",\n".join(f"    [{row(one)}]" for one in value)
    return f"np.array([\n{rows},\n])"


def row(values: Array | Ints) -> str:
    """Numbers with all their digits, whole ones without a point; the first keeps it, to be a float."""
    digits = [repr(value)[: -2 if repr(value).endswith(".0") else None] for value in values.tolist()]
    if values.dtype.kind == "f" and digits:
        digits[0] = repr(values.tolist()[0])
    return ", ".join(digits)
