"""The check of one step of a session: a job beside its run, and what it has said so far.

The job has a name of its own at the runner and ends with the session. Whatever changes the run makes the
check one of another run, and it is forgotten.
"""

from collections.abc import Callable
from typing import Any

from explorer.engine.catalogue.recipe import Recipe
from explorer.engine.events import Stopped
from explorer.engine.refusals import Refused
from explorer.engine.runs.referee.claim import claim_of
from explorer.engine.runs.referee.compare import Declined, Doing
from explorer.engine.runs.trace import Trace
from explorer.session.jobs.check import Compared
from explorer.session.runner import Runner


class Checking:
    """What is known of a step beside another solver; `changed` is called when there is more to show."""

    def __init__(self, runner: Runner, changed: Callable[[], object]) -> None:
        self.runner, self.changed = runner, changed
        self.at = -1
        self.status, self.message = "idle", ""
        self.found: tuple[Compared | Declined, ...] = ()
        self._key, self._count = "", 0

    def start(self, key: str, trace: Trace, at: int, recipe: Recipe) -> None:
        """Check step `at`; an earlier check is forgotten."""
        self._end()
        self.found, self.at = (), at
        try:
            claim = claim_of(trace, at)
        except Refused as reason:
            self.status, self.message = "failed", str(reason)
        else:
            self._count += 1
            self._key, self.at = f"{key}-check-{self._count}", claim.at
            self.status, self.message = "running", "starting"
            self.runner.order(self._key, "check", recipe, claim)
            self.runner.order(self._key, "play", 0.0)
        self.changed()

    def stop(self) -> None:
        """End the job, wherever it is; what it has found stays."""
        if self.status == "running":
            self._end()
            self.status, self.message = "stopped", "cancelled"
            self.changed()

    def forget(self) -> None:
        """The run is another one now."""
        self._end()
        if self.status != "idle":
            self.at, self.status, self.message, self.found = -1, "idle", "", ()
            self.changed()

    def collect(self) -> None:
        """Take in what the job said since the last call."""
        before = (self.status, self.message, self.found)
        for event in self.runner.collect(self._key) if self._key else ():
            self._take(event)
        if (self.status, self.message, self.found) != before:
            self.changed()

    def _take(self, event: Any) -> None:
        if isinstance(event, Doing):
            self.message = event.text
        elif isinstance(event, Stopped):
            self.status, self.message = "failed" if event.reason == "failed" else "stopped", event.sentence
            self._end()
        else:
            self.found = (*self.found, event)

    def _end(self) -> None:
        """Give the worker its seat back."""
        if self._key:
            self.runner.order(self._key, "close")
            self._key = ""


__all__ = ["Checking"]
