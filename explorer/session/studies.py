"""A visitor's page of studies: which one, with which settings, and the run whose rows are shown.

The settings are those of a run in full; a quick look has its own. What is shown at first is the finished run
with exactly these settings if it is on the shelf, else the quick look that everybody shares. One study runs
at a time for one page.
"""

from collections.abc import Mapping
from typing import Any

import param

from explorer.engine.refusals import Refused
from explorer.session.knobs import editable, values
from explorer.session.runner import Runner
from explorer.session.study_run import Run, first_look, refusal, study_of
from explorer.session.study_store import settings, stored_result
from explorer.studies import STUDIES, study_named
from explorer.studies.support.study import Study


class Studies(param.Parameterized):
    """The choice, the settings and the run; `tick` rises whenever there is something new to draw."""

    study: Any = param.Selector(objects=[kind.name for kind in STUDIES], doc="Which published experiment.")
    knobs = param.Parameter(doc="Settings of a run in full.")
    tick = param.Integer(0)
    message = param.String("", doc="Why the settings cannot be run.")

    def __init__(
        self, runner: Runner, study: str = STUDIES[0].name, knobs: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(study=study)
        self.runner = runner
        self.own: Run | None = None
        self.shown = Run(study_named(study)())
        self._seen: tuple[Run, int] | None = None
        self._choose(settings(study_of(study, dict(knobs or {}))))
        self.param.watch(lambda *_: self._choose(), "study")

    # choices ------------------------------------------------------------------------------------------------

    def _choose(self, knobs: Mapping[str, Any] | None = None) -> None:
        """Another study: its settings, and what there is to see of it."""
        self._end()
        kind = study_named(self.study)
        edited = editable(kind)(**(knobs or {}))
        edited.param.watch(lambda *_: self._changed(), [name for name in edited.param if name != "name"])
        with param.parameterized.discard_events(self):  # whoever listens shall see all of it at once
            self.knobs = edited
            self.message = self.reason()
        self.shown = self._first()
        self.param.trigger("knobs", "message")
        if self.shown.status == "failed":  # the shared look broke; this visitor has one of his own
            self.quick_look()
        self.collect()

    def plan(self) -> Study:
        """The study as the settings stand."""
        return study_of(self.study, values(self.knobs))

    def quick(self) -> Study:
        """The study with the settings of a quick look."""
        study: Study = study_named(self.study).quick()
        return study

    @property
    def is_full(self) -> bool:
        """Whether the settings are those of the source."""
        return self.plan() == study_named(self.study)()

    def reason(self) -> str:
        """Why the settings cannot be run; empty if they can."""
        try:
            return refusal(self.plan())
        except Refused as refused:
            return str(refused)

    def _changed(self) -> None:
        """Another setting: show its rows if they are on the shelf; nothing runs by itself."""
        self.message = self.reason()
        found = None if self.message or self.running else stored_result(self.plan())
        if found is not None:
            self._show(Run.of(found))
        self.tick += 1

    def _first(self) -> Run:
        """What there is to see before anything is run."""
        found = None if self.message else stored_result(self.plan())
        return Run.of(found) if found is not None else first_look((self.runner, self.study))

    # running ------------------------------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        """Whether rows are on their way."""
        return self.shown.running

    def run(self, study: Study) -> None:
        """Run a study from its first row; what ran before ends."""
        self._end()
        self.own = Run(study)
        self.own.start(self.runner)
        self._show(self.own)

    def quick_look(self) -> None:
        """Run with the settings of a quick look."""
        self.run(self.quick())

    def run_as_set(self) -> None:
        """Run with the settings as they stand, unless they cannot be run."""
        if not self.message:
            self.run(self.plan())

    def cancel(self) -> None:
        """End the run and keep its rows; a shared one goes on for the others."""
        if self.own is self.shown:
            self.own.cancel()
        elif self.running:
            self._show(self.shown.leave())
        self.collect()

    def collect(self) -> None:
        """Take in what the worker said; `tick` tells whether anything is new."""
        if self.own is not None:
            self.own.collect()
        if self._seen != (self.shown, self.shown.version):
            self._seen = self.shown, self.shown.version
            self.tick += 1

    def _show(self, run: Run) -> None:
        self.shown = run
        self.collect()

    def _end(self) -> None:
        if self.own is not None:
            self.own.close()
        self.own = None

    def close(self) -> None:
        """End the visitor's run."""
        self._end()
        self.shown = Run(self.shown.study)


__all__ = ["Studies"]
