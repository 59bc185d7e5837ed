"""The runs of a session, in words."""

from typing import Any

import numpy as np

from explorer.views.runs.frame import NOW, RunLines, RunsFrame
from explorer.wording import number, percent, quantity

CLOSED = 1e-6
"""A relative gap below which two bounds are as good as equal."""


def name_of_run(run: RunLines) -> str:
    """What a run is called."""
    return "now" if run.number == NOW else f"run {run.number}"


def sentence(shown: RunsFrame) -> str:
    """How many runs there are, and which of those compared ended lowest."""
    aside = sum(run.number != NOW for run in shown.runs)
    waits = f" {quantity(shown.training, 'run')} of a sweep to come." if shown.training else ""
    if not aside:
        return (
            "Runs that are put aside (by another task, by Train again) are kept here; a sweep trains "
            f"several.{waits}"
        )
    drawn = [run for run in shown.drawn if np.isfinite(run.loss)]
    text = f"{quantity(aside, 'run')} beside the present one ({shown.title})."
    if len(drawn) > 1:
        best = min(drawn, key=lambda run: run.loss)
        why = f" ({best.difference})" if best.difference else ""
        text += (
            f" Of those compared {name_of_run(best)}{why} has the lowest training loss, {number(best.loss)}."
        )
    return text + waits


def table(shown: RunsFrame) -> dict[str, Any]:
    """The runs as columns."""
    return {
        "run": [name_of_run(run) for run in shown.runs],
        "difference": [run.difference for run in shown.runs],
        "steps": [run.steps for run in shown.runs],
        "objective": [run.objective for run in shown.runs],
        "relative gap": [run.last_gap for run in shown.runs],
        "training loss": [run.loss for run in shown.runs],
    }


def cells(run: RunLines) -> list[str]:
    """A run as a row: name, difference, steps, objective, gap, loss."""
    known = np.isfinite(run.last_gap) and run.last_gap >= 0
    gap = "unknown" if not known else percent(run.last_gap) if run.last_gap > CLOSED else "closed"
    return [
        name_of_run(run),
        run.difference or "as chosen",
        str(run.steps),
        number(run.objective),
        gap,
        number(run.loss),
    ]
