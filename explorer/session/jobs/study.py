"""A study as a job that a worker can take turns on: rows as they come, what is being done, what the rows say
so far.

A row may take seconds, and other sessions' jobs wait in the same worker. The study therefore runs on a thread
of its own that works only while it holds the turn: its pulse, called many times within a row, gives the turn
back when the slice is over. Table and findings are computed here too, now and then, so that the page's
process only draws.
"""

import threading
import time
from dataclasses import dataclass
from typing import Any

from explorer.engine.events import Stopped
from explorer.engine.halting import Cancelled
from explorer.session.jobs.parcel import sentence_of
from explorer.session.study_store import Result, keep
from explorer.studies.support.study import Finding, Row, Study

SELDOM = 0.4
"""Seconds between two readings of the rows, or ten times as long as one takes."""

WATCHFUL = 1.0
"""Seconds after which a study that waits for its turn looks whether anybody still wants it."""


@dataclass(frozen=True, slots=True)
class Note:
    """What the study is doing, and how many seconds it has worked."""

    text: str
    seconds: float


@dataclass(frozen=True, slots=True)
class RowsReading:
    """What the rows so far come to."""

    table: tuple[Row, ...]
    findings: tuple[Finding, ...]


class StudyJob:
    """A study in progress, for one session; at most this many seconds of work."""

    def __init__(self, study: Study, seconds: float) -> None:
        self.study, self.most = study, seconds
        self.cancelled = False
        self.ended = False
        self.rows: list[Row] = []
        self.worked = 0.0
        self._said: list[Any] = []
        self._note = ""
        self._begun = self._until = 0.0
        self._read_at, self._read_rows = 0.0, 0
        self._turn, self._back = threading.Semaphore(0), threading.Semaphore(0)
        self._thread = threading.Thread(target=self._run, name="explorer-study", daemon=True)
        self._thread.start()

    def pull(self, seconds: float, most: int) -> list[Any]:
        """The rows that fit in about `seconds`, what they say, and what is being done."""
        if self.ended:
            return []
        self._begun = time.perf_counter()
        self._until = self._begun + seconds
        self._turn.release()
        self._back.acquire()
        self.worked += time.perf_counter() - self._begun
        said, self._said = self._said, []
        return [Note(self._note, self.worked), *said]

    def end(self) -> None:
        """Let go of the study now; it notices at its next pulse, which is where it waits."""
        self.cancelled = True
        self._turn.release()

    # on the study's own thread ------------------------------------------------------------------------------

    def _run(self) -> None:
        """Everything, from the first turn to the last word."""
        try:
            self._wait()
            ended = self._through()
        except Cancelled:
            ended = self._stopped("cancelled", "cancelled")
        except Exception as fault:  # noqa: BLE001  # whatever breaks here must not take other people's jobs along
            ended = self._stopped("failed", sentence_of(fault))
        self._said.append(ended)
        self.ended = True
        self._back.release()

    def _through(self) -> Stopped:
        """All rows, and what they say; only a whole study is kept for others."""
        try:
            for found in self.study.rows(self._pulse):
                self.rows.append(found)
                self._said.append(found)
                self._pulse("")
        except Cancelled:
            self._read()
            if self.cancelled:
                raise
            return self._stopped(
                "seconds", f"it worked for {self.most:,.0f} seconds, which is all that a page allows"
            )
        read = self._read()
        keep(Result(self.study, tuple(self.rows), read.table, read.findings, self._spent()))
        return self._stopped("finished", "")

    def _pulse(self, note: str) -> None:
        """Felt often: remember the note, give the turn back when the slice is over."""
        self._note = note or self._note
        if self.cancelled or self._spent() >= self.most:
            raise Cancelled
        if time.perf_counter() >= self._until:
            if len(self.rows) > self._read_rows and time.perf_counter() >= self._read_at:
                self._read()
            self._back.release()
            self._wait()

    def _wait(self) -> None:
        """Until it is our turn again."""
        while not self._turn.acquire(timeout=WATCHFUL):
            if self.cancelled:
                raise Cancelled
        if self.cancelled:
            raise Cancelled

    def _read(self) -> RowsReading:
        """What the rows say now."""
        began = time.perf_counter()
        found = RowsReading(tuple(self.study.table(self.rows)), tuple(self.study.findings(self.rows)))
        self._said.append(found)
        now = time.perf_counter()
        self._read_at, self._read_rows = now + max(SELDOM, 10.0 * (now - began)), len(self.rows)
        return found

    def _spent(self) -> float:
        return self.worked + time.perf_counter() - self._begun

    def _stopped(self, reason: str, sentence: str) -> Stopped:
        return Stopped(reason, sentence, len(self.rows))


__all__ = ["Note", "RowsReading", "StudyJob"]
