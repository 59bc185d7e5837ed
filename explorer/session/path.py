"""The regularisation path of a session: a second job beside its run, and the points that came back so far.

The points prove something about every C between them, so they outlive a change of C; any other choice makes
them those of another problem, and they are dropped. The job has a name of its own at the runner and ends with
the session.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.events import NOT_EXACT, Stopped
from explorer.engine.refusals import Refused
from explorer.engine.runs.path import PathPoint, Trying, refusal
from explorer.session.problem_cache import problem_like
from explorer.session.runner import Runner


def apart_from_c(recipe: Recipe) -> Recipe:
    """The choices that a path depends on: all but C and the stopping rule, which are those of the task."""
    return replace(
        recipe, rule={}, settings={name: value for name, value in recipe.settings.items() if name != "C"}
    )


def no_path(recipe: Recipe) -> str:
    """Why these choices have no path; empty if they have one."""
    try:
        return refusal(problem_like(recipe), recipe.make_learner()) or ""
    except Refused as refused:
        return str(refused)


class Tracing:
    """What is known of the path, and the job that finds more; `changed` is called whenever there is more to
    show.
    """

    def __init__(self, runner: Runner, changed: Callable[[], object]) -> None:
        self.runner, self.changed = runner, changed
        self.points: list[PathPoint] = []
        self.span = (0.0, 0.0, 0.0)
        """From, to, eps."""
        self.status, self.message = "idle", ""
        self.trying: Trying | None = None
        self._of: Recipe | None = None
        self._key, self._count = "", 0

    def start(self, key: str, recipe: Recipe, span: tuple[float, float, float], seconds: float) -> None:
        """Begin a new path; the old one is forgotten."""
        self._end()
        self._count += 1
        self._key, self._of, self.span = f"{key}-path-{self._count}", apart_from_c(recipe), span
        self.points, self.trying, self.status, self.message = [], None, "running", ""
        self.runner.order(self._key, "path", recipe, span, seconds)
        self.runner.order(self._key, "play", 0.0)
        self.changed()

    def stop(self) -> None:
        """End the job, wherever it is; the points so far stay and stay proved."""
        if self.status == "running":
            self._end()
            self.status, self.message, self.trying = "stopped", "cancelled", None
            self.changed()

    def keep_to(self, recipe: Recipe) -> None:
        """Forget everything if these choices have another path."""
        if self._of is not None and apart_from_c(recipe) != self._of:
            self._end()
            self.points, self._of, self.trying, self.status, self.message = [], None, None, "idle", ""
            self.changed()

    def collect(self) -> None:
        """Take in what the job said since the last call."""
        said = self.runner.collect(self._key) if self._key else []
        for event in said:
            self._take(event)
        if said:
            self.changed()

    def _take(self, event: Any) -> None:
        if isinstance(event, PathPoint):
            self.points = [*self.points, event]
        elif isinstance(event, Trying):
            self.trying = event
        elif isinstance(event, Stopped):
            self.status = "failed" if event.reason in ("failed", NOT_EXACT) else "stopped"
            if event.reason == NOT_EXACT:
                self.points = [point.without_certificate() for point in self.points]
            self.message, self.trying = event.sentence, None
            self._end()

    def _end(self) -> None:
        """Give the worker its seat back."""
        if self._key:
            self.runner.order(self._key, "close")
            self._key = ""

    def close(self) -> None:
        """End the job and let go of the points."""
        self._end()
        self.points, self._of, self.status, self.trying = [], None, "idle", None


__all__ = ["Tracing", "apart_from_c", "no_path"]
