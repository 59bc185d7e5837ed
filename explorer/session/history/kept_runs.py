"""The runs of a session that were put aside, and the way back: nothing that was recorded is lost when
another run begins.

A run is put aside when it is reset, trained again or replaced by that of other choices; it can be brought
back with its choices and its step. Every change of a choice or of the run can be undone, and done again. A
run that had not ended is brought back to be looked at: its worker has let go of it.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.runs.trace import Trace

if TYPE_CHECKING:
    from explorer.session.state import Session

MOST = 12
"""Runs that are kept, and changes that can be undone; the oldest run that nobody has pinned goes first."""

PUT_ASIDE = "it was put aside before it ended; train it again to see more"


@dataclass(frozen=True, slots=True, eq=False)
class KeptRun:
    """A run with the choices that it was trained under, and where it was left."""

    recipe: Recipe
    trace: Trace
    cursor: int
    status: str
    message: str
    number: int = 0
    pinned: bool = False


def run_of(session: "Session", recipe: Recipe) -> KeptRun:
    """The session's run as it stands; one that has not ended counts as stopped once it is put aside."""
    ended = session.status in ("stopped", "failed", "idle")
    status, message = (session.status, session.message) if ended else ("stopped", PUT_ASIDE)
    return KeptRun(recipe, session.trace, int(session.cursor), status, message)


def restore(session: "Session", run: KeptRun) -> None:
    """Show a run that was put aside, with its choices and at its step; one that has grown since goes on under
    its earlier choices.
    """
    same, grown = run.recipe == session.trained_under, run.trace is session.trace and len(run.trace) > 0
    session.choices.show(run.recipe)
    if grown and same:
        session.param.update(status=run.status, message=run.message)
    elif grown:
        session.take_choices()
    else:
        session.begin_anew()
        session.past.take(run.trace)
        if len(run.trace):
            session.replay(run.trace)
            session.param.update(status=run.status, message=run.message)
            session.seek(run.cursor)


class KeptRuns:
    """The runs of a session in the order in which they were put aside."""

    def __init__(self) -> None:
        self.runs: list[KeptRun] = []
        self.count = 0

    def put(self, run: KeptRun, pinned: bool = False) -> None:
        """Keep a run; one that is kept already moves to where it was left last, and stays pinned."""
        if not len(run.trace):
            return
        known = self.take(run.trace)
        self.count += known is None
        number, pinned = (known.number, known.pinned) if known else (self.count, pinned)
        self.runs.append(replace(run, number=number, pinned=pinned))
        loose = [one for one in self.runs if not one.pinned]
        if len(self.runs) > MOST and loose:
            self.runs.remove(loose[0])

    def take(self, trace: Trace) -> KeptRun | None:
        """Take out the run of this record, if it is here."""
        found = next((run for run in self.runs if run.trace is trace), None)
        self.runs = [run for run in self.runs if run is not found]
        return found

    def run_number(self, number: int) -> KeptRun | None:
        """The run of this number."""
        return next((run for run in self.runs if run.number == number), None)

    def pin(self, number: int) -> None:
        """Pin a run, or let go of it."""
        self.runs = [
            replace(run, pinned=not run.pinned) if run.number == number else run for run in self.runs
        ]


class Undo:
    """What a session was before its last changes, and after those that were undone."""

    def __init__(self, session: "Session") -> None:
        self.session = session
        self.before: list[KeptRun] = []
        self.after: list[KeptRun] = []

    def note(self, recipe: Recipe) -> None:
        """A change is about to be made to what was trained under this recipe."""
        now = run_of(self.session, recipe)
        last = self.before[-1] if self.before else None
        if last is None or last.trace is not now.trace or last.recipe != recipe:
            self.before = [*self.before[1 - MOST :], now]
        self.after = []

    def undo(self) -> None:
        """Take the last change back."""
        self._go(self.before, self.after)

    def redo(self) -> None:
        """Make the change again that was taken back last."""
        self._go(self.after, self.before)

    def _go(self, source: list[KeptRun], target: list[KeptRun]) -> None:
        if source:
            target.append(run_of(self.session, self.session.trained_under))
            restore(self.session, source.pop())

    def clear(self) -> None:
        """Let go of everything."""
        self.before, self.after = [], []


__all__ = ["PUT_ASIDE", "KeptRun", "KeptRuns", "Undo", "restore", "run_of"]
