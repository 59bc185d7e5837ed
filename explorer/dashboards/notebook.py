"""The studio, or one view, in a notebook cell: offline, on one worker thread, losing no step when the kernel is busy.

Events wait in their box until the page's timer collects them, so a cell that keeps the kernel busy only delays drawing.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import panel as pn

from explorer.dashboards.shell import CSS
from explorer.dashboards.studio import Studio
from explorer.engine import bundle
from explorer.engine.learners import name_of
from explorer.engine.protocols import Dataset, Learner, Problem, Refused
from explorer.engine.tasks import Recipe
from explorer.session.state import Session
from explorer.views import VIEWS
from explorer.views.bounds import Bounds
from explorer.views.inspector import Inspector


def explore(
    what: Recipe | str | Path | Problem | None = None,
    view: str | None = None,
    *,
    learner: Learner | None = None,
    test: Dataset | None = None,
    seed: int = 0,
) -> Any:
    """Show the studio, or the single view named `view`, of a task, a recipe, a saved run, or your own problem.

    The returned object has a `session`: its trace, cursor and weights are there to be used in the next cell.
    """
    pn.extension(inline=True, raw_css=[CSS])
    session = session_of(what, learner, test, seed)
    studio = Studio(session=session)
    studio.start()
    shown = studio.in_cell() if view is None else single(studio, view)
    shown.session = session
    return shown


def session_of(what: Any, learner: Learner | None, test: Dataset | None, seed: int) -> Session:
    """A session for whatever was given."""
    if isinstance(what, Path) or (isinstance(what, str) and what.endswith(".zip")):
        found = bundle.load(Path(what))
        session = Session(found.recipe_as(Recipe))
        session.replay(found.trace, resume=True)
        return session
    if what is None or isinstance(what, Recipe | str):
        recipe = what if isinstance(what, Recipe) else Recipe(task=what) if what else Recipe()
        session = Session(recipe)
        session.show_finished()
        return session
    settings = {} if learner is None else {"learner": name_of(type(learner)), "settings": asdict(learner)}  # type: ignore[call-overload]
    return Session(Recipe(seed=seed, **settings), problem=what, test=test)


def single(studio: Studio, name: str) -> Any:
    """One view alone, with the transport above it."""
    kinds = {view.name_key: view for view in (Bounds, Inspector, *VIEWS)}
    if name not in kinds:
        raise Refused(f"there is no view {name!r}; choose one of {', '.join(kinds)}")
    shown = kinds[name](studio.session)
    studio.shell.adopt(shown)
    return pn.Column(studio.transport, shown, height=460, sizing_mode="stretch_width")
