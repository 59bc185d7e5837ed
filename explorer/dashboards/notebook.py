"""The studio, or one view, in a notebook cell: offline, on one worker thread, losing no step when the kernel
is busy.

Events wait in their box until the page's timer collects them, so a cell that keeps the kernel busy only
delays drawing.
"""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Protocol, TypeGuard, runtime_checkable

import panel as pn

from explorer.dashboards.cell import Cell, prepare
from explorer.dashboards.studio.page import BEAT, Studio
from explorer.dashboards.studio.transport import Transport
from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.catalogue.tasks import is_local, task_near, task_of
from explorer.engine.contracts import Dataset, Learner, Problem
from explorer.engine.learners import name_of
from explorer.engine.refusals import Refused
from explorer.engine.runs import saved as bundle
from explorer.engine.runs.trace import Trace
from explorer.session.state import Session
from explorer.views import VIEWS
from explorer.views.bounds.view import BoundsView
from explorer.views.inspector.view import Inspector

HEIGHT = 700
"""Of a studio in a cell."""

ALONE = 480
"""Height of one view."""


@runtime_checkable
class ShowsRun(Protocol):
    """A fitted estimator, which has the problem, the learner and the trace of its fit."""

    tol: float

    def fitted_run(self) -> tuple[Problem, Learner, Trace]: ...


def explore(
    what: Recipe | str | Path | Problem | ShowsRun | None = None,
    view: str | None = None,
    *,
    learner: Learner | None = None,
    test: Dataset | None = None,
    seed: int = 0,
    of: str | Path | Problem | None = None,
) -> Any:
    """Show the studio, or the single view named `view`, of a task, a recipe, a data file,
    path/to/file.py:name, a problem of your own, a fitted estimator (the run of its fit), or a saved run (`of`
    names the file or problem that it is of, if it is not found).

    The returned object has a `session`: its trace, cursor and weights are there to be used in the next cell.
    """
    session = session_of(what, learner, test, seed, of)
    if view is not None:
        return alone(view, session)
    studio = Studio(session=session)
    studio.start()
    shown = studio.in_cell()
    shown[1].sizing_mode = "stretch_both"
    return in_cell(shown, session, HEIGHT)


def view(name: str, of: Any, trace: Trace | None = None, *, test: Dataset | None = None) -> Any:
    """One view alone, with the transport above it: of anything that `explore` takes, of what `explore` showed
    (then both show the same step), or of a problem and the trace of your own loop.
    """
    session = of.session if isinstance(of, Cell) else session_of(of, test=test)
    if trace is not None:
        session.replay(trace.copy(), resume=True)
    return alone(name, session)


def in_cell(shown: Any, session: Session, height: int) -> Cell:
    """What a cell shows of a session."""
    prepare()
    cell = Cell(shown, sizing_mode="stretch_width", height=height)
    cell.session = session
    return cell


def session_of(
    what: Any,
    learner: Learner | None = None,
    test: Dataset | None = None,
    seed: int = 0,
    of: str | Path | Problem | None = None,
) -> Session:
    """The session that shows what was given."""
    if isinstance(what, ShowsRun):
        return fitted_session(what)
    return saved_session(Path(what), of) if is_run(what) else new_session(what, learner, test, seed)


def fitted_session(estimator: ShowsRun) -> Session:
    """A session that shows the run of a fit, and can go on from it; the estimator's own record stays."""
    problem, learner, trace = estimator.fitted_run()
    settings = asdict(learner)
    name, seed = name_of(type(learner)), trace.starts[-1][1].seed
    rule = {"relative_gap": estimator.tol}
    session = Session(Recipe.of(problem, learner=name, settings=settings, seed=seed, rule=rule))
    session.replay(trace.copy(), resume=True)
    return session


def is_run(what: Any) -> TypeGuard[str | Path]:
    """Whether this names a saved run."""
    return str(what).endswith(".zip") or (isinstance(what, Path) and not is_local(str(what)))


def saved_session(run: Path, of: str | Path | Problem | None) -> Session:
    """A session that shows a saved run and can go on from it."""
    found = bundle.load(run)
    task = task_near(found.recipe, run) if of is None else task_of(of)
    session = Session(Recipe.read(found.recipe, [task]))
    session.replay(found.trace, resume=True)
    return session


def new_session(what: Any, learner: Learner | None, test: Dataset | None, seed: int) -> Session:
    """A session for whatever else was given."""
    recipe = what if isinstance(what, Recipe) else Recipe() if what is None else Recipe.of(what, test)
    if learner is not None:
        settings = asdict(learner)
        recipe = replace(recipe, learner=name_of(type(learner)), settings=settings)
    session = Session(replace(recipe, seed=seed) if seed else recipe)
    session.show_finished()
    return session


def alone(name: str, session: Session) -> Cell:
    """One view in a cell, with the transport above it."""
    kinds = {view.name_key: view for view in (BoundsView, Inspector, *VIEWS)}
    if name not in kinds:
        raise Refused(f"there is no view {name!r}; choose one of {', '.join(kinds)}")
    if not kinds[name].fits(session.problem):
        fitting = ", ".join(key for key, kind in kinds.items() if kind.fits(session.problem))
        raise Refused(f"the view {name!r} does not show such a problem; choose one of {fitting}")
    shown, transport = kinds[name](session), Transport(session)
    pn.state.add_periodic_callback(session.collect, period=BEAT)
    return in_cell(pn.Column(transport, shown, sizing_mode="stretch_both", margin=0), session, ALONE)
