"""`explorer validate`: cross-validation over a grid, a line for each point, and what nested validation says.

    explorer validate blocks --grid C=0.1,1,10 --grid model.nodes=5,20 --folds 5 --nested 5 --out cv.jsonl

With --out every finished fold is kept, and the same command goes on after them.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from explorer.command_line.choices import choice_options, recipe_of
from explorer.command_line.train import interrupts
from explorer.command_line.wording import number
from explorer.engine.catalogue.validation import (
    WHOLE,
    FoldScore,
    Kept,
    Point,
    Validation,
    best_point,
    curve,
    nested_scores,
    scores_of,
)
from explorer.engine.refusals import Refused
from explorer.engine.runs.streams import Cancelled

Say = Callable[[str], None]


def options(command: ArgumentParser) -> None:
    """What is trained, over which grid, and in how many folds."""
    command.add_argument("task", metavar="TASK", help="a task of the catalogue, a data file, or file.py:name")
    command.add_argument(
        "--grid",
        action="append",
        default=[],
        metavar="NAME=A,B,...",
        help="values of a setting: C, any of the learner, data.X or model.X; again for another one",
    )
    command.add_argument("--folds", type=int, default=5, metavar="K", help="folds (5)")
    command.add_argument("--nested", type=int, default=0, metavar="K", help="outer folds around them (none)")
    command.add_argument("--workers", type=int, default=1, metavar="N", help="folds side by side (1)")
    command.add_argument("--out", metavar="FILE.jsonl", help="keep every fold here; go on after those there")
    choice_options(command)
    command.set_defaults(resume=None, relative_gap=None, gap=None, passes=None, seconds=None, steps=None)


def run(args: Namespace, say: Say) -> int:
    """Validate as the arguments ask; returns the exit code."""
    with interrupts() as cancelled:
        recipe, grid = recipe_of(args).recipe, grid_of(args.grid)
        plan = Validation(recipe, grid, args.folds, 0)
        nested = Validation(recipe, grid, args.folds, args.nested) if args.nested else None
        places = [Path(args.out + suffix) if args.out else None for suffix in ("", ".nested")]
        say(f"{recipe.task}: {len(plan.points)} points, {args.folds} folds")
        try:
            scores = collect_scores(plan, places[0], args.workers, cancelled.is_set, say)
            report(scores, say)
            if nested is not None:
                inner = collect_scores(nested, places[1], args.workers, cancelled.is_set, say)
                report_nested(nested, scores, inner, places[1], say)
        except Cancelled:
            say("cancelled: the folds so far are kept" if args.out else "cancelled")
    return 130 if cancelled.is_set() else 0


def grid_of(texts: Sequence[str]) -> dict[str, list[Any]]:
    """Texts such as C=0.1,1,10 as values by name."""
    found: dict[str, list[Any]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not values:
            raise Refused(f"--grid {text[:40]} has no values; write --grid NAME=A,B,...")
        found[name.strip()] = [value_of(piece.strip()) for piece in values.split(",")]
    return found or {"C": [0.1, 1.0, 10.0, 100.0]}


def value_of(text: str) -> Any:
    """A number where the text is one, yes and no as truth values, else the text."""
    if text in ("yes", "no"):
        return text == "yes"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def collect_scores(
    plan: Validation, place: Path | None, workers: int, cancelled: Callable[[], bool], say: Say
) -> list[FoldScore]:
    """All scores, those that are kept first; every new one is kept and told."""
    kept = None if place is None else Kept(place, plan)
    scores = [] if kept is None else kept.read()
    if scores:
        say(f"{place}: going on after {len({(s.fold, s.outer) for s in scores})} folds")
    for found in scores_of(plan, scores, workers, cancelled):
        scores += found
        if kept is not None:
            kept.add(found)
        inside = f"outer fold {found[0].outer + 1}, " if found[0].outer != WHOLE else ""
        losses = ", ".join(number(s.loss, 4) for s in found)
        say(f"{inside}fold {found[0].fold + 1}: loss {losses} ({sum(s.seconds for s in found):.2f} s)")
    return scores


def report(scores: Sequence[FoldScore], say: Say) -> None:
    """The mean of every point, and the chosen one."""
    best = best_point(scores)
    for point, loss, error in curve(scores):
        mark = "  <- chosen" if point == best else ""
        say(f"{words(point):30} loss {number(loss, 4)} +- {number(error, 2)}{mark}")


def report_nested(
    plan: Validation, scores: Sequence[FoldScore], inner: list[FoldScore], place: Path | None, say: Say
) -> None:
    """What is chosen inside every outer fold, and what that loses outside."""
    kept = None if place is None else Kept(place, plan)
    outside = [s for s in inner if s.fold == WHOLE]
    inner = [s for s in inner if s.fold != WHOLE]
    for score in nested_scores(plan, inner, outside):
        outside.append(score)
        if kept is not None:
            kept.add([score])
        say(
            f"outer fold {score.outer + 1}: chosen {words(score.point)}, loss outside {number(score.loss, 4)}"
        )
    chosen = min(loss for _, loss, _ in curve(scores))
    losses = [s.loss for s in outside]
    say(
        f"the chosen point's own loss, {number(chosen, 4)}, is the smallest of {len(curve(scores))}; "
        f"nested validation says {number(float(np.mean(losses)), 4)}"
    )


def words(point: Point) -> str:
    """A point as it is typed."""
    return ", ".join(
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}" for name, value in point
    )
