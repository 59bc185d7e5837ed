"""`explorer path`: every optimum from one C to another within eps, one line for each point that was trained.

Not `train` at many values: the points' intervals leave no hole, so the answer for any C between them is
certified too.
"""

import json
import math
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path

from explorer.command_line.choices import choice_options, recipe_of
from explorer.command_line.keeping import check_place
from explorer.command_line.train import interrupts
from explorer.command_line.wording import number
from explorer.engine.halting import Cancelled
from explorer.engine.runs.path import PathPoint, path, summary, tireless

HEAD = (
    f"{'C':>10} {'within eps on':>23} {'gap':>9} {'|w|':>9} {'train loss':>10} {'test loss':>10} "
    f"{'passes':>7}"
)


def options(command: ArgumentParser) -> None:
    """From where to where, how closely, and what is trained."""
    command.add_argument("task", metavar="TASK", help="a task of the catalogue, a data file, or file.py:name")
    command.add_argument(
        "--from", dest="low", type=float, default=0.01, metavar="X", help="the smallest C (0.01)"
    )
    command.add_argument(
        "--to", dest="high", type=float, default=100.0, metavar="X", help="the largest C (100)"
    )
    command.add_argument(
        "--eps", type=float, default=0.01, metavar="X", help="the relative gap along the path (0.01)"
    )
    command.add_argument("--out", metavar="PATH.json", help="save the table here")
    choice_options(command)
    command.set_defaults(resume=None, relative_gap=None, gap=None, passes=None, seconds=None, steps=None)


def run(args: Namespace, say: Callable[[str], None]) -> int:
    """Follow the path as the arguments ask; returns the exit code."""
    check_place(args.out)
    found: list[PathPoint] = []
    with interrupts() as cancelled:
        run = recipe_of(args)
        low, high = args.low, args.high
        learner = tireless(run.learner)
        say(
            f"{run.recipe.task}: {run.problem.n} examples; {learner.title}, "
            f"C from {low:g} to {high:g} within {args.eps:g}"
        )
        try:
            for point in path(
                run.problem,
                learner,
                low,
                high,
                args.eps,
                test=run.test,
                seed=run.recipe.seed,
                cancelled=cancelled.is_set,
            ):
                found.append(point)
                if len(found) == 1:
                    say(HEAD)
                say(line(point, run.problem.n))
        except Cancelled:
            say("cancelled: the points so far are kept")
    passes = sum(point.oracle_calls for point in found) / max(run.problem.n, 1)
    say(
        f"{len(found)} points, {passes:.0f} passes, {sum(point.seconds for point in found):.2f} s of training"
    )
    if args.out:
        save(found, args.out)
        say(f"saved to {args.out}")
    return 130 if cancelled.is_set() else 0


def line(point: PathPoint, n: int) -> str:
    """One point as a row of the table."""
    spans = f"{point.low:.4g} .. {point.high:.4g}"
    test = number(point.test_loss, 4) if math.isfinite(point.test_loss) else "-"
    norm = math.sqrt(float(point.w @ point.w))
    return (
        f"{point.C:>10.4g} {spans:>23} {point.bounds.relative_gap:>9.2g} {norm:>9.4g} "
        f"{number(point.train_loss, 4):>10} {test:>10} {point.oracle_calls / max(n, 1):>7.1f}"
    )


def save(points: list[PathPoint], out: str) -> None:
    """The table as JSON, without the weights."""
    columns = {
        name: [None if math.isnan(v) else v for v in values] for name, values in summary(points).items()
    }
    Path(out).write_text(json.dumps(columns, indent=1, allow_nan=False) + "\n")
