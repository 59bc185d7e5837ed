"""A visitor's page of studies: which one, with which settings, and the run whose rows are shown.

The settings are those of a run in full; a quick look has its own. What is shown at first is the finished run with exactly these
settings if it is on the shelf, else the quick look that everybody shares. One study runs at a time for one page.
"""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

import param

from explorer.engine.refusals import Refused
from explorer.session.knobs import editable, values
from explorer.session.runner import Runner
from explorer.session.study_run import Run, chosen, first_look, refusal
from explorer.session.study_store import kept, settings
from explorer.studies import STUDIES, study_named
from explorer.studies.support.study import Study

LONGEST = 4000
"""A longer query is not read."""

VERSION = "1"
ELSEWHERE = ("v", "study", "theme")


class Studies(param.Parameterized):
    """The choice, the settings and the run; `tick` rises whenever there is something new to draw."""

    study = param.Selector(objects=[kind.name for kind in STUDIES], doc="Which published experiment.")
    knobs = param.Parameter(doc="Settings of a run in full.")
    tick = param.Integer(0)
    message = param.String("", doc="Why the settings cannot be run.")

    def __init__(self, runner: Runner, study: str = STUDIES[0].name, knobs: Mapping[str, Any] | None = None) -> None:
        super().__init__(study=study)
        self.runner = runner
        self.own: Run | None = None
        self.shown = Run(study_named(study)())
        self._seen: tuple[Run, int] | None = None
        self._choose(settings(chosen(study, dict(knobs or {}))))
        self.param.watch(lambda *_: self._choose(), "study")

    # choices ---------------------------------------------------------------------------------------------------

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

    def planned(self) -> Study:
        """The study as the settings stand."""
        return chosen(self.study, values(self.knobs))

    def quick(self) -> Study:
        """The study with the settings of a quick look."""
        study: Study = study_named(self.study).quick()
        return study

    @property
    def is_full(self) -> bool:
        """Whether the settings are those of the source."""
        return self.planned() == study_named(self.study)()

    def reason(self) -> str:
        """Why the settings cannot be run; empty if they can."""
        try:
            return refusal(self.planned())
        except Refused as refused:
            return str(refused)

    def _changed(self) -> None:
        """Another setting: show its rows if they are on the shelf; nothing runs by itself."""
        self.message = self.reason()
        found = None if self.message or self.running else kept(self.planned())
        if found is not None:
            self._show(Run.of(found))
        self.tick += 1

    def _first(self) -> Run:
        """What there is to see before anything is run."""
        found = None if self.message else kept(self.planned())
        return Run.of(found) if found is not None else first_look((self.runner, self.study))

    # running ---------------------------------------------------------------------------------------------------

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
            self.run(self.planned())

    def cancel(self) -> None:
        """End the run and keep its rows; a shared one goes on for the others."""
        if self.own is self.shown:
            self.own.cancel()
        elif self.running:
            self._show(self.shown.left())
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


# the address line ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Asked:
    """What an address asks for, and what of it could not be read."""

    study: str
    knobs: Mapping[str, Any]
    problems: tuple[str, ...] = ()


def query(study: str, knobs: Mapping[str, Any], theme: str) -> str:
    """The page as a query string: every setting, so that it shows the same when defaults change."""
    named = {f"set.{name}": value for name, value in knobs.items()}
    return urlencode({"v": VERSION, "study": study, **named, "theme": theme})


def command_line(study: str, knobs: Mapping[str, Any]) -> str:
    """The same run as a shell command: what differs from the source's settings."""
    usual = settings(study_named(study)())
    words = ["explorer", "reproduce", study]
    for name, value in knobs.items():
        words += ["--set", f"{name}={value}"] if value != usual[name] else []
    return shlex.join(words)


def read(text: str) -> Asked:
    """What a query string asks for; unusable parts are left out and listed."""
    text = text.removeprefix("?")
    if len(text) > LONGEST:
        return Asked(STUDIES[0].name, {}, (f"The link is longer than {LONGEST} characters; the first study is shown.",))
    pairs = dict(parse_qsl(text, keep_blank_values=True))
    name = pairs.get("study", STUDIES[0].name)
    problems = []
    try:
        kind = study_named(name[:60])
    except Refused as refused:
        return Asked(STUDIES[0].name, {}, (f"The link's study was left out: {refused}.",))
    knobs: dict[str, Any] = {}
    for key, value in pairs.items():
        if key not in ELSEWHERE:
            problems += _tried(kind, knobs, key, value)
    return Asked(name, knobs, tuple(problems))


def _tried(kind: Any, knobs: dict[str, Any], key: str, text: str) -> list[str]:
    """Take one more setting in, or say why not."""
    name = key.removeprefix("set.")[:40]
    defaults = settings(kind())
    if not key.startswith("set.") or name not in defaults:
        return [f"The link's part {key[:40]!r} is not known and was left out."]
    try:
        value = _like(defaults[name], text[:100])
        chosen(kind.name, {**knobs, name: value})
    except (Refused, ValueError, KeyError) as fault:
        why = str(fault) if isinstance(fault, Refused) else f"it cannot be {text[:40]!r}"
        return [f"The link's {name} was left out: {why}."]
    knobs[name] = value
    return []


def _like(default: Any, text: str) -> Any:
    """The text as a value of the default's kind."""
    return {"True": True, "False": False}[text] if isinstance(default, bool) else type(default)(text)


__all__ = ["Asked", "Studies", "command_line", "query", "read"]
