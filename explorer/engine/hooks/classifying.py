"""The classifier program of SVM-python: which hook is called when (Finley 2009, figures A.2 and A.4).

    parse_parameters_classify for each option -> read_model -> read_examples
    -> for every example: classify_example -> write_label -> loss, if its label is known -> eval_prediction
    -> print_testing_stats

The statistics are None at first; what `eval_prediction` returns is given to its next call, and in the end to
`print_testing_stats`.
"""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from explorer.engine.hooks.model_file import read_model
from explorer.engine.hooks.module import Hooks
from explorer.engine.hooks.objects import Sparm


class Classification(NamedTuple):
    """What the classifier program ends with; examples without a label are predicted, and have no loss."""

    predictions: list[Any]
    losses: list[float]
    teststats: Any
    written: str

    @property
    def mean_loss(self) -> float:
        """Over the examples whose label is known; NaN without any."""
        return float(np.mean(self.losses)) if self.losses else float("nan")


def classify(
    hooks: Hooks, test: str, model: str | Path, argv: Sequence[tuple[str, str]] = ()
) -> Classification:
    """Predict every example of a file with the model in another one."""
    hooks.log.program = "classify"
    for attribute, value in argv:
        hooks.call_if_there("parse_parameters_classify", attribute, value)
    if hooks.has("read_model"):
        sparm = Sparm(argv=list(argv))
        sm = hooks.call("read_model", str(model), sparm)
    else:
        sm, sparm = read_model(model)
    sample = hooks.call("read_examples", test, sparm)
    out, predictions, losses, stats = io.StringIO(), [], [], None
    for at, (x, y) in enumerate(sample):
        label = hooks.call("classify_example", x, sm, sparm)
        predictions.append(label)
        write_label(hooks, out, label)
        if y is not None:
            losses.append(hooks.loss(y, label, sparm))
        if hooks.has("eval_prediction"):
            stats = hooks.call("eval_prediction", at, (x, y), label, sm, sparm, stats)
    hooks.call_if_there("print_testing_stats", sample, sm, sparm, stats)
    return Classification(predictions, losses, stats, out.getvalue())


def write_label(hooks: Hooks, out: io.StringIO, label: Any) -> None:
    """One prediction as the module writes it, or as it prints, on a line of its own."""
    if hooks.has("write_label"):
        hooks.call("write_label", out, label)
    else:
        out.write(f"{label}\n")
