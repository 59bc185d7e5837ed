"""One run of a study as a page knows it: the rows so far, what they come to, and whether more will come.

A run is begun at a runner, taken from the shelf, or shared: the quick look at a study is begun once per
process, in the background, and every visitor watches the same one.
"""

import threading
import time
import uuid
from collections.abc import Iterable
from typing import Any

from explorer.engine.events import Stopped
from explorer.engine.refusals import Refused
from explorer.session.jobs.study import Note, RowsReading
from explorer.session.memo import Once
from explorer.session.runner import Runner
from explorer.session.study_store import Result, settings, stored_result
from explorer.studies import study_named
from explorer.studies.support.study import Finding, Row, Study

MOST_SECONDS = 1800.0
"""No study works longer than this for a page; the command line has no such end."""

MOST_ROWS = 10_000
"""A page shows no study with more rows than this."""

BEAT = 0.1


class Run:
    """What is known of one run; `version` rises whenever there is more."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.rows: list[Row] = []
        self.table: tuple[Row, ...] = ()
        self.findings: tuple[Finding, ...] = ()
        self.status, self.message, self.note, self.seconds = "idle", "", "", 0.0
        self.version = 0
        self._runner: Runner | None = None
        self._key = ""

    @classmethod
    def of(cls, result: Result) -> "Run":
        """A finished run from the shelf."""
        run = cls(result.study)
        run.rows, run.table, run.findings = list(result.rows), result.table, result.findings
        run.status, run.seconds = "finished", result.seconds
        return run

    def result(self) -> Result:
        """The rows so far and what was last read from them."""
        return Result(self.study, tuple(self.rows), self.table, self.findings, self.seconds)

    @property
    def running(self) -> bool:
        """Whether more rows will come."""
        return self.status == "running"

    def start(self, runner: Runner) -> None:
        """Give the study to a worker."""
        self._runner, self._key = runner, uuid.uuid4().hex
        self.status = "running"
        runner.order(self._key, "study", self.study, MOST_SECONDS)
        runner.order(self._key, "play", 0.0)

    def collect(self) -> None:
        """Take in what the worker said since the last call."""
        self._take(self._runner.collect(self._key) if self._runner else ())

    def _take(self, events: Iterable[Any]) -> None:
        for event in events:
            self.version += 1
            if isinstance(event, Row):
                self.rows.append(event)
            elif isinstance(event, RowsReading):
                self.table, self.findings = event.table, event.findings
            elif isinstance(event, Note):
                self.note, self.seconds = event.text, event.seconds
            elif isinstance(event, Stopped):
                self._stop(event)

    def _stop(self, event: Stopped) -> None:
        self.status = event.reason if event.reason in ("finished", "failed") else "stopped"
        self.message, self.note = event.sentence, ""
        self.close()

    def cancel(self) -> None:
        """Ask the worker to end it at the next pulse; the rows so far stay. A run that never began ends
        here.
        """
        if self._runner and not self.version:
            self._stop(Stopped("cancelled", "cancelled", 0))
        elif self._runner:
            self._runner.order(self._key, "cancel")
            self.note = "cancelling"
        self.version += 1

    def close(self) -> None:
        """Give the worker its seat back."""
        if self._runner:
            self._runner.order(self._key, "close")
            self._runner = None

    def leave(self) -> "Run":
        """The run as it stands, for somebody who watches no longer."""
        run = Run.of(self.result())
        run.status, run.message = "stopped", "cancelled"
        return run


def refusal(study: Study) -> str:
    """Why a page does not run this study; empty if it does."""
    if study.total <= MOST_ROWS:
        return ""
    many = f"these settings make up to {study.total:,} rows, and a page shows {MOST_ROWS:,}"
    return f"{many}; choose fewer, or use the command line"


def study_of(name: str, knobs: dict[str, Any]) -> Study:
    """The study of this name with these settings; refused where one is out of range, or not known."""
    kind = study_named(name)
    known = settings(kind())
    if strange := set(knobs) - set(known):
        raise Refused(f"{name} has no setting {min(strange)!r}; its settings are {', '.join(known)}")
    study: Study = kind(**knobs)
    return study


def _begun(key: tuple[Runner, str]) -> Run:
    runner, name = key
    study = study_named(name).quick()
    found = stored_result(study)
    if found is not None:
        return Run.of(found)
    run = Run(study)
    run.start(runner)
    threading.Thread(target=_attend, args=(run,), name="explorer-first-look", daemon=True).start()
    return run


def _attend(run: Run) -> None:
    """Collect a run that no page collects."""
    while run.running:
        run.collect()
        time.sleep(BEAT)


first_look = Once(_begun, most=40)
"""The quick look at a study that every visitor of a runner sees first: begun once, in the background."""


__all__ = ["MOST_ROWS", "MOST_SECONDS", "Run", "first_look", "refusal", "study_of"]
