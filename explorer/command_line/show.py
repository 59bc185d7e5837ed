"""`explorer show`: what a saved run holds, as text or as JSON; nothing is trained."""

import json
import math
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from explorer.command_line.wording import clean, number, pairs, relative, verdict
from explorer.engine.runs.saved import SavedRun, load
from explorer.engine.runs.trace import Trace

ROWS = 10
HEADS = ("step", "calls", "seconds", "primal", "dual", "relative gap", "training loss", "test loss")
FIGURES = ("k", "oracle_calls", "seconds", "primal", "dual", "relative_gap", "train_loss", "test_loss")


def options(command: ArgumentParser) -> None:
    """Which run, and in which form."""
    command.add_argument("run", help="a file that `train --out` wrote")
    command.add_argument("--json", action="store_true", help="as JSON")


def run(args: Namespace, say: Callable[[str], None]) -> int:
    """Say what a saved run holds."""
    saved = load(args.run)
    for line in (json.dumps(tree(saved), indent=1, allow_nan=False),) if args.json else lines(saved):
        say(line)
    return 0


def lines(run: SavedRun) -> Iterator[str]:
    """The recipe, the bounds at about ten steps, and why it stopped."""
    trace, recipe = run.trace, run.recipe
    yield f"{len(trace)} steps, made by version {clean(run.meta['explorer'])} (format {run.meta['format']})"
    for name, value in recipe.items():
        yield f"  {clean(name)}: {pairs(value) if isinstance(value, dict) else clean(value)}"
    yield "  ".join(f"{head:>13}" for head in HEADS)
    for row in table(trace):
        yield "  ".join(f"{number(row[name]):>13}" for name in FIGURES)
    for _, stopped in trace.stops:
        yield f"stopped at step {stopped.k}: {clean(stopped.sentence)}"
    yield verdict(trace) if len(trace) else "it has no steps"


def table(trace: Trace) -> list[dict[str, float]]:
    """The figures of about ten steps, first to last; of those with a known primal value if there are any."""
    known = np.flatnonzero(~np.isnan(trace.column("primal")))
    steps = known if len(known) else np.arange(len(trace))
    places = np.unique(np.linspace(0, len(steps) - 1, min(ROWS, len(steps))).round().astype(int))
    return [figures(trace, int(steps[place])) for place in places]


def figures(trace: Trace, at: int) -> dict[str, float]:
    """The figures of one step."""
    found = {name: float(trace.column(name)[at]) for name in FIGURES if name != "relative_gap"}
    found["relative_gap"] = relative(found["primal"], found["dual"])
    return found | {"certificate": trace.certified(at)}


def tree(run: SavedRun) -> dict[str, Any]:
    """The same as plain JSON; what is not known is null, what is infinite is text."""
    trace = run.trace
    found: dict[str, Any] = plain(
        {
            **run.meta,
            "recipe": run.recipe,
            "columns": list(trace.names),
            "table": table(trace),
            "stops": [{"k": s.k, "reason": s.reason, "sentence": s.sentence} for _, s in trace.stops],
        }
    )
    return found


def plain(value: Any) -> Any:
    """The value as strict JSON can hold it."""
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value if isinstance(value, bool | int | float | str | None) else str(value)
