"""The runs of a session side by side: their bounds over the oracle calls, and how their settings differ.

Cost: the columns of the runs that are drawn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.learners import by_name
from explorer.engine.runs.trace import Trace
from explorer.engine.vectors import Array
from explorer.session.history.kept_runs import KeptRun
from explorer.session.links.recipes import recipe_parts
from explorer.views.kit.drawing.thinning import evenly
from explorer.wording import number

MOST_POINTS = 400
NOW = 0
"""The number of the run that is looked at."""

NAMES = {"set": "", "rule": "stop at ", "data": "", "model": ""}
IGNORED = ("rule.seconds",)


@dataclass(frozen=True, slots=True, eq=False)
class RunLines:
    """One run: number, what is different about it, bounds over oracle calls; `pinned`: it is drawn."""

    number: int
    difference: str
    pinned: bool
    steps: int
    calls: Array
    primal: Array
    dual: Array
    loss: float

    @property
    def last_gap(self) -> float:
        """The relative gap at the end; unknown without both bounds."""
        both = np.isfinite(self.primal) & np.isfinite(self.dual) & (self.primal != 0.0)
        if not both.any():
            return float("nan")
        j = int(np.flatnonzero(both)[-1])
        return float((self.primal[j] - self.dual[j]) / abs(self.primal[j]))

    @property
    def objective(self) -> float:
        """The last objective that is known."""
        known = self.primal[np.isfinite(self.primal)]
        return float(known[-1]) if len(known) else float("nan")


@dataclass(frozen=True, slots=True, eq=False)
class RunsFrame:
    """The run that is looked at first, then those that were put aside; `title` is what is trained now."""

    title: str
    runs: tuple[RunLines, ...]
    training: int = 0

    @property
    def drawn(self) -> tuple[RunLines, ...]:
        """The runs that are compared."""
        return tuple(run for run in self.runs if run.pinned)


def frame(recipe: Recipe, trace: Trace, past: Sequence[KeptRun], training: int = 0) -> RunsFrame:
    """All runs of a session; `training` of a sweep are still to come."""
    title = f"{recipe.task.title}, {by_name(recipe.learner).title}"
    price = recipe.settings.get("C")
    title += f", C = {number(float(price))}" if price is not None else ""
    runs = [lines_of(NOW, "", True, trace)] if len(trace) else []
    runs += [
        lines_of(run.number, difference(recipe, run.recipe), run.pinned, run.trace)
        for run in reversed(past)
        if run.trace is not trace
    ]
    return RunsFrame(title, tuple(runs), training)


def lines_of(which: int, differs: str, pinned: bool, trace: Trace) -> RunLines:
    """The bounds of a run, thinned to what a screen can show."""
    keep = evenly(len(trace), MOST_POINTS)
    calls, primal, dual = (trace.column(name)[keep] for name in ("oracle_calls", "primal", "dual"))
    losses = trace.column("train_loss")
    known = losses[np.isfinite(losses)]
    loss = float(known[-1]) if len(known) else float("nan")
    return RunLines(which, differs, pinned, len(trace), calls, primal, dual, loss)


def difference(now: Recipe, then: Recipe) -> str:
    """What another run was trained under, where that is not what is chosen now."""
    ours, theirs = recipe_parts(now), recipe_parts(then)
    if ours["task"] != theirs["task"]:
        return f"task {then.task.title}"
    if ours["learner"] != theirs["learner"]:
        ours, theirs = without_settings(ours), without_settings(theirs)
    found = [
        f"{NAMES.get(group, '')}{(name or group).replace('_', ' ')} {value_text(theirs.get(key))}"
        for key in theirs
        for group, _, name in [key.partition(".")]
        if key not in IGNORED and theirs.get(key) != ours.get(key)
    ]
    return ", ".join(found) or "the same settings"


def without_settings(parts: Mapping[str, Any]) -> dict[str, Any]:
    """A recipe without what only its learner knows; the price of slack is known to most."""
    return {key: value for key, value in parts.items() if not key.startswith("set.") or key == "set.C"}


def value_text(value: object) -> str:
    """A setting as text."""
    return number(float(value)) if isinstance(value, float) else str(value)
