"""The two programs as flowcharts, and the box in which each call of a log stands (Finley 2009, figures
A.1 to A.4).

Columns of a chart: what happens once at the beginning, what is done again and again, what happens at the end.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.engine.hooks.calls import HookCall
from explorer.engine.hooks.module import ORACLE, ORACLES

LEARN, CLASSIFY = "learn", "classify"


@dataclass(frozen=True, slots=True)
class FlowBox:
    """A hook, or a step of the engine, where it stands and what is done there."""

    name: str
    hooks: tuple[str, ...]
    column: int
    row: int
    told: str


CHARTS: dict[str, tuple[FlowBox, ...]] = {
    LEARN: (
        FlowBox("parse_parameters", ("parse_parameters",), 0, 0, "options of the module"),
        FlowBox("read_examples", ("read_examples",), 0, 1, "pairs (x, y)"),
        FlowBox("init_model", ("init_model",), 0, 2, "number of weights"),
        FlowBox("init_constraints", ("init_constraints",), 0, 3, "constraints of its own"),
        FlowBox("psi of the truth", ("psi",), 0, 4, "once for each example"),
        FlowBox(
            ORACLE,
            (*ORACLES, ORACLE, "classify_example"),
            1,
            0,
            "most tempting label",
        ),
        FlowBox("psi", ("psi",), 1, 1, "its features"),
        FlowBox("loss", ("loss",), 1, 2, "what it would cost"),
        FlowBox("solve", ("solve",), 1, 3, "new weights w"),
        FlowBox("print_iteration_stats", ("print_iteration_stats",), 1, 4, "after each pass"),
        FlowBox("print_learning_stats", ("print_learning_stats",), 2, 3, "once, at the end"),
        FlowBox("write_model", ("write_model",), 2, 4, "into a file"),
    ),
    CLASSIFY: (
        FlowBox("parse_parameters_classify", ("parse_parameters_classify",), 0, 0, "each option"),
        FlowBox("read_model", ("read_model",), 0, 1, "from a file"),
        FlowBox("read_examples", ("read_examples",), 0, 2, "pairs (x, y)"),
        FlowBox("classify_example", ("classify_example",), 1, 0, "most liked label"),
        FlowBox("write_label", ("write_label",), 1, 1, "into a file"),
        FlowBox("loss", ("loss",), 1, 2, "if the label is known"),
        FlowBox("eval_prediction", ("eval_prediction",), 1, 3, "handed on"),
        FlowBox("print_testing_stats", ("print_testing_stats",), 2, 3, "once, at the end"),
    ),
}

ARROWS: dict[str, tuple[tuple[str, str], ...]] = {
    LEARN: (
        ("parse_parameters", "read_examples"),
        ("read_examples", "init_model"),
        ("init_model", "init_constraints"),
        ("init_constraints", "psi of the truth"),
        ("psi of the truth", "psi of the truth"),
        ("psi of the truth", ORACLE),
        (ORACLE, "psi"),
        ("psi", "loss"),
        ("loss", ORACLE),
        ("loss", "solve"),
        ("solve", ORACLE),
        ("solve", "print_iteration_stats"),
        ("print_iteration_stats", ORACLE),
        ("print_iteration_stats", "print_learning_stats"),
        ("print_learning_stats", "write_model"),
    ),
    CLASSIFY: (
        ("parse_parameters_classify", "parse_parameters_classify"),
        ("parse_parameters_classify", "read_model"),
        ("read_model", "read_examples"),
        ("read_examples", "classify_example"),
        ("classify_example", "write_label"),
        ("write_label", "loss"),
        ("loss", "eval_prediction"),
        ("eval_prediction", "classify_example"),
        ("eval_prediction", "print_testing_stats"),
    ),
}
"""What may follow what; boxes whose hook is left out, or is not needed for this label, are passed through."""


def light_boxes(calls: Sequence[HookCall]) -> list[str]:
    """The box of each call, in order: psi is asked for truths until an oracle has been asked for the
    first time.

    What print_learning_stats calls by itself is its own affair: those are no calls of hooks by the program.
    """
    lit, begun = [], False
    for call in calls:
        begun = begun or (call.program == LEARN and call.hook in (*ORACLES, ORACLE, "classify_example"))
        known = [box.name for box in CHARTS[call.program] if call.hook in box.hooks]
        lit.append(known[-1] if begun or call.program == CLASSIFY else known[0])
    return lit
