"""Saved runs that a server was started with: what a studio shows first, and goes on from.

The data of a run are found where they were or beside it, or are named when the server is started; a Python
file is not run because a saved run names it.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath
from typing import NamedTuple

from explorer.engine.catalogue.recipe import PROBLEM, Recipe
from explorer.engine.catalogue.tasks import Task, task_near
from explorer.engine.refusals import Refused
from explorer.engine.runs import saved
from explorer.engine.runs.trace import Trace
from explorer.session.state import Session

SAME = (*PROBLEM, "learner", "settings", "seed")
"""What a page must have in common with a run to show it."""


class PastRun(NamedTuple):
    """A run that was saved, and what it is of."""

    recipe: Recipe
    trace: Trace


def open_run(path: Path, opened: Iterable[Task] = ()) -> PastRun:
    """The run in a file, of one of the tasks that are open, or of the one that it names."""
    found = saved.load(path)
    name = PurePath(Recipe.named_in(found.recipe)).name
    task = next((task for task in opened if PurePath(task.name).name == name), None)
    recipe = Recipe.read(found.recipe, [task or task_near(found.recipe, path, called=name)])
    begun = found.trace.starts[-1][1] if found.trace.starts else None
    problem, _ = recipe.problem()
    if begun is not None and (begun.n, begun.dim) != (problem.n, problem.dim):
        raise Refused(
            f"{path} has {begun.n} examples and {begun.dim} weights, {recipe.task} {problem.n} and "
            f"{problem.dim}: it has changed since; train it again"
        )
    return PastRun(recipe, found.trace)


def show_past_run(session: Session, runs: Sequence[PastRun]) -> None:
    """Show the run of the session's choices, if there is one; every visitor has a record of their own."""
    asked = session.recipe().key(SAME)
    run = next((run for run in runs if run.recipe.key(SAME) == asked), None)
    if run is not None:
        session.replay(run.trace.copy(), resume=True)


__all__ = ["PastRun", "open_run", "show_past_run"]
