"""The data file that a link needs: its name and checksum, its test file, and what was chosen of it.

    task=names.conll&...&file.sum=5b1c0a...&file.test=more.conll&file.testsum=99ad01...&file.label=play

A link holds no data and opens no file: whoever follows it must have the file, or is asked for it.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import PurePath
from typing import Any
from urllib.parse import parse_qsl

from explorer.engine.catalogue.files import AS_IT_IS, DataFile, format_of
from explorer.engine.catalogue.formats.format import FileChoices
from explorer.engine.catalogue.tasks import Task
from explorer.session.links.codec import SHORT, Reading

PREFIX = "file."
SHOWN = 16
"""Digits of a checksum that a link has."""
SUM = re.compile(r"[0-9a-f]{8,64}")
CHOICES = ("label", "sequence", "kind")


@dataclass(frozen=True, slots=True)
class FileAsked:
    """A data file that a link needs."""

    name: str
    sum: str = ""
    test: str = ""
    testsum: str = ""
    choices: FileChoices = AS_IT_IS

    @property
    def key(self) -> tuple[str, ...]:
        """What its task is known by."""
        return self.sum, self.testsum, *asdict(self.choices).values()


def file_parts(task: Task) -> dict[str, Any]:
    """What a link says of a task's file, by the names of its parts; nothing of a task without one."""
    source = task.source
    if not isinstance(source, DataFile):
        return {}
    said = {name: text[:SHOWN] for name, text in source.checksums().items()}
    if source.test is not None:
        said["test"] = source.test_name or source.test.name
    said |= {name: value for name, value in asdict(source.choices).items() if value}
    return {PREFIX + name: value for name, value in said.items()}


def file_asked(text: str) -> FileAsked | None:
    """The data file that a query string needs; None if it needs none."""
    said = dict(parse_qsl(text.removeprefix("?")[:8000]))
    name = PurePath(said.get("task", "")).name
    if format_of(name) is None:
        return None
    own = {key.removeprefix(PREFIX): value for key, value in said.items() if key.startswith(PREFIX)}
    sums = {key: own.get(key, "") for key in ("sum", "testsum") if SUM.fullmatch(own.get(key, ""))}
    choices = FileChoices(**{key: own[key][:200] for key in CHOICES if key in own})
    return FileAsked(name[:200], test=PurePath(own.get("test", "")).name[:200], choices=choices, **sums)


def take_file(said: Reading, task: Task | None) -> None:
    """Take in what a link says of its file; a fault where the one that is open here is another."""
    own: Mapping[str, str] = said.take_group(PREFIX)
    if task is None or not own:
        return
    here = {name.removeprefix(PREFIX): value for name, value in file_parts(task).items()}
    for name in sorted(own):
        if own[name] != here.get(name, ""):
            what = "another file" if name.endswith("sum") else f"another {name[:SHORT]}"
            said.faults.append(
                f"The link was made with {what} ({own[name][:SHORT]!r}) than {task.name} has here "
                f"({str(here.get(name, 'none'))[:SHORT]!r})."
            )


__all__ = ["FileAsked", "file_asked", "file_parts", "take_file"]
